//! What stops a command, and the only place that knows exit codes.

use std::process::ExitCode;

use crate::{
    git, project,
    question::{self, StoreError},
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

impl Outcome {
    /// What follows from errors, else from what is unknown.
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
                (vec![error.to_string()], error.help.clone())
            }
            Self::Store(error) => (vec![error.to_string()], store_help(error)),
            Self::Refused { reasons, help } => (reasons.clone(), help.clone()),
            Self::Usage(_) | Self::Questions(_) => (vec![], None),
        };
        let reasons = reasons.iter().map(|reason| {
            let lines: Vec<String> = reason.lines().map(escape).collect();
            format!("{label} {}\n", lines.join("\n  "))
        });
        let hints = help.iter().flat_map(|help| help.lines());
        let hints = hints.map(|line| format!("{} {}\n", style.warning("hint:"), escape(line)));
        reasons.chain(hints).collect()
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

impl From<project::Error> for Failure {
    fn from(error: project::Error) -> Self {
        match error {
            project::Error::Git(error) => Self::Git(error),
            project::Error::Store(error) => Self::Store(error),
            project::Error::Questions(error) => Self::Questions(error),
            project::Error::NoCommit => Self::refused(
                "HEAD has no commit yet, and every entry belongs to one",
                "make a first commit; `git sq init` can come before it",
            ),
            project::Error::NoQuestions => Self::refused(
                format!(
                    "there is no question store: neither {} was found",
                    question::STORE_PATHS.join(" nor ")
                ),
                "`git sq init` plants one; `git config sq.questions PATH` names another place",
            ),
        }
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Self {
        match error {
            session::Error::Git(error) => Self::Git(error),
            session::Error::Store(error) => Self::Store(error),
            _ => Self::Refused {
                reasons: vec![error.to_string()],
                help: error.hint().map(str::to_owned),
            },
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
