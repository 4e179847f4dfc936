//! What the timeline has to know of history: nothing but facts about commits that carry entries.

use super::Unknown;
use crate::git::Oid;

/// Answers questions about the history of one tip. Commits are named by their numbers among the anchors of the log.
pub trait Lineage {
    /// When an anchor was committed, in seconds since 1970; None where the tip does not contain it.
    fn committed(&mut self, anchor: u32) -> Option<i64>;

    /// Whether the tip contains a commit.
    fn contains(&mut self, commit: Oid) -> bool;

    /// Whether one of two commits of the tip's history contains the other, or they are the same.
    fn are_in_line(&mut self, one: u32, two: u32) -> bool;

    /// How many commits one of the tip's history contains, itself included.
    fn count_ancestors(&mut self, anchor: u32) -> usize;

    /// Whether anything that these pathspecs name differs between two commits; None where that can't be found out.
    fn is_changed(&mut self, from: u32, to: u32, pathspecs: &[String]) -> Option<bool>;

    /// Why what is said here may be wrong.
    fn unknown(&self) -> Vec<Unknown>;
}
