//! What the last sessions said, and what was said before them about the same questions.

use std::collections::{HashMap, HashSet};

use super::{Lineage, Session, SessionAnswer, Timeline};
use crate::question::{Question, Trigger};

/// How many of the last sessions are judged by what they said.
pub const JUDGED: usize = 20;

/// How much younger than an entry another clone's may be and still not have been known there, in milliseconds.
const UNDERWAY: i64 = 60 * 60 * 1000;

/// The most earlier answers that one is held against.
const MOST: usize = 8;

/// A question that one of the last sessions answered, or left out.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The session's place.
    pub session: usize,
    /// The question's place in the store.
    pub question: usize,
    /// None where the session answered others, and not this one.
    pub answer: Option<SessionAnswer>,
    /// The commit that carries it; that of the session's last entry where it was left out.
    pub anchor: u32,
    /// Answers to the same version of the question by earlier sessions, the nearest first. The last of them was known to
    /// the session; the others another clone made shortly before.
    pub before: Vec<SessionAnswer>,
}

/// The answers of sessions by question, found as far back as they are asked for.
struct Derivations {
    /// The sessions from this place on were looked at.
    from: usize,
    /// By the question's number, the newest first, each with its session's place.
    of: HashMap<u32, Vec<(usize, SessionAnswer)>>,
}

impl Timeline {
    /// The active questions that a session is known to have been asked and left out, though it answered others; of those
    /// that are not due by time. In whatever version it answered one: a branch may ask in other words than its base.
    pub fn left_out(&self, session: &Session) -> Vec<&Question> {
        let answers = self.answers(session).into_iter();
        let answered: Vec<&str> = answers
            .map(|answer| self.events.question(self.answer(answer).question).0)
            .collect();
        let is_left_out = |question: &&Question| {
            matches!(question.trigger, Trigger::EverySession | Trigger::OnChange)
                && self.is_known_to_be_asked(session, question)
                && !answered.contains(&question.id.as_str())
        };
        let active = self.questions.active().filter(|_| !answered.is_empty());
        active.filter(is_left_out).collect()
    }

    /// What the last sessions said, oldest first.
    pub(super) fn find_claims(&self, lineage: &mut dyn Lineage) -> Vec<Claimed> {
        let first = self.sessions.len().saturating_sub(JUDGED);
        let mut derivations = Derivations {
            from: self.sessions.len(),
            of: HashMap::new(),
        };
        let mut claims = Vec::new();
        let mut answered_at = HashSet::new();
        for (place, session) in self.sessions.iter().enumerate().skip(first) {
            for answer in self.judged_answers(session) {
                let number = self.answer(answer).question;
                let anchor = self.row(answer.entry).anchor;
                answered_at.insert((anchor, number));
                let (id, version) = self.events.question(number);
                let mut questions = self.questions.questions.iter();
                let asked = questions.position(|one| one.id == id && one.version == version);
                let Some(question) = asked else { continue };
                claims.push(Claimed {
                    session: place,
                    question,
                    answer: Some(answer),
                    anchor,
                    before: derivations.before(self, lineage, place, number, answer.entry),
                });
            }
        }
        for (place, session) in self.sessions.iter().enumerate().skip(first) {
            let anchor = self.judged(session).anchor;
            for question in self.left_out(session) {
                let number = self.events.question_number(&question.id, question.version);
                let Some(number) =
                    number.filter(|&number| !answered_at.contains(&(anchor, number)))
                else {
                    continue;
                };
                let mut questions = self.questions.questions.iter();
                let is_it = |one: &Question| std::ptr::eq(one, question);
                claims.push(Claimed {
                    session: place,
                    question: questions.position(is_it).unwrap_or_default(),
                    answer: None,
                    anchor,
                    before: derivations.before(self, lineage, place, number, session.judged),
                });
            }
        }
        claims.sort_by_key(|claim| claim.session);
        claims
    }
}

impl Derivations {
    /// What earlier sessions in line with an entry answered to a question, back to what was known to its session.
    fn before(
        &mut self,
        timeline: &Timeline,
        lineage: &mut dyn Lineage,
        place: usize,
        question: u32,
        entry: u32,
    ) -> Vec<SessionAnswer> {
        let (events, row) = (&timeline.events, timeline.row(entry));
        let mut found = Vec::new();
        let mut next = 0;
        while let Some((session, answer)) = self.get(timeline, question, next) {
            next += 1;
            let other = timeline.row(answer.entry);
            if session >= place || !lineage.are_in_line(other.anchor, row.anchor) {
                continue;
            }
            found.push(answer);
            let is_own = events.writer(other) == events.writer(row);
            if is_own || row.millis - other.millis >= UNDERWAY || found.len() == MOST {
                break;
            }
        }
        found
    }

    fn get(
        &mut self,
        timeline: &Timeline,
        question: u32,
        number: usize,
    ) -> Option<(usize, SessionAnswer)> {
        loop {
            let known = self.of.get(&question).and_then(|all| all.get(number));
            if known.is_some() || self.from == 0 {
                return known.copied();
            }
            self.from -= 1;
            let session = &timeline.sessions[self.from];
            // What nobody says to have written is no measure for others.
            if session.is_foreign {
                continue;
            }
            for answer in timeline.judged_answers(session) {
                let question = timeline.answer(answer).question;
                self.of
                    .entry(question)
                    .or_default()
                    .push((self.from, answer));
            }
        }
    }
}
