//! This clone's own state: one file in the git folder, shared by all worktrees and by no other clone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::{Error, WritersLock, folder::state_dir};
use crate::{
    entry::{Agent, Share, Ts},
    git::Repo,
};

/// What the file holds. No entry of the log is ever only here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalState {
    /// The id that this clone's entries carry as `writer`.
    pub writer: Option<String>,
    /// Where the folder of this file was when the writer began: in a copy of the clone it is elsewhere.
    pub place: Option<Place>,
    /// Whether the log may have an entry of the writer.
    pub has_written: bool,
    /// The shared log when it was last looked at: its first commit and its tip.
    pub shared: Option<(String, String)>,
    /// Remotes that were asked for their log.
    pub asked_remotes: BTreeSet<String>,
    /// What each remote that refused the log said last.
    pub refusals: BTreeMap<String, String>,
    /// The closed tensions that `tension tick` has shown.
    pub ticked: BTreeSet<String>,
    /// The current session of each worktree, by the name of a linked worktree, and "" for the main one.
    pub sessions: BTreeMap<String, RunningSession>,
}

/// Device and inode of a folder.
type Place = (u64, u64);

/// A session that was started in a worktree and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningSession {
    pub sid: String,
    pub agent: Option<Agent>,
    /// The branch at the start; None where HEAD was detached.
    pub branch: Option<String>,
    /// HEAD at the start; None before the first commit.
    pub head: Option<String>,
    pub started: Ts,
    /// When it was last heard of: its start, a beat, or an entry that it wrote.
    pub last_sign: Ts,
    pub beats: u64,
    /// The greatest share of the context that was reported.
    pub peak_context: Option<Share>,
}

impl LocalState {
    /// Reads the file. One that is missing or damaged is the same as an empty one.
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        Ok(read(&path(repo))?.unwrap_or_default())
    }

    /// Changes the file, one process at a time. A damaged one is renamed and kept, and a new one begins, with a new
    /// writer: lines are never chained to what can no longer be read.
    pub fn update<T>(repo: &Repo, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let path = path(repo);
        let _lock = WritersLock::named(repo, "state.lock")?;
        let found = read(&path)?;
        if found.is_none() && path.symlink_metadata().is_ok() {
            let aside = path.with_extension(format!("{}.damaged", Ulid::generate()));
            fs::rename(&path, &aside).map_err(Error::file("rename", &path))?;
        }
        let before = found.unwrap_or_default();
        let mut after = before.clone();
        let result = change(&mut after);
        if after != before {
            write(&path, &after)?;
        }
        Ok(result)
    }
}

fn path(repo: &Repo) -> PathBuf {
    state_dir(repo).join("state.json")
}

/// None where the file is missing or damaged.
fn read(path: &Path) -> Result<Option<LocalState>, Error> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        // Reading a pipe would block, and a link may lead anywhere.
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::file("read", path)(error)),
    }
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", path)(error)),
    }
}

fn write(path: &Path, state: &LocalState) -> Result<(), Error> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(dir).map_err(Error::file("write in", dir))?;
    serde_json::to_writer_pretty(&mut file, state)
        .map_err(Into::into)
        .and_then(|()| file.write_all(b"\n"))
        // Before the rename, so that no crash leaves an empty file under the name.
        .and_then(|()| file.as_file().sync_all())
        .map_err(Error::file("write", path))?;
    file.persist(path)
        .map_err(|failed| Error::file("write", path)(failed.error))?;
    Ok(())
}

/// The id that this clone's entries carry as `writer`, made when it is first asked for, and again in a copy of the clone.
pub fn clone_id(repo: &Repo) -> Result<String, Error> {
    let state = LocalState::read(repo)?;
    match state.writer {
        Some(id) if state.place == place(repo) => Ok(id),
        _ => LocalState::update(repo, |state| state.writer_at(place(repo))),
    }
}

/// Takes a new id in place of `old`, which another clone may use too; keeps one that was taken meanwhile.
pub fn renew_clone_id(repo: &Repo, old: &str) -> Result<String, Error> {
    LocalState::update(repo, |state| {
        state.writer.take_if(|id| id == old);
        state.writer_at(place(repo))
    })
}

/// The writer of an entry that is about to be appended, and whether it may have written before.
pub fn begin_writing(repo: &Repo) -> Result<(String, bool), Error> {
    let state = LocalState::read(repo)?;
    if let Some(id) = state.writer
        && state.has_written
        && state.place == place(repo)
    {
        return Ok((id, true));
    }
    LocalState::update(repo, |state| {
        let id = state.writer_at(place(repo));
        (id, std::mem::replace(&mut state.has_written, true))
    })
}

impl LocalState {
    /// The writer, a new one where there is none or it began elsewhere.
    fn writer_at(&mut self, place: Option<Place>) -> String {
        self.writer.take_if(|_| self.place != place);
        if self.writer.is_none() {
            (self.place, self.has_written) = (place, false);
        }
        self.writer.get_or_insert_with(new_id).clone()
    }
}

/// Where the state is kept. The folder's, since each change makes the file anew.
#[cfg(unix)]
fn place(repo: &Repo) -> Option<Place> {
    use std::os::unix::fs::MetadataExt;
    let metadata = state_dir(repo).metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// The standard library can't tell here: a copy is noticed when entries of the other one are fetched.
#[cfg(not(unix))]
fn place(_repo: &Repo) -> Option<Place> {
    None
}

fn new_id() -> String {
    Ulid::generate().to_string()
}

/// Notes that a remote was asked for its log. If that can't be kept, the remote counts as never asked.
pub fn remember_asked(repo: &Repo, remote: &str) {
    let _ = LocalState::update(repo, |state| state.asked_remotes.insert(remote.to_owned()));
}

/// What each remote that refused the log said last, by its name.
pub fn refusals(repo: &Repo) -> BTreeMap<String, String> {
    LocalState::read(repo).unwrap_or_default().refusals
}

/// Notes that a remote refused the log. If that can't be kept, the next push meets the same refusal.
pub fn remember_refused(repo: &Repo, remote: &str, reason: &str) {
    let (remote, reason) = (remote.to_owned(), reason.to_owned());
    let _ = LocalState::update(repo, |state| state.refusals.insert(remote, reason));
}

/// Notes that a remote took the log.
pub fn forget_refused(repo: &Repo, remote: &str) {
    if refusals(repo).contains_key(remote) {
        let _ = LocalState::update(repo, |state| state.refusals.remove(remote));
    }
}

/// The ids of the closed tensions that `tension tick` has shown.
pub fn ticked(repo: &Repo) -> BTreeSet<String> {
    LocalState::read(repo).unwrap_or_default().ticked
}

/// Remembers which closed tensions were shown.
pub fn remember_ticked(repo: &Repo, ids: &BTreeSet<String>) -> Result<(), Error> {
    LocalState::update(repo, |state| state.ticked.clone_from(ids))
}
