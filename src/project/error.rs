//! Why there is nothing to look at, or it can't be read.

use crate::{
    git,
    question::{STORE_PATHS, StoreError},
    store,
};

/// An error of this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The question store can't be used.
    #[error(transparent)]
    Questions(#[from] StoreError),
    #[error("HEAD has no commit yet, and every entry belongs to one")]
    NoCommit,
    /// Neither the tip nor the worktree has a question store.
    #[error("there is no question store: neither {} was found", STORE_PATHS.join(" nor "))]
    NoQuestions,
    /// Another branch has one.
    #[error("this commit has no question store, and {branch} has one ({path})")]
    QuestionsElsewhere { branch: String, path: String },
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Store(error) => error.hint(),
            Self::Questions(_) => None,
            Self::QuestionsElsewhere { .. } => Some(
                "merge that branch, or take the file from it with `git checkout BRANCH -- PATH`",
            ),
            Self::NoCommit => Some("make a first commit; `git sq init` can come before it"),
            Self::NoQuestions => {
                Some("`git sq init` plants one; `git config sq.questions PATH` names another place")
            }
        }
    }
}
