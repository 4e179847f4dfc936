//! Brings the log to a remote and back, so that nothing is lost however many clones do it at once.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Error, LOCAL_REF, LogTips,
    append::{fold, join, noise},
    fetch_refspec,
    lacking::lacking,
    local::{clone_id, forget_refused, remember_asked, remember_refused, renew_clone_id},
    tracking_prefix,
};
use crate::git::{ErrorKind, Oid, PushRef, Pushed, Remote, Repo, Talk};

/// How often the log itself is pushed before this clone's inbox takes what is left.
///
/// Measured with many clones at once: more tries cost seconds, and fewer fill inboxes.
const TRIES: u32 = 3;

/// What was fetched and pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SyncDone")]
pub struct Synced {
    /// Lines that were new to this clone.
    pub came: usize,
    /// Lines that were new to the remote.
    pub went: usize,
    /// Whether they went into this clone's inbox, because others kept updating the log.
    pub inbox: bool,
    /// Inboxes that were deleted on the remote, because its log now has their lines.
    pub inboxes_cleared: usize,
}

/// Pushes what the remote lacks, as far as is known here; asks it nothing where it lacks nothing.
///
/// # Errors
/// When the remote can't be reached or refuses the log. What could not be pushed stays in the local ref.
pub fn deliver(repo: &Repo, remote: &Remote, talk: Talk) -> Result<bool, Error> {
    push_until(repo, remote, talk, &|| tracked(repo, remote))
}

/// Fetches, folds, pushes, and clears inboxes whose lines the remote's log has.
///
/// # Errors
/// When not everything that this clone has is on the remote afterwards.
pub fn sync(repo: &Repo, remote: &Remote, talk: Talk) -> Result<Synced, Error> {
    let before: Vec<Oid> = LogTips::read(repo)?.commits().collect();
    fetch(repo, remote, talk)?;
    let on_remote = tracked(repo, remote)?;
    let mut came = BTreeSet::new();
    for tip in &on_remote {
        came.extend(lacking(repo, &before, *tip)?);
    }
    fold(repo)?;
    let went = match repo.ref_target(LOCAL_REF)? {
        Some(local) => lacking(repo, &on_remote, local)?.len(),
        None => 0,
    };
    // What lies in an inbox is on the remote already, but its place is the log.
    let log = || Ok(tracked_log(repo, remote)?.into_iter().collect());
    Ok(Synced {
        came: came.len(),
        went,
        inbox: push_until(repo, remote, talk, &log)?,
        inboxes_cleared: clear_inboxes(repo, remote, talk)?,
    })
}

/// Pushes the local ref until `held` has every line of it.
///
/// First as it is; when somebody was faster, fetches, folds and pushes again; after some tries into an inbox of this
/// clone's own, which nobody else pushes to.
fn push_until(
    repo: &Repo,
    remote: &Remote,
    talk: Talk,
    held: &dyn Fn() -> Result<Vec<Oid>, Error>,
) -> Result<bool, Error> {
    let start = Instant::now();
    for attempt in 0..TRIES {
        let Some(local) = repo.ref_target(LOCAL_REF)? else {
            return Ok(false);
        };
        if lacking(repo, &held()?, local)?.is_empty() {
            return Ok(false);
        }
        if push(repo, remote, &remote.log_ref, local, talk)? {
            return Ok(false);
        }
        if attempt + 1 < TRIES {
            pause_between(attempt, talk);
            fetch(repo, remote, talk)?;
            join(repo)?;
        }
        // The inbox wants its time too: where everything is slow, better there than nowhere.
        if is_short(talk, start.elapsed() / (attempt + 1)) {
            break;
        }
    }
    into_inbox(repo, remote, talk)
}

fn into_inbox(repo: &Repo, remote: &Remote, talk: Talk) -> Result<bool, Error> {
    let mut id = clone_id(repo)?;
    for _ in 0..TRIES {
        let Some(local) = repo.ref_target(LOCAL_REF)? else {
            return Ok(false);
        };
        let name = format!("{}{id}", remote.inboxes());
        if push(repo, remote, &name, local, talk)? {
            return Ok(true);
        }
        fetch(repo, remote, talk)?;
        if lacking(repo, &tracked(repo, remote)?, local)?.is_empty() {
            return Ok(true);
        }
        let there = repo.ref_target(&tracking_ref(remote, &name))?;
        if there.is_some_and(|there| !repo.is_ancestor(there, local)) {
            // Nothing of this clone's ever leaves its line: a copy of it pushed there.
            id = renew_clone_id(repo, &id)?;
        }
    }
    Err(Error::Outrun {
        remote: remote.name.clone(),
    })
}

