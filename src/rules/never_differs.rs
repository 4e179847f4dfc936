use super::{Facts, Found, accept, error, warning};
use crate::metrics::NEVER_DIFFERS;

pub fn check(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .never_differs
        .iter()
        .map(|row| {
            let (name, answers) = (&row.question, row.answers);
            let message = format!(
                "none of the last {answers} answers to {name} whose files had changed reports a change that stands"
            );
            let narrow = "narrow its `watch` or `lines`";
            let found = if row.is_alone {
                warning(message, format!("{narrow}, or retire the question; {}", accept(name)))
            } else if answers < NEVER_DIFFERS {
                let help = format!(
                    "another session should look again: `git sq brief` asks it to look at entry {}",
                    row.entry
                );
                warning(message, help)
            } else {
                error(
                    message,
                    format!(
                        "{narrow}, have another person's session look again, or retire the question"
                    ),
                )
            };
            found.about(name)
        })
        .collect()
}
