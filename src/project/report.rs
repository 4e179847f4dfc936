//! The content of the page about a repository, in one value: a function of the tip and the log, without the present time.

use std::{cmp::Reverse, collections::HashSet, num::NonZeroUsize, sync::Arc};

use jiff::Timestamp;

use super::{
    Error, Measure, Project, StateReport, TensionRow,
    states::{Refused, last_states, refused, without_state},
};
use crate::{
    entry::{self, Citation, CitedLines, Event, Person, value_text},
    evidence::{CitedRow, Cites, Tell, Trace, trace},
    git::{CitedFate, Gets, Oid, Repo},
    metrics::{AtTip, Drift, Staleness, Thread},
    proof::{Proved, prove},
    question::Question,
    rules::Facts,
    session::{Ledger, StateRow, ranked},
    store::{Events, Row, share::standing},
    timeline::Timeline,
};

const STATES: NonZeroUsize = NonZeroUsize::new(3).unwrap();
const TENSIONS: usize = 10;

pub struct Report {
    pub name: String,
    /// The place of the report, as in `main at 15cd9173c8`.
    pub place: String,
    /// The time of the tip or, if that is later, of the newest entry.
    pub as_of: Timestamp,
    pub facts: Facts,
    /// One for each active question, in the store's order.
    pub cards: Vec<Card>,
    /// Open ones, newest first.
    pub drifts: Vec<Drift>,
    pub states: Vec<StateReport>,
    /// The last sessions that ended without a state, newest first.
    pub without_state: Vec<StateRow>,
    /// The states that were refused in the last two weeks because they were too long, and not written since.
    pub refused: Vec<Refused>,
    /// Open ones, the highest score first.
    pub tensions: Vec<TensionRow>,
    /// Number of states and tensions that are not published, and not here: the page may be sent.
    pub left_out: usize,
    /// Those with the most sessions first.
    pub answerers: Vec<Answerer>,
    pub proofs: Vec<Proved>,
}

/// An active question.
pub struct Card {
    pub question: Question,
    /// `None` for a fact.
    pub row: Option<Staleness>,
    pub at_tip: AtTip,
    pub answer: Option<CountingAnswer>,
    /// The history of the answer of a built-in probe; `None` if it could not be traced.
    pub trace: Option<Trace>,
}

pub struct CountingAnswer {
    pub text: String,
    /// False if it waits in this clone.
    pub is_published: bool,
    pub by: Option<Person>,
    pub agent: Option<String>,
    pub ts: String,
    pub commit: String,
    pub cites: Vec<Quote>,
}

/// Cited lines, as they were and, if they changed, as they are now.
pub struct Quote {
    pub row: CitedRow,
    pub then: Option<String>,
    pub now: Option<String>,
}

/// A person or an agent with sessions.
#[derive(Default)]
pub struct Answerer {
    pub by: Option<Person>,
    pub agent: Option<String>,
    pub sessions: usize,
    pub answers: usize,
    pub deltas: usize,
    /// The time of the last entry.
    pub last: String,
}

impl Project {
    /// Traces every built-in probe; `tell` gets the progress of each trace.
    pub fn report(&self, tell: Tell) -> Result<Report, Error> {
        let store = self.questions()?;
        let measure = Measure::default();
        let facts = self.facts(self.snapshot(&measure)?.survey, &measure)?;
        let found = self.drifts()?;
        let timeline = &found.timeline;
        let events = &timeline.events;
        let newest = events
            .rows()
            .iter()
            .map(|row| row.millis)
            .max()
            .and_then(|millis| Timestamp::from_millisecond(millis).ok());
        let committed = self.repo.commit_time(self.tip)?;
        let as_of = newest.map_or(committed, |newest| newest.max(committed));
        let cites = Cites::new(&self.repo, self.tip, |id| self.has_entry(id));
        let settings = &store.set.settings.tension;
        let tensions = Ledger::of(events).replay(as_of, settings);
        let waiting = waiting(&self.repo)?;
        let mut states = last_states(self, events, &cites, (None, as_of), STATES);
        let mut tensions: Vec<TensionRow> = ranked(&tensions)
            .into_iter()
            .map(|tension| TensionRow::new(tension, settings))
            .collect();
        let all = states.len() + tensions.len();
        states.retain(|state| !waiting.contains(&state.id));
        tensions.retain(|tension| !waiting.contains(&tension.id));
        let mut ended = without_state(events);
        ended.retain(|row| !waiting.contains(&row.id));
        ended.truncate(STATES.get());
        let left_out = all - states.len() - tensions.len();
        tensions.truncate(TENSIONS);
        let cards = facts
            .survey
            .standings
            .judged()
            .filter_map(|at_tip| {
                let question = store.set.resolve(&at_tip.question.parse().ok()?)?;
                let threads = &facts.survey.threads;
                let answer =
                    self.counting_answer(events, at_tip, question, threads, (&cites, &waiting));
                let probe = question.probe.as_ref().filter(|probe| probe.is_built_in());
                Some(Card {
                    question: question.clone(),
                    row: facts.survey.row(&at_tip.question).cloned(),
                    at_tip: at_tip.clone(),
                    answer,
                    trace: probe
                        .and_then(|probe| trace(&self.repo, self.tip, probe, false, tell).ok()),
                })
            })
            .collect();
        let open = found.drifts.iter().rev().filter(|drift| drift.is_asked && drift.is_open());
        Ok(Report {
            name: self.repo.name(),
            place: self.public_place()?,
            as_of,
            drifts: open.map(|drift| self.with_subject(drift)).collect(),
            states,
            without_state: ended,
            refused: refused(events, as_of),
            tensions,
            left_out,
            answerers: answerers(timeline),
            proofs: prove(&self.log_facts(None, None)?),
            facts,
            cards,
        })
    }

