//! All figures of a timeline in one value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Answered, BlockingDrift, Flagged, FlaggedLooks, Looks, NeverDiffers, Quiet, RECENT,
    SecondLooks, Staleness, Standings, Suspect, TensionConduct, Thread, Unanswered, answered,
    quiet, staleness, suspects, tension_conduct, unanswered,
};
use crate::{
    entry::{Person, short_sid},
    git::Oid,
    question::{Closed, QuestionSet, Status},
    session::{Ledger, distinct},
    store::{Reading, Removed},
    timeline::{Session, Timeline, Unknown},
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    pub tip: String,
    pub sessions: usize,
    pub imported: usize,
    /// Number of imported entries dated after the first entry of this log.
    pub imported_late: usize,
    pub other_kinds: usize,
    /// Entries on commits that the walked history does not contain.
    pub elsewhere: usize,
    /// True if the history was walked only up to the boundary of a shallow clone.
    pub is_cut: bool,
    pub active_questions: usize,
    pub staleness: Vec<Staleness>,
    pub quiet: Quiet,
    pub unanswered: Unanswered,
    pub answered: Answered,
    pub standings: Standings,
    /// In the order of the standings.
    pub threads: Vec<Thread>,
    pub flagged_looks: FlaggedLooks,
    /// The open flags of the newest 20 looks that have some, newest first.
    pub flagged: Vec<Flagged>,
    /// What closes the open flags.
    pub open_entries: Vec<Closed>,
    /// Entries that a rewrite of the default branch left behind, each with its session.
    pub left_behind: Vec<(String, String)>,
    /// Questions whose answers never differ although their dependencies do.
    pub never_differs: Vec<NeverDiffers>,
    /// Number of commits on the line of first parents that changed watched files since the last answer of any session that
    /// counts, and the days from that to the tip.
    pub unasked: (usize, i64),
    pub second: SecondLooks,
    /// Active blocking questions with open drifts.
    pub drifts: Vec<BlockingDrift>,
    /// Versions of questions that were edited in place during the last 20 sessions, each with the newest session that
    /// was asked the other text.
    pub changed_in_place: Vec<(String, String)>,
    /// Questions that watch no file of the tip, each with its pathspecs and why.
    pub watches_nothing: Vec<(String, String)>,
    /// The commits of the tip with lines that are not entries, and the number of these.
    pub texts: Vec<(Oid, usize)>,
    pub removed: Removed,
    /// The versions on trial, each with the number of sessions that answered it.
    pub trials: Vec<(String, usize)>,
    /// The last two sessions, newest first.
    pub latest: Vec<SessionInBrief>,
    /// Sessions of the whole log with suspect lines.
    pub suspects: Vec<Suspect>,
    /// Sessions with suspicious tensions since the 20th last session.
    pub tensions: Vec<TensionConduct>,
    pub unknown: Vec<String>,
    /// True if a remote may have a log and was never asked for it.
    pub may_be_elsewhere: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInBrief {
    pub sid: String,
    pub agent: Option<String>,
    /// The git identity of its last entry, as in `.mailmap`.
    pub by: Option<Person>,
    pub ts: String,
    pub head: String,
    /// The commit that carries its last entry.
    pub anchor: String,
    pub dirty: bool,
    /// Number of questions that it answered.
    pub answered: usize,
    pub deltas: Vec<Delta>,
}

/// A difference that a session reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    pub q_id: String,
    pub q_version: u32,
}

impl Survey {
    /// The staleness of a question of this name.
    pub fn row(&self, name: &str) -> Option<&Staleness> {
        self.staleness.iter().find(|row| row.name() == name)
    }

    /// Keeps the results of the last sessions only.
    pub fn keep_last(&mut self, sessions: usize) {
        let verdicts = &mut self.quiet.verdicts;
        verdicts.drain(..verdicts.len().saturating_sub(sessions));
        for row in &mut self.staleness {
            row.recent.drain(..row.recent.len().saturating_sub(sessions));
        }
    }

    /// A warning about the last sessions if they ended without an answer.
    pub fn unanswered_news(&self) -> Option<String> {
        let ended = match (self.unanswered.sessions.len(), self.unanswered.sessions.last()) {
            (0, _) | (_, None) => return None,
            (1, Some(last)) => format!("session {} ended without an answer", short_sid(&last.sid)),
            (n, _) => format!("the last {n} sessions ended without an answer"),
        };
        let since = self.latest.first().map(|last| {
            let day = last.ts.get(..10).unwrap_or(&last.ts);
            format!("; no answers since {} ({day})", short_sid(&last.sid))
        });
        Some(ended + &since.unwrap_or_default())
    }
}

