//! The times of entries beside those of the commits that they name.

use jiff::Timestamp;

use crate::{git::History, metrics::Stamp, session::EventLog, timeline::Timeline};

/// The times of all entries that the timeline or a replay reads.
pub fn stamps<'t>(
    timeline: &'t Timeline,
    history: &'t History,
    events: &'t EventLog,
) -> impl Iterator<Item = Stamp> + use<'t> {
    let rederived = timeline.entries.iter().map(|placed| {
        let entry = &placed.entry;
        let is_there = entry.head == placed.anchor.to_string().as_str();
        Stamp {
            ts: entry.ts.clone(),
            sid: entry.sid.to_string(),
            writer: entry.writer.as_deref().map(str::to_owned),
            committed: second(placed.committed).filter(|_| is_there),
            imported: entry.imported,
        }
    });
    let others = events.stamps().into_iter().map(|event| {
        let named = event.source.head.parse().ok();
        let named = named.filter(|commit| event.anchors.contains(commit));
        let node = named.and_then(|commit| history.find(commit));
        Stamp {
            ts: event.ts,
            sid: event.source.sid,
            writer: event.source.writer,
            committed: node.and_then(|node| second(history.time(node))),
            imported: event.source.imported,
        }
    });
    rederived.chain(others)
}

fn second(time: i64) -> Option<Timestamp> {
    Timestamp::from_second(time).ok()
}
