use clap::{Args, Command, ValueEnum as _};

use super::{CommandResult, Context, Outcome, usage::unknown_command};
use crate::{
    finding::Rule,
    view::{Explanation, Output as _, Style, Table},
};

const GROUPS: [(&str, &[&str]); 4] = [
    ("find wrong facts, without setup", &["demo", "facts", "trace"]),
    ("start a repository", &["init", "question", "agent"]),
    ("work in a session", &["brief", "record", "show", "state"]),
    ("check and share", &["check", "triage", "log", "report", "ci", "sync"]),
];

const WIDTH: usize = 80;

/// Show the help of a command or a rule, or list the commands
#[derive(Args)]
pub struct HelpArgs {
    /// List all commands
    #[arg(short, long, conflicts_with = "command")]
    all: bool,
    /// A command, such as `record` or `question add`, or a rule, such as `quiet-run`
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
            return context.say(&rows(&root, &names));
        }
        let rule = self.command.first().and_then(|name| Rule::from_str(name, false).ok());
        if let Some(rule) = rule.filter(|_| self.command.len() == 1) {
            return context.say(&Explanation::of(rule).text(context.style(None)));
        }
        let mut command = &root;
        for name in &self.command {
            command = command
                .find_subcommand(name)
                .ok_or_else(|| unknown_command(command, name, None))?;
        }
        // A closed pipe is not an error.
        let _ = command.clone().print_long_help();
        Ok(Outcome::Clean)
    }
}

pub fn grouped(root: Command) -> Command {
    let groups = GROUPS.map(|(title, names)| format!("{title}\n{}\n", rows(&root, names)));
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}`git sq help COMMAND` explains a command, `git sq help --all` lists all of them.\n{{after-help}}",
        groups.concat()
    );
    root.help_template(template)
}

fn rows(root: &Command, names: &[&str]) -> String {
    let style = Style { width: Some(WIDTH), ..Style::default() };
    let mut table = Table::labels().indented(2);
    for name in names {
        let about = root.find_subcommand(name).and_then(Command::get_about);
        table.row([format!("{name:<12}")], about.map(ToString::to_string).unwrap_or_default());
    }
    table.text(style)
}
