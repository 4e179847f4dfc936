//! Errors of reading and writing git's data, and of the rooms that build on it.

use std::{error, fmt, io, iter, path::Path, sync::Arc};

use super::Oid;
use crate::{finding::Hints, question::StoreError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    NoRepository,
    /// Git refuses the repository because another user owns it.
    Unsafe,
    /// The repository uses a feature that this program does not support.
    Unsupported,
    /// A ref moved between reading and writing it: read it again.
    Moved,
    Locked,
    Missing,
    TooLarge,
    /// The user's name or email is not configured.
    Identity,
    /// A revision does not name a commit.
    BadRevision,
    /// A remote did not answer in time.
    Unreachable,
    /// The user interrupted this program.
    Interrupted,
    /// A remote rejects the log; the cause is in its words.
    Rejected,
    NoCommit,
    NoQuestions,
    /// The question store is not valid: [`Error::questions`].
    Questions,
    Other,
}

/// An error of this module, displayed as `message: cause`.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}{}", .source.as_deref().map_or(String::new(), because))]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub hints: Hints,
    /// The output of git and the remote about it.
    said: Vec<String>,
    source: Option<Arc<Cause>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn is_unread(&self) -> bool {
        matches!(self.kind, ErrorKind::Missing | ErrorKind::TooLarge)
    }

    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hints: Hints::default(),
            said: Vec::new(),
            source: None,
        }
    }

    /// An action that was not taken, for a reason that a person can remove.
    pub fn refused(reason: impl Into<String>, hints: impl Into<Hints>) -> Self {
        Self::new(ErrorKind::Other, reason).help(hints)
    }

    /// A file of the git directory that could not be read or written; `verb` completes "could not …".
    pub fn file(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let message = format!("could not {verb} {}", path.display());
        move |error| Self::refused(message, "see that the git folder can be written").because(error)
    }

    pub fn questions(&self) -> Option<&StoreError> {
        self.source.as_deref()?.downcast_ref()
    }

    #[must_use]
    pub fn help(mut self, hints: impl Into<Hints>) -> Self {
        self.hints = hints.into();
        self
    }

    #[must_use]
    pub fn saying(mut self, said: Vec<String>) -> Self {
        self.said = said;
        self
    }

    /// The message, and below it what git and the remote printed.
    pub fn whole(&self) -> String {
        [&[self.to_string()], &self.said[..]].concat().join("\n")
    }

    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        let cause: Arc<Cause> = cause.into().into();
        if self.hints.0.is_empty()
            && let Some(remedy) = system_error(&*cause).and_then(|error| remedy(error.kind()))
        {
            self.hints = remedy.into();
        }
        self.source = Some(cause);
        self
    }
}

type Cause = dyn error::Error + Send + Sync;

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let hint = "fix it, check it with `git sq question lint`, and commit it: HEAD's questions are used";
        Self::new(ErrorKind::Questions, error.to_string()).because(error).help(hint)
    }
}

/// The message of the operating system if it caused the error, else that of the library.
fn because(cause: &Cause) -> String {
    match system_error(cause) {
        // The message says it already.
        _ if cause.is::<StoreError>() => String::new(),
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

/// The remedy for a failed write.
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

/// Adds the failed action to an error of a library or the system.
pub trait Doing<T> {
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

pub(super) fn missing(what: &str, id: Oid) -> Error {
    Error::new(ErrorKind::Missing, format!("the {what} {id} is missing")).help(LOST)
}

/// The remedy where an object is missing.
pub(super) const LOST: &str = "run `git sq doctor` and `git fsck`; in a partial clone, `git fetch --refetch --no-filter` fetches what is missing";

/// Why a commit's files are not read.
pub(super) fn too_many(message: &str, commit: Oid) -> Error {
    let message = format!("{message}; `git log -1 {commit}` shows who made it");
    Error::new(ErrorKind::TooLarge, message).help("a later commit without these files is read")
}
