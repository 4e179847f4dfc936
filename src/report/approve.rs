//! What a user approves, or approved.

use super::{Style, escape};
use crate::{
    evidence::Approval,
    question::{Question, RunTake},
    quote,
};

/// A question's command as a shell takes it, on one line, escaped.
pub fn command_text(question: &Question) -> String {
    let words = question.command().map_or(&[][..], |run| &run.run);
    let words: Vec<String> = words
        .iter()
        .map(|word| escape(&quote::word(word)))
        .collect();
    words.join(" ")
}

/// The files that an approval is bound to.
fn files_text(approval: &Approval) -> String {
    let files = approval.files.iter();
    let files = files.map(|(path, blob)| format!(", {} as in {}", escape(path), &blob[..10]));
    files.collect()
}

/// An approved command.
pub fn approved_text(approval: &Approval, style: Style) -> String {
    let name = format!("{:<6}", approval.question.name().to_string());
    let (command, files) = (command_text(&approval.question), files_text(approval));
    format!("{} {command}{files}\n", style.name(&name))
}

/// What a user is asked to approve: all that is run, and all that the approval is bound to.
pub fn approval_text(approval: &Approval, place: &str, style: Style) -> String {
    let question = &approval.question;
    let run = question.command();
    let take = match run.map(|run| &run.take) {
        Some(RunTake::Stdout) => "what it prints".to_owned(),
        Some(RunTake::Capture(pattern)) => format!("what {pattern} matches in what it prints"),
        Some(RunTake::Exit) | None => "its exit code".to_owned(),
    };
    let seconds = run.and_then(|run| run.timeout().map(|time| time.as_secs_f64()));
    let temporary = "a temporary worktree of another commit, where you say so";
    let files = files_text(approval);
    let rows = [
        ("runs", command_text(question)),
        (
            "takes",
            format!(
                "{}, within {} s",
                escape(&take),
                seconds.unwrap_or_default()
            ),
        ),
        ("in", format!("{}, or {temporary}", escape(place))),
        (
            "bound to",
            format!("this repository, this question and these words{files}"),
        ),
    ];
    let rows = rows.map(|(label, text)| format!("  {label:<9} {}\n", style.wrap(&text, 12, 12)));
    let caution = "It runs with your rights, and nothing confines it. What it reads by itself, as a Makefile, tests or build scripts, is no part of the approval: on a branch of somebody else, that is theirs.";
    let name = style.name(&escape(&question.name().to_string()));
    let text = escape(&question.text);
    format!(
        "{name}: {text}\n{}{}\n",
        rows.concat(),
        style.wrap(caution, 0, 0)
    )
}
