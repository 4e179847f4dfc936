//! Where git finds its hooks, what keeps it from running them, and its version, which tells the kinds that it knows.

use std::path::{Path, PathBuf};

use super::{Git, Repo, Result, repository::absolute};

impl Repo {
    /// The absolute path of git's folder for hooks, which `core.hooksPath` may move.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let args = ["rev-parse", "--git-path", "hooks"];
        let printed = self.git().args(args).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let path = Path::new(printed.trim_end_matches(['\r', '\n']));
        Ok(absolute(&self.worktree().unwrap_or_else(|| self.git_dir()).join(path)))
    }

    /// Git that runs no hook of the repository: it may be in the worktree, and written by an agent in a sandbox that
    /// this program is let out of.
    pub(super) fn without_hooks(&self, git: Git) -> Git {
        let nowhere = self.git_dir().join("sq").join("no-hooks");
        let git = git.config("core.hooksPath", &nowhere.to_string_lossy());
        self.own_sections("hook")
            .into_iter()
            .fold(git, |git, hook| git.config(&format!("hook.{hook}.command"), "true"))
    }

    pub fn git_version(&self) -> Result<(u32, u32)> {
        let printed = self.git().args(["version"]).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let version = printed.split_whitespace().nth(2).unwrap_or_default();
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }
}
