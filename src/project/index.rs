//! Facts that save work in the next run, kept with the parsed log in one file that anyone may delete at any time.
//!
//! They can't become wrong: they are about objects, by their names. So they are never checked against the repository,
//! only brought up to date.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::memo::Memo;
use crate::{git::Oid, timeline::OnMain};

pub const FILE: &str = "index";

/// Number of tips with a kept reach: usually one for each worktree.
const TIPS: usize = 4;

/// Work that is repeated in each run until writing the file pays off; one note to parse counts 1.
pub const WORTH_WRITING: usize = 64;

/// So much work that the file is written in any case.
pub const MUCH: usize = 1 << 32;

/// Commits are numbered as in the list of anchors.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The last used tip comes first.
    pub reaches: Vec<Reach>,
    /// True if the first commit contains the second.
    pub contains: BTreeMap<(u32, u32), bool>,
    /// True if two commits differ in what a watch, named by its digest, sees.
    pub changed: BTreeMap<(u32, u32, u64), bool>,
    pub judged: Memo,
    /// Work since the file was written, in the unit of `WORTH_WRITING`.
    #[serde(skip)]
    pub work: usize,
    /// True if history was incomplete: then nothing is kept.
    #[serde(skip)]
    pub is_partial: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reach {
    pub tip: Oid,
    pub length: u32,
    /// By the number of the anchor.
    pub anchors: Vec<Option<Reached>>,
    /// The first changes that are known: those after an anchor, of what a watch, named by its digest, sees. A longer line of
    /// first parents has the same.
    pub first_changes: BTreeMap<(u32, u64), OnMain>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reached {
    /// Committer's time, in seconds since 1970.
    pub time: i64,
    /// The place of the first commit on the line of first parents that contains it, counted from the root.
    pub merged: u32,
    pub is_on_main: bool,
}

impl Facts {
    /// Without what depends on the numbers of commits.
    pub fn renumbered(self) -> Self {
        Self { judged: self.judged, work: MUCH, ..Self::default() }
    }

    /// Keeps a reach in place of the one that it extends.
    pub fn keep(&mut self, reach: &Reach, grown_from: Option<Oid>) {
        self.reaches.retain(|known| Some(known.tip) != grown_from && known.tip != reach.tip);
        self.reaches.insert(0, reach.clone());
        self.reaches.truncate(TIPS);
    }
}
