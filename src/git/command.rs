//! Runs the user's git for tasks that gix does not support.

use std::{
    ffi::OsStr,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use gix::quote::single;

use super::{Error, ErrorKind, Result, error::Doing};
use crate::process::{self, Finished, Options};

pub struct Git {
    command: Command,
    options: Options,
    /// The settings of this run, in the form in which `git -c` passes them on.
    settings: Vec<u8>,
}

/// With these, git starts nothing that a repository names, beside filters and hooks by name, what is for the
/// network, and what signs. Who compares files also asks for `--no-ext-diff` and `--no-textconv`.
const NOTHING: [(&str, &str); 3] = [
    ("core.fsmonitor", "false"),
    // No folder, and so one without hooks.
    ("core.hooksPath", "/dev/null"),
    // Prints nothing: refs of an alternate only save work.
    ("core.alternateRefsCommand", "true"),
];

const ASK_NOTHING: [(&str, &str); 5] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];

pub(super) struct Printed {
    pub ok: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Git {
    pub(super) fn in_repository(
        git_dir: &Path,
        worktree: Option<&Path>,
        more: &[(Vec<u8>, &str)],
    ) -> Self {
        let mut git = Self::anywhere();
        for (key, value) in more {
            git.set(key, value);
        }
        git.command.env("GIT_DIR", git_dir);
        match worktree {
            Some(path) => git.command.env("GIT_WORK_TREE", path).current_dir(path),
            None => git.command.env_remove("GIT_WORK_TREE").current_dir(git_dir),
        };
        git
    }

    /// Git in a folder that has, or will have, its own repository.
    pub fn in_folder(dir: &Path) -> Self {
        let mut git = Self::anywhere();
        for variable in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"]
        {
            git.command.env_remove(variable);
        }
        git.command.current_dir(dir);
        git
    }

    /// Git as the user would run it in a folder, so that it finds and judges the same repository.
    pub(super) fn as_the_user(dir: &Path) -> Self {
        let mut command = Command::new("git");
        command.env("LC_ALL", "C").current_dir(dir);
        Self { command, options: Options::default(), settings: Vec::new() }
    }

    fn anywhere() -> Self {
        let mut command = Command::new("git");
        command
            // Messages are parsed, and must be in one language.
            .env("LC_ALL", "C")
            // It would change diffs unnoticed.
            .env_remove("GIT_DIFF_OPTS")
            // Reading never takes the index lock.
            .env("GIT_OPTIONAL_LOCKS", "0")
            // Objects are read as they are stored, as by gix in this program.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", "")
            .envs(ASK_NOTHING);
        // The user's own `git -c` settings come first: the last value counts.
        let settings = std::env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default().into_bytes();
        let git = Self { command, options: Options::default(), settings };
        NOTHING.iter().fold(git, |git, (key, value)| git.config(key, value))
    }

    /// Lets git ask for passwords, as it does by default.
    #[must_use]
    pub(super) fn interactive(mut self) -> Self {
        for (variable, _) in ASK_NOTHING {
            match std::env::var_os(variable) {
                Some(value) => self.command.env(variable, value),
                None => self.command.env_remove(variable),
            };
        }
        self
    }

    /// Detaches git from the terminal, on which ssh would ask for passwords and host keys.
    #[must_use]
    pub(super) fn without_terminal(mut self) -> Self {
        self.options.no_terminal = true;
        self
    }

    /// Sets a configuration value for this run; the key may hold any character.
    #[must_use]
    pub fn config(mut self, key: &str, value: &str) -> Self {
        self.set(key.as_bytes(), value);
        self
    }

    fn set(&mut self, key: &[u8], value: &str) {
        if !self.settings.is_empty() {
            self.settings.push(b' ');
        }
        self.settings.extend([&single(key.into())[..], b"=", &single(value.into())].concat());
    }

    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Arguments without blanks, in one text.
    #[must_use]
    pub fn words(self, args: &str) -> Self {
        self.args(args.split(' '))
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs git and returns its output; fails with git's own message.
    pub fn run(self) -> Result<Vec<u8>> {
        let mut args = self.command.get_args().map(|arg| arg.to_string_lossy());
        let verb = args.find(|arg| !arg.starts_with('-')).unwrap_or_default().into_owned();
        let finished = self.finish()?;
        match finished.status {
            Some(status) if status.success() => Ok(finished.stdout),
            None => Err(Error::new(ErrorKind::Unreachable, format!("`git {verb}` timed out"))),
            status => {
                let stderr = String::from_utf8_lossy(&finished.stderr);
                let why = match (stderr.trim(), status) {
                    ("", Some(status)) => status.to_string(),
                    (stderr, _) => stderr.to_owned(),
                };
                let message = format!("`git {verb}` failed: {why}");
                Err(Error::new(ErrorKind::Other, message))
            }
        }
    }

    pub fn run_with_input(mut self, input: impl Into<Vec<u8>>) -> Result<Vec<u8>> {
        self.options.input = Some(input.into());
        self.run()
    }

    /// Ends git after this time.
    pub(super) fn within(mut self, patience: Duration) -> Self {
        self.options.deadline = Some(Instant::now() + patience);
        self
    }

    /// Runs git until `deadline` and returns its output, also if it failed.
    pub(super) fn run_until(mut self, deadline: Option<Instant>) -> Result<Printed> {
        self.options.deadline = deadline;
        let finished = self.finish()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match finished.status {
            Some(status) => Ok(Printed {
                ok: status.success(),
                stdout: text(finished.stdout),
                stderr: text(finished.stderr),
            }),
            None => Err(Error::new(ErrorKind::Unreachable, "git timed out")),
        }
    }

    fn finish(mut self) -> Result<Finished> {
        if !self.settings.is_empty() {
            let settings = gix::path::from_byte_slice(&self.settings).doing("pass settings on")?;
            self.command.env("GIT_CONFIG_PARAMETERS", settings);
        }
        process::run(self.command, self.options).map_err(|error| {
            Error::new(ErrorKind::Other, "could not start git")
                .because(error)
                .help("install git, and check that it is on the PATH")
        })
    }
}
