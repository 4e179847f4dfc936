//! Syncs the log with a remote while a person waits.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Error, LOCAL_REF, LogTips, Past,
    append::fold,
    fetch_refspec, lacking,
    local::{forget_trouble, remember_address, remember_asked, remember_trouble},
    share::{self, Tampering, publish, take_in},
    tracking_ref,
};
use crate::git::{Gets, Oid, Remote, Repo, Talk};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Synced {
    /// Number of lines that were new to this clone.
    pub came: usize,
    /// Number of lines that were new to the remote.
    pub went: usize,
    /// Number of lines that stay here until their commits are public on the remote.
    pub waiting: usize,
    /// The branches on which the waiting lines were written.
    pub branches: BTreeSet<String>,
    /// Tampering with the remote's log since it was last seen; the log has been restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tampering: Option<Tampering>,
}

/// Fetches, folds and publishes. Fails unless every ready line is on the remote afterwards.
pub fn sync(repo: &Repo, remote: &Remote, talk: Talk) -> Result<Synced, Error> {
    let synced = share::alone(repo, || exchange(repo, remote, talk))?;
    match &synced {
        Ok(_) => {
            reached(repo, remote, talk);
            forget_trouble(repo, &remote.name);
        }
        Err(error) => remember_trouble(repo, remote, error, true),
    }
    synced
}

fn exchange(repo: &Repo, remote: &Remote, talk: Talk) -> Result<Synced, Error> {
    let addresses = repo.addresses(remote)?;
    // Not what a fetch left in a reflog: that may be the log of another place, which nobody meant to publish here.
    let mut past = Past::default();
    for at in &addresses.push {
        past.0.extend(share::seen(repo, Some(at))?.iter().map(|tip| tip.target));
    }
    let tips = LogTips::read(repo)?;
    let before: Vec<Oid> = tips.commits().collect();
    let is_lost = past.gone(repo, &tips).is_ok_and(|lost| !lost.is_empty());
    fold(repo, if is_lost { &past.0 } else { &[] })?;
    let fetched = addresses.fetch.as_ref();
    let gets_log = remote.gets != Gets::Nothing;
    if let Some(at) = fetched.filter(|at| !gets_log || !addresses.push.contains(at)) {
        take_in(repo, remote, at, talk)?;
    }
    let mut synced = Synced::default();
    for at in addresses.push.iter().filter(|_| gets_log) {
        let published = publish(repo, remote, &addresses, at, true, talk)?;
        synced.went = synced.went.max(published.went);
        synced.waiting = synced.waiting.max(published.left.waiting.len());
        synced.branches.extend(published.left.branches);
        synced.tampering = synced.tampering.or(published.tampering);
    }
    if let Some(local) = repo.ref_target(LOCAL_REF)? {
        synced.came = lacking(repo, &before, local)?.len();
    }
    Ok(synced)
}

/// Fetches the log of a remote and folds it, even if this clone does not share it, and publishes nothing.
pub fn take(repo: &Repo, remote: &Remote, talk: Talk) -> Result<(), Error> {
    if let Some(at) = repo.addresses(remote)?.fetch {
        share::alone(repo, || take_in(repo, remote, &at, talk))??;
    }
    remember_asked(repo, &remote.name);
    Ok(())
}

/// Asks a remote for its log, as `git fetch` does; returns true if it has one.
pub fn fetch(repo: &Repo, remote: &Remote, talk: Talk) -> Result<bool, Error> {
    // The fetched log is the only copy until it is folded, and fetching prunes.
    fold(repo, &[])?;
    repo.fetch(remote, &remote.name, &[fetch_refspec(remote)], talk)?;
    reached(repo, remote, talk);
    if let [at] = repo.addresses(remote)?.push.as_slice() {
        remember_address(repo, &remote.name, at);
    }
    Ok(repo.ref_target(&tracking_ref(&remote.name))?.is_some())
}

fn reached(repo: &Repo, remote: &Remote, talk: Talk) {
    remember_asked(repo, &remote.name);
    // Where not all branches are fetched, the remote would be asked again each time.
    let all = format!("+refs/heads/*:refs/remotes/{}/*", remote.name);
    if remote.fetch.contains(&all) {
        let _ = repo.find_remote_head(remote, None, talk);
    }
}
