//! All figures of a timeline in one value, whole when it is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AtTip, BlockingDrift, BrokenChain, ClockSkew, Failing, Flagged, Looks, NeverDiffers, Quiet,
    SecondLooks, Staleness, TensionConduct, Unanswered, Window, broken_chains, clock, quiet,
    staleness, tension_conduct, unanswered,
};
use crate::{
    entry::{Person, short_sid},
    git::Oid,
    question::QuestionSet,
    session::{Ledger, foreign_imports},
    store::Removed,
    timeline::{Session, Timeline, Unknown},
};

/// What the log says, seen from one tip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    pub tip: String,
    pub sessions: usize,
    pub imported: usize,
    /// Imported entries that are dated after the first entry that was made here.
    pub imported_late: usize,
    pub other_kinds: usize,
    pub elsewhere: usize,
    pub active_questions: usize,
    pub staleness: Vec<Staleness>,
    pub quiet: Quiet,
    pub unanswered: Unanswered,
    /// How active questions stand at the tip, in the store's order.
    pub at_tip: Vec<AtTip>,
    /// How many of the last looks that could have been flagged are.
    pub window: Window,
    /// What rules flag in these, newest first.
    pub flagged: Vec<Flagged>,
    /// Questions whose answers never differ though what they depend on does.
    pub never_differs: Vec<NeverDiffers>,
    /// Commits of the line of first parents that changed something watched since the last answer of anybody.
    pub unasked: usize,
    /// Answers that somebody else derived again, or shall.
    pub second: SecondLooks,
    /// Active questions that block and whose drifts are open.
    pub drifts: Vec<BlockingDrift>,
    /// Active questions whose answers are not what they must be, or not known.
    pub failing: Vec<Failing>,
    /// Versions of questions that asked something else in one of the last 20 sessions, each with the newest of these.
    pub changed_in_place: Vec<(String, String)>,
    /// Questions with a pathspec that matches no file of the tip, each with that.
    pub watches_nothing: Vec<(String, String)>,
    /// Text on commits of the tip that is no entry.
    pub texts: Vec<StrayText>,
    /// Lines that the log had and has no more.
    pub removed: Removed,
    /// The last sessions, newest first, two at most.
    pub latest: Vec<SessionInBrief>,
    /// Sessions whose times can't be right, of the whole log.
    pub clock: Vec<ClockSkew>,
    /// Lines that are not the writer's that they name, of the whole log.
    pub broken_chains: Vec<BrokenChain>,
    /// Sessions whose tensions have to be looked at, of the whole log.
    pub tensions: Vec<TensionConduct>,
    pub unknown: Vec<String>,
    /// Whether there is a remote that may have a log and was never asked.
    pub may_be_elsewhere: bool,
}

/// Text on one commit that is no entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrayText {
    pub commit: Oid,
    pub lines: usize,
}

/// A session in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInBrief {
    pub sid: String,
    pub agent: Option<String>,
    /// Whose git identity its last entry was written under, as `.mailmap` has it.
    pub by: Option<Person>,
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

impl Survey {
    /// What a new session has to know of those that answered nothing just before it.
    pub fn unanswered_news(&self) -> Option<String> {
        let ended = match (self.unanswered.current_run, self.unanswered.sessions.last()) {
            (0, _) | (_, None) => return None,
            (1, Some(last)) => format!("session {} ended without an answer", short_sid(&last.sid)),
            (n, _) => format!("the last {n} sessions ended without an answer"),
        };
        let since = self.latest.first().map(|last| {
            let day = last.ts.get(..10).unwrap_or(&last.ts);
            format!(
                "; nothing was re-derived since {} ({day})",
                short_sid(&last.sid)
            )
        });
        Some(ended + &since.unwrap_or_default())
    }

    /// The same with other names of people.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&Person) -> Person) -> Self {
        let stale = self.staleness.iter_mut().map(|one| &mut one.last_by);
        let latest = self.latest.iter_mut().map(|one| &mut one.by);
        let clock = self.clock.iter_mut().map(|one| &mut one.by);
        let broken = self.broken_chains.iter_mut().map(|one| &mut one.by);
        let tensions = self.tensions.iter_mut().map(|one| &mut one.by);
        let silent = self.unanswered.sessions.iter_mut().map(|one| &mut one.by);
        let verdicts = self.quiet.verdicts.iter_mut().map(|one| &mut one.by);
        let runs = self.quiet.runs.iter_mut().chain(&mut self.unanswered.runs);
        let runs = runs.flat_map(|run| &mut run.who).map(|(by, _)| by);
        let named = self.flagged.iter_mut().map(|one| &mut one.by);
        let drifts = self.drifts.iter_mut().map(|one| &mut one.by);
        let people = stale.chain(latest).chain(clock).chain(tensions);
        let people = people.chain(named).chain(drifts);
        let people = people.chain(self.second.people());
        let people = people.chain(broken);
        for person in people.chain(silent).chain(verdicts).chain(runs).flatten() {
            *person = rename(person);
        }
        for run in self.quiet.runs.iter_mut().chain(&mut self.unanswered.runs) {
            // Two names may have become one.
            let mut seen = Vec::new();
            run.who.retain(|who| {
                let is_new = !seen.contains(who);
                seen.push(who.clone());
                is_new
            });
        }
        self
    }
}

