//! Closing what a person dealt with: lines of the file beside the question store.

use super::{CommandResult, Context, Failure};
use crate::{
    entry::{CLOSING_NOTE_MAX, fitting, word},
    project::{close, store_paths, worktree_store},
    question::{Closed, Closing},
    store::WritersLock,
    view::escape,
};

/// Adds closings, each with what it closes in words, to the file in the worktree, and reports it.
pub fn close_all(
    context: &Context,
    closed: &[(Closed, String)],
    because: Option<&str>,
) -> CommandResult {
    let mut reasons = Vec::new();
    let because = because.map(|because| fitting("reason", because, CLOSING_NOTE_MAX, &mut reasons));
    Failure::check(reasons, ["nothing was changed"])?;
    let repo = context.open()?;
    repo.require_identity()?;
    let by = repo.identity().map(|by| format!("{} <{}>", by.name, by.email)).unwrap_or_default();
    // Two that are added at once both stay.
    let _turn = WritersLock::acquire(&repo)?;
    let store = match worktree_store(&repo)? {
        Some((store, ..)) => store,
        None => store_paths(&repo).swap_remove(0),
    };
    let date = context.today();
    let new = closed.iter().map(|(closed, _)| Closing {
        closes: closed.clone(),
        by: by.clone(),
        date: date.clone(),
        because: because.clone(),
    });
    let paths = close(&repo, &store, new.collect())?;
    let Some(path) = paths.first() else {
        return context.say("The worktree closes all of it already; only what HEAD has counts.\n");
    };
    let lines = closed.iter().map(|(Closed { kind, id, .. }, what)| {
        format!("\n  {:<13} {}  {}", word(kind), escape(id), escape(what))
    });
    let is_ignored = !repo.ignored(&[path.as_ref()])?.is_empty();
    let how = if is_ignored { " with `git add -f`, since git ignores it" } else { "" };
    context.say(&format!(
        "{}: closes{}\nCommit it{how}{}: only what HEAD has is closed.\n",
        escape(path),
        lines.collect::<String>(),
        paths.get(1).map_or_else(String::new, |path| format!(", with {}", escape(path)))
    ))
}
