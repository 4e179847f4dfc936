//! A commit's files in a temporary worktree, which is removed afterwards.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{Error, ErrorKind, Git, Oid, Repo, Result, error::Doing};

/// A linked worktree at a commit, removed on drop.
pub struct Checkout {
    folder: TempDir,
    git_dir: PathBuf,
}

impl Repo {
    /// Checks a commit out into a temporary worktree. It runs no hook, and only the filters that the user's own config
    /// defines, as any git checkout does. Fails also if the files would differ from those of an ordinary worktree.
    pub fn check_out(&self, commit: Oid) -> Result<Checkout> {
        let unlike = |why: &str| Err(Error::new(ErrorKind::Unsupported, why));
        if !self.own_sections("filter").is_empty() {
            return unlike(
                "the repository's own config defines filters, which a temporary worktree does without",
            );
        }
        if !matches!(self.blob_at(commit, ".gitmodules"), Ok(None)) {
            return unlike("the commit has submodules, which a temporary worktree lacks");
        }
        let folder = tempfile::Builder::new()
            .prefix("sq-replay-")
            .tempdir()
            .doing("make a temporary folder")?;
        let name = folder.path().file_name().unwrap_or_default();
        let checkout = Checkout { git_dir: self.common_dir().join("worktrees").join(name), folder };
        // `git worktree add` would run a hook on its checkout.
        self.quiet(self.git())
            .args(["worktree", "add", "--quiet", "--detach", "--no-checkout"])
            .args([checkout.path()])
            .args([commit.to_string()])
            .run()?;
        self.quiet(Git::in_repository(&checkout.git_dir, Some(checkout.path())))
            .args(["read-tree", "--reset", "-u"])
            .args([commit.to_string()])
            .run()?;
        Ok(checkout)
    }

    /// Git that runs no hooks and whose worktrees are complete.
    fn quiet(&self, git: Git) -> Git {
        self.without_hooks(git)
            .config("core.fsmonitor", "")
            .config("core.sparseCheckout", "false")
            // The default would set an extension in the user's config.
            .config("worktree.useRelativePaths", "false")
    }
}

impl Checkout {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // The files go with the folder, even those that a command left there.
        drop(fs::remove_dir_all(&self.git_dir));
        // Git also removes the folder of the last worktree.
        drop(self.git_dir.parent().map(fs::remove_dir));
    }
}
