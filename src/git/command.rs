//! Starts the user's git for what gix lacks.

use std::{ffi::OsStr, path::Path, process::Command, time::Instant};

use super::{Error, ErrorKind, Result, environment::quoted};
use crate::process::{self, Finished, Options};

/// A run of the user's git in preparation.
pub struct Git {
    command: Command,
    options: Options,
    /// The settings of this run alone, as `git -c` hands them down.
    settings: String,
}

/// Keeps git, ssh and credential helpers from asking for a password.
const ASK_NOTHING: [(&str, &str); 5] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
];

/// What a run of git printed, whether it failed or not.
pub(super) struct Printed {
    pub ok: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Git {
    /// Git for an open repository, whatever the environment or the current folder say.
    pub fn in_repository(git_dir: &Path, worktree: Option<&Path>) -> Self {
        let mut git = Self::anywhere();
        git.command.env("GIT_DIR", git_dir);
        match worktree {
            Some(path) => git.command.env("GIT_WORK_TREE", path).current_dir(path),
            None => git.command.env_remove("GIT_WORK_TREE").current_dir(git_dir),
        };
        git
    }

    /// Git in a folder that has, or will have, a repository of its own.
    pub fn in_folder(dir: &Path) -> Self {
        let mut git = Self::anywhere();
        for variable in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_PREFIX",
            "GIT_COMMON_DIR",
        ] {
            git.command.env_remove(variable);
        }
        git.command.current_dir(dir);
        git
    }

    fn anywhere() -> Self {
        let mut command = Command::new("git");
        command
            // Messages are parsed and shown in one language.
            .env("LC_ALL", "C")
            // It would change diffs behind our back.
            .env_remove("GIT_DIFF_OPTS")
            // Reading never takes the index lock.
            .env("GIT_OPTIONAL_LOCKS", "0")
            // Objects are read as they are stored, as this program reads them.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", "")
            .envs(ASK_NOTHING);
        Self {
            command,
            options: Options::default(),
            // After what the user's own `git -c` set: the last value counts.
            settings: std::env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default(),
        }
    }

    /// Lets git ask for passwords as it does by itself.
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

    /// Takes the terminal away, on which ssh asks for passwords and host keys.
    #[must_use]
    pub(super) fn without_terminal(mut self) -> Self {
        self.options.no_terminal = true;
        self
    }

    /// Sets a configuration value for this run, whatever characters the key holds.
    #[must_use]
    pub(super) fn config(mut self, key: &str, value: &str) -> Self {
        if !self.settings.is_empty() {
            self.settings.push(' ');
        }
        self.settings
            .extend([quoted(key).as_str(), "=", &quoted(value)]);
        self.command.env("GIT_CONFIG_PARAMETERS", &self.settings);
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it and returns what it printed; fails with git's own message where git fails.
    pub fn run(self) -> Result<Vec<u8>> {
        let args = self.command.get_args().map(|arg| arg.to_string_lossy());
        let verb = verb(args).unwrap_or_default();
        let finished = self.finish()?;
        match finished.status {
            Some(status) if status.success() => Ok(finished.stdout),
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

    /// Runs it with `input` on its standard input and returns what it printed.
    pub fn run_with_input(mut self, input: impl Into<Vec<u8>>) -> Result<Vec<u8>> {
        self.options.input = Some(input.into());
        self.run()
    }

    /// Runs it until `deadline` and returns what it printed, also where it failed.
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

    fn finish(self) -> Result<Finished> {
        process::run(self.command, self.options).map_err(|error| {
            Error::new(ErrorKind::Other, "could not start git")
                .because(error)
                .help("install git, and check that it is on the PATH")
        })
    }
}

/// Git's subcommand on a command line, past `-c key=value` and other options.
fn verb<'a>(mut args: impl Iterator<Item = std::borrow::Cow<'a, str>>) -> Option<String> {
    loop {
        match args.next()? {
            arg if arg == "-c" => drop(args.next()),
            arg if arg.starts_with('-') => {}
            arg => return Some(arg.into_owned()),
        }
    }
}

/// Asks git whether it would work in the repository around `dir`; the error is git's own refusal, with its remedy.
pub(super) fn refuse_where_git_refuses(dir: &Path) -> Result<()> {
    let mut command = Command::new("git");
    command
        .args(["rev-parse", "--git-dir"])
        .env("LC_ALL", "C")
        .current_dir(dir);
    let git = Git {
        command,
        options: Options::default(),
        settings: String::new(),
    };
    let printed = git.run_until(None)?;
    if printed.ok {
        return Ok(());
    }
    let stderr = printed.stderr.trim().trim_start_matches("fatal: ");
    let (message, rest) = stderr.split_once('\n').unwrap_or((stderr, ""));
    Err(if stderr.contains("dubious ownership") {
        let remedy = rest
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("git config"))
            .unwrap_or("see safe.directory in `git help config`");
        Error::new(ErrorKind::Unsafe, message).help(remedy)
    } else if message.contains("safe.bareRepository") {
        Error::new(ErrorKind::Unsafe, message)
            .help("name it, if you trust it: `git --git-dir=PATH sq`")
    } else if message.contains("not a git repository") {
        Error::new(ErrorKind::NoRepository, message)
            .help("change to a repository, or name one: `git -C PATH sq`; `git init` creates one")
    } else {
        Error::new(ErrorKind::Other, message)
    })
}
