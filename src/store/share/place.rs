//! Refs of this program that record the state of the log at a URL.

use crate::{
    entry::sha256_hex,
    git::{Oid, RefTip, Repo},
    store::{Error, tracking_ref},
};

const PLACES: &str = "refs/sq/push/";
const SEEN: &str = "seen";

/// The refs for one URL; the user's own tracking refs are only read.
#[derive(Debug, Clone)]
pub struct Place(String);

impl Place {
    pub fn of(address: &str) -> Self {
        let digest = sha256_hex(address.as_bytes());
        Self(format!("{PLACES}{}/", &digest[..16]))
    }

    pub fn fetched(&self) -> String {
        format!("{}fetched/sq", self.0)
    }

    /// The witness: the newest tip ever seen at the URL.
    pub fn seen(&self) -> String {
        format!("{}{SEEN}", self.0)
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

/// The newest tips that were seen, at any URL.
pub fn seen_tips(repo: &Repo) -> Result<Vec<Oid>, Error> {
    let tips = repo.refs_under(PLACES)?.into_iter();
    let seen = tips.filter(|tip| tip.name.ends_with(&format!("/{SEEN}")));
    Ok(seen.map(|tip| tip.target).collect())
}

/// The log of each remote that shares it: as fetched, or as published before the first fetch.
pub fn shared_logs(repo: &Repo, fetched: &[RefTip]) -> Result<Vec<RefTip>, Error> {
    let mut logs = Vec::new();
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let name = tracking_ref(&remote.name);
        if let Some(tip) = fetched.iter().find(|tip| tip.name == name) {
            logs.push(tip.clone());
        } else if let Some(at) = repo.addresses(remote)?.push.first() {
            let name = Place::of(at).seen();
            let seen = repo.ref_target(&name)?;
            let seen = seen.filter(|seen| repo.is_notes_commit(*seen));
            logs.extend(seen.map(|target| RefTip { name, target }));
        }
    }
    Ok(logs)
}

/// The first commit, which identifies the shared log, and the newest tip that this clone knows; `None` if it knows
/// none. With several remotes, those of `sq.logRemote` or the upstream.
pub fn shared_tip(repo: &Repo) -> Result<Option<(Oid, Oid)>, Error> {
    let branch = repo.head()?.branch;
    let home = repo.log_home();
    let first = home.or_else(|| repo.upstream_remote(branch.as_deref()));
    let mut remotes = repo.remotes();
    remotes.retain(|remote| remote.shares_log);
    remotes.sort_by_key(|remote| Some(&remote.name) != first.as_ref());
    for remote in remotes {
        let Some(place) = repo
            .addresses(&remote)?
            .push
            .first()
            .map(|at| Place::of(at))
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
        let _ = repo.move_ref(&place.root(), None, root, "sq: the beginning of the log");
        return Ok(Some((root, tip)));
    }
    Ok(None)
}
