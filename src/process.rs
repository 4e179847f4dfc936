//! Runs a program with an optional deadline and output cap; a failure is for the caller to judge.

use std::{
    io::{self, Read, Write},
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use process_wrap::std::{ChildWrapper, CommandWrap};

mod detached;
mod interrupt;

pub use detached::{ancestor, close_inherited, start_detached, this_program, wait_for_end};
pub use interrupt::watch;

/// The time for a program to clean up after SIGTERM, and for its output to arrive after its end.
const GRACE: Duration = Duration::from_millis(300);
/// The intervals at which the end of the program is checked: short at first, because most runs are short.
const POLL_INTERVALS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Kills the program and all its children. Without a deadline the program stays in the process group of the
    /// terminal, which Ctrl-C reaches.
    pub deadline: Option<Instant>,
    /// Bytes of each output stream that are kept; more are read and dropped.
    pub max_output: Option<usize>,
    /// The standard input of the program.
    pub input: Option<Vec<u8>>,
    /// True to give the program its own session, and so no terminal for prompts (Unix only).
    pub no_terminal: bool,
    /// True to end the program's children with it, and all of them with this program (needs a deadline).
    pub leaves_nothing: bool,
}

#[derive(Debug)]
pub struct Finished {
    /// `None` if the deadline passed first.
    pub status: Option<ExitStatus>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// True if an output was longer than the cap.
    pub truncated: bool,
}

/// Runs a program to its end or its deadline. Fails if it can't be started or waited for, and with `Interrupted` if
/// this program received a signal to end.
pub fn run(mut command: Command, options: Options) -> io::Result<Finished> {
    if options.leaves_nothing {
        interrupt::watch();
    }
    let input = options.input.as_ref();
    command
        .stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    if options.no_terminal {
        wrap.wrap(process_wrap::std::ProcessSession);
    } else if options.deadline.is_some() {
        wrap.wrap(process_wrap::std::ProcessGroup::leader());
    }
    #[cfg(windows)]
    if options.deadline.is_some() {
        wrap.wrap(process_wrap::std::JobObject);
    }
    interrupt::unblock(&mut wrap);
    let mut child = wrap.spawn()?;
    let max_output = options.max_output.unwrap_or(usize::MAX);
    let stdout = child.stdout().take().map(|pipe| Capture::start(pipe, max_output));
    let stderr = child.stderr().take().map(|pipe| Capture::start(pipe, max_output));
    if let (Some(mut stdin), Some(input)) = (child.stdin().take(), options.input) {
        // A program may end without reading all of its input.
        thread::spawn(move || stdin.write_all(&input));
    }
    let is_interrupted = || options.leaves_nothing && was_interrupted();
    let status = wait(&mut *child, options.deadline, is_interrupted)?;
    if status.is_none() {
        stop(&mut *child)?;
    }
    // A background process, such as ssh's shared connection, may hold the pipes open after the program has ended.
    let latest = Instant::now() + GRACE;
    let patience = if options.leaves_nothing {
        Some(latest)
    } else {
        options.deadline.map(|deadline| deadline.max(latest))
    };
    let (stdout, stdout_truncated) = stdout.map(|it| it.finish(patience)).unwrap_or_default();
    let (stderr, stderr_truncated) = stderr.map(|it| it.finish(Some(latest))).unwrap_or_default();
    if options.leaves_nothing {
        // An error means that no process of its group is left.
        drop(child.start_kill());
    }
    if is_interrupted() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(Finished { status, stdout, stderr, truncated: stdout_truncated || stderr_truncated })
}

/// Runs a program that a person uses on this terminal, such as an editor.
pub fn run_in_front(command: Command) -> io::Result<ExitStatus> {
    let mut wrap = CommandWrap::from(command);
    interrupt::beside(|| {
        interrupt::unblock(&mut wrap);
        wrap.spawn()?.wait()
    })
}

/// Returns true if this program received a signal to end, while it watches for signals.
pub fn was_interrupted() -> bool {
    interrupt::caught()
}

/// Waits for the end of a child; `None` if the deadline or `is_over` came first.
fn wait(
    child: &mut dyn ChildWrapper,
    deadline: Option<Instant>,
    is_over: impl Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    let Some(deadline) = deadline else {
        return child.wait().map(Some);
    };
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || is_over() {
            return Ok(None);
        }
        let is_long = start.elapsed() > Duration::from_millis(100);
        thread::sleep(POLL_INTERVALS[usize::from(is_long)].min(left));
    }
}

/// Ends a child and its whole group: by SIGTERM first, so that git can remove its lock files.
fn stop(child: &mut dyn ChildWrapper) -> io::Result<()> {
    #[cfg(unix)]
    {
        /// The same number on every Unix.
        const SIGTERM: i32 = 15;
        if child.signal(SIGTERM).is_ok() {
            wait(child, Some(Instant::now() + GRACE), || false)?;
        }
    }
    // Also after the child itself has ended: other processes of its group may have ignored the signal.
    match child.start_kill() {
        Err(error) if child.try_wait()?.is_none() => Err(error),
        _ => child.wait().map(drop),
    }
}

struct Capture {
    kept: Arc<Mutex<(Vec<u8>, bool)>>,
    /// Disconnected at the end of the output.
    end: mpsc::Receiver<()>,
}

impl Capture {
    fn start(mut pipe: impl Read + Send + 'static, max: usize) -> Self {
        let kept = Arc::new(Mutex::new((Vec::new(), false)));
        let (sender, end) = mpsc::channel();
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            let _sender = sender;
            let mut buffer = vec![0; 64 << 10];
            loop {
                let count = match pipe.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => return,
                };
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let room = count.min(max - kept.0.len());
                kept.0.extend_from_slice(&buffer[..room]);
                kept.1 |= room < count;
            }
        });
        Self { kept, end }
    }

    /// The output up to its end or `latest`, and true if it was truncated.
    fn finish(self, latest: Option<Instant>) -> (Vec<u8>, bool) {
        // Both fail when the sender is gone, which marks the end.
        let left = latest.map(|latest| latest.saturating_duration_since(Instant::now()));
        let _ = match left {
            Some(left) => self.end.recv_timeout(left).is_err(),
            None => self.end.recv().is_err(),
        };
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
