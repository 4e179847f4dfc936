mod add;
mod approve;
pub mod edit;
mod graduate;
mod history;
mod suggest;
mod test;

use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, probe::ProbeArgs};
use crate::{
    git::Pathspecs,
    project::{FoundStore, committed_store, worktree_store},
    question::{self, Probe, QuestionSet},
    view::{QuestionList, QuestionRow, Questions},
};

/// List the questions, check the store, or change it
#[derive(Args)]
pub struct QuestionArgs {
    #[command(subcommand)]
    command: QuestionCommand,
}

commands! { QuestionCommand:
    List(ListArgs),
    Lint(LintArgs),
    Add(Box<add::AddArgs>),
    Reword(edit::RewordArgs),
    Retire(edit::RetireArgs),
    Graduate(graduate::GraduateArgs),
    Trial(edit::TrialArgs),
    Promote(edit::PromoteArgs),
    History(history::HistoryArgs),
    Test(test::TestArgs),
    Suggest(suggest::SuggestArgs),
    Approve(approve::ApproveArgs),
    Probe(ProbeArgs),
}

/// List the questions that can be answered
#[derive(Args)]
struct ListArgs {
    /// Include deprecated and retired questions
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Check the question store in the worktree
#[derive(Args)]
struct LintArgs {
    #[command(flatten)]
    print: PrintArgs,
}

impl QuestionArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        self.command.run(context)
    }
}

impl ListArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        let FoundStore { set, path, .. } = store;
        let mut list = document(set, path);
        list.questions
            .retain(|row| self.all || row.status.is_asked());
        list.warnings = store.warning().into_iter().collect();
        context.show(
            &project.repo,
            &QuestionList { store: list },
            self.print.format,
        );
        Ok(Outcome::Clean)
    }
}

impl LintArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let (path, _, set) = worktree_store(&repo)?.ok_or_else(no_store)?;
        for question in &set.questions {
            let read = question.probe.as_ref().map(Probe::reads);
            let specs = [question.watch.clone(), read.unwrap_or_default()].concat();
            Pathspecs::parse(&specs).map_err(|mut error| {
                error.message = format!("{path}: {}: {}", question.name(), error.message);
                error
            })?;
        }
        let mut list = document(&set, &path);
        let committed = committed_store(&repo)?.map(|store| store.set);
        list.errors = question::errors(&set, committed.as_ref(), context.now);
        list.warnings = question::warnings(&set);
        if let Some(head) = repo.head()?.commit {
            for question in set.active() {
                let name = question.name();
                for spec in repo.unmatched(head, &question.watch)? {
                    let unmatched = format!("{name} watches {spec}, which matches no file in HEAD");
                    list.warnings.push(unmatched);
                }
                let read = question.probe.as_ref().map(Probe::reads);
                let read = read.unwrap_or_default();
                let unmatched = repo.unmatched(head, &read)?;
                // A probe may list files that come and go.
                let has_some = unmatched.len() < read.len();
                for spec in unmatched {
                    let why = match repo.has_untracked(spec)? {
                        true => "which git does not track: a probe sees only committed files",
                        false if has_some => continue,
                        false => "which matches no file in HEAD",
                    };
                    let path = spec.trim_start_matches(":(literal)");
                    list.warnings.push(format!("{name} reads {path}, {why}"));
                }
            }
        }
        context.show(&repo, &list, self.print.format);
        Ok(Outcome::of(!list.errors.is_empty(), &[]))
    }
}

fn no_store() -> Failure {
    Failure::refused(
        "the worktree has no question store",
        "`git sq init` creates one",
    )
}

fn document(set: &QuestionSet, path: &str) -> Questions {
    let rows = set.questions.iter().map(|question| QuestionRow {
        q_id: question.id.clone(),
        q_version: question.version,
        q: question.text.clone(),
        importance: question.importance.0,
        status: question.status,
        watch: question.watch.clone(),
    });
    Questions {
        path: path.to_owned(),
        format: set.schema,
        questions: rows.collect(),
        errors: Vec::new(),
        warnings: Vec::new(),
    }
}
