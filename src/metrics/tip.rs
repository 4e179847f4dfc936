//! The state of each active question at the tip, and answers that differ from the expected ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    evidence::{Found, change_text},
    git::Oid,
    question::{Question, Severity},
};

/// The state of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// No answer counts.
    Never,
    Fresh,
    /// The question becomes stale after one more session without an answer.
    Due,
    /// Too many sessions passed without an answer.
    Stale,
    /// A dependency changed since the counting answer.
    Outdated,
    /// Two sessions disagree about one commit.
    Disputed,
    /// The answer is not the expected one.
    Failing,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never answered",
            Self::Fresh => "fresh",
            Self::Due => "due",
            Self::Stale => "stale",
            Self::Outdated => "outdated",
            Self::Disputed => "disputed",
            Self::Failing => "fails",
        }
    }
}

/// One active question at the tip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtTip {
    /// The question, with its version unless that is 1.
    pub question: String,
    pub state: State,
    /// The entry of the counting answer, if any; for a line that another program wrote, its digest.
    pub entry: Option<String>,
    /// The commit that carries it.
    #[schemars(with = "Option<String>")]
    pub commit: Option<Oid>,
    /// The commit that the answer is compared with, or the tree of one that was rewritten.
    #[serde(rename = "at")]
    #[schemars(with = "Option<String>")]
    pub compared_with: Option<Oid>,
    /// The change that makes it outdated.
    pub changed: Option<String>,
    /// Number of sessions after that change without a counting answer.
    pub missed: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    pub question: String,
    pub severity: Severity,
    /// In words, as in `to be true`.
    pub expected: String,
    /// The answer in words, or the reason why it is unknown.
    pub found: Result<String, String>,
    pub at: String,
}

/// Compares an answer with the expected one. `None` if they agree, or if the question expects only changes.
pub fn failing(question: &Question, found: Result<Found, String>, at: String) -> Option<Failing> {
    let expect = question.expect.as_ref()?;
    let holds = match &found {
        Ok(Found::Value(value)) => expect.holds(question.shape.as_ref(), value)?,
        Ok(Found::Gone(_)) | Err(_) => !expect.must_hold(),
    };
    (!holds).then(|| Failing {
        question: question.name().to_string(),
        severity: question.severity,
        expected: expect.words(),
        found: found.map(|found| change_text(None, &found)),
        at,
    })
}
