//! The writers' lock keeps this program's processes from retrying; the log is safe without it.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
    time::{Duration, Instant},
};

#[cfg(unix)]
use {nix::fcntl::OFlag, std::os::unix::fs::OpenOptionsExt};

use super::{Error, state_dir};
use crate::{file, git::Repo};

/// After this time a writer continues without the lock; compare and swap still keeps every line.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// Held while writing; the system releases it when its process ends, even by a crash.
pub struct WritersLock {
    _file: Option<File>,
}

impl WritersLock {
    pub fn acquire(repo: &Repo) -> Result<Self, Error> {
        Self::named(repo, "lock")
    }

    /// As [`named`](Self::named), without waiting: `None` if another process holds it.
    pub fn try_named(repo: &Repo, name: &str) -> Result<Option<Self>, Error> {
        let dir = &state_dir(repo);
        let file = open(dir, &dir.join(name))?;
        Ok(match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            _ => Some(Self { _file: Some(file) }),
        })
    }

    /// As [`acquire`](Self::acquire), with another name: a process can't take the same lock twice.
    pub fn named(repo: &Repo, name: &str) -> Result<Self, Error> {
        let dir = &state_dir(repo);
        let file = open(dir, &dir.join(name))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                // A file system without locks, or a process that hangs: compare and swap has to suffice.
                _ => return Ok(Self { _file: None }),
            }
        }
    }
}

/// Removes the temporary files of killed processes. The caller holds the writers' lock.
pub fn sweep(repo: &Repo) {
    /// No process of this program writes one file for so long.
    const LONGEST: Duration = Duration::from_secs(3600);
    let dir = state_dir(repo);
    let objects = repo.common_dir().join("objects");
    for folder in [dir.join("publish"), dir.join("cache"), dir, objects] {
        for entry in file::listed(folder) {
            let is_ours = entry.file_name().to_string_lossy().starts_with(".tmp");
            let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
            if is_ours && age().is_some_and(|age| age > LONGEST) {
                // The next sweep tries again.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn open(dir: &Path, path: &Path) -> Result<File, Error> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    // A link may lead anywhere, and opening a pipe would wait for a reader.
    #[cfg(unix)]
    OpenOptionsExt::custom_flags(&mut options, (OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
    let try_open = || {
        fs::create_dir_all(dir).map_err(Error::file("make the folder", dir))?;
        options.open(path).map_err(Error::file("open", path))
    };
    // `init --undo` can remove the folder between the two steps.
    try_open().or_else(|_| try_open())
}
