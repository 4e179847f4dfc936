//! What a user approves, or approved.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, escape};
use crate::{
    evidence::Approval,
    question::{self, Probe, Question, RunOf, RunTake},
    quote,
};

/// The commands of a repository that this user approved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Approvals {
    pub approvals: Vec<ApprovalRow>,
}

/// An approved command.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalRow {
    pub q_id: String,
    pub q_version: u32,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// The tracked files that these name, each with the blob that was approved.
    pub files: BTreeMap<String, String>,
}

impl From<&Approval> for ApprovalRow {
    fn from(approval: &Approval) -> Self {
        let Question {
            id, version, probe, ..
        } = &approval.question;
        Self {
            q_id: id.clone(),
            q_version: *version,
            run: match probe {
                Some(Probe::Run(run)) => run.run.clone(),
                _ => Vec::new(),
            },
            files: approval.files.clone(),
        }
    }
}

impl Output for Approvals {
    const SCHEMA: &'static str = "sq.approve/v1";

    fn text(&self, style: Style) -> String {
        let rows = self.approvals.iter().map(|row| {
            let name = style.name(&escape(&question::name(&row.q_id, row.q_version)));
            let files = row.files.iter().map(|(path, blob)| {
                let blob = escape(blob.get(..10).unwrap_or(blob));
                format!("       {} {blob}\n", escape(path))
            });
            let files: String = files.collect();
            format!("{name:<6} {}\n{files}", argv_text(&row.run))
        });
        let rows: String = rows.collect();
        if rows.is_empty() {
            return "No command is approved in this repository.\n".into();
        }
        rows
    }
}

/// A command as a shell takes it, on one line, escaped.
fn argv_text(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().map(|word| escape(&quote::word(word))).collect();
    words.join(" ")
}

/// That a question's command is about to run.
pub fn running_text(question: &Question, run: &RunOf) -> String {
    let name = escape(&question.name().to_string());
    format!("Running {name}: {}\n", argv_text(&run.run))
}

/// What a user is asked to approve: all that is run, and all that the approval is bound to.
pub fn approval_text(approval: &Approval, run: &RunOf, place: &str, style: Style) -> String {
    let question = &approval.question;
    let take = match &run.take {
        RunTake::Exit => "its exit code".to_owned(),
        RunTake::Stdout => "what it prints".to_owned(),
        RunTake::Capture(pattern) => format!("what {} finds in what it prints", escape(pattern)),
    };
    let replayed = if run.external {
        "never again by `git sq verify`: it is external"
    } else {
        "and in temporary worktrees of other commits, by `git sq verify --run`"
    };
    let files = approval.files.iter();
    let files = files.map(|(path, blob)| format!(", {} as in {}", escape(path), &blob[..10]));
    let files: String = files.collect();
    let files = if files.is_empty() {
        "; it names no tracked file".to_owned()
    } else {
        files
    };
    let rows = [
        ("runs", argv_text(&run.run)),
        ("takes", take),
        (
            "for at most",
            format!("{} s", run.timeout().unwrap_or_default().as_secs_f64()),
        ),
        ("in", format!("{}, {replayed}", escape(place))),
        (
            "bound to",
            format!("this repository, this question as it stands, these words{files}"),
        ),
    ];
    let rows = rows.map(|(label, text)| format!("  {label:<12} {}\n", style.wrap(&text, 15, 15)));
    format!(
        "{}: {}\n{}It runs with your rights: nothing confines it. What it reads by itself (a Makefile, tests, build scripts)\nis not a part of the approval, and a branch of somebody else may have another one.\n",
        style.name(&escape(&question.name().to_string())),
        escape(&question.text),
        rows.concat(),
    )
}
