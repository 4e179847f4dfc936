use super::{Facts, Found, error, warning};
use crate::question::Severity;

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts.survey.failing.iter().filter_map(|failing| {
        let (name, expected, at) = (&failing.question, &failing.expected, &failing.at);
        let answer = failing.found.as_ref().ok()?;
        let message = format!("{name} is {answer} at {at}, expected {expected}");
        let help = format!("fix it; without a probe, record the new answer; if the expectation is wrong, change the `expect` of {name} in the question store");
        let found = match failing.severity {
            Severity::Blocking => error(message, help),
            Severity::Informational => warning(message, help),
        };
        Some(found.about(name))
    }).collect()
}
