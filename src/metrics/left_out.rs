//! Sessions that answered something, and left out what every session has to answer.

use serde::{Deserialize, Serialize};

use super::Named;
use crate::{
    question::{Question, Trigger},
    timeline::{JUDGED, Timeline},
};

/// The importance of questions that every session has to answer.
const EVERY_SESSION: u8 = 3;

/// A session, and what it left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub sid: String,
    /// The ids of questions that the store it answered had active.
    pub questions: Vec<String>,
}

/// The sessions among the last 20 that left something out, newest first; `named` says so of some already, and why.
pub fn left_out(timeline: &Timeline, named: &[Named]) -> Vec<LeftOut> {
    let sessions = timeline.sessions.iter().rev().take(JUDGED);
    let found = sessions.map(|session| {
        let sid = timeline.sid(session);
        let is_named = |question: &Question| {
            let name = question.name().to_string();
            let mut named = named.iter();
            named.any(|one| one.entry.is_empty() && one.sid == sid && one.question == name)
        };
        let is_missing = |question: &&Question| {
            question.importance.0 == EVERY_SESSION
                && question.trigger == Trigger::EverySession
                && !is_named(question)
        };
        let missing = timeline.left_out(session).into_iter().filter(is_missing);
        LeftOut {
            sid: sid.to_owned(),
            questions: missing.map(|question| question.id.clone()).collect(),
        }
    });
    found.filter(|one| !one.questions.is_empty()).collect()
}
