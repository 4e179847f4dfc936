//! Answers that differ from the expected ones.

use serde::{Deserialize, Serialize};

use crate::{
    evidence::{Found, change_text},
    question::{Question, Severity},
};

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
