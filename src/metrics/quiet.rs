//! Sessions that are suspicious, and how many in a row: those whose answers rules name or, where nothing says what
//! questions depend on, those that report no change while HEAD moves (acknowledge-without-rederive).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Conduct;
use crate::{
    entry::Person,
    store::{Events, Row},
    timeline::{JUDGED, Session, Timeline},
};

/// The verdict on one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub sid: String,
    pub suspicious: bool,
    pub reason: String,
    /// When its last entry was made.
    pub ts: String,
    pub agent: Option<String>,
    /// Whose git identity that was written under, as `.mailmap` has it.
    pub by: Option<Person>,
    /// The commit that carries it.
    pub commit: String,
    /// That commit's subject, where it can be read.
    pub subject: Option<String>,
}

/// Sessions in a row that have to be looked at.
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

impl Run {
    /// A run of so many sessions, each given by its last line, oldest first.
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

/// The figure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// How many sessions are suspicious.
    pub suspicious: usize,
    /// How many of the last sessions were judged by their answers; None where all were, by their silence.
    pub judged: Option<usize>,
    pub longest_run: usize,
    /// Of the last sessions, oldest first.
    pub verdicts: Vec<Verdict>,
    /// Runs that are longer than the store allows, in the order of their ends; shorter ones can't alarm.
    pub runs: Vec<Run>,
}

/// Judges every session by its silence, or the last ones by what rules make of their answers.
pub fn quiet(timeline: &Timeline, conduct: &Conduct) -> Quiet {
    let sessions = &timeline.sessions;
    let mut runs = Runs::default();
    for session in sessions {
        runs.add(timeline, conduct, session);
    }
    let max = timeline.questions.settings.quiet.max_run as usize;
    let is_end = |&place: &usize| runs.lengths[place] > max && !runs.continued[place];
    Quiet {
        runs: (0..sessions.len())
            .filter(is_end)
            .map(|end| run_ending(timeline, &runs, end))
            .collect(),
        longest_run: runs.lengths.iter().copied().max().unwrap_or(0),
        judged: timeline.is_judged.then(|| sessions.len().min(JUDGED)),
        suspicious: runs.suspicious.iter().filter(|&&is| is).count(),
        verdicts: verdicts(timeline, conduct, &runs.suspicious),
    }
}

/// Runs of suspicious sessions; each of these lists has one item a session.
#[derive(Default)]
struct Runs {
    suspicious: Vec<bool>,
    /// The last suspicious session of the run that goes on here; None where there is none.
    last: Vec<Option<usize>>,
    /// How many sessions the run has up to here; 0 where the session is not suspicious.
    lengths: Vec<usize>,
    continued: Vec<bool>,
    /// The suspicious session before it in its run.
    before: Vec<Option<usize>>,
}

impl Runs {
    fn add(&mut self, timeline: &Timeline, conduct: &Conduct, session: &Session) {
        let here = self.suspicious.len();
        let predecessor = session.predecessor.map(|place| place as usize);
        let before = predecessor.and_then(|place| self.last[place]);
        let is_suspicious = is_suspicious(timeline, conduct, here);
        // What did not look at anything new says nothing of those around it.
        let is_neutral = timeline.is_judged && !session.has_delta && !has_moved(timeline, session);
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
}

fn verdicts(timeline: &Timeline, conduct: &Conduct, suspicious: &[bool]) -> Vec<Verdict> {
    let first = suspicious.len().saturating_sub(JUDGED);
    let sessions = timeline.sessions.iter().enumerate().zip(suspicious);
    let sessions = sessions.skip(first);
    sessions
        .map(|((place, session), &suspicious)| {
            let (events, last) = (&timeline.events, timeline.judged(session));
            Verdict {
                sid: events.sid(last).to_owned(),
                suspicious,
                reason: reason(timeline, conduct, place),
                ts: timeline.events.ts(last).to_string(),
                agent: events.agent(last).map(str::to_owned),
                by: events.by(last),
                commit: events.anchor(last.anchor).to_string(),
                // What commits say is not the timeline's to know.
                subject: None,
            }
        })
        .collect()
}

fn run_ending(timeline: &Timeline, runs: &Runs, end: usize) -> Run {
    let places = std::iter::successors(Some(end), |&place| runs.before[place]);
    let mut rows: Vec<&Row> = places
        .map(|place| timeline.judged(&timeline.sessions[place]))
        .collect();
    rows.reverse();
    Run::of(&timeline.events, runs.lengths[end], &rows)
}

fn is_suspicious(timeline: &Timeline, conduct: &Conduct, place: usize) -> bool {
    let session = &timeline.sessions[place];
    let is_silent = !session.has_delta
        && (!timeline.is_judged || !conduct.unbound(place).is_empty())
        && has_moved(timeline, session)
        && has_answers(timeline, session);
    is_silent || !conduct.names(place).is_empty()
}

/// Whether HEAD moved since the session before.
fn has_moved(timeline: &Timeline, session: &Session) -> bool {
    let head = |session| timeline.events.head_number(timeline.judged(session));
    session
        .predecessor
        .is_some_and(|before| head(&timeline.sessions[before as usize]) != head(session))
}

fn has_answers(timeline: &Timeline, session: &Session) -> bool {
    let mut entries = timeline.entries_of(session);
    entries.any(|entry| !timeline.events.answers(timeline.row(entry)).is_empty())
}

fn reason(timeline: &Timeline, conduct: &Conduct, place: usize) -> String {
    let session = &timeline.sessions[place];
    let mut rules: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (rule, question) in conduct.names(place) {
        rules.entry(rule.name()).or_default().push(question);
    }
    if !rules.is_empty() {
        let rules = rules.into_iter();
        let rules = rules.map(|(rule, questions)| format!("{rule}: {}", questions.join(", ")));
        return rules.collect::<Vec<_>>().join("; ");
    }
    if session.predecessor.is_none() {
        return "first on its line of history: no HEAD to compare with".into();
    }
    if session.has_delta {
        let answers = timeline.judged_answers(session).into_iter();
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
    match conduct.unbound(place) {
        _ if !timeline.is_judged => "no delta although HEAD moved".into(),
        [] => "no delta, and no rule names an answer".into(),
        unbound => format!(
            "no delta although HEAD moved and {} may depend on anything",
            unbound.join(", ")
        ),
    }
}
