//! `git sq session`: starts, beats and ends this worktree's session, and sweeps up those that fell silent.

use clap::{Args, Subcommand};

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, complete, envelope::author};
use crate::{
    entry::{Share, Ts, new_sid},
    git::Repo,
    report::{CurrentSession, SessionStart, not_running_text, session_ended_text},
    session::{self, Ended},
    store::{RunningSession, clone_id, share::publish_later},
};

/// Start and end sessions, and sweep up those that fell silent
///
/// Each worktree has one current session, to which `record`, `state set` and `tension` write; the first entry starts it
/// if `session start` did not. When it ends, or has been silent for too long, an entry records its length, its commits
/// and what its harness reported.
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

/// Start a session, or resume the one with that name
///
/// Another session that is current in this worktree is swept up first, and so are sessions of other worktrees that have
/// been silent for longer than the grace time.
#[derive(Args)]
struct StartArgs {
    /// Its name; defaults to `SQ_SESSION`, the agent's own variable, or a new name
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Print the name of the current session; exits with 1 if there is none
#[derive(Args)]
struct CurrentArgs {
    /// Only if it is this one; defaults to `SQ_SESSION`, the agent's own variable, or any
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Report that the session is alive, and how full its context is
///
/// If the session is not running in this worktree, says so and does nothing.
#[derive(Args)]
struct BeatArgs {
    /// Share of the context that is used, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    context: Option<f64>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, or the current session
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// End the session, and record its length, branch, commits, beats and peak context
///
/// The session need not have been started explicitly: its first entry did that. If it is not running in this worktree,
/// says so and does nothing.
#[derive(Args)]
struct EndArgs {
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, or the current session
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// End sessions of this clone that fell silent
///
/// Covers all worktrees; so does every command that writes an entry. A session is silent if it gave no sign of life (its
/// start, a beat, or an entry) for longer than the grace time: `sq.grace`, two hours by default. Its length is counted
/// up to the last sign of life, and later commits only within the grace time after that.
#[derive(Args)]
struct SweepArgs {
    /// Sweep up every session that has not ended, however recent
    #[arg(long)]
    all: bool,
}

impl SessionArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        match &self.command {
            SessionCommand::Start(args) => args.run(context, &repo),
            SessionCommand::Current(args) => args.run(context, &repo),
            SessionCommand::Beat(args) => args.run(context, &repo),
            SessionCommand::End(args) => args.run(context, &repo),
            SessionCommand::Sweep(args) => args.run(context, &repo),
        }
    }
}

impl StartArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let named = named(self.sid.as_deref(), context, repo)?;
        let sid = named.unwrap_or_else(new_sid);
        let started = session::start(repo, &sid, &author(context)?)?;
        let style = context.style(Some(repo));
        for error in started.sweep.errors {
            context.note(&Failure::from(error).warning(style));
        }
        let start = SessionStart {
            session: document(repo, started.session)?,
            goes_on: started.goes_on,
            swept: started.sweep.swept,
            now: context.now,
        };
        context.show(repo, &start, self.print.format);
        Ok(Outcome::Clean)
    }
}

impl CurrentArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let named = named(self.sid.as_deref(), context, repo)?;
        let current = session::current(repo)?;
        let is_meant = |current: &RunningSession| named.is_none_or(|sid| sid == current.sid);
        let Some(session) = current.filter(is_meant) else {
            return Ok(Outcome::Findings);
        };
        context.show(repo, &document(repo, session)?, self.print.format);
        Ok(Outcome::Clean)
    }
}

impl BeatArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let share = |share: f64| {
            Share::try_from(share).map_err(|_| {
                Failure::refused(
                    format!("invalid share of the context: {share}"),
                    "nothing was counted; expected a number from 0 to 1, as in --context 0.42",
                )
            })
        };
        let share = self.context.map(share).transpose()?;
        let named = named(self.sid.as_deref(), context, repo)?;
        if !session::beat(repo, named.as_deref(), context.now, share)? {
            let style = context.style(Some(repo));
            context.note(&not_running_text(named.as_deref(), "counted", style));
        }
        Ok(Outcome::Clean)
    }
}

impl EndArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let named = named(self.sid.as_deref(), context, repo)?;
        let named = named.as_deref();
        let style = context.style(Some(repo));
        context.print(&match session::end(repo, named, context.now)? {
            Ended::Now(ended) => session_ended_text(&ended, style),
            Ended::WithoutCommit => {
                "Ended; no entry was written, because HEAD has no commit yet.\n".into()
            }
            Ended::NotRunning => not_running_text(named, "added", style),
        });
        publish_later(repo);
        Ok(Outcome::Clean)
    }
}

impl SweepArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let sweep = session::sweep(repo, context.now, self.all)?;
        let style = context.style(Some(repo));
        for ended in &sweep.swept {
            context.print(&session_ended_text(ended, style));
        }
        if let Some(error) = sweep.errors.into_iter().next() {
            return Err(error.into());
        }
        if sweep.swept.is_empty() {
            context.print("Nothing to sweep up.\n");
        }
        Ok(Outcome::Clean)
    }
}

/// The session that is given, perhaps abbreviated, else the environment's.
fn named(given: Option<&str>, context: &Context, repo: &Repo) -> Result<Option<String>, Failure> {
    let named = context.named(repo, given)?;
    let whole = named
        .name()
        .map(|name| session::whole_name(repo, name, None));
    Ok(whole.transpose()?)
}

fn document(repo: &Repo, session: RunningSession) -> Result<CurrentSession, Failure> {
    Ok(CurrentSession {
        sid: session.sid,
        writer: clone_id(repo)?,
        agent: session.agent.and_then(|agent| agent.name),
        branch: session.branch,
        head: session.head,
        started: session.started.to_string(),
        last_sign: Ts::to_string(&session.last_sign),
        beats: session.beats,
        peak_context: session.peak_context.map(Share::get),
    })
}
