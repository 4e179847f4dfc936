//! The commands, one file each: arguments, help text and action.
//!
//! Here: arguments, help texts, exit codes, and the only printing. Not here: reading (`project`), figures (`metrics`), the look
//! of a result (`view`). A new command is a file with `#[derive(Args)]` and `run`, its `mod` line and a line in `commands!` here,
//! a document in `view` if it prints more than a line, a line in `SCHEMAS` if programs read it, a place in `help.rs` if the
//! short help shows it, and a test in `tests/cli` with its `mod` line in `main.rs`; `doctor.rs` is a short example. A new
//! output format of a command is a variant of its own enum, such as `StatsFormat`, an arm in `run`, and a function in `view`.

/// Defines the subcommands of a command, and runs the one that is given.
macro_rules! commands {
    ($(#[$about:meta])* $visibility:vis $command:ident:
     $($(#[$attribute:meta])* $name:ident($args:ty),)*) => {
        $(#[$about])*
        #[derive(clap::Subcommand)]
        $visibility enum $command {
            $($(#[$attribute])* $name($args),)*
        }

        impl $command {
            pub fn run(&self, context: &$crate::cli::Context) -> $crate::cli::CommandResult {
                match self {
                    $(Self::$name(args) => args.run(context),)*
                }
            }
        }
    };
}

mod agent;
mod answers;
mod brief;
mod carry;
mod check;
mod ci;
mod closing;
mod complete;
mod completions;
mod context;
mod demo;
mod doctor;
mod error;
mod export;
mod facts;
mod fleet;
mod gate;
mod given;
mod handed_in;
mod help;
mod hook;
mod import;
mod init;
mod install;
mod kinds;
mod log;
mod man;
mod output;
mod person;
mod probe;
mod progress;
mod question;
mod record;
mod redact;
mod reference;
mod report;
mod schema;
mod session;
mod show;
mod state;
mod stats;
mod status;
mod sync;
mod tension;
mod trace;
mod triage;
mod usage;
mod verify;
mod writing;

use std::{process::ExitCode, sync::LazyLock};

use clap::{
    ArgMatches, Args, CommandFactory, FromArgMatches, Parser, ValueEnum, error::ErrorKind,
    parser::ValueSource,
};

pub use crate::entry::TOOL;
use crate::view::{ErrorDocument, json};
pub use context::Context;
use error::FAILED;
pub use error::{CommandResult, Failure, OrRefuse, Outcome};
pub use reference::reference;
pub use schema::{SCHEMAS, schema_text};
use usage::{usage, wants_json};

/// Store questions, not answers: standing questions that every session answers anew, a log in git notes, and a check
/// that the answers are fresh.
///
/// Without a command, shows the status.
#[derive(Parser)]
#[command(
    name = "git-sq",
    bin_name = "git sq",
    version,
    long_version = long_version(),
    max_term_width = 100,
    disable_help_subcommand = true,
    after_long_help = include_str!("manual.txt")
)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(flatten)]
    status: status::StatusArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every command.
#[derive(Args, Default)]
pub struct GlobalArgs {
    /// When to use colours; defaults to `color.sq`, then `color.ui`
    #[arg(long, global = true, value_name = "WHEN")]
    color: Option<ColourWhen>,
    /// Neither read nor write the cache
    #[arg(long, global = true)]
    no_cache: bool,
}

/// The conditions under which colours are used.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourWhen {
    Auto,
    Always,
    Never,
}

/// Output format.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// Output format of commands that can print json.
#[derive(Args, Default)]
pub struct PrintArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Output format of commands whose output agents read.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AgentFormat {
    Text,
    Markdown,
    Json,
}

impl AgentFormat {
    fn plain(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Text | Self::Markdown => Format::Text,
        }
    }
}

#[derive(Args)]
struct AgentPrintArgs {
    /// Output format; markdown is meant for agents
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: AgentFormat,
}

commands! { Command:
    Status(status::StatusArgs),
    Facts(facts::FactsArgs),
    Init(init::InitArgs),
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    Brief(brief::BriefArgs),
    Record(record::RecordArgs),
    Log(log::LogArgs),
    Show(show::ShowArgs),
    Check(check::CheckArgs),
    Ci(ci::CiArgs),
    Sync(sync::SyncArgs),
    Doctor(doctor::DoctorArgs),
    Carry(carry::CarryArgs),
    #[command(subcommand)]
    Session(session::SessionCommand),
    State(state::StateArgs),
    Tension(tension::TensionArgs),
    Probe(probe::ProbeArgs),
    Trace(trace::TraceArgs),
    Verify(verify::VerifyArgs),
    Triage(triage::TriageArgs),
    Redact(redact::RedactArgs),
    Stats(stats::StatsArgs),
    Fleet(fleet::FleetArgs),
    Report(report::ReportArgs),
    #[command(subcommand)]
    Question(question::QuestionCommand),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Schema(schema::SchemaArgs),
    Demo(demo::DemoArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Help(help::HelpArgs),
    #[command(hide = true)]
    Hook(hook::HookArgs),
    #[command(hide = true)]
    Complete(complete::CompleteArgs),
}

pub fn main() -> ExitCode {
    let parsed = command()
        .try_get_matches()
        .and_then(|matches| {
            let is_given = matches.value_source("format") == Some(ValueSource::CommandLine);
            match matches.subcommand() {
                Some((name, _)) if is_given => {
                    let why = format!("--format of {name} belongs after it");
                    Err(command().error(ErrorKind::ArgumentConflict, why))
                }
                _ => Ok(matches),
            }
        })
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, name(&matches))));
    let (cli, name) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error),
    };
    let context = match Context::read(&cli.global, &name) {
        Ok(context) => context,
        Err(error) => {
            eprintln!("fatal: {error}");
            return ExitCode::from(FAILED);
        }
    };
    let outcome = match &cli.command {
        None => cli.status.run(&context),
        Some(command) => command.run(&context),
    };
    match context.printed().and(outcome) {
        Ok(outcome) => {
            if !matches!(cli.command, Some(Command::Hook(_) | Command::Complete(_))) {
                context.note_lost();
            }
            outcome.into()
        }
        Err(failure) => {
            context.note(&if wants_json() {
                json(ErrorDocument::SCHEMA, failure.document())
            } else {
                failure.text(context.style(context.open().ok().as_ref()))
            });
            ExitCode::from(FAILED)
        }
    }
}

/// The command that was given, with its group.
fn name(matches: &ArgMatches) -> String {
    let mut name = "git sq".to_owned();
    let mut rest = matches.subcommand();
    while let Some((word, matches)) = rest {
        name += " ";
        name += word;
        rest = matches.subcommand();
    }
    name
}

/// The version, with what the script of a release says of the build.
fn long_version() -> &'static str {
    use std::env::consts::{ARCH, OS};
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        let target = option_env!("GIT_SQ_TARGET").map_or(format!("{ARCH} {OS}"), str::to_owned);
        let commit =
            option_env!("GIT_SQ_COMMIT").map_or(String::new(), |it| format!("\ncommit: {it}"));
        format!("{version}\ntarget: {target}{commit}")
    });
    &TEXT
}

fn command() -> clap::Command {
    help::grouped(Cli::command())
}
