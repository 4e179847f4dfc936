//! The id that this clone's entries carry, and how an id of ours is kept in a file.

use std::{fs, path::Path};

use ulid::Ulid;

use super::{Error, folder::state_dir, lock::WritersLock};
use crate::{file::stage, git::Repo};

/// The id of this clone, made when it is first asked for.
///
/// # Errors
/// When the file can't be read or written.
pub fn clone_id(repo: &Repo) -> Result<String, Error> {
    kept_id(repo, &state_dir(repo).join("clone-id"), |id| !id.is_empty())
}

/// The id in a file of ours, made when it is first asked for or is none.
///
/// # Errors
/// When the file can't be read or written.
pub fn kept_id(repo: &Repo, path: &Path, is_id: fn(&str) -> bool) -> Result<String, Error> {
    let known = |text: String| Some(text.trim().to_owned()).filter(|id| is_id(id));
    if let Some(id) = fs::read_to_string(path).ok().and_then(known) {
        return Ok(id);
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).map_err(Error::file("make the folder", dir))?;
    let id = Ulid::generate().to_string();
    let file = stage(path, format!("{id}\n").as_bytes()).map_err(Error::file("write", path))?;
    // Of two processes that get here at once, the one whose link comes first wins.
    let Err(taken) = file.persist_noclobber(path) else {
        return Ok(id);
    };
    // An empty file is what a crash left; whoever has the lock replaces it.
    let _turn = WritersLock::acquire(repo)?;
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    if let Some(id) = known(text) {
        return Ok(id);
    }
    match taken.file.persist(path) {
        Ok(_) => Ok(id),
        Err(failed) => Err(Error::file("write", path)(failed.error)),
    }
}

/// Takes a new id in place of `old`, which a copy of this clone uses as well; keeps one that was taken meanwhile.
///
/// # Errors
/// When the file can't be read or written.
pub fn renew_clone_id(repo: &Repo, old: &str) -> Result<String, Error> {
    let turn = WritersLock::acquire(repo)?;
    let path = state_dir(repo).join("clone-id");
    if fs::read_to_string(&path).is_ok_and(|id| id.trim() == old) {
        fs::remove_file(&path).map_err(Error::file("remove", &path))?;
    }
    drop(turn);
    clone_id(repo)
}
