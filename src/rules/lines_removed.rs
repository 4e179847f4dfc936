use super::{Facts, Found, error};
use crate::{store::Purged, timeline::places};

pub fn check(facts: &Facts) -> Vec<Found> {
    let removed = &facts.survey.removed;
    let purged = removed.purged.iter().map(|Purged { line, entry, mark }| {
        error(
            format!("entry {entry} is no longer in the log: {mark}"),
            format!("if it was purged on purpose, `git sq check --accept '{line}'` closes this"),
        )
    });
    let mut found: Vec<Found> = purged.collect();
    let on = places(&removed.commits);
    let message = match removed.lines {
        0 => return found,
        1 => format!("1 line is missing from the log: it was on {on}"),
        more => format!("{more} lines are missing from the log: they were on {on}"),
    };
    found.push(error(
        message,
        "`git sq doctor --fix` puts back what this clone knows of; `git log refs/notes/sq` shows who removed it or, after a \
         forced push, `git log -g refs/notes/remotes/REMOTE/sq` when it was here",
    ));
    found
}
