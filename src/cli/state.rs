mod set;

use std::num::NonZeroUsize;

use clap::Args;

use super::{CommandResult, Context, Failure, PrintArgs};
use crate::{
    evidence::Cites,
    project::{Project, STATES_SHOWN, last_states},
    session::{self, why_no_name},
    store::{Events, Reading},
    timeline::Unknown,
    view::States,
};
use set::SetArgs;

/// Record where this session stopped, or show where others did
///
/// Without a command, shows the last states.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct StateArgs {
    #[command(subcommand)]
    command: Option<StateCommand>,
    #[command(flatten)]
    show: ShowArgs,
}

commands! { StateCommand:
    Set(Box<SetArgs>),
    Show(ShowArgs),
}

/// Show where the last sessions of an agent stopped
///
/// States on commits that HEAD contains come first; each citation is checked against HEAD.
#[derive(Args)]
struct ShowArgs {
    /// The agent; defaults to `SQ_AGENT`, or any agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show at most N states
    #[arg(long, value_name = "N", default_value_t = STATES_SHOWN)]
    last: NonZeroUsize,
    #[command(flatten)]
    print: PrintArgs,
}

impl StateArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.command {
            None => self.show.run(context),
            Some(command) => command.run(context),
        }
    }
}

impl ShowArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let events = project.events()?;
        let agent = match &self.agent {
            None => context.agent()?.and_then(|agent| agent.name),
            Some(given) => {
                check_agent(given, "")?;
                Some(given.clone())
            }
        };
        let cites = Cites::new(&project.repo, project.tip, |id| events.has_id(id));
        let whose = (agent.as_deref(), context.now);
        let rows = last_states(&project, &events, &cites, whose, self.last);
        let unknown = unknown(&project, &events)?;
        let states = States { rows, agent, now: context.now };
        context.show(&project.repo, &states, self.print.format)?;
        Ok(context.note_unknown(&unknown))
    }
}

fn unknown(project: &Project, events: &Events) -> Result<Vec<String>, Failure> {
    let mut unknown = project.never_fetched()?;
    let unreadable = session::distinct(events, |row| row.reading != Reading::Read);
    unknown.extend((unreadable > 0).then(|| Unknown::Events(unreadable).to_string()));
    Ok(unknown)
}

/// Refuses an invalid value of `--agent`; the hint begins with `done`.
fn check_agent(given: &str, done: &str) -> Result<(), Failure> {
    match why_no_name(given) {
        None => Ok(()),
        Some(why) => Err(Failure::refused(
            format!("--agent {why}"),
            format!("{done}a name has 1 to 128 characters and may contain spaces"),
        )),
    }
}
