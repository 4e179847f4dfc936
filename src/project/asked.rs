//! The questions that a session is asked, and the facts about each that do not reveal its answer.

use std::cmp::Reverse;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Measure, Project, Snapshot, resting::resting};
use crate::{
    git::{Oid, Pathspecs},
    metrics::{AtTip, Source, Staleness, Standing},
    question::{self, Question, QuestionSet, Status},
    session::speaking,
    store::own_writer,
};

/// A question to answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Asked {
    pub q_id: String,
    pub q_version: u32,
    pub q: String,
    pub importance: u8,
    pub status: Status,
    /// If it is on trial, the number of sessions that answered it.
    pub trial: Option<usize>,
    pub evidence_hint: Option<String>,
    /// Sessions since it was last answered; null if it never was.
    pub staleness: Option<usize>,
    /// Over its limit.
    pub flagged: bool,
    /// True if anything that it depends on changed since the counting answer; null if there is no such answer, or its
    /// dependencies are not known.
    pub exposed: Option<bool>,
    /// The change since the counting answer, as in `src/lib.rs:3 changed`.
    pub changed: Option<String>,
    /// Its standing; null if it could not be derived.
    pub standing: Option<Standing>,
    /// True if this session has to answer it, or its command has to run.
    pub is_due: bool,
    /// True if this session has answered it.
    pub is_answered: bool,
    /// The number of later sessions within which it is asked, if this one need not answer it although it is asked in
    /// every session.
    pub due_within: Option<usize>,
    /// True if the tool answers it, from files or by running a command.
    pub probed: bool,
    /// The pathspecs that it watches.
    pub watch: Vec<String>,
    /// True if an answer needs a citation: its question requires one, or a citation of the last answer changed.
    pub requires_evidence: bool,
    /// The failure or the news of what the tool answers.
    pub news: Option<String>,
    /// The form of its answer, if it has a shape.
    #[serde(skip)]
    pub answer: Option<String>,
    /// The commit that carries its last answer.
    #[serde(skip)]
    pub answered_at: Option<Oid>,
}

const NAMED: usize = 3;

const UNKNOWN: &str = "it could not be derived so far; `git sq check` derives it or says why not";

/// Where a question stands at the tip, and why.
pub struct Stands {
    pub standing: Standing,
    /// The entry of the counting answer, if a session gave it.
    pub counting: Option<String>,
    /// The commits that made that answer outdated.
    pub exposed_by: Option<ExposedBy>,
}

/// The commits that made an answer outdated.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExposedBy {
    /// Newest first, three at most.
    pub commits: Vec<String>,
    /// Number of the others.
    pub more: usize,
}

impl Project {
    /// Where a question stands; `None` if it is not asked here.
    pub fn standing(&self, question: &Question) -> Result<Option<Stands>, Error> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let snapshot = self.snapshot(&Measure::default())?;
        let mut asked = self.asked(&store.set, &snapshot, None, &[])?.into_iter();
        let Some(asked) =
            asked.find(|asked| asked.q_id == question.id && asked.q_version == question.version)
        else {
            return Ok(None);
        };
        let since = asked.answered_at.filter(|_| asked.standing == Some(Standing::Outdated));
        let paths = question.dependencies();
        // In a shallow clone the commits may be missing.
        let commits =
            since.and_then(|since| self.repo.touching_since(since, self.tip, &paths).ok());
        let exposed = commits.map(|commits| ExposedBy {
            commits: commits.iter().take(NAMED).map(ToString::to_string).collect(),
            more: commits.len().saturating_sub(NAMED),
        });
        let at_tip = snapshot.survey.standings.get(&question.name().to_string());
        let counting = at_tip.filter(|at_tip| at_tip.source == Source::Sessions);
        let counting = counting.and_then(|at_tip| at_tip.entry.clone());
        Ok(asked.standing.map(|standing| Stands { standing, counting, exposed_by: exposed }))
    }
}

impl Asked {
    /// Returns true if this session has to answer it, and the tool can't.
    pub fn needs_answer(&self) -> bool {
        self.is_due && !self.probed
    }

    pub fn needs_cite(&self) -> bool {
        self.requires_evidence || self.exposed == Some(true)
    }

    /// The version is left out if it is 1.
    pub fn name(&self) -> String {
        question::name(&self.q_id, self.q_version)
    }
}

