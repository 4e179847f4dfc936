//! Parts of findings and messages that several rules need.

use super::Facts;
use crate::{
    entry::{Person, Ts, short_sid},
    finding::{Finding, Severity},
    metrics::Run,
    question::ClosedKind,
};

/// The help for findings that honest work can't resolve.
pub fn accept(id: &str) -> String {
    format!("a person who has dealt with it closes it: `git sq check --accept {id}`")
}

/// What to do about a question that no session of a branch is asked, because the branch asks it in other words.
pub fn reworded(facts: &Facts, name: &str) -> Option<&'static str> {
    let is_it = |(old, ..): &(String, String, String)| old == name;
    let help = "this branch asks it in other words: merge the new wording into the base first, or revert it";
    facts.proposed.reworded.iter().any(is_it).then_some(help)
}

/// A finding whose rule is the one that judges.
pub type Found = Finding<()>;

pub fn error(message: impl Into<String>, help: impl Into<String>) -> Found {
    Finding {
        rule: (),
        severity: Severity::Error,
        message: message.into(),
        about: None,
        question: None,
        help: help.into(),
    }
}

pub fn warning(message: impl Into<String>, help: impl Into<String>) -> Found {
    Finding { severity: Severity::Warning, ..error(message, help) }
}

/// Entries of which `what` says the same in the singular and in the plural.
pub fn entries(number: usize, [one, more]: [&str; 2]) -> String {
    match number {
        1 => format!("1 entry {one}"),
        _ => format!("{number} entries {more}"),
    }
}

/// A session, with the person if known.
pub fn session(sid: &str, by: Option<&Person>) -> String {
    let by = by
        .filter(|person| !person.name.is_empty())
        .map_or_else(String::new, |person| format!(" ({})", person.name));
    format!("session {}{by}", short_sid(sid))
}

/// A finding about a run longer than the limit; `None` if a person closed it.
pub fn of_run(run: &Run, what: &str, help: &str, facts: &Facts) -> Option<Found> {
    let last = run.sids.last().map_or("", |sid| sid);
    let through = facts.settings.quiet.accepted_through.map(Ts::from);
    let is_closed = facts.closed.has(ClosedKind::Run, &run.entry)
        || through.is_some_and(|through| run.ended.as_str() < through.as_str());
    if is_closed {
        return None;
    }
    let span = match run.sids.first() {
        Some(first) => format!("{} to {}", short_sid(first), short_sid(last)),
        None => String::new(),
    };
    let who = by(&run.who);
    let message = format!("{} sessions in a row ({span}{who}) {what}", run.length);
    Some(error(message, format!("{help}; {}", accept(&run.entry))).about(&span))
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
