//! Why a session could not be started, ended or named.

use crate::{entry::MAX_LINE, git, store};

/// An error of this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0:?} is not a session's name")]
    BadName(String),
    #[error("sq.grace is {0:?}, which is not a length of time")]
    BadGrace(String),
    #[error("no session is running in this worktree")]
    NoneRunning,
    /// The session of this name is not the worktree's current one.
    #[error("the session {0} is not running in this worktree")]
    NotRunning(String),
    #[error("the entry would be {0} bytes long, more than {MAX_LINE}")]
    TooLong(usize),
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Store(error) => error.hint(),
            Self::BadName(_) => Some("nothing was written; use 1 to 128 characters without blanks"),
            Self::BadGrace(_) => Some(super::SET_GRACE),
            Self::NoneRunning | Self::NotRunning(_) => Some("`git sq session start` starts one"),
            Self::TooLong(_) => Some("nothing was written; shorten SQ_AGENT and its like"),
        }
    }
}
