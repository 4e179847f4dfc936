//! The folder of this clone's own state, shared by its worktrees.

use std::path::PathBuf;

use crate::git::Repo;

pub fn state_dir(repo: &Repo) -> PathBuf {
    repo.common_dir().join("sq")
}
