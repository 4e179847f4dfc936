//! Entries with an impossible time: earlier than the commit they name.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::entry::Stamp;

/// A session with impossible times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadClock {
    pub sid: String,
    /// Entries that are earlier than the commit they name.
    pub early: usize,
}

/// Sessions with entries that are earlier than their commit by more than `tolerance`; imported entries are exempt.
///
/// `stamps` pairs each entry with the time of the commit it names, where it is anchored to that very commit.
pub fn clock(
    stamps: impl Iterator<Item = (Stamp, Option<Timestamp>)>,
    tolerance: SignedDuration,
) -> Vec<BadClock> {
    let is_early = |stamp: &Stamp, committed: Timestamp| {
        committed
            .checked_sub(tolerance)
            .is_ok_and(|earliest| stamp.ts.timestamp() < earliest)
    };
    let mut found: BTreeMap<(String, Option<String>), BadClock> = BTreeMap::new();
    for (stamp, committed) in stamps {
        if !stamp.imported && committed.is_some_and(|committed| is_early(&stamp, committed)) {
            let key = (stamp.sid.clone(), stamp.writer);
            let session = found.entry(key).or_insert_with(|| BadClock {
                sid: stamp.sid,
                early: 0,
            });
            session.early += 1;
        }
    }
    found.into_values().collect()
}
