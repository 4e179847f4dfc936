use super::{Facts, Found, common::reworded, error};
use crate::{entry::short_sid, metrics::Standing};

pub fn check(facts: &Facts) -> Vec<Found> {
    // By the original rules, nothing stands anywhere.
    let is_stale = |name: &str| {
        let at_tip = facts.survey.standings.get(name);
        at_tip.is_none_or(|at_tip| at_tip.standing == Standing::Stale)
    };
    // An empty log has one finding, not one per question.
    facts
        .survey
        .staleness
        .iter()
        .filter(|row| row.flagged && facts.survey.sessions > 0 && is_stale(&row.name()))
        .map(|row| {
            let name = row.name();
            let since = match &row.last_sid {
                Some(sid) => format!(
                    "{name} was last answered {} sessions ago, in {}",
                    row.staleness,
                    short_sid(sid)
                ),
                None => format!("{name} was never answered in {} sessions", row.staleness),
            };
            let changed = facts.survey.standings.get(&name);
            let changed = changed
                .and_then(|at_tip| at_tip.changed.as_ref())
                .map_or_else(String::new, |changed| format!("; {changed} since"));
            error(
                format!("{since} (limit {}){changed}", row.limit),
                reworded(facts, &name)
                    .unwrap_or("record an answer at HEAD, or retire the question"),
            )
            .about(&name)
        })
        .collect()
}
