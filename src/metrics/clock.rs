//! Times that can't be: an entry older than the commit that it names, or younger than the log that holds it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::entry::Ts;

/// An entry's time, and what it is held against.
#[derive(Debug, Clone)]
pub struct Stamp {
    pub ts: Ts,
    pub sid: String,
    pub writer: Option<String>,
    /// When the commit was made that it names, where it is anchored to that very commit.
    pub committed: Option<Timestamp>,
    /// Nobody here vouches for its time.
    pub imported: bool,
}

/// A session with times that can't be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadClock {
    pub sid: String,
    /// Entries that are earlier than the commit that they name.
    pub early: usize,
    /// Entries that are later than the end of the log.
    pub late: usize,
}

/// Sessions with entries that are earlier than their commit, or later than the newest notes commit, by more than
/// `tolerance`. What was imported is exempt.
pub fn clock(
    stamps: impl Iterator<Item = Stamp>,
    newest_notes: Option<Timestamp>,
    tolerance: SignedDuration,
) -> Vec<BadClock> {
    let mut found: BTreeMap<(String, Option<String>), BadClock> = BTreeMap::new();
    let latest = newest_notes.and_then(|time| time.checked_add(tolerance).ok());
    for stamp in stamps.filter(|stamp| !stamp.imported) {
        let time = stamp.ts.timestamp();
        let earliest = stamp
            .committed
            .and_then(|time| time.checked_sub(tolerance).ok());
        let early = earliest.is_some_and(|earliest| time < earliest);
        let late = latest.is_some_and(|latest| time > latest);
        if !early && !late {
            continue;
        }
        let key = (stamp.sid.clone(), stamp.writer);
        let session = found.entry(key).or_insert_with(|| BadClock {
            sid: stamp.sid,
            early: 0,
            late: 0,
        });
        session.early += usize::from(early);
        session.late += usize::from(late);
    }
    found.into_values().collect()
}
