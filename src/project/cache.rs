//! Files that save work and that anyone may delete at any time.
//!
//! A file that is damaged, half written, or of another version of this program is ignored.

use std::{fs, path::PathBuf};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    file,
    git::{self, Repo},
    store::state_dir,
};

/// Must change with the meaning of any cached file.
const FORMAT: &str = concat!("git-sq cache 70 of ", env!("CARGO_PKG_VERSION"), "\n");

fn folder(repo: &Repo) -> PathBuf {
    state_dir(repo).join("cache")
}

/// The cache holds facts about objects by their names, which grafts and shallow clones contradict.
pub fn is_for(repo: &Repo) -> git::Result<bool> {
    Ok(!repo.is_shallow()? && !repo.has_grafts())
}

pub fn load<T: DeserializeOwned>(repo: &Repo, name: &str) -> Option<T> {
    // Neither a log nor its index has a maximal size.
    let bytes = file::read(&folder(repo), name.as_ref(), u64::MAX).ok()?;
    let (sum, content) = bytes.strip_prefix(FORMAT.as_bytes())?.split_at_checked(4)?;
    let is_whole = crc32fast::hash(content).to_le_bytes() == sum;
    is_whole.then(|| postcard::from_bytes(content).ok())?
}

/// Ignores errors: the next run does the work again.
pub fn save(repo: &Repo, name: &str, value: &impl Serialize) {
    let Ok(content) = postcard::to_stdvec(value) else {
        return;
    };
    let sum = crc32fast::hash(&content).to_le_bytes();
    let bytes = [FORMAT.as_bytes(), &sum, &content].concat();
    let folder = folder(repo);
    let written =
        file::private(&folder).and_then(|file| fs::write(file.path(), &bytes).map(|()| file));
    if let Ok(file) = written {
        let _ = file.persist(folder.join(name));
    }
}
