use clap::{
    Args, Command,
    error::{ContextKind, ContextValue, Error},
};

use super::{CommandResult, Context, Failure, Outcome};

const GROUPS: [(&str, &[&str]); 5] = [
    ("start a repository", &["init", "agent", "question"]),
    (
        "work in a session",
        &["brief", "record", "state", "tension"],
    ),
    (
        "look at answers",
        &["status", "log", "show", "trace", "probe"],
    ),
    ("check the answers", &["check", "triage", "verify", "stats"]),
    ("share the log", &["sync", "ci", "doctor"]),
];

/// Replaced commands and their successors; until 1.0.
const REPLACED: [(&str, &str); 2] = [("why", "show PATH[:LINE]"), ("approve", "question approve")];

/// Show the help of a command, or list the commands
#[derive(Args)]
pub struct HelpArgs {
    /// List all commands
    #[arg(short, long, conflicts_with = "command")]
    all: bool,
    /// A command, such as `record` or `question add`
    command: Vec<String>,
}

impl HelpArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut root = super::command();
        root.build();
        if self.all {
            let all = root.get_subcommands().filter(|one| !one.is_hide_set());
            let names: Vec<&str> = all.map(Command::get_name).collect();
            context.print(&rows(&root, &names));
            return Ok(Outcome::Clean);
        }
        let mut command = &mut root;
        for name in &self.command {
            command = command.find_subcommand_mut(name).ok_or_else(|| {
                let help = "`git sq help --all` lists the commands";
                Failure::refused(format!("unknown command {name:?}"), help)
            })?;
        }
        // A closed pipe is not an error.
        let _ = command.print_long_help();
        Ok(Outcome::Clean)
    }
}

/// Lists the commands in groups; `git sq help --all` lists the others, too.
pub fn grouped(root: Command) -> Command {
    let groups = GROUPS.map(|(title, names)| format!("{title}\n{}\n", rows(&root, names)));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}`git sq help COMMAND` explains a command, `git sq help --all` lists all of them.\n{{after-help}}",
        groups.concat()
    );
    root.help_template(template)
}

fn rows(root: &Command, names: &[&str]) -> String {
    let rows = names.iter().filter_map(|name| {
        let command = root.find_subcommand(name)?;
        let about = command.get_about()?.to_string();
        Some(format!("  {name:<12} {about}\n"))
    });
    rows.collect()
}

/// The error for a replaced command, which names its successor.
pub fn replacement(error: &Error) -> Option<String> {
    let ContextValue::String(name) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let (_, now) = REPLACED.iter().find(|(old, _)| old == name)?;
    Some(format!("error: `git sq {name}` is `git sq {now}` now"))
}
