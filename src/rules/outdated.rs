use super::{Facts, Found, error, warning};
use crate::{metrics::State, timeline::short};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let max = facts.settings.staleness.max;
    facts
        .survey
        .at_tip
        .iter()
        .filter_map(|standing| {
            let (name, missed) = (&standing.question, standing.missed);
            // The session that settles a dispute also looks at the changes.
            let is_told = standing.state == State::Disputed && missed <= max as usize
                || facts.staleness(name).is_none();
            let changed = standing.changed.as_ref().filter(|_| !is_told)?;
            let at = standing.commit.map(short).unwrap_or_default();
            let message = match standing.compared_with {
                Some(_) => {
                    format!("{name} is outdated: {changed} since {at}, where it was answered")
                }
                None => format!("{name} is outdated: {changed} (its entry is on {at})"),
            };
            let help = "record an answer at the tip: `git sq brief`";
            let found = if missed > max as usize {
                let missed = format!("{missed} later sessions did not answer it (limit {max})");
                error(format!("{message}, and {missed}"), help)
            } else {
                warning(message, help)
            };
            Some(found.about(name).question(name))
        })
        .collect()
}
