use super::{Facts, Found, error};
use crate::metrics::Source;

const START: &str = "start with `git sq brief`, then `git sq record`";

pub fn check(facts: &Facts) -> Vec<Found> {
    let survey = &facts.survey;
    // An unreadable line may be a session.
    let asked = &survey.standings.0;
    let is_left_to_the_tool =
        !asked.is_empty() && asked.iter().all(|one| one.source != Source::Sessions);
    let asks_nothing = survey.staleness.is_empty() || is_left_to_the_tool;
    if survey.sessions > 0 || asks_nothing || !survey.unknown.is_empty() || survey.may_be_elsewhere
    {
        return Vec::new();
    }
    let found = match survey.elsewhere {
        0 => error("no session has recorded anything yet", START),
        number => {
            let (all, are) = match number {
                1 => ("1 entry".into(), "is on a commit"),
                _ => (format!("all {number} entries"), "are on commits"),
            };
            error(
                format!("no session is in this history: {all} {are} that it does not contain"),
                format!(
                    "{START}; `git fetch` brings commits that are missing; after a rewritten history, `git sq carry` copies the entries to the new ones"
                ),
            )
        }
    };
    vec![found]
}
