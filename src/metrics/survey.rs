//! All figures of a timeline in one value that can be kept and shown again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BadClock, Quiet, Run, Staleness, TensionConduct, quiet, staleness};
use crate::timeline::{Session, Timeline};

/// Raised whenever a survey means something else than before, so that one that was kept is not taken for a new one.
pub const SURVEY_VERSION: u32 = 6;

/// What the log says, seen from one tip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    pub tip: String,
    pub sessions: usize,
    pub entries: usize,
    pub imported: usize,
    /// Imported entries that are dated after the first entry that was made here.
    pub imported_late: usize,
    pub other_kinds: usize,
    pub elsewhere: usize,
    pub active_questions: usize,
    /// Whether any active question says what its answer depends on.
    pub has_dependencies: bool,
    pub staleness: Vec<Staleness>,
    pub suspicious: usize,
    pub longest_run: usize,
    /// Runs of more suspicious sessions than the store allows, in the order of their ends; shorter ones can't alarm.
    pub runs: Vec<Run>,
    /// The last sessions, newest first, two at most.
    pub latest: Vec<SessionInBrief>,
    pub late: Vec<LateEntry>,
    /// Sessions whose times can't be; of the whole log, which is not part of a timeline.
    pub clock: Vec<BadClock>,
    /// Sessions whose tensions have to be looked at; of the whole log.
    pub tensions: Vec<TensionConduct>,
    pub unknown: Vec<String>,
}

/// A session in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInBrief {
    pub sid: String,
    pub agent: Option<String>,
    pub ts: String,
    pub head: String,
    /// The commit that carries its last entry.
    pub anchor: String,
    pub dirty: bool,
    /// How many questions it re-derived.
    pub answered: usize,
    pub deltas: Vec<Delta>,
}

/// A difference that a session reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    pub q_id: String,
    pub q_version: u32,
    pub note: Option<String>,
}

/// An entry that was added to a session after its worktree had begun another one, and that changes what is thought
/// of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateEntry {
    pub sid: String,
    pub ts: String,
}

/// Measures a timeline; the verdicts on the single sessions come beside the survey.
pub fn survey(timeline: &Timeline) -> (Survey, Quiet) {
    let quiet = quiet(timeline);
    let newest = timeline.sessions.iter().rev().take(2);
    let survey = Survey {
        tip: timeline.tip.to_string(),
        sessions: timeline.sessions.len(),
        entries: timeline.entries.len(),
        imported: timeline.counts.imported,
        imported_late: imported_late(timeline),
        other_kinds: timeline.counts.other_kinds,
        elsewhere: timeline.counts.elsewhere,
        active_questions: timeline.questions.active().count(),
        has_dependencies: timeline.questions.has_dependencies(),
        staleness: staleness(timeline),
        suspicious: quiet.suspicious,
        longest_run: quiet.longest_run,
        runs: alarming(timeline, &quiet),
        latest: newest.map(|session| in_brief(timeline, session)).collect(),
        late: late(timeline),
        clock: Vec::new(),
        tensions: Vec::new(),
        unknown: timeline.unknown.iter().map(ToString::to_string).collect(),
    };
    (survey, quiet)
}

fn alarming(timeline: &Timeline, quiet: &Quiet) -> Vec<Run> {
    let max = timeline.questions.settings.quiet.max_run as usize;
    let runs = quiet.runs.iter().filter(|run| run.length > max);
    runs.cloned().collect()
}

fn in_brief(timeline: &Timeline, session: &Session) -> SessionInBrief {
    let last = timeline.last(session);
    let deltas = session
        .answers
        .iter()
        .map(|&answer| timeline.result(answer))
        .filter(|result| result.delta)
        .map(|result| Delta {
            q_id: result.q_id.to_string(),
            q_version: result.q_version,
            note: result.note.as_deref().map(str::to_owned),
        });
    SessionInBrief {
        sid: last.entry.sid.to_string(),
        agent: last.entry.agent.as_deref().map(str::to_owned),
        ts: last.entry.ts.to_string(),
        head: last.entry.head.to_string(),
        anchor: last.anchor.to_string(),
        dirty: last.entry.dirty,
        answered: session.answers.len(),
        deltas: deltas.collect(),
    }
}

fn imported_late(timeline: &Timeline) -> usize {
    let made_here = |imported: bool| {
        let entries = timeline.entries.iter().map(|placed| &placed.entry);
        entries.filter(move |entry| entry.imported == imported)
    };
    let first = made_here(false).map(|entry| &entry.ts).min();
    first.map_or(0, |first| made_here(true).filter(|e| &e.ts > first).count())
}

fn late(timeline: &Timeline) -> Vec<LateEntry> {
    let mut found = Vec::new();
    for session in timeline.sessions.iter().filter(|s| !s.late.is_empty()) {
        let mut changed_before = false;
        let mut head = None;
        for &number in &session.entries {
            let entry = &timeline.entries[number].entry;
            let has_delta = entry.results.iter().any(|result| result.delta);
            let new_delta = has_delta && !changed_before;
            let other_head = head.is_some_and(|head| head != &entry.head);
            if session.late.binary_search(&number).is_ok() && (new_delta || other_head) {
                found.push(LateEntry {
                    sid: entry.sid.to_string(),
                    ts: entry.ts.to_string(),
                });
            }
            changed_before |= has_delta;
            head = Some(&entry.head);
        }
    }
    found
}
