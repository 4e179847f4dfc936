//! A log that moves to another ref of its remote, clone by clone.

use super::place::{Place, seen};
use crate::{
    git::{DEFAULT_LOG_REF, Note, Oid, Remote, Repo, Talk},
    store::{BRANCH, Error, lacking, moved_from, tracking_ref},
};

/// The newest state that was seen at any ref of a URL.
pub fn newest_at(repo: &Repo, address: &str) -> Result<Option<Oid>, Error> {
    Ok(seen(repo, Some(address))?
        .into_iter()
        .map(|tip| tip.target)
        .filter(|state| repo.is_notes_commit(*state))
        .reduce(|state, other| if repo.is_ancestor(state, other) { other } else { state }))
}

/// Fetches the branch at which a remote may have its log, if it reads another ref: a checkout of one branch lacks others.
pub fn fetch_branch(repo: &Repo, remote: &Remote, talk: Talk) -> Result<(), Error> {
    if remote.log_ref != DEFAULT_LOG_REF {
        return Ok(());
    }
    // A glob, because an exact refspec for an absent ref would make the fetch fail.
    let refspec = format!("+{BRANCH}*:refs/remotes/{}/sq/log*", remote.name);
    repo.fetch(remote, &remote.name, &[refspec], talk)
}

/// Returns true if a commit is a log of this repository, and not that of another project.
pub fn is_of(repo: &Repo, log: Oid) -> bool {
    let is_here = |note: &Note| repo.has_object(note.anchor);
    repo.is_notes_commit(log) && repo.notes(log).is_ok_and(|notes| notes.iter().any(is_here))
}

/// The other refs of a remote at which a log usually lives, each with what was fetched from it.
fn others_at(remote: &Remote, at: &str) -> impl Iterator<Item = (&'static str, String)> {
    let branch = format!("refs/remotes/{}/sq/log", remote.name);
    let usual = Place::usual(at).fetched();
    [(BRANCH, branch), (DEFAULT_LOG_REF, usual)]
        .into_iter()
        .filter(|(there, _)| *there != remote.log_ref)
}

/// Another ref of a remote that has entries of this repository which `known` states of the log lack.
pub fn elsewhere(
    repo: &Repo,
    remote: &Remote,
    known: &[Oid],
) -> Result<Option<&'static str>, Error> {
    let is_known = |tip| lacking(repo, known, tip).is_ok_and(|lines| lines.is_empty());
    for at in repo.addresses(remote)?.push {
        for (there, here) in others_at(remote, &at) {
            let tip = repo.ref_target(&here)?;
            if tip.is_some_and(|tip| !is_known(tip) && is_of(repo, tip)) {
                return Ok(Some(there));
            }
        }
    }
    Ok(None)
}

/// The newest states that were seen where the log lives, and at other refs and URLs, where it lived before or lives for
/// others.
pub struct Homes {
    now: Vec<Oid>,
    before: Vec<Oid>,
}

impl Homes {
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        let (mut names, mut others) = (Vec::new(), Vec::new());
        for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
            for at in repo.addresses(remote)?.push {
                names.push(Place::of(&at, remote).seen());
                others.extend(moved_from(remote).is_some().then(|| tracking_ref(&remote.name)));
                others.extend(others_at(remote, &at).map(|(_, here)| here));
            }
        }
        let (now, before): (Vec<_>, Vec<_>) =
            seen(repo, None)?.into_iter().partition(|tip| names.contains(&tip.name));
        let others = others.iter().map(|name| repo.ref_target(name));
        let others: Vec<Option<Oid>> = others.collect::<Result<_, _>>()?;
        let before = before.into_iter().map(|tip| tip.target);
        Ok(Self {
            now: now.into_iter().map(|tip| tip.target).collect(),
            before: before.chain(others.into_iter().flatten()).collect(),
        })
    }

    /// Returns true if a state was seen elsewhere, and never where the log lives now.
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
