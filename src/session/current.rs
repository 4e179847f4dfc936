//! The current session of a worktree: how it begins, its signs of life, and its end by command.

use jiff::{SignedDuration, Timestamp};

use super::{
    Author, Error, Named, check_name,
    ending::{self, EndedSession, SESSIONS_LOCK, Sweep},
    name::{current, here},
};
use crate::{
    entry::{Agent, SessionEnd, SessionHow, Share, Ts, new_sid},
    git::Repo,
    store::{LocalState, RunningSession, WritersLock, clone_id},
};

/// What a start did.
pub struct Started {
    pub session: RunningSession,
    /// Whether it was the current session already.
    pub goes_on: bool,
    /// What was swept up before. A failure there does not stop the start.
    pub sweep: Sweep,
}

/// Makes `sid` this worktree's current session, or goes on with it. Another current session is swept up first, and so
/// are the silent ones of other worktrees.
pub fn start(repo: &Repo, sid: &str, author: &Author) -> Result<Started, Error> {
    check_name(sid)?;
    let grace = ending::configured_grace(repo)?;
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    // With its name, this is the session's identity: reading it later writes nothing.
    clone_id(repo)?;
    speak(repo, sid, author, grace, true)
}

/// The session of a new entry: the one that is named, else this worktree's current one, else a new one.
///
/// The current one is not meant where it has been silent for longer than the grace time, or where the author is another
/// agent: then a new one takes its place. So does one that the environment names, where none is current or alive.
/// Whatever has been silent for too long is swept up, in all worktrees; what can't be is left to the next sweep.
pub fn enter(repo: &Repo, named: Named, author: &Author) -> Result<String, Error> {
    named.name().map(check_name).transpose()?;
    let grace = ending::configured_grace(repo)?;
    if let Some(name) = named.option
        && LocalState::read(repo)?.sessions.is_empty()
    {
        return Ok(name.to_owned());
    }
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    let alive = alive(repo, author.now, grace)?;
    let takes_over = match named.environment {
        _ if named.option.is_some() => false,
        Some(_) => alive.is_none(),
        None => true,
    };
    let sid = match (named.name(), alive) {
        (Some(name), _) => name.to_owned(),
        (None, Some(session)) if is_of(&session, author.agent.as_ref()) => session.sid,
        (None, _) => new_sid(),
    };
    speak(repo, &sid, author, grace, takes_over)?;
    Ok(sid)
}

/// The session that an entry goes on with, if it goes on with one, and since when it runs, if that is known; nothing is
/// written.
pub fn expected(
    repo: &Repo,
    named: Named,
    author: &Author,
) -> Result<Option<(String, Option<Ts>)>, Error> {
    if let Some(name) = named.name() {
        let running = current(repo)?.filter(|session| session.sid == name);
        let begun = running.map(|session| session.started);
        return Ok(Some((name.to_owned(), begun)));
    }
    let alive = alive(repo, author.now, ending::configured_grace(repo)?)?;
    let own = alive.filter(|session| is_of(session, author.agent.as_ref()));
    Ok(own.map(|session| (session.sid, Some(session.started))))
}

/// Whether an author goes on with a session: by its agent, or by one that says no name.
fn is_of(session: &RunningSession, agent: Option<&Agent>) -> bool {
    let name = |agent: &Agent| agent.name.clone();
    let told = agent.and_then(name);
    told.is_none() || told == session.agent.as_ref().and_then(name)
}

/// This worktree's current session, unless it has been silent for too long.
pub(super) fn alive(
    repo: &Repo,
    now: Timestamp,
    grace: SignedDuration,
) -> Result<Option<RunningSession>, Error> {
    Ok(current(repo)?.filter(|session| !ending::is_silent(session, now, grace)))
}

