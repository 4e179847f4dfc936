//! A first question store: planted in the worktree, and recognised later by its bytes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{EMPTY_STORE, Error, QuestionSetName, questions, unwritten};
use crate::{
    file,
    git::Repo,
    question::{QuestionSet, StoreEdit, parse},
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

/// The questions of a set that are about something that is there.
pub fn fitting(set: QuestionSetName, is_there: impl Fn(&str) -> bool) -> String {
    let text = questions(set);
    let parsed = parse("seed", text.as_bytes()).unwrap_or_default();
    let Some(mut edit) = StoreEdit::new(text, &parsed) else {
        return text.to_owned();
    };
    edit.fit(is_there);
    edit.finish()
}

/// Returns false if another process was faster. A dry run only checks that planting is possible.
pub fn plant(root: &Path, path: &str, text: &str, dry_run: bool) -> Result<bool, Error> {
    let file = file_in_worktree(root, path)?;
    if dry_run {
        return Ok(true);
    }
    match file::create(&file, text) {
        Ok(()) => Ok(true),
        Err(_) if file.exists() => Ok(false),
        Err(error) => Err(unwritten(&file, &error, "git sq init")),
    }
}

/// The untracked files at these paths that are unchanged since they were planted.
pub fn planted(repo: &Repo, paths: &[String]) -> Vec<(String, PathBuf)> {
    let Some(root) = repo.worktree() else {
        return Vec::new();
    };
    let is_seed = |bytes: Vec<u8>| {
        let set: QuestionSet = parse("store", &bytes).unwrap_or_default();
        let specs = set.questions.iter().flat_map(|question| question.dependencies().into_owned());
        let specs: Vec<String> = specs.collect();
        let mut sets = QuestionSetName::value_variants().iter();
        let is_named = |spec: &str| specs.iter().any(|named| named == spec);
        bytes == EMPTY_STORE.as_bytes()
            || sets.any(|set| fitting(*set, is_named).as_bytes() == bytes)
    };
    let is_untracked = |path: &str| repo.tracks(path).is_ok_and(|tracks| !tracks);
    paths
        .iter()
        .filter_map(|path| {
            let file = file_in_worktree(&root, path).ok()?;
            let is_ours = file::read(&root, path.as_ref(), file::MOST).is_ok_and(is_seed)
                && is_untracked(path);
            is_ours.then(|| (path.clone(), file))
        })
        .collect()
}

/// Removes a planted file, and the folders in the worktree that are then empty.
pub fn uproot(root: &Path, file: &Path) -> io::Result<()> {
    fs::remove_file(file)?;
    for folder in file.ancestors().skip(1).take_while(|dir| *dir != root) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
