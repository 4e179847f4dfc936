use super::Error;
use crate::{
    entry::abbreviates,
    git::{HeadRef, RefMove, Repo},
    store::{Events, LocalState, RunningSession},
};

#[derive(Debug, Clone, Copy, Default)]
pub struct Named<'a> {
    pub option: Option<&'a str>,
    /// From the environment, for all processes in it.
    pub environment: Option<&'a str>,
}

impl<'a> Named<'a> {
    pub fn name(self) -> Option<&'a str> {
        self.option.or(self.environment)
    }
}

/// The key of this worktree among the current sessions.
pub(super) fn here(repo: &Repo) -> String {
    repo.linked_worktree().map(|name| key(repo, &name)).unwrap_or_default()
}

/// With the time at which git made it: after its removal another one may have the name.
fn key(repo: &Repo, name: &str) -> String {
    let made = repo.worktree_made(name);
    made.map_or_else(|| name.to_owned(), |made| format!("{name}/{}", made.as_millisecond()))
}

/// Looks into the worktree with this key by its name, if it is a linked one; `None` if it is gone.
fn look_into<T>(
    repo: &Repo,
    worktree: &str,
    look: impl FnOnce(Option<&str>) -> Option<T>,
) -> Option<T> {
    let name = worktree.split('/').next().filter(|name| !name.is_empty());
    let is_there = name.is_none_or(|name| key(repo, name) == worktree);
    is_there.then(|| look(name)).flatten()
}

/// HEAD of the worktree with this key; `None` if it is gone.
pub(super) fn head_at(repo: &Repo, worktree: &str) -> Option<HeadRef> {
    look_into(repo, worktree, |name| repo.head_of_worktree(name))
}

/// The moves of that HEAD, oldest first; `None` if it is gone.
pub(super) fn head_moves(repo: &Repo, worktree: &str) -> Option<Vec<RefMove>> {
    look_into(repo, worktree, |name| Some(repo.head_moves(name)))
}

pub fn current(repo: &Repo) -> Result<Option<RunningSession>, Error> {
    Ok(LocalState::read(repo)?.sessions.remove(&here(repo)))
}

/// This worktree's current session, if it has that name.
pub fn running(repo: &Repo, sid: &str) -> Result<Option<RunningSession>, Error> {
    Ok(current(repo)?.filter(|session| session.sid == sid))
}

/// Changes this worktree's current session, if it has that name.
pub(super) fn change<T>(
    repo: &Repo,
    sid: &str,
    change: impl FnOnce(&mut RunningSession) -> T,
) -> Result<Option<T>, Error> {
    if running(repo, sid)?.is_none() {
        return Ok(None);
    }
    LocalState::update(repo, |state| {
        let session = state.sessions.get_mut(&here(repo));
        session.filter(|session| session.sid == sid).map(change)
    })
}

pub fn check_name(sid: &str) -> Result<(), Error> {
    let has_length = (1..=128).contains(&sid.chars().count());
    if has_length && !sid.chars().any(|c| c.is_control() || c.is_whitespace()) {
        Ok(())
    } else {
        Err(Error::refused(
            format!("invalid session name {sid:?}"),
            "nothing was written; use 1 to 128 characters without whitespace",
        ))
    }
}

/// Completes an abbreviated name of a session that is running or in `log`; other names are returned as they are.
pub fn whole_name(repo: &Repo, given: &str, log: Option<&Events>) -> Result<String, Error> {
    check_name(given)?;
    let mut names: Vec<String> =
        LocalState::read(repo)?.sessions.into_values().map(|session| session.sid).collect();
    if let Some(log) = log {
        names.extend(log.rows().iter().map(|row| log.sid(row).to_owned()));
    }
    if names.iter().any(|name| name == given) {
        return Ok(given.to_owned());
    }
    names.retain(|name| abbreviates(given, name));
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] => Ok(given.to_owned()),
        [name] => Ok(name.clone()),
        _ => Err(Error::refused(
            format!("session {given:?} is ambiguous: {}", names.join(", ")),
            "nothing was written; give more characters",
        )),
    }
}

/// Characters in the name of an agent, a model or a harness at most.
const LONGEST_NAME: usize = 128;

/// Why a text is not a valid name of an agent, a model or a harness; `None` if it is one.
pub fn why_no_name(text: &str) -> Option<String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        Some("is empty".into())
    } else if text.chars().any(char::is_control) {
        Some("contains a control character".into())
    } else if length > LONGEST_NAME {
        Some(format!("has {length} characters, more than {LONGEST_NAME}"))
    } else {
        None
    }
}
