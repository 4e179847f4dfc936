//! Why git's data could not be read or written, in words a person can act on.

use std::{error, fmt, io, iter, sync::Arc};

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
    /// This program was asked to end.
    Interrupted,
    /// Anything else.
    Other,
}

/// An error of this room; displayed as `message: cause`.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}{}", .source.as_deref().map_or(String::new(), because))]
pub struct Error {
    pub kind: ErrorKind,
    /// What happened, without the cause.
    pub message: String,
    /// What to do about it, if anything can be done.
    pub help: Option<String>,
    source: Option<Arc<Cause>>,
}

/// The result of this room's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether it is an object that can't be read here.
    pub fn is_unread(&self) -> bool {
        matches!(self.kind, ErrorKind::Missing | ErrorKind::TooLarge)
    }

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
        let cause: Arc<Cause> = cause.into().into();
        let remedy = system_error(&*cause).and_then(|error| remedy(error.kind()));
        self.help = self.help.or_else(|| remedy.map(str::to_owned));
        self.source = Some(cause);
        self
    }
}

type Cause = dyn error::Error + Send + Sync;

/// The cause: what the system said, if it did, else what the library says.
fn because(cause: &Cause) -> String {
    match system_error(cause) {
        Some(system) => format!(": {system}"),
        None => format!(": {cause}"),
    }
}

fn system_error(cause: &Cause) -> Option<&io::Error> {
    if let Some(error) = cause.downcast_ref::<gix::Error>() {
        return error.iter_errors().find_map(|error| error.downcast_ref());
    }
    let first: &(dyn error::Error + 'static) = cause;
    iter::successors(Some(first), |error| error.source()).find_map(|error| error.downcast_ref())
}

/// What to do where the system would not write.
fn remedy(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free space or inodes on the disk, and run the command again")
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            Some("mount the file system writable, and run the command again")
        }
        io::ErrorKind::PermissionDenied => {
            Some("check the owner and the permissions of the git directory")
        }
        _ => None,
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
