use super::{ACCEPT, Facts, Found, flagged, session, warning};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    flagged::by(facts, Rule::LeftBehind)
        .map(|one| {
            let session = session(&one.sid, one.by.as_ref());
            let message = format!(
                "{}, where {session} answered (entry {}), {}",
                one.commit, one.entry, one.why
            );
            let help = format!(
                "`git sq carry` copies the entry to the commit that took its place; {ACCEPT}"
            );
            warning(message, help).about(&one.sid)
        })
        .collect()
}
