//! A run of git that ends in time: for what talks to a remote, which may never answer.

use std::{
    fs::File,
    io::{self, Read, Seek},
    process::{Command, ExitStatus},
    time::{Duration, Instant},
};

use process_wrap::std::{ChildWrapper, CommandWrap};

/// How long git has to end its own helpers after it was told to stop.
const GRACE: Duration = Duration::from_millis(300);
/// How often to look whether it has ended: short at first, because most runs are.
const LOOKS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

/// What a run left.
pub(super) struct Ended {
    /// None where it was stopped because its time was up.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// What went wrong around a run.
pub(super) enum Trouble {
    /// It could not be started or waited for.
    Start(io::Error),
    /// What it printed could not be kept.
    Output(io::Error),
}

/// Runs a command until `deadline`, then stops it.
///
/// What it prints goes through files, because a helper of a stopped git may keep a pipe open.
///
/// # Errors
/// When it can't be started, or the system fails.
pub(super) fn run_until(mut command: Command, deadline: Option<Instant>) -> Result<Ended, Trouble> {
    let file = || tempfile::tempfile().map_err(Trouble::Output);
    let (mut stdout, mut stderr) = (file()?, file()?);
    command
        .stdout(stdout.try_clone().map_err(Trouble::Output)?)
        .stderr(stderr.try_clone().map_err(Trouble::Output)?);
    let mut wrap = CommandWrap::from(command);
    // Stopped are the helpers that git started, too. Where a person waits, nothing is stopped but by Ctrl-C, which
    // reaches the terminal's own group alone.
    if deadline.is_some() {
        #[cfg(unix)]
        wrap.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::std::JobObject);
    }
    let mut child = wrap.spawn().map_err(Trouble::Start)?;
    let status = wait(&mut *child, deadline).map_err(Trouble::Start)?;
    if status.is_none() {
        stop(&mut *child).map_err(Trouble::Start)?;
    }
    Ok(Ended {
        status,
        stdout: all_of(&mut stdout).map_err(Trouble::Output)?,
        stderr: all_of(&mut stderr).map_err(Trouble::Output)?,
    })
}

fn wait(child: &mut dyn ChildWrapper, deadline: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    let Some(deadline) = deadline else {
        return child.wait().map(Some);
    };
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let look = LOOKS[usize::from(start.elapsed() > Duration::from_millis(100))];
        std::thread::sleep(look.min(left));
    }
}

/// Stops a run: politely first, because git then ends the helpers that it started.
fn stop(child: &mut dyn ChildWrapper) -> io::Result<()> {
    #[cfg(unix)]
    {
        /// The number of SIGTERM on every Unix.
        const TERMINATE: i32 = 15;
        if child.signal(TERMINATE).is_ok() && wait(child, Some(Instant::now() + GRACE))?.is_some() {
            return Ok(());
        }
    }
    child.kill()
}

fn all_of(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
