//! Sessions that report no change while HEAD moves, and runs of them: the figure of the original pattern
//! (acknowledge-without-rederive).

use std::{collections::HashSet, iter::successors};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KEPT;
use crate::{
    entry::Person,
    question::ClosedKind,
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
    pub length: usize,
    pub sids: Vec<String>,
    /// The person and agent of each session, if known, without duplicates, in the order of their first session.
    pub who: Vec<(Option<Person>, Option<String>)>,
    /// Time of the last entry of its last session.
    pub ended: String,
    /// That entry: what a person closes.
    pub entry: String,
}

impl Run {
    pub(super) fn of(events: &Events, rows: &[&Row]) -> Self {
        let mut who = Vec::new();
        for row in rows {
            let one = (events.by(row), events.agent(row).map(str::to_owned));
            if !who.contains(&one) {
                who.push(one);
            }
        }
        let sids = rows.iter().map(|row| events.sid(row).to_owned());
        Self {
            length: rows.len(),
            sids: sids.collect(),
            who,
            ended: rows.last().map(|row| events.ts(row).to_string()).unwrap_or_default(),
            entry: rows.last().map(|row| events.reference(row)).unwrap_or_default(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    pub suspicious: usize,
    pub longest_run: usize,
    /// The last sessions, oldest first.
    pub verdicts: Vec<Verdict>,
    /// Runs longer than the store allows, in the order of their ends. They fail the gate, and count only questions
    /// without declared dependencies.
    pub runs: Vec<Run>,
    /// The questions that these runs count, where others declare what they depend on.
    pub counted: Vec<String>,
    /// The run that the last session belongs to, if it is longer than the store allows and each of its sessions said
    /// `same` to something that had changed.
    pub current: Option<Run>,
}

/// `silent` is true, by session, for those that said `same` to something that had changed.
pub fn quiet(timeline: &Timeline, silent: &[bool]) -> Quiet {
    let all = steps(timeline, |_, _| true);
    let gate = timeline.is_judged.then(|| {
        let counts = |id: &str, version| {
            let question = timeline.questions.find(id, version);
            question.is_none_or(|question| !question.says_dependencies())
        };
        steps(timeline, counts)
    });
    let questions = timeline.questions.active();
    let counted = questions.filter(|one| timeline.is_judged && !one.says_dependencies());
    Quiet {
        counted: counted.map(|question| question.name().to_string()).collect(),
        suspicious: all.iter().filter(|step| step.length > 0).count(),
        longest_run: all.iter().map(|step| step.length).max().unwrap_or(0),
        verdicts: verdicts(timeline, &all),
        runs: too_long(timeline, gate.as_ref().unwrap_or(&all)),
        current: current(timeline, &all, silent),
    }
}

fn current(timeline: &Timeline, steps: &[Step], silent: &[bool]) -> Option<Run> {
    let places = run_to(steps, steps.len().checked_sub(1)?);
    let max = timeline.questions.settings.quiet.max_run as usize;
    let counts = places.len() > max && places.iter().all(|place| silent.get(*place) == Some(&true));
    counts.then(|| run_of(timeline, &places))
}

/// The sessions of the run that ends here, oldest first; none if the session is not suspicious.
fn run_to(steps: &[Step], end: usize) -> Vec<usize> {
    let last = Some(end).filter(|end| steps[*end].length > 0);
    let mut places: Vec<usize> = successors(last, |&place| steps[place].before).collect();
    places.reverse();
    places
}

fn run_of(timeline: &Timeline, places: &[usize]) -> Run {
    let sessions = places.iter().map(|place| &timeline.sessions[*place]);
    let rows: Vec<&Row> = sessions.map(|session| timeline.judged(session)).collect();
    Run::of(&timeline.events, &rows)
}

/// A session's place in a run of suspicious ones.
struct Step {
    /// The length of the run up to here; 0 if the session is not suspicious.
    length: usize,
    /// The last suspicious session of the current run.
    last: Option<usize>,
    /// The previous suspicious session of the run.
    before: Option<usize>,
}

/// One step per session, of the questions that count.
fn steps(timeline: &Timeline, counts: impl Fn(&str, u32) -> bool) -> Vec<Step> {
    let questions = timeline.events.questions();
    let counted: Vec<bool> = questions.map(|(id, version)| counts(id, version)).collect();
    let mut steps: Vec<Step> = Vec::with_capacity(timeline.sessions.len());
    // A run that a person closed is over.
    let is_over = |place: &usize| {
        let last = timeline.judged(&timeline.sessions[*place]);
        timeline.questions.closed.has(ClosedKind::Run, &timeline.events.reference(last))
    };
    for (here, session) in timeline.sessions.iter().enumerate() {
        let predecessor = session.predecessor.map(|place| place as usize);
        let before = predecessor.and_then(|place| steps[place].last).filter(|last| !is_over(last));
        let answers = timeline.judged_answers(session).iter();
        let answers = answers.map(|answer| timeline.answer(*answer));
        let answers = answers.filter(|answer| counted[answer.question as usize]);
        let (count, deltas) = answers.fold((0, 0), |(count, deltas), answer| {
            (count + 1, deltas + usize::from(answer.delta))
        });
        let (is_silent, has_moved) = (deltas == 0, has_moved(timeline, session));
        // A session without an answer to these questions, or at an unmoved HEAD, neither extends nor breaks a run.
        let is_neutral = timeline.is_judged && (count == 0 || (is_silent && !has_moved));
        let length = before.map_or(0, |place| steps[place].length);
        steps.push(if is_silent && has_moved && count > 0 {
            Step { length: length + 1, last: Some(here), before }
        } else {
            Step { length: 0, last: before.filter(|_| is_neutral), before: None }
        });
    }
    steps
}

fn too_long(timeline: &Timeline, steps: &[Step]) -> Vec<Run> {
    let max = timeline.questions.settings.quiet.max_run as usize;
    let continued: HashSet<usize> = steps.iter().filter_map(|step| step.before).collect();
    let ends = (0..steps.len()).filter(|end| steps[*end].length > max && !continued.contains(end));
    ends.map(|end| run_of(timeline, &run_to(steps, end))).collect()
}

fn verdicts(timeline: &Timeline, steps: &[Step]) -> Vec<Verdict> {
    let first = steps.len().saturating_sub(KEPT);
    let sessions = timeline.sessions.iter().zip(steps).skip(first);
    sessions
        .map(|(session, step)| {
            let (events, last) = (&timeline.events, timeline.judged(session));
            Verdict {
                sid: events.sid(last).to_owned(),
                suspicious: step.length > 0,
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
        let deltas = answers.iter().map(|answer| timeline.answer(*answer));
        let deltas = deltas.filter(|answer| answer.delta);
        let mut changed: Vec<&str> =
            deltas.map(|answer| timeline.events.question(answer.question).0).collect();
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
