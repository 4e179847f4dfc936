//! Sessions that report no change while HEAD moves, and runs of them: the figure of the original pattern
//! (acknowledge-without-rederive).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RECENT;
use crate::{
    entry::Person,
    store::{Events, Row},
    timeline::{Session, Timeline},
};

/// The verdict on one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub sid: String,
    pub suspicious: bool,
    pub reason: String,
    /// Time of its last entry.
    pub ts: String,
    pub agent: Option<String>,
    /// The git identity of its last entry, as in `.mailmap`.
    pub by: Option<Person>,
    /// The commit that carries its last entry.
    pub commit: String,
    /// The subject of that commit, if it can be read.
    pub subject: Option<String>,
}

/// Consecutive sessions that raise an alarm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Number of sessions.
    pub length: usize,
    /// The session ids, oldest first.
    pub sids: Vec<String>,
    /// The person and agent of each session, if known, without duplicates, in the order of their first session.
    pub who: Vec<(Option<Person>, Option<String>)>,
    /// Time of the last entry of its last session.
    pub ended: String,
}

impl Run {
    pub(super) fn of(events: &Events, length: usize, rows: &[&Row]) -> Self {
        let mut who = Vec::new();
        for row in rows {
            let one = (events.by(row), events.agent(row).map(str::to_owned));
            if !who.contains(&one) {
                who.push(one);
            }
        }
        let sids = rows.iter().map(|row| events.sid(row).to_owned());
        Self {
            length,
            sids: sids.collect(),
            who,
            ended: rows
                .last()
                .map(|row| events.ts(row).to_string())
                .unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// Number of suspicious sessions.
    pub suspicious: usize,
    pub longest_run: usize,
    /// The last sessions, oldest first.
    pub verdicts: Vec<Verdict>,
    /// Runs longer than the store allows, in the order of their ends. They fail the gate, and count only questions
    /// without declared dependencies.
    pub runs: Vec<Run>,
}

/// Finds the sessions that report no change while HEAD moves.
pub fn quiet(timeline: &Timeline) -> Quiet {
    let all = Runs::of(timeline, |_| true);
    let gate = timeline.is_judged.then(|| {
        let counts = |number| {
            let (id, version) = timeline.events.question(number);
            let question = timeline.questions.find(id, version);
            question.is_none_or(|question| !question.says_dependencies())
        };
        Runs::of(timeline, counts)
    });
    Quiet {
        suspicious: all.suspicious.iter().filter(|&&is| is).count(),
        longest_run: all.lengths.iter().copied().max().unwrap_or(0),
        verdicts: verdicts(timeline, &all.suspicious),
        runs: gate.as_ref().unwrap_or(&all).too_long(timeline),
    }
}

/// Runs of suspicious sessions; each list has one item per session.
#[derive(Default)]
struct Runs {
    suspicious: Vec<bool>,
    /// The last suspicious session of the current run.
    last: Vec<Option<usize>>,
    /// The length of the run up to here; 0 if the session is not suspicious.
    lengths: Vec<usize>,
    continued: Vec<bool>,
    /// The previous suspicious session of the run.
    before: Vec<Option<usize>>,
}

impl Runs {
    fn of(timeline: &Timeline, counts: impl Fn(u32) -> bool) -> Self {
        let counted: Vec<bool> = (0..timeline.events.question_count())
            .map(|number| counts(u32::try_from(number).unwrap_or(u32::MAX)))
            .collect();
        let mut runs = Self::default();
        for session in &timeline.sessions {
            runs.add(timeline, session, &counted);
        }
        runs
    }

    fn add(&mut self, timeline: &Timeline, session: &Session, counted: &[bool]) {
        let here = self.suspicious.len();
        let predecessor = session.predecessor.map(|place| place as usize);
        let before = predecessor.and_then(|place| self.last[place]);
        let answers = timeline.judged_answers(session).into_iter();
        let answers = answers.map(|answer| timeline.answer(answer));
        let deltas: Vec<bool> = answers
            .filter(|answer| counted[answer.question as usize])
            .map(|answer| answer.delta)
            .collect();
        let (is_silent, has_moved) = (!deltas.contains(&true), has_moved(timeline, session));
        let is_suspicious = is_silent && has_moved && !deltas.is_empty();
        // A session without an answer to these questions, or at an unmoved HEAD, neither extends nor breaks a run.
        let is_neutral = timeline.is_judged && (deltas.is_empty() || (is_silent && !has_moved));
        self.suspicious.push(is_suspicious);
        self.continued.push(false);
        self.before.push(before.filter(|_| is_suspicious));
        if !is_suspicious {
            self.lengths.push(0);
            self.last.push(before.filter(|_| is_neutral));
            return;
        }
        let length = before.map_or(0, |place| {
            self.continued[place] = true;
            self.lengths[place]
        });
        self.lengths.push(length + 1);
        self.last.push(Some(here));
    }

    fn too_long(&self, timeline: &Timeline) -> Vec<Run> {
        let max = timeline.questions.settings.quiet.max_run as usize;
        let places = 0..self.lengths.len();
        let ends = places.filter(|&place| self.lengths[place] > max && !self.continued[place]);
        ends.map(|end| self.ending(timeline, end)).collect()
    }

    fn ending(&self, timeline: &Timeline, end: usize) -> Run {
        let places = std::iter::successors(Some(end), |&place| self.before[place]);
        let mut rows: Vec<&Row> = places
            .map(|place| timeline.judged(&timeline.sessions[place]))
            .collect();
        rows.reverse();
        Run::of(&timeline.events, self.lengths[end], &rows)
    }
}

fn verdicts(timeline: &Timeline, suspicious: &[bool]) -> Vec<Verdict> {
    let first = suspicious.len().saturating_sub(RECENT);
    let sessions = timeline.sessions.iter().zip(suspicious).skip(first);
    sessions
        .map(|(session, &suspicious)| {
            let (events, last) = (&timeline.events, timeline.judged(session));
            Verdict {
                sid: events.sid(last).to_owned(),
                suspicious,
                reason: reason(timeline, session),
                ts: timeline.events.ts(last).to_string(),
                agent: events.agent(last).map(str::to_owned),
                by: events.by(last),
                commit: events.anchor(last.anchor).to_string(),
                // The timeline does not know commit messages.
                subject: None,
            }
        })
        .collect()
}

/// Returns true if HEAD moved since the session before.
fn has_moved(timeline: &Timeline, session: &Session) -> bool {
    let head = |session| timeline.events.head_number(timeline.judged(session));
    session
        .predecessor
        .is_some_and(|before| head(&timeline.sessions[before as usize]) != head(session))
}

fn reason(timeline: &Timeline, session: &Session) -> String {
    if session.predecessor.is_none() {
        return "first on its line of history: no HEAD to compare with".into();
    }
    let answers = timeline.judged_answers(session);
    if session.has_delta {
        let deltas = answers.into_iter().map(|answer| timeline.answer(answer));
        let deltas = deltas.filter(|answer| answer.delta);
        let mut changed: Vec<&str> = deltas
            .map(|answer| timeline.events.question(answer.question).0)
            .collect();
        changed.sort_unstable();
        return format!("reports deltas: {}", changed.join(", "));
    }
    if answers.is_empty() {
        return "answered nothing".into();
    }
    if !has_moved(timeline, session) {
        return "no delta, and HEAD did not move".into();
    }
    "no delta although HEAD moved".into()
}
