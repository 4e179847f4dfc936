//! Whether a session's silence is suspicious: did anything that its answers depend on change?

use std::collections::HashMap;

use super::{Lineage, Timeline, Unknown, lineage::Watch};
use crate::git::Pathspecs;

/// Which of a session's questions, by their numbers, had a reason to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Questions whose watched files changed since they were last derived, and that were not derived for the first
    /// time.
    pub unexcused: Vec<u32>,
    /// Questions of which that could not be found out.
    pub unknown: Vec<u32>,
}

impl Timeline {
    /// For every session without a delta whose head moved: did anything that it answered have a reason to change?
    pub(super) fn judge_silence(&mut self, lineage: &mut dyn Lineage) {
        let events = self.events.clone();
        // What each question that was ever answered watches.
        let mut watches: HashMap<u32, Watch> = HashMap::new();
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
                watches.insert(number, Watch::new(specs));
            }
        }
        // The anchors of the sessions that derived a question so far.
        let mut derived: HashMap<u32, Vec<u32>> = HashMap::new();
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
                    let Some(&watch) = watches.get(&question) else {
                        continue;
                    };
                    let mut before = derived.get(&question).into_iter().flatten().rev();
                    let Some(&from) = before.find(|&&from| lineage.are_in_line(from, to)) else {
                        continue;
                    };
                    match lineage.is_changed(from, to, watch) {
                        Some(true) => exposure.unexcused.push(question),
                        Some(false) => {}
                        None => exposure.unknown.push(question),
                    }
                }
                if !exposure.unknown.is_empty() && exposure.unexcused.is_empty() {
                    let sid = self.sid(&self.sessions[place]).to_owned();
                    let names = exposure.unknown.iter();
                    let names = names.map(|&question| events.question(question).0.to_owned());
                    let unknown = Unknown::Exposure(sid, names.collect());
                    self.unknown.push(unknown);
                }
                self.sessions[place].exposure = Some(exposure);
            }
            for answer in answers {
                let question = self.answer(answer).question;
                let anchor = self.row(answer.entry).anchor;
                derived.entry(question).or_default().push(anchor);
            }
        }
    }
}
