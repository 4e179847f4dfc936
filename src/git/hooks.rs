//! Where git finds its hooks, and its version, which tells the kinds that it knows.

use std::path::PathBuf;

use super::{Repo, Result, error::Doing, repository::absolute};

impl Repo {
    /// The absolute path of git's folder for hooks, which `core.hooksPath` may move.
    pub fn hooks_dir(&self) -> Result<PathBuf> {
        let config = self.inner.config_snapshot();
        let set = config.trusted_path("core.hooksPath").doing("read core.hooksPath")?;
        let path = set.unwrap_or_else(|| self.common_dir().join("hooks"));
        Ok(absolute(&self.worktree().unwrap_or_else(|| self.git_dir()).join(path)))
    }

    pub fn git_version(&self) -> Result<(u32, u32)> {
        let printed = self.git().args(["version"]).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let version = printed.split_whitespace().nth(2).unwrap_or_default();
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }
}
