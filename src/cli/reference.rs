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
    let help = command.clone().term_width(100).render_long_help().to_string();
    out.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end()));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        section(sub, out);
    }
}
