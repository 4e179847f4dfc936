//! A command that answers a question, as written in the store.

use std::time::Duration;

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{compiled::regex, duration};

/// The default time limit of a command, and the longest one.
const TIMEOUT: Duration = Duration::from_secs(5 * 60);
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A program to run in the worktree, without a shell; only where somebody asks for it and this user approved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct RunOf {
    /// The program and its arguments.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// Time limit, as in `90s`; five minutes if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    #[serde(default)]
    pub take: RunTake,
    /// True if no commit determines the answer, as with a service: it is recorded, and never replayed.
    #[serde(default)]
    pub external: bool,
}

/// The part of a run that is the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunTake {
    /// The exit code.
    #[default]
    Exit,
    /// The standard output, without the white space around it.
    Stdout,
    /// The first match of a regular expression in that: its first group, or all of it.
    Capture(String),
}

impl RunOf {
    /// Time limit; None where that is no usable duration.
    pub fn timeout(&self) -> Option<Duration> {
        let Some(text) = &self.timeout else {
            return Some(TIMEOUT);
        };
        let length: Duration = duration(text)?.try_into().ok()?;
        (!length.is_zero() && length <= LONGEST).then_some(length)
    }

    /// Checks rules that the types do not express.
    pub(super) fn mistake(&self) -> Option<String> {
        let program = self.run.first();
        if program.is_none_or(|program| program.trim().is_empty()) {
            return Some("expected a program".into());
        }
        if self.run.iter().any(|word| word.contains('\0')) {
            return Some("an argument has a NUL character".into());
        }
        if self.timeout().is_none() {
            return Some("`timeout` is a duration of at most a day, as in \"5m\"".into());
        }
        match &self.take {
            RunTake::Capture(pattern) => regex(pattern).err(),
            RunTake::Exit | RunTake::Stdout => None,
        }
    }

    /// The pattern of `capture`.
    pub fn capture(&self) -> Option<Regex> {
        match &self.take {
            RunTake::Capture(pattern) => regex(pattern).ok(),
            RunTake::Exit | RunTake::Stdout => None,
        }
    }
}
