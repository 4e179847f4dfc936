//! The folder that this clone has for itself.

use std::{fs, path::PathBuf};

use crate::git::Repo;

/// Where the sessions of linked worktrees are, among those of the main one.
const LINKED: &str = "worktrees";

/// The folder for this clone's own state, shared by its worktrees.
pub fn state_dir(repo: &Repo) -> PathBuf {
    repo.common_dir().join("sq")
}

/// The folder for the sessions of a worktree that have not ended: outside a linked worktree's own git folder, which git
/// removes with it.
pub fn sessions_dir(repo: &Repo) -> PathBuf {
    sessions_of(repo, repo.linked_worktree().as_deref())
}

/// That folder of a linked worktree, or of the main one.
pub fn sessions_of(repo: &Repo, linked: Option<&str>) -> PathBuf {
    let main = state_dir(repo).join("sessions");
    match linked {
        Some(name) => main.join(LINKED).join(name),
        None => main,
    }
}

/// The main worktree (None), and the linked ones that have such a folder, removed ones too.
pub fn worktrees_with_sessions(repo: &Repo) -> Vec<Option<String>> {
    let linked = fs::read_dir(sessions_of(repo, None).join(LINKED));
    let linked = linked.into_iter().flatten().flatten();
    let names = linked.filter_map(|entry| entry.file_name().into_string().ok());
    [None].into_iter().chain(names.map(Some)).collect()
}
