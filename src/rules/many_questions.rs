use super::{Facts, Found, warning};
use crate::question::MANY;

pub fn check(facts: &Facts) -> Vec<Found> {
    let questions = facts.survey.active_questions;
    let message = format!("{questions} active questions, more than {MANY}");
    let help = "retire what no longer earns its keep: the long tail goes stale and hides the rest";
    (questions > MANY).then(|| warning(message, help)).into_iter().collect()
}
