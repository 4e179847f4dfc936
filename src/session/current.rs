//! The current session of a worktree: its start, its signs of life, and its end.

use jiff::{SignedDuration, Timestamp};

use super::{
    Author, Error, Named, check_name,
    ending::{self, EndedSession, SESSIONS_LOCK},
    name::{change, current, head_moves, here, running},
};
use crate::{
    entry::{Agent, SessionHow, Ts, new_sid},
    git::Repo,
    harness::Harness,
    question::duration,
    store::{LocalState, RunningSession, WritersLock, clone_id},
};

/// Silence after which a session has ended, unless `sq.grace` is set.
const GRACE: SignedDuration = SignedDuration::from_hours(2);

/// Least time between two saved signs of life.
const OFTEN: SignedDuration = SignedDuration::from_secs(60);

pub struct Started {
    pub session: RunningSession,
    pub goes_on: bool,
    pub swept: Vec<EndedSession>,
}

/// One that can't be read counts as none: `git sq doctor` tells of it.
fn configured_grace(repo: &Repo) -> SignedDuration {
    repo.config_string("sq.grace").and_then(|text| duration(text.trim())).unwrap_or(GRACE)
}

/// This worktree's current session, unless it has been silent for longer than the grace time.
pub fn alive(repo: &Repo, now: Timestamp) -> Result<Option<RunningSession>, Error> {
    let grace = configured_grace(repo);
    Ok(current(repo)?.filter(|session| is_within(grace, session.last_sign, now)))
}

/// Returns true if nothing says that a session goes on; for others, a commit or any other move of HEAD does.
fn is_silent(repo: &Repo, worktree: &str, session: &RunningSession, now: Timestamp) -> bool {
    let grace = configured_grace(repo);
    let moved = || {
        let moved = head_moves(repo, worktree)?.last()?.time;
        Some(Ts::from_millis(moved.checked_mul(1000)?))
    };
    let is_sign = |moved| moved >= session.started && is_within(grace, moved, now);
    !is_within(grace, session.last_sign, now) && !moved().is_some_and(is_sign)
}

/// Works in both directions: a time in the future comes from a clock that was ahead.
pub(super) fn is_within(length: SignedDuration, then: Ts, now: Timestamp) -> bool {
    now.duration_since(then.timestamp()).abs() <= length
}

/// Makes `sid` this worktree's current session, or resumes it; ends the one before, and silent ones elsewhere.
pub fn start(repo: &Repo, sid: &str, author: &Author) -> Result<Started, Error> {
    check_name(sid)?;
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    begin(repo, sid, author)
}

/// Ends the sessions of all worktrees that have been silent for longer than the grace time.
pub fn sweep(repo: &Repo, now: Timestamp) -> Result<Vec<EndedSession>, Error> {
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    close_those(repo, now, |_, _, is_silent| is_silent)
}

/// Ends the sessions of which `is_over` says so, by their worktrees and whether they are silent.
fn close_those(
    repo: &Repo,
    now: Timestamp,
    is_over: impl Fn(&str, &RunningSession, bool) -> bool,
) -> Result<Vec<EndedSession>, Error> {
    let grace = configured_grace(repo);
    let mut swept = Vec::new();
    for (worktree, session) in LocalState::read(repo)?.sessions {
        if is_over(&worktree, &session, is_silent(repo, &worktree, &session, now)) {
            let end = ending::close(repo, &worktree, &session, SessionHow::Sweep, now, grace);
            swept.extend(end.ok().flatten());
        }
    }
    Ok(swept)
}

fn begin(repo: &Repo, sid: &str, author: &Author) -> Result<Started, Error> {
    // The clone's id is a part of the session's identity; it is made here, so that later reading writes nothing.
    clone_id(repo)?;
    let here = here(repo);
    let swept = close_those(repo, author.now, |worktree, session, is_silent| {
        if worktree == here { session.sid != sid } else { is_silent }
    })?;
    let head = repo.head()?;
    let now = Ts::from(author.now);
    let new = RunningSession {
        sid: sid.to_owned(),
        agent: author.agent.clone(),
        branch: head.branch,
        head: head.commit.map(|commit| commit.to_string()),
        moves: head_moves(repo, &here).map(|moves| moves.len()),
        started: now,
        last_sign: now,
        ..RunningSession::default()
    };
    let (session, goes_on) = LocalState::update(repo, |state| {
        let known = state.sessions.get_mut(&here);
        if let Some(known) = known.filter(|known| known.sid == sid) {
            known.last_sign = now;
            return (known.clone(), true);
        }
        state.sessions.insert(here.clone(), new.clone());
        let mut harnesses = author.programs.iter().filter_map(|name| Harness::named(name));
        // Of several, one started another.
        if let (Some(shell), None) = (harnesses.next(), harnesses.next()) {
            *state.without_hook.entry(shell.name().to_owned()).or_default() += 1;
        }
        (new, false)
    })?;
    Ok(Started { session, goes_on, swept })
}

