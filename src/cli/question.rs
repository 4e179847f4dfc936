mod add;
mod approve;
pub mod edit;
mod graduate;
mod history;
mod pull;
mod suggest;
mod test;

use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs, probe::ProbeArgs};
use crate::{
    git::Pathspecs,
    project::{committed_store, no_store, worktree_store},
    question::{self, Probe},
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
    Pull(pull::PullArgs),
    Graduate(graduate::GraduateArgs),
    History(history::HistoryArgs),
    Test(test::TestArgs),
    Suggest(suggest::SuggestArgs),
    Approve(approve::ApproveArgs),
    Probe(ProbeArgs),
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

const LIST: &str = "`git sq question list` lists the questions";

impl ListArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        let mut list = Questions::of(&store.set, &store.path);
        list.questions.retain(|row| self.all || row.status.is_asked());
        list.warnings = store.warning().into_iter().collect();
        context.show(&project.repo, &list, self.print.format)
    }
}

impl LintArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let (path, _, set) = worktree_store(&repo)?.ok_or_else(|| no_store(&repo))?;
        let read = |probe: &Option<Probe>| probe.as_ref().map(Probe::reads).unwrap_or_default();
        for question in &set.questions {
            let specs = [question.watch.clone(), read(&question.probe)].concat();
            Pathspecs::parse(&specs).map_err(|mut error| {
                error.message = format!("{path}: {}: {}", question.name(), error.message);
                error
            })?;
        }
        let mut list = Questions::of(&set, &path);
        list.is_checked = true;
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
                let read = read(&question.probe);
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
        context.show(&repo, &list, self.print.format)?;
        Ok(Outcome::of(!list.errors.is_empty(), &[]))
    }
}
