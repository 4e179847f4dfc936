//! Sessions that said the opposite of what probes found.

use serde::{Deserialize, Serialize};

use crate::{
    entry::Person,
    timeline::{Session, Timeline},
};

/// Among how many of the last sessions they are named.
const RECENT: usize = 20;

/// A session, and the questions of which it said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradicted {
    pub sid: String,
    pub by: Option<Person>,
    pub questions: Vec<String>,
}

/// The sessions among the last 20 that a probe contradicts, newest first.
pub fn contradicted(timeline: &Timeline) -> Vec<Contradicted> {
    let sessions = timeline.sessions.iter().rev().take(RECENT);
    let found = sessions.map(|session| Contradicted {
        sid: timeline.sid(session).to_owned(),
        by: timeline.events.by(timeline.last(session)),
        questions: questions(timeline, session),
    });
    found.filter(|one| !one.questions.is_empty()).collect()
}

fn questions(timeline: &Timeline, session: &Session) -> Vec<String> {
    let answers = timeline.answers(session).into_iter();
    let answers = answers.map(|answer| timeline.answer(answer));
    let contradicted = answers.filter(|answer| answer.contradicted);
    let names = contradicted.map(|answer| timeline.events.question(answer.question).0.to_owned());
    names.collect()
}
