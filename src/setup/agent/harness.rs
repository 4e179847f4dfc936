use std::{env, path::PathBuf};

use serde::Serialize;

use crate::{harness::Harness, setup::planted::Ground};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In tracked files, for everyone who works on the repository.
    Project,
    /// In a file of the worktree, only for this user.
    Local,
    User,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];
}

#[derive(Debug)]
pub struct Places {
    pub worktree: Option<Ground>,
    pub home: PathBuf,
    /// The folder that remembers what was planted for the user.
    pub memory: PathBuf,
    /// Folders named by the environment.
    pub variable: fn(&str) -> Option<PathBuf>,
}

impl Harness {
    pub fn user_folder(self, places: &Places) -> PathBuf {
        let (variable, folder) = self.facts().folder;
        (places.variable)(variable).unwrap_or_else(|| places.home.join(folder))
    }

    /// Returns true if its program is on the path, or it was used here or by this user.
    pub fn is_found(self, places: &Places) -> bool {
        let path = (places.variable)("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path);
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
        let is_in = |folder: PathBuf| {
            self.facts().programs.iter().any(|name| {
                endings.iter().any(|ending| folder.join(format!("{name}{ending}")).is_file())
            })
        };
        let is_used = |worktree: &Ground| {
            self.facts().traces.iter().any(|trace| worktree.root.join(trace).exists())
        };
        folders.any(is_in)
            || places.worktree.as_ref().is_some_and(is_used)
            || self.user_folder(places).exists()
    }

    /// Returns true if users install its plugin.
    pub fn takes_plugin(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Copilot)
    }
}
