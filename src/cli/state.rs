//! `git sq state`: where a session stopped, for the next one to begin with.

mod set;

use std::num::NonZeroUsize;

use clap::{Args, Subcommand};

use super::{
    CommandResult, Context, Failure, Format,
    log::note_unknown,
    view::{event_log, no_commit},
};
use crate::{
    entry::{Alert, Citation, SessionEnd, State, StateCite},
    git::{Fate, Oid, Repo},
    report::{
        AlertRow, CiteFate, CiteReport, StateAlerts, StateReport, States, alerts_text, json,
        states_text,
    },
    session::{Event, EventLog, StateRow, last_rows, rows},
    store::{Log, LogTips, unasked},
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
        let Ground { repo, tip, tips } = Ground::open(context)?;
        let events = event_log(context, &repo, &tips)?;
        let agent = self.agent.as_deref().or(context.agent_name());
        let mut entries = Entries::new(&events, Some((&repo, &tips)));
        let rows = last_states(&repo, tip, &events, &mut entries, agent, self.last)?;
        let mut unknown = never_fetched(&repo, &tips, rows.is_empty());
        let unreadable = all_rows(&events).1;
        if unreadable > 0 {
            let number = crate::report::entries(unreadable);
            unknown.push(format!(
                "what {number} about sessions say: this version can't read it"
            ));
        }
        let states = States { rows };
        context.print(&match self.format {
            Format::Json => json("sq.state/v1", &states),
            Format::Text => states_text(&states, agent, context.now, context.style(Some(&repo))),
        });
        Ok(note_unknown(context, &unknown))
    }
}

impl AlertsArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let Ground { repo, tips, .. } = Ground::open(context)?;
        let (mut alerts, _) = event_log(context, &repo, &tips)?.events::<Alert>("alert");
        let agent = self.agent.as_deref();
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
        let unknown = never_fetched(&repo, &tips, alerts.alerts.is_empty());
        context.print(&match self.format {
            Format::Json => json("sq.state.alerts/v1", &alerts),
            Format::Text => alerts_text(&alerts, context.now, context.style(Some(&repo))),
        });
        Ok(note_unknown(context, &unknown))
    }
}

/// What `state` works on; it needs no question store.
struct Ground {
    repo: Repo,
    tip: Oid,
    tips: LogTips,
}

impl Ground {
    fn open(context: &Context) -> Result<Self, Failure> {
        let repo = context.open()?;
        let tip = repo.head()?.commit.ok_or_else(no_commit)?;
        let tips = LogTips::read(&repo)?;
        Ok(Self { repo, tip, tips })
    }
}

/// Remotes that may have rows and were never asked.
fn never_fetched(repo: &Repo, tips: &LogTips, is_empty: bool) -> Vec<String> {
    let remotes = unasked(repo, tips).into_iter();
    remotes
        .filter(|remote| remote.shares_log || is_empty)
        .map(|remote| Unknown::NeverFetched(remote.name).to_string())
        .collect()
}

/// The rows of all sessions, the newest first, and how many entries can't be read.
fn all_rows(events: &EventLog) -> (Vec<StateRow>, usize) {
    let (states, odd) = events.events::<State>("state");
    let (ends, also_odd) = events.events::<SessionEnd>("session");
    (rows(&states, &ends), odd + also_odd)
}

/// The last rows of an agent, of anybody where none is named, each citation looked up at `tip`.
///
/// # Errors
/// When the log can't be read.
pub fn last_states(
    repo: &Repo,
    tip: Oid,
    events: &EventLog,
    entries: &mut Entries,
    agent: Option<&str>,
    last: NonZeroUsize,
) -> Result<Vec<StateReport>, Failure> {
    let contained = |commits: &[Oid]| repo.contained(tip, commits);
    let rows = last_rows(all_rows(events).0, agent, last.get(), contained);
    rows.into_iter()
        .map(|(row, here)| report(repo, tip, entries, row, here))
        .collect()
}

fn report(
    repo: &Repo,
    tip: Oid,
    entries: &mut Entries,
    row: StateRow,
    here: bool,
) -> Result<StateReport, Failure> {
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
        let (fate, line) = match &cite {
            Citation::Lines { path, lines, blob } => lines_fate(repo, tip, path, *lines, blob),
            Citation::Entry { entry } => (entries.fate(entry)?, None),
        };
        Ok(CiteReport {
            item,
            cite: cite.to_string(),
            fate,
            line,
        })
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

fn lines_fate(
    repo: &Repo,
    tip: Oid,
    path: &str,
    lines: [u32; 2],
    blob: &str,
) -> (CiteFate, Option<u32>) {
    let Ok(blob) = blob.parse() else {
        return (CiteFate::Unknown, None);
    };
    // A line of the log says what it likes; what git can't follow is not known.
    match repo.fate_of_lines(tip, path, lines, blob) {
        Ok(Fate::Holds(line)) => (CiteFate::Holds, Some(line)),
        Ok(Fate::Changed) => (CiteFate::Changed, None),
        Ok(Fate::Gone) => (CiteFate::Gone, None),
        Ok(Fate::Unknown) | Err(_) => (CiteFate::Unknown, None),
    }
}

/// Looks entries up by their ids.
pub struct Entries<'a> {
    events: &'a EventLog,
    /// Where to read the whole log, if that may be done.
    log: Option<(&'a Repo, &'a LogTips)>,
    read: Option<Log>,
}

impl<'a> Entries<'a> {
    /// Looks among `events`, then in the whole log where `log` says how to read it.
    pub fn new(events: &'a EventLog, log: Option<(&'a Repo, &'a LogTips)>) -> Self {
        Self {
            events,
            log,
            read: None,
        }
    }

    fn fate(&mut self, id: &str) -> Result<CiteFate, Failure> {
        if self.events.has(id) {
            return Ok(CiteFate::Holds);
        }
        let Some((repo, tips)) = self.log else {
            return Ok(CiteFate::Unknown);
        };
        let log = match self.read.take() {
            Some(log) => log,
            None => Log::read(repo, tips)?,
        };
        let log = self.read.insert(log);
        Ok(if has_entry(log, id) {
            CiteFate::Holds
        } else if log.missing.is_empty() {
            CiteFate::Gone
        } else {
            CiteFate::Unknown
        })
    }
}

fn has_entry(log: &Log, id: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Key {
        #[serde(default)]
        id: Option<String>,
    }
    let texts = log.annotations.iter().map(|one| &one.text);
    texts
        .flat_map(|text| text.split(|&byte| byte == b'\n'))
        .filter(|line| line.windows(id.len()).any(|part| part == id.as_bytes()))
        .filter_map(|line| serde_json::from_slice::<Key>(line).ok())
        .any(|key| key.id.as_deref() == Some(id))
}
