use super::{Facts, Found, warning};
use crate::metrics::Standing;

pub fn check(facts: &Facts) -> Vec<Found> {
    let max = facts.settings.staleness.max as usize;
    facts.survey.standings.that_are(Standing::NotRun)
        .filter_map(|at_tip| {
            let expected = at_tip.expected.as_ref().filter(|_| at_tip.missed > max)?;
            let name = &at_tip.question;
            let why = at_tip.found.as_deref().unwrap_or_default();
            let message = format!("{name} was not run at HEAD, expected {expected}: {why}");
            let help = format!(
                "`git sq record` runs an approved command; `git sq question approve {name}` shows it"
            );
            Some(warning(message, help).about(name))
        })
        .collect()
}
