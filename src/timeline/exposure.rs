//! Whether a session's silence is suspicious: did anything that its answers depend on change?

use std::collections::{HashMap, HashSet};

use super::{Lineage, Timeline, Unknown};
use crate::git::Pathspecs;

/// Which of a session's questions had a reason to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Questions whose watched files changed since they were last derived, and that were not derived for the first
    /// time.
    pub unexcused: Vec<String>,
    /// Questions of which that could not be found out.
    pub unknown: Vec<String>,
}

impl Timeline {
    /// For every session without a delta whose head moved: did anything that it answered have a reason to change?
    pub(super) fn judge_silence(&mut self, lineage: &mut dyn Lineage) {
        let events = self.events.clone();
        // What each question that was ever answered watches.
        let mut watches: HashMap<u32, &[String]> = HashMap::new();
        let questions = self.questions.questions.clone();
        for question in &questions {
            let specs = question.dependencies();
            if specs.is_empty() {
                continue;
            }
            if let Err(error) = Pathspecs::parse(specs) {
                let name = question.name().to_string();
                self.unknown.push(Unknown::Watch(name, error.message));
            } else if let Some(number) = events.question_number(&question.id, question.version) {
                watches.insert(number, specs);
            }
        }
        let mut derived: HashSet<u32> = HashSet::new();
        for place in 0..self.sessions.len() {
            let session = &self.sessions[place];
            let answers = self.answers(session);
            let moved = session.predecessor.is_some_and(|predecessor| {
                let before = self.last(&self.sessions[predecessor as usize]);
                events.head_number(before) != events.head_number(self.last(session))
            });
            if moved && !session.has_delta {
                let to = self.last(session).anchor;
                let mut exposure = Exposure::default();
                for &answer in &answers {
                    let question = self.answer(answer).question;
                    let Some(specs) = watches.get(&question) else {
                        continue;
                    };
                    let from = derived
                        .contains(&question)
                        .then(|| self.last_derived(place, question, lineage))
                        .flatten();
                    let Some(from) = from else {
                        continue;
                    };
                    let name = events.question(question).0.to_owned();
                    match lineage.is_changed(from, to, specs) {
                        Some(true) => exposure.unexcused.push(name),
                        Some(false) => {}
                        None => exposure.unknown.push(name),
                    }
                }
                if !exposure.unknown.is_empty() && exposure.unexcused.is_empty() {
                    let sid = self.sid(&self.sessions[place]).to_owned();
                    let unknown = Unknown::Exposure(sid, exposure.unknown.clone());
                    self.unknown.push(unknown);
                }
                self.sessions[place].exposure = Some(exposure);
            }
            derived.extend(
                answers
                    .into_iter()
                    .map(|answer| self.answer(answer).question),
            );
        }
    }

    /// The anchor of the latest session before this one, on its line of history, that derived the question.
    fn last_derived(&self, place: usize, question: u32, lineage: &mut dyn Lineage) -> Option<u32> {
        let here = self.last(&self.sessions[place]).anchor;
        let mut earlier = self.sessions[..place].iter().rev();
        earlier.find_map(|session| {
            let mut entries = self
                .entries_of(session)
                .collect::<Vec<_>>()
                .into_iter()
                .rev();
            let entry = entries.find(|&entry| {
                let answers = self.events.answers(self.row(entry));
                answers.iter().any(|answer| answer.question == question)
            })?;
            let anchor = self.row(entry).anchor;
            lineage.are_in_line(anchor, here).then_some(anchor)
        })
    }
}
