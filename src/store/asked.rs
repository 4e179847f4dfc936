//! Whether a remote that may have a log was ever asked for it.

use std::fs;

use super::{LogTips, folder::state_dir, tracking_prefix};
use crate::git::Repo;

/// A remote that was never asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    pub name: String,
    /// Whether this clone is set up to share the log with it.
    pub shares_log: bool,
}

/// Remotes that may have a log and were never asked for it.
///
/// Asked means: there is something fetched, or `init` asked and remembered that there was nothing. That a plain
/// `git fetch` ran says little: it may have failed, or have been about one branch. Looked at are those that share the log, and in a clone that shares it
/// with none, the upstream.
pub fn unasked(repo: &Repo, tips: &LogTips) -> Vec<Unasked> {
    let remotes = repo.remotes();
    let sharing: Vec<_> = remotes.iter().filter(|remote| remote.shares_log).collect();
    if sharing.is_empty() {
        let branch = repo.head().ok().and_then(|head| head.branch);
        let upstream = repo.upstream_remote(branch.as_deref());
        return upstream
            .map(|name| Unasked {
                name,
                shares_log: false,
            })
            .into_iter()
            .collect();
    }
    let asked = fs::read_to_string(state_dir(repo).join("asked")).unwrap_or_default();
    sharing
        .into_iter()
        .filter(|remote| {
            let prefix = tracking_prefix(&remote.name);
            let has_refs = tips.fetched.iter().any(|tip| tip.name.starts_with(&prefix));
            !(has_refs || asked.lines().any(|line| line == remote.name))
        })
        .map(|remote| Unasked {
            name: remote.name.clone(),
            shares_log: true,
        })
        .collect()
}

/// Notes that a remote was asked and had no log.
pub fn remember_asked(repo: &Repo, remote: &str) {
    let path = state_dir(repo).join("asked");
    let mut asked = fs::read_to_string(&path).unwrap_or_default();
    if !asked.lines().any(|line| line == remote) {
        asked.push_str(remote);
        asked.push('\n');
        // If it can't be kept, the next fetch tells the same.
        let _ = fs::write(path, asked);
    }
}
