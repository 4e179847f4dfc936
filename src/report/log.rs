//! Entries as `git log` shows commits.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, escape};
use crate::{
    entry::{Body, Event, Text},
    git::Oid,
};

/// An entry for showing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LogEntry {
    /// The commit that carries it.
    pub commit: String,
    /// The commit that it names.
    pub head: String,
    pub id: Option<String>,
    pub sid: String,
    pub ts: String,
    pub agent: Option<String>,
    pub writer: Option<String>,
    pub branch: Option<String>,
    pub dirty: bool,
    pub imported: bool,
    pub results: Vec<LogResult>,
}

/// A result for showing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LogResult {
    pub q_id: String,
    pub q_version: u32,
    pub delta: bool,
    pub note: Option<String>,
}

impl LogEntry {
    /// A rederive entry, on the commit on which it counts; None for another kind.
    pub fn of(line: &[u8], commit: Oid) -> Option<Self> {
        let Event { envelope, body } = Event::parse(line).ok()?;
        let Body::Rederive(rederive) = body else {
            return None;
        };
        let own = |text: Text| Some(text.into_owned()).filter(|text| !text.is_empty());
        let head = envelope.head.unwrap_or_default();
        let results = rederive.results.into_iter().map(|answer| LogResult {
            q_version: answer.version(),
            q_id: answer.q_id.into_owned(),
            delta: answer.delta,
            note: answer.note.map(Text::into_owned),
        });
        Some(Self {
            commit: commit.to_string(),
            head: envelope.repo_head_sha.into_owned(),
            id: own(envelope.id),
            sid: envelope.sid.into_owned(),
            ts: envelope.ts.to_string(),
            agent: envelope.agent.and_then(|agent| agent.name),
            writer: envelope.writer.and_then(own),
            branch: head.branch.and_then(own),
            dirty: head.dirty,
            imported: envelope.origin.is_some(),
            results: results.collect(),
        })
    }
}

/// An entry for people.
pub fn entry_text(entry: &LogEntry, style: Style) -> String {
    let mut out = String::new();
    let mut marks = Vec::new();
    marks.extend(entry.branch.as_deref().map(escape));
    if entry.dirty {
        marks.push("dirty worktree".into());
    }
    if entry.imported {
        marks.push("imported".into());
    }
    let marks = if marks.is_empty() {
        String::new()
    } else {
        format!(" ({})", marks.join(", "))
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{}{marks}",
        style.commit(&format!("commit {}", entry.commit))
    );
    let agent = entry
        .agent
        .as_deref()
        .map(|agent| format!(" by {}", escape(agent)));
    let _ = writeln!(
        out,
        "Session: {}{}",
        escape(&entry.sid),
        agent.unwrap_or_default()
    );
    let _ = writeln!(out, "Date:    {}", escape(&entry.ts));
    if entry.head != entry.commit {
        let _ = writeln!(out, "Head:    {}", escape(&entry.head));
    }
    out.push('\n');
    let (noted, silent): (Vec<_>, Vec<_>) = entry
        .results
        .iter()
        .partition(|result| result.delta || result.note.is_some());
    for result in noted {
        let note = result.note.as_deref().map(escape).unwrap_or_default();
        let name = style.name(&name(result));
        if result.delta {
            let _ = writeln!(out, "    {} {name}: {note}", style.error("DELTA"));
        } else {
            let _ = writeln!(out, "    same  {name}: {note}");
        }
    }
    if !silent.is_empty() {
        let names: Vec<String> = silent.into_iter().map(name).collect();
        let _ = writeln!(out, "    same  {}", names.join(", "));
    }
    out
}

fn name(result: &LogResult) -> String {
    match result.q_version {
        1 => escape(&result.q_id),
        version => format!("{}@{version}", escape(&result.q_id)),
    }
}
