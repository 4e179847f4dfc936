//! This clone's own state: one file in the git folder, shared by all worktrees and by no other clone.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error as _,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::{Error, WritersLock, share::Tampering, state_dir};
use crate::{
    entry::{Agent, Person, Ts},
    file,
    git::{ErrorKind, Remote, Repo},
};

/// The content of the file. It never has the only copy of an entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalState {
    /// The id that this clone's entries carry as `writer`.
    pub writer: Option<String>,
    /// The location of this file's folder when the writer began; a copy of the clone has another.
    pub place: Option<Place>,
    /// True if the log may have an entry of the writer.
    pub has_written: bool,
    /// True if `init` set this clone up.
    pub is_set_up: bool,
    /// True if `init` set `notes.displayRef`.
    pub displays: bool,
    /// Remotes that were asked for their log.
    pub asked_remotes: BTreeSet<String>,
    /// The URL of each remote when its log was first published or asked for.
    pub addresses: BTreeMap<String, String>,
    pub troubles: BTreeMap<String, Trouble>,
    /// Tampering with the log of a remote, until `doctor --fix` has reported it.
    pub tampered: BTreeMap<String, Tampering>,
    /// The closed tensions that `tension tick` has shown.
    pub ticked: BTreeSet<String>,
    /// The current session of each worktree: by the name of a linked one and the time at which git made it, or "" for the
    /// main one.
    pub sessions: BTreeMap<String, RunningSession>,
    /// By harness, the number of sessions that began in its shell since its hooks last started one.
    pub without_hook: BTreeMap<String, u32>,
    /// The last sessions that were asked for their answers before they stopped, the newest last.
    pub asked: Vec<String>,
    /// The last ended sessions with the paths of their transcripts, the newest last.
    pub transcripts: Vec<(String, String)>,
}

pub type Place = (u64, u64);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    pub why: String,
    /// The ref that the remote rejects, with the remote's own words.
    pub refused: Option<(String, String)>,
    /// True if a push has reported it.
    pub told: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningSession {
    pub sid: String,
    pub agent: Option<Agent>,
    /// The branch at the start; `None` if HEAD was detached.
    pub branch: Option<String>,
    /// HEAD at the start; `None` before the first commit.
    pub head: Option<String>,
    /// The number of moves of HEAD that the reflog had at the start.
    #[serde(default)]
    pub moves: Option<usize>,
    pub started: Ts,
    /// The time of its last sign: its start, a call of a hook, or an entry that it wrote.
    pub last_sign: Ts,
    /// Number of calls of the harness's hooks.
    #[serde(default)]
    pub beats: u32,
    /// Number of records that were refused.
    #[serde(default)]
    pub refused: u32,
    pub hook: Option<StartHook>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartHook {
    pub harness: Option<String>,
    pub source: Option<String>,
    pub transcript: Option<String>,
    pub at: Ts,
    /// Git's identity in the hook.
    #[serde(default)]
    pub by: Option<Person>,
}

impl StartHook {
    /// Returns true if the programs that an environment shows are others than the one that called the hook.
    pub fn is_elsewhere(&self, programs: &[&str]) -> bool {
        let here = |harness: &String| programs.contains(&&**harness);
        !programs.is_empty() && self.harness.as_ref().is_some_and(|harness| !here(harness))
    }
}

impl LocalState {
    /// Reads the file. A missing or damaged one is the same as an empty one.
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        Ok(read(repo)?.unwrap_or_default())
    }

    /// Changes the file, one process at a time. A damaged one is renamed and kept, and a new one begins with a new
    /// writer: lines are never chained to unreadable ones.
    pub fn update<T>(repo: &Repo, change: impl FnOnce(&mut Self) -> T) -> Result<T, Error> {
        let path = path(repo);
        let _lock = WritersLock::named(repo, "state.lock")?;
        let found = read(repo)?;
        if found.is_none() && path.symlink_metadata().is_ok() {
            let aside = path.with_extension(format!("{}.damaged", Ulid::generate()));
            fs::rename(&path, &aside).map_err(Error::file("rename", &path))?;
        }
        let before = found.unwrap_or_default();
        let mut after = before.clone();
        let result = change(&mut after);
        if after != before {
            file::common(&state_dir(repo))
                .and_then(|new| file::keep(&path, new, &after))
                .map_err(Error::file("write", &path))?;
        }
        Ok(result)
    }
}

const NAME: &str = "state.json";

fn path(repo: &Repo) -> PathBuf {
    state_dir(repo).join(NAME)
}

/// `None` if the file is missing or damaged.
fn read(repo: &Repo) -> Result<Option<LocalState>, Error> {
    use io::ErrorKind::{InvalidData, NotFound};
    match file::read(&state_dir(repo), NAME.as_ref(), file::MOST) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if matches!(error.kind(), NotFound | InvalidData) => Ok(None),
        Err(error) => Err(Error::file("read", &path(repo))(error)),
    }
}

