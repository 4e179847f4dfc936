//! The findings of a check: one vocabulary for all commands that judge.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The severity of a finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Fails the gate.
    Error,
    /// Is shown.
    Warning,
}

/// Something to act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub struct Finding<R> {
    // One of the command's rules.
    pub rule: R,
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The question, the session, the file or the remote of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The question, if `about` is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The remedy.
    pub help: String,
}

impl<R> Finding<R> {
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

    pub fn warning(
        rule: R,
        about: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(rule, about, message, help) }
    }

    #[must_use]
    pub fn about(self, name: &str) -> Self {
        Self { about: Some(name.to_owned()), ..self }
    }

    #[must_use]
    pub fn question(self, name: &str) -> Self {
        Self { question: Some(name.to_owned()), ..self }
    }

    pub fn of<S>(self, rule: S) -> Finding<S> {
        Finding {
            rule,
            severity: self.severity,
            message: self.message,
            about: self.about,
            question: self.question,
            help: self.help,
        }
    }
}

/// Defines the rules of `check` by their names; each has a page in `docs/rules`.
macro_rules! rules {
    ($($name:literal $rule:ident,)*) => {
        /// A rule of `check`.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum,
            JsonSchema,
)]
        #[serde(rename_all = "kebab-case")]
        pub enum Rule {
            $($rule,)*
        }

        impl Rule {
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            /// Its manual page, in Markdown.
            pub fn page(self) -> &'static str {
                match self {
                    $(Self::$rule => include_str!(concat!("../docs/rules/", $name, ".md")),)*
                }
            }
        }
    };
}

rules! {
    "no-sessions" NoSessions,
    "stale" Stale,
    "quiet-run" QuietRun,
    "unanswered" Unanswered,
    "flagged" Flagged,
    "left-out" LeftOut,
    "no-evidence" NoEvidence,
    "not-shown" NotShown,
    "nothing-changed" NothingChanged,
    "never-differs" NeverDiffers,
    "failing" Failing,
    "not-run" NotRun,
    "second-look" SecondLook,
    "disputed" Disputed,
    "never" Never,
    "outdated" Outdated,
    "unasked" Unasked,
    "drift" Drift,
    "version-changed-in-place" VersionChangedInPlace,
    "watches-nothing" WatchesNothing,
    "lines-removed" LinesRemoved,
    "foreign-text" ForeignText,
    "clock" Clock,
    "broken-chain" BrokenChain,
    "tensions" Tensions,
    "imported-late" ImportedLate,
    "many-questions" ManyQuestions,
    "store-differs" StoreDiffers,
    "loosened" Loosened,
    "blinded" Blinded,
}

/// The steps to take after an error, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints(pub Vec<String>);

impl From<&str> for Hints {
    fn from(hint: &str) -> Self {
        Self::from(hint.to_owned())
    }
}

impl From<String> for Hints {
    fn from(hint: String) -> Self {
        Self(Some(hint).filter(|hint| !hint.is_empty()).into_iter().collect())
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Hints {
    fn from(hints: [T; N]) -> Self {
        Self(hints.map(T::into).into())
    }
}

impl From<Vec<String>> for Hints {
    fn from(hints: Vec<String>) -> Self {
        Self(hints)
    }
}
