//! Clock skew: entries older than their commit, or dated in the future.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::{
    entry::Person,
    store::{Events, Row},
    timeline::Timeline,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockSkew {
    pub sid: String,
    pub by: Option<Person>,
    /// Number of entries older than the commit that they name.
    pub early: usize,
    /// Number of entries dated in the future.
    pub ahead: usize,
}

/// The sessions with entries that are older, by more than `tolerance`, than the commit that they name and are attached
/// to. Imported entries are exempt: this clone can't vouch for their times.
pub fn clock(timeline: &Timeline, tolerance: SignedDuration) -> Vec<ClockSkew> {
    let events = &timeline.events;
    let rederived = (0..)
        .zip(&timeline.entries)
        .map(|(number, entry)| (timeline.row(number), entry.committed));
    let rederived = rederived.filter(|(row, _)| events.is_at_head(row));
    let others = timeline.others.iter();
    let others = others.map(|&(place, committed)| (&events.rows()[place as usize], committed));
    let tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
    let is_early = |&(row, committed): &(&Row, i64)| {
        let committed = committed.saturating_mul(1000);
        !row.is_imported() && !row.is_ahead && row.millis < committed.saturating_sub(tolerance)
    };
    let mut found: BTreeMap<(&str, &str), ClockSkew> = BTreeMap::new();
    for (row, _) in rederived.chain(others).filter(is_early) {
        skew(events, row, &mut found).early += 1;
    }
    // Copies of a line are adjacent.
    for copies in events.rows().chunk_by(|one, two| one.digest == two.digest) {
        if copies[0].is_ahead {
            skew(events, &copies[0], &mut found).ahead += 1;
        }
    }
    found.into_values().collect()
}

fn skew<'f, 'e>(
    events: &'e Events,
    row: &Row,
    found: &'f mut BTreeMap<(&'e str, &'e str), ClockSkew>,
) -> &'f mut ClockSkew {
    let session = (events.sid(row), events.writer(row));
    found.entry(session).or_insert_with(|| ClockSkew {
        sid: events.sid(row).to_owned(),
        by: events.by(row),
        early: 0,
        ahead: 0,
    })
}
