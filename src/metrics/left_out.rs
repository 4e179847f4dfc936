//! Sessions that answered something, and left out what every session has to answer.

use serde::{Deserialize, Serialize};

use crate::{
    question::{Question, Trigger},
    timeline::{Session, Timeline},
};

/// The importance of questions that every session has to answer.
const EVERY_SESSION: u8 = 3;

/// Among how many of the last sessions they are named.
const RECENT: usize = 20;

/// A session, and what it left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub sid: String,
    /// The ids of questions that the store it answered had active.
    pub questions: Vec<String>,
}

/// The sessions among the last 20 that left something out, newest first.
pub fn left_out(timeline: &Timeline) -> Vec<LeftOut> {
    let sessions = timeline.sessions.iter().rev().take(RECENT);
    let found = sessions.map(|session| LeftOut {
        sid: timeline.sid(session).to_owned(),
        questions: missing(timeline, session),
    });
    found.filter(|one| !one.questions.is_empty()).collect()
}

fn missing(timeline: &Timeline, session: &Session) -> Vec<String> {
    let answers = timeline.answers(session).into_iter();
    // Of whatever version: a branch may ask in other words than its base.
    let answered: Vec<&str> = answers
        .map(|answer| timeline.events.question(timeline.answer(answer).question).0)
        .collect();
    if answered.is_empty() {
        return Vec::new();
    }
    let is_missing = |question: &&Question| {
        question.importance.0 == EVERY_SESSION
            && question.trigger == Trigger::EverySession
            && timeline.is_known_to_be_asked(session, question)
            && !answered.contains(&question.id.as_str())
    };
    let missing = timeline.questions.active().filter(is_missing);
    missing.map(|question| question.id.clone()).collect()
}