/// Notes that a session lives, if it is this worktree's current one, or `takes_over` and becomes that. What is silent,
/// or gives way, is swept up.
fn speak(
    repo: &Repo,
    sid: &str,
    author: &Author,
    grace: SignedDuration,
    takes_over: bool,
) -> Result<Started, Error> {
    let here = here(repo);
    let sweep = ending::sweep_where(repo, author.now, grace, |worktree, session, is_silent| {
        if worktree == here {
            session.sid != sid && (is_silent || takes_over)
        } else {
            is_silent
        }
    })?;
    let head = repo.head()?;
    let now = Ts::from(author.now);
    let new = RunningSession {
        sid: sid.to_owned(),
        agent: author.agent.clone(),
        branch: head.branch,
        head: head.commit.map(|commit| commit.to_string()),
        started: now,
        last_sign: now,
        beats: 0,
        peak_context: None,
        hook: None,
    };
    let (session, goes_on) = LocalState::update(repo, |state| {
        let known = state.sessions.get_mut(&here);
        if let Some(known) = known.filter(|known| known.sid == sid) {
            known.last_sign = now;
            return (known.clone(), true);
        }
        if takes_over {
            state.sessions.insert(here.clone(), new.clone());
        }
        (new, false)
    })?;
    Ok(Started {
        session,
        goes_on,
        sweep,
    })
}

/// Counts a heartbeat of the named session, else of the current one; gives whether that is running in this worktree.
pub fn beat(
    repo: &Repo,
    named: Option<&str>,
    now: Timestamp,
    context: Option<Share>,
) -> Result<bool, Error> {
    let is_meant = |session: &RunningSession| named.is_none_or(|sid| session.sid == sid);
    if !current(repo)?.is_some_and(|session| is_meant(&session)) {
        return Ok(false);
    }
    let counted = LocalState::update(repo, |state| {
        let session = state.sessions.get_mut(&here(repo));
        let Some(session) = session.filter(|session| is_meant(session)) else {
            return false;
        };
        session.last_sign = Ts::from(now);
        session.beats = session.beats.saturating_add(1);
        let shares = session.peak_context.into_iter().chain(context);
        session.peak_context = shares.max_by(|one, two| one.get().total_cmp(&two.get()));
        true
    })?;
    Ok(counted)
}

/// What an end did.
pub enum Ended {
    Now(EndedSession),
    /// It was forgotten without an entry, because there is no commit to put one on.
    WithoutCommit,
    /// Nothing: that session is not running in this worktree, or none is.
    NotRunning,
}

/// Ends the named session, else the current one: appends its figures and forgets it. One that was silent for too long
/// and does not speak by its name is swept up, as the silent ones of other worktrees are.
pub fn end(repo: &Repo, named: Option<&str>, now: Timestamp) -> Result<Ended, Error> {
    let meant = || -> Result<Option<RunningSession>, Error> {
        let current = current(repo)?;
        Ok(current.filter(|session| named.is_none_or(|sid| session.sid == sid)))
    };
    if meant()?.is_none() {
        return Ok(Ended::NotRunning);
    }
    let grace = ending::configured_grace(repo)?;
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    let here = here(repo);
    // What can't be swept up is left to the next sweep.
    let _ = ending::sweep_where(repo, now, grace, |worktree, _, is_silent| {
        is_silent && worktree != here
    });
    let Some(session) = meant()? else {
        return Ok(Ended::NotRunning);
    };
    if named.is_some() || !ending::is_silent(&session, now, grace) {
        return finish(repo, &session, now);
    }
    let end = ending::sweep_up(repo, &here, &session, now, grace)?;
    Ok(end.map_or(Ended::WithoutCommit, Ended::Now))
}

/// Ends this worktree's current session.
fn finish(repo: &Repo, session: &RunningSession, now: Timestamp) -> Result<Ended, Error> {
    let head = repo.head()?;
    // A branch without a commit may have been checked out since.
    let Some(commit) = head.commit.or_else(|| ending::start_commit(repo, session)) else {
        ending::forget(repo, &here(repo), session)?;
        return Ok(Ended::WithoutCommit);
    };
    let details = match head.commit {
        Some(commit) => Some(repo.head_details(commit, head.branch.as_deref())?),
        None => None,
    };
    let commits = ending::commits_since_start(repo, session, head.commit, Timestamp::MAX);
    let end = SessionEnd {
        branch: head.branch,
        ..ending::figures(
            repo,
            session,
            SessionHow::End,
            &Ts::from(now),
            commits.as_deref(),
        )
    };
    ending::append(repo, session, now, commit, details, &end)?;
    ending::forget(repo, &here(repo), session)?;
    let sid = session.sid.clone();
    Ok(Ended::Now(EndedSession { sid, end }))
}
