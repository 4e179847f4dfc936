//! A first question store, planted in the worktree.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    Error,
    planted::{Ground, Planted},
    unwritten,
};
use crate::{
    file,
    git::Repo,
    question::{NewQuestion, Question, StoreEdit, parse},
};

/// The file at `path` in the worktree; fails if a link leads out of it.
fn file_in_worktree(root: &Path, path: &str) -> Result<PathBuf, Error> {
    if path.ends_with('/') || !file::leads_below(path.as_ref()) {
        return Err(Error::refused(
            format!("sq.questions is {path:?}, which is not a file in the worktree"),
            "set it with `git config sq.questions PATH`, relative to the root of the worktree",
        ));
    }
    if let Some(link) = file::link_in(root, path.as_ref()) {
        return Err(Error::refused(
            format!(
                "{} is a symbolic link; git sq only writes inside the worktree",
                link.display()
            ),
            "remove the link, or use another file with `git config sq.questions PATH`",
        ));
    }
    Ok(root.join(path))
}

/// A store's questions that are about something that is there.
pub fn fitting(text: &str, is_there: impl Fn(&Question, &str) -> bool) -> String {
    let parsed = parse("seed", text.as_bytes()).unwrap_or_default();
    let Some(mut edit) = StoreEdit::new(text, &parsed) else {
        return text.to_owned();
    };
    edit.fit(is_there);
    edit.finish()
}

/// The text of a store with these questions added.
pub fn with_questions(text: String, added: &[NewQuestion]) -> String {
    let parsed = parse("seed", text.as_bytes()).unwrap_or_default();
    let Some(mut edit) = StoreEdit::new(&text, &parsed) else {
        return text;
    };
    // One that a store can't hold is left out: the others are of use without it.
    let _ = added.iter().try_for_each(|question| edit.add(question));
    let whole = edit.finish();
    if parse("seed", whole.as_bytes()).is_ok() { whole } else { text }
}

/// Returns false if another process was faster. A dry run only checks that planting is possible.
pub fn plant(ground: &Ground, path: &str, text: &str, dry_run: bool) -> Result<bool, Error> {
    let file = file_in_worktree(&ground.root, path)?;
    if dry_run {
        return Ok(true);
    }
    let planted = Planted::new(text, None, BTreeSet::new());
    match ground.plant(path.as_ref(), text, planted, file::create) {
        Ok(()) => Ok(true),
        Err(_) if file.exists() => Ok(false),
        Err(error) => Err(unwritten(&file, &error, "git sq init")),
    }
}

/// The untracked files at these paths, and true for those that are unchanged since they were planted.
pub fn untracked(repo: &Repo, ground: &Ground, paths: &[String]) -> Vec<(String, bool)> {
    let is_untracked = |path: &str| repo.tracks(path).is_ok_and(|tracks| !tracks);
    paths
        .iter()
        .filter(|path| file_in_worktree(&ground.root, path).is_ok() && is_untracked(path))
        .filter_map(|path| {
            let bytes = file::read(&ground.root, path.as_ref(), file::MOST).ok()?;
            let planted = ground.planted(path.as_ref(), Some(&bytes));
            Some((path.clone(), planted.is_some_and(|it| it.is(&bytes))))
        })
        .collect()
}
