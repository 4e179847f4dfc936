//! Acknowledge-without-rederive: sessions that report no change while HEAD moves, and how many in a row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeline::{Session, Timeline};

/// What is to be thought of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub sid: String,
    pub suspicious: bool,
    pub reason: String,
}

/// Suspicious sessions in a row, each the predecessor of the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Sessions.
    pub length: usize,
    /// The session ids, oldest first.
    pub sids: Vec<String>,
    /// Time of the last entry of its last session.
    pub ended: String,
}

/// The figure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quiet {
    /// One for each session, oldest first.
    pub verdicts: Vec<Verdict>,
    pub suspicious: usize,
    pub longest_run: usize,
    /// Runs that can't be made longer, in the order of their ends.
    pub runs: Vec<Run>,
}

/// Judges every session.
pub fn quiet(timeline: &Timeline) -> Quiet {
    let mut verdicts: Vec<Verdict> = Vec::with_capacity(timeline.sessions.len());
    let mut lengths: Vec<usize> = Vec::with_capacity(timeline.sessions.len());
    let mut continued = vec![false; timeline.sessions.len()];
    for session in &timeline.sessions {
        let (suspicious, reason) = judge(timeline, session);
        let before = session.predecessor.map_or(0, |p| lengths[p]);
        if let (true, Some(predecessor)) = (suspicious, session.predecessor) {
            continued[predecessor] = true;
        }
        lengths.push(if suspicious { before + 1 } else { 0 });
        verdicts.push(Verdict {
            sid: timeline.last(session).entry.sid.to_string(),
            suspicious,
            reason,
        });
    }
    let ends = (0..verdicts.len()).filter(|&place| lengths[place] > 0 && !continued[place]);
    let runs = ends
        .map(|end| run_ending(timeline, &verdicts, end, lengths[end]))
        .collect();
    Quiet {
        suspicious: verdicts.iter().filter(|v| v.suspicious).count(),
        longest_run: lengths.iter().copied().max().unwrap_or(0),
        runs,
        verdicts,
    }
}

fn run_ending(timeline: &Timeline, verdicts: &[Verdict], end: usize, length: usize) -> Run {
    let places = std::iter::successors(Some(end), |&p| timeline.sessions[p].predecessor);
    let mut sids: Vec<String> = places
        .take(length)
        .map(|p| verdicts[p].sid.clone())
        .collect();
    sids.reverse();
    Run {
        length,
        sids,
        ended: timeline.last(&timeline.sessions[end]).entry.ts.to_string(),
    }
}

fn judge(timeline: &Timeline, session: &Session) -> (bool, String) {
    let Some(predecessor) = session.predecessor else {
        return (
            false,
            "first on its line of history: no HEAD to compare with".into(),
        );
    };
    let mut changed: Vec<&str> = session
        .answers
        .iter()
        .map(|&answer| timeline.result(answer))
        .filter(|result| result.delta)
        .map(|result| result.q_id.as_ref())
        .collect();
    if !changed.is_empty() {
        changed.sort_unstable();
        return (false, format!("reports deltas: {}", changed.join(", ")));
    }
    if session.answers.is_empty() {
        return (false, "re-derived nothing".into());
    }
    let before = &timeline.last(&timeline.sessions[predecessor]).entry;
    if before.head == timeline.last(session).entry.head {
        return (false, "no delta, and HEAD did not move".into());
    }
    match &session.exposure {
        None => (true, "no delta although HEAD moved".into()),
        Some(exposure) if !exposure.unexcused.is_empty() => (
            true,
            format!(
                "no delta although HEAD moved and changed what {} depends on",
                exposure.unexcused.join(", ")
            ),
        ),
        Some(_) => (
            false,
            "no delta, and nothing changed that its questions depend on".into(),
        ),
    }
}
