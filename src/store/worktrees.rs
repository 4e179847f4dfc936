//! The folders for sessions that have not ended: one for each worktree.

use std::{fs, path::PathBuf};

use ulid::Ulid;

use super::{Error, clone::kept_id, folder::state_dir};
use crate::git::Repo;

/// Where the sessions of linked worktrees are, among those of the main one.
const LINKED: &str = "worktrees";

/// Our folder in a linked worktree's own git folder, and what tells that worktree from a later one of its name: git
/// removes both with the worktree.
const OWN: &str = "sq";
const WORKTREE_ID: &str = "worktree-id";

/// The folder for the sessions of this worktree that have not ended: outside a linked worktree's own git folder, which
/// git removes with it. None in a linked worktree where no session was ever started.
pub fn sessions_dir(repo: &Repo) -> Option<PathBuf> {
    match repo.linked_worktree() {
        None => Some(main_sessions(repo)),
        Some(name) => Some(linked_sessions(repo, &name, &worktree_id(repo, &name)?)),
    }
}

/// That folder, to begin a session in; makes what tells a linked worktree from a later one of its name.
///
/// # Errors
/// When the worktree's id can't be read or written.
pub fn make_sessions_dir(repo: &Repo) -> Result<PathBuf, Error> {
    match repo.linked_worktree() {
        None => Ok(main_sessions(repo)),
        Some(name) => {
            let path = own_folder(repo, &name).join(WORKTREE_ID);
            let id = kept_id(repo, &path, is_id)?;
            Ok(linked_sessions(repo, &name, &id))
        }
    }
}

/// The sessions of one worktree.
pub struct SessionsFolder {
    pub path: PathBuf,
    /// The linked worktree; None for the main one.
    pub linked: Option<String>,
    /// Whether there is no such worktree any more, but perhaps another one of its name.
    pub is_removed: bool,
}

impl SessionsFolder {
    /// Takes the folder of a removed worktree away, when nothing is in it any more: nobody begins a session there.
    pub fn remove(&self) {
        // What stays costs a look, and goes the next time.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The folders of the main worktree and of all linked ones that ever had a session, removed ones too.
pub fn sessions_folders(repo: &Repo) -> Vec<SessionsFolder> {
    let main = SessionsFolder {
        path: main_sessions(repo),
        linked: None,
        is_removed: false,
    };
    let linked = fs::read_dir(main.path.join(LINKED));
    let linked = linked.into_iter().flatten().flatten();
    let linked = linked.filter(|entry| entry.path().is_dir());
    let linked = linked.filter_map(|entry| {
        let folder = entry.file_name().into_string().ok()?;
        let (name, id) = folder.rsplit_once('.').filter(|(_, id)| is_id(id))?;
        Some(SessionsFolder {
            path: entry.path(),
            linked: Some(name.to_owned()),
            is_removed: worktree_id(repo, name).as_deref() != Some(id),
        })
    });
    [main].into_iter().chain(linked).collect()
}

/// Our folders in the git folders of linked worktrees.
pub fn own_folders(repo: &Repo) -> Vec<PathBuf> {
    let linked = fs::read_dir(repo.common_dir().join("worktrees"));
    let linked = linked.into_iter().flatten().flatten();
    let own = linked.map(|entry| entry.path().join(OWN));
    own.filter(|folder| folder.is_dir()).collect()
}

fn main_sessions(repo: &Repo) -> PathBuf {
    state_dir(repo).join("sessions")
}

fn linked_sessions(repo: &Repo, name: &str, id: &str) -> PathBuf {
    let folder = format!("{name}.{id}");
    main_sessions(repo).join(LINKED).join(folder)
}

fn own_folder(repo: &Repo, linked: &str) -> PathBuf {
    let git_dir = repo.common_dir().join("worktrees").join(linked);
    git_dir.join(OWN)
}

fn worktree_id(repo: &Repo, linked: &str) -> Option<String> {
    let id = fs::read_to_string(own_folder(repo, linked).join(WORKTREE_ID)).ok()?;
    Some(id.trim().to_owned()).filter(|id| is_id(id))
}

fn is_id(text: &str) -> bool {
    Ulid::from_string(text).is_ok()
}
