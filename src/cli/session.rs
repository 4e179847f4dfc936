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

/// Begin a session in this worktree, end it, and sweep up those that fell silent
///
/// A worktree has one current session, kept in the git folder: what `record`, `state set` and the like write belongs to
/// it, and the first of them begins it. When it ends, or has been silent for too long, an entry says how long it was,
/// what it committed and what its harness reported; nothing else.
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
/// Another session that is current in this worktree is swept up first, and so are those of other worktrees that have
/// been silent for longer than the grace time.
#[derive(Args)]
struct StartArgs {
    /// Its name; otherwise `SQ_SESSION`, the agent's own variable, or one is made
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Print the name of the current session; exits 1 where there is none
#[derive(Args)]
struct CurrentArgs {
    /// Only if it is this one; otherwise `SQ_SESSION`, the agent's own variable, or any
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Say that the session is alive, and how full its context is
///
/// Of a session that is not running here it says so, and counts nothing.
#[derive(Args)]
struct BeatArgs {
    /// The share of the context that is used, 0 to 1
    #[arg(long, value_name = "SHARE")]
    context: Option<f64>,
    /// The session; otherwise `SQ_SESSION`, the agent's own variable, the current one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// End the session: adds how long it was, its branch, its commits, its beats and its greatest context
///
/// It need not have been started: its first entry began it. Of a session that is not running here it says so, and adds
/// nothing.
#[derive(Args)]
struct EndArgs {
    /// The session; otherwise `SQ_SESSION`, the agent's own variable, the current one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// Give sessions of this clone that fell silent without an end a row from git and beats alone
///
/// Looks into every worktree; so does every command that writes an entry. Silent means longer than the grace time, two
/// hours unless `sq.grace` says otherwise, without a sign of life: a start, a beat, or an entry that a command wrote. The row's time ends with the last of them,
/// and commits that were made later than the grace time after it are not counted.
#[derive(Args)]
struct SweepArgs {
    /// Also those that have not been silent for so long: every session that has not ended
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
                    format!("{share} is not the share of a context"),
                    "nothing was counted; give a number from 0 to 1, as in --context 0.42",
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
                "Ended; nothing was written, because HEAD has no commit yet.\n".into()
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
    let named = given.or(context.session.as_deref());
    let whole = named.map(|name| session::whole_name(repo, name, None));
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