    fn counting_answer(
        &self,
        events: &Arc<Events>,
        at_tip: &AtTip,
        question: &Question,
        threads: &[Thread],
        (cites, waiting): (&Cites, &HashSet<String>),
    ) -> Option<CountingAnswer> {
        let (id, commit) = (at_tip.entry.as_deref()?, at_tip.commit?);
        let (row, words, evidence) = self.answer_in(events, (id, commit), question)?;
        let thread = threads.iter().find(|thread| thread.question == at_tip.question);
        let repeated = || {
            let named = thread?.before.iter().find(|named| named.entry == id)?;
            let (entry, commit) = named.repeats.as_ref()?;
            self.answer_in(events, (entry, *commit), question)?.1
        };
        Some(CountingAnswer {
            is_published: !waiting.contains(id),
            cites: evidence.iter().map(|cite| self.quote(cite, cites)).collect(),
            text: words.or_else(repeated).unwrap_or_default(),
            by: events.by(&row),
            agent: events.agent(&row).map(str::to_owned),
            ts: events.ts(&row).to_string(),
            commit: commit.to_string(),
        })
    }

    /// The line of an entry on a commit, its answer to a question in words, unless it is a bare `same`, and what it cites.
    fn answer_in(
        &self,
        events: &Arc<Events>,
        (id, commit): (&str, Oid),
        question: &Question,
    ) -> Option<(Row, Option<String>, Vec<Citation>)> {
        let mut rows = events.rows().iter().filter(|row| events.anchor(row.anchor) == commit);
        let row = *rows.find(|row| events.id(row) == id || row.digest_hex() == id)?;
        let (_, line) = self.lines(events.clone(), &[row]).next()?;
        let (_, answers) = Event::answers(&line)?;
        let is_named = |q_id: &str, version| q_id == question.id && version == question.version;
        let mut answers = answers.into_iter();
        let answer = answers.find(|answer| is_named(&answer.q_id, answer.version()))?;
        let note = || answer.note.as_ref().map(ToString::to_string);
        Some((row, answer.answer.as_ref().map(value_text).or_else(note), answer.cites()))
    }

    fn quote(&self, cite: &Citation, cites: &Cites) -> Quote {
        let row = cites.look_up(cite);
        let (mut then, mut now) = (None, None);
        if let Citation::Lines(CitedLines { path, lines, blob, .. }) = cite {
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            let blob = blob.parse().ok();
            let old = blob.and_then(|blob| self.repo.lines_of_blob(blob, *lines).ok().flatten());
            then = old.map(text);
            if row.fate == Some(CitedFate::Changed) {
                let new = self
                    .repo
                    .file_at(self.tip, path)
                    .ok()
                    .flatten()
                    .and_then(|(blob, _)| self.repo.lines_of_blob(blob, *lines).ok());
                now = new.flatten().map(text);
            }
        }
        Quote { row, then, now }
    }
}

/// The ids of the entries that wait here for each remote that gets the log; none without such a remote.
pub(super) fn waiting(repo: &Repo) -> Result<HashSet<String>, Error> {
    repo.remotes()
        .iter()
        .filter(|remote| remote.gets != Gets::Nothing)
        .map(|remote| {
            let left = standing(repo, remote)?;
            let lines = left.waiting.iter().chain(&left.stray);
            Ok(lines.map(|(_, line)| entry::trace(line).id).collect())
        })
        .reduce(|one: Result<HashSet<String>, Error>, other| Ok(&one? & &other?))
        .unwrap_or_else(|| Ok(HashSet::new()))
}

fn answerers(timeline: &Timeline) -> Vec<Answerer> {
    let mut found: Vec<Answerer> = Vec::new();
    for session in &timeline.sessions {
        let last = timeline.last(session);
        let (by, agent) = (timeline.events.by(last), timeline.events.agent(last));
        let mut known = found.iter_mut();
        let place = known
            .position(|answerer| answerer.by == by && answerer.agent.as_deref() == agent)
            .unwrap_or_else(|| {
                let agent = agent.map(str::to_owned);
                found.push(Answerer { by, agent, ..Answerer::default() });
                found.len() - 1
            });
        let answers = timeline.answers(session);
        let deltas = answers.iter().filter(|answer| timeline.answer(**answer).delta);
        let answerer = &mut found[place];
        answerer.sessions += 1;
        answerer.answers += answers.len();
        answerer.deltas += deltas.count();
        answerer.last = timeline.ts(session).to_string();
    }
    found.sort_by_key(|answerer| Reverse(answerer.sessions));
    found
}
