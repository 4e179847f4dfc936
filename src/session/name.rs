//! Which session an entry belongs to.

use jiff::Timestamp;
use ulid::Ulid;

use super::Error;
use crate::{
    git::Repo,
    store::{LocalState, RunningSession},
};

/// The key of this worktree among the current sessions.
pub(super) fn here(repo: &Repo) -> String {
    repo.linked_worktree().unwrap_or_default()
}

/// This worktree's current session.
pub fn current(repo: &Repo) -> Result<Option<RunningSession>, Error> {
    Ok(LocalState::read(repo)?.sessions.remove(&here(repo)))
}

/// Refuses what can't be a session's name.
pub fn check_name(sid: &str) -> Result<(), Error> {
    let has_length = (1..=128).contains(&sid.chars().count());
    if has_length && !sid.chars().any(|c| c.is_control() || c.is_whitespace()) {
        Ok(())
    } else {
        Err(Error::BadName(sid.to_owned()))
    }
}

/// A name that no other session has.
pub fn new_name(now: Timestamp) -> String {
    let id = Ulid::generate().to_string();
    let time = now.strftime("%Y%m%dT%H%M%S");
    format!("{time}-{}", &id[id.len() - 4..])
}

/// The session of a new entry: the one that is named, else this worktree's current one, else one of its own.
pub fn name(repo: &Repo, named: Option<&str>, now: Timestamp) -> Result<String, Error> {
    if let Some(sid) = named {
        check_name(sid)?;
        return Ok(sid.to_owned());
    }
    Ok(current(repo)?.map_or_else(|| new_name(now), |session| session.sid))
}
