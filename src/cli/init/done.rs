//! What init did to this clone, kept so that it can be taken back.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::super::Failure;
use crate::{
    file::write_atomically,
    git::{ConfigEdit, Repo},
    store::state_dir,
};

/// What init did; written down before it is done, so that undo knows of what stopped midway too.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub(super) config: Vec<ConfigEdit>,
    pub(super) planted: Vec<Planted>,
    #[serde(default)]
    pub(super) hooks: Vec<Hooked>,
    /// Whether hooks were declined.
    #[serde(default)]
    no_hooks: bool,
}

/// A hook of git's that got the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooked {
    /// From the common git folder, so that a copy of the repository does not name the original's.
    pub path: PathBuf,
    /// Whether there was no such hook.
    pub made: bool,
    /// Whether there was no folder for hooks.
    pub made_folder: bool,
}

/// A store that was planted.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planted {
    /// The worktree that it is in; None where its path is no text.
    pub root: Option<String>,
    /// From that root.
    pub path: String,
    pub blob: String,
    /// Folders that were made for it, from the root, the outermost first.
    pub folders: Vec<String>,
}

impl Done {
    fn path(repo: &Repo) -> PathBuf {
        state_dir(repo).join("init.json")
    }

    /// Reads the record; an empty one where init never ran.
    pub fn load(repo: &Repo) -> Result<Self, Failure> {
        let path = Self::path(repo);
        let reason = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => error.to_string(),
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(done) => return Ok(done),
                Err(error) => error.to_string(),
            },
        };
        Err(Failure::refused(
            format!(
                "{} can't be read, and it says what init did here: {reason}",
                path.display()
            ),
            "remove that file and run the command again\nwhat an earlier init set stays then: `git config --local --get-regexp 'displayref|^remote\\..*\\.(sq|fetch)$'` shows it",
        ))
    }

    /// What init set so that `git log` shows the log.
    pub fn display(&self) -> Option<&ConfigEdit> {
        self.config.iter().find(|edit| edit.name == "displayRef")
    }

    /// Whether init ever ran here.
    pub fn is_there(repo: &Repo) -> bool {
        Self::path(repo).exists()
    }

    /// Whether hooks were declined the last time.
    pub fn declined_hooks(&self) -> bool {
        self.no_hooks
    }

    /// Notes whether hooks are declined, and keeps the record.
    pub fn decline_hooks(&mut self, repo: &Repo, declined: bool) -> Result<(), Failure> {
        if self.no_hooks == declined {
            return Ok(());
        }
        self.no_hooks = declined;
        self.save(repo)
    }

    /// Adds values that are about to be set, and keeps the record.
    pub fn will_set(&mut self, repo: &Repo, edits: &[ConfigEdit]) -> Result<(), Failure> {
        for edit in edits {
            if !self.config.contains(edit) {
                self.config.push(edit.clone());
            }
        }
        // Also where nothing is to be set: the file's time says when the clone was set up.
        if edits.is_empty() && Self::path(repo).exists() {
            return Ok(());
        }
        self.save(repo)
    }

    /// Adds a store that is about to be planted, and keeps the record.
    pub fn will_plant(&mut self, repo: &Repo, planted: Planted) -> Result<(), Failure> {
        let place = |one: &Planted| (one.root.clone(), one.path.clone());
        let mut planted = planted;
        if let Some(at) = self
            .planted
            .iter()
            .position(|before| place(before) == place(&planted))
        {
            // It was removed by hand since, its folders perhaps not.
            for folder in self.planted.remove(at).folders {
                if !planted.folders.contains(&folder) {
                    planted.folders.push(folder);
                }
            }
            planted.folders.sort_by_key(String::len);
        }
        self.planted.push(planted);
        self.save(repo)
    }

    /// Adds a hook that is about to get the block, and keeps the record.
    pub fn will_hook(&mut self, repo: &Repo, hooked: Hooked) -> Result<(), Failure> {
        // One that was made and gets a newer block is still one that was made.
        if self.hooks.iter().any(|before| before.path == hooked.path) && !hooked.made {
            return Ok(());
        }
        self.hooks.retain(|before| before.path != hooked.path);
        self.hooks.push(hooked);
        self.save(repo)
    }

    fn save(&self, repo: &Repo) -> Result<(), Failure> {
        let path = Self::path(repo);
        serde_json::to_vec(self)
            .map_err(io::Error::from)
            .and_then(|text| write_atomically(&path, &text))
            .map_err(|error| cannot_write(&path, &error, "git sq init"))
    }
}

/// The refusal where the system would not write a file; `command` is what to run again.
pub fn cannot_write(path: &Path, error: &io::Error, command: &str) -> Failure {
    Failure::refused(
        format!("could not write {}: {error}", path.display()),
        format!("see that it can be written, and run `{command}` again"),
    )
}
