//! Staleness: how many sessions went by since a question was last re-derived.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{entry::Person, question::Question, timeline::Timeline};

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
    pub last_agent: Option<String>,
    /// Whose git identity that answer was written under, as `.mailmap` has it.
    pub last_by: Option<Person>,
    /// When that entry was made.
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
    let events = &timeline.events;
    let sessions = &timeline.sessions;
    let number = events.question_number(&question.id, question.version);
    let last = number.and_then(|number| {
        let mut latest = sessions.iter().enumerate().rev();
        latest.find_map(|(place, session)| {
            let entries = timeline.entries_of(session);
            let rows = entries.map(|entry| timeline.row(entry));
            let answers = rows.filter(|row| {
                let mut answers = events.answers(row).iter();
                answers.any(|answer| answer.question == number)
            });
            Some((place, session, answers.last()?))
        })
    });
    let limit = question
        .max_staleness
        .unwrap_or(timeline.questions.settings.staleness.max);
    let staleness = last.map_or(sessions.len(), |(place, ..): (usize, _, _)| {
        sessions.len() - 1 - place
    });
    Staleness {
        q_id: question.id.clone(),
        q_version: question.version,
        importance: question.importance.0,
        staleness,
        last_sid: last.map(|(_, session, _)| timeline.sid(session).to_owned()),
        last_agent: last
            .and_then(|(_, _, row)| events.agent(row))
            .map(str::to_owned),
        last_by: last.and_then(|(_, _, row)| events.by(row)),
        last_commit: last.map(|(_, _, row)| events.anchor(row.anchor).to_string()),
        last_rederived_ts: last.map(|(_, _, row)| row.ts().to_string()),
        limit,
        flagged: staleness > limit as usize,
    }
}
