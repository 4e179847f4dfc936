//! `git sq init`: sets this clone up, and takes that back.

use clap::Args;

use super::{CommandResult, Context, Outcome};
use crate::{
    metrics::StoreNews,
    project::store_of_head,
    report::{NextSteps, next_steps_text, steps_text},
    setup::{
        InitOptions, PresentStore, QuestionSetName, Steps, init, is_displayed, share_log, undo,
    },
};

const NOTHING_DONE: &str = "Nothing was done (--dry-run).\n";

/// Set this clone up: plant a question store, fetch the log from the upstream and publish it there
///
/// Says each thing that it does. Running it again does what is missing.
#[derive(Args)]
pub struct InitArgs {
    /// Which questions to begin with, where there is no store yet
    #[arg(long, value_enum, value_name = "SET", default_value = "generic")]
    set: QuestionSetName,
    /// Show the log in plain `git log`, by setting `notes.displayRef`
    #[arg(long)]
    display: bool,
    /// Set no hooks: `git sq sync` publishes the log, `git sq carry` finds rewritten commits
    #[arg(long)]
    no_hooks: bool,
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Take back what init did, all but the log and committed files
    #[arg(long)]
    undo: bool,
}

impl InitArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.undo {
            return self.undo(context);
        }
        let mut repo = context.open()?;
        let mut steps = Steps::new(self.dry_run);
        let present = store_of_head(&repo)?.map(|store| PresentStore {
            path: store.path,
            is_committed: store.news != StoreNews::NotCommitted,
        });
        let options = InitOptions {
            set: self.set,
            display: self.display,
            hooks: !self.no_hooks,
        };
        let done = init(&mut repo, present, &options, &mut steps);
        // What was done before something failed was done.
        context.print(&steps_text(&steps.list));
        let to_commit = done?;
        if self.dry_run {
            context.print(NOTHING_DONE);
            return Ok(Outcome::Clean);
        }
        let mut steps = Steps::new(false);
        share_log(&repo, &mut steps)?;
        context.print(&steps_text(&steps.list));
        let next = NextSteps {
            to_commit,
            has_identity: repo.require_identity().is_ok(),
            offers_display: !is_displayed(&repo),
        };
        context.print(&next_steps_text(&next));
        Ok(Outcome::Clean)
    }

    fn undo(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        let mut steps = Steps::new(self.dry_run);
        let undone = undo(&mut repo, &mut steps);
        context.print(&steps_text(&steps.list));
        undone?;
        context.print("The log (refs/notes/sq) and committed files stay.\n");
        if self.dry_run {
            context.print(NOTHING_DONE);
        }
        Ok(Outcome::Clean)
    }
}
