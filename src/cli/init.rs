use clap::Args;

use super::{
    CommandResult, Context, Outcome,
    install::{note_unless_on_path, planted},
};
use crate::{
    facts::Search,
    git::Repo,
    project::{facts, store_of_head},
    rules::StoreNews,
    setup::{Choices, QuestionSetName, Steps, init, share_log, undo},
    view::{next_steps_text, steps_text},
};

const NOTHING_DONE: &str = "Nothing was changed (--dry-run).\n";

/// Set up this clone: a question store, and the log's sharing
///
/// Prints each step. Running it again does only what is missing.
#[derive(Args)]
pub struct InitArgs {
    /// The questions to start with, if there is no store yet
    #[arg(long, value_enum, value_name = "SET", default_value = "generic")]
    set: QuestionSetName,
    /// Start without questions
    #[arg(long, conflicts_with = "set")]
    empty: bool,
    #[command(flatten)]
    choices: Choices,
    /// Show what would be done without doing it
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Undo what init did, for people only, on a terminal; the log and committed files stay
    #[arg(long)]
    undo: bool,
}

/// The number of facts that are wrong at HEAD; what can't be read is no fact. A partial clone would have to fetch.
fn wrong_facts(repo: &Repo, context: &Context) -> usize {
    let head = repo.head().ok().and_then(|head| head.commit);
    let head = head.filter(|_| repo.promisors().is_empty());
    let found =
        head.and_then(|head| facts(repo, &Search::of(head, context.now), context.cache).ok());
    let found = found.unwrap_or_default().facts.into_iter();
    found.filter(|found| found.is_likely && found.state.is_wrong()).count()
}

fn agents_to_set_up(context: &Context) -> Vec<String> {
    planted(context)
        .agents
        .into_iter()
        .filter(|agent| agent.found && agent.planted.is_empty())
        .map(|agent| agent.name.name().to_owned())
        .collect()
}

impl InitArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.undo {
            return self.undo(context);
        }
        let mut repo = context.open()?;
        let mut steps = Steps { dry_run: self.dry_run, ..Steps::default() };
        let present = store_of_head(&repo)?.map(|it| (it.path, it.news != StoreNews::NotCommitted));
        let set = (!self.empty).then_some(self.set);
        let done = init(&mut repo, present, set, &self.choices, &mut steps);
        // Steps before an error were done all the same.
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        let to_commit = done?;
        if self.dry_run {
            context.print(NOTHING_DONE);
            return Ok(Outcome::Clean);
        }
        let mut steps = Steps::default();
        share_log(&repo, &mut steps)?;
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        context.print(&next_steps_text(
            to_commit.as_deref(),
            repo.require_identity().is_ok(),
            wrong_facts(&repo, context),
            &agents_to_set_up(context),
        ));
        if !self.choices.no_hooks && repo.worktree().is_some() {
            note_unless_on_path(context);
        }
        Ok(Outcome::Clean)
    }

    fn undo(&self, context: &Context) -> CommandResult {
        if !self.dry_run {
            context.require_person("git sq init --undo")?;
        }
        let mut repo = context.open()?;
        let mut steps = Steps { dry_run: self.dry_run, ..Steps::default() };
        let undone = undo(&mut repo, &mut steps);
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        undone?;
        context.print(
            "The log (refs/notes/sq), committed files and questions that were changed are kept.\n",
        );
        if planted(context).is_planted_here() {
            context.print(
                "Coding agents are still set up to call git sq; `git sq agent remove` undoes that.\n",
            );
        }
        if self.dry_run {
            context.print(NOTHING_DONE);
        }
        Ok(Outcome::Clean)
    }
}
