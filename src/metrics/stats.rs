//! The results and the cost of the answers: figures of the sessions since a time.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Drift, Fate, Run};
use crate::{
    entry::VerdictWord,
    question::{ClosedKind, QuestionSet, Severity},
    timeline::{Lineage, Session, SessionAnswer, Timeline, Watch},
};

/// The figures. Shares are from 0 to 1, and absent if there is nothing to divide by.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Stats {
    // The names of OpenTelemetry's semantic conventions.
    #[serde(rename = "vcs.repository.name")]
    pub repository: String,
    #[serde(rename = "vcs.ref.head.revision")]
    pub tip: String,
    pub sessions: usize,
    pub active_questions: usize,
    /// Share of a session's answers that are deltas, first answers excluded: the mean of all sessions.
    pub drift_rate: Option<f64>,
    /// Share of a session's answers whose dependencies changed since the previous answer: the mean of all sessions.
    pub exposure_rate: Option<f64>,
    pub drifts_by_probes: usize,
    pub drifts_by_judgement: usize,
    /// Number of quiet runs that raised the alarm, and the number of these that a person closed.
    pub quiet_runs: usize,
    pub quiet_runs_closed: usize,
    /// Number of drifts by outcome: open, expected, taken back, or the verdict.
    pub fates: BTreeMap<&'static str, usize>,
    /// Share of the verdicts on drifts by which the change was expected, or the question bad.
    pub false_alarms: Option<f64>,
    /// Number of calls of `git sq record` that were refused, by the sessions that ended, and of entries that a session
    /// insisted on with `--sure`.
    pub refused: u32,
    pub forced: usize,
    /// Number of open drifts of blocking questions.
    pub blocking: usize,
    /// Median time from a drift to the verdict on it.
    pub seconds_to_verdict: Option<f64>,
    /// Median number of sessions from the first answer to a question to the last one.
    pub lifespan: Option<f64>,
    /// Median time from the first to the last entry of sessions with several entries, and the number of these.
    pub seconds: Option<f64>,
    pub sessions_timed: usize,
    /// The current duration of probes.
    pub probes: Option<ProbeTimes>,
    /// The duration of the last run of each command.
    pub commands: Option<ProbeTimes>,
    /// The current length of the brief, in characters.
    pub brief: Option<usize>,
    pub unknown: Vec<String>,
}

/// The duration of probes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProbeTimes {
    pub number: usize,
    pub median_ms: f64,
    pub slowest_ms: f64,
    /// The question with the slowest probe.
    pub slowest: String,
}

/// The figures of sessions since `since`, in milliseconds since 1970. `runs` are the quiet runs that raised the alarm.
pub fn stats(timeline: &Timeline, drifts: &[Drift], runs: &[Run], since: i64) -> Stats {
    let is_recent = |drift: &&Drift| timeline.row(drift.change.now.entry).millis >= since;
    let drifts: Vec<&Drift> = drifts.iter().filter(is_recent).collect();
    // Nobody has to judge what is asked no more.
    let asked = drifts.iter().copied().filter(|drift| drift.is_asked || !drift.is_open());
    let asked: Vec<&Drift> = asked.collect();
    let sessions = recent(timeline, since);
    let probed = drifts.iter().filter(|drift| timeline.answer(drift.change.now).probed).count();
    let (quiet_runs, quiet_runs_closed) = alarms(timeline, runs, since);
    let times = times(timeline, sessions.iter().map(|(_, session)| *session));
    Stats {
        tip: timeline.tip.to_string(),
        sessions: sessions.len(),
        active_questions: timeline.questions.active().count(),
        drift_rate: rate(timeline, &sessions, |_, answer| Some(timeline.answer(answer).delta)),
        drifts_by_probes: probed,
        drifts_by_judgement: drifts.len() - probed,
        quiet_runs,
        quiet_runs_closed,
        fates: fates(&asked),
        false_alarms: false_alarms(&drifts),
        blocking: drifts
            .iter()
            .filter(|drift| drift.is_open() && drift.severity == Severity::Blocking)
            .count(),
        seconds_to_verdict: median(drifts.iter().filter_map(|drift| seconds_to_verdict(drift))),
        lifespan: median(lifespans(timeline, &sessions).into_iter()),
        sessions_timed: times.len(),
        seconds: median(times.into_iter()),
        unknown: timeline.unknown_texts(),
        ..Stats::default()
    }
}

pub fn exposure(timeline: &Timeline, lineage: &mut dyn Lineage, since: i64) -> Option<f64> {
    rate(timeline, &recent(timeline, since), |before, answer| {
        is_exposed(timeline, lineage, before, answer)
    })
}

