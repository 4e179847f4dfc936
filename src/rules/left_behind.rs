use super::{ACCEPT, Facts, Found, flagged, session, warning};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    flagged::by(facts, Rule::LeftBehind)
        .map(|flagged| {
            let session = session(&flagged.sid, flagged.by.as_ref());
            let message = format!(
                "{}, where {session} answered (entry {}), {}",
                flagged.commit, flagged.entry, flagged.why
            );
            let help = format!(
                "`git sq carry` copies the entry to the commit that took its place; {ACCEPT}"
            );
            warning(message, help).about(&flagged.sid)
        })
        .collect()
}
