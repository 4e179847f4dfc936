use clap::Args;

use super::edit::edit;
use crate::{
    cli::{CommandResult, Context, Failure, Outcome},
    project::{foreign_store, from_root, no_store, worktree_store},
    question::StoreEdit,
    view::escape,
};

/// Copy the active questions of another store
///
/// Adds new questions to the store in the worktree, and newer versions of those that were pulled before. Each keeps
/// its source in the key `x-from`. Questions of another source, or with another text, are left alone and named; then
/// exits with 1. Refused to agents, except `--check`.
#[derive(Args)]
pub struct PullArgs {
    /// A question store, a repository that has one, or the URL of a repository; defaults to the sources of questions that
    /// were pulled before
    source: Option<String>,
    /// Change nothing; exit with 1 if a source has newer questions
    #[arg(long)]
    check: bool,
}

impl PullArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let (path, bytes, set) = worktree_store(&repo)?.ok_or_else(|| no_store(&repo))?;
        let text = String::from_utf8_lossy(&bytes);
        let unreadable =
            |path: &str| Failure::refused(format!("could not find the questions in {path}"), "");
        let mut store = StoreEdit::new(&text, &set).ok_or_else(|| unreadable(&path))?;
        let root = repo.worktree().unwrap_or_else(|| context.dir.clone());
        let sources = match &self.source {
            Some(source) => vec![from_root(&root, &context.dir, source)?],
            None => store.sources(),
        };
        let mut outcome = Outcome::Clean;
        for source in &sources {
            let (text, set) = foreign_store(&root, source)?;
            let theirs = StoreEdit::new(&text, &set).ok_or_else(|| unreadable(source))?;
            let pulled = store.pull(&theirs, source);
            let name = escape(source);
            for clash in &pulled.clashes {
                context.note(&format!("warning: {}\n", escape(clash)));
                outcome = Outcome::Findings;
            }
            match pulled.added.as_slice() {
                [] => drop(context.print(&format!("{name}: nothing newer\n"))),
                added if self.check => {
                    context.print(&format!("{name}: newer: {}\n", added.join(", ")));
                    outcome = Outcome::Findings;
                }
                added => {
                    edit(context, |store| {
                        store.pull(&theirs, source);
                        Ok(format!("took {} from {name}", added.join(", ")))
                    })?;
                }
            }
        }
        if sources.is_empty() {
            context.print("No questions have been pulled yet.\n");
        }
        Ok(outcome)
    }
}
