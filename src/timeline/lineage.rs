//! What the timeline has to know of history: nothing but facts about commits that carry entries, and the question
//! stores that these answered.

use sha2::{Digest, Sha256};

use super::Unknown;
use crate::{git::Oid, question::QuestionSet, store::Row};

/// What an answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'q> {
    /// None stand for every file.
    pub pathspecs: &'q [String],
    /// A regular expression: which of their lines matter; all, where there is none.
    pub lines: Option<&'q str>,
    /// What they are remembered by.
    pub digest: u64,
}

impl<'q> Watch<'q> {
    pub fn new(pathspecs: &'q [String], lines: Option<&'q str>) -> Self {
        let lines_too = lines.map(|lines| format!("\0\0{lines}"));
        let text = pathspecs.join("\0") + &lines_too.unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        let first: [u8; 8] = digest[..8].try_into().unwrap_or_default();
        Self {
            pathspecs,
            lines,
            digest: u64::from_be_bytes(first),
        }
    }
}

/// Answers questions about the history of one tip. Commits are named by their numbers among the anchors of the log.
pub trait Lineage {
    /// When an anchor was committed, in seconds since 1970; None where the tip does not contain it.
    fn committed(&mut self, anchor: u32) -> Option<i64>;

    /// Whether the tip contains a commit.
    fn contains(&mut self, commit: Oid) -> bool;

    /// Whether a commit of the tip's history contains another one, or they are the same.
    fn holds(&mut self, commit: u32, ancestor: u32) -> bool;

    /// Whether one of two commits of the tip's history contains the other, or they are the same.
    fn are_in_line(&mut self, one: u32, two: u32) -> bool {
        self.holds(one, two) || self.holds(two, one)
    }

    /// The place of the first commit on the tip's line of first parents that contains an anchor, counted from the root.
    fn merged(&mut self, anchor: u32) -> u32;

    /// How many commits one of the tip's history contains, itself included.
    fn count_ancestors(&mut self, anchor: u32) -> usize;

    /// Whether anything that is watched differs between two commits; None where that can't be found out.
    fn is_changed(&mut self, from: u32, to: u32, watch: Watch) -> Option<bool>;

    /// The question store that is this blob, by its id; None where it is not there or can't be read.
    fn store(&mut self, blob: &str) -> Option<QuestionSet>;

    /// The blob id of the store that asked an entry: the one that it names, but where others judge it and that is not
    /// theirs, the one that its branch began with. None where that is not known.
    fn asked(&mut self, row: &Row) -> Option<String>;

    /// Why what is said here may be wrong.
    fn unknown(&self) -> Vec<Unknown>;
}
