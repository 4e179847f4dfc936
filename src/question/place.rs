//! Places in the text of a question store: of its questions, and of problems.

use std::fmt;

use jsonc_parser::common::Ranged;

use super::{Problem, QuestionSet, closed::CLOSINGS, syntax::syntax};

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
        let what = if self.name.ends_with(CLOSINGS) { "file" } else { "question store" };
        write!(f, "invalid {what} {}", self.name)?;
        match self.problems.len() {
            1 => Ok(()),
            n => write!(f, ": {n} errors"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The line on which each version of a question begins, counted from 1.
#[derive(Debug, Clone, Default)]
pub struct Places {
    set: QuestionSet,
    lines: Vec<usize>,
}

impl Places {
    /// Those of a store whose text says `set`.
    pub fn of(text: &str, set: &QuestionSet) -> Self {
        let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
        let root = syntax(text).ok();
        let list = root.as_ref().and_then(|root| root.as_object()?.get_array("questions"));
        let lines = list
            .into_iter()
            .flat_map(|list| &list.elements)
            .map(|question| ends.partition_point(|end| *end < question.start()) + 1);
        Self { set: set.clone(), lines: lines.collect() }
    }

    /// The line of a question: without a version, of the active one, else of the newest.
    pub fn line(&self, name: &str) -> Option<usize> {
        let place = self.set.place(&name.parse().ok()?)?;
        self.lines.get(place).copied()
    }
}
