//! A cache of parsed lines and known facts, in one file that anyone may delete at any time.
//!
//! It holds facts that can't become wrong: the content of lines, by their blobs; the ancestors of a commit, by its id. So it is
//! never checked against the repository, only brought up to date. A file that is damaged, or of another version, is ignored.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::cache;
use crate::{
    git::{Oid, Repo},
    store::{Events, LogTips},
    timeline::Watch,
};

const FILE: &str = "index";

/// Number of tips with a kept reach: usually one for each worktree.
const TIPS: usize = 4;

/// Work that is repeated in each run until writing the file pays off; one note to parse counts 1.
const WORTH_WRITING: usize = 64;

pub struct Index {
    pub events: Arc<Events>,
    /// The last used tip comes first.
    pub reaches: Vec<Reach>,
    pub facts: Facts,
    /// Work since the file was written, in the unit of `WORTH_WRITING`.
    work: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reach {
    pub tip: Oid,
    pub length: u32,
    /// By the number of the anchor.
    pub anchors: Vec<Option<Reached>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reached {
    /// Committer's time, in seconds since 1970.
    pub time: i64,
    /// The place of the first commit on the line of first parents that contains it, counted from the root.
    pub merged: u32,
    pub is_on_main: bool,
}

#[derive(Debug, Default)]
pub struct Found {
    pub reach: Option<Reach>,
    /// The tip whose reach this one extends.
    pub grown_from: Option<Oid>,
    pub facts: Option<Facts>,
    /// In the unit of `WORTH_WRITING`.
    pub work: usize,
    /// True if nothing is missing; only then the facts may be kept.
    pub is_whole: bool,
}

/// Facts about pairs of commits that hold for every tip. Commits are numbered as in the list of anchors.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// True if the first contains the second.
    pub contains: BTreeMap<(u32, u32), bool>,
    /// Digests of watches; other fields refer to them by their place.
    watches: Vec<u64>,
    /// For two commits, the watches whose difference is known, and those that differ, one bit for each.
    changed: BTreeMap<(u32, u32), (u64, u64)>,
}

impl Facts {
    /// `None` if the index does not know it.
    pub fn is_changed(&self, from: u32, to: u32, watch: Watch) -> Option<bool> {
        let bit = 1
            << self
                .watches
                .iter()
                .position(|&known| known == watch.digest)?;
        let (known, differs) = self.changed.get(&(from, to))?;
        (known & bit != 0).then_some(differs & bit != 0)
    }

    pub fn remember(&mut self, from: u32, to: u32, digest: u64, is_changed: bool) {
        let place = self.watches.iter().position(|&known| known == digest);
        let place = place.unwrap_or_else(|| {
            if self.watches.len() == u64::BITS as usize {
                self.watches.clear();
                self.changed.clear();
            }
            self.watches.push(digest);
            self.watches.len() - 1
        });
        let (known, differs) = self.changed.entry((from, to)).or_default();
        *known |= 1 << place;
        *differs |= u64::from(is_changed) << place;
    }
}

impl Index {
    pub fn new(events: Events) -> Self {
        Self {
            events: Arc::new(events),
            reaches: Vec::new(),
            facts: Facts::default(),
            work: usize::MAX,
        }
    }

    pub fn load(repo: &Repo) -> Option<Self> {
        let (events, reaches, facts) = cache::load(repo, FILE)?;
        Some(Self {
            events: Arc::new(events),
            reaches,
            facts,
            work: 0,
        })
    }

    /// Brings the index up to date with other tips of the log; `None` if it is cheaper to start anew.
    pub fn updated(self, repo: &Repo, tips: &LogTips) -> Option<Self> {
        let events = Arc::into_inner(self.events)?;
        let (events, parsed) = events.updated(repo, tips)?;
        Some(Self {
            events: Arc::new(events),
            work: self.work.saturating_add(parsed),
            ..self
        })
    }

    /// Writes the file if that saves more than it costs; `keeps_reach` adds the reach of the tip.
    pub fn save(&self, repo: &Repo, found: Found, keeps_reach: bool) {
        if self.work.saturating_add(found.work) < WORTH_WRITING || !self.events.is_whole() {
            return;
        }
        let mut reaches = self.reaches.clone();
        if let Some(reach) = found.reach.filter(|_| keeps_reach) {
            // The reach that this one extends is replaced.
            reaches.retain(|known| Some(known.tip) != found.grown_from && known.tip != reach.tip);
            reaches.insert(0, reach);
            reaches.truncate(TIPS);
        }
        let facts = found.facts.as_ref().unwrap_or(&self.facts);
        cache::save(repo, FILE, &(&*self.events, reaches, facts));
    }
}
