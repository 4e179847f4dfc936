//! `git sq state`: where a session stopped, for the next one to begin with.

mod set;

use std::num::NonZeroUsize;

use clap::{Args, Subcommand};

use super::{CommandResult, Context, Failure, Format, at::At, log::note_unknown, why_no_name};
use crate::{
    entry::{Alert, SessionEnd, State, StateCite},
    evidence::Cites,
    git::{Oid, Repo},
    report::{
        AlertRow, StateAlerts, StateCited, StateReport, States, alerts_text, json, states_text,
    },
    session::{Event, EventLog, StateRow, last_rows, rows},
    timeline::Unknown,
};
use set::SetArgs;
pub use set::StateInput;

/// How many rows are shown.
pub const SHOWN: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// Say where this session stopped, and see where the last ones did
#[derive(Args)]
pub struct StateArgs {
    #[command(subcommand)]
    command: StateCommand,
}

#[derive(Subcommand)]
enum StateCommand {
    Set(SetArgs),
    Show(ShowArgs),
    Alerts(AlertsArgs),
}

/// Show where the last sessions of an agent stopped
///
/// Rows that the agent wrote, never those that were only swept up. Rows on commits that HEAD contains come first; each
/// citation is looked up at HEAD.
#[derive(Args)]
struct ShowArgs {
    /// The agent; otherwise `SQ_AGENT`, otherwise anybody
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show at most N rows
    #[arg(long, value_name = "N", default_value_t = SHOWN)]
    last: NonZeroUsize,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// List what was cut from states that were too long
#[derive(Args)]
struct AlertsArgs {
    /// Only this agent's; otherwise everybody's
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl StateArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.command {
            StateCommand::Set(args) => args.run(context),
            StateCommand::Show(args) => args.run(context),
            StateCommand::Alerts(args) => args.run(context),
        }
    }
}

impl ShowArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let at = At::open(context)?;
        let events = at.events(context)?;
        let agent = match self.agent.as_deref() {
            None => context.agent_name()?,
            Some(given) => {
                is_name(given, "")?;
                Some(given)
            }
        };
        let mut cites = at.cites(&events);
        let rows = last_states(&at.repo, at.tip, &events, &mut cites, agent, self.last)?;
        let unknown = unknown(&at, &events, !rows.is_empty());
        let states = States { rows };
        context.print(&match self.format {
            Format::Json => json("sq.state/v1", &states),
            Format::Text => states_text(&states, agent, context.now, context.style(Some(&at.repo))),
        });
        Ok(note_unknown(context, &unknown))
    }
}

impl AlertsArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let at = At::open(context)?;
        let events = at.events(context)?;
        let (mut alerts, _) = events.events::<Alert>("alert");
        let agent = self.agent.as_deref();
        if let Some(name) = agent {
            is_name(name, "")?;
        }
        alerts.retain(|alert| agent.is_none_or(|name| alert.source.agent.as_deref() == Some(name)));
        alerts.reverse();
        alerts.sort_by(|one, two| one.source.agent.cmp(&two.source.agent));
        let row = |event: Event<Alert>| AlertRow {
            agent: event.source.agent,
            sid: event.source.sid,
            ts: event.ts.to_string(),
            alert: event.body,
        };
        let alerts = StateAlerts {
            alerts: alerts.into_iter().map(row).collect(),
        };
        let unknown = unknown(&at, &events, !alerts.alerts.is_empty());
        context.print(&match self.format {
            Format::Json => json("sq.state.alerts/v1", &alerts),
            Format::Text => alerts_text(&alerts, context.now, context.style(Some(&at.repo))),
        });
        Ok(note_unknown(context, &unknown))
    }
}

/// Why there may be more than was found.
fn unknown(at: &At, events: &EventLog, is_found: bool) -> Vec<String> {
    let mut unknown = at.never_fetched(is_found);
    let unreadable = Some(events.unreadable()).filter(|&number| number > 0);
    unknown.extend(unreadable.map(|number| Unknown::Events(number).to_string()));
    unknown
}

/// Refuses what `--agent` gives where it is no name; `done` says what was not done.
fn is_name(given: &str, done: &str) -> Result<(), Failure> {
    match why_no_name(given) {
        None => Ok(()),
        Some(why) => Err(Failure::refused(
            format!("--agent {why}"),
            format!("{done}a name is 1 to 128 characters, and may have blanks"),
        )),
    }
}

/// The rows of all sessions, the newest first.
fn all_rows(events: &EventLog) -> Vec<StateRow> {
    let (states, _) = events.events::<State>("state");
    let (ends, _) = events.events::<SessionEnd>("session");
    rows(&states, &ends)
}

/// The last rows of an agent, of anybody where none is named, each citation looked up at `tip`.
///
/// # Errors
/// When the log can't be read.
pub fn last_states(
    repo: &Repo,
    tip: Oid,
    events: &EventLog,
    cites: &mut Cites,
    agent: Option<&str>,
    last: NonZeroUsize,
) -> Result<Vec<StateReport>, Failure> {
    let contained = |commits: &[Oid]| repo.contained(tip, commits);
    let rows = last_rows(all_rows(events), agent, last.get(), contained);
    rows.into_iter()
        .map(|(row, here)| report(cites, row, here))
        .collect()
}

fn report(looked: &mut Cites, row: StateRow, here: bool) -> Result<StateReport, Failure> {
    let State {
        status,
        handover,
        done,
        doing,
        blocked,
        next,
        cites,
    } = row.state;
    let cites = cites.into_iter().map(|StateCite { item, cite }| {
        let cited = looked.look_up(&cite)?;
        Ok(StateCited { item, cited })
    });
    Ok(StateReport {
        cites: cites.collect::<Result<_, Failure>>()?,
        sid: row.sid,
        agent: row.agent,
        source: row.source,
        branch: row.branch,
        ts: row.ts.to_string(),
        status,
        handover,
        done,
        doing,
        blocked,
        next,
        writer: row.writer,
        id: row.id,
        head: row.head,
        here,
        session: row.end,
    })
}
