//! `git sq session`: starts, beats and ends this worktree's session, and sweeps up those that fell silent.

use clap::{Args, Subcommand};

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, envelope::author};
use crate::{
    entry::{SessionEnd, Share, Ts},
    git::Repo,
    report::{CurrentSession, session_ended_before_text, session_ended_text, session_started_text},
    session::{self, Beat, Ended},
    store::{RunningSession, clone_id, share::publish_later},
};

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
/// Another session that is current in this worktree is swept up first, and so are those of other worktrees that have
/// been silent for longer than the grace time.
#[derive(Args)]
struct StartArgs {
    /// Its name; otherwise `SQ_SESSION`, otherwise one is made
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// Print the name of the current session; exits 1 where there is none
#[derive(Args)]
struct CurrentArgs {
    /// Only if it is this one; otherwise `SQ_SESSION`, otherwise any
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// Say that the session is alive, and how full its context is
///
/// Of a session that has ended, or was swept up, it says so and counts nothing.
#[derive(Args)]
struct BeatArgs {
    /// The share of the context that is used, 0 to 1
    #[arg(long, value_name = "SHARE")]
    context: Option<f64>,
    /// The session; otherwise `SQ_SESSION`, otherwise the current one
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// End the session: adds how long it was, its branch, its commits, its beats and its greatest context
///
/// Of a session that has ended, or was swept up, it says so and adds nothing.
#[derive(Args)]
struct EndArgs {
    /// The session; otherwise `SQ_SESSION`, otherwise the current one
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// Give sessions of this clone that fell silent without an end a row from git and beats alone
///
/// Looks into every worktree. Silent means longer than the grace time, two hours unless `sq.grace` says otherwise,
/// without a sign of life: a start, a beat, or an entry that a command wrote. The row's time ends with the last of them,
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
        let named = named(self.sid.as_deref(), context)?;
        let sid = named.map_or_else(|| session::new_name(context.now), str::to_owned);
        let started = session::start(repo, &sid, &author(context)?)?;
        let style = context.style(Some(repo));
        print_swept(context, repo, &started.sweep.swept);
        for error in started.sweep.errors {
            context.note(&Failure::from(error).warning(style));
        }
        let session = document(repo, started.session)?;
        context.print(&session_started_text(
            &session,
            started.goes_on,
            context.now,
            style,
        ));
        Ok(Outcome::Clean)
    }
}

impl CurrentArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let named = named(self.sid.as_deref(), context)?;
        let current = session::current(repo)?;
        let Some(session) = current.filter(|current| named.is_none_or(|sid| sid == current.sid))
        else {
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
        let named = named(self.sid.as_deref(), context)?;
        if let Beat::HadEnded(sid) = session::beat(repo, named, context.now, share)? {
            context.note(&session_ended_before_text(
                &sid,
                "counted",
                context.style(Some(repo)),
            ));
        }
        Ok(Outcome::Clean)
    }
}

impl EndArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let named = named(self.sid.as_deref(), context)?;
        let style = context.style(Some(repo));
        context.print(&match session::end(repo, named, context.now)? {
            Ended::Now { sid, end } => session_ended_text(&sid, &end, style),
            Ended::WithoutCommit => {
                "Ended; nothing was written, because HEAD has no commit yet.\n".into()
            }
            Ended::Before(sid) => session_ended_before_text(&sid, "added", style),
        });
        publish_later(repo);
        Ok(Outcome::Clean)
    }
}

impl SweepArgs {
    fn run(&self, context: &Context, repo: &Repo) -> CommandResult {
        let sweep = session::sweep(repo, context.now, self.all)?;
        print_swept(context, repo, &sweep.swept);
        if let Some(error) = sweep.errors.into_iter().next() {
            return Err(error.into());
        }
        if sweep.swept.is_empty() {
            context.print("Nothing to sweep up.\n");
        }
        Ok(Outcome::Clean)
    }
}

/// The session that is given, else the environment's.
fn named<'a>(given: Option<&'a str>, context: &'a Context) -> Result<Option<&'a str>, Failure> {
    let named = given.or(context.session.as_deref());
    named.map(session::check_name).transpose()?;
    Ok(named)
}

fn print_swept(context: &Context, repo: &Repo, swept: &[(String, SessionEnd)]) {
    for (sid, end) in swept {
        let text = session_ended_text(sid, end, context.style(Some(repo)));
        context.print(&text);
    }
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
