//! Whether a session's silence is suspicious: did anything that its answers depend on change?

use super::{Lineage, Session, Timeline, Unknown, lineage::Watch};
use crate::{git::Pathspecs, question::Question};

/// Which of a session's questions, by their numbers, had a reason to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Questions whose watched files, or any file where they watch none, changed since they were last derived; none that
    /// were derived for the first time, or by a probe.
    pub unexcused: Vec<u32>,
    /// Questions of which that could not be found out.
    pub unknown: Vec<u32>,
}

impl Timeline {
    /// For every session without a delta whose head moved: did anything that it answered have a reason to change?
    pub(super) fn judge_silence(&mut self, lineage: &mut dyn Lineage) {
        let events = self.events.clone();
        // By the number of the question.
        let mut watches = vec![Some(Watch::new(&[], None)); events.question_count()];
        let questions = self.questions.questions.clone();
        let dependencies = questions.iter().map(Question::dependencies);
        let dependencies: Vec<_> = dependencies.collect();
        for (question, specs) in questions.iter().zip(&dependencies) {
            let valid = Pathspecs::parse(specs).map_err(|error| {
                let name = question.name().to_string();
                self.unknown.push(Unknown::Watch(name, error.message));
            });
            if let Some(number) = events.question_number(&question.id, question.version) {
                watches[number as usize] = valid
                    .ok()
                    .map(|_| Watch::new(specs, question.lines.as_deref()));
            }
        }
        // The anchors of the sessions that derived each question so far.
        let mut derived: Vec<Vec<u32>> = vec![Vec::new(); watches.len()];
        let mut answered = Vec::new();
        for place in 0..self.sessions.len() {
            self.questions_of(&self.sessions[place], &mut answered);
            if self.is_silent(&self.sessions[place]) {
                let to = self.judged(&self.sessions[place]).anchor;
                let mut exposure = Exposure::default();
                for &(question, _, is_probed) in &answered {
                    if is_probed {
                        continue;
                    }
                    let Some(watch) = watches[question as usize] else {
                        continue;
                    };
                    let mut before = derived[question as usize].iter().rev();
                    let Some(&from) = before.find(|&&from| lineage.are_in_line(from, to)) else {
                        continue;
                    };
                    match lineage.is_changed(from, to, watch) {
                        Some(true) => exposure.unexcused.push(question),
                        Some(false) => {}
                        None => exposure.unknown.push(question),
                    }
                }
                self.note_unknown(place, &exposure);
                self.sessions[place].exposure = Some(exposure);
            }
            if self.sessions[place].is_foreign {
                continue;
            }
            for &(question, anchor, _) in &answered {
                derived[question as usize].push(anchor);
            }
        }
    }

    /// The questions that a session answered, with the commits that carry the last answers, and whether probes gave these.
    fn questions_of(&self, session: &Session, questions: &mut Vec<(u32, u32, bool)>) {
        questions.clear();
        for entry in self.judged_entries(session) {
            let row = self.row(entry);
            for answer in self.events.answers(row) {
                let answered = (answer.question, row.anchor, answer.probed);
                let mut known = questions.iter_mut();
                match known.find(|(question, ..)| *question == answer.question) {
                    Some(known) => *known = answered,
                    None => questions.push(answered),
                }
            }
        }
    }

    fn is_silent(&self, session: &Session) -> bool {
        let head = |session| self.events.head_number(self.judged(session));
        let predecessor = session.predecessor;
        let before = predecessor.map(|place| head(&self.sessions[place as usize]));
        !session.has_delta && before.is_some_and(|before| before != head(session))
    }

    fn note_unknown(&mut self, place: usize, exposure: &Exposure) {
        if exposure.unknown.is_empty() || !exposure.unexcused.is_empty() {
            return;
        }
        let sid = self.sid(&self.sessions[place]).to_owned();
        let names = exposure.unknown.iter();
        let names = names.map(|&question| self.events.question(question).0.to_owned());
        let unknown = Unknown::Exposure(sid, names.collect());
        self.unknown.push(unknown);
    }
}
