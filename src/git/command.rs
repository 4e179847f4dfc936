//! Runs the user's git for tasks that gix does not support.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use super::{Error, ErrorKind, Repo, Result, environment::quoted, repository::absolute};
use crate::process::{self, Finished, Options};

pub struct Git {
    command: Command,
    options: Options,
    /// The settings of this run, in the form in which `git -c` passes them on.
    settings: String,
}

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
    pub fn in_repository(git_dir: &Path, worktree: Option<&Path>) -> Self {
        let mut git = Self::anywhere();
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
        Self {
            command,
            options: Options::default(),
            // The user's own `git -c` settings come first: the last value counts.
            settings: std::env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default(),
        }
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
    pub(super) fn config(mut self, key: &str, value: &str) -> Self {
        if !self.settings.is_empty() {
            self.settings.push(' ');
        }
        self.settings.extend([quoted(key).as_str(), "=", &quoted(value)]);
        self.command.env("GIT_CONFIG_PARAMETERS", &self.settings);
        self
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

    pub fn run_with_input(mut self, input: impl Into<Vec<u8>>) -> Result<Vec<u8>> {
        self.options.input = Some(input.into());
        self.run()
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

    fn finish(self) -> Result<Finished> {
        process::run(self.command, self.options).map_err(|error| {
            Error::new(ErrorKind::Other, "could not start git")
                .because(error)
                .help("install git, and check that it is on the PATH")
        })
    }
}

impl Repo {
    /// The absolute path of git's folder for hooks, which `core.hooksPath` may move.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let args = ["rev-parse", "--git-path", "hooks"];
        let printed = self.git().args(args).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let path = Path::new(printed.trim_end_matches(['\r', '\n']));
        Ok(absolute(&self.worktree().unwrap_or_else(|| self.git_dir()).join(path)))
    }

    /// Git that runs no hook of the repository: it may be in the worktree, and written by an agent in a sandbox that
    /// this program is let out of.
    pub(super) fn without_hooks(&self, git: Git) -> Git {
        let nowhere = self.git_dir().join("sq").join("no-hooks");
        let git = git.config("core.hooksPath", &nowhere.to_string_lossy());
        self.own_sections("hook")
            .into_iter()
            .fold(git, |git, hook| git.config(&format!("hook.{hook}.command"), "true"))
    }

    pub fn git_version(&self) -> Result<(u32, u32)> {
        let printed = self.git().args(["version"]).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let mut numbers = printed
            .split_whitespace()
            .nth(2)
            .unwrap_or_default()
            .split('.')
            .map(|n| n.parse().unwrap_or(0));
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }
}

/// The subcommand of a git command line, after `-c key=value` and other options.
fn verb<'a>(mut args: impl Iterator<Item = std::borrow::Cow<'a, str>>) -> Option<String> {
    loop {
        match args.next()? {
            arg if arg == "-c" => drop(args.next()),
            arg if arg.starts_with('-') => {}
            arg => return Some(arg.into_owned()),
        }
    }
}

/// Fails with git's own message and remedy if git refuses to work in the repository around `dir`.
pub(super) fn refuse_where_git_refuses(dir: &Path) -> Result<()> {
    let mut command = Command::new("git");
    command.args(["rev-parse", "--git-dir"]).env("LC_ALL", "C").current_dir(dir);
    let git = Git { command, options: Options::default(), settings: String::new() };
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
