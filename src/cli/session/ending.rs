//! `git sq session end`: the entry that says what the tool knows of a session.

use clap::Args;
use jiff::SignedDuration;

use super::{
    find, last_end, nothing_started, turn_if_any,
    work::{Gained, start_commit},
};
use crate::{
    cli::{
        CommandResult, Context, Failure, Outcome,
        envelope::{envelope, head, line, named_session},
    },
    entry::{Body, Envelope, SessionEnd, SessionEvent, SessionHow, Share, Ts},
    git::{Oid, Repo},
    report::{session_ended_before_text, session_ended_text},
    session::Started,
    store::append,
};

/// End the session: adds how long it was, its branch, its commits, its beats and its greatest context
///
/// Of one that is named and ended before, or was swept up, it says so and adds nothing.
#[derive(Args)]
pub struct EndArgs {
    /// The session; otherwise `SQ_SESSION`, otherwise the current one
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

impl EndArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let _turn = turn_if_any(&repo)?;
        let Some(session) = find(&repo, self.sid.as_deref(), context)? else {
            return self.ended_before(context, &repo);
        };
        let at = repo.head()?;
        // On a branch that has no commit yet, its start is what is left.
        let Some(commit) = at.commit.or_else(|| start_commit(&repo, &session)) else {
            session.remove()?;
            context.print("Ended; nothing was written, because HEAD has no commit yet.\n");
            return Ok(Outcome::Clean);
        };
        let gained = at.commit.map(|tip| Gained::by(&repo, &session, tip));
        let end = SessionEnd {
            event: SessionEvent::End,
            how: SessionHow::End,
            seconds: seconds(&session.start.started, &Ts::from(context.now)),
            branch: at.branch.clone(),
            commits: gained.and_then(|gained| gained.count()),
            last_subject: None,
            ..figures(&session)
        };
        let mut envelope = of_session(context, &repo, &session, commit)?;
        if at.commit.is_some() {
            let details = repo.head_details(commit, at.branch.as_deref())?;
            envelope.head = Some(head(details));
        }
        land(&repo, commit, envelope, end.clone())?;
        session.remove()?;
        let style = context.style(Some(&repo));
        context.print(&session_ended_text(session.sid(), &end, style));
        Ok(Outcome::Clean)
    }

    /// Where no such session is left: that is no trouble for one that was swept up, or ended twice.
    fn ended_before(&self, context: &Context, repo: &Repo) -> CommandResult {
        match named_session(self.sid.as_deref(), context)? {
            Some(sid) if last_end(repo, &sid)?.is_some() => {
                let style = context.style(Some(repo));
                context.print(&session_ended_before_text(&sid, style));
                Ok(Outcome::Clean)
            }
            _ => Err(nothing_started(self.sid.as_deref(), context)),
        }
    }
}

/// What its file says.
pub(super) fn figures(session: &Started) -> SessionEnd {
    SessionEnd {
        event: SessionEvent::End,
        how: SessionHow::End,
        started: session.start.started.clone(),
        seconds: None,
        branch: None,
        commits: None,
        last_subject: None,
        beats: session.beats,
        peak_context: session
            .peak_context
            .and_then(|share| Share::try_from(share).ok()),
    }
}

/// An end may have taken its time before the start did that it waited for.
const AT_ONCE: SignedDuration = SignedDuration::from_mins(1);

/// How long it was; None where the clock went back.
pub(super) fn seconds(from: &Ts, to: &Ts) -> Option<u32> {
    let length = to.timestamp().duration_since(from.timestamp());
    if length.is_negative() && length.abs() < AT_ONCE {
        return Some(0);
    }
    u32::try_from(length.as_secs())
        .ok()
        .filter(|_| !length.is_negative())
}

/// The envelope of an end.
///
/// # Errors
/// When this clone's id can't be read.
pub(super) fn of_session(
    context: &Context,
    repo: &Repo,
    session: &Started,
    commit: Oid,
) -> Result<Envelope<'static>, Failure> {
    Ok(Envelope {
        agent: session.start.agent.clone(),
        writer: Some(session.start.writer.clone().into()),
        ..envelope(context, repo, session.sid(), commit)?
    })
}

/// Adds the entry to the log.
///
/// # Errors
/// When it is too long, or can't be added.
pub(super) fn land(
    repo: &Repo,
    commit: Oid,
    envelope: Envelope,
    end: SessionEnd,
) -> Result<(), Failure> {
    let line = line(
        envelope,
        Body::Session(end),
        "shorten SQ_AGENT and its like",
    )?;
    append(repo, &[(commit, line)], "Notes added by 'git sq session'")?;
    Ok(())
}
