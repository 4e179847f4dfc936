//! The facts of history that the timeline needs: about commits that carry entries, and the question stores that these
//! answered.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Unknown;
use crate::{
    git::{Oid, Result},
    question::{Question, QuestionSet},
    store::Row,
};

/// Paths, and perhaps lines, that an answer depends on.
#[derive(Debug)]
pub struct Watch<'q> {
    /// `None` stands for every file.
    pub pathspecs: Cow<'q, [String]>,
    /// A regular expression for the lines that matter; `None` for all.
    pub lines: Option<&'q str>,
    /// The key in caches.
    pub digest: u64,
}

impl<'q> Watch<'q> {
    /// The parts of the repository that the answer to a question depends on.
    pub fn of(question: &'q Question) -> Self {
        Self::new(question.dependencies(), question.lines.as_deref())
    }

    pub fn new(pathspecs: Cow<'q, [String]>, lines: Option<&'q str>) -> Self {
        let lines_too = lines.map(|lines| format!("\0\0{lines}"));
        let text = pathspecs.join("\0") + &lines_too.unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        let first: [u8; 8] = digest[..8].try_into().unwrap_or_default();
        Self { pathspecs, lines, digest: u64::from_be_bytes(first) }
    }
}

/// A commit on the tip's line of first parents.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct OnMain {
    pub commit: Oid,
    /// Counted from the root.
    pub place: u32,
    /// Committer's time, in seconds since 1970.
    pub time: i64,
}

/// The question store that asked an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedBy {
    /// The one that it names: the judging branch has or had it.
    Named,
    /// For an entry of a proposal, the one at the start of its branch; for any other, the one at its commit.
    Other(Oid),
    /// None that is known: it was never committed, or a copy's was lost when its commit was rewritten.
    Nothing,
    Unknown,
}

/// Facts about the history of one tip. Commits are named by their numbers among the anchors of the log.
pub trait Lineage {
    /// The commit time, in seconds since 1970, and the position, counted from the root, of the first commit on the tip's
    /// line of first parents that contains the anchor; `None` if the tip does not contain it.
    fn reached(&mut self, anchor: u32) -> Option<(i64, u32)>;

    fn contains(&mut self, commit: Oid) -> bool;

    /// Returns true if one commit of the tip's history contains another one, or is the same.
    fn holds(&mut self, commit: u32, ancestor: u32) -> bool;

    /// Returns true if one of two commits of the tip's history contains the other, or they are the same.
    fn are_in_line(&mut self, one: u32, two: u32) -> bool {
        self.holds(one, two) || self.holds(two, one)
    }

    /// Number of commits that an anchor of the tip's history contains, itself included.
    fn count_ancestors(&mut self, anchor: u32) -> usize;

    /// Returns true if watched files or lines differ between two commits; `None` if unknown.
    fn is_changed(&mut self, from: u32, to: u32, watch: &Watch) -> Option<bool>;

    /// Number of commits on the line of first parents outside the histories of some anchors that change a watched file.
    fn changes_after(&mut self, anchors: &[u32], watch: &Watch) -> Result<usize>;

    /// The first commit on the line of first parents, outside the history of an anchor, that changes a watched file; `None`
    /// if there is none, or it is unknown.
    fn first_change(&mut self, after: u32, watch: &Watch) -> Option<OnMain>;
    /// Returns true if neither an anchor nor a commit of the line of first parents contains the other.
    fn is_beside(&mut self, anchor: u32, commit: OnMain) -> bool;

    /// Returns true if a line was written after a change, at a commit that contains it or that it contains: who goes back to
    /// an older commit passes over it, and who works beside it never had it.
    fn is_passed_over(&mut self, row: &Row, change: OnMain) -> bool {
        row.millis.div_euclid(1000) > change.time && !self.is_beside(row.anchor, change)
    }

    /// The question store in this blob; `None` if no history that is judged is known to have it, or it is unreadable.
    fn store(&mut self, blob: Oid) -> Option<QuestionSet>;

    /// What asked an entry that names a question store.
    fn asked(&mut self, row: &Row) -> AskedBy;

    /// Reasons why these facts may be wrong.
    fn unknown(&self) -> Vec<Unknown>;
}
