//! The refs of our own under which it is kept what an address had.

use crate::{
    entry::sha256_hex,
    git::{Oid, Repo},
    store::{Error, tracking_ref},
};

const PLACES: &str = "refs/sq/push/";
const SEEN: &str = "seen";

/// Where that is kept for one address; the user's tracking refs are another matter, and are only read.
#[derive(Debug, Clone)]
pub struct Place(String);

impl Place {
    pub fn of(address: &str) -> Self {
        let digest = sha256_hex(address.as_bytes());
        Self(format!("{PLACES}{}/", &digest[..16]))
    }

    /// The log as it was fetched last.
    pub fn fetched(&self) -> String {
        format!("{}fetched/sq", self.0)
    }

    /// The newest tip of the log that was ever seen there: the witness.
    pub fn seen(&self) -> String {
        format!("{}{SEEN}", self.0)
    }

    /// The first commit of that history, kept so that nobody has to walk there.
    pub fn root(&self) -> String {
        format!("{}root", self.0)
    }

    /// The refspec that brings the log there. A glob, because a ref that is absent would make the fetch fail.
    pub fn refspec(&self, log_ref: &str) -> String {
        format!("+{log_ref}*:{}*", self.fetched())
    }
}

/// The newest tips that were seen, at whatever address.
pub fn seen_tips(repo: &Repo) -> Result<Vec<Oid>, Error> {
    let tips = repo.refs_under(PLACES)?.into_iter();
    let seen = tips.filter(|tip| tip.name.ends_with(&format!("/{SEEN}")));
    Ok(seen.map(|tip| tip.target).collect())
}

/// The shared log as this clone knows it: its first commit, which names it, and its newest tip; None where none was seen
/// yet. Of several remotes, the upstream's.
pub fn shared_tip(repo: &Repo) -> Result<Option<(Oid, Oid)>, Error> {
    let branch = repo.head()?.branch;
    let upstream = repo.upstream_remote(branch.as_deref());
    let mut remotes = repo.remotes();
    remotes.retain(|remote| remote.shares_log);
    remotes.sort_by_key(|remote| Some(&remote.name) != upstream.as_ref());
    for remote in remotes {
        let Some(place) = repo
            .addresses(&remote)?
            .push
            .first()
            .map(|at| Place::of(at))
        else {
            continue;
        };
        // What a plain fetch brought may be newer than what was last published.
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
        // Where that can't be kept, it is walked again.
        let _ = repo.move_ref(&place.root(), None, root, "sq: the beginning of the log");
        return Ok(Some((root, tip)));
    }
    Ok(None)
}
