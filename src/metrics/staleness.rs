//! Staleness: how many sessions went by since a question was last re-derived.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Looks, RECENT};
use crate::{entry::Person, question::Question, timeline::Timeline};

/// What a session did about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It re-derived the answer, and found the same one.
    Same,
    /// It found a delta.
    Delta,
    /// A rule flags its answer.
    Flagged,
    /// It left the question out.
    None,
}

/// A question's staleness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Staleness {
    pub q_id: String,
    /// The version that is active.
    pub q_version: u32,
    pub importance: u8,
    /// Sessions in which it was due, strictly after the last one that re-derived it; all that were asked where none did.
    pub staleness: usize,
    /// The same, whether it was due or not.
    pub since: usize,
    /// The session that last re-derived it.
    pub last_sid: Option<String>,
    pub last_agent: Option<String>,
    /// Whose git identity that answer was written under, as `.mailmap` has it.
    pub last_by: Option<Person>,
    /// When that entry was made.
    pub last_rederived_ts: Option<String>,
    /// The commit that carries that answer.
    pub last_commit: Option<String>,
    /// Whether that answer cites what it rests on.
    pub last_cited: bool,
    /// What the last 20 sessions did about it, oldest first.
    pub recent: Vec<Mark>,
    /// The most sessions that it may stay without being re-derived.
    pub limit: u32,
    /// Whether the staleness is greater than the limit.
    pub flagged: bool,
}

/// The staleness of every active question, in the store's order.
pub fn staleness(timeline: &Timeline, looks: &Looks) -> Vec<Staleness> {
    let questions = timeline.questions.active();
    let rows = questions.map(|question| of(timeline, looks, question));
    rows.collect()
}

fn of(timeline: &Timeline, looks: &Looks, question: &Question) -> Staleness {
    let events = &timeline.events;
    let number = events.question_number(&question.id, question.version);
    let last = timeline.last_derivation(question);
    let last = last.map(|(place, row)| (place, &timeline.sessions[place], row));
    let limit = question
        .max_staleness
        .unwrap_or(timeline.questions.settings.staleness.max);
    let after = last.map_or(0, |(place, ..)| place + 1);
    let later = timeline.sessions[after..].iter();
    let since = later
        .filter(|session| timeline.was_asked(session, question))
        .count();
    let staleness = timeline.missed(question);
    Staleness {
        q_id: question.id.clone(),
        q_version: question.version,
        importance: question.importance.0,
        staleness,
        since,
        last_sid: last.map(|(_, session, _)| timeline.sid(session).to_owned()),
        last_agent: last
            .and_then(|(_, _, row)| events.agent(row))
            .map(str::to_owned),
        last_by: last.and_then(|(_, _, row)| events.by(row)),
        last_commit: last.map(|(_, _, row)| events.anchor(row.anchor).to_string()),
        last_cited: last.is_some_and(|(_, _, row)| {
            let mut answers = events.answers(row).iter();
            answers.any(|answer| Some(answer.question) == number && answer.cited)
        }),
        last_rederived_ts: last.map(|(_, _, row)| events.ts(row).to_string()),
        recent: recent(timeline, looks, number),
        limit,
        flagged: staleness > limit as usize,
    }
}

fn recent(timeline: &Timeline, looks: &Looks, question: Option<u32>) -> Vec<Mark> {
    let first = timeline.sessions.len().saturating_sub(RECENT);
    let mark = |place| question.map_or(Mark::None, |number| mark(timeline, looks, place, number));
    (first..timeline.sessions.len()).map(mark).collect()
}

fn mark(timeline: &Timeline, looks: &Looks, session: usize, question: u32) -> Mark {
    let answers = timeline.answers(&timeline.sessions[session]).into_iter();
    let mut answers = answers.map(|answer| timeline.answer(answer));
    let answer = answers.find(|answer| answer.question == question);
    match answer {
        None => Mark::None,
        Some(_) if looks.is_flagged(session, question) => Mark::Flagged,
        Some(answer) if answer.delta => Mark::Delta,
        Some(_) => Mark::Same,
    }
}
