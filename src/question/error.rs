//! Problems of a question store, and where.

use std::{fmt, ops::Range};

/// One error and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// The label at that place.
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A question store that is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    pub name: String,
    /// The store up to the first byte that is not UTF-8.
    pub text: String,
    /// True if lines of the text may be shown: those of a file that git does not track may be anything.
    pub is_tracked: bool,
    /// At least one, in the order of the text.
    pub problems: Vec<Problem>,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "invalid question store {}", self.name)?;
        match self.problems.len() {
            1 => Ok(()),
            n => write!(f, ": {n} errors"),
        }
    }
}

impl std::error::Error for StoreError {}
