//! What a person says of an answer that a session recorded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person's word on the answer of an entry; of several, the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The id of the entry that has the answer.
    pub entry: String,
    #[schemars(length(min = 1))]
    pub q_id: String,
    pub q_version: u32,
    pub verdict: VerdictWord,
    /// Why; one line, at most 500 characters.
    #[schemars(length(min = 1))]
    pub note: String,
}

/// What the word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// The answer was meant to change.
    Expected,
    /// Something is wrong that the change shows.
    Error,
    /// The question is bad: the change means nothing.
    Question,
    /// Derived again, the answer is the same.
    Agrees,
}

impl VerdictWord {
    /// The word in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Error => "an error",
            Self::Question => "a bad question",
            Self::Agrees => "agrees",
        }
    }
}
