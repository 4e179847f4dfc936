//! The CLI reference in docs/, made from the command line itself.

use super::command;

pub fn reference() -> String {
    let mut root = command();
    root.build();
    let mut out = String::from(
        "# The commands\n\nThis page is made from the program; a test fails when it is not up to date.\n",
    );
    section(&root, &mut out);
    out
}

fn section(command: &clap::Command, out: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    add(name, with_options(command.clone(), |arg| !is_common(arg)), out);
    if command.get_bin_name() == Some("git sq") {
        let common = with_options(command.clone(), is_common).help_template("{options}");
        add("Options of every command", common, out);
    }
    for sub in command.get_subcommands().filter(|sub| !is_told(sub)) {
        section(sub, out);
    }
}

/// Whether the list of commands above says all: such a command has neither options nor a longer help.
fn is_told(command: &clap::Command) -> bool {
    let is_plain = command.get_arguments().all(is_common) && !command.has_subcommands();
    command.get_name() == "help" || is_plain && command.get_long_about().is_none()
}

fn is_common(arg: &clap::Arg) -> bool {
    arg.is_global_set() || arg.get_id() == "help"
}

fn with_options(command: clap::Command, is_shown: impl Fn(&clap::Arg) -> bool) -> clap::Command {
    let hidden = command.get_arguments().filter(|arg| !is_shown(arg));
    let hidden: Vec<clap::Id> = hidden.map(|arg| arg.get_id().clone()).collect();
    hidden.into_iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(true)))
}

fn add(title: &str, command: clap::Command, out: &mut String) {
    let help = command.term_width(100).render_long_help().to_string();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    out.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n")));
}
