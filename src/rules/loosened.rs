use super::{Facts, Found, error, warning};
use crate::{
    entry::{clip, one_line, word},
    question::Closed,
};

/// Characters of a question that are shown.
const TEXT: usize = 200;

pub fn check(facts: &Facts) -> Vec<Found> {
    let laxer = facts.proposed.loosened.iter().filter(|(laxer, _)| !laxer.is_in_place).map(|(laxer, diff)| {
        let help = format!(
            "`{diff}` shows it: if it is intended, merge it into the base branch first; otherwise revert it"
        );
        error(format!("{} {}", laxer.about, laxer.what), help).about(&laxer.about)
    });
    let reworded = facts.proposed.reworded.iter().map(|(old, new, text)| {
        let message =
            format!("this branch asks {new} in place of {old}: {}", clip(&one_line(text), TEXT));
        warning(message, "read whether it asks as much").about(new)
    });
    let closed = closings(
        &facts.proposed.closed,
        "",
        "git log -p shows who closed it and why; the owners of the file decide who may",
    );
    let late = closings(
        &facts.proposed.late,
        ", which counts only once it is merged",
        "merge the closing into the base branch first",
    );
    laxer.chain(reworded).chain(closed).chain(late).collect()
}

fn closings(closed: &[Closed], when: &str, help: &str) -> Option<Found> {
    let all = closed.iter().map(|closed| format!("{} {}", word(&closed.kind), closed.id));
    let all: Vec<String> = all.collect();
    let message = format!("this branch closes {}{when}", all.join(", "));
    (!all.is_empty()).then(|| warning(message, help))
}
