//! Says why a commit or the worktree has no question store, and what to do about it.

use super::Error;
use crate::{
    git::{ErrorKind, Oid, Repo},
    question::store_paths,
    timeline::short,
};

/// The error of a command that needs the questions of a commit.
pub(super) fn no_questions(repo: &Repo) -> Error {
    if let Some(error) = on_default_branch(repo, "this commit") {
        return error;
    }
    let error = Error::new(ErrorKind::NoQuestions, "there is no question store");
    if repo.worktree().is_none() {
        return error.help(
            "this repository is bare: commit one in a clone that has a worktree, and push it",
        );
    }
    error.help([
        "`git sq init` creates context/standing_questions.json",
        "`git config sq.questions PATH` sets another path",
    ])
}

/// The error of a command that needs the question store in the worktree, where HEAD's can be read.
pub(super) fn not_in_worktree(repo: &Repo) -> Error {
    if repo.worktree().is_none() {
        return Error::new(
            ErrorKind::NoQuestions,
            "this repository is bare, and has no worktree with a question store",
        )
        .help("change the questions in a clone that has a worktree, and push them");
    }
    let head = repo.head().ok().and_then(|head| head.commit);
    if let Some(path) = head.and_then(|head| path_at(repo, head)) {
        let (why, help) = repo.not_checked_out(&path);
        return Error::new(ErrorKind::NoQuestions, format!("{path} {why}")).help(help);
    }
    on_default_branch(repo, "the worktree").unwrap_or_else(|| {
        Error::new(ErrorKind::NoQuestions, "the worktree has no question store")
            .help("`git sq init` creates one")
    })
}

/// The name and the commit of the default branch, and the path of its question store, if it has one.
pub fn default_store(repo: &Repo) -> Option<(String, Oid, String)> {
    let (branch, tip) = repo.default_branch(None).ok()??;
    let path = path_at(repo, tip)?;
    Some((branch, tip, path))
}

fn on_default_branch(repo: &Repo, what: &str) -> Option<Error> {
    let (branch, tip, path) = default_store(repo)?;
    let help = match repo.worktree() {
        Some(_) => format!(
            "merge that branch, or take the file from it: `git checkout {} -- {}`",
            short(tip),
            repo.pathspec(&path)
        ),
        None => "merge that branch".to_owned(),
    };
    let message = format!("{what} has no question store, and {branch} has one ({path})");
    Some(Error::refused(message, help))
}

fn path_at(repo: &Repo, commit: Oid) -> Option<String> {
    store_paths(repo.config_string("sq.questions"))
        .into_iter()
        .find(|path| matches!(repo.blob_at(commit, path), Ok(Some(_))))
}
