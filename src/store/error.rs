//! Errors of reading or writing the log.

use std::{io, path::Path};

use super::LOCAL_REF;
use crate::{
    entry::{MAX_LINE, NotALine},
    git,
};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    /// Other processes kept moving the ref until the deadline.
    #[error("other writers kept updating {LOCAL_REF}; nothing was written")]
    Busy,
    /// An entry is too long for a line; its length in bytes.
    #[error("the entry would be {0} bytes long, more than {MAX_LINE}")]
    TooLong(usize),
    /// A remote rejects the log.
    #[error("{remote} rejected {name}: {reason}")]
    Refused {
        remote: String,
        name: String,
        reason: String,
    },
    /// A remote failed to accept the log.
    #[error("{remote} failed to take the log: {reason}")]
    RemoteFailed { remote: String, reason: String },
    /// The ref of a remote's log contains something else.
    #[error("{name} on {remote} is not a log")]
    NotALog { remote: String, name: String },
    /// A remote has a ref below the name of its log; git can't have both.
    #[error("{remote} has {name}, which keeps it from having a log")]
    InTheWay { remote: String, name: String },
    /// Other clones kept moving the ref of a remote, or hold its lock.
    #[error("others kept updating the log on {remote}; not all of it was published: {reason}")]
    Outrun { remote: String, reason: String },
    /// A file could not be read or written.
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
