//! Sessions that ended without one answer, and how many in a row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Run;
use crate::{entry::Person, store::Row, timeline::Timeline};

/// Among how many of the last sessions those without an answer are named.
const RECENT: usize = 20;

/// A session that ended, or fell silent, without an answer, although HEAD had moved since the session before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnansweredSession {
    pub sid: String,
    pub agent: Option<String>,
    /// Whose git identity its end was written under, as `.mailmap` has it.
    pub by: Option<Person>,
    pub ended: String,
}

/// The figure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// Those among the last 20 sessions, oldest first.
    pub sessions: Vec<UnansweredSession>,
    /// Runs that are longer than the store allows, oldest first.
    pub runs: Vec<Run>,
    /// How many of them came after the last session that answered something.
    pub current_run: usize,
}

/// The last lines of all sessions, oldest first, and whether the session ended without an answer.
fn lasts(timeline: &Timeline) -> Vec<(&Row, bool)> {
    let events = &timeline.events;
    let mut answered = vec![false; events.session_count()];
    for row in events
        .rows()
        .iter()
        .filter(|row| !events.answers(row).is_empty())
    {
        answered[row.session as usize] = true;
    }
    let ends = timeline
        .ends
        .iter()
        .map(|&place| &events.rows()[place as usize]);
    let ends = ends.filter(|row| !answered[row.session as usize]);
    // One that was resumed ends more than once.
    let ends: BTreeMap<u32, &Row> = ends.map(|row| (row.session, row)).collect();
    let silent = ends.into_values().map(|row| (row, true));
    let lasts = timeline
        .sessions
        .iter()
        .map(|session| timeline.last(session));
    let mut all: Vec<(&Row, bool)> = lasts.map(|row| (row, false)).chain(silent).collect();
    all.sort_by_key(|(row, _)| row.millis);
    all
}

/// Whether a session that ends at the tip owes an answer: HEAD has moved since the session before it, if there is one.
pub fn owes_answer(timeline: &Timeline, is_own: impl Fn(&Row) -> bool) -> bool {
    let lasts = lasts(timeline);
    let before = lasts.iter().rfind(|(row, _)| !is_own(row));
    before.is_none_or(|(row, _)| timeline.events.head(row) != timeline.tip.to_string())
}

/// Finds the sessions without an answer. Their place among the others is that of their last line.
pub fn unanswered(timeline: &Timeline) -> Unanswered {
    let events = &timeline.events;
    let mut all = lasts(timeline);
    // Where HEAD had not moved since the session before, there was nothing to answer.
    let mut before = None;
    all.retain(|(row, is_silent)| {
        let head = Some(events.head_number(row));
        let is_unmoved = std::mem::replace(&mut before, head) == head;
        !(*is_silent && is_unmoved)
    });
    let max = timeline.questions.settings.unanswered.max_run as usize;
    let runs = all.chunk_by(|one, two| one.1 == two.1);
    let runs = runs.filter(|run| run[0].1 && run.len() > max).map(|run| {
        let rows: Vec<&Row> = run.iter().map(|(row, _)| *row).collect();
        Run::of(events, rows.len(), &rows)
    });
    let recent = all[all.len().saturating_sub(RECENT)..].iter();
    let recent = recent.filter(|(_, is_silent)| *is_silent);
    Unanswered {
        sessions: recent
            .map(|(row, _)| UnansweredSession {
                sid: events.sid(row).to_owned(),
                agent: events.agent(row).map(str::to_owned),
                by: events.by(row),
                ended: events.ts(row).to_string(),
            })
            .collect(),
        runs: runs.collect(),
        current_run: all
            .iter()
            .rev()
            .take_while(|(_, is_silent)| *is_silent)
            .count(),
    }
}
