//! Why a clone could not be set up or looked at.

use std::{io, path::Path};

use crate::{git, store};

/// An error of this room.
#[derive(Debug)]
pub enum Error {
    Git(git::Error),
    Store(store::Error),
    /// Something that is not done, for a reason that a person can remove.
    Refused {
        reason: String,
        help: String,
    },
}

impl Error {
    pub(super) fn refused(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            reason: reason.into(),
            help: help.into(),
        }
    }

    /// The system would not write a file; `command` is what to run again.
    pub(super) fn unwritten(path: &Path, error: &io::Error, command: &str) -> Self {
        Self::refused(
            format!("could not write {}: {error}", path.display()),
            format!("check that it can be written, and run `{command}` again"),
        )
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
