//! Remotes that may have a log and were never asked for it.

use serde::{Deserialize, Serialize};

use super::{LocalState, LogTips, tracking_prefix};
use crate::git::Repo;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unasked {
    pub name: String,
    shares_log: bool,
    /// This clone's id, unless `git sq init` set it up before the remote was added.
    writer: Option<String>,
}

impl Unasked {
    /// Returns true if it may have a log, by the writers of the lines that are here: those of other clones were fetched.
    pub fn may_have_more<'w>(&self, mut writers: impl Iterator<Item = &'w str>) -> bool {
        self.shares_log || writers.all(|writer| self.writer.as_deref() == Some(writer))
    }
}

/// The remotes that share the log, or the upstream in a clone that shares it with none, without a fetched log and
/// without a request by a `git sq` command. A plain `git fetch` does not count, because it may have failed or fetched
/// one branch.
pub fn unasked(repo: &Repo, tips: &LogTips) -> Vec<Unasked> {
    let remotes = repo.remotes();
    let LocalState { asked_remotes: asked, writer, is_set_up, .. } =
        LocalState::read(repo).unwrap_or_default();
    let mut sharing = remotes.iter().filter(|remote| remote.shares_log).peekable();
    if sharing.peek().is_none() {
        let branch = repo.head().ok().and_then(|head| head.branch);
        // A mirror has all refs of the remote.
        let is_mirror = |spec: &String| spec.trim_start_matches('+') == "refs/*:refs/*";
        let declines = |name: &String| {
            let mut named = remotes.iter().filter(|remote| remote.name == *name);
            named.any(|remote| remote.declines_log || remote.fetch.iter().any(is_mirror))
        };
        let upstream = repo
            .upstream_remote(branch.as_deref())
            .into_iter()
            .filter(|name| !declines(name) && !asked.contains(name));
        let writer = writer.filter(|_| !is_set_up);
        let unshared = |name| Unasked { name, shares_log: false, writer: writer.clone() };
        return upstream.map(unshared).collect();
    }
    sharing
        .filter(|remote| {
            let prefix = tracking_prefix(&remote.name);
            let has_refs = tips.fetched.iter().any(|tip| tip.name.starts_with(&prefix));
            !has_refs && !asked.contains(&remote.name)
        })
        .map(|remote| Unasked { name: remote.name.clone(), shares_log: true, writer: None })
        .collect()
}
