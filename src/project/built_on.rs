//! The work between an answer and its correction.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Project};
use crate::{
    entry::State,
    metrics::{flagged_by_rules, said_first},
    session::{Event, events},
    timeline::{Timeline, short},
};

/// Work that may rest on an answer that another session corrected.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BuiltOn {
    /// The entry that corrects it.
    pub correction: String,
    /// The entry that said it first, if this one only carried it on.
    pub first: Option<String>,
    /// Number of commits after the answer was said first, up to the correction.
    pub commits: usize,
    /// These commits, as `git log` takes them.
    pub range: String,
    /// The sessions that set a state in this time, oldest first.
    pub states: Vec<String>,
}

impl Project {
    /// The work that was built on an entry until its first correction; `None` if nobody corrected it.
    pub fn built_on(&self, timeline: &Timeline, entry: &str) -> Result<Option<BuiltOn>, Error> {
        let mut corrections = timeline.corrections().into_iter();
        let correction = corrections.find(|(_, disputed)| *disputed == entry);
        let answered = timeline.entries_by_id().get(entry).copied();
        let Some((answered, (correction, _))) = answered.zip(correction) else {
            return Ok(None);
        };
        let events = &timeline.events;
        let question = timeline.answer(correction).question;
        let answer = timeline.answer_in(answered, question);
        let flagged = self.judged(|_, rulings, _| flagged_by_rules(&rulings.all))?;
        let first = answer.and_then(|answer| said_first(timeline, answer, &flagged));
        let answered = first.map_or(answered, |first| first.entry);
        let [from, to] = [answered, correction.entry].map(|entry| timeline.row(entry));
        let [base, tip] = [from, to].map(|row| events.anchor(row.anchor));
        let states: Vec<Event<State>> = self::events(events);
        let between = |state: &&Event<State>| (from.millis..=to.millis).contains(&state.row.millis);
        let mut sids: Vec<String> =
            states.iter().filter(between).map(|state| state.source.sid.clone()).collect();
        sids.dedup();
        Ok(Some(BuiltOn {
            correction: events.reference(to),
            first: first.map(|_| events.reference(from)),
            commits: self.repo.count_between(base, tip)?,
            range: format!("{}..{}", short(base), short(tip)),
            states: sids,
        }))
    }
}
