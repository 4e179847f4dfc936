//! The end of a session: the entry with its figures, by command or because it fell silent.

use clap::ValueEnum as _;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{
    Author, Error,
    envelope::envelope,
    limits,
    name::{head_at, head_moves, here, running},
    transcript,
};
use crate::{
    entry::{
        Body, Draft, Envelope, Event, Head, SessionEnd, SessionEvent, SessionHow, Ts, Undraftable,
        clip, find_secret, one_line,
    },
    git::{Oid, Repo},
    harness::Harness,
    store::{
        self, LocalState, RunningSession,
        share::{is_private, withhold},
    },
};

/// Held while sessions start and end, so that each ends once.
pub(super) const SESSIONS_LOCK: &str = "sessions.lock";
#[derive(Debug, Clone, Serialize)]
pub struct EndedSession {
    pub sid: String,
    #[serde(flatten)]
    pub end: SessionEnd,
}

/// Ends a session by command, or because it fell silent `grace` ago: then with the figures of its last sign of life.
/// `None` if there was no commit to put an entry on.
pub(super) fn close(
    repo: &Repo,
    worktree: &str,
    session: &RunningSession,
    how: SessionHow,
    now: Timestamp,
    grace: SignedDuration,
) -> Result<Option<EndedSession>, Error> {
    let is_silent = how == SessionHow::Sweep;
    let head = if is_silent { head_at(repo, worktree) } else { Some(repo.head()?) };
    let tip = head.as_ref().and_then(|head| head.commit);
    // Much later commits belong to someone else.
    let last = session
        .last_sign
        .timestamp()
        .saturating_add(grace)
        .ok()
        .filter(|_| is_silent)
        .unwrap_or(Timestamp::MAX);
    let commits = commits_since_start(repo, worktree, session, tip, last);
    let newest = commits.iter().flatten().next().and_then(|&commit| repo.commit_time(commit).ok());
    let last_sign =
        newest.map_or(session.last_sign, |commit| session.last_sign.max(Ts::from(commit)));
    let ended = if is_silent { last_sign } else { Ts::from(now) };
    let mut end = figures(repo, session, how, &ended, commits.as_deref());
    let start = || start_commit(repo, session);
    // HEAD may be an unborn branch by now, or moved on.
    let commit = if is_silent {
        commits.and_then(|commits| commits.first().copied()).or_else(start).or(tip)
    } else {
        tip.or_else(start)
    };
    let mut details = None;
    if let Some(head) = head.filter(|_| !is_silent) {
        let at = |tip| repo.head_details(tip, head.branch.as_deref());
        details = head.commit.map(at).transpose()?;
        end.branch = head.branch;
        end.wrote = has_written(repo, session)?;
    }
    if let Some(commit) = commit {
        append(repo, session, now, commit, details.map(|(head, _)| head), &end)?;
    }
    forget(repo, worktree, session)?;
    let sid = session.sid.clone();
    Ok(commit.map(|_| EndedSession { sid, end }))
}

/// Returns true if a running session made commits, or if files of its worktree were written since it started. The
/// settings of harnesses do not count: the programs write there by themselves.
pub fn has_worked(repo: &Repo, sid: &str) -> Result<bool, Error> {
    let Some(session) = running(repo, sid)? else {
        return Ok(false);
    };
    let head = repo.head()?.commit;
    let commits = commits_since_start(repo, &here(repo), &session, head, Timestamp::MAX);
    Ok(commits.is_some_and(|commits| !commits.is_empty()) || has_written(repo, &session)?)
}

fn has_written(repo: &Repo, session: &RunningSession) -> Result<bool, Error> {
    let folders: Vec<&str> = Harness::value_variants()
        .iter()
        .flat_map(|harness| harness.facts().traces)
        .copied()
        .collect();
    let is_settings = |path: &str| {
        let mut folders = folders.iter().filter(|folder| folder.starts_with('.'));
        folders.any(|folder| path.starts_with(folder))
    };
    repo.was_written(session.started.timestamp(), is_settings)
}

