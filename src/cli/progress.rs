//! Progress of long work: one line on a terminal's standard error, which is removed when the work is done.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::evidence::Tell;

/// Work shorter than this shows no progress.
const DELAY: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(100);

pub struct Progress {
    what: &'static str,
    is_shown: bool,
    /// The time of the next update, and whether the line is on the screen.
    next: Mutex<(Instant, bool)>,
}

impl Progress {
    /// Starts the delay; `what` names the work, as in `Tracing`.
    pub fn new(what: &'static str) -> Self {
        let is_dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
        Self {
            what,
            is_shown: io::stderr().is_terminal() && !is_dumb,
            next: Mutex::new((Instant::now() + DELAY, false)),
        }
    }

    /// Does work that tells how far it is.
    pub fn over<T>(what: &'static str, work: impl FnOnce(Tell) -> T) -> T {
        let progress = Self::new(what);
        work(&|done, of| progress.tell(done, of))
    }

    pub fn tell(&self, done: usize, of: usize) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if self.is_shown && now >= next.0 {
            *next = (now + INTERVAL, true);
            write(&format!("\r{}: {done} of {of}\x1b[K", self.what));
        }
    }

    pub fn clear(&self) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut next.1) {
            write("\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Ignores errors: a closed terminal must not stop the work.
fn write(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
