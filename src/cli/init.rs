//! `git sq init`: sets this clone up, and takes that back.

use clap::Args;

use super::{CommandResult, Context, Outcome, question_store::store_of_head};
use crate::{
    metrics::StoreNews,
    report::{next_steps_text, steps_text},
    setup::{InitOptions, PresentStore, QuestionSetName, Steps, init, share_log, undo},
};

const NOTHING_DONE: &str = "Nothing was done (--dry-run).\n";

/// Set this clone up: plant a question store, show the log in `git log`, fetch and push it with the upstream
///
/// Says each thing that it does. Running it again does what is missing.
#[derive(Args)]
pub struct InitArgs {
    /// Which questions to begin with, where there is no store yet
    #[arg(long, value_enum, value_name = "SET", default_value = "generic")]
    set: QuestionSetName,
    #[command(flatten)]
    declined: Declined,
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Take back what init did, all but the log and committed files
    #[arg(long)]
    undo: bool,
}

/// What is done unless it is declined.
#[derive(Args)]
struct Declined {
    /// Leave `notes.displayRef` alone: plain `git log` will not show the log
    #[arg(long)]
    no_display: bool,
    /// Set no hooks: `git sq sync` pushes the log, `git sq carry` finds rewritten commits
    #[arg(long)]
    no_hooks: bool,
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
            display: !self.declined.no_display,
            hooks: !self.declined.no_hooks,
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
        let has_identity = repo.require_identity().is_ok();
        context.print(&next_steps_text(to_commit.as_deref(), has_identity));
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
