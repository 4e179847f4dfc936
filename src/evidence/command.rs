//! Runs the commands of questions, where this user approved them.

use std::{
    env,
    ffi::OsString,
    io,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Approval, Derivation, Derived, Found, probe::text::part_of};
use crate::{
    entry::{CommandRun, sha256_hex},
    git::{Error, ErrorKind, Oid, Repo, Result},
    process::{self, Finished, Options},
    question::{Question, RunOf, RunTake, TextPart},
};

/// The most bytes of an output that are kept.
const OUTPUT: usize = 1 << 20;

/// What a command gave.
#[derive(Debug, Clone)]
pub struct Ran {
    pub found: Found,
    pub exit: i32,
    pub took: Duration,
    /// SHA-256 of what it printed.
    sha256: String,
}

impl Ran {
    /// What is recorded of the run beside its answer.
    pub fn recorded(&self) -> CommandRun {
        CommandRun {
            exit: self.exit,
            ms: u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            sha256: self.sha256.clone(),
        }
    }

    /// What was found, held against the answer that was recorded before.
    pub fn since(&self, recorded: Option<&Value>) -> Derivation {
        let before = |last: &Value| {
            if *last == self.found.recorded() {
                self.found.clone()
            } else if last.get("gone").is_some() {
                Found::Gone("nothing matched".into())
            } else {
                Found::Value(last.clone())
            }
        };
        Derivation {
            now: self.derived(),
            before: recorded.map(before),
        }
    }

    /// What was found, as a probe finds it.
    pub fn derived(&self) -> Derived {
        Derived {
            found: self.found.clone(),
            reads: Vec::new(),
            parts: Vec::new(),
            took: self.took,
        }
    }
}

/// Runs commands in one repository.
pub struct Commands<'r> {
    repo: &'r Repo,
}

impl<'r> Commands<'r> {
    pub fn new(repo: &'r Repo) -> Self {
        Self { repo }
    }

    /// Runs a question's command in the worktree as it is, whose HEAD is at `commit`.
    ///
    /// # Errors
    /// When it is not approved, or gives no answer: as what one says of it.
    pub fn here(&self, commit: Oid, question: &Question, run: &RunOf) -> Result<Ran> {
        let approval = self.approval(commit, question)?;
        let Some(worktree) = self.repo.worktree() else {
            return none(ErrorKind::Unsupported, "there is no worktree to run it in");
        };
        let files: Vec<&str> = approval.files.keys().map(String::as_str).collect();
        if !files.is_empty() && self.repo.differs(&files)? {
            let files = files.join(" or ");
            let why = format!("{files} differs from HEAD, whose content was approved: commit it");
            return none(ErrorKind::Unsupported, why);
        }
        run_in(&worktree, run)
    }

    /// Runs a question's command in a temporary worktree at `commit`.
    ///
    /// # Errors
    /// As [`Commands::here`].
    pub fn at(&self, commit: Oid, question: &Question, run: &RunOf) -> Result<Ran> {
        self.approval(commit, question)?;
        let checkout = self.repo.check_out(commit)?;
        run_in(checkout.path(), run)
    }

    fn approval(&self, commit: Oid, question: &Question) -> Result<Approval> {
        let approval = Approval::of(self.repo, commit, question)?;
        if approval.is_given()? {
            return Ok(approval);
        }
        let name = question.name();
        let why = format!("its command is not approved: see `git sq approve {name}`");
        none(ErrorKind::Unsupported, why)
    }
}

fn none<T>(kind: ErrorKind, why: impl Into<String>) -> Result<T> {
    Err(Error::new(kind, why))
}

/// Runs a command in a folder, with a folder of its own for temporary files.
fn run_in(dir: &Path, run: &RunOf) -> Result<Ran> {
    let scratch = tempfile::tempdir().map_err(|error| {
        Error::new(ErrorKind::Other, "could not make a temporary folder").because(error)
    })?;
    let timeout = run.timeout().unwrap_or_default();
    let start = Instant::now();
    let options = Options {
        deadline: Some(start + timeout),
        max_output: Some(OUTPUT),
        no_terminal: true,
        leaves_nothing: true,
        input: None,
    };
    let finished = process::run(command(dir, run, scratch.path()), options);
    let finished = finished.map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Error::new(ErrorKind::Interrupted, "interrupted"),
        _ => Error::new(ErrorKind::Other, "its command could not be started").because(error),
    })?;
    let took = start.elapsed();
    let exit = exit_code(&finished, timeout)?;
    Ok(Ran {
        found: found(run, exit, &finished)?,
        exit,
        took,
        sha256: sha256_hex(&finished.stdout),
    })
}

/// The program, found on the PATH as anywhere else, but never in a folder that the worktree decides on.
fn command(dir: &Path, run: &RunOf, scratch: &Path) -> Command {
    let program = Path::new(&run.run[0]);
    let mut command = match program.components().count() {
        0 | 1 if !run.run[0].contains(['/', '\\']) => Command::new(program),
        _ => Command::new(dir.join(program)),
    };
    command
        .args(&run.run[1..])
        .current_dir(dir)
        .env_clear()
        .envs(kept())
        .env("TERM", "dumb");
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        command.env(variable, scratch);
    }
    if let Some(path) = env::var_os("PATH") {
        let absolute = env::split_paths(&path).filter(|folder| folder.is_absolute());
        command.env("PATH", env::join_paths(absolute).unwrap_or_default());
    }
    command
}

/// What a command keeps of the environment, beside the PATH: nothing that holds a secret or leads git elsewhere.
fn kept() -> impl Iterator<Item = (OsString, OsString)> {
    /// The second half is what programs need on Windows.
    const KEPT: [&str; 10] = [
        "HOME",
        "LANG",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "COMSPEC",
        "PATHEXT",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMFILES",
    ];
    env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy().to_uppercase();
        name.starts_with("LC_") || KEPT.contains(&name.as_str())
    })
}

/// How a command ended; nothing follows from one that was ended.
fn exit_code(finished: &Finished, timeout: Duration) -> Result<i32> {
    let Some(status) = finished.status else {
        let why = format!("its command did not end within {} s", timeout.as_secs_f64());
        return none(ErrorKind::TooLarge, why);
    };
    status.code().map_or_else(
        || {
            // Rust's own words: `signal: 9 (SIGKILL)`.
            let why = format!("its command was ended by a {status}");
            none(ErrorKind::Other, why)
        },
        Ok,
    )
}

/// What is taken of a run that ended.
fn found(run: &RunOf, exit: i32, finished: &Finished) -> Result<Found> {
    if run.take == RunTake::Exit {
        return Ok(Found::Value(exit.into()));
    }
    if exit != 0 {
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let last = stderr.trim().lines().next_back().unwrap_or_default();
        let last = if last.is_empty() {
            String::new()
        } else {
            format!(": {last}")
        };
        return none(
            ErrorKind::Other,
            format!("its command exited with {exit}{last}"),
        );
    }
    if finished.truncated {
        let most = OUTPUT >> 20;
        return none(
            ErrorKind::TooLarge,
            format!("its command printed more than {most} MiB"),
        );
    }
    let text = String::from_utf8_lossy(&finished.stdout);
    Ok(match run.capture() {
        None => Found::Value(text.trim().into()),
        Some(pattern) => match part_of(&text, &TextPart::Match(pattern)) {
            Ok(value) => Found::Value(value),
            Err(why) => Found::Gone(why),
        },
    })
}