/// The session of a new entry: the named one, else this worktree's current one, else a new one.
///
/// A new session replaces the current one if that has been silent for too long, or belongs to another agent. The
/// session that the environment names starts if none is running. Silent sessions of other worktrees end.
pub fn enter(
    repo: &Repo,
    named: Named,
    author: &Author,
) -> Result<(String, Vec<EndedSession>), Error> {
    named.name().map(check_name).transpose()?;
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    let here = here(repo);
    let swept =
        close_those(repo, author.now, |worktree, _, is_silent| worktree != here && is_silent)?;
    if let Some(name) = named.option {
        touch(repo, name, author.now)?;
        return Ok((name.to_owned(), swept));
    }
    let alive = alive(repo, author.now)?;
    let sid = match (named.environment, alive) {
        (Some(name), Some(_)) => {
            touch(repo, name, author.now)?;
            return Ok((name.to_owned(), swept));
        }
        (Some(name), None) => name.to_owned(),
        (None, Some(session)) if is_of(&session, author) => session.sid,
        (None, _) => new_sid(),
    };
    let started = begin(repo, &sid, author)?;
    Ok((sid, [swept, started.swept].concat()))
}

/// The session that an entry would continue, if any, and its start, if that is known; nothing is written.
pub fn expected(repo: &Repo, named: Named, author: &Author) -> Result<Option<String>, Error> {
    if let Some(name) = named.name() {
        return Ok(Some(name.to_owned()));
    }
    Ok(alive(repo, author.now)?.filter(|session| is_of(session, author)).map(|session| session.sid))
}

/// Returns true if an author may continue a session: it is the same agent, or the author has no name, and the environment
/// does not show other programs alone than the one whose hook began it.
fn is_of(session: &RunningSession, author: &Author) -> bool {
    let name = |agent: &Agent| agent.name.clone();
    let told = author.agent.as_ref().and_then(name);
    let is_elsewhere =
        session.hook.as_ref().is_some_and(|hook| hook.is_elsewhere(&author.programs));
    !is_elsewhere && (told.is_none() || told == session.agent.as_ref().and_then(name))
}

/// Counts a call of a hook, a sign of life of a session, if that is running in this worktree.
pub fn beat(repo: &Repo, sid: &str, now: Timestamp) -> Result<(), Error> {
    let counted = change(repo, sid, |session| {
        session.last_sign = Ts::from(now);
        session.beats += 1;
    });
    counted.map(drop)
}

/// Counts a refused record of a session, if that is running in this worktree.
pub fn count_refusal(repo: &Repo, sid: &str) -> Result<(), Error> {
    change(repo, sid, |session| session.refused += 1).map(drop)
}

/// Saves a sign of life of a session, if it is running in this worktree.
pub fn touch(repo: &Repo, sid: &str, now: Timestamp) -> Result<(), Error> {
    if running(repo, sid)?.is_some_and(|session| !is_within(OFTEN, session.last_sign, now)) {
        change(repo, sid, |session| session.last_sign = Ts::from(now))?;
    }
    Ok(())
}

pub enum Ended {
    Now(EndedSession),
    /// The session is gone, but has no entry, because there is no commit to put one on.
    WithoutCommit,
    NotRunning,
}

/// Ends the named session, else the current one: appends its figures and removes it. A session that was silent for too
/// long, and is not named, ends at its last sign of life.
pub fn end(repo: &Repo, named: Option<&str>, now: Timestamp) -> Result<Ended, Error> {
    let meant = || -> Result<Option<RunningSession>, Error> {
        Ok(current(repo)?.filter(|session| named.is_none_or(|sid| session.sid == sid)))
    };
    if meant()?.is_none() {
        return Ok(Ended::NotRunning);
    }
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    let Some(session) = meant()? else {
        return Ok(Ended::NotRunning);
    };
    let grace = configured_grace(repo);
    let how = if named.is_some() || is_within(grace, session.last_sign, now) {
        SessionHow::End
    } else {
        SessionHow::Sweep
    };
    Ok(ending::close(repo, &here(repo), &session, how, now, grace)?
        .map_or(Ended::WithoutCommit, Ended::Now))
}
