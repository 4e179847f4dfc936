//! Suspect lines: older than their commit, dated in the future, or off the chain of the writer that they name.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::{entry::Person, question::ClosedKind, store::Row, timeline::Timeline};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    pub sid: String,
    pub by: Option<Person>,
    /// Number of entries older than the commit that they name.
    pub early: usize,
    pub ahead: usize,
    /// Number of lines that break the chain of the writer that they name.
    pub off_chain: usize,
}

/// The sessions with suspect lines. An entry is early if it is older, by more than `tolerance`, than the commit that it
/// names and is attached to. Exempt are imported entries, for whose times this clone can't vouch, and those that a person accepted.
pub fn suspects(timeline: &Timeline, tolerance: SignedDuration) -> Vec<Suspect> {
    let events = &timeline.events;
    let rederived =
        (0..).zip(&timeline.entries).map(|(number, entry)| (timeline.row(number), entry.committed));
    let rederived = rederived.filter(|(row, _)| events.is_at_head(row));
    let others = timeline.others.iter();
    let others = others.map(|&(place, committed)| (&events.rows()[place as usize], committed));
    let is_early = |&(row, committed): &(&Row, i64)| row.is_older_than(committed, tolerance);
    let closed = &timeline.questions.closed;
    let is_closed = |row| closed.has(ClosedKind::Look, &events.reference(row));
    let mut found: BTreeMap<(&str, &str), Suspect> = BTreeMap::new();
    let mut count = |row, early, ahead, off_chain| {
        let session = (events.sid(row), events.writer(row));
        let suspect = found.entry(session).or_insert_with(|| Suspect {
            sid: events.sid(row).to_owned(),
            by: events.by(row),
            ..Suspect::default()
        });
        suspect.early += usize::from(early);
        suspect.ahead += usize::from(ahead);
        suspect.off_chain += usize::from(off_chain);
    };
    for (row, _) in rederived.chain(others).filter(is_early).filter(|(row, _)| !is_closed(row)) {
        count(row, true, false, false);
    }
    // Copies of a line are adjacent.
    for copies in events.rows().chunk_by(|one, two| one.digest == two.digest) {
        let row = &copies[0];
        let is_ahead = row.is_ahead && !is_closed(row);
        if is_ahead || row.breaks_chain {
            count(row, false, is_ahead, row.breaks_chain);
        }
    }
    found.into_values().collect()
}
