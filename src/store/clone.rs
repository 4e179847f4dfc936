//! The id that this clone's entries carry.

use std::{fs, io::Write};

use ulid::Ulid;

use super::{Error, folder::state_dir, lock::WritersLock};
use crate::git::Repo;

/// The id of this clone, made when it is first asked for.
///
/// # Errors
/// When the file can't be read or written.
pub fn clone_id(repo: &Repo) -> Result<String, Error> {
    let dir = state_dir(repo);
    let path = dir.join("clone-id");
    if let Ok(id) = fs::read_to_string(&path)
        && !id.trim().is_empty()
    {
        return Ok(id.trim().to_owned());
    }
    fs::create_dir_all(&dir).map_err(Error::file("make the folder", &dir))?;
    let id = Ulid::generate().to_string();
    let mut file = tempfile::NamedTempFile::new_in(&dir).map_err(Error::file("write in", &dir))?;
    writeln!(file, "{id}").map_err(Error::file("write", &path))?;
    // Before it has its name, so that no crash leaves it empty.
    file.as_file()
        .sync_all()
        .map_err(Error::file("write", &path))?;
    // Of two processes that get here at once, the one whose link comes first wins.
    let Err(taken) = file.persist_noclobber(&path) else {
        return Ok(id);
    };
    // An empty file is what a crash left; whoever has the lock replaces it.
    let _turn = WritersLock::acquire(repo)?;
    let known = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    if !known.trim().is_empty() {
        return Ok(known.trim().to_owned());
    }
    match taken.file.persist(&path) {
        Ok(_) => Ok(id),
        Err(failed) => Err(Error::file("write", &path)(failed.error)),
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
