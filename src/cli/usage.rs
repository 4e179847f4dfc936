//! The answer to a command line that can't be parsed: what is wrong, and where the help is.

use std::{env, process::ExitCode};

use clap::{
    Command, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{Context, Failure, GlobalArgs, command, error::USAGE};
use crate::view::{ErrorDocument, Style, json};

pub fn usage(error: &Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is not an error.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let mut root = command();
    root.build();
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => Some(name.as_str()),
        _ => None,
    };
    let group = env::args_os()
        .skip(1)
        .take_while(|arg| unknown.is_none_or(|name| name != arg))
        .fold(&root, |group, arg| group.find_subcommand(arg).unwrap_or(group));
    let style = Context::read(&GlobalArgs::default(), "git sq")
        .map_or_else(|_| Style::default(), |context| context.style(None));
    let similar = error.get(ContextKind::SuggestedSubcommand);
    let failure = unknown.map(|name| unknown_command(group, name, similar)).or_else(not_utf_8);
    let help = help_of(group);
    if wants_json() {
        let text = error.render().to_string();
        let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let document = failure.map_or_else(
            || ErrorDocument {
                errors: vec![reason.to_owned()],
                hints: vec![format!("`{help}` explains it")],
                ..ErrorDocument::default()
            },
            |failure| failure.document(),
        );
        eprint!("{}", json(ErrorDocument::SCHEMA, ErrorDocument { code: USAGE, ..document }));
    } else if let Some(failure) = failure {
        eprint!("{}", failure.text(style));
    } else {
        let text = error.render();
        let text = if style.colour { text.ansi().to_string() } else { text.to_string() };
        // Git shows a manual page for `git sq --help`, and none may be installed.
        let tail = "For more information, try ";
        match text.split_once(tail) {
            Some((text, _)) => eprintln!("{text}{tail}'{help}'."),
            None => eprint!("{text}"),
        }
    }
    ExitCode::from(USAGE)
}

/// The first argument whose bytes are not UTF-8, which is the path of a file in most cases.
fn not_utf_8() -> Option<Failure> {
    let argument = env::args_os().find(|argument| argument.to_str().is_none())?;
    let message = format!("{} is not UTF-8", argument.to_string_lossy());
    Some(Failure::refused(message, "rename the file, or cite another one: git sq reads UTF-8 only"))
}

/// There is no command of this name in a group; `similar` are those that clap suggests, the best one last.
pub fn unknown_command(group: &Command, name: &str, similar: Option<&ContextValue>) -> Failure {
    let of_group = |name: &str| format!("{} {name}", group.get_bin_name().unwrap_or("git sq"));
    let guess = match similar {
        Some(ContextValue::Strings(names)) => names.last(),
        _ => None,
    };
    let did_you_mean = guess.map(|guess| format!("did you mean `{}`?", of_group(guess)));
    let list = match help_of(group).as_str() {
        "git sq help" => "`git sq help --all` lists the commands".to_owned(),
        help => format!("`{help}` lists its commands"),
    };
    let hints: Vec<String> = did_you_mean.into_iter().chain([list]).collect();
    Failure::refused(format!("there is no command \"{}\"", of_group(name)), hints)
}

fn help_of(command: &Command) -> String {
    command.get_bin_name().unwrap_or("git sq").replacen("git sq", "git sq help", 1)
}

/// Returns true if the command line asks for JSON, even if the rest of it can't be parsed.
pub fn wants_json() -> bool {
    let args: Vec<_> = env::args_os().skip(1).collect();
    let mut pairs = args.windows(2);
    args.iter().any(|arg| arg == "--format=json")
        || pairs.any(|pair| pair[0] == "--format" && pair[1] == "json")
}
