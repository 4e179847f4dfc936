use clap::{
    Args, Command,
    error::{ContextKind, ContextValue, Error},
};

use super::{CommandResult, Context, Failure, Outcome};
use crate::view::Style;

const GROUPS: [(&str, &[&str]); 5] = [
    ("start a repository", &["init", "agent", "question"]),
    ("work in a session", &["brief", "record", "state", "tension"]),
    ("look at answers", &["status", "log", "show", "trace", "probe"]),
    ("check the answers", &["check", "triage", "verify", "stats", "report", "fleet"]),
    ("share the log", &["sync", "ci", "doctor"]),
];

/// Words that went, each after the command that had it, and what to do now; until 1.0.
#[rustfmt::skip]
const GONE: [(&str, &str); 10] = [
    ("why", "is `git sq show PATH[:LINE]` now"),
    ("approve", "is `git sq question approve` now"),
    ("session sweep", "is gone: the start of a session ends silent ones"),
    ("session beat", "is gone: entries and the hooks of agents are signs of life"),
    ("state alerts", "is `git sq log --kind alert` now"),
    ("state --strict", "is gone: a field that is too long is always refused"),
    ("check --log", "is gone: `git sq import` the file, then `git sq check --original`"),
    ("check --accepted-through", "is `settings.quiet.accepted_through` in the question store now"),
    ("record --answer", "is `git sq record 'q1=the answer'` now"),
    ("trace --vacuous", "is `git sq question test` now"),
];

const WIDTH: usize = 80;
const COLUMN: usize = 15;

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
            let names: Vec<&str> = root
                .get_subcommands()
                .filter(|sub| !sub.is_hide_set())
                .map(Command::get_name)
                .collect();
            context.print(&rows(&root, &names));
            return Ok(Outcome::Clean);
        }
        let mut command = &mut root;
        for name in &self.command {
            command = command.find_subcommand_mut(name).ok_or_else(|| {
                let help = "`git sq help --all` lists the commands";
                let reason = successor(name, &self.command)
                    .unwrap_or_else(|| format!("unknown command {name:?}"));
                Failure::refused(reason, help)
            })?;
        }
        // A closed pipe is not an error.
        let _ = command.print_long_help();
        Ok(Outcome::Clean)
    }
}

pub fn grouped(root: Command) -> Command {
    let groups = GROUPS.map(|(title, names)| format!("{title}\n{}\n", rows(&root, names)));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}`git sq help COMMAND` explains a command and its options, `git sq help --all`\nlists all of them.\n{{after-help}}",
        groups.concat()
    );
    root.help_template(template)
}

fn rows(root: &Command, names: &[&str]) -> String {
    let style = Style { width: Some(WIDTH), ..Style::default() };
    names
        .iter()
        .filter_map(|name| {
            let about = root.find_subcommand(name)?.get_about()?.to_string();
            let about = style.wrap(&about, COLUMN, COLUMN);
            Some(format!("  {name:<12} {about}\n"))
        })
        .collect()
}

/// The error for a word that went, which names its successor.
pub fn replacement(error: &Error) -> Option<String> {
    let name = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg]
        .iter()
        .find_map(|kind| error.get(*kind))?;
    let ContextValue::String(name) = name else {
        return None;
    };
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    Some(format!("error: {}", successor(name, &words)?))
}

fn successor(name: &str, words: &[String]) -> Option<String> {
    let is_given = |gone: &str| gone.split(' ').all(|word| words.iter().any(|given| given == word));
    let (gone, now) = GONE
        .iter()
        .find(|(gone, _)| gone.split(' ').next_back() == Some(name) && is_given(gone))?;
    Some(format!("`git sq {gone}` {now}"))
}
