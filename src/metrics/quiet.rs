//! Acknowledge-without-rederive: sessions that report no change while HEAD moves, and how many in a row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    entry::Person,
    store::Row,
    timeline::{Session, Timeline},
};

/// How many of the last sessions are reported with a verdict.
const VERDICTS: usize = 20;

/// The verdict on one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub sid: String,
    pub suspicious: bool,
    pub reason: String,
}

/// Suspicious sessions in a row, each the predecessor of the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Sessions.
    pub length: usize,
    /// The session ids, oldest first.
    pub sids: Vec<String>,
    /// Who answered, each once, in the order of their first session: person and agent, as far as they are known.
    pub who: Vec<(Option<Person>, Option<String>)>,
    /// Time of the last entry of its last session.
    pub ended: String,
}

/// The figure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// How many sessions are suspicious.
    pub suspicious: usize,
    pub longest_run: usize,
    /// Of the last sessions, oldest first.
    pub verdicts: Vec<Verdict>,
    /// Runs that are longer than the store allows, in the order of their ends; shorter ones can't alarm.
    pub runs: Vec<Run>,
}

/// Judges every session.
pub fn quiet(timeline: &Timeline) -> Quiet {
    let sessions = &timeline.sessions;
    let mut lengths: Vec<usize> = Vec::with_capacity(sessions.len());
    let mut continued = vec![false; sessions.len()];
    for session in sessions {
        let predecessor = session.predecessor.map(|place| place as usize);
        lengths.push(if is_suspicious(timeline, session) {
            predecessor.map_or(0, |before| lengths[before]) + 1
        } else {
            0
        });
        if let (Some(1..), Some(before)) = (lengths.last(), predecessor) {
            continued[before] = true;
        }
    }
    let max = timeline.questions.settings.quiet.max_run as usize;
    let ends = (0..sessions.len()).filter(|&place| lengths[place] > max && !continued[place]);
    Quiet {
        runs: ends
            .map(|end| run_ending(timeline, end, lengths[end]))
            .collect(),
        longest_run: lengths.iter().copied().max().unwrap_or(0),
        suspicious: lengths.iter().filter(|&&length| length > 0).count(),
        verdicts: verdicts(timeline, &lengths),
    }
}

fn verdicts(timeline: &Timeline, lengths: &[usize]) -> Vec<Verdict> {
    let first = lengths.len().saturating_sub(VERDICTS);
    let sessions = timeline.sessions.iter().zip(lengths).skip(first);
    sessions
        .map(|(session, &length)| Verdict {
            sid: timeline.sid(session).to_owned(),
            suspicious: length > 0,
            reason: reason(timeline, session),
        })
        .collect()
}

fn run_ending(timeline: &Timeline, end: usize, length: usize) -> Run {
    let before = |&place: &usize| timeline.sessions[place].predecessor.map(|p| p as usize);
    let places = std::iter::successors(Some(end), before);
    let mut rows: Vec<&Row> = places
        .take(length)
        .map(|place| timeline.last(&timeline.sessions[place]))
        .collect();
    rows.reverse();
    let events = &timeline.events;
    let mut who = Vec::new();
    for row in &rows {
        let one = (events.by(row), events.agent(row).map(str::to_owned));
        if !who.contains(&one) {
            who.push(one);
        }
    }
    let sids = rows.iter().map(|row| events.sid(row).to_owned());
    Run {
        length,
        sids: sids.collect(),
        who,
        ended: timeline.ts(&timeline.sessions[end]).to_string(),
    }
}

fn is_suspicious(timeline: &Timeline, session: &Session) -> bool {
    let is_exposed = session
        .exposure
        .as_ref()
        .is_none_or(|exposure| !exposure.unexcused.is_empty());
    !session.has_delta
        && is_exposed
        && has_moved(timeline, session)
        && has_answers(timeline, session)
}

/// Whether HEAD moved since the session before.
fn has_moved(timeline: &Timeline, session: &Session) -> bool {
    let head = |session| timeline.events.head_number(timeline.last(session));
    session
        .predecessor
        .is_some_and(|before| head(&timeline.sessions[before as usize]) != head(session))
}

fn has_answers(timeline: &Timeline, session: &Session) -> bool {
    let mut entries = timeline.entries_of(session);
    entries.any(|entry| !timeline.events.answers(timeline.row(entry)).is_empty())
}

fn reason(timeline: &Timeline, session: &Session) -> String {
    if session.predecessor.is_none() {
        return "first on its line of history: no HEAD to compare with".into();
    }
    if session.has_delta {
        let answers = timeline.answers(session).into_iter();
        let deltas = answers.map(|answer| timeline.answer(answer));
        let deltas = deltas.filter(|answer| answer.delta);
        let mut changed: Vec<&str> = deltas
            .map(|answer| timeline.events.question(answer.question).0)
            .collect();
        changed.sort_unstable();
        return format!("reports deltas: {}", changed.join(", "));
    }
    if !has_answers(timeline, session) {
        return "re-derived nothing".into();
    }
    if !has_moved(timeline, session) {
        return "no delta, and HEAD did not move".into();
    }
    match &session.exposure {
        None => "no delta although HEAD moved".into(),
        Some(exposure) if !exposure.unexcused.is_empty() => {
            let questions = exposure.unexcused.iter();
            let names = questions.map(|&question| timeline.events.question(question).0);
            let names: Vec<&str> = names.collect();
            format!(
                "no delta although HEAD moved and changed what {} depends on",
                names.join(", ")
            )
        }
        Some(_) => "no delta, and nothing changed that its questions depend on".into(),
    }
}
