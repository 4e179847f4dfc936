//! Staleness: the number of sessions since a question was last answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KEPT, Looks};
use crate::{
    entry::Person,
    question::{self, Question},
    timeline::Timeline,
};

/// The result of a session for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It found the same answer.
    Same,
    /// It found a delta.
    Delta,
    /// A rule flags its answer.
    Flagged,
    /// Another session disagrees with its answer.
    Disputed,
    /// It left the question out.
    None,
    /// It was not asked the question, or in other words.
    Unasked,
}

/// A question's staleness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Staleness {
    pub q_id: String,
    /// The active version.
    pub q_version: u32,
    pub importance: u8,
    /// Number of sessions since the last answer in which it was due; all that were asked if there is no answer.
    pub staleness: usize,
    /// Number of sessions since the last answer, due or not.
    pub since: usize,
    /// The session of the last answer.
    pub last_sid: Option<String>,
    pub last_agent: Option<String>,
    /// The git identity of the last answer, as in `.mailmap`.
    pub last_by: Option<Person>,
    /// Time of the last answer.
    pub last_rederived_ts: Option<String>,
    /// The commit that carries the last answer.
    pub last_commit: Option<String>,
    /// True if the last answer has citations.
    pub last_cited: bool,
    /// The results of the last sessions, oldest first.
    pub recent: Vec<Mark>,
    /// The most sessions that it may stay without an answer.
    pub limit: u32,
    /// True if the staleness is greater than the limit.
    pub flagged: bool,
}

impl Staleness {
    /// The question, with its version unless that is 1.
    pub fn name(&self) -> String {
        question::name(&self.q_id, self.q_version)
    }
}

/// The staleness of every active question that sessions owe, in the store's order.
pub fn staleness(timeline: &Timeline, looks: &Looks) -> Vec<Staleness> {
    let owed = timeline.questions.active().filter(|question| timeline.is_owed(question));
    owed.map(|question| of(timeline, looks, question)).collect()
}

fn of(timeline: &Timeline, looks: &Looks, question: &Question) -> Staleness {
    let events = &timeline.events;
    let number = timeline.number(question);
    let last = timeline.last_derivation(question);
    let row = last.map(|(_, row)| row);
    let limit = question.max_staleness.unwrap_or(timeline.questions.settings.staleness.max);
    let after = last.map_or(0, |(sessions, _)| sessions);
    let later = timeline.sessions[after..].iter();
    let since = later.filter(|session| timeline.was_asked(session, question)).count();
    let staleness = timeline.missed(question);
    let answer = row.zip(number).and_then(|(row, number)| events.answer_to(row, number));
    Staleness {
        q_id: question.id.clone(),
        q_version: question.version,
        importance: question.importance.0,
        staleness,
        since,
        last_sid: row.map(|row| events.sid(row).to_owned()),
        last_agent: row.and_then(|row| events.agent(row)).map(str::to_owned),
        last_by: row.and_then(|row| events.by(row)),
        last_commit: row.map(|row| events.anchor(row.anchor).to_string()),
        last_cited: answer.is_some_and(|(_, answer)| answer.cited),
        last_rederived_ts: row.map(|row| events.ts(row).to_string()),
        recent: recent(timeline, looks, question),
        limit,
        flagged: staleness > limit as usize,
    }
}

fn recent(timeline: &Timeline, looks: &Looks, question: &Question) -> Vec<Mark> {
    let first = timeline.sessions.len().saturating_sub(KEPT);
    let number = timeline.number(question);
    let marks = (first..).zip(&timeline.sessions[first..]).map(|(place, session)| {
        let mut answers = timeline.answers(session).iter().map(|one| timeline.answer(*one));
        match answers.find(|answer| Some(answer.question) == number) {
            None if timeline.was_asked(session, question) => Mark::None,
            None => Mark::Unasked,
            Some(answer) if looks.is_flagged(place, answer.question) => Mark::Flagged,
            Some(answer) if looks.is_disputed(place, answer.question) => Mark::Disputed,
            Some(answer) if answer.delta => Mark::Delta,
            Some(_) => Mark::Same,
        }
    });
    marks.collect()
}
