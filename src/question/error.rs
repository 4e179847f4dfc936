//! What is wrong with a question store, and where.

use std::{fmt, ops::Range};

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// What is wrong there, as a label.
    pub message: String,
    /// What to do about it, where that is not plain from the message.
    pub help: Option<String>,
}

impl Problem {
    /// A problem whose message says all there is to say.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
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

/// A question store that cannot be used, with every problem that was found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    /// Where the store was read from, as the reader knows it.
    pub name: String,
    /// The store's text, as far as it is text.
    pub text: String,
    /// At least one, in the order of the document.
    pub problems: Vec<Problem>,
}

impl StoreError {
    /// Marks `problems` in `text`, which was read from `name`.
    pub fn new(name: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            problems,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = &self.name;
        match self.problems.len() {
            1 => write!(f, "the question store {name} can't be used"),
            n => write!(
                f,
                "the question store {name} can't be used: {n} places are wrong"
            ),
        }
    }
}

impl std::error::Error for StoreError {}
