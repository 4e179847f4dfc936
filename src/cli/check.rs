//! `git sq check`: the metrics as a gate.

use clap::Args;

use super::{
    CommandResult, Context, Failure,
    closing::close_all,
    complete,
    gate::{GateFormat, check, outcome, show},
};
use crate::{finding::Rule, project::Measure, question::Closed, view::Explanation};

/// Judge the log: stale questions, flagged answers, quiet runs
///
/// Exits with 1 if there is an error, and with 3 if there is none but something could not be determined.
#[derive(Args)]
pub struct CheckArgs {
    /// Maximum staleness, in sessions, of questions without a limit of their own
    #[arg(long, value_name = "N")]
    staleness: Option<u32>,
    /// Maximum number of sessions in a row that report no change while HEAD moves
    #[arg(long, value_name = "N")]
    max_consecutive: Option<u32>,
    /// Use the rule of the original scripts and ignore what questions watch
    #[arg(long)]
    original: bool,
    /// Check this commit instead of HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
    tip: Option<String>,
    /// Take questions and limits from this branch, and report what the checked commit loosens
    ///
    /// A branch, a commit's id, or the full name of a ref.
    #[arg(long, value_name = "REV", add = complete::revisions())]
    base: Option<String>,
    /// Close the named entries, runs, questions and lines, or all, after you dealt with them; for people only, on a
    /// terminal
    ///
    /// Adds a line for each to the file beside the question store, in the worktree.
    #[arg(long, value_name = "ID", num_args = 0.., conflicts_with_all = ["staleness", "max_consecutive", "original", "tip", "base", "explain", "format"])]
    accept: Option<Vec<String>>,
    /// Why it is closed; one line of at most 500 characters
    #[arg(long, value_name = "TEXT", requires = "accept")]
    because: Option<String>,
    /// Explain a rule: what it means, why it matters, how to fix it, and what it cannot see
    #[arg(long, value_name = "RULE", hide_possible_values = true)]
    explain: Option<Rule>,
    /// Output format; markdown is for pull requests, the last four are for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: GateFormat,
}

impl CheckArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if let Some(rule) = self.explain {
            return context.show(None, &Explanation::of(rule), self.format.plain());
        }
        if let Some(ids) = &self.accept {
            return accept(context, ids, self.because.as_deref());
        }
        let measure = Measure {
            staleness: self.staleness,
            max_run: self.max_consecutive,
            original: self.original,
        };
        let mut project = context.project(self.tip.as_deref())?;
        if let Some(base) = &self.base {
            let commit = project.repo.base(base)?;
            let default = project.default_beside(commit)?;
            project = project.with_base(commit, default, false)?;
        }
        let check = check(context, &project, &measure)?;
        show(context, &project.repo, &check, self.format);
        Ok(outcome(&check))
    }
}

fn accept(context: &Context, ids: &[String], because: Option<&str>) -> CommandResult {
    context.require_person("git sq check --accept")?;
    let mut all = context.project(None)?.closable()?;
    if !ids.is_empty() {
        let is_it = |closed: &Closed, id: &String| {
            closed.id == *id || closed.entry().is_some_and(|entry| entry == id)
        };
        let lacks = ids.iter().filter(|id| all.iter().all(|(closed, _)| !is_it(closed, id)));
        let lacks = lacks.map(|id| format!("nothing with this id is waiting for a person: {id}"));
        Failure::check(lacks.collect(), ["nothing was changed; `git sq check` lists what waits"])?;
        all.retain(|(closed, _)| ids.iter().any(|id| is_it(closed, id)));
    }
    if all.is_empty() {
        return context.say("Nothing to accept. Drifts and disputes are for `git sq triage`.\n");
    }
    close_all(context, &all, because)
}
