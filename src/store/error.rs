//! Why the log could not be read or written.

use std::{fmt, io, path::Path};

use crate::git;

/// An error of this room.
#[derive(Debug)]
pub enum Error {
    Git(git::Error),
    /// Other writers kept moving the ref until the deadline.
    Busy,
    /// A remote does not take the log.
    Refused {
        remote: String,
        /// The ref that it does not take.
        name: String,
        /// Its own words.
        reason: String,
    },
    /// The ref that should have a remote's log has something else.
    NotALog {
        remote: String,
        name: String,
    },
    /// Others kept moving the refs of a remote.
    Outrun {
        remote: String,
    },
    /// The system would not read or write a file of ours.
    File {
        doing: String,
        error: io::Error,
    },
}

impl Error {
    pub(super) fn file(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let doing = format!("{verb} {}", path.display());
        move |error| Self::File { doing, error }
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Git(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Git(error) => error.fmt(f),
            Self::Busy => write!(
                f,
                "{} kept moving, and nothing was written",
                super::LOCAL_REF
            ),
            Self::Refused {
                remote,
                name,
                reason,
            } => write!(f, "{remote} does not take {name}: {reason}"),
            Self::NotALog { remote, name } => {
                write!(f, "{name} on {remote} holds something that is no log")
            }
            Self::Outrun { remote } => write!(
                f,
                "others kept pushing to {remote}, and not everything got through"
            ),
            Self::File { doing, error } => write!(f, "could not {doing}: {error}"),
        }
    }
}

impl std::error::Error for Error {}
