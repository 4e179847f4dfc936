//! Why the log could not be read or written.

use std::{io, path::Path};

use super::LOCAL_REF;
use crate::{
    entry::{MAX_LINE, NotALine},
    git,
};

/// An error of this room.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    /// Other writers kept moving the ref until the deadline.
    #[error("other writers kept updating {LOCAL_REF}; nothing was written")]
    Busy,
    /// An entry that became too long for a line; its length in bytes.
    #[error("the entry would be {0} bytes long, more than {MAX_LINE}")]
    TooLong(usize),
    /// A remote does not take the log.
    #[error("{remote} rejected {name}: {reason}")]
    Refused {
        remote: String,
        /// The ref that it does not take.
        name: String,
        /// Its own words.
        reason: String,
    },
    /// A remote could not take the log.
    #[error("{remote} failed to take the log: {reason}")]
    RemoteFailed {
        remote: String,
        /// Its own words.
        reason: String,
    },
    /// The ref that should have a remote's log has something else.
    #[error("{name} on {remote} is not a log")]
    NotALog { remote: String, name: String },
    /// A remote has a ref below the name of its log, and git can't have both.
    #[error("{remote} has {name}, which keeps it from having a log")]
    InTheWay { remote: String, name: String },
    /// Others kept moving the ref of a remote, or hold its lock.
    #[error("others kept updating the log on {remote}; not all of it was published: {reason}")]
    Outrun {
        remote: String,
        /// The remote's own words.
        reason: String,
    },
    /// The system would not read or write a file of ours.
    #[error("could not {doing}: {error}")]
    File {
        doing: String,
        #[source]
        error: io::Error,
    },
}

impl From<NotALine> for Error {
    fn from(NotALine::TooLong(length): NotALine) -> Self {
        Self::TooLong(length)
    }
}

impl Error {
    pub(super) fn file(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let doing = format!("{verb} {}", path.display());
        move |error| Self::File { doing, error }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Busy => Some("many writers are at work: run the command again"),
            Self::TooLong(_) => Some("shorten it"),
            Self::Refused { .. } | Self::NotALog { .. } | Self::InTheWay { .. } => {
                Some("`git sq doctor` says what can be done about it")
            }
            Self::Outrun { .. } | Self::RemoteFailed { .. } => Some("run the command again"),
            Self::File { .. } => Some("see that the git folder can be written"),
        }
    }
}
