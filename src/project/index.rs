//! What was parsed and found out before, in one file that anyone may delete at any time.
//!
//! It holds facts that can't become wrong: what lines say, by their blobs; what a commit contains, by its id. So it is
//! never checked against the repository, only brought up to date. A file that is damaged, or of another version, is as
//! good as none.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::cache;
use crate::{
    git::{Oid, Repo},
    store::{Events, LogTips},
    timeline::Watch,
};

/// The name of its file.
const FILE: &str = "index";

/// Number of tips that have what they contain kept: one for each worktree, as a rule.
const TIPS: usize = 4;

/// How much may be done again in each run before writing the file costs less; a note that is parsed counts one.
const WORTH_WRITING: usize = 64;

/// The log, and what is known of the commits that carry it.
pub struct Index {
    pub events: Arc<Events>,
    /// What some tips contain, the last one that was asked about first.
    pub reaches: Vec<Reach>,
    pub facts: Facts,
    /// What was done since the file was written.
    work: usize,
}

/// Which of the commits that carry entries one tip contains.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reach {
    pub tip: Oid,
    /// How many commits the line of first parents has.
    pub length: u32,
    /// Of each anchor, by its number.
    pub anchors: Vec<Option<Reached>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reached {
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The place of the first commit on the line of first parents that contains it, counted from the root.
    pub merged: u32,
    pub is_on_main: bool,
}

/// What was found out that the index did not have.
#[derive(Debug, Default)]
pub struct Found {
    pub reach: Option<Reach>,
    /// The tip whose reach this one was made from.
    pub grown_from: Option<Oid>,
    pub facts: Option<Facts>,
    /// As much work as parsing so many notes.
    pub work: usize,
    /// True if nothing is missing: then it may be kept.
    pub is_whole: bool,
}

/// What is true of pairs of commits whatever the tip. Commits are named by their numbers among the anchors.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// True if the first contains the second.
    pub contains: BTreeMap<(u32, u32), bool>,
    /// The digests of what is watched, each known by its place.
    watches: Vec<u64>,
    /// By the later commit.
    changed: Vec<Vec<Changed>>,
}

/// What differs between an earlier commit and a later one, a bit for each watch.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Changed {
    from: u32,
    known: u64,
    differs: u64,
}

impl Facts {
    /// Returns true if anything that is watched differs between two commits, where that is known.
    pub fn is_changed(&self, from: u32, to: u32, watch: Watch) -> Option<bool> {
        let bit = 1
            << self
                .watches
                .iter()
                .position(|&known| known == watch.digest)?;
        let mut pairs = self.changed.get(to as usize)?.iter();
        let pair = pairs.find(|pair| pair.from == from && pair.known & bit != 0)?;
        Some(pair.differs & bit != 0)
    }

    /// Remembers whether anything that is watched differs between two commits.
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
        let to = to as usize;
        if self.changed.len() <= to {
            self.changed.resize(to + 1, Vec::new());
        }
        let pairs = &mut self.changed[to];
        let pair = pairs.iter().position(|pair| pair.from == from);
        let pair = pair.unwrap_or_else(|| {
            pairs.push(Changed {
                from,
                known: 0,
                differs: 0,
            });
            pairs.len() - 1
        });
        pairs[pair].known |= 1 << place;
        pairs[pair].differs |= u64::from(is_changed) << place;
    }
}

#[derive(Serialize)]
struct FileRef<'i> {
    events: &'i Events,
    reaches: &'i [Reach],
    facts: &'i Facts,
}

#[derive(Deserialize)]
struct File {
    events: Events,
    reaches: Vec<Reach>,
    facts: Facts,
}

impl Index {
    /// An index of which nothing is written yet.
    pub fn new(events: Events) -> Self {
        Self {
            events: Arc::new(events),
            reaches: Vec::new(),
            facts: Facts::default(),
            work: usize::MAX,
        }
    }

    /// Reads the file; None where there is none that can be used.
    pub fn load(repo: &Repo) -> Option<Self> {
        let File {
            events,
            reaches,
            facts,
        } = cache::load(repo, FILE)?;
        Some(Self {
            events: Arc::new(events),
            reaches,
            facts,
            work: 0,
        })
    }

    /// The same at other tips of the log; None where it is cheaper to begin anew.
    pub fn updated(self, repo: &Repo, tips: &LogTips) -> Option<Self> {
        let events = Arc::into_inner(self.events)?;
        let (events, parsed) = events.updated(repo, tips)?;
        Some(Self {
            events: Arc::new(events),
            work: self.work.saturating_add(parsed),
            ..self
        })
    }

    /// Writes the file where that saves more than it costs. `keeps_reach` says whether what the tip contains is worth
    /// keeping. A file that can't be written is no error: the next run finds the same out again.
    pub fn save(&self, repo: &Repo, found: Found, keeps_reach: bool) {
        if self.work.saturating_add(found.work) < WORTH_WRITING || !self.events.is_whole() {
            return;
        }
        let mut reaches = self.reaches.clone();
        if let Some(reach) = found.reach.filter(|_| keeps_reach) {
            // What it was made from is its own past.
            reaches.retain(|known| Some(known.tip) != found.grown_from && known.tip != reach.tip);
            reaches.insert(0, reach);
            reaches.truncate(TIPS);
        }
        let file = FileRef {
            events: &self.events,
            reaches: &reaches,
            facts: found.facts.as_ref().unwrap_or(&self.facts),
        };
        cache::save(repo, FILE, &file);
    }
}
