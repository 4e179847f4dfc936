//! What is missing beside `git gc` is read again.

use std::{
    fs,
    sync::OnceLock,
    time::{Duration, Instant},
};

use super::{Error, ErrorKind, Repo, Result};

impl Repo {
    /// Reads what is missing again for a while beside `git gc`: it may have pruned what another process just wrote and
    /// writes once more.
    pub(super) fn patiently<T>(&self, read: impl Fn() -> Result<T>) -> Result<T> {
        let is_gone = |error: &Error| error.kind == ErrorKind::Missing;
        loop {
            match read() {
                Err(error) if is_gone(&error) && self.waits_for_gc() => {}
                done => return done,
            }
        }
    }

    /// Waits a moment, if `git gc` is at work, and no longer than a while in all.
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

    /// Whether `git gc` is at work, by the file and the patience that git itself has for it.
    pub(super) fn is_collecting_garbage(&self) -> bool {
        const STALE: Duration = Duration::from_secs(12 * 3600);
        let changed =
            fs::metadata(self.common_dir().join("gc.pid")).and_then(|file| file.modified());
        changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < STALE))
    }
}
