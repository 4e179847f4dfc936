//! Times that can't be: an entry older than the commit that it names, or younger than the log that holds it.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::entry::Stamp;

/// A session with times that can't be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadClock {
    pub sid: String,
    /// Entries that are earlier than the commit that they name.
    pub early: usize,
    /// Entries that are later than the first notes commit that holds them.
    pub late: usize,
}

/// Sessions with entries that are earlier than their commit by more than `tolerance`, or among those that are `ahead`
/// of the log. What was imported is exempt.
///
/// `stamps` has the time of the commit that an entry names beside it, where the entry is anchored to that very commit.
pub fn clock(
    stamps: impl Iterator<Item = (Stamp, Option<Timestamp>)>,
    ahead: impl Iterator<Item = Stamp>,
    tolerance: SignedDuration,
) -> Vec<BadClock> {
    let is_early = |ts: Timestamp, committed: Timestamp| {
        committed
            .checked_sub(tolerance)
            .is_ok_and(|earliest| ts < earliest)
    };
    let early = stamps.filter(|(stamp, committed)| {
        committed.is_some_and(|committed| is_early(stamp.ts.timestamp(), committed))
    });
    let early = early.map(|(stamp, _)| (stamp, 1, 0));
    let late = ahead.map(|stamp| (stamp, 0, 1));
    let mut found: BTreeMap<(String, Option<String>), BadClock> = BTreeMap::new();
    for (stamp, early, late) in early.chain(late).filter(|(stamp, ..)| !stamp.imported) {
        let key = (stamp.sid.clone(), stamp.writer);
        let session = found.entry(key).or_insert_with(|| BadClock {
            sid: stamp.sid,
            early: 0,
            late: 0,
        });
        session.early += early;
        session.late += late;
    }
    found.into_values().collect()
}
