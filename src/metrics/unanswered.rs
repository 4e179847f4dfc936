//! Sessions that ended without an answer, and runs of them.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::{
    entry::{Person, Ts},
    question::ClosedKind,
    store::Row,
    timeline::Timeline,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnansweredSession {
    pub sid: String,
    pub agent: Option<String>,
    pub by: Option<Person>,
    pub ended: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// Those since the last session with an answer, oldest first.
    pub sessions: Vec<UnansweredSession>,
    /// Runs longer than the store allows, oldest first.
    pub runs: Vec<Run>,
}

fn silent(timeline: &Timeline) -> Vec<&Row> {
    let events = &timeline.events;
    let ends: HashSet<u32> = timeline.ends.iter().copied().collect();
    let mut answered = vec![i64::MIN; events.session_count()];
    let mut silent = Vec::new();
    for (place, row) in (0..).zip(events.rows()) {
        let answered = &mut answered[row.session as usize];
        if timeline.has_answers(row) {
            *answered = row.millis;
        }
        let is_silent = row.worked.is_some_and(|(since, _)| *answered < since);
        if is_silent && ends.contains(&place) {
            silent.push(row);
        }
    }
    silent
}

/// Finds the sessions without an answer, ordered by their ends: those of a session that was left are told later.
pub fn unanswered(timeline: &Timeline) -> Unanswered {
    let events = &timeline.events;
    // An unsigned line ends no run.
    let answers = timeline
        .newest_first()
        .filter(|row| timeline.has_answers(row) && events.worktree(row).is_some());
    let silent = silent(timeline).into_iter().map(|row| (row, true));
    let mut all: Vec<(&Row, bool)> = answers.map(|row| (row, false)).chain(silent).collect();
    let ended = |row: &Row| row.worked.map_or(row.millis, |(_, until)| until);
    all.sort_by_key(|(row, is_silent)| (ended(row), *is_silent));
    all.dedup_by(|two, one| !one.1 && !two.1 && one.0.session == two.0.session);
    let max = timeline.questions.settings.unanswered.max_run as usize;
    // A run that a person closed is over.
    let is_over =
        |row: &Row| timeline.questions.closed.has(ClosedKind::Run, &events.reference(row));
    let runs = all.chunk_by(|one, two| one.1 == two.1 && !(one.1 && is_over(one.0)));
    let runs = runs.filter(|run| run[0].1 && run.len() > max).map(|run| {
        let rows: Vec<&Row> = run.iter().map(|(row, _)| *row).collect();
        Run::of(events, &rows)
    });
    let answered = all.iter().rposition(|(_, is_silent)| !is_silent).map_or(0, |last| last + 1);
    Unanswered {
        sessions: all[answered..]
            .iter()
            .map(|(row, _)| UnansweredSession {
                sid: events.sid(row).to_owned(),
                agent: events.agent(row).map(str::to_owned),
                by: events.by(row),
                ended: Timestamp::from_millisecond(ended(row))
                    .map_or_else(|_| events.ts(row), Ts::from)
                    .to_string(),
            })
            .collect(),
        runs: runs.collect(),
    }
}
