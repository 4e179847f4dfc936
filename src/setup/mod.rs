//! Sets up a clone and reverts that (a question store, configuration, git's hooks), and diagnoses problems with it.
//!
//! Here: what `init`, `agent` and `doctor` write and check. A new ailment of `doctor` is a variant of its rules and a row in
//! `tests/cli/remedies.rs`, which runs every remedy that it prints; `tests/cli/advice.rs` runs those of other commands.

pub mod agent;
mod doctor;
mod git_hooks;
mod init;
mod on_path;
mod plant;
mod planted;
mod remotes;
mod seeds;
mod undo;

pub use doctor::{Ailment, Diagnosis, diagnose};
pub use init::{Beginning, Choices, init, share_log};
pub use on_path::{HOW_TO_INSTALL, is_on_path};
pub use planted::{Ground, Planted};
pub use seeds::{DEMO_EXPLANATION, DEMO_HISTORY, DEMO_LOG, EMPTY_STORE, QuestionSetName, SKILL};
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

/// The steps of a setup: done, planned, or left to a person.
#[derive(Debug, Default)]
pub struct Steps {
    pub dry_run: bool,
    /// The subject of each (`store`, `config`, `hook`, `remote`, `log` or `state`), and its lines.
    pub list: Vec<(&'static str, Vec<String>)>,
}

impl Steps {
    /// A change that is made, or would be: `planted` or `would plant`.
    fn change(&mut self, about: &'static str, [done, verb]: [&str; 2], what: &str) {
        let line =
            if self.dry_run { format!("would {verb} {what}") } else { format!("{done} {what}") };
        self.note(about, [line]);
    }

    fn note(&mut self, about: &'static str, lines: impl Into<Vec<String>>) {
        self.list.push((about, lines.into()));
    }
}
