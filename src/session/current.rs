//! The current session of a worktree: its start, its signs of life, and its end by command.

use jiff::Timestamp;

use super::{
    Author, Error, EventSource, check_name,
    ending::{self, SESSIONS_LOCK, Sweep},
    events,
    name::{current, here},
};
use crate::{
    entry::{Draft, SessionEnd, SessionHow, Share, Ts},
    git::{Oid, Repo},
    store::{self, Appended, Events, LocalState, LogTips, RunningSession, WritersLock, clone_id},
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
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    // With its name, this is the session's identity: reading it later writes nothing.
    clone_id(repo)?;
    let sweep = ending::sweep_before_start(repo, sid, author.now)?;
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
    };
    let (session, goes_on) = LocalState::update(repo, |state| {
        let known = state.sessions.get_mut(&here(repo));
        if let Some(known) = known.filter(|known| known.sid == sid) {
            known.last_sign = now;
            (known.clone(), true)
        } else {
            state.sessions.insert(here(repo), new.clone());
            (new, false)
        }
    })?;
    Ok(Started {
        session,
        goes_on,
        sweep,
    })
}

/// Notes that a session is alive, if it is this worktree's current one.
pub fn touch(repo: &Repo, sid: &str, now: Timestamp) -> Result<(), Error> {
    change(repo, Some(sid), |session| session.last_sign = Ts::from(now))?;
    Ok(())
}

/// Appends entries of a session, and notes that it is alive.
pub fn append(
    repo: &Repo,
    sid: &str,
    now: Timestamp,
    drafts: &[(Oid, Draft)],
    message: &str,
) -> Result<Appended, Error> {
    let appended = store::append_new(repo, drafts, &[], message)?;
    // The lines have landed, whatever becomes of this.
    let _ = touch(repo, sid, now);
    Ok(appended)
}

/// What a beat did.
pub enum Beat {
    Counted,
    /// Nothing: the session of this name had ended.
    HadEnded(String),
}

/// Counts a heartbeat of the named session, else of the current one.
pub fn beat(
    repo: &Repo,
    named: Option<&str>,
    now: Timestamp,
    context: Option<Share>,
) -> Result<Beat, Error> {
    let counted = change(repo, named, |session| {
        session.last_sign = Ts::from(now);
        session.beats = session.beats.saturating_add(1);
        let shares = session.peak_context.into_iter().chain(context);
        session.peak_context = shares.max_by(|one, two| one.get().total_cmp(&two.get()));
    })?;
    if counted {
        Ok(Beat::Counted)
    } else {
        Ok(Beat::HadEnded(had_ended(repo, named)?))
    }
}

/// What an end did.
pub enum Ended {
    Now {
        sid: String,
        end: SessionEnd,
    },
    /// It was forgotten without an entry, because there is no commit to put one on.
    WithoutCommit,
    /// Nothing: the session of this name had ended before.
    Before(String),
}

/// Ends the named session, else the current one: appends its figures and forgets it.
pub fn end(repo: &Repo, named: Option<&str>, now: Timestamp) -> Result<Ended, Error> {
    let meant = || -> Result<Option<RunningSession>, Error> {
        let current = current(repo)?;
        Ok(current.filter(|session| named.is_none_or(|sid| session.sid == sid)))
    };
    if meant()?.is_none() {
        return Ok(Ended::Before(had_ended(repo, named)?));
    }
    let _turn = WritersLock::named(repo, SESSIONS_LOCK)?;
    let Some(session) = meant()? else {
        return Ok(Ended::Before(had_ended(repo, named)?));
    };
    let head = repo.head()?;
    // A branch without a commit may have been checked out since.
    let Some(commit) = head.commit.or_else(|| ending::start_commit(repo, &session)) else {
        ending::forget(repo, &here(repo), &session)?;
        return Ok(Ended::WithoutCommit);
    };
    let details = match head.commit {
        Some(commit) => Some(repo.head_details(commit, head.branch.as_deref())?),
        None => None,
    };
    let commits = ending::commits_since_start(repo, &session, head.commit, Timestamp::MAX);
    let end = SessionEnd {
        branch: head.branch,
        commits: commits.map(|commits| commits.len()),
        ..ending::figures(&session, SessionHow::End, &Ts::from(now))
    };
    ending::append(repo, &session, now, commit, details, &end)?;
    ending::forget(repo, &here(repo), &session)?;
    Ok(Ended::Now {
        sid: session.sid,
        end,
    })
}

/// Changes this worktree's current session, if it has one of that name; gives whether it has.
fn change(
    repo: &Repo,
    named: Option<&str>,
    change: impl FnOnce(&mut RunningSession),
) -> Result<bool, Error> {
    let is_meant = |session: &RunningSession| named.is_none_or(|sid| session.sid == sid);
    if !current(repo)?.is_some_and(|session| is_meant(&session)) {
        return Ok(false);
    }
    let changed = LocalState::update(repo, |state| {
        let session = state.sessions.get_mut(&here(repo));
        let session = session.filter(|session| is_meant(session));
        session.map(change).is_some()
    })?;
    Ok(changed)
}

/// The name of a session of this clone that is not running, if the log says that it ended; an error where it does not.
fn had_ended(repo: &Repo, named: Option<&str>) -> Result<String, Error> {
    let sid = named.ok_or(Error::NoneRunning)?;
    let log = Events::read(repo, &LogTips::read(repo)?)?;
    let ends = events::<SessionEnd>(&log);
    let writer = LocalState::read(repo)?.writer;
    let is_ours =
        |end: &EventSource| end.sid == sid && end.writer.is_some() && end.writer == writer;
    if ends.iter().any(|end| is_ours(&end.source)) {
        Ok(sid.to_owned())
    } else {
        Err(Error::NotRunning(sid.to_owned()))
    }
}
