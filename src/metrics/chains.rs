//! Lines that break the chain of the writer that they name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{entry::Person, store::Events};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenChain {
    pub sid: String,
    pub by: Option<Person>,
    pub lines: usize,
}

/// The lines of the whole log that break a chain, by the session that they name.
pub fn broken_chains(events: &Events) -> Vec<BrokenChain> {
    let mut found: BTreeMap<&str, BrokenChain> = BTreeMap::new();
    // Copies of a line are adjacent.
    for copies in events.rows().chunk_by(|one, two| one.digest == two.digest) {
        let row = &copies[0];
        if row.breaks_chain {
            let sid = events.sid(row);
            let broken = found.entry(sid).or_insert_with(|| BrokenChain {
                sid: sid.to_owned(),
                by: events.by(row),
                lines: 0,
            });
            broken.lines += 1;
        }
    }
    found.into_values().collect()
}
