//! The times of entries beside those of the commits that they name.

use jiff::Timestamp;

use crate::{
    entry::Stamp,
    git::{History, Oid},
    session::EventLog,
    timeline::Timeline,
};

/// The stamps of all entries that the timeline or a replay reads, each with the time of the commit that it names where
/// it is anchored to that very commit.
pub fn stamps<'t>(
    timeline: &'t Timeline,
    history: &'t History,
    events: &'t EventLog,
) -> impl Iterator<Item = (Stamp, Option<Timestamp>)> + use<'t> {
    let rederived = timeline.entries.iter().map(|placed| {
        let entry = &placed.entry;
        let named: Option<Oid> = entry.head.parse().ok();
        let is_there = named == Some(placed.anchor);
        let stamp = Stamp {
            ts: entry.ts.clone(),
            sid: entry.sid.to_string(),
            writer: entry.writer.as_deref().map(str::to_owned),
            imported: entry.imported,
        };
        (stamp, second(placed.committed).filter(|_| is_there))
    });
    let others = events.stamps().into_iter().map(|event| {
        let named = event.source.head.parse().ok();
        let named = named.filter(|commit| event.anchors.contains(commit));
        let node = named.and_then(|commit| history.find(commit));
        let stamp = Stamp {
            ts: event.ts,
            sid: event.source.sid,
            writer: event.source.writer,
            imported: event.source.imported,
        };
        (stamp, node.and_then(|node| second(history.time(node))))
    });
    rederived.chain(others)
}

fn second(time: i64) -> Option<Timestamp> {
    Timestamp::from_second(time).ok()
}