/// Adds the figures of a timeline to what was `read`: the parts that follow from files, objects and the log's past, as
/// `looks`, `left_behind` and `unknown` do, too.
pub fn survey(
    timeline: &Timeline,
    looks: Looks,
    left_behind: &[Unknown],
    unknown: &[Unknown],
    read: Survey,
) -> Survey {
    let settings = &timeline.questions.settings;
    let newest = timeline.sessions.iter().rev().take(2);
    let more = left_behind.iter().chain(unknown).map(ToString::to_string);
    let left_behind = left_behind.iter().filter_map(|unknown| match unknown {
        Unknown::LeftBehind { entry, sid, .. } => Some((entry.clone(), sid.clone())),
        _ => None,
    });
    let texts = timeline.texts.iter();
    let texts = texts.map(|(&anchor, &lines)| (timeline.events.anchor(anchor), lines));
    let unknown: Vec<String> = timeline.unknown_texts().into_iter().chain(more).collect();
    let standings = if unknown.is_empty() { read.standings } else { read.standings.in_part() };
    Survey {
        tip: timeline.tip.to_string(),
        sessions: timeline.sessions.len(),
        imported: timeline.imported
            // Git sq never imports these kinds.
            + distinct(&timeline.events, |row| row.reading == Reading::Read && row.is_imported()),
        imported_late: imported_late(timeline),
        other_kinds: timeline.other_kinds,
        elsewhere: timeline.elsewhere.len(),
        is_cut: timeline.unknown.iter().any(|unknown| matches!(unknown, Unknown::Cut(..))),
        active_questions: timeline.questions.active().count(),
        staleness: staleness(timeline, &looks),
        quiet: quiet(timeline, &looks.silent),
        unanswered: unanswered(timeline),
        answered: answered(timeline),
        flagged_looks: looks.count,
        flagged: looks.flagged,
        open_entries: looks.open_entries,
        left_behind: left_behind.collect(),
        never_differs: looks.never_differs,
        standings,
        changed_in_place: changed(timeline),
        texts: texts.collect(),
        trials: trials(timeline),
        latest: newest.map(|session| in_brief(timeline, session)).collect(),
        suspects: suspects(timeline, settings.clock.tolerance),
        tensions: tension_conduct(
            &Ledger::of(&timeline.events),
            settings.tension.per_session,
            timeline.sessions.iter().rev().nth(RECENT).map(|session| timeline.ts(session)),
        ),
        unknown,
        may_be_elsewhere: !timeline.unasked.is_empty(),
        ..read
    }
}

fn trials(timeline: &Timeline) -> Vec<(String, usize)> {
    let questions = timeline.questions.questions.iter();
    let counted = questions.filter(|question| question.status == Status::Trial).map(|question| {
        let number = timeline.number(question);
        let has_answered = |(place, _): &(u32, _)| {
            number.is_some_and(|number| timeline.answer_of(*place, number).is_some())
        };
        let sessions = (0..).zip(&timeline.sessions).filter(has_answered);
        (question.name().to_string(), sessions.count())
    });
    counted.collect()
}

fn changed(timeline: &Timeline) -> Vec<(String, String)> {
    let stores = |session| timeline.stores_of(session);
    let asked = timeline.questions.questions.iter().filter(|question| question.status.is_asked());
    let found = asked.filter_map(|question| {
        let asked_otherwise = |store: &QuestionSet| store.asks_otherwise(question) == Some(true);
        let mut recent = timeline.sessions.iter().rev().take(20);
        let session = recent.find(|session| stores(session).any(asked_otherwise))?;
        // After an edit was undone, the first session was asked the same text.
        let mut all = timeline.sessions.iter().flat_map(stores);
        let first = all.find_map(|store| store.asks_otherwise(question));
        let sid = timeline.sid(session).to_owned();
        first?.then(|| (question.name().to_string(), sid))
    });
    found.collect()
}

fn in_brief(timeline: &Timeline, session: &Session) -> SessionInBrief {
    let events = &timeline.events;
    let last = timeline.last(session);
    let answers = timeline.answers(session);
    let deltas = answers.iter().map(|&place| timeline.answer(place));
    let deltas = deltas.filter(|answer| answer.delta).map(|answer| {
        let (id, q_version) = events.question(answer.question);
        Delta { q_id: id.to_owned(), q_version }
    });
    SessionInBrief {
        sid: timeline.sid(session).to_owned(),
        agent: events.agent(last).map(str::to_owned),
        by: events.by(last),
        ts: events.ts(last).to_string(),
        head: events.head(last),
        anchor: events.anchor(last.anchor).to_string(),
        dirty: last.dirty,
        deltas: deltas.collect(),
        answered: answers.len(),
    }
}

fn imported_late(timeline: &Timeline) -> usize {
    let rows = || timeline.newest_first();
    let first = rows().filter(|row| !row.is_imported()).last();
    first.map_or(0, |first| {
        rows().filter(|row| row.is_imported()).filter(|row| row.millis > first.millis).count()
    })
}
