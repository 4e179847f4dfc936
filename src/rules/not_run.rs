use super::{Facts, Found, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts.survey.failing.iter().filter_map(|failing| {
        let (name, why) = (&failing.question, failing.found.as_ref().err()?);
        let message = format!("{name} was not checked at the tip, expected {}: {why}", failing.expected);
        let help = format!(
            "`git sq record` runs an approved command; `git sq question approve {name}` shows it"
        );
        Some(warning(message, help).about(name))
    }).collect()
}
