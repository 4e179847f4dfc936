//! Entries as `git log` shows commits.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, escape};
use crate::{
    entry::{Body, Event, Person, Text},
    git::{Mailmap, Oid},
    question,
};

/// An entry to be shown.
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
    /// Whose git identity it was written under, as `.mailmap` has it.
    pub by: Option<Person>,
    pub writer: Option<String>,
    pub branch: Option<String>,
    pub dirty: bool,
    pub imported: bool,
    pub results: Vec<LogResult>,
}

/// A result to be shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LogResult {
    pub q_id: String,
    pub q_version: u32,
    pub delta: bool,
    pub note: Option<String>,
}

impl LogEntry {
    /// A rederive entry, on the commit on which it counts; None for another kind.
    pub fn of(line: &[u8], commit: Oid, mailmap: &Mailmap) -> Option<Self> {
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
            by: envelope.by.map(|by| mailmap.resolve(&by)),
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
    let dirty = entry.dirty.then(|| "dirty worktree".to_owned());
    let imported = entry.imported.then(|| "imported".to_owned());
    let branch = entry.branch.as_deref().map(escape);
    let marks: Vec<String> = [branch, dirty, imported].into_iter().flatten().collect();
    let mut out = style.commit(&format!("commit {}", entry.commit));
    if !marks.is_empty() {
        out.push_str(&format!(" ({})", marks.join(", ")));
    }
    out.push_str(&format!("\nSession: {}", escape(&entry.sid)));
    if let Some(agent) = &entry.agent {
        out.push_str(&format!(" by {}", escape(agent)));
    }
    if let Some(Person { name, email }) = &entry.by {
        out.push_str(&format!("\nAuthor:  {} <{}>", escape(name), escape(email)));
    }
    out.push_str(&format!("\nDate:    {}\n", escape(&entry.ts)));
    if entry.head != entry.commit {
        out.push_str(&format!("Head:    {}\n", escape(&entry.head)));
    }
    out.push('\n');
    let (noted, silent): (Vec<_>, Vec<_>) = entry
        .results
        .iter()
        .partition(|result| result.delta || result.note.is_some());
    for result in noted {
        let label = if result.delta {
            style.error("DELTA")
        } else {
            "same ".into()
        };
        let note = result.note.as_deref().map(escape).unwrap_or_default();
        out.push_str(&format!(
            "    {label} {}: {note}\n",
            style.name(&name(result))
        ));
    }
    if !silent.is_empty() {
        let names: Vec<String> = silent.into_iter().map(name).collect();
        out.push_str(&format!("    same  {}\n", names.join(", ")));
    }
    out
}

fn name(result: &LogResult) -> String {
    escape(&question::name(&result.q_id, result.q_version))
}
