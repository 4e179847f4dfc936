//! The folder that this clone has for itself.

use std::path::PathBuf;

use crate::git::Repo;

/// The folder for this clone's own state, shared by its worktrees.
pub fn state_dir(repo: &Repo) -> PathBuf {
    repo.common_dir().join("sq")
}
