//! Where the questions of a store stand in its text.

use jsonc_parser::common::Ranged;

use super::{QuestionSet, parse::syntax};

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
        let list = root
            .as_ref()
            .and_then(|root| root.as_object()?.get_array("questions"));
        let questions = list.into_iter().flat_map(|list| &list.elements);
        let lines = questions.map(|one| ends.partition_point(|end| *end < one.start()) + 1);
        Self {
            set: set.clone(),
            lines: lines.collect(),
        }
    }

    /// The line of a question: without a version, of the active one, else of the newest.
    pub fn line(&self, name: &str) -> Option<usize> {
        let place = self.set.place(&name.parse().ok()?)?;
        self.lines.get(place).copied()
    }
}
