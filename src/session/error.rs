//! Why a session could not be started, ended or named.

use std::fmt;

use crate::{entry::MAX_LINE, git, store};

/// An error of this room.
#[derive(Debug)]
pub enum Error {
    Git(git::Error),
    Store(store::Error),
    /// This can't be a session's name.
    BadName(String),
    /// `sq.grace` holds this, which is no length of time.
    BadGrace(String),
    /// The session of this name is not the worktree's current one; None where it has no current one.
    NotRunning(Option<String>),
    /// The entry would have this many bytes.
    TooLong(usize),
}

impl Error {
    /// What to do about it, where that is not said by the error inside.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Git(_) | Self::Store(_) => None,
            Self::BadName(_) => Some("nothing was written; use 1 to 128 characters without blanks"),
            Self::BadGrace(_) => Some(super::SET_GRACE),
            Self::NotRunning(_) => Some("`git sq session start` starts one"),
            Self::TooLong(_) => Some("nothing was written; shorten SQ_AGENT and its like"),
        }
    }
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Git(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::BadName(name) => write!(f, "{name:?} is not a session's name"),
            Self::BadGrace(text) => {
                write!(f, "sq.grace is {text:?}, which is not a length of time")
            }
            Self::NotRunning(Some(sid)) => {
                write!(f, "the session {sid} is not running in this worktree")
            }
            Self::NotRunning(None) => f.write_str("no session is running in this worktree"),
            Self::TooLong(length) => write!(
                f,
                "the entry would be {length} bytes long, more than {MAX_LINE}"
            ),
        }
    }
}

impl std::error::Error for Error {}
