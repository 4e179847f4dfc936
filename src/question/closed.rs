//! What people closed: one line each, in a file beside the question store.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Problem, StoreError};

/// One closing: a person dealt with something that `git sq check` reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    pub closes: Closed,
    /// Who closed it, as in `Ann Lee <ann@example.org>`.
    pub by: String,
    /// The day, as in `2026-11-26`.
    pub date: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What is closed.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    pub kind: ClosedKind,
    pub id: String,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedKind {
    /// The flags of an entry, by its id; by the digest of a line without one.
    Look,
    /// A dispute, by the question and the entry that is right, as in `q4 01JABCDEFGHJKMNPQRSTVWXYZ0`.
    Dispute,
    /// A drift of a question of severity `blocking`, by the question and the entry, in the same form.
    Drift,
    /// A run of quiet or of unanswered sessions, by its last session.
    Run,
    /// A question whose answers never differ, with its version unless that is 1.
    NeverDiffers,
    /// Lines of the log that can't be read, by their digest.
    Unknown,
}

impl ClosedKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Dispute => "dispute",
            Self::Drift => "drift",
            Self::Run => "run",
            Self::NeverDiffers => "never-differs",
            Self::Unknown => "unknown",
        }
    }
}

impl Closed {
    pub fn new(kind: ClosedKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }

    /// What is about the answer of an entry to a question.
    pub fn answer(kind: ClosedKind, question: &str, entry: &str) -> Self {
        Self::new(kind, format!("{question} {entry}"))
    }

    /// Of what is about an entry, its id.
    pub fn entry(&self) -> Option<&str> {
        match self.kind {
            ClosedKind::Look => Some(&self.id),
            ClosedKind::Dispute | ClosedKind::Drift => self.id.split(' ').next_back(),
            _ => None,
        }
    }
}

/// All that people closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Closings(pub BTreeSet<Closed>);

impl Closings {
    pub fn has(&self, kind: ClosedKind, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&Closed::new(kind, id))
    }

    pub fn ids(&self, kind: ClosedKind) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |closed| closed.kind == kind).map(|closed| &*closed.id)
    }
}

/// What the file's name ends with, in place of `.json`.
pub(super) const CLOSINGS: &str = ".closed.jsonl";

/// The path of the file beside a question store.
pub fn closings_path(store: &str) -> String {
    store.strip_suffix(".json").unwrap_or(store).to_owned() + CLOSINGS
}

/// Reads the lines of the file; `name` is where they came from. Lines may be in any order, and twice: git may have merged
/// them.
pub fn parse_closings(name: &str, bytes: &[u8]) -> Result<Vec<Closing>, StoreError> {
    let text = String::from_utf8_lossy(bytes);
    let (mut found, mut problems, mut start) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end().len();
        match serde_json::from_str(line) {
            Ok(closing) => found.push(closing),
            Err(_) if line.trim().is_empty() => {}
            Err(error) => {
                let why = error.to_string();
                let why = why.rsplit_once(" at line").map_or(&*why, |(why, _)| why).to_owned();
                let help = "each line is what `git sq check --accept` wrote: fix it or delete it";
                problems.push(Problem::new(start..end, why).help(help));
            }
        }
        start += line.len();
    }
    if problems.is_empty() {
        return Ok(found);
    }
    problems.truncate(1);
    Err(StoreError { name: name.to_owned(), text: text.into_owned(), is_tracked: true, problems })
}

/// The text of the file with more closings: sorted, each once. `None` if it has them all.
pub fn add_closings(known: Vec<Closing>, new: Vec<Closing>) -> Option<String> {
    let closed: BTreeSet<Closed> = known.iter().map(|closing| closing.closes.clone()).collect();
    let mut new: Vec<Closing> =
        new.into_iter().filter(|new| !closed.contains(&new.closes)).collect();
    if new.is_empty() {
        return None;
    }
    new.extend(known);
    new.sort_by(|one, two| one.closes.cmp(&two.closes));
    new.dedup_by(|one, two| one.closes == two.closes);
    let lines = new.iter().filter_map(|closing| serde_json::to_string(closing).ok());
    Some(lines.map(|line| line + "\n").collect())
}
