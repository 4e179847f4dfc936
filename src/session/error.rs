//! Why the file of a session could not be read or written.

use std::{fmt, io, path::PathBuf};

use crate::store;

/// An error of this room.
#[derive(Debug)]
pub enum Error {
    /// The system would not read or write a file of ours.
    File {
        doing: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The folder could not be locked.
    Store(store::Error),
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File { doing, path, error } => {
                write!(f, "could not {doing} {}: {error}", path.display())
            }
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
