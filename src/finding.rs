//! What a check finds: one vocabulary for the commands that judge.

use schemars::JsonSchema;
use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Fails the gate.
    Error,
    /// Is shown.
    Warning,
}

/// Something to act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub struct Finding<R> {
    // Of the rules that a command knows.
    pub rule: R,
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// The question, the session, the file or the remote that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The question, where `about` is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What to do.
    pub help: String,
}

impl<R> Finding<R> {
    /// An error about something that has a name.
    pub fn error(
        rule: R,
        about: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity: Severity::Error,
            message: message.into(),
            about: Some(about.to_owned()),
            question: None,
            help: help.into(),
        }
    }

    /// A warning about something that has a name.
    pub fn warning(
        rule: R,
        about: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(rule, about, message, help)
        }
    }
}
