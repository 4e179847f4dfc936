//! What stops a command, and the only place that knows exit codes.

use std::{fmt::Write as _, process::ExitCode};

use crate::{
    git,
    question::StoreError,
    report::{Style, escape, problems_text},
    session, setup, store,
};

/// How a command ended that did what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well; there may be warnings.
    Clean,
    /// A finding is an error.
    Findings,
    /// Nothing is known to be wrong, but not everything could be known.
    Unknown,
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

/// Why a command could not do what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// The command line makes no sense; git's own code for that.
    Usage(String),
    /// The command refused; nothing was changed.
    Refused {
        /// One or more reasons.
        reasons: Vec<String>,
        help: Option<String>,
    },
    Git(git::Error),
    Store(store::Error),
    Questions(Box<StoreError>),
}

/// What commands give.
pub type CommandResult = Result<Outcome, Failure>;

impl Failure {
    /// A refusal for one reason.
    pub fn refused(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Refused {
            reasons: vec![reason.into()],
            help: Some(help.into()),
        }
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(129),
            _ => ExitCode::from(128),
        }
    }

    /// The whole message, as git words its own: what, why, and what to do.
    pub fn text(&self, style: Style) -> String {
        self.under(&style.error("fatal:"), style)
    }

    /// The same for what does not stop the command.
    pub fn warning(&self, style: Style) -> String {
        self.under(&style.warning("warning:"), style)
    }

    fn under(&self, label: &str, style: Style) -> String {
        match self {
            Self::Questions(error) => return problems_text(error, style),
            Self::Usage(message) => return message.clone(),
            _ => {}
        }
        let (reasons, help) = match self {
            Self::Git(error) | Self::Store(store::Error::Git(error)) => {
                (vec![error.message.clone()], error.help.clone())
            }
            Self::Store(error) => (vec![error.to_string()], store_help(error)),
            Self::Refused { reasons, help } => (reasons.clone(), help.clone()),
            Self::Usage(_) | Self::Questions(_) => (vec![], None),
        };
        let mut out = String::new();
        for reason in reasons {
            let reason: Vec<String> = reason.lines().map(escape).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{label} {}", reason.join("\n  "));
        }
        for line in help.iter().flat_map(|help| help.lines()) {
            let _ = writeln!(out, "{} {}", style.warning("hint:"), escape(line));
        }
        out
    }
}

fn store_help(error: &store::Error) -> Option<String> {
    match error {
        store::Error::Busy => Some("many writers are at work: run the command again".into()),
        store::Error::Refused { .. } | store::Error::NotALog { .. } => {
            Some("`git sq doctor` says what can be done about it".into())
        }
        store::Error::Outrun { .. } => Some("run the command again".into()),
        store::Error::File { .. } => Some("see that the git folder can be written".into()),
        store::Error::Git(_) => None,
    }
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        Self::Git(error)
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Self {
        match error {
            session::Error::Store(error) => Self::Store(error),
            session::Error::File { .. } => {
                Self::refused(error.to_string(), "see that the git folder can be written")
            }
        }
    }
}

impl From<setup::Error> for Failure {
    fn from(error: setup::Error) -> Self {
        match error {
            setup::Error::Git(error) => Self::Git(error),
            setup::Error::Store(error) => Self::Store(error),
            setup::Error::Refused { reason, help } => Self::refused(reason, help),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Questions(Box::new(error))
    }
}
