//! Whether a session's silence is suspicious: did anything that its answers depend on change?

use std::collections::{HashMap, HashSet};

use super::{Differ, Timeline, Unknown};
use crate::git::{Changes, History, Oid, Pathspecs};

/// Which of a session's questions had a reason to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Questions whose watched files changed since they were last derived, and that were not derived for the first
    /// time.
    pub unexcused: Vec<String>,
    /// Questions of which that could not be found out.
    pub unknown: Vec<String>,
}

impl Timeline<'_> {
    /// For every session without a delta whose head moved: did anything that it answered have a reason to change?
    pub(super) fn judge_silence(&mut self, history: &History, differ: Differ) {
        let mut watches: HashMap<(String, u32), Pathspecs> = HashMap::new();
        for question in &self.questions.questions {
            if question.dependencies().is_empty() {
                continue;
            }
            match Pathspecs::parse(question.dependencies()) {
                Ok(specs) => {
                    watches.insert((question.id.clone(), question.version), specs);
                }
                Err(error) => {
                    let name = question.name().to_string();
                    self.unknown.push(Unknown::Watch(name, error.message));
                }
            }
        }
        let mut derived: HashSet<(String, u32)> = HashSet::new();
        let mut known_changes: HashMap<(Oid, Oid), Option<Changes>> = HashMap::new();
        for place in 0..self.sessions.len() {
            let session = &self.sessions[place];
            let moved = session.predecessor.is_some_and(|predecessor| {
                self.last(&self.sessions[predecessor]).entry.head != self.last(session).entry.head
            });
            if moved && !self.has_delta(session) {
                let mut exposure = Exposure::default();
                for &answer in &session.answers {
                    let result = self.result(answer);
                    let key = (result.q_id.to_string(), result.q_version);
                    let (Some(specs), true) = (watches.get_mut(&key), derived.contains(&key))
                    else {
                        continue;
                    };
                    let Some(from) = self.last_derived(history, place, &key) else {
                        continue;
                    };
                    let to = self.last(session).anchor;
                    let changes = known_changes
                        .entry((from, to))
                        .or_insert_with(|| differ(from, to).ok());
                    match changes {
                        Some(changes) if specs.match_any(changes) => exposure.unexcused.push(key.0),
                        Some(_) => {}
                        None => exposure.unknown.push(key.0),
                    }
                }
                if !exposure.unknown.is_empty() && exposure.unexcused.is_empty() {
                    let sid = self.last(session).entry.sid.to_string();
                    self.unknown
                        .push(Unknown::Exposure(sid, exposure.unknown.clone()));
                }
                self.sessions[place].exposure = Some(exposure);
            }
            for &answer in &self.sessions[place].answers {
                let result = self.result(answer);
                derived.insert((result.q_id.to_string(), result.q_version));
            }
        }
    }

    /// The anchor of the latest session before this one, on its line of history, that derived the question.
    fn last_derived(&self, history: &History, place: usize, key: &(String, u32)) -> Option<Oid> {
        let here = history.find(self.last(&self.sessions[place]).anchor)?;
        let mut earlier = self.sessions[..place].iter().rev();
        earlier.find_map(|session| {
            let answer = session.answers.iter().find(|&&answer| {
                let result = self.result(answer);
                result.q_id == key.0 && result.q_version == key.1
            });
            let anchor = self.entries[answer?.entry].anchor;
            let there = history.find(anchor)?;
            history.are_in_line(there, here).then_some(anchor)
        })
    }
}
