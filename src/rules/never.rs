use super::{Facts, Found, common::reworded, error, warning};
use crate::metrics::{Staleness, Standing};

pub fn check(facts: &Facts) -> Vec<Found> {
    let help = "record an answer at HEAD: `git sq brief`";
    let never = facts.survey.standings.that_are(Standing::NeverAnswered);
    // A question that no session was asked yet can't have an answer.
    let is_asked = |row: &Staleness| row.staleness > 0 || row.last_sid.is_some();
    let (late, early): (Vec<_>, Vec<_>) = never
        .filter(|at_tip| facts.survey.row(&at_tip.question).is_some_and(is_asked))
        .partition(|at_tip| facts.survey.row(&at_tip.question).is_some_and(|row| row.flagged));
    let late = late.into_iter().filter_map(|at_tip| {
        let row = facts.survey.row(&at_tip.question)?;
        let message = format!(
            "{}: {} sessions were asked, and no answer counts (limit {})",
            at_tip.question, row.staleness, row.limit
        );
        let help = reworded(facts, &at_tip.question).unwrap_or(help);
        Some(error(message, help).about(&at_tip.question))
    });
    let early: Vec<&str> = early.iter().map(|at_tip| at_tip.question.as_str()).collect();
    let early =
        (!early.is_empty()).then(|| warning(format!("never answered: {}", early.join(", ")), help));
    late.chain(early).collect()
}
