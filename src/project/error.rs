//! Why there is nothing to look at, or it can't be read.

use crate::{git, question::StoreError, store};

/// An error of this room.
#[derive(Debug)]
pub enum Error {
    Git(git::Error),
    Store(store::Error),
    /// The question store can't be used.
    Questions(Box<StoreError>),
    /// HEAD has no commit yet.
    NoCommit,
    /// Neither the tip nor the worktree has a question store.
    NoQuestions,
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Git(error)
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Questions(Box::new(error))
    }
}
