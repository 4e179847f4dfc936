//! What was parsed and found out before, in one file that anyone may delete at any time.
//!
//! It holds facts that can't become wrong: what lines say, by their blobs; what a commit contains, by its id. So it is
//! never checked against the repository, only brought up to date. A file that is damaged, or of another version, is as
//! good as none.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    git::{Oid, Repo},
    store::{Events, LogTips, state_dir},
    timeline::Watch,
};

/// Changed whenever the file's content means something else than before.
const FORMAT: &str = concat!("git-sq index 3 of ", env!("CARGO_PKG_VERSION"), "\n");

/// How many tips have what they contain kept: one for each worktree, as a rule.
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
    /// Of each anchor, by its number.
    pub anchors: Vec<Option<Reached>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reached {
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// Whether it is on the line of first parents: any two of these are in line.
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
    /// Whether nothing is missing: then it may be kept.
    pub is_whole: bool,
}

/// What is true of pairs of commits whatever the tip. Commits are named by their numbers among the anchors.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// Whether one of the two contains the other.
    pub in_line: BTreeMap<(u32, u32), bool>,
    /// Whether anything differs between the two that is watched, by the digest of that.
    pub changed: BTreeMap<(u32, u32), Vec<(u64, bool)>>,
}

impl Facts {
    /// Whether anything that is watched differs between two commits, where that is known.
    pub fn is_changed(&self, from: u32, to: u32, watch: Watch) -> Option<bool> {
        let known = self.changed.get(&(from, to))?.iter();
        known
            .copied()
            .find_map(|(digest, is_changed)| (digest == watch.digest).then_some(is_changed))
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

fn path(repo: &Repo) -> PathBuf {
    state_dir(repo).join("cache").join("index")
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
        let path = path(repo);
        // Reading a pipe would block.
        let bytes = fs::metadata(&path)
            .ok()
            .filter(fs::Metadata::is_file)
            .and_then(|_| fs::read(&path).ok())?;
        let (sum, content) = bytes.strip_prefix(FORMAT.as_bytes())?.split_at_checked(4)?;
        if crc32fast::hash(content).to_le_bytes() != sum {
            return None;
        }
        let File {
            events,
            reaches,
            facts,
        } = postcard::from_bytes(content).ok()?;
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
        if self.work.saturating_add(found.work) < WORTH_WRITING || !self.events.missing().is_empty()
        {
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
        let Ok(content) = postcard::to_stdvec(&file) else {
            return;
        };
        let sum = crc32fast::hash(&content).to_le_bytes();
        let bytes = [FORMAT.as_bytes(), &sum, &content].concat();
        let path = path(repo);
        let dir = path.parent().unwrap_or(&path);
        let written = fs::create_dir_all(dir)
            .and_then(|()| tempfile::NamedTempFile::new_in(dir))
            .and_then(|file| fs::write(file.path(), &bytes).map(|()| file));
        if let Ok(file) = written {
            let _ = file.persist(&path);
        }
    }
}
