use super::{Facts, Found, common::reworded, error, warning};
use crate::{metrics::Standing, timeline::short};

pub fn check(facts: &Facts) -> Vec<Found> {
    let max = facts.settings.staleness.max;
    let outdated = facts.survey.standings.that_are(Standing::Outdated);
    outdated
        .filter_map(|at_tip| {
            let (name, missed) = (&at_tip.question, at_tip.missed);
            let changed = at_tip.changed.as_ref()?;
            let at = at_tip.commit.map(short).unwrap_or_default();
            let message = match at_tip.compared_with {
                Some(_) => {
                    format!("{name} is outdated: {changed} since {at}, where it was answered")
                }
                None => {
                    format!("{name} is outdated: {changed} (the answer that counts is on {at})")
                }
            };
            let is_asked_otherwise = facts.proposed.reworded.iter().any(|(_, new, _)| new == name);
            let help = if is_asked_otherwise {
                "the base asks it in other words: merge or rebase, then answer it"
            } else {
                reworded(facts, name).unwrap_or("record an answer at HEAD: `git sq brief`")
            };
            let found = if missed > max as usize {
                let missed =
                    format!("{missed} later sessions gave no answer that counts (limit {max})");
                error(format!("{message}, and {missed}"), help)
            } else {
                warning(message, help)
            };
            Some(found.about(name).question(name))
        })
        .collect()
}
