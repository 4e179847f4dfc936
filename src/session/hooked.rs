//! Signs of life from the hooks of a harness.

use jiff::{SignedDuration, Timestamp};

use super::{
    Author, Error,
    current::{alive, is_within, start},
    name::{change, current, running},
};
use crate::{
    git::Repo,
    harness::Harness,
    store::{LocalState, StartHook},
};

/// Two equal calls within this time come from two configurations for the same event.
const REPEATED: SignedDuration = SignedDuration::from_secs(5);

const ASKED: usize = 100;

/// Starts or resumes a session as [`start`] does; returns true for the first call for this event.
pub fn start_by_hook(
    repo: &Repo,
    sid: &str,
    author: &Author,
    hook: StartHook,
) -> Result<bool, Error> {
    start(repo, sid, author)?;
    if let Some(harness) = &hook.harness {
        LocalState::update(repo, |state| state.without_hook.remove(harness))?;
    }
    Ok(change(repo, sid, |session| {
        let before = session.hook.as_ref();
        let is_first = !before.is_some_and(|before| {
            before.source == hook.source && is_within(REPEATED, before.at, author.now)
        });
        if is_first {
            session.hook = Some(hook);
        }
        is_first
    })?
    .unwrap_or(true))
}

/// The source of a start that is still to come.
const COMPACTING: &str = "compacting";

/// Notes that the context of a session is compacted, by a harness that does not start the session again afterwards.
pub fn compacting(repo: &Repo, sid: &str) -> Result<(), Error> {
    change(repo, sid, |session| {
        if let Some(hook) = &mut session.hook {
            hook.source = Some(COMPACTING.to_owned());
        }
    })?;
    Ok(())
}

/// Returns true if the context of a session was compacted and no hook has started it since.
pub fn was_compacted(repo: &Repo, sid: &str) -> Result<bool, Error> {
    Ok(running(repo, sid)?.and_then(|session| session.hook?.source).as_deref() == Some(COMPACTING))
}

/// If git knows nobody, as in the shell of Gemini CLI, which hides the user's configuration, the author is the one
/// that the hook saw at the session's start.
pub fn known_by_hook(repo: Repo) -> Result<Repo, Error> {
    if repo.identity().is_some() {
        return Ok(repo);
    }
    let hook = current(&repo)?.and_then(|session| session.hook);
    match hook.and_then(|hook| hook.by) {
        Some(by) => repo.or_known_as(&by.name, &by.email),
        None => Ok(repo),
    }
}

/// Returns true once for each session.
pub fn ask_once(repo: &Repo, sid: &str) -> Result<bool, Error> {
    LocalState::update(repo, |state| {
        let asked = &mut state.asked;
        let is_new = !asked.iter().any(|known| known == sid);
        if is_new {
            asked.push(sid.to_owned());
            asked.drain(..asked.len().saturating_sub(ASKED));
        }
        is_new
    })
}

/// Selects the session of the harness that runs this, from the variables that are set, by harness.
///
/// Variables may be inherited. If a hook started this worktree's current session, a variable with its name is the right
/// one. If there is no such variable and its harness sets one, or none of the `programs` that the environment shows is its
/// harness, this process does not belong to that session; else the variables are inherited and name nothing here. Copilot
/// gives each subagent a name that no hook has heard of; what it writes belongs to the session.
pub fn by_variable<'v>(
    repo: &Repo,
    variables: &'v [(&str, String)],
    programs: &[&str],
    now: Timestamp,
) -> Result<Option<&'v str>, Error> {
    let Some((_, first)) = variables.first() else {
        return Ok(None);
    };
    let current = alive(repo, now)?;
    let Some((current, hook)) = current.and_then(|session| Some((session.sid, session.hook?)))
    else {
        return Ok(Some(first));
    };
    let own = variables.iter().find(|(_, sid)| *sid == current);
    let is_elsewhere = hook.is_elsewhere(programs);
    let harness = hook.harness.as_deref().and_then(Harness::named);
    let has_variable = harness.is_some_and(|harness| harness.facts().session.is_some());
    let is_subagent = harness == Some(Harness::Copilot)
        && variables.iter().any(|(name, _)| *name == Harness::Copilot.name());
    Ok(match own {
        Some((_, own)) => Some(own),
        None if is_elsewhere || has_variable && !is_subagent => Some(first),
        None => None,
    })
}
