//! Closings by people: one line each, in a file beside the question store.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// A closed thing: its kind, and its id.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    pub kind: ClosedKind,
    pub id: String,
    /// The versions that the documents of a found fact stated; others are not closed by it. Lines without it close all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedKind {
    /// The flags of an entry, by its id; by the digest of a line without one. That others found an answer false, by the
    /// question and the entry.
    Look,
    /// A dispute, by the question and the entry that is right, as in `q4 01JABCDEFGHJKMNPQRSTVWXYZ0`.
    Dispute,
    /// A drift of a question of severity `blocking`, by the question and the entry, in the same form. Of a fact, by the
    /// question, the first 16 digits of the digest of its new value and, from the second agreement on, its number: the
    /// last one counts.
    Drift,
    /// A run of quiet or of unanswered sessions, by the last entry of its last session.
    Run,
    /// A question whose answers never differ, with its version unless that is 1.
    NeverDiffers,
    /// An entry that was taken out of the log on purpose, by its id and the first 16 digits of its line's digest.
    Purged,
    /// Lines of the log that can't be read, by their digest.
    Unknown,
    /// A found fact that is right as it is, by its id.
    Fact,
}

impl Closed {
    pub fn new(kind: ClosedKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into(), says: Vec::new() }
    }

    /// A closing about the answer of an entry to a question.
    pub fn answer(kind: ClosedKind, question: &str, entry: &str) -> Self {
        Self::new(kind, format!("{question} {entry}"))
    }

    /// The id of the entry that it is about, if it is about one.
    pub fn entry(&self) -> Option<&str> {
        match self.kind {
            ClosedKind::Run => Some(&self.id),
            ClosedKind::Look | ClosedKind::Dispute | ClosedKind::Drift => {
                self.id.split(' ').nth(1).or((self.kind == ClosedKind::Look).then_some(&self.id))
            }
            _ => None,
        }
    }

    /// If a person agreed with a value of a fact, the fact, the start of the digest of that value, and the number of the
    /// agreement.
    pub fn agreed(&self) -> Option<(&str, &str, u32)> {
        let mut parts = self.id.split(' ').filter(|_| self.kind == ClosedKind::Drift);
        let (fact, value) = (parts.next()?, parts.next()?);
        let number = parts.next().map_or(Some(1), |number| number.parse().ok())?;
        (value.len() == VALUE).then_some((fact, value, number))
    }
}

/// Digits of the digest of a fact's value.
pub const VALUE: usize = 16;

/// All that people closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Closings(pub BTreeSet<Closed>);

impl Closings {
    pub fn has(&self, kind: ClosedKind, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&Closed::new(kind, id))
    }

    /// The last agreements with a value of a fact: several if branches agreed with one each.
    pub fn last_agreed(&self, fact: &str) -> Vec<&Closed> {
        let all = self.0.iter().filter_map(|closed| Some((closed, closed.agreed()?)));
        let all: Vec<(&Closed, u32)> =
            all.filter(|(_, one)| one.0 == fact).map(|(closed, one)| (closed, one.2)).collect();
        let last = all.iter().map(|(_, number)| *number).max();
        all.into_iter().filter(|(_, number)| Some(*number) == last).map(|(one, _)| one).collect()
    }

    /// The closing of a person who agrees with a value of a fact: a known one, if it is among the last and no `old` one.
    pub fn agreeing(&self, fact: &str, value: &str, old: &Self) -> Closed {
        let last = self.last_agreed(fact);
        let mut new = last.iter().filter(|one| !old.0.contains(one));
        let known = new.find(|one| one.agreed().is_some_and(|one| one.1 == value));
        let number = last.first().and_then(|last| last.agreed()).map_or(0, |last| last.2);
        let number = number.saturating_add(1);
        let number = if number == 1 { String::new() } else { format!(" {number}") };
        let new = || Closed::answer(ClosedKind::Drift, fact, &format!("{value}{number}"));
        known.map_or_else(new, |known| (*known).clone())
    }

    /// Returns true if a found fact is closed as its documents state it.
    pub fn has_fact(&self, fact: &Closed) -> bool {
        self.has(fact.kind, &fact.id) || self.0.contains(fact)
    }

    pub fn ids(&self, kind: ClosedKind) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |closed| closed.kind == kind).map(|closed| &*closed.id)
    }
}

/// The end of the file's name, in place of `.json`.
pub(super) const CLOSINGS: &str = ".closed.jsonl";

/// The path of the file beside a question store.
pub fn closings_path(store: &str) -> String {
    store.strip_suffix(".json").unwrap_or(store).to_owned() + CLOSINGS
}
