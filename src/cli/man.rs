use std::{env, path::PathBuf};

use clap::Args;

use super::{CommandResult, Context, Failure, command, install};

/// Print the manual page, or install it for `git sq --help`
#[derive(Args)]
pub struct ManArgs {
    /// Install it for the current user
    #[arg(long)]
    install: bool,
}

impl ManArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let page = page().map_err(|error| {
            Failure::refused(
                format!("could not generate the manual page: {error}"),
                "please report it",
            )
        })?;
        if !self.install {
            return context.say(&page);
        }
        let share = folder()?;
        let path = share.join("man1").join("git-sq.1");
        install::write(&path, &page)?;
        context.say(&format!(
            "Wrote {}\n`git sq --help` shows it; if it does not, set MANPATH={}:\n",
            path.display(),
            share.display()
        ))
    }
}

/// `man` looks in PREFIX/share/man for a program in PREFIX/bin, and in the user's own folder.
fn folder() -> Result<PathBuf, Failure> {
    let home = install::home()?;
    let beside = env::current_exe().ok().and_then(|program| {
        let bin = program.parent()?;
        (bin.ends_with("bin") && bin.starts_with(&home)).then(|| bin.parent().map(Into::into))?
    });
    let prefix: PathBuf = beside.unwrap_or_else(|| home.join(".local"));
    Ok(prefix.join("share").join("man"))
}

fn page() -> std::io::Result<String> {
    let mut root = command().name("git-sq").display_name("git-sq");
    root.build();
    let man = clap_mangen::Man::new(root.clone()).manual("Git Manual").date("");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    render_commands(&root, &mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned() + &rest())
}

/// The parts besides the commands, which are also at the end of the long help.
fn rest() -> String {
    let escape = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    include_str!("manual.txt")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            if let Some(meaning) = line.strip_prefix("          ") {
                escape(meaning) + "\n"
            } else if let Some(name) = line.strip_prefix("  ") {
                format!(".TP\n\\fB{}\\fR\n", escape(name))
            } else {
                let title = line.trim_end_matches(':').to_uppercase();
                format!(".SH \"{title}\"\n")
            }
        })
        .collect()
}

fn render_commands(parent: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    for sub in parent.get_subcommands().filter(|sub| sub.get_name() != "help") {
        if sub.has_subcommands() {
            render_commands(sub, page)?;
            continue;
        }
        let title = sub.get_bin_name().unwrap_or(sub.get_name()).to_uppercase();
        page.extend_from_slice(
            format!(".SH \"{}\"\n", title.replace("GIT-SQ", "GIT SQ")).as_bytes(),
        );
        let man = clap_mangen::Man::new(sub.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        for line in String::from_utf8_lossy(&section).lines() {
            let line = match line {
                ".SH SYNOPSIS" | ".SH DESCRIPTION" | ".SH OPTIONS" => ".PP",
                other => other,
            };
            page.extend_from_slice(line.as_bytes());
            page.push(b'\n');
        }
    }
    Ok(())
}
