//! A question's place at the tip, from the answers that stand there and what is expected.

use super::looks::Pass;
use crate::{
    entry::{self, short_sid},
    evidence::Found,
    metrics::{AtTip, Standing},
    question::{Probe, Question},
    store::{Answer, Events, Row},
};

impl Pass<'_> {
    /// The entries with such an answer to a question, newest first; somebody wrote them, and none is dated ahead.
    pub fn rows_with(
        &self,
        question: &Question,
        is_it: impl Fn(&Answer) -> bool,
    ) -> impl Iterator<Item = &Row> {
        let events = &self.timeline.events;
        let number = self.timeline.number(question);
        self.timeline.newest_first().filter(move |row| {
            let mut answers = events.answers(row).iter();
            number.is_some_and(|number| {
                answers.any(|answer| answer.question == number && is_it(answer))
            }) && events.worktree(row).is_some()
                && !row.is_ahead
        })
    }
}

/// Compares an answer with the expected one; `None` if none is. Whatever is expected, a file or place that the question
/// names has to be there.
pub fn expected(question: &Question, found: &Found) -> Option<Standing> {
    if found.value().is_none() && question.probe.as_ref().is_some_and(Probe::names_place) {
        return Some(Standing::Fails);
    }
    let expect = question.expect.as_ref().filter(|expect| expect.must_hold())?;
    let value = found.value();
    let holds = value.and_then(|value| expect.holds(question.shape.as_ref(), value));
    Some(if holds == Some(true) { Standing::Holds } else { Standing::Fails })
}

pub fn answers_it(answer: &entry::Answer, question: &Question) -> bool {
    *answer.q_id == *question.id && answer.version() == question.version
}

impl AtTip {
    pub fn name(&mut self, events: &Events, row: &Row) {
        self.entry = Some(events.reference(row));
        self.commit = Some(events.anchor(row.anchor));
    }

    /// Compares the answer with the expected one; `words` are those of the answer.
    pub fn expect(&mut self, question: &Question, found: &Found, words: impl Fn() -> String) {
        if let Some(standing) = expected(question, found) {
            self.standing = standing;
            if found.value().is_none() && self.expected.is_none() {
                self.expected = Some(Self::THERE.into());
            }
            self.found = (standing == Standing::Fails).then(words);
        }
    }

    pub fn redact(&mut self, redaction: Option<&str>) {
        if redaction.is_some() && self.found.is_some() {
            self.found = Some("redacted".into());
        }
    }
}

/// Why a question waits though nothing changed: an entry is flagged, or a session left it out.
pub fn flag_text<'r>(
    events: &Events,
    mut rows: impl Iterator<Item = &'r Row>,
    question: &Question,
    entry: &str,
) -> String {
    let number = events.question_number(&question.id, question.version);
    let row = rows.find(|row| events.reference(row) == entry);
    let is_answer =
        |row: &&Row| number.is_some_and(|number| events.answer_to(row, number).is_some());
    match row.filter(|row| !is_answer(row)) {
        Some(row) => format!("session {} left it out", short_sid(events.sid(row))),
        None => format!("entry {entry} is flagged"),
    }
}
