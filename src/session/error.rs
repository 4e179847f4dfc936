//! Why a session could not be started, ended or named.

use crate::{entry::MAX_LINE, git, store};

/// An error of this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("invalid session name {0:?}")]
    BadName(String),
    #[error("invalid duration in sq.grace: {0:?}")]
    BadGrace(String),
    /// An abbreviation, and what it could mean.
    #[error("session {0:?} is ambiguous: {1}")]
    Ambiguous(String, String),
    #[error("session {0} has ended")]
    Ended(String),
    /// A session, whose it is, and who is not that.
    #[error("session {0} belongs to {1}, not to {2}")]
    OfAnother(String, String, String),
    #[error("the entry would be {0} bytes long, more than {MAX_LINE}")]
    TooLong(usize),
    /// What looks like a secret, and where.
    #[error("{0}")]
    Secret(String),
}

impl Error {
    /// The remedy.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Store(error) => error.hint(),
            Self::BadName(_) => {
                Some("nothing was written; use 1 to 128 characters without whitespace")
            }
            Self::BadGrace(_) => Some(super::SET_GRACE),
            Self::Ambiguous(..) => Some("nothing was written; give more characters"),
            Self::Ended(_) => Some(
                "nothing was written; leave out --sid, or resume it: git sq session start --sid NAME",
            ),
            Self::OfAnother(..) => Some(
                "nothing was written; leave out --sid and SQ_SESSION to write a state of your own",
            ),
            Self::Secret(_) => {
                Some("nothing was written; name the session and the agent otherwise")
            }
            Self::TooLong(_) => {
                Some("nothing was written; shorten SQ_AGENT, SQ_MODEL or SQ_HARNESS")
            }
        }
    }
}
