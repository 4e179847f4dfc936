//! How an answer is derived mechanically, as written in the store; running one is another room's work.

use serde::{Deserialize, Serialize};

/// A probe: a command to run, or something the tool itself can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Probe {
    /// A program and its arguments, started without a shell.
    Run(#[schemars(length(min = 1))] Vec<String>),
    /// The lines of tracked files that contain a text.
    Grep {
        /// The text, taken literally.
        text: String,
        /// Git pathspecs.
        paths: Vec<String>,
    },
    /// The tracked files that match these git pathspecs.
    Files(#[schemars(length(min = 1))] Vec<String>),
}

impl Probe {
    /// What its type does not rule out.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let is_blank = |paths: &[String]| paths.is_empty() || paths.iter().any(String::is_empty);
        match self {
            Self::Run(argv) if argv.first().is_none_or(|program| program.trim().is_empty()) => {
                Some("expected a program")
            }
            Self::Grep { text, .. } if text.is_empty() => Some("`text` is empty"),
            Self::Grep { paths, .. } | Self::Files(paths) if is_blank(paths) => {
                Some("expected non-empty pathspecs")
            }
            _ => None,
        }
    }
}
