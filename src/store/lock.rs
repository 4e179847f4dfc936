//! The writers' lock: courtesy among our own processes, never what keeps the log whole.

use std::{
    fs::{self, File, TryLockError},
    time::{Duration, Instant},
};

use super::{Error, clone::state_dir};
use crate::git::Repo;

/// After this long a writer goes on without the lock; compare and swap still keeps every line.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// Held while writing; the system releases it when its process ends, however that ends.
pub struct WritersLock {
    _file: Option<File>,
}

impl WritersLock {
    /// Waits for its turn.
    ///
    /// # Errors
    /// When the lock's file can't be made.
    pub fn acquire(repo: &Repo) -> Result<Self, Error> {
        let dir = state_dir(repo);
        let path = dir.join("lock");
        fs::create_dir_all(&dir).map_err(Error::file("make the folder", &dir))?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::file("open", &path))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                // A file system without locks, or one of us that is stuck: go on by compare and swap alone.
                Err(_) => return Ok(Self { _file: None }),
            }
        }
    }
}
