//! The state of a remote's log, as known without asking it.

use super::{known::Known, place::Place, plan::Plan};
use crate::{
    git::{Gets, Oid, Remote, Repo},
    store::{Error, LogTips, lacking, moved_from, tracking_ref},
};

/// The lines that the remote lacks; none if it does not get the log.
pub fn standing(repo: &Repo, remote: &Remote) -> Result<Plan, Error> {
    let mut most = Plan::default();
    if remote.gets == Gets::Nothing {
        return Ok(most);
    }
    // What another remote has counts, too: publishing folds it in first.
    let here: Vec<Oid> = LogTips::read(repo)?.commits().collect();
    let addresses = repo.addresses(remote)?;
    for at in &addresses.push {
        let place = Place::of(at, remote);
        let mut names = vec![place.seen(), place.fetched()];
        if addresses.fetch.as_ref() == Some(at) && moved_from(remote).is_none() {
            names.push(tracking_ref(&remote.name));
        }
        let mut there: Vec<Oid> = Vec::new();
        for name in names {
            let tip = repo.ref_target(&name)?;
            there.extend(tip.filter(|tip| {
                repo.is_notes_commit(*tip)
                    && repo.require_readable(*tip, here.first().copied()).is_ok()
            }));
        }
        let mut lines = Vec::new();
        for state in &here {
            lines.extend(lacking(repo, &there, *state)?);
        }
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() {
            continue;
        }
        let plan = Known::here(repo, remote, &addresses, at)?.plan(lines, &there)?;
        if (plan.ready.len(), plan.waiting.len()) > (most.ready.len(), most.waiting.len()) {
            most = plan;
        }
    }
    Ok(most)
}
