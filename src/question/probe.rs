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
