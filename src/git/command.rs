//! The one place that starts git, for what gix has not.

use std::{
    ffi::OsStr,
    io::Write,
    panic::resume_unwind,
    path::Path,
    process::{Command, Output, Stdio},
    time::Instant,
};

use super::{Error, ErrorKind, Result, bounded, environment::quoted};

/// A run of the user's git in preparation.
pub struct Git {
    command: Command,
    /// The settings of this run alone, as `git -c` hands them down.
    settings: String,
}

/// What keeps git and ssh from asking for a password.
const ASK_NOTHING: [(&str, &str); 4] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// What a run of git printed, whether it failed or not.
pub(super) struct Printed {
    pub ok: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Git {
    /// Git for a repository that is open: pinned to it, whatever the environment or the current folder say.
    pub fn in_repository(git_dir: &Path, worktree: Option<&Path>) -> Self {
        let mut git = Self::anywhere();
        git.command.env("GIT_DIR", git_dir);
        match worktree {
            Some(worktree) => {
                git.command
                    .env("GIT_WORK_TREE", worktree)
                    .current_dir(worktree);
            }
            None => {
                git.command.env_remove("GIT_WORK_TREE").current_dir(git_dir);
            }
        }
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
            .stdin(Stdio::null())
            // Messages are matched and shown in one language.
            .env("LC_ALL", "C")
            // It would change diffs behind our back.
            .env_remove("GIT_DIFF_OPTS")
            // Reading never takes the index lock.
            .env("GIT_OPTIONAL_LOCKS", "0")
            // There is nobody to type a password.
            .envs(ASK_NOTHING);
        Self {
            command,
            // After what the user's own `git -c` set: the last value counts.
            settings: std::env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default(),
        }
    }

    /// Lets git ask for passwords as it does by itself.
    #[must_use]
    pub(super) fn asking(mut self) -> Self {
        for (variable, _) in ASK_NOTHING {
            match std::env::var_os(variable) {
                Some(value) => self.command.env(variable, value),
                None => self.command.env_remove(variable),
            };
        }
        self
    }

    /// Sets a value of its configuration for this run, whatever characters the key holds.
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

    /// Runs it until `deadline` and gives what it printed.
    ///
    /// # Errors
    /// When it can't be started, or its time is up.
    pub(super) fn run_until(self, deadline: Option<Instant>) -> Result<Printed> {
        let program = self.command.get_program().to_owned();
        let ended = bounded::run_until(self.command, deadline).map_err(|error| match error {
            bounded::Trouble::Start(error) => not_started(&program, &error),
            bounded::Trouble::Output(error) => Error::new(
                ErrorKind::Other,
                format!("what git says could not be kept in a temporary file: {error}"),
            )
            .help("see that the folder for temporary files can be written (TMPDIR)"),
        })?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match ended.status {
            Some(status) => Ok(Printed {
                ok: status.success(),
                stdout: text(ended.stdout),
                stderr: text(ended.stderr),
            }),
            None => Err(Error::new(
                ErrorKind::Unreachable,
                "git did not end in the time that it had",
            )),
        }
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it and gives what it printed.
    ///
    /// # Errors
    /// When it can't be started or fails; the message holds what it said.
    pub fn run(mut self) -> Result<Vec<u8>> {
        let output = self.command.output();
        finish(&self.command, output)
    }

    /// Runs it with `input` on its standard input and gives what it printed.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_input(mut self, input: &[u8]) -> Result<Vec<u8>> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self
            .command
            .spawn()
            .map_err(|error| not_started(self.command.get_program(), &error))?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // Written beside the reading, so that neither pipe can fill up and stop both.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        });
        finish(&self.command, output)
    }

    /// Runs it with `input` on its standard input, hands what it prints to `next`, and gives what that printed.
    ///
    /// # Errors
    /// As [`run`](Self::run), for either of the two.
    pub fn run_into(mut self, mut next: Self, input: &[u8]) -> Result<Vec<u8>> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut first = self
            .command
            .spawn()
            .map_err(|error| not_started(self.command.get_program(), &error))?;
        let stdin = first.stdin.take();
        next.command
            .stdin(first.stdout.take().map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let second = next.command.spawn();
        // The first must see it when the second goes away: this process keeps no end of their pipe.
        next.command.stdin(Stdio::null());
        let (first, second) = std::thread::scope(|scope| {
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            let first = scope.spawn(move || first.wait_with_output());
            let second = second.and_then(std::process::Child::wait_with_output);
            let first = first.join();
            (first.unwrap_or_else(|panic| resume_unwind(panic)), second)
        });
        let printed = finish(&next.command, second)?;
        finish(&self.command, first)?;
        Ok(printed)
    }
}

fn not_started(program: &OsStr, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Other,
        format!("could not start {}: {error}", program.display()),
    )
    .help("install git and see that it is in PATH")
}

fn finish(command: &Command, output: std::io::Result<Output>) -> Result<Vec<u8>> {
    let output = output.map_err(|error| not_started(command.get_program(), &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let mut args = command.get_args().map(|arg| arg.to_string_lossy());
    let verb = loop {
        match args.next() {
            // What comes next is a setting.
            Some(arg) if arg == "-c" => drop(args.next()),
            Some(arg) if arg.starts_with('-') => {}
            arg => break arg.unwrap_or_default(),
        }
    };
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = if said.is_empty() {
        output.status.to_string()
    } else {
        said
    };
    Err(Error::new(
        ErrorKind::Other,
        format!("`git {verb}` failed: {said}"),
    ))
}

/// Asks git whether it would work in the repository around `dir`.
///
/// # Errors
/// Git's own refusal, with its remedy.
pub(super) fn refuse_where_git_refuses(dir: &Path) -> Result<()> {
    let output = Command::new("git")
        .args(["rev-parse", "--git-dir"])
        .env("LC_ALL", "C")
        .current_dir(dir)
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| not_started(OsStr::new("git"), &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said.trim().trim_start_matches("fatal: ");
    let (message, rest) = said.split_once('\n').unwrap_or((said, ""));
    if said.contains("dubious ownership") {
        let remedy = rest
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("git config"))
            .unwrap_or("see safe.directory in `git help config`");
        return Err(Error::new(ErrorKind::Unsafe, message).help(remedy.to_owned()));
    }
    let kind = if message.contains("not a git repository") {
        ErrorKind::NoRepository
    } else {
        ErrorKind::Other
    };
    let error = Error::new(kind, message);
    Err(match kind {
        ErrorKind::NoRepository => error
            .help("go to a repository, or name one: `git -C PATH sq`; `git init` makes a new one"),
        _ => error,
    })
}
