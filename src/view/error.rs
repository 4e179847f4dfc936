//! The error that stopped a command, for programs.

use schemars::JsonSchema;
use serde::Serialize;

use super::problems::{MAX_CHARS, position};
use crate::{entry::clip, finding::Hints, question::StoreError};

/// Why a command could not do what it was asked for; printed to standard error.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ErrorDocument {
    /// The exit code: 128 where it could not be done, 129 for a usage error.
    pub code: u8,
    /// One or more reasons.
    pub errors: Vec<String>,
    /// The remedy.
    pub hints: Vec<String>,
    /// The wrong places of a question store.
    pub places: Vec<Place>,
}

/// A wrong place in a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Place {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl ErrorDocument {
    pub const SCHEMA: &'static str = "sq.error/v1";

    pub fn of_store(code: u8, error: &StoreError, hints: &Hints) -> Self {
        let places = error.problems.iter().map(|problem| {
            let (line, column) = position(&error.text, problem.span.start);
            Place {
                file: error.name.clone(),
                line,
                column,
                message: clip(&problem.message, MAX_CHARS),
                hint: problem.help.clone(),
            }
        });
        Self {
            code,
            errors: vec![error.to_string()],
            hints: hints.0.clone(),
            places: places.collect(),
        }
    }
}
