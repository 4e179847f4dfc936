//! Refs of this program that record the state of the log at a ref of a URL.

use std::collections::BTreeSet;

use crate::{
    entry::sha256_hex,
    git::{Addresses, DEFAULT_LOG_REF, ErrorKind, Oid, RefTip, Remote, Repo},
    store::{Error, moved_from, tracking_ref},
};

const PLACES: &str = "refs/sq/push/";
const SEEN: &str = "seen";
const FETCHED: &str = "fetched/sq";

/// The refs for one ref of a URL; the user's own tracking refs are only read.
#[derive(Debug, Clone)]
pub struct Place(String);

impl Place {
    pub fn of(address: &str, remote: &Remote) -> Self {
        Self::at(address, &remote.log_ref)
    }

    /// That of a remote which sets no ref.
    pub fn usual(address: &str) -> Self {
        Self::at(address, DEFAULT_LOG_REF)
    }

    pub fn at(address: &str, log_ref: &str) -> Self {
        let digest = |text: &str| sha256_hex(text.as_bytes())[..16].to_owned();
        let mut place = format!("{PLACES}{}/", digest(address));
        if log_ref != DEFAULT_LOG_REF {
            place += &format!("{}/", digest(log_ref));
        }
        Self(place)
    }

    pub fn fetched(&self) -> String {
        format!("{}{FETCHED}", self.0)
    }

    /// The commit that was last built to be pushed there.
    pub fn built(&self) -> String {
        format!("{}built", self.0)
    }

    /// The witness: the newest tip ever seen there.
    pub fn seen(&self) -> String {
        format!("{}{SEEN}", self.0)
    }

    /// Records a tip that follows the newest one.
    pub fn saw(&self, repo: &Repo, tip: Oid) -> Result<(), Error> {
        match repo.ref_target(&self.seen())? {
            Some(seen) if !repo.is_ancestor(seen, tip) => Ok(()),
            _ => set(repo, &self.seen(), tip),
        }
    }

    /// The first commit of that history, kept to save the walk.
    pub fn root(&self) -> String {
        format!("{}root", self.0)
    }

    /// A glob, because an exact refspec for an absent ref would make the fetch fail.
    pub fn refspec(&self, log_ref: &str) -> String {
        format!("+{log_ref}*:{}*", self.fetched())
    }
}

/// Moves one of this program's refs. If another process was faster, its value is as good.
pub(super) fn set(repo: &Repo, name: &str, to: Oid) -> Result<(), Error> {
    let from = repo.ref_target(name)?;
    // A commit that was pruned meanwhile will be fetched again.
    if from == Some(to) || !repo.has_object(to) {
        return Ok(());
    }
    match repo.move_refs(&[(name, from)], to, "sq: seen on the remote") {
        Err(error) if error.kind != ErrorKind::Moved => Err(error),
        _ => Ok(()),
    }
}

/// The refs of a remote's places, all of which publishing sets anew.
pub fn refs_at(repo: &Repo, remote: &Remote) -> Result<Vec<RefTip>, Error> {
    let Addresses { push, fetch } = repo.addresses(remote)?;
    let places: BTreeSet<String> = push.iter().chain(&fetch).map(|at| Place::usual(at).0).collect();
    let mut tips = repo.refs_under(PLACES)?;
    tips.retain(|tip| places.iter().any(|place| tip.name.starts_with(place)));
    Ok(tips)
}

/// The newest log that was seen where this remote's log is pushed.
pub fn last_seen(repo: &Repo, remote: &Remote) -> Result<Option<Oid>, Error> {
    for at in repo.addresses(remote)?.push {
        let seen = repo.ref_target(&Place::of(&at, remote).seen())?;
        if let Some(seen) = seen.filter(|seen| repo.is_notes_commit(*seen)) {
            return Ok(Some(seen));
        }
    }
    Ok(None)
}

/// The newest tips that were seen, at any ref of one URL or of all.
pub fn seen(repo: &Repo, address: Option<&str>) -> Result<Vec<RefTip>, Error> {
    let place = address.map(|address| Place::usual(address).0);
    ending_with(SEEN, repo, place.as_deref().unwrap_or(PLACES))
}

/// The logs as publishing or the gate fetched them last.
pub fn fetched(repo: &Repo) -> Result<Vec<RefTip>, Error> {
    ending_with(FETCHED, repo, PLACES)
}

fn ending_with(end: &str, repo: &Repo, prefix: &str) -> Result<Vec<RefTip>, Error> {
    let mut tips = repo.refs_under(prefix)?;
    tips.retain(|tip| tip.name.ends_with(&format!("/{end}")));
    Ok(tips)
}

/// The log of each remote that shares it: as fetched or, if that was another ref or nothing yet, as published.
pub fn shared_logs(repo: &Repo, fetched: &[RefTip]) -> Result<Vec<RefTip>, Error> {
    let mut logs = Vec::new();
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let tracking = tracking_ref(&remote.name);
        let fetched = fetched.iter().find(|tip| tip.name == tracking);
        let at = repo.addresses(remote)?.push.into_iter().next();
        let name = at.as_ref().map(|at| Place::of(at, remote).seen());
        let (now, before): (Vec<_>, Vec<_>) = at
            .map_or_else(|| Ok(Vec::new()), |at| seen(repo, Some(&at)))?
            .into_iter()
            .partition(|tip| Some(&tip.name) == name.as_ref());
        let has = |tips: &[RefTip], tip: &RefTip| {
            let mut tips = tips.iter();
            tips.any(|later| repo.is_ancestor(tip.target, later.target))
        };
        let is_old =
            |tip: &&RefTip| (moved_from(remote).is_some() || has(&before, tip)) && !has(&now, tip);
        let published = now.iter().find(|tip| repo.is_notes_commit(tip.target));
        logs.extend(fetched.filter(|tip| !is_old(tip)).or(published).cloned());
    }
    Ok(logs)
}

/// The first commit, which identifies the shared log, and the newest tip that this clone knows; `None` if it knows
/// none. With several remotes, those of `sq.logRemote` or the upstream.
pub fn shared_tip(repo: &Repo) -> Result<Option<(Oid, Oid)>, Error> {
    let branch = repo.head()?.branch;
    let first = repo.log_home().or_else(|| repo.upstream_remote(branch.as_deref()));
    let mut remotes = repo.remotes();
    remotes.retain(|remote| remote.shares_log);
    remotes.sort_by_key(|remote| Some(&remote.name) != first.as_ref());
    for remote in remotes {
        let Some(place) = repo.addresses(&remote)?.push.first().map(|at| Place::of(at, &remote))
        else {
            continue;
        };
        // A plain fetch may have brought a newer tip than the last publishing.
        let fetched = repo.ref_target(&tracking_ref(&remote.name))?;
        let tip = match (repo.ref_target(&place.seen())?, fetched) {
            (Some(seen), Some(fetched)) if repo.is_ancestor(seen, fetched) => Some(fetched),
            (seen, fetched) => seen.or(fetched),
        };
        let Some(tip) = tip.filter(|tip| repo.is_notes_commit(*tip)) else {
            continue;
        };
        if let Some(root) = repo.ref_target(&place.root())? {
            return Ok(Some((root, tip)));
        }
        let root = repo.root(tip)?;
        // If this fails, the next call walks again.
        let _ = repo.move_refs(&[(&place.root(), None)], root, "sq: the beginning of the log");
        return Ok(Some((root, tip)));
    }
    Ok(None)
}
