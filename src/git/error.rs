//! Why git's data could not be read or written, in words a person can act on.

use std::{error, fmt, sync::Arc};

/// What sort of trouble it is; what follows from it is the caller's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no repository here.
    NoRepository,
    /// Git itself refuses the repository, because somebody else owns it.
    Unsafe,
    /// The repository uses something that this program can't work with.
    Unsupported,
    /// A ref moved between reading and writing it: read again.
    Moved,
    /// A lock file stayed in the way.
    Locked,
    /// An object that should be there is not.
    Missing,
    /// It is more than this program reads.
    TooLarge,
    /// The user has no name or address.
    Identity,
    /// A name does not lead to a commit.
    BadRevision,
    /// A remote did not answer, or not in time.
    Unreachable,
    /// Anything else.
    Other,
}

/// An error of this room; displayed as `message: cause`.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}{}", .source.as_ref().map_or(String::new(), |cause| format!(": {cause}")))]
pub struct Error {
    pub kind: ErrorKind,
    /// What happened, without the cause.
    pub message: String,
    /// What to do about it, if anything can be done.
    pub help: Option<String>,
    source: Option<Arc<dyn error::Error + Send + Sync>>,
}

/// The result of this room's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a certain kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            source: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        self.source = Some(cause.into().into());
        self
    }
}

/// Says what was being done when a library or the system failed.
pub(super) trait Doing<T> {
    /// `what` completes "could not …".
    fn doing(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: Into<Box<dyn error::Error + Send + Sync>>> Doing<T> for std::result::Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|error| {
            Error::new(ErrorKind::Other, format!("could not {what}")).because(error)
        })
    }
}
