use super::{Facts, Found, error};
use crate::timeline::places;

pub fn check(facts: &Facts) -> Vec<Found> {
    let removed = &facts.survey.removed;
    let on = places(&removed.commits);
    let message = match removed.lines {
        0 => return Vec::new(),
        1 => format!("1 line is missing from the log: it was on {on}"),
        more => format!("{more} lines are missing from the log: they were on {on}"),
    };
    vec![error(
        message,
        "`git sq doctor --fix` puts back what this clone knows of; `git log refs/notes/sq` shows who removed it",
    )]
}
