//! Files that save work and that anyone may delete at any time.
//!
//! A file that is damaged, half written, or of another version of this program is as good as none.

use std::{fs, path::PathBuf};

use serde::{Serialize, de::DeserializeOwned};

use crate::{git::Repo, store::state_dir};

/// Changed whenever the content of a file means something else than before.
const FORMAT: &str = concat!("git-sq cache 8 of ", env!("CARGO_PKG_VERSION"), "\n");

fn path(repo: &Repo, name: &str) -> PathBuf {
    state_dir(repo).join("cache").join(name)
}

/// Reads a file; None where there is none that can be used.
pub fn load<T: DeserializeOwned>(repo: &Repo, name: &str) -> Option<T> {
    let path = path(repo, name);
    // Reading a pipe would block.
    let bytes = fs::metadata(&path)
        .ok()
        .filter(fs::Metadata::is_file)
        .and_then(|_| fs::read(&path).ok())?;
    let (sum, content) = bytes.strip_prefix(FORMAT.as_bytes())?.split_at_checked(4)?;
    let is_whole = crc32fast::hash(content).to_le_bytes() == sum;
    is_whole.then(|| postcard::from_bytes(content).ok())?
}

/// Writes a file. That it can't be written is no error: the next run does the work again.
pub fn save(repo: &Repo, name: &str, value: &impl Serialize) {
    let Ok(content) = postcard::to_stdvec(value) else {
        return;
    };
    let sum = crc32fast::hash(&content).to_le_bytes();
    let bytes = [FORMAT.as_bytes(), &sum, &content].concat();
    let path = path(repo, name);
    let dir = path.parent().unwrap_or(&path);
    let written = fs::create_dir_all(dir)
        .and_then(|()| tempfile::NamedTempFile::new_in(dir))
        .and_then(|file| fs::write(file.path(), &bytes).map(|()| file));
    if let Ok(file) = written {
        let _ = file.persist(&path);
    }
}
