//! What was computed before, kept under the digest of everything it was computed from; anyone may delete it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use super::folder::state_dir;
use crate::{entry::sha256_hex, git::Repo};

/// How many values are kept.
const KEEP: usize = 8;

/// Finished values of this repository.
pub struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// The cache of a repository.
    pub fn of(repo: &Repo) -> Self {
        Self {
            dir: state_dir(repo).join("cache"),
        }
    }

    fn path(&self, key: &[&str]) -> PathBuf {
        self.dir.join(&sha256_hex(key.join("\0").as_bytes())[..32])
    }

    /// What was kept under `key`, if it is still whole.
    pub fn get(&self, key: &[&str]) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(key)).ok()?;
        let (sum, value) = bytes.split_at_checked(32)?;
        (Sha256::digest(value).as_slice() == sum).then(|| value.to_vec())
    }

    /// Keeps a value. A cache that can't be written is no error: the next run computes again.
    pub fn put(&self, key: &[&str], value: &[u8]) {
        if fs::create_dir_all(&self.dir).is_err() {
            return;
        }
        let mut bytes = Sha256::digest(value).to_vec();
        bytes.extend_from_slice(value);
        let written = tempfile::NamedTempFile::new_in(&self.dir)
            .and_then(|file| fs::write(file.path(), &bytes).map(|()| file));
        if let Ok(file) = written
            && file.persist(self.path(key)).is_ok()
        {
            drop_oldest(&self.dir);
        }
    }
}

fn drop_oldest(dir: &Path) {
    let Ok(files) = fs::read_dir(dir) else {
        return;
    };
    let mut files: Vec<(SystemTime, PathBuf)> = files
        .flatten()
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(KEEP);
    for (_, path) in files.into_iter().take(surplus) {
        // Another process may have been faster.
        let _ = fs::remove_file(path);
    }
}
