//! Errors of setting up or checking a clone.

use std::{io, path::Path};

use crate::{git, store};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A step was not done, for a reason that a person can remove.
    #[error("{reason}")]
    Refused { reason: String, help: String },
}

impl Error {
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Git(error) => error.help.as_deref(),
            Self::Store(error) => error.hint(),
            Self::Refused { help, .. } => Some(help),
        }
    }

    pub(super) fn refused(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            reason: reason.into(),
            help: help.into(),
        }
    }

    /// A failed write; `command` is the command to repeat.
    pub(super) fn unwritten(path: &Path, error: &io::Error, command: &str) -> Self {
        Self::refused(
            format!("could not write {}: {error}", path.display()),
            format!("check that it is writable, and run `{command}` again"),
        )
    }
}
