use super::{Facts, Found, error};
use crate::timeline::places;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let removed = &facts.survey.removed;
    let on = places(&removed.commits);
    let message = match (removed.lines, removed.own) {
        (0, None) => return Vec::new(),
        (0, Some((written, left))) => {
            format!("this clone wrote {written} lines, and the log has {left} of them")
        }
        (1, _) => format!("1 line is gone from the log: it was on {on}"),
        (more, _) => format!("{more} lines are gone from the log: they were on {on}"),
    };
    vec![error(
        message,
        "`git sq sync` and `git sq doctor --fix` put back what this clone knows of; `git log refs/notes/sq` shows who removed it",
    )]
}
