//! `git sq check`: the metrics as a gate.

use clap::Args;

use super::{
    CommandResult, Context,
    gate::{GateFormat, check, outcome, show},
    question::edit::edit,
};
use crate::{
    finding::Rule,
    project::Measure,
    proof::misdated,
    view::{Explanation, entries, escape},
};

/// Judge the log: stale questions, flagged answers, quiet runs
///
/// Exits with 0 if there is no error, with 1 if there is one, and with 3 if something could not be determined.
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
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Take questions and limits from this branch, and report what the checked commit loosens
    ///
    /// A branch, a commit's id, or the full name of a ref.
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Accept the flagged and misdated entries, for people only, on a terminal: add their ids to the question store in the worktree
    #[arg(long, exclusive = true)]
    accept: bool,
    /// Explain a rule: what it means, why it matters, how to fix it, and what it cannot see
    #[arg(long, value_name = "RULE", hide_possible_values = true)]
    explain: Option<Rule>,
    /// Output format; the last four are for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: GateFormat,
}

impl CheckArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if let Some(rule) = self.explain {
            return context.show(None, &Explanation::of(rule), self.format.plain());
        }
        if self.accept {
            return accept(context);
        }
        let measure = Measure {
            staleness: self.staleness,
            max_run: self.max_consecutive,
            original: self.original,
        };
        let mut project = context.project(self.tip.as_deref())?;
        if let Some(base) = &self.base {
            let commit = project.repo.base(base)?;
            let default = project.repo.default_branch(project.head.branch.as_deref())?;
            project = project.with_base(commit, default.map(|(_, tip)| tip))?;
        }
        let check = check(context, &project, &measure)?;
        show(context, &project.repo, &check, self.format);
        Ok(outcome(&check))
    }
}

fn accept(context: &Context) -> CommandResult {
    context.require_person("git sq check --accept")?;
    let project = context.project(None)?;
    let measure = Measure::default();
    let accepted = project.questions_with_limits(&measure)?.settings.accepted;
    let survey = project.snapshot(&measure)?.survey;
    let mut flagged = survey.flagged_entries();
    flagged.retain(|entry| !accepted.contains(entry));
    let facts = project.log_facts(None, None)?;
    let misdated = misdated(&facts);
    let dated: Vec<String> =
        misdated.keys().map(ToString::to_string).filter(|entry| !flagged.contains(entry)).collect();
    flagged.extend(dated);
    if flagged.is_empty() {
        return context.say("No entry is flagged.\n");
    }
    let of = |question: &str, sid: &str| format!("{question} of session {sid}");
    let named = survey.flagged.into_iter().map(|look| (look.entry, of(&look.question, &look.sid)));
    let wrong = survey
        .second
        .wrong
        .into_iter()
        .map(|look| (look.entry.clone(), of(&look.name(), &look.sid)));
    let dated = misdated.into_iter().map(|(id, why)| (id.to_owned(), why));
    let all: Vec<_> = named.chain(wrong).chain(dated).collect();
    edit(context, |store| {
        let new = store.accept(&flagged);
        let lines = all
            .iter()
            .filter(|(entry, _)| new.contains(&entry))
            .map(|(entry, what)| format!("\n  {entry}  {}", escape(what)));
        Ok(format!("accepts {} more{}", entries(new.len()), lines.collect::<String>()))
    })
}
