use super::{Style, Table, escape, joined};
use crate::{
    evidence::Approval,
    question::{Question, RunOf, RunTake},
    quote,
};

/// A command as a shell takes it, on one line, escaped.
pub fn command_text(run: &RunOf) -> String {
    let words = run.run.iter().map(|word| escape(&quote::word(word)));
    joined(words, " ")
}

fn files_text(approval: &Approval) -> String {
    approval
        .files
        .iter()
        .map(|(path, blob)| format!(", {} as in {}", escape(path), &blob[..10]))
        .chain(approval.data.iter().map(|path| format!(", {} as data", escape(path))))
        .collect()
}

pub fn approved_text(approval: &Approval, style: Style) -> String {
    let name = style.name(&escape(&approval.question));
    let (command, files) = (command_text(&approval.run), files_text(approval));
    format!("{name} {command}{files}\n")
}

pub fn approval_text(
    approval: &Approval,
    question: &Question,
    place: &str,
    style: Style,
) -> String {
    let take = match &approval.run.take {
        RunTake::Stdout => "its output".to_owned(),
        RunTake::Capture(pattern) => format!("the match of {pattern} in its output"),
        RunTake::Exit => "its exit code".to_owned(),
    };
    let seconds = approval.run.timeout().unwrap_or_default().as_secs_f64();
    let temporary = "with --at COMMIT, in a temporary worktree";
    let files = files_text(approval);
    let rows = [
        ("runs", command_text(&approval.run)),
        ("takes", format!("{}, within {seconds} s", escape(&take))),
        ("in", format!("{}; {temporary}", escape(place))),
        ("bound to", format!("this repository, this question and these words{files}")),
    ];
    let offers = approval.likely_data().into_iter().map(|path| {
        let path = escape(&quote::word(path));
        ("data?", format!("with `--data {path}`, a change to that file needs no new approval"))
    });
    let mut table = Table::labels().indented(2);
    for (label, text) in rows.into_iter().chain(offers) {
        table.row([label.to_owned()], text);
    }
    let caution = "It runs with your permissions, and is not sandboxed. The approval does not cover files that the command reads itself (Makefile, tests, build scripts): on someone else's branch, that is their code.";
    let name = style.name(&escape(&approval.question));
    let text = escape(&question.text);
    format!("{name}: {text}\n{}{}\n", table.text(style), style.wrap(caution, 0, 0))
}
