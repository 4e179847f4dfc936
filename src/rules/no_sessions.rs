use super::{Facts, Found, error};

pub fn check(facts: &Facts) -> Vec<Found> {
    let survey = &facts.survey;
    // An unreadable line may be a session.
    let asks_nothing = survey.staleness.is_empty();
    if survey.sessions > 0 || asks_nothing || !survey.unknown.is_empty() || survey.may_be_elsewhere
    {
        return Vec::new();
    }
    let found = match survey.elsewhere {
        0 => error(
            "no session has recorded anything yet",
            "start with `git sq brief`, then `git sq record`",
        ),
        n => error(
            format!(
                "no session is in this history: all {n} entries are on commits that it does not contain"
            ),
            "`git fetch` brings commits that are missing; after a rewritten history, `git sq carry` copies the entries to the new ones",
        ),
    };
    vec![found]
}