/// The id that this clone's entries carry as `writer`, made on the first call, and again in a copy of the clone.
pub fn clone_id(repo: &Repo) -> Result<String, Error> {
    let state = LocalState::read(repo)?;
    match state.writer {
        Some(id) if state.place == place(repo) => Ok(id),
        _ => LocalState::update(repo, |state| state.writer_at(place(repo))),
    }
}

/// That id, if it was made; `None` in a copy of the clone.
pub fn own_writer(repo: &Repo) -> Result<Option<String>, Error> {
    let state = LocalState::read(repo)?;
    Ok(state.writer.filter(|_| state.place == place(repo)))
}

/// Replaces `old`, which another clone may also use; keeps an id that replaced it meanwhile.
pub fn renew_clone_id(repo: &Repo, old: &str) -> Result<String, Error> {
    LocalState::update(repo, |state| {
        state.writer.take_if(|id| id == old);
        state.writer_at(place(repo))
    })
}

/// The writer for an entry that is about to be appended, and true if it may have written before.
pub fn begin_writing(repo: &Repo) -> Result<(String, bool), Error> {
    let state = LocalState::read(repo)?;
    if let Some(id) = state.writer
        && state.has_written
        && state.place == place(repo)
    {
        return Ok((id, true));
    }
    LocalState::update(repo, |state| {
        (state.writer_at(place(repo)), std::mem::replace(&mut state.has_written, true))
    })
}

impl LocalState {
    /// Returns the writer; makes a new one if there is none or it began elsewhere.
    fn writer_at(&mut self, place: Option<Place>) -> String {
        self.writer.take_if(|_| self.place != place);
        if self.writer.is_none() {
            (self.place, self.has_written) = (place, false);
        }
        self.writer.get_or_insert_with(|| Ulid::generate().to_string()).clone()
    }
}

/// The folder's place, since each change creates the file anew.
fn place(repo: &Repo) -> Option<Place> {
    place_of(&state_dir(repo))
}

/// Device and inode of a folder, which a copy does not share.
#[cfg(unix)]
pub fn place_of(folder: &Path) -> Option<Place> {
    use std::os::unix::fs::MetadataExt;
    let metadata = folder.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// The standard library has no inodes here: a copy is noticed when entries of the other clone are fetched.
#[cfg(not(unix))]
pub fn place_of(_folder: &Path) -> Option<Place> {
    None
}

/// Changes the state where no command depends on it: on failure, the next one meets the same again.
fn note<T>(repo: &Repo, change: impl FnOnce(&mut LocalState) -> T) {
    let _ = LocalState::update(repo, change);
}

pub fn remember_asked(repo: &Repo, remote: &str) {
    note(repo, |state| state.asked_remotes.insert(remote.to_owned()));
}

/// Records the URL of a remote on first use.
pub fn remember_address(repo: &Repo, remote: &str, address: &str) {
    note(repo, |state| {
        state.addresses.entry(remote.to_owned()).or_insert_with(|| address.to_owned());
    });
}

/// The last failure to publish to a remote. The rejection of another ref than the current log ref does not count.
pub fn trouble(repo: &Repo, remote: &Remote) -> Option<Trouble> {
    let trouble = LocalState::read(repo).ok()?.troubles.remove(&remote.name)?;
    trouble.refused.as_ref().is_none_or(|(name, _)| *name == remote.log_ref).then_some(trouble)
}

/// `is_told` is true if a message reported it.
pub fn remember_trouble(repo: &Repo, remote: &Remote, error: &Error, is_told: bool) {
    let reason = error.source().filter(|_| error.kind == ErrorKind::Rejected);
    let refused = reason.map(|reason| (remote.log_ref.clone(), reason.to_string()));
    let why = error.whole();
    note(repo, |state| {
        let known = state.troubles.get(&remote.name);
        // A known failure is reported once; the remote may word it differently each time.
        let told = is_told
            || known
                .is_some_and(|known| known.told && known.why.lines().next() == why.lines().next());
        let trouble = Trouble { why, refused, told };
        state.troubles.insert(remote.name.clone(), trouble)
    });
}

pub fn trouble_is_told(repo: &Repo, remote: &str) {
    note(repo, |state| {
        let trouble = state.troubles.get_mut(remote);
        trouble.map(|trouble| trouble.told = true)
    });
}

pub fn forget_trouble(repo: &Repo, remote: &str) {
    note(repo, |state| state.troubles.remove(remote));
}

pub fn remember_tampering(repo: &Repo, remote: &str, tampering: Tampering) {
    note(repo, |state| state.tampered.insert(remote.to_owned(), tampering));
}
