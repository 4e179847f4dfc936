//! Answers that must hold, and do not.

use serde::{Deserialize, Serialize};

use crate::{
    evidence::{Found, change_text},
    question::{Question, Severity},
};

/// An active question whose answer is not what it must be, or not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    pub question: String,
    pub severity: Severity,
    /// In words, as in `to be true`.
    pub expected: String,
    /// The answer in words, or why it is unknown.
    pub found: Result<String, String>,
    /// The commit that it is the answer of.
    pub at: String,
}

/// Holds an answer against what its question expects. None where it holds, or where only changes are expected.
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
