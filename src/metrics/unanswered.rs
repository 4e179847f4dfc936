//! Sessions that ended without one answer, and how many in a row.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Run;
use crate::{entry::Person, store::Row, timeline::Timeline};

/// Among how many of the last sessions those without an answer are named.
const RECENT: usize = 20;

/// A session that committed something, and ended or fell silent without an answer.
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

/// The lines that end a session in which something was committed, and nothing answered since it began, oldest first.
fn silent(timeline: &Timeline) -> Vec<&Row> {
    let events = &timeline.events;
    let ends: HashSet<u32> = timeline.ends.iter().copied().collect();
    let mut answered = vec![i64::MIN; events.session_count()];
    let mut silent = Vec::new();
    for (place, row) in (0..).zip(events.rows()) {
        let answered = &mut answered[row.session as usize];
        if !events.answers(row).is_empty() {
            *answered = row.millis;
        }
        let is_silent = row.worked_since.is_some_and(|since| *answered < since);
        if is_silent && ends.contains(&place) {
            silent.push(row);
        }
    }
    silent
}

/// Finds the sessions without an answer. Their place among the others is that of their end.
pub fn unanswered(timeline: &Timeline) -> Unanswered {
    let events = &timeline.events;
    // A line of nobody ends no run.
    let answers = timeline.newest_first().filter(|row| {
        let has_answers = !events.answers(row).is_empty();
        has_answers && events.worktree(row).is_some()
    });
    let silent = silent(timeline).into_iter().map(|row| (row, true));
    let mut all: Vec<(&Row, bool)> = answers.map(|row| (row, false)).chain(silent).collect();
    all.sort_by_key(|(row, is_silent)| (row.millis, *is_silent));
    all.dedup_by(|two, one| !one.1 && !two.1 && one.0.session == two.0.session);
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
