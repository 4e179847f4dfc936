//! Refs of this program that record the state of the log at a ref of a URL.

use super::publish::set;
use crate::{
    entry::sha256_hex,
    git::{DEFAULT_LOG_REF, Note, Oid, RefTip, Remote, Repo},
    store::{Error, LOCAL_REF, lacking, moved_from, tracking_ref},
};

const PLACES: &str = "refs/sq/push/";
const SEEN: &str = "seen";
/// The branch that the documentation names for a log.
const BRANCH: &str = "refs/heads/sq/log";

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

    fn at(address: &str, log_ref: &str) -> Self {
        let digest = |text: &str| sha256_hex(text.as_bytes())[..16].to_owned();
        let mut place = format!("{PLACES}{}/", digest(address));
        if log_ref != DEFAULT_LOG_REF {
            place += &format!("{}/", digest(log_ref));
        }
        Self(place)
    }

    pub fn fetched(&self) -> String {
        format!("{}fetched/sq", self.0)
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

/// The newest tips that were seen, at any URL.
pub fn seen_tips(repo: &Repo) -> Result<Vec<Oid>, Error> {
    let seen = seen_under(repo, PLACES)?;
    Ok(seen.into_iter().map(|tip| tip.target).collect())
}

/// The newest state that was seen at any ref of a URL.
pub fn newest_at(repo: &Repo, address: &str) -> Result<Option<Oid>, Error> {
    let states = seen_at(repo, address)?.into_iter().map(|tip| tip.target);
    let states = states.filter(|state| repo.is_notes_commit(*state));
    let newer = |one, other| {
        if repo.is_ancestor(one, other) {
            other
        } else {
            one
        }
    };
    Ok(states.reduce(newer))
}

fn seen_at(repo: &Repo, address: &str) -> Result<Vec<RefTip>, Error> {
    seen_under(repo, &Place::usual(address).0)
}

fn seen_under(repo: &Repo, prefix: &str) -> Result<Vec<RefTip>, Error> {
    let mut tips = repo.refs_under(prefix)?;
    tips.retain(|tip| tip.name.ends_with(&format!("/{SEEN}")));
    Ok(tips)
}

/// Returns true if a commit is a log of this repository, and not that of another project.
pub fn is_of(repo: &Repo, log: Oid) -> bool {
    let is_here = |note: &Note| repo.has_object(note.anchor);
    repo.is_notes_commit(log) && repo.notes(log).is_ok_and(|notes| notes.iter().any(is_here))
}

/// Another ref of a remote that has entries of this repository which are not here.
pub fn elsewhere(repo: &Repo, remote: &Remote) -> Result<Option<String>, Error> {
    let mut logs = vec![(
        BRANCH.to_owned(),
        format!("refs/remotes/{}/sq/log", remote.name),
    )];
    for at in repo.addresses(remote)?.push {
        logs.push((DEFAULT_LOG_REF.to_owned(), Place::usual(&at).fetched()));
    }
    let local: Vec<Oid> = repo.ref_target(LOCAL_REF)?.into_iter().collect();
    for (there, here) in logs {
        let tip = repo.ref_target(&here)?;
        if let Some(tip) = tip.filter(|tip| there != remote.log_ref && is_of(repo, *tip))
            && !lacking(repo, &local, tip)?.is_empty()
        {
            return Ok(Some(there));
        }
    }
    Ok(None)
}

/// The newest states that were seen where the log lives, and at the refs of the same URLs where it lived before.
pub struct Homes {
    now: Vec<Oid>,
    before: Vec<Oid>,
}

impl Homes {
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        let (mut now, mut before) = (Vec::new(), Vec::new());
        for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
            for at in repo.addresses(remote)?.push {
                let name = Place::of(&at, remote).seen();
                for tip in seen_at(repo, &at)? {
                    let is_home = tip.name == name;
                    let seen = if is_home { &mut now } else { &mut before };
                    seen.push(tip.target);
                }
            }
            if moved_from(remote).is_some() {
                before.extend(repo.ref_target(&tracking_ref(&remote.name))?);
            }
        }
        Ok(Self { now, before })
    }

    /// Returns true if a state was seen before the log moved, and not since.
    pub fn left(&self, repo: &Repo, state: Oid) -> bool {
        let has = |tips: &[Oid]| tips.iter().any(|tip| repo.is_ancestor(state, *tip));
        has(&self.before) && !has(&self.now)
    }
}

/// Keeps what was fetched from the ref where a log lived as seen there, before another ref is fetched in its place.
pub fn leave(repo: &Repo) -> Result<(), Error> {
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let fetched = repo.ref_target(&tracking_ref(&remote.name))?;
        let addresses = repo.addresses(remote)?;
        if let (Some(old), Some(at)) = (moved_from(remote), addresses.fetch)
            && let Some(tip) = fetched.filter(|tip| repo.is_notes_commit(*tip))
        {
            Place::at(&at, old).saw(repo, tip)?;
        }
    }
    Ok(())
}

/// The log of each remote that shares it: as fetched, or as published before the first fetch.
pub fn shared_logs(repo: &Repo, homes: &Homes, fetched: &[RefTip]) -> Result<Vec<RefTip>, Error> {
    let mut logs = Vec::new();
    let is_there = |tip: &&RefTip| !homes.left(repo, tip.target);
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let name = tracking_ref(&remote.name);
        let mut fetched = fetched.iter().filter(|tip| tip.name == name);
        if let Some(tip) = fetched.next().filter(is_there) {
            logs.push(tip.clone());
        } else if let Some(at) = repo.addresses(remote)?.push.first() {
            let name = Place::of(at, remote).seen();
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
            .map(|at| Place::of(at, &remote))
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
