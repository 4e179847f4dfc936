//! The end of a command: an outcome, or what stopped it.

use std::process::ExitCode;

use crate::{
    finding::Hints,
    git,
    question::StoreError,
    view::{ErrorDocument, Style, escape, joined, problems_text},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well; there may be warnings.
    Clean,
    Findings,
    /// Nothing is known to be wrong, but not everything could be known.
    Unknown,
}

impl Outcome {
    /// Errors outrank unknowns.
    pub fn of(has_errors: bool, unknown: &[String]) -> Self {
        if has_errors {
            Self::Findings
        } else if unknown.is_empty() {
            Self::Clean
        } else {
            Self::Unknown
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Findings => ExitCode::from(1),
            Outcome::Unknown => ExitCode::from(3),
        }
    }
}

pub const FAILED: u8 = 128;

pub const USAGE: u8 = 129;

#[derive(Debug)]
pub enum Failure {
    Refused { reasons: Vec<String>, hints: Hints },
    Questions(StoreError, Hints),
}

pub type CommandResult = Result<Outcome, Failure>;

impl Failure {
    pub fn refused(reason: impl Into<String>, hints: impl Into<Hints>) -> Self {
        Self::refused_for(vec![reason.into()], hints)
    }

    pub fn refused_for(reasons: Vec<String>, hints: impl Into<Hints>) -> Self {
        Self::Refused { reasons, hints: hints.into() }
    }

    /// Fails if there is a reason.
    pub fn check(reasons: Vec<String>, hints: impl Into<Hints>) -> Result<(), Self> {
        if reasons.is_empty() {
            return Ok(());
        }
        Err(Self::refused_for(reasons, hints))
    }

    /// The whole message, as git words its own: what, why, and what to do.
    pub fn text(&self, style: Style) -> String {
        self.under("fatal:", Style::error, style)
    }

    pub fn document(&self) -> ErrorDocument {
        match self {
            Self::Questions(error, hints) => ErrorDocument::of_store(FAILED, error, hints),
            Self::Refused { reasons, hints } => ErrorDocument {
                code: FAILED,
                errors: reasons.clone(),
                hints: hints.0.clone(),
                places: Vec::new(),
            },
        }
    }

    pub fn warning(&self, style: Style) -> String {
        self.under("warning:", Style::warning, style)
    }

    fn under(&self, label: &str, paint: fn(Style, &str) -> String, style: Style) -> String {
        let column = label.len() + 1;
        let wrap = |line: &str| style.wrap(&escape(line), column, column);
        let (reasons, hints) = match self {
            Self::Questions(error, hints) => (problems_text(error, style), hints),
            Self::Refused { reasons, hints } => {
                let reasons = reasons.iter().map(|reason| {
                    let lines = joined(reason.lines().map(wrap), "\n  ");
                    format!("{} {lines}\n", paint(style, label))
                });
                (reasons.collect(), hints)
            }
        };
        let hints =
            hints.0.iter().map(|hint| format!("{} {}\n", style.warning("hint:"), escape(hint)));
        reasons + &hints.collect::<String>()
    }

    #[must_use]
    pub fn hinting(self, hint: &str) -> Self {
        match self {
            Self::Questions(error, _) => Self::refused(error.to_string(), hint),
            Self::Refused { reasons, mut hints } => {
                hints.0.push(hint.to_owned());
                Self::Refused { reasons, hints }
            }
        }
    }
}

pub trait OrRefuse<T> {
    /// Makes the reason a failure, with what to do.
    fn or_refuse(self, hint: &str) -> Result<T, Failure>;
}

impl<T, E: ToString> OrRefuse<T> for Result<T, E> {
    fn or_refuse(self, hint: &str) -> Result<T, Failure> {
        self.map_err(|why| Failure::refused(why.to_string(), hint))
    }
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        match error.questions() {
            Some(store) => Self::Questions(store.clone(), error.hints),
            None => Self::Refused { reasons: vec![error.whole()], hints: error.hints },
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Questions(error, "nothing was changed".into())
    }
}
