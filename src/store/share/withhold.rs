//! Names that an entry leaves out when it is recorded: those of a branch and of a worktree that no remote knows.

use super::{known::are_of, tracked::kept_at};
use crate::{
    ci,
    entry::{Envelope, sha256_hex},
    git::{Gets, Remote, Repo},
    store::{Error, hold},
};

/// Digits of the digest that stands for a linked worktree: often it is named for its branch.
const DIGITS: usize = 12;

/// Takes the private names out of a new entry's envelope. This clone keeps the branch, and with it that the entry may
/// have to wait; what CI writes is for others, and never waits.
pub fn withhold(repo: &Repo, envelope: &mut Envelope) -> Result<(), Error> {
    let (id, writer) = (envelope.id.to_string(), envelope.writer.as_deref().unwrap_or_default());
    let Some(head) = &mut envelope.head else {
        return Ok(());
    };
    if let Some(name) = &head.worktree {
        let digest = sha256_hex(format!("{writer} {name}").as_bytes());
        head.worktree = Some(digest[..DIGITS].to_owned().into());
    }
    let branch = head.branch.take();
    if let Some(branch) = &branch
        && !is_private(repo, branch)?
    {
        head.branch = Some(branch.clone());
        return Ok(());
    }
    if (branch.is_some() || head.dirty) && !ci::is_here() {
        hold(repo, &id, branch.as_deref())?;
    }
    Ok(())
}

/// Returns true if a remote that gets the log lacks a branch of this name, or if there is none yet that gets it. The
/// default branch's name says nothing.
pub fn is_private(repo: &Repo, branch: &str) -> Result<bool, Error> {
    if repo.default_branch(Some(branch))?.is_some_and(|(name, _)| name == branch) {
        return Ok(false);
    }
    let remotes = repo.remotes();
    let getting: Vec<&Remote> =
        remotes.iter().filter(|remote| remote.gets != Gets::Nothing).collect();
    for remote in &getting {
        let is_known = match remote.gets {
            Gets::All => true,
            Gets::PublicAnywhere => {
                let mut others = remotes.iter().filter(|other| !other.declines_log);
                others.any(|other| is_known_to(repo, other, branch))
            }
            _ => is_known_to(repo, remote, branch),
        };
        if !is_known {
            return Ok(true);
        }
    }
    Ok(getting.is_empty())
}

/// Returns true if a remote has a branch or, by the branch's upstream, once had it.
fn is_known_to(repo: &Repo, remote: &Remote, branch: &str) -> bool {
    has(repo, remote, branch)
        || repo.name_at(branch).is_some_and(|(upstream, _)| upstream == remote.name)
}

/// Returns true if a remote has a branch, as last fetched or pushed.
fn has(repo: &Repo, remote: &Remote, branch: &str) -> bool {
    let is_there = || {
        let kept = kept_at(&format!("refs/heads/{branch}"), remote)?;
        repo.ref_target(&kept).ok()?
    };
    repo.addresses(remote).is_ok_and(|addresses| {
        let mut all = addresses.push.iter();
        all.all(|at| are_of(repo, remote, &addresses, at).unwrap_or(false))
    }) && is_there().is_some()
}
