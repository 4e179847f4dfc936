//! Why git's data could not be read or written, in words a person can act on.

use std::fmt;

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
    /// The user has no name or address.
    Identity,
    /// A name does not lead to a commit.
    BadRevision,
    /// A remote did not answer, or not in time.
    Unreachable,
    /// Anything else.
    Other,
}

/// An error of this room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    /// What happened and why.
    pub message: String,
    /// What to do about it, where there is something to do.
    pub help: Option<String>,
}

/// What this room's functions give.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a certain kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Says what was being done when a library or the system failed.
pub(super) trait Doing<T> {
    /// `what` completes "could not …".
    fn doing(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Doing<T> for std::result::Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|error| Error::new(ErrorKind::Other, format!("could not {what}: {error}")))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
