//! Staleness: how many sessions went by since a question was last re-derived.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{question::Question, timeline::Timeline};

/// A question's staleness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Staleness {
    pub q_id: String,
    /// The version that is active.
    pub q_version: u32,
    pub importance: u8,
    /// Sessions strictly after the last one that re-derived it; all of them where none did.
    pub staleness: usize,
    /// The session that last re-derived it.
    pub last_sid: Option<String>,
    pub last_rederived_ts: Option<String>,
    /// The commit that carries that answer.
    pub last_commit: Option<String>,
    /// The most sessions that it may stay without being re-derived.
    pub limit: u32,
    /// Whether the staleness is greater than the limit.
    pub flagged: bool,
}

/// The staleness of every active question, in the store's order.
pub fn staleness(timeline: &Timeline) -> Vec<Staleness> {
    let questions = timeline.questions.active();
    questions.map(|question| of(timeline, question)).collect()
}

fn of(timeline: &Timeline, question: &Question) -> Staleness {
    let sessions = &timeline.sessions;
    let last = sessions
        .iter()
        .enumerate()
        .rev()
        .find_map(|(place, session)| {
            let mut answers = session.answers.iter();
            let answer = answers.find(|&&answer| {
                let result = timeline.result(answer);
                result.q_id == question.id && result.q_version == question.version
            });
            answer.map(|&answer| (place, session, answer))
        });
    let limit = question
        .max_staleness
        .unwrap_or(timeline.questions.settings.staleness.max);
    let staleness = last
        .as_ref()
        .map_or(sessions.len(), |(place, ..)| sessions.len() - 1 - place);
    Staleness {
        q_id: question.id.clone(),
        q_version: question.version,
        importance: question.importance.0,
        staleness,
        last_sid: last
            .as_ref()
            .map(|(_, session, _)| timeline.last(session).entry.sid.to_string()),
        last_commit: last
            .as_ref()
            .map(|(_, _, answer)| timeline.entries[answer.entry].anchor.to_string()),
        last_rederived_ts: last.map(|(_, session, answer)| {
            let own = timeline.result(answer).last_rederived_ts.as_deref();
            let entry = timeline.last(session).entry.ts.as_str();
            own.unwrap_or(entry).to_owned()
        }),
        limit,
        flagged: staleness > limit as usize,
    }
}
