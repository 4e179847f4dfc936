//! The harnesses: what each is called, how it is found, and where its user's settings are.

use std::{env, path::PathBuf};

use clap::ValueEnum;
use serde::Serialize;

/// A program that runs coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Copilot CLI
    Copilot,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// opencode
    Opencode,
    /// Cursor
    Cursor,
}

/// For whom it is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In tracked files, for all who work on the repository.
    Project,
    /// In a file of the worktree that is for this user alone.
    Local,
    /// For this user, in all repositories.
    User,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];

    /// Its option on the command line, without the dashes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// Where to plant.
#[derive(Debug)]
pub struct Places {
    pub worktree: Option<PathBuf>,
    pub home: PathBuf,
    /// Folders named by the environment.
    pub variable: fn(&str) -> Option<PathBuf>,
}

impl Harness {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Opencode => "opencode",
            Self::Cursor => "cursor",
        }
    }

    /// The programs that it may be started as.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Copilot => &["copilot"],
            Self::Gemini => &["gemini"],
            Self::Qwen => &["qwen"],
            Self::Opencode => &["opencode"],
            Self::Cursor => &["cursor-agent", "cursor"],
        }
    }

    /// What it keeps in a repository that it is used in.
    fn traces(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude", "CLAUDE.md"],
            Self::Codex => &[".codex"],
            Self::Copilot => &[".github/hooks", ".github/copilot-instructions.md"],
            Self::Gemini => &[".gemini", "GEMINI.md"],
            Self::Qwen => &[".qwen", "QWEN.md"],
            Self::Opencode => &[".opencode", "opencode.json"],
            Self::Cursor => &[".cursor"],
        }
    }

    /// Its folder for a user.
    pub fn user_folder(self, places: &Places) -> PathBuf {
        let (variable, folder) = match self {
            Self::Claude => ("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => ("CODEX_HOME", ".codex"),
            Self::Copilot => ("COPILOT_HOME", ".copilot"),
            Self::Gemini => ("", ".gemini"),
            Self::Qwen => ("", ".qwen"),
            Self::Opencode => ("OPENCODE_CONFIG_DIR", ".config/opencode"),
            Self::Cursor => ("", ".cursor"),
        };
        (places.variable)(variable).unwrap_or_else(|| places.home.join(folder))
    }

    /// Whether its program is on the path, or it was used here or by this user.
    pub fn is_found(self, places: &Places) -> bool {
        let path = (places.variable)("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path);
        let endings: &[&str] = if cfg!(windows) {
            &[".exe", ".cmd"]
        } else {
            &[""]
        };
        let is_in = |folder: PathBuf| {
            let mut names = self.programs().iter();
            names.any(|name| {
                let file = |ending: &&str| folder.join(format!("{name}{ending}")).is_file();
                endings.iter().any(file)
            })
        };
        let is_used = |root: &PathBuf| self.traces().iter().any(|it| root.join(it).exists());
        folders.any(is_in)
            || places.worktree.as_ref().is_some_and(is_used)
            || self.user_folder(places).exists()
    }

    /// Whether its plugin is what a user installs.
    pub fn takes_plugin(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Copilot)
    }
}
