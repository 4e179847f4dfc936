//! Where the questions of a store stand in its text.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{QuestionRef, QuestionSet, Status, parse::span};

/// The line on which each version of a question begins, counted from 1.
#[derive(Debug, Clone, Default)]
pub struct Places(Vec<Place>);

#[derive(Debug, Clone)]
struct Place {
    id: String,
    version: u32,
    is_active: bool,
    line: usize,
}

/// The one key of a store that is looked into.
#[derive(Deserialize)]
struct Store<'t> {
    #[serde(borrow)]
    questions: Vec<&'t RawValue>,
}

impl Places {
    /// Those of a store whose text says `set`.
    pub fn of(text: &str, set: &QuestionSet) -> Self {
        let Ok(Store { questions }) = serde_json::from_str(text) else {
            return Self::default();
        };
        let (mut line, mut from) = (1, 0);
        let places = questions.into_iter().zip(&set.questions);
        let places = places.map(|(raw, question)| {
            let start = span(text, raw).start;
            line += text[from..start].matches('\n').count();
            from = start;
            Place {
                id: question.id.clone(),
                version: question.version,
                is_active: question.status == Status::Active,
                line,
            }
        });
        Self(places.collect())
    }

    /// The line of a question: without a version, of the active one, else of the last.
    pub fn line(&self, name: &str) -> Option<usize> {
        let named: QuestionRef = name.parse().ok()?;
        let places = self.0.iter();
        let found = places.filter(|place| named.names(&place.id, place.version));
        found
            .max_by_key(|place| place.is_active)
            .map(|place| place.line)
    }
}
