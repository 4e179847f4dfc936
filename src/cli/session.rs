//! `git sq session`: begins, beats and ends this worktree's session.

mod ending;
mod sweep;
mod work;

use clap::{Args, Subcommand};

use super::{
    CommandResult, Context, Failure, Format, Outcome,
    current::sessions_here,
    envelope::{named_session, new_session},
};
use crate::{
    entry::{Share, Ts},
    git::Repo,
    report::{CurrentSession, beat_after_end_text, escape, json, session_started_text},
    session::{Beat, Ended, SaidBySession, Start, Started},
    store::{Log, LogTips, WritersLock, clone_id, make_sessions_dir, sessions_dir},
};
use ending::EndArgs;
use sweep::{SweepArgs, sweep_before_start};

/// Begin a session in this worktree, end it, and sweep up those that fell silent
///
/// A worktree has one current session, kept in the git folder: what `record`, `state set` and the like write belongs to
/// it. When it ends, an entry says how long it was, what it committed and what its harness reported; nothing else.
#[derive(Args)]
pub struct SessionArgs {
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Subcommand)]
enum SessionCommand {
    Start(StartArgs),
    Current(CurrentArgs),
    Beat(BeatArgs),
    End(EndArgs),
    Sweep(SweepArgs),
}

/// Begin a session, or go on with the one of that name
///
/// Sessions that have been silent for longer than the grace time are swept up first. One that has not is left alone: it
/// is not the current one any more, and is swept up later unless it ends or goes on.
#[derive(Args)]
struct StartArgs {
    /// Its name; otherwise `SQ_SESSION`, otherwise one is made
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// Print the name of the current session; exits 1 where there is none
#[derive(Args)]
struct CurrentArgs {
    /// Look for this one; otherwise `SQ_SESSION`, otherwise the one that was started last
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Say that the session is alive, and how full its context is
///
/// One that is named, and was swept up though it is alive, goes on with that; it is the current session only while the
/// worktree has no other. Of one that ended it says so and counts nothing.
#[derive(Args)]
struct BeatArgs {
    /// The share of the context that is used, 0 to 1
    #[arg(long, value_name = "SHARE")]
    context: Option<f64>,
    /// The session; otherwise `SQ_SESSION`, otherwise the current one
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

impl SessionArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.command {
            SessionCommand::Start(args) => args.run(context),
            SessionCommand::Current(args) => args.run(context),
            SessionCommand::Beat(args) => args.run(context),
            SessionCommand::End(args) => args.run(context),
            SessionCommand::Sweep(args) => args.run(context),
        }
    }
}

impl StartArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let sid = named_session(self.sid.as_deref(), context)?;
        let sid = sid.unwrap_or_else(|| new_session(context));
        sweep_before_start(context, &repo, &sid)?;
        sessions_here(context, &repo)?;
        let start = start(context, &repo, sid)?;
        let folder = make_sessions_dir(&repo)?;
        let turn = Started::turn(&folder)?;
        let (session, goes_on) = Started::begin(&folder, &start)?;
        drop(turn);
        let style = context.style(Some(&repo));
        let session = document(&session);
        context.print(&session_started_text(&session, goes_on, context.now, style));
        Ok(Outcome::Clean)
    }
}

impl CurrentArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let Some(session) = find(&repo, self.sid.as_deref(), context)? else {
            return Ok(Outcome::Findings);
        };
        context.print(&match self.format {
            Format::Json => json("sq.session.current/v1", document(&session)),
            Format::Text => format!("{}\n", escape(session.sid())),
        });
        Ok(Outcome::Clean)
    }
}

impl BeatArgs {
    fn run(&self, context: &Context) -> CommandResult {
        if let Some(share) = self
            .context
            .filter(|&share| Share::try_from(share).is_err())
        {
            return Err(Failure::refused(
                format!("{share} is not the share of a context"),
                "nothing was counted; give a number from 0 to 1, as in --context 0.42",
            ));
        }
        let repo = context.open()?;
        let beat = Beat {
            beat: Ts::from(context.now),
            context: self.context,
        };
        // An end waits for this, and then counts it.
        let turn = turn_if_any(&repo)?;
        if let Some(session) = find(&repo, self.sid.as_deref(), context)? {
            session.beat(beat)?;
            return Ok(Outcome::Clean);
        }
        drop(turn);
        let named = named_session(self.sid.as_deref(), context)?;
        let last = named
            .as_deref()
            .map(|sid| last_end(&repo, sid))
            .transpose()?;
        match (named, last.flatten()) {
            // It is alive after all.
            (Some(sid), Some(end)) if end.is_swept => {
                let start = start(context, &repo, sid)?;
                let folder = make_sessions_dir(&repo)?;
                let _turn = Started::turn(&folder)?;
                Started::come_back(&folder, &start)?.beat(beat)?;
                Ok(Outcome::Clean)
            }
            (Some(sid), Some(_)) => {
                context.note(&beat_after_end_text(&sid, context.style(Some(&repo))));
                Ok(Outcome::Clean)
            }
            _ => Err(nothing_started(self.sid.as_deref(), context)),
        }
    }
}

/// How a session of this name begins now.
fn start(context: &Context, repo: &Repo, sid: String) -> Result<Start, Failure> {
    let head = repo.head()?;
    Ok(Start {
        sid,
        writer: clone_id(repo)?,
        agent: context.agent()?,
        branch: head.branch,
        head: head.commit.map(|commit| commit.to_string()),
        started: Ts::from(context.now),
    })
}

/// The turn to change a worktree's sessions; None where it has none, so that nothing is made there.
fn turn_if_any(repo: &Repo) -> Result<Option<WritersLock>, Failure> {
    match sessions_dir(repo) {
        Some(folder) if !Started::all(&folder)?.sessions.is_empty() => {
            Ok(Some(Started::turn(&folder)?))
        }
        _ => Ok(None),
    }
}

/// The session that is given, else the environment's, else the current one; None where it was not started here.
fn find(repo: &Repo, given: Option<&str>, context: &Context) -> Result<Option<Started>, Failure> {
    let named = named_session(given, context)?;
    let mut sessions = sessions_here(context, repo)?;
    Ok(match named {
        Some(sid) => sessions.into_iter().find(|session| session.sid() == sid),
        None => sessions.pop(),
    })
}

/// How this clone's session of that name ended last, as the log has it.
fn last_end(repo: &Repo, sid: &str) -> Result<Option<Ended>, Failure> {
    let log = Log::read(repo, &LogTips::read(repo)?)?;
    let entries = SaidBySession::of(&log);
    Ok(entries.last_end(sid, &clone_id(repo)?).cloned())
}

fn nothing_started(given: Option<&str>, context: &Context) -> Failure {
    let what = match given.or(context.session.as_deref()) {
        Some(sid) => format!("the session {sid} was not started in this worktree, or has ended"),
        None => "no session was started in this worktree, or it has ended".into(),
    };
    Failure::refused(what, "`git sq session start` starts one")
}

fn document(session: &Started) -> CurrentSession {
    let start = &session.start;
    CurrentSession {
        sid: start.sid.clone(),
        writer: start.writer.clone(),
        agent: start.agent.as_ref().and_then(|agent| agent.name.clone()),
        branch: start.branch.clone(),
        head: start.head.clone(),
        started: start.started.to_string(),
        beats: session.beats,
        peak_context: session.peak_context,
        last_beat: session.last_beat.as_ref().map(Ts::to_string),
    }
}
