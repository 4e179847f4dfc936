//! Answers that differ from the previous ones.

use std::{collections::HashMap, iter::successors};

use super::{Lineage, SessionAnswer, Timeline, lineage::Watch};
use crate::question::Expect;

#[derive(Debug, Clone, Copy)]
pub struct Change {
    pub question: u32,
    pub session: u32,
    pub now: SessionAnswer,
    pub before: SessionAnswer,
}

impl Timeline {
    /// The deltas of the wanted question versions, oldest first; first answers are no deltas.
    pub fn changes(&self, is_wanted: impl Fn(&str, u32) -> bool) -> Vec<Change> {
        let questions = self.events.questions();
        let wanted: Vec<bool> = questions.map(|(id, version)| is_wanted(id, version)).collect();
        let mut changes: Vec<Change> = Vec::new();
        if !wanted.contains(&true) {
            return changes;
        }
        for (place, session) in (0..).zip(&self.sessions) {
            let is_delta =
                |answer: &crate::store::Answer| answer.delta && wanted[answer.question as usize];
            let mut entries = self.entries_of(session);
            if !entries.any(|entry| self.events.answers(self.row(entry)).iter().any(is_delta)) {
                continue;
            }
            // The last word at a commit counts, and a later look of the session retracts nothing.
            let mut last: HashMap<u32, SessionAnswer> = HashMap::new();
            let entries: Vec<u32> = self.entries_of(session).collect();
            // Looks that were carried to one commit stay apart.
            let given = |entry: u32| self.events.head_number(self.row(entry));
            for look in entries.chunk_by(|one, two| given(*one) == given(*two)) {
                let all = self.latest(look.iter().copied());
                // An entry added after the end of a session can't retract a delta.
                let judged = look.iter().copied().filter(|entry| session.is_judged_by(*entry));
                let first = changes.len();
                for now in [all.clone(), self.latest(judged)].concat() {
                    let question = self.answer(now).question;
                    let mut known = changes[first..].iter();
                    if !is_delta(&self.answer(now)) || known.any(|known| known.question == question)
                    {
                        continue;
                    }
                    let before = last.get(&question).copied();
                    let before = before.or_else(|| self.answer_before(place, question));
                    changes.extend(before.map(|before| Change {
                        question,
                        session: place,
                        now,
                        before,
                    }));
                }
                last.extend(all.into_iter().map(|one| (self.answer(one).question, one)));
            }
        }
        changes
    }

    /// The indices of the earlier sessions on the same line of history, nearest first.
    pub fn line_before(&self, session: u32) -> impl Iterator<Item = u32> {
        let before = |&place: &u32| self.sessions[place as usize].predecessor;
        successors(before(&session), before)
    }

    /// The previous answer to a question version: from the nearest session on the same line of history, else from any
    /// earlier session.
    pub fn answer_before(&self, session: u32, question: u32) -> Option<SessionAnswer> {
        let mut sessions = self.line_before(session).chain((0..session).rev());
        sessions.find_map(|place| self.answer_of(place, question))
    }

    pub fn answer_of(&self, session: u32, question: u32) -> Option<SessionAnswer> {
        let entries = self.entries_of(&self.sessions[session as usize]);
        entries.filter_map(|entry| self.answer_in(entry, question)).last()
    }

    /// Finds the deltas of questions that are expected to change with certain paths, where one of these changed.
    pub(super) fn find_expected(&mut self, lineage: &mut dyn Lineage) {
        for question in &self.questions.questions.clone() {
            let Some(Expect::When(paths)) = &question.expect else {
                continue;
            };
            let watch = Watch::new(paths.into(), None);
            let is_it = |id: &str, version| (id, version) == (&*question.id, question.version);
            for change in self.changes(is_it) {
                let anchor = |answer: SessionAnswer| self.row(answer.entry).anchor;
                let (from, to) = (anchor(change.before), anchor(change.now));
                if lineage.is_changed(from, to, &watch) == Some(true) {
                    self.expected.insert(change.now);
                }
            }
        }
    }

    pub fn is_expected(&self, answer: SessionAnswer) -> bool {
        self.expected.contains(&answer)
    }
}
