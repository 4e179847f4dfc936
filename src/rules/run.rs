use jiff::{SignedDuration, Timestamp};

use super::{Facts, Found, error, warning};
use crate::{
    entry::{Person, Ts, short_sid},
    metrics::Run,
    question::StoreSchema,
};

/// A finding about a run longer than the limit: an error unless a person accepted it.
pub fn of_run(run: &Run, what: &str, help: &str, facts: &Facts) -> Found {
    let through = facts.settings.quiet.accepted_through.map(Ts::from);
    let is_accepted = through.is_some_and(|through| run.ended.as_str() < through.as_str());
    let span = match (run.sids.first(), run.sids.last()) {
        (Some(first), Some(last)) => format!("{} to {}", short_sid(first), short_sid(last)),
        _ => String::new(),
    };
    let who = by(&run.who);
    let message = format!("{} sessions in a row ({span}{who}) {what}", run.length);
    let found = if is_accepted {
        let message = message + "; accepted in the question store";
        warning(message, "no action needed: quiet.accepted_through closed it")
    } else {
        error(message, format!("{help}; {}", accept_through(run, facts.schema)))
    };
    found.about(&span)
}

fn accept_through(run: &Run, schema: StoreSchema) -> String {
    let through = run
        .ended
        .parse::<Timestamp>()
        .unwrap_or_default()
        .saturating_add(SignedDuration::from_secs(1))
        .unwrap_or(Timestamp::MAX);
    format!(
        "then set \"settings\": {{\"quiet\": {{\"accepted_through\": \"{through}\"}}}} in the question store{}",
        schema.upgrade_for_settings()
    )
}

/// The people and agents, in words: `, by Ann with claude and Bob`.
fn by(who: &[(Option<Person>, Option<String>)]) -> String {
    let who = who.iter().filter_map(|(by, agent)| match (by, agent) {
        (Some(by), Some(agent)) => Some(format!("{} with {agent}", by.name)),
        (Some(by), None) => Some(by.name.clone()),
        (None, agent) => agent.clone(),
    });
    match who.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        who => format!(", by {}", who.join(" and ")),
    }
}