/// Measures a timeline, and what the rules make of its looks.
pub fn survey(timeline: &Timeline, looks: Looks) -> Survey {
    let settings = &timeline.questions.settings;
    let newest = timeline.sessions.iter().rev().take(2);
    Survey {
        tip: timeline.tip.to_string(),
        sessions: timeline.sessions.len(),
        imported: timeline.counts.imported + foreign_imports(&timeline.events),
        imported_late: imported_late(timeline),
        other_kinds: timeline.counts.other_kinds,
        elsewhere: timeline.elsewhere.len(),
        active_questions: timeline.questions.active().count(),
        staleness: staleness(timeline, &looks),
        quiet: quiet(timeline),
        unanswered: unanswered(timeline),
        window: looks.window,
        flagged: looks.flagged,
        never_differs: looks.never_differs,
        at_tip: Vec::new(),
        unasked: 0,
        changed_in_place: changed(timeline),
        // What files there are, what lines say, and what the log was, is not the timeline's to know.
        watches_nothing: Vec::new(),
        drifts: Vec::new(),
        failing: Vec::new(),
        second: SecondLooks::default(),
        removed: Removed::default(),
        texts: texts(timeline),
        latest: newest.map(|session| in_brief(timeline, session)).collect(),
        clock: clock(timeline, settings.clock.tolerance),
        broken_chains: broken_chains(&timeline.events),
        tensions: tension_conduct(&Ledger::of(&timeline.events), settings.tension.per_session),
        unknown: unknown(timeline),
        may_be_elsewhere: !timeline.unasked.is_empty(),
    }
}

fn changed(timeline: &Timeline) -> Vec<(String, String)> {
    let stores = |session| timeline.stores_of(session).flatten();
    let questions = timeline.questions.questions.iter();
    let found = questions.filter_map(|question| {
        let asked_otherwise = |store: &QuestionSet| store.asks_otherwise(question) == Some(true);
        let mut recent = timeline.sessions.iter().rev().take(20);
        let session = recent.find(|session| stores(session).any(asked_otherwise))?;
        // Where the old text was put back, the first session was asked that.
        let mut all = timeline.sessions.iter().flat_map(stores);
        let first = all.find_map(|store| store.asks_otherwise(question));
        let sid = timeline.sid(session).to_owned();
        first?.then(|| (question.name().to_string(), sid))
    });
    found.collect()
}

fn unknown(timeline: &Timeline) -> Vec<String> {
    let unasked = timeline.unasked.iter();
    let unasked = unasked.filter(|one| one.shares_log || timeline.sessions.is_empty());
    let of_timeline = timeline.unknown.iter().cloned();
    of_timeline
        .chain(unasked.map(|remote| Unknown::NeverFetched(remote.name.clone())))
        .map(|unknown| unknown.to_string())
        .collect()
}

fn texts(timeline: &Timeline) -> Vec<StrayText> {
    let texts = timeline.texts().map(|(row, lines)| StrayText {
        commit: timeline.events.anchor(row.anchor),
        lines,
    });
    texts.collect()
}

fn in_brief(timeline: &Timeline, session: &Session) -> SessionInBrief {
    let events = &timeline.events;
    let last = timeline.last(session);
    let answers = timeline.answers(session);
    let deltas = answers.iter().filter_map(|&place| {
        let answer = timeline.answer(place);
        let (id, version) = events.question(answer.question);
        answer.delta.then(|| Delta {
            q_id: id.to_owned(),
            q_version: version,
            note: timeline.note(place).map(str::to_owned),
        })
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
    if timeline.counts.imported == 0 {
        return 0;
    }
    let rows = || {
        (0..)
            .zip(&timeline.entries)
            .map(|(number, _)| timeline.row(number))
    };
    let first = rows().find(|row| !row.is_imported());
    first.map_or(0, |first| {
        let imported = rows().filter(|row| row.is_imported());
        imported.filter(|row| row.millis > first.millis).count()
    })
}
