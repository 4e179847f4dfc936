use super::{Facts, Found, warning};
use crate::metrics::State;

pub fn judge(facts: &Facts) -> Vec<Found> {
    // A question that no session was asked yet can't have an answer, and a stale one is an error already.
    let was_asked = |name: &str| {
        let row = facts.staleness(name);
        row.is_some_and(|row| row.staleness > 0 && !row.flagged)
    };
    let never = facts
        .survey
        .at_tip
        .iter()
        .filter(|standing| standing.state == State::Never && was_asked(&standing.question));
    let never: Vec<&str> = never.map(|standing| standing.question.as_str()).collect();
    let message = match never.as_slice() {
        [] => return Vec::new(),
        [one] => format!("no answer to {one} counts"),
        more => format!("no answer counts for {}", more.join(", ")),
    };
    vec![warning(message, "record an answer at the tip: `git sq brief`")]
}
