//! A recorded answer as rules see it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::cited::cited_lines;
use crate::{
    entry::{Answer, Citation, CitedLines, Envelope},
    git::{Oid, Repo},
    question::{Probe, Question},
};

#[derive(Debug, Clone, Default)]
pub struct Claim {
    pub at: Oid,
    /// The words of the question, where the line has them.
    pub asked: Option<String>,
    pub(super) delta: bool,
    pub(super) answer: Option<Value>,
    pub(super) has_note: bool,
    /// True if that says anything but that there is nothing.
    pub(super) has_words: bool,
    pub(super) cites: Vec<CitedLines>,
    pub is_correction: bool,
    /// The commit of the answer that it corrects, where the lines that it cites stood already.
    pub corrected_at: Option<Oid>,
    pub moved: Moved,
    /// True if a rule flagged it at the commit from which it was carried.
    pub is_marked: bool,
    /// True if it depends on what differs at the commit to which it was carried.
    pub is_outdated: bool,
}

/// The move of a claim to another commit than it was given at. It is judged there: everybody has that one, and perhaps nobody
/// the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Moved {
    #[default]
    No,
    ToSameFiles,
    ToOtherFiles,
}

impl Moved {
    /// The move of a line to the commit that carries it: the line names the tree at which it was given.
    pub fn of(repo: &Repo, envelope: &Envelope, anchor: Oid, is_carried: bool) -> Self {
        if !is_carried {
            return Self::No;
        }
        let then = envelope.head.as_ref().and_then(|head| head.tree.parse::<Oid>().ok());
        match then {
            Some(then) if repo.tree_of(anchor).is_ok_and(|tree| tree == then) => Self::ToSameFiles,
            _ => Self::ToOtherFiles,
        }
    }
}

impl Claim {
    /// The claim of an entry at the commit that carries it.
    pub fn of(answer: &Answer, at: Oid, moved: Moved) -> Self {
        Self {
            at,
            asked: answer.q.as_deref().map(str::to_owned),
            delta: answer.delta,
            answer: answer.answer.clone(),
            has_note: answer.note.is_some(),
            has_words: answer.note.as_deref().is_some_and(|note| !says_nothing(note)),
            cites: cited_lines(&answer.cites()),
            is_correction: answer.corrects.is_some(),
            moved,
            ..Self::default()
        }
    }

    /// As those who carried it marked it.
    #[must_use]
    pub fn marked(
        mut self,
        (flagged, outdated): &(BTreeSet<String>, BTreeSet<(Oid, String)>),
        mark: String,
    ) -> Self {
        self.is_marked = flagged.contains(&mark);
        self.is_outdated = self.moved == Moved::ToOtherFiles && outdated.contains(&(self.at, mark));
        self
    }

    /// With the answer of another one, which it repeats.
    #[must_use]
    pub fn repeating(self, other: Self) -> Self {
        Self { answer: other.answer, ..self }
    }

    pub fn last(
        (at, is_outdated): (Oid, bool),
        answer: Option<Value>,
        cites: &[Citation],
        moved: Moved,
    ) -> Self {
        Self { at, answer, cites: cited_lines(cites), moved, is_outdated, ..Self::default() }
    }

    /// Returns true if a probe reads history, and of a rewritten commit only the tree is known.
    pub(super) fn has_no_history_for(&self, question: &Question) -> bool {
        let probe = question.probe.as_ref();
        self.moved != Moved::No && probe.is_some_and(Probe::reads_history)
    }

    /// Returns true unless it was carried to the commit of a later claim, which stands before other files.
    pub(super) fn is_before(&self, later: &Self) -> bool {
        self.moved != Moved::ToOtherFiles || self.at != later.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answer.as_ref().map_or(!self.has_words, is_empty)
    }
}

/// Returns true if an answer says that there is nothing.
pub fn is_empty(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty() || text.eq_ignore_ascii_case("none"),
        Value::Array(items) => items.is_empty(),
        Value::Object(keys) => keys.contains_key("gone"),
    }
}

/// Returns true if a note says that there is nothing.
pub fn says_nothing(note: &str) -> bool {
    let note = note.trim().trim_end_matches('.').to_lowercase();
    ["", "no", "none", "nothing", "0"].contains(&&*note)
}