/// The session's own commits that HEAD gained since its start, until `last`, newest first: of the user, with a date since then
/// or made in this worktree, whatever the date. What else it gained was pulled or checked out. `None` if the commit of the
/// start is gone.
fn commits_since_start(
    repo: &Repo,
    worktree: &str,
    session: &RunningSession,
    tip: Option<Oid>,
    last: Timestamp,
) -> Option<Vec<Oid>> {
    let start = match &session.head {
        None => None,
        Some(_) => Some(start_commit(repo, session)?),
    };
    let identity = repo.identity();
    let is_own = |commit| {
        identity.as_ref().is_none_or(|me| repo.is_by(commit, &me.email).unwrap_or_default())
    };
    let moves = head_moves(repo, worktree).unwrap_or_default();
    // A session of an older state, or whose reflog was cut off, made all that it gained.
    let new = session.moves.and_then(|moved| moves.get(moved..));
    let is_made =
        |commit| new.is_none_or(|moves| moves.iter().any(|step| step.made() == Some(commit)));
    let since = session.started.timestamp().as_second();
    let gained = repo.gained(start, tip?).ok()?.into_iter();
    let own = gained.filter(|&(commit, time)| {
        time <= last && (since <= time.as_second() || is_made(commit)) && is_own(commit)
    });
    Some(own.map(|(commit, _)| commit).collect())
}

/// `None` if HEAD was unborn at the start, or that commit is gone.
fn start_commit(repo: &Repo, session: &RunningSession) -> Option<Oid> {
    let commit = session.head.as_deref()?.parse().ok()?;
    repo.commit_time(commit).is_ok().then_some(commit)
}

/// The known figures of a session, with its branch at the start. `commits` are those that HEAD gained, newest first.
fn figures(
    repo: &Repo,
    session: &RunningSession,
    how: SessionHow,
    ended: &Ts,
    commits: Option<&[Oid]>,
) -> SessionEnd {
    let newest = commits.and_then(<[Oid]>::first);
    let subject = newest.and_then(|newest| repo.subject(*newest).ok());
    // A secret in a subject must not keep the session from ending.
    let is_clean = |text: &String| find_secret(text, &[]).is_none();
    let subject = subject.filter(is_clean);
    let (ended, started) = (ended.timestamp(), session.started.timestamp());
    let length = ended.duration_since(started);
    let (transcript, peak_context) = transcript::receipt(session).unzip();
    SessionEnd {
        event: SessionEvent::End,
        how,
        started: session.started,
        seconds: u32::try_from(length.as_millis().div_euclid(1000)).ok(),
        branch: session.branch.clone().filter(is_clean),
        commits: commits.map(<[Oid]>::len),
        last_subject: subject.map(|subject| clip(&one_line(&subject), limits::ITEM)),
        transcript,
        beats: session.hook.is_some().then_some(session.beats),
        peak_context: peak_context.flatten(),
        wrote: false,
        refused: Some(session.refused).filter(|refused| *refused > 0),
    }
}

fn append(
    repo: &Repo,
    session: &RunningSession,
    now: Timestamp,
    commit: Oid,
    head: Option<Head<'static>>,
    end: &SessionEnd,
) -> Result<(), Error> {
    let author = Author { now, agent: None, programs: Vec::new() };
    let mut envelope = Envelope {
        head,
        // The session may be another worktree's.
        agent: session.agent.clone(),
        ..envelope(repo, &author, &session.sid, commit)?
    };
    withhold(repo, &mut envelope)?;
    let mut end = end.clone();
    if let Some(branch) = &end.branch
        && is_private(repo, branch)?
    {
        end.branch = None;
    }
    let entry = Event::new(envelope, Body::Session(end));
    let draft = Draft::of(entry, &[]).map_err(|error| {
        let advice = match error {
            Undraftable::TooLong(_) => "shorten SQ_AGENT, SQ_MODEL or SQ_HARNESS",
            Undraftable::Secret(_) => "name the session and the agent otherwise",
        };
        Error::refused(error.to_string(), format!("nothing was written; {advice}"))
    })?;
    let message = "Notes added by 'git sq session'";
    store::append_new(repo, None, &[(commit, draft)], &[], message)?;
    Ok(())
}

/// Removes an ended session, unless another one has started in its worktree.
fn forget(repo: &Repo, worktree: &str, ended: &RunningSession) -> Result<(), Error> {
    LocalState::update(repo, |state| {
        transcript::remember(state, ended);
        state.sessions.retain(|name, session| {
            name != worktree || session.sid != ended.sid || session.started != ended.started
        });
    })?;
    Ok(())
}