impl Project {
    /// The questions for session `sid`, or for a new one, which answers `new` now: the most important first, among those the
    /// stalest.
    pub fn asked(
        &self,
        set: &QuestionSet,
        snapshot: &Snapshot,
        sid: Option<&str>,
        new: &[String],
    ) -> Result<Vec<Asked>, Error> {
        let (survey, now) = (&snapshot.survey, self.repo.now());
        let session = sid
            .map(|sid| speaking(&self.repo, Some(sid), now, &snapshot.events))
            .transpose()?
            .flatten();
        let mut answered = session.map(|session| session.answered).unwrap_or_default();
        let is_counted = !answered.is_empty();
        answered.extend_from_slice(new);
        let resting = resting(set, survey, &answered, is_counted);
        let mut questions = Vec::new();
        for question in &set.questions {
            if !question.status.is_asked() {
                continue;
            }
            let name = question.name().to_string();
            let row = survey.row(&name);
            let at_tip = survey.standings.get(&name);
            let answered_at = at_tip.and_then(|at_tip| at_tip.commit);
            let (is_fact, is_probed) = (question.is_fact(), question.probe.is_some());
            let changed = at_tip.filter(|_| !is_fact).and_then(|at_tip| at_tip.changed.clone());
            let is_known = answered_at.is_some()
                && !is_fact
                && (question.says_dependencies() || changed.is_some());
            let exposed = is_known.then_some(changed.is_some());
            let news =
                is_probed.then(|| at_tip.map_or_else(|| Some(UNKNOWN.into()), news)).flatten();
            let has_lost = changed.is_some();
            // An answer may have been lost where it was carried to.
            let counts = at_tip.is_none_or(|at_tip| !at_tip.standing.is_unanswered());
            let is_answered = answered.contains(&name) && counts;
            let due_within = resting.get(&name).copied();
            // At another commit than that of its last run, a command may answer otherwise.
            let may_differ = question.command().is_some()
                && answered_at != Some(self.tip)
                && at_tip.is_some_and(|at_tip| !at_tip.standing.is_good());
            let is_over = exposed != Some(true) && !may_differ;
            // A dispute that the answer does not end is for others to settle.
            let is_said = at_tip.is_some_and(|at_tip| {
                at_tip.standing == Standing::Disputed
                    && (new.contains(&name) || self.is_said(snapshot, sid, question, at_tip))
            });
            let rests = due_within.is_some() || is_answered && is_over || is_said;
            let has_failed = at_tip.is_some_and(|at_tip| at_tip.standing == Standing::Fails);
            let is_due = row.is_none_or(|row| {
                // What the session records makes nothing due in it.
                let sessions = row.since.saturating_sub(usize::from(is_counted));
                may_differ && has_failed || is_due(question, row, sessions, exposed, now)
            });
            questions.push(Asked {
                standing: at_tip.map(|at_tip| at_tip.standing),
                changed,
                is_due: is_due && !is_fact && !rests,
                is_answered: is_answered || is_said,
                due_within,
                watch: question.watch.clone(),
                probed: is_probed,
                requires_evidence: !is_probed && (question.requires_evidence() || has_lost),
                news,
                q_id: question.id.clone(),
                q_version: question.version,
                q: question.text.clone(),
                importance: question.importance.0,
                status: question.status,
                trial: survey.trials.iter().find(|trial| trial.0 == name).map(|trial| trial.1),
                evidence_hint: question.evidence_hint.clone(),
                staleness: row.filter(|row| row.last_sid.is_some()).map(|row| row.staleness),
                flagged: row.is_some_and(|row| row.flagged),
                exposed,
                answer: question.shape.as_ref().map(|shape| question::expected(Some(shape))),
                answered_at,
            });
        }
        questions.sort_by_key(|question| {
            let stale = question.staleness.unwrap_or(usize::MAX);
            (Reverse(question.importance), Reverse(stale))
        });
        Ok(questions)
    }

    /// Returns true if a session of this clone gave an answer that nobody doubts, and nothing that it depends on changed since.
    fn is_said(
        &self,
        snapshot: &Snapshot,
        sid: Option<&str>,
        question: &Question,
        at_tip: &AtTip,
    ) -> bool {
        let events = &snapshot.events;
        let Ok(Some(writer)) = own_writer(&self.repo) else {
            return false;
        };
        let threads = snapshot.survey.threads.iter();
        let flagged = threads.filter(|thread| thread.question == at_tip.question);
        let mut doubted = flagged.flat_map(|thread| &thread.flagged).chain(&at_tip.disputed);
        let newest = snapshot.newest_first().find(|row| {
            let mut answered = events.answered(row);
            events.writer(row) == writer
                && Some(events.sid(row)) == sid
                && answered
                    .any(|(id, version, _)| (id, version) == (&question.id, question.version))
        });
        newest.is_some_and(|row| {
            let entry = events.reference(row);
            let specs = Pathspecs::parse(&question.dependencies());
            let changes = self.repo.changes(events.anchor(row.anchor), self.tip);
            let differ = changes.and_then(|all| Ok(all.matching(&mut specs?).next().is_some()));
            differ.is_ok_and(|differ| !differ) && doubted.all(|other| *other != entry)
        })
    }
}

/// The news of a fact: why it fails, or how it differs from its newest recorded answer.
fn news(at_tip: &AtTip) -> Option<String> {
    let expected = at_tip.expected.as_ref().filter(|_| at_tip.standing == Standing::Fails);
    let fails = expected.zip(at_tip.found.as_ref());
    fails
        .map(|(expected, found)| format!("{found}, expected {expected}"))
        .or_else(|| at_tip.changed.clone())
}

/// A question that was never answered is always due; `sessions` passed since its last answer.
fn is_due(
    question: &Question,
    row: &Staleness,
    sessions: usize,
    exposed: Option<bool>,
    now: Timestamp,
) -> bool {
    let last = row.last_rederived_ts.as_ref();
    let Some(last) = last.and_then(|last| last.parse::<Timestamp>().ok()) else {
        return true;
    };
    let elapsed = now.duration_since(last);
    question.trigger.is_due(sessions, elapsed, || exposed != Some(false))
}
