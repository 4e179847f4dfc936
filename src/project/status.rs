//! Where things stand: the value that `git sq` shows without a command.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Error, Measure, Project, Since,
    states::{Refused, refused},
};
use crate::{
    finding::{Rule, Severity},
    git::Repo,
    metrics::{FlaggedLooks, Quiet, SessionInBrief, Standing, Standings},
    session::{Speaking, speaking},
    store::{share::standing, trouble},
};

/// The status.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    pub tip: String,
    pub branch: Option<String>,
    pub sessions: usize,
    /// Active questions.
    pub questions: usize,
    /// The standing of each asked question.
    pub standings: Standings,
    /// The flagged looks, if there are enough for an error.
    pub flagged: Option<FlaggedLooks>,
    /// Blocking questions with open drifts.
    pub drifts: Vec<String>,
    /// The other rules that have found an error.
    pub errors: BTreeSet<Rule>,
    pub longest_run: usize,
    /// True if the quiet sessions are an alarm.
    pub alarm: bool,
    /// Number of the last sessions in a row that ended without an answer.
    pub unanswered_run: usize,
    pub last: Option<SessionInBrief>,
    pub since: Option<Since>,
    /// The session to which an entry would belong that is written now; null if it would start a new one.
    pub session: Option<Speaking>,
    /// The states that were refused in the last two weeks because they were too long, and not written since.
    pub refused: Vec<Refused>,
    /// Each remote that shares the log and lacks a part of it.
    pub shared: Vec<SharedWith>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
    /// The place of the status, as in `main at 15cd9173c8`.
    #[serde(skip)]
    pub place: String,
    #[serde(skip)]
    pub now: Timestamp,
}

/// The part of the log that a remote lacks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharedWith {
    pub remote: String,
    /// Entries that can be published now.
    pub ready: usize,
    /// Entries that wait for their work to be pushed.
    pub waiting: usize,
    /// The branches of the waiting entries.
    pub branches: BTreeSet<String>,
    /// Why the last attempt to publish failed.
    pub trouble: Option<String>,
}

impl Project {
    /// `session` is the name that the environment gives to the current session.
    pub fn status(&self, session: Option<&str>, now: Timestamp) -> Result<Status, Error> {
        let store = self.questions()?;
        let snapshot = self.snapshot(&Measure::default())?;
        let facts = self.facts(snapshot.survey, &Measure::default())?;
        let found = facts.findings();
        let survey = facts.survey;
        let errors = found.iter().filter(|one| one.severity == Severity::Error);
        let errors: BTreeSet<Rule> = errors.map(|one| one.rule).collect();
        let is_shown = |rule: &Rule| {
            use Rule::{
                Drift, Flagged, LeftOut, NoEvidence, NoSessions, NotShown, NothingChanged, QuietRun,
            };
            let of_looks = [Flagged, LeftOut, NoEvidence, NotShown, NothingChanged];
            of_looks.contains(rule)
                || matches!(rule, Drift | NoSessions | QuietRun)
                || Standing::ALL.into_iter().any(|standing| rule.is_of(standing))
        };
        let session = speaking(&self.repo, session, now, &snapshot.events)?;
        Ok(Status {
            tip: self.tip.to_string(),
            branch: self.head.branch.clone(),
            sessions: survey.sessions,
            questions: survey.active_questions,
            standings: survey.standings.clone(),
            flagged: errors.contains(&Rule::Flagged).then(|| survey.flagged_looks.clone()),
            drifts: survey.drifts.iter().map(|drift| drift.question.clone()).collect(),
            longest_run: longest_run(&survey.quiet),
            alarm: errors.contains(&Rule::QuietRun),
            errors: errors.into_iter().filter(|rule| !is_shown(rule)).collect(),
            unanswered_run: survey.unanswered.sessions.len(),
            last: survey.latest.first().cloned(),
            since: self.since(&survey)?,
            session,
            refused: refused(&snapshot.events, now),
            shared: shared(&self.repo)?,
            warnings: store.warning().into_iter().collect(),
            unknown: survey.unknown.clone(),
            place: self.place(),
            now,
        })
    }
}

/// The gate may count other questions than the figure does.
fn longest_run(quiet: &Quiet) -> usize {
    quiet.runs.iter().map(|run| run.length).max().unwrap_or(quiet.longest_run)
}

fn shared(repo: &Repo) -> Result<Vec<SharedWith>, Error> {
    let mut shared = Vec::new();
    for remote in repo.remotes().into_iter().filter(|remote| remote.shares_log) {
        let left = standing(repo, &remote)?;
        if !left.is_empty() {
            let trouble = trouble(repo, &remote).map(|trouble| trouble.why);
            shared.push(SharedWith {
                remote: remote.name,
                ready: left.ready.len(),
                waiting: left.waiting.len(),
                branches: left.branches,
                trouble,
            });
        }
    }
    Ok(shared)
}
