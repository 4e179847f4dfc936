use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, complete, writing::author};
use crate::{
    entry::{may_abbreviate, new_sid},
    git::Repo,
    session::{self, Ended},
    store::share::publish_later,
    view::{changed_facts_text, not_running_text, session_ended_text, session_started_text},
};

commands! {
    /// Start and end sessions
    ///
    /// Each worktree has one current session, to which `record`, `state set` and `tension` write; the first entry
    /// starts it if `session start` did not. When it ends, an entry records its length and its commits. A session that
    /// was silent for longer than `sq.grace`, two hours by default, has ended.
    pub SessionCommand:
    Start(StartArgs),
    Current(CurrentArgs),
    End(EndArgs),
    Sweep(SweepArgs),
}

/// Start a session, or resume the one with that name
///
/// Ends the session that is current in this worktree, and those of other worktrees that were silent for longer than
/// `sq.grace`.
#[derive(Args)]
pub struct StartArgs {
    /// Its name; defaults to `SQ_SESSION`, the agent's own variable, or a new name
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// Print the name of the current session; exits with 1 if there is none
#[derive(Args)]
pub struct CurrentArgs {
    /// Only if it is this one; defaults to `SQ_SESSION`, the agent's own variable, or any
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// End the session, and record its length, branch and commits
///
/// Says which facts changed since its start. Does nothing if the session is not running in this worktree.
#[derive(Args)]
pub struct EndArgs {
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, or the current session
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
}

/// End the sessions that have been silent for longer than `sq.grace`, in all worktrees; for cron
#[derive(Args)]
pub struct SweepArgs {}

impl SweepArgs {
    #[expect(clippy::unused_self, reason = "commands run alike")]
    fn run(&self, context: &Context) -> CommandResult {
        let repo = &context.open()?;
        let swept = session::sweep(repo, context.now)?;
        publish_later(repo);
        let style = context.style(Some(repo));
        let texts: String = swept.iter().map(|ended| session_ended_text(ended, style)).collect();
        context.say(&texts)
    }
}

impl StartArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = &context.open()?;
        let sid = named(self.sid.as_deref(), context, repo)?.unwrap_or_else(new_sid);
        let started = session::start(repo, &sid, &author(context)?)?;
        context.say(&session_started_text(&started, context.now, context.style(Some(repo))))
    }
}

impl CurrentArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = &context.open()?;
        let named = named(self.sid.as_deref(), context, repo)?;
        let current = session::current(repo)?;
        let meant = current.filter(|current| named.is_none_or(|sid| sid == current.sid));
        let Some(session) = meant else {
            return Ok(Outcome::Findings);
        };
        context.show(repo, &session, self.print.format)
    }
}

impl EndArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let repo = &context.open()?;
        let named = named(self.sid.as_deref(), context, repo)?;
        let named = named.as_deref();
        let style = context.style(Some(repo));
        let start = session::current(repo)?.and_then(|session| session.head?.parse().ok());
        let text = match session::end(repo, named, context.now)? {
            Ended::Now(ended) => {
                let facts =
                    start.and_then(|start| context.project(None).ok()?.changed_facts(start).ok());
                session_ended_text(&ended, style) + &changed_facts_text(&facts.unwrap_or_default())
            }
            Ended::WithoutCommit => {
                "Ended; no entry was written, because HEAD has no commit yet.\n".into()
            }
            Ended::NotRunning => not_running_text(named, style),
        };
        publish_later(repo);
        context.say(&text)
    }
}

/// The session that an option names, perhaps abbreviated, else the environment's.
fn named(given: Option<&str>, context: &Context, repo: &Repo) -> Result<Option<String>, Failure> {
    let named = context.named(repo, given)?;
    let is_short = given.is_some_and(may_abbreviate);
    let log = is_short.then(|| context.project(None).ok()?.events().ok()).flatten();
    Ok(named.name().map(|name| session::whole_name(repo, name, log.as_deref())).transpose()?)
}
