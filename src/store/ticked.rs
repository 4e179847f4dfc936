//! Which closed tensions this clone was told of: a convenience, and no copy of anything.

use std::{collections::BTreeSet, fs, path::PathBuf};

use super::{Error, folder::state_dir};
use crate::{file::write_atomically, git::Repo};

fn path(repo: &Repo) -> PathBuf {
    state_dir(repo).join("ticked")
}

/// The ids of the closed tensions that were told of. A file that can't be read tells of none.
pub fn ticked(repo: &Repo) -> BTreeSet<String> {
    let bytes = fs::read(path(repo)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Remembers which were told of.
///
/// # Errors
/// When the file can't be written.
pub fn remember_ticked(repo: &Repo, ids: &BTreeSet<String>) -> Result<(), Error> {
    let dir = state_dir(repo);
    let path = path(repo);
    fs::create_dir_all(&dir).map_err(Error::file("make the folder", &dir))?;
    let bytes = serde_json::to_vec(ids).unwrap_or_default();
    write_atomically(&path, &bytes).map_err(Error::file("write", &path))
}
