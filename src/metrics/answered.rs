//! The answers of all sessions: their number, their deltas by origin, and the time that sessions took.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::stats::{median, times};
use crate::timeline::Timeline;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// A session's last answer to a version of a question counts, and no earlier one.
    pub answers: usize,
    pub deltas_by_probes: usize,
    pub deltas_by_judgement: usize,
    /// Median time from the first to the last entry of sessions with several entries.
    pub session_seconds: Option<u64>,
}

pub fn answered(timeline: &Timeline) -> Answered {
    let answers = timeline.sessions.iter().flat_map(|session| timeline.answers(session));
    let mut found = Answered::default();
    for answer in answers.map(|answer| timeline.answer(*answer)) {
        found.answers += 1;
        found.deltas_by_probes += usize::from(answer.delta && answer.probed);
        found.deltas_by_judgement += usize::from(answer.delta && !answer.probed);
    }
    let seconds = median(times(timeline, timeline.sessions.iter()).into_iter());
    found.session_seconds = seconds.map(|seconds| Duration::from_secs_f64(seconds).as_secs());
    found
}
