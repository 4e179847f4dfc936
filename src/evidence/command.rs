//! Runs the commands of questions that this user approved.

use std::{
    env,
    ffi::OsString,
    io,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Approval, Derivation, Derived, Found, probe::text::matches};
use crate::{
    entry::{CommandRun, is_same_recorded, sha256_hex},
    git::{Doing, Error, ErrorKind, Oid, Repo, Result},
    process::{self, Finished, Options},
    question::{Question, RunOf, RunTake},
};

/// Bytes of an output that are kept at most.
const OUTPUT: usize = 1 << 20;

/// A sandbox lets `git sq` out; what it starts would be out, too.
const NOT_HERE: &str = "its command runs only for a person on a terminal, or, while GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM are unset, after `git config --global sq.agentCommands true`";

pub struct Commands<'r> {
    pub repo: &'r Repo,
    /// True if a person runs them, or lets agents do so.
    pub may_run: bool,
    pub announce: &'r dyn Fn(&Question),
}

impl Commands<'_> {
    /// Runs a question's command in the current worktree, whose HEAD is at `commit`.
    pub fn here(&self, commit: Oid, question: &Question) -> Result<Derived> {
        let approval = self.approval(commit, question)?;
        let Some(worktree) = self.repo.worktree() else {
            return none("there is no worktree to run its command in");
        };
        if self.repo.differ(&approval.files)? {
            let files: Vec<&str> = approval.files.keys().map(String::as_str).collect();
            let files = files.join(" or ");
            return none(format!("{files} differs from HEAD, where it was approved: commit it"));
        }
        self.run_in(&worktree, question, &approval.run)
    }

    /// Runs it in a temporary worktree at `commit`; fails if a word leads back to the current one.
    pub fn at(&self, commit: Oid, question: &Question) -> Result<Derived> {
        let approval = self.approval(commit, question)?;
        if let Some(word) = approval.fixed_word(self.repo) {
            return none(format!(
                "{word} names a file by its absolute path: use a path relative to the top folder"
            ));
        }
        process::watch();
        let checkout = self.repo.check_out(commit);
        if process::was_interrupted() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        self.run_in(checkout?.path(), question, &approval.run)
    }

    pub fn approval(&self, commit: Oid, question: &Question) -> Result<Approval> {
        if !self.may_run {
            return none(NOT_HERE);
        }
        let approval = Approval::of(self.repo, commit, question)?;
        if approval.is_given(self.repo)? {
            return Ok(approval);
        }
        let name = question.name();
        none(format!("its command is not approved: see `git sq question approve {name}`"))
    }

    fn run_in(&self, dir: &Path, question: &Question, run: &RunOf) -> Result<Derived> {
        let scratch = tempfile::tempdir().doing("make a temporary folder")?;
        (self.announce)(question);
        let (start, timeout) = (Instant::now(), run.timeout().unwrap_or_default());
        let options = Options {
            deadline: Some(start + timeout),
            max_output: Some(OUTPUT),
            no_terminal: true,
            leaves_nothing: true,
            ..Options::default()
        };
        let finished =
            process::run(command(dir, run, scratch.path()), options).map_err(|error| {
                if error.kind() == io::ErrorKind::Interrupted {
                    return Error::new(ErrorKind::Interrupted, "interrupted");
                }
                let what = format!("{} could not be started", run.run[0]);
                Error::new(ErrorKind::Other, what).because(error)
            })?;
        let took = start.elapsed();
        let exit = exit_code(&finished, timeout)?;
        Ok(Derived {
            found: found(run, exit, &finished)?,
            reads: Vec::new(),
            parts: Vec::new(),
            took,
            run: Some(CommandRun {
                exit,
                ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
                sha256: sha256_hex(&finished.stdout),
            }),
        })
    }
}

impl Derived {
    pub fn since(self, recorded: Option<&Value>) -> Derivation {
        let before = |last: &Value| match last {
            last if is_same_recorded(last, &self.found.recorded()) => self.found.clone(),
            last if last.get("gone").is_some() => Found::Gone("nothing matched".into()),
            last => Found::Value(last.clone()),
        };
        Derivation { before: recorded.map(before), now: self }
    }
}

fn none<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported, why))
}

/// The program, found on the PATH as anywhere else, but never in a folder that the worktree decides on.
fn command(dir: &Path, run: &RunOf, scratch: &Path) -> Command {
    let program = &run.run[0];
    let is_path = program.contains(std::path::is_separator);
    let program = if is_path { dir.join(program).into() } else { OsString::from(program) };
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(env::split_paths(&path).filter(|folder| folder.is_absolute()));
    let mut command = Command::new(program);
    command
        .args(&run.run[1..])
        .current_dir(dir)
        .env_clear()
        .envs(env::vars_os().filter(|(name, _)| is_kept(&name.to_string_lossy())))
        .env("PATH", path.unwrap_or_default())
        .env("TERM", "dumb");
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        command.env(variable, scratch);
    }
    command
}

/// Returns true for environment variables that a command inherits: none that holds a secret or redirects git.
fn is_kept(name: &str) -> bool {
    /// Programs don't start on Windows without these.
    const WINDOWS: &str = "SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA";
    matches!(name, "HOME" | "LANG")
        || name.starts_with("LC_")
        || cfg!(windows) && WINDOWS.split(' ').any(|kept| kept.eq_ignore_ascii_case(name))
}

fn exit_code(finished: &Finished, timeout: Duration) -> Result<i32> {
    match finished.status.map(|status| (status, status.code())) {
        Some((_, Some(code))) => Ok(code),
        // Rust's own wording: `signal: 9 (SIGKILL)`.
        Some((status, None)) => none(format!("its command was ended by a {status}")),
        None => none(format!("its command did not end within {} s", timeout.as_secs_f64())),
    }
}

fn found(run: &RunOf, exit: i32, finished: &Finished) -> Result<Found> {
    if run.take == RunTake::Exit {
        return Ok(Found::Value(exit.into()));
    }
    if exit != 0 {
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let last = stderr.trim().lines().next_back();
        let last = last.map(|last| format!(": {last}")).unwrap_or_default();
        return none(format!("its command exited with {exit}{last}"));
    }
    if finished.truncated {
        return none(format!("its command printed more than {OUTPUT} bytes"));
    }
    Ok(match run.capture() {
        None => Found::Value(String::from_utf8_lossy(&finished.stdout).trim().into()),
        Some(pattern) => matches("the output", &finished.stdout, &pattern, 1)
            .map_or_else(Found::Gone, |mut found| Found::Value(found.swap_remove(0))),
    })
}
