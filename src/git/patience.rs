//! Retries reads of missing objects while `git gc` runs.

use std::{
    fs,
    sync::OnceLock,
    time::{Duration, Instant},
};

use super::{Error, ErrorKind, Repo, Result};

impl Repo {
    /// Retries a read while `git gc` runs: it may have pruned an object that another process writes again.
    pub(super) fn patiently<T>(&self, read: impl Fn() -> Result<T>) -> Result<T> {
        let is_gone = |error: &Error| error.kind == ErrorKind::Missing;
        loop {
            match read() {
                Err(error) if is_gone(&error) && self.waits_for_gc() => {}
                done => return done,
            }
        }
    }

    /// Waits a moment if `git gc` is running, and up to a limit in total.
    pub(super) fn waits_for_gc(&self) -> bool {
        const PATIENCE: Duration = Duration::from_secs(5);
        static FIRST: OnceLock<Instant> = OnceLock::new();
        let waits =
            self.is_collecting_garbage() && FIRST.get_or_init(Instant::now).elapsed() < PATIENCE;
        if waits {
            std::thread::sleep(Duration::from_millis(10));
        }
        waits
    }

    /// Returns true if `git gc` is running, by git's own file and time limit for it.
    pub(super) fn is_collecting_garbage(&self) -> bool {
        const STALE: Duration = Duration::from_secs(12 * 3600);
        let changed =
            fs::metadata(self.common_dir().join("gc.pid")).and_then(|file| file.modified());
        changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < STALE))
    }
}