/// Pushes one ref, fast-forward only; gives whether the remote took it, and false where somebody was faster.
fn push(repo: &Repo, remote: &Remote, name: &str, local: Oid, talk: Talk) -> Result<bool, Error> {
    let wanted = PushRef {
        to: Some(local),
        name: name.to_owned(),
        lease: None,
    };
    match repo.push(&remote.name, &[wanted], talk)?.pop() {
        Some(Pushed::Done) => {}
        Some(Pushed::Refused(reason)) => {
            remember_refused(repo, &remote.name, &reason);
            return Err(Error::Refused {
                remote: remote.name.clone(),
                name: name.to_owned(),
                reason,
            });
        }
        Some(Pushed::Outrun(_)) | None => return Ok(false),
    }
    forget_refused(repo, &remote.name);
    // Git keeps the tracking ref where the remote has the fetch refspec, and not every remote has it.
    let tracking = tracking_ref(remote, name);
    let known = repo.ref_target(&tracking)?;
    if known != Some(local) {
        let moved = repo.move_ref(&tracking, known, local, "sq: pushed");
        if let Err(error) = moved
            && error.kind != ErrorKind::Moved
        {
            return Err(error.into());
        }
    }
    Ok(true)
}

/// Deletes the inboxes on the remote whose lines its log has, unless somebody pushed to them meanwhile.
fn clear_inboxes(repo: &Repo, remote: &Remote, talk: Talk) -> Result<usize, Error> {
    let Some(log) = tracked_log(repo, remote)? else {
        return Ok(0);
    };
    let prefix = tracking_prefix(&remote.name);
    let mut emptied = Vec::new();
    for tip in repo.refs_under(&format!("{prefix}sq-inbox/"))? {
        if repo.is_notes_commit(tip.target) && lacking(repo, &[log], tip.target)?.is_empty() {
            let id = tip.name.strip_prefix(&prefix).unwrap_or_default();
            let id = id.strip_prefix("sq-inbox/").unwrap_or_default();
            emptied.push(PushRef {
                to: None,
                name: format!("{}{id}", remote.inboxes()),
                lease: Some(tip.target),
            });
        }
    }
    if emptied.is_empty() {
        return Ok(0);
    }
    // Whoever deletes first is right; what stays is cleared by the next sync.
    let outcomes = repo.push(&remote.name, &emptied, talk)?;
    Ok(outcomes.iter().filter(|o| **o == Pushed::Done).count())
}

/// How many lines of the local ref a remote lacks, as far as is known here.
///
/// # Errors
/// When the refs or notes can't be read.
pub fn unpushed(repo: &Repo, remote: &Remote) -> Result<usize, Error> {
    match repo.ref_target(LOCAL_REF)? {
        Some(local) => Ok(lacking(repo, &tracked(repo, remote)?, local)?.len()),
        None => Ok(0),
    }
}

/// Asks a remote for its log; gives whether it has one.
///
/// # Errors
/// When it can't be reached.
pub fn fetch(repo: &Repo, remote: &Remote, talk: Talk) -> Result<bool, Error> {
    // What was fetched is the only copy here until it is folded, and fetching prunes.
    fold(repo)?;
    repo.fetch(&remote.name, &[fetch_refspec(remote)], talk)?;
    remember_asked(repo, &remote.name);
    Ok(!tracked(repo, remote)?.is_empty())
}

/// Every ref of the remote's log that was fetched: the log first, then inboxes.
fn tracked(repo: &Repo, remote: &Remote) -> Result<Vec<Oid>, Error> {
    let inboxes = format!("{}sq-inbox/", tracking_prefix(&remote.name));
    let mut inboxes = repo.refs_under(&inboxes)?;
    inboxes.retain(|tip| repo.is_notes_commit(tip.target));
    let log = tracked_log(repo, remote)?;
    Ok(log
        .into_iter()
        .chain(inboxes.into_iter().map(|tip| tip.target))
        .collect())
}

/// The remote's log as it was fetched.
fn tracked_log(repo: &Repo, remote: &Remote) -> Result<Option<Oid>, Error> {
    let tip = repo.ref_target(&tracking_ref(remote, &remote.log_ref))?;
    if tip.is_some_and(|tip| !repo.is_notes_commit(tip)) {
        // Somebody's branch, or whatever else was pushed there: nothing of ours may be joined with it.
        return Err(Error::NotALog {
            remote: remote.name.clone(),
            name: remote.log_ref.clone(),
        });
    }
    Ok(tip)
}

/// Where a ref of the remote's log is kept here.
fn tracking_ref(remote: &Remote, name: &str) -> String {
    let rest = name.strip_prefix(&remote.log_ref).unwrap_or_default();
    format!("{}sq{rest}", tracking_prefix(&remote.name))
}

/// Whether the time that is left is too short for another attempt, and then the inbox, where one took that long.
fn is_short(talk: Talk, took: Duration) -> bool {
    talk.deadline.is_some_and(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        left < took * 3
    })
}

/// Waits before the next push, longer each time, and never as long as the neighbour; not beyond the time there is.
fn pause_between(attempt: u32, talk: Talk) {
    let pause = Duration::from_millis(20 + noise(100 << attempt));
    let left = talk.deadline.map_or(pause, |deadline| {
        deadline.saturating_duration_since(Instant::now())
    });
    std::thread::sleep(pause.min(left));
}
