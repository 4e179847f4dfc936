use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Citation, answer::cites_in};

/// A person's verdict on the answer of an entry; of several, the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The id of the entry with the answer.
    pub entry: String,
    #[schemars(length(min = 1))]
    pub q_id: String,
    pub q_version: u32,
    pub verdict: VerdictWord,
    /// The reason; one line, at most 500 characters.
    #[schemars(length(min = 1))]
    pub note: String,
}

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// The answer was meant to change.
    Expected,
    /// The change shows an error.
    Error,
    /// The question is bad, and the change means nothing.
    Question,
    /// The person derived the answer, and agrees.
    Agrees,
}

impl VerdictWord {
    pub fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Error => "error",
            Self::Question => "bad question",
            Self::Agrees => "agrees",
        }
    }
}

/// A second look at the answer of an entry, at that entry's commit; each session's first one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLook {
    /// The id of the entry with the answer.
    pub entry: String,
    #[schemars(length(min = 1))]
    pub q_id: String,
    pub q_version: u32,
    /// True if both answers are the same.
    pub agrees: bool,
    /// The new answer.
    pub answer: Value,
    /// The lines that it rests on, at that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
    /// The difference, or the reason why both answers are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl SecondLook {
    /// Only valid citations.
    pub fn cites(&self) -> Vec<Citation> {
        cites_in(self.evidence.as_ref())
    }

    pub fn is_cited(&self) -> bool {
        self.evidence.as_ref().is_some_and(|evidence| evidence.get("cites").is_some())
    }
}
