//! Why there is nothing to look at, or it can't be read.

use crate::{git, question::StoreError, store};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The question store can't be used.
    #[error(transparent)]
    Questions(#[from] StoreError),
    /// What is in its place is not read.
    #[error("could not read the question store: {0}")]
    Unread(String),
    /// The question store in the worktree can't be changed.
    #[error("could not write the question store: {0}")]
    Unwritten(std::io::Error),
    #[error("HEAD has no commit yet")]
    NoCommit,
    /// Neither the tip nor the worktree has a question store.
    #[error("there is no question store")]
    NoQuestions,
    #[error("this commit has no question store, and {branch} has one ({path})")]
    QuestionsElsewhere { branch: String, path: String },
    #[error("{0} is outside the repository")]
    Outside(String),
}

impl Error {
    /// The remedy.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Store(error) => error.hint(),
            Self::Questions(_) | Self::Outside(_) => None,
            Self::Unwritten(_) => Some("nothing was changed; see that its folder can be written"),
            Self::Unread(_) => Some(
                "it has to be a regular file of at most 1 MiB in the worktree; `sq.questions` is its path, where that is set",
            ),
            Self::QuestionsElsewhere { .. } => Some(
                "merge that branch, or take the file from it with `git checkout BRANCH -- PATH`",
            ),
            Self::NoCommit => Some(
                "entries are attached to commits: make the first one; `git sq init` works before that",
            ),
            Self::NoQuestions => Some(
                "`git sq init` creates context/standing_questions.json\nanother path is set with `git config sq.questions PATH`",
            ),
        }
    }
}