/// Returns true if a dependency of a question changed between two answers to it; `None` if unknown.
pub(super) fn is_exposed(
    timeline: &Timeline,
    lineage: &mut dyn Lineage,
    before: SessionAnswer,
    answer: SessionAnswer,
) -> Option<bool> {
    let question = timeline.question(answer)?;
    let anchor = |answer: SessionAnswer| timeline.row(answer.entry).anchor;
    lineage.is_changed(anchor(before), anchor(answer), &Watch::of(question))
}

impl ProbeTimes {
    /// From durations by question; `None` if there are no probes.
    pub fn of(times: &[(String, Duration)]) -> Option<Self> {
        let ms = |took: &Duration| (took.as_secs_f64() * 10_000.0).round() / 10.0;
        let (slowest, most) = times.iter().max_by_key(|(_, took)| *took)?;
        Some(Self {
            number: times.len(),
            median_ms: median(times.iter().map(|(_, took)| ms(took)))?,
            slowest_ms: ms(most),
            slowest: slowest.clone(),
        })
    }
}

fn recent(timeline: &Timeline, since: i64) -> Vec<(u32, &Session)> {
    let sessions = (0..).zip(&timeline.sessions);
    sessions.filter(|(_, session)| timeline.last(session).millis >= since).collect()
}

/// The mean share of a session's answers for which `is_so` returns true; first answers and `None` are excluded.
fn rate(
    timeline: &Timeline,
    sessions: &[(u32, &Session)],
    mut is_so: impl FnMut(SessionAnswer, SessionAnswer) -> Option<bool>,
) -> Option<f64> {
    let shares = sessions.iter().filter_map(|(place, session)| {
        let told = timeline.answers(session).iter().filter_map(|&answer| {
            let before = timeline.answer_before(*place, timeline.answer(answer).question)?;
            is_so(before, answer)
        });
        mean(told.map(|is_so| f64::from(u8::from(is_so))))
    });
    mean(shares)
}

fn fates(drifts: &[&Drift]) -> BTreeMap<&'static str, usize> {
    let mut fates = BTreeMap::new();
    for drift in drifts {
        *fates.entry(drift.fate.word()).or_default() += 1;
    }
    fates
}

fn false_alarms(drifts: &[&Drift]) -> Option<f64> {
    let verdicts = drifts.iter().filter_map(|drift| match &drift.fate {
        Fate::Judged { verdict, .. } => Some(*verdict),
        _ => None,
    });
    let is_false = |verdict| matches!(verdict, VerdictWord::Expected | VerdictWord::Question);
    mean(verdicts.map(|verdict| f64::from(u8::from(is_false(verdict)))))
}

fn seconds_to_verdict(drift: &Drift) -> Option<f64> {
    let Fate::Judged { judged, .. } = &drift.fate else {
        return None;
    };
    let (from, to): (Timestamp, Timestamp) = (drift.ts.parse().ok()?, judged.parse().ok()?);
    Some(to.duration_since(from).as_secs_f64())
}

fn alarms(timeline: &Timeline, runs: &[Run], since: i64) -> (usize, usize) {
    let QuestionSet { settings, closed, .. } = &timeline.questions;
    let accepted = settings.quiet.accepted_through;
    let ended = |ended: &str| ended.parse::<Timestamp>().ok();
    let runs: Vec<(Option<Timestamp>, &Run)> = runs
        .iter()
        .map(|run| (ended(&run.ended), run))
        .filter(|(end, _)| end.is_none_or(|end| end.as_millisecond() >= since))
        .collect();
    let closed = runs.iter().filter(|(end, run)| {
        end.is_some_and(|end| Some(end) <= accepted) || closed.has(ClosedKind::Run, &run.entry)
    });
    (runs.len(), closed.count())
}

fn lifespans(timeline: &Timeline, sessions: &[(u32, &Session)]) -> Vec<f64> {
    let mut spans: HashMap<u32, (u32, u32)> = HashMap::new();
    for (place, session) in sessions {
        for answer in timeline.answers(session) {
            let question = timeline.answer(*answer).question;
            spans.entry(question).or_insert((*place, *place)).1 = *place;
        }
    }
    spans.into_values().map(|(first, last)| f64::from(last - first + 1)).collect()
}

/// From the first to the last entry, in seconds; sessions with one entry are left out.
pub(super) fn times<'s>(
    timeline: &Timeline,
    sessions: impl Iterator<Item = &'s Session>,
) -> Vec<f64> {
    let several = sessions.filter(|session| session.first != session.last);
    let length = |session: &Session| {
        let millis = timeline.row(session.last).millis - timeline.row(session.first).millis;
        Duration::from_millis(millis.unsigned_abs()).as_secs_f64()
    };
    several.map(length).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, number) = values.fold((0.0, 0.0), |(sum, number), value| (sum + value, number + 1.0));
    (number > 0.0).then(|| sum / number)
}

/// The middle value; the lower of the two in the middle if their number is even.
pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
