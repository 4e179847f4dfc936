use clap::Args;

use super::{CommandResult, Context, Format};
use crate::{
    finding::{Rule, Severity},
    git::{Error, Repo},
    metrics::{Quiet, Staleness, State},
    project::Measure,
    session::speaking,
    store::{share::standing, trouble},
    view::{SharedWith, Status, StatusSession},
};

/// Show the status; the same as `git sq` without a command
#[derive(Args)]
pub struct StatusArgs {
    /// Output format of the status
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl StatusArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut project = context.project(None)?;
        project.is_hurried = true;
        let store = project.questions()?;
        let snapshot = project.snapshot(&Measure::default())?;
        let facts = project.facts(snapshot.survey, &Measure::default())?;
        let found = facts.findings();
        let survey = facts.survey;
        let names = |wanted: fn(&Staleness) -> bool| -> Vec<String> {
            survey.staleness.iter().filter(|row| wanted(row)).map(|row| row.q_id.clone()).collect()
        };
        let in_state = |state: State| -> Vec<String> {
            survey
                .at_tip
                .iter()
                .filter(|at_tip| at_tip.state == state)
                .map(|at_tip| at_tip.question.clone())
                .collect()
        };
        let is_error = |rule: Rule| {
            let mut found = found.iter();
            found.any(|f| f.rule == rule && f.severity == Severity::Error)
        };
        let name = context.named(&project.repo, None)?.name();
        let session = speaking(&project.repo, name, context.now, &snapshot.events)?;
        let status = Status {
            tip: project.tip.to_string(),
            branch: project.head.branch.clone(),
            sessions: survey.sessions,
            questions: survey.active_questions,
            stale: names(|row| row.flagged),
            never: in_state(State::Never),
            due: in_state(State::Due),
            outdated: in_state(State::Outdated),
            disputed: in_state(State::Disputed),
            flagged: is_error(Rule::Flagged).then(|| survey.window.clone()),
            failing: in_state(State::Failing),
            drifts: survey.drifts.iter().map(|drift| drift.question.clone()).collect(),
            longest_run: longest_run(&survey.quiet),
            alarm: is_error(Rule::QuietRun),
            unanswered_run: survey.unanswered.current_run,
            last: survey.latest.first().cloned(),
            since: project.since(&survey)?,
            session: session.map(|session| StatusSession {
                sid: session.sid,
                agent: session.agent,
                since: session.since.to_string(),
                answered: session.answered,
            }),
            shared: shared(&project.repo)?,
            warnings: store.warning().into_iter().collect(),
            unknown: survey.unknown.clone(),
            place: project.place(),
            now: context.now,
        };
        context.show(&project.repo, &status, self.format)
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
                branches: left.branches(),
                trouble,
            });
        }
    }
    Ok(shared)
}
