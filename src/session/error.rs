//! Why a session could not be started, ended or named.

use crate::{
    entry::{MAX_LINE, Ts},
    git, store,
};

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
    /// An abbreviation, and what it could mean.
    #[error("{0:?} could be any of the sessions {1}")]
    Ambiguous(String, String),
    #[error("the session {0} has ended")]
    Ended(String),
    /// A session, whose it is, and who is not that.
    #[error("the session {0} is {1}'s, not {2}'s")]
    OfAnother(String, String, String),
    #[error("the session {0:?} has a state of {1}, and no later time can be written")]
    EndOfTime(String, Ts),
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
            Self::Ambiguous(..) => Some("nothing was written; give more of its letters"),
            Self::Ended(_) => Some(
                "nothing was written; leave --sid out, or go on with it: git sq session start --sid NAME",
            ),
            Self::OfAnother(..) => Some(
                "nothing was written; leave --sid and SQ_SESSION out to write a state of your own",
            ),
            Self::EndOfTime(..) => {
                Some("nothing was written; begin another session: git sq session start --sid NAME")
            }
            Self::TooLong(_) => Some("nothing was written; shorten SQ_AGENT and its like"),
        }
    }
}
