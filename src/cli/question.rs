mod add;
mod approve;
mod depends;
pub mod edit;
mod history;
mod test;

use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs};
use crate::{
    project::{Measure, lint, no_store},
    view::Questions,
};

commands! {
    /// List the questions, check the store, or change it
    pub QuestionCommand:
    List(ListArgs),
    Lint(LintArgs),
    Add(Box<add::AddArgs>),
    #[command(flatten)]
    Edit(edit::EditCommand),
    History(history::HistoryArgs),
    Test(test::TestArgs),
    Approve(approve::ApproveArgs),
}

/// List the questions that can be answered
#[derive(Args)]
pub struct ListArgs {
    /// Include deprecated and retired questions
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Check the question store in the worktree
#[derive(Args)]
pub struct LintArgs {
    #[command(flatten)]
    print: PrintArgs,
}

impl ListArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        // What can't be read is said by `git sq check`.
        let standings =
            project.snapshot(&Measure::default()).map(|snapshot| snapshot.survey.standings);
        let mut list =
            Questions::of(&store.set, &store.path).standing_as(&standings.unwrap_or_default());
        list.questions.retain(|row| self.all || row.status.is_asked());
        list.warnings = store.warning().into_iter().collect();
        context.show(&project.repo, &list, self.print.format)
    }
}

impl LintArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let found = lint(&repo, context.now).map_err(|error| match error.questions() {
            Some(_) => error.help("fix it, and commit it: HEAD's questions are used"),
            None => error,
        })?;
        let found = found.ok_or_else(|| no_store(&repo))?;
        let mut list = Questions::of(&found.set, &found.path);
        list.is_checked = true;
        (list.errors, list.warnings) = (found.errors, found.warnings);
        context.show(&repo, &list, self.print.format)?;
        Ok(Outcome::of(!list.errors.is_empty(), &[]))
    }
}
