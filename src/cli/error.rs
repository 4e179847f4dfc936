//! How a command ends: with an outcome, or with what stopped it.

use std::process::ExitCode;

use crate::{
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
    Refused { reasons: Vec<String>, help: Option<String> },
    Questions(StoreError),
}

pub type CommandResult = Result<Outcome, Failure>;

impl Failure {
    pub fn refused(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::refused_for(vec![reason.into()], help)
    }

    pub fn refused_for(reasons: Vec<String>, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self::Refused { reasons, help }
    }

    /// Fails if there is a reason.
    pub fn check(reasons: Vec<String>, help: &str) -> Result<(), Self> {
        if reasons.is_empty() {
            return Ok(());
        }
        Err(Self::refused_for(reasons, help))
    }

    /// The whole message, as git words its own: what, why, and what to do.
    pub fn text(&self, style: Style) -> String {
        self.under("fatal:", Style::error, style)
    }

    pub fn document(&self) -> ErrorDocument {
        match self {
            Self::Questions(error) => ErrorDocument::of_store(FAILED, error),
            Self::Refused { reasons, help } => ErrorDocument {
                code: FAILED,
                errors: reasons.clone(),
                hints: help.iter().flat_map(|help| help.lines()).map(str::to_owned).collect(),
                places: Vec::new(),
            },
        }
    }

    pub fn warning(&self, style: Style) -> String {
        self.under("warning:", Style::warning, style)
    }

    fn under(&self, label: &str, paint: fn(Style, &str) -> String, style: Style) -> String {
        let (reasons, help) = match self {
            Self::Questions(error) => return problems_text(error, style),
            Self::Refused { reasons, help } => (reasons, help),
        };
        let column = label.len() + 1;
        let wrap = |line: &str| style.wrap(&escape(line), column, column);
        let reasons = reasons.iter().map(|reason| {
            let lines = joined(reason.lines().map(wrap), "\n  ");
            format!("{} {lines}\n", paint(style, label))
        });
        let hints = help
            .iter()
            .flat_map(|help| help.lines())
            .map(|line| format!("{} {}\n", style.warning("hint:"), escape(line)));
        reasons.chain(hints).collect()
    }

    #[must_use]
    pub fn hinting(self, hint: &str) -> Self {
        match self {
            Self::Questions(error) => Self::refused(error.to_string(), hint),
            Self::Refused { reasons, help } => {
                let help = help.map_or_else(|| hint.to_owned(), |help| format!("{help}\n{hint}"));
                Self::refused_for(reasons, help)
            }
        }
    }
}

pub trait OrRefuse<T> {
    /// Makes the reason a failure, with what to do.
    fn or_refuse(self, help: &str) -> Result<T, Failure>;
}

impl<T, E: ToString> OrRefuse<T> for Result<T, E> {
    fn or_refuse(self, help: &str) -> Result<T, Failure> {
        self.map_err(|why| Failure::refused(why.to_string(), help))
    }
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        match error.questions() {
            Some(store) => Self::Questions(store.clone()),
            None => Self::Refused { reasons: vec![error.whole()], help: error.help },
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Questions(error)
    }
}
