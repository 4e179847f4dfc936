//! Sets up a clone and reverts that (a question store, configuration, git's hooks), and diagnoses problems with it.
//!
//! Here: what `init`, `agent` and `doctor` write and check. A new ailment of `doctor` is a variant of its rules and a row in
//! `tests/cli/remedies.rs`, which runs every remedy that is printed.

pub mod agent;
mod doctor;
mod git_hooks;
mod init;
mod plant;
mod remotes;
mod seeds;
mod steps;
mod undo;

pub use doctor::{Ailment, Diagnosis, diagnose};
pub use init::{Choices, init, share_log};
pub use seeds::{
    DEMO_EXPLANATION, DEMO_HISTORY, DEMO_LOG, EMPTY_STORE, QuestionSetName, SKILL, questions,
};
pub use steps::Steps;
pub use undo::undo;

use std::{io, path::Path};

use crate::git::Error;

/// A failed write; `command` is the command to repeat.
fn unwritten(path: &Path, error: &io::Error, command: &str) -> Error {
    Error::refused(
        format!("could not write {}: {error}", path.display()),
        format!("check that it is writable, and run `{command}` again"),
    )
}
