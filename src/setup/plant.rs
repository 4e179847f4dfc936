//! A first question store: planted in the worktree, and recognised later by its bytes.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{Error, QuestionSetName, questions, unwritten};
use crate::{file, git::Repo};

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

/// Returns false if another process was faster. A dry run only checks that planting is possible.
pub fn plant(root: &Path, path: &str, set: QuestionSetName, dry_run: bool) -> Result<bool, Error> {
    let file = file_in_worktree(root, path)?;
    if dry_run {
        return Ok(true);
    }
    let write = || -> io::Result<()> {
        let folder = file.parent().unwrap_or(root);
        fs::create_dir_all(folder)?;
        let mut beside = tempfile::Builder::new();
        #[cfg(unix)]
        beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut planted = beside.tempfile_in(folder)?;
        planted.write_all(questions(set).as_bytes())?;
        planted.persist_noclobber(&file)?;
        Ok(())
    };
    match write() {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(unwritten(&file, &error, "git sq init")),
    }
}

/// The untracked files at these paths that are unchanged since they were planted.
pub fn planted(repo: &Repo, paths: &[String]) -> Vec<(String, PathBuf)> {
    let Some(root) = repo.worktree() else {
        return Vec::new();
    };
    let is_seed = |bytes: Vec<u8>| {
        let sets = QuestionSetName::value_variants().iter();
        sets.map(|set| questions(*set))
            .any(|seed| seed.as_bytes() == bytes)
    };
    let is_untracked = |path: &str| repo.tracks(path).is_ok_and(|tracks| !tracks);
    let files = paths.iter().filter_map(|path| {
        let file = file_in_worktree(&root, path).ok()?;
        let found = file::read(&root, path.as_ref(), file::MOST);
        let is_ours = found.is_ok_and(is_seed) && is_untracked(path);
        is_ours.then(|| (path.clone(), file))
    });
    files.collect()
}

/// Removes a planted file, and the folders in the worktree that are then empty.
pub fn uproot(root: &Path, file: &Path) -> io::Result<()> {
    fs::remove_file(file)?;
    let above = file.ancestors().skip(1).take_while(|dir| *dir != root);
    for folder in above {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
