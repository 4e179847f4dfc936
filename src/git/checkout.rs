//! A commit's files in a temporary worktree, which is removed afterwards.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{Error, ErrorKind, Git, Oid, Repo, Result, drivers::Drivers, error::Doing};

/// A linked worktree at a commit, removed on drop.
pub struct Checkout {
    folder: TempDir,
    git_dir: PathBuf,
}

impl Repo {
    /// Checks a commit out into a temporary worktree, without hooks or filters. Fails also if the files would differ from
    /// those of an ordinary worktree.
    pub fn check_out(&self, commit: Oid) -> Result<Checkout> {
        let unlike = |why: &str| Err(Error::new(ErrorKind::Unsupported, why));
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
        complete(self.git())
            .args(["worktree", "add", "--quiet", "--detach", "--no-checkout"])
            .args([checkout.path()])
            .args([commit.to_string()])
            .run()?;
        let drivers = Drivers::of(&checkout.git_dir, Some(checkout.path()));
        let git =
            || Git::in_repository(&checkout.git_dir, Some(checkout.path()), &drivers.settings);
        complete(git()).args(["read-tree", "--reset", "-u", &commit.to_string()]).run()?;
        if !drivers.filters.is_empty() {
            let files = git().args(["ls-files", "-z"]).run()?;
            let named = git().words("check-attr -z --stdin filter").run_with_input(files)?;
            // Each file is followed by the name of the attribute and its value.
            let mut named = named.split(|&byte| byte == 0).skip(2).step_by(3);
            if named.any(|name| drivers.filters.iter().any(|filter| filter == name)) {
                return unlike(
                    "the commit has files with a filter, which a temporary worktree does without",
                );
            }
        }
        Ok(checkout)
    }
}

/// Git whose worktrees are complete.
fn complete(git: Git) -> Git {
    git.config("core.sparseCheckout", "false")
        // The default would set an extension in the user's config.
        .config("worktree.useRelativePaths", "false")
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
