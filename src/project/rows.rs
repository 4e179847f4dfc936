use std::collections::HashSet;

use super::Project;
use crate::{
    entry::Kind,
    git::Oid,
    store::{Events, Reading, Row},
    timeline::Timeline,
};

#[derive(Clone, Copy)]
pub enum Range<'r> {
    /// The commits that the tip contains; answers are taken from the timeline.
    Tip(&'r Timeline),
    All(&'r Events),
}

impl Project {
    /// Readable lines that are wanted, newest first, each once: preferably on the commit that it names.
    pub fn rows(&self, range: Range, is_wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
        let events = match range {
            Range::Tip(timeline) => &timeline.events,
            Range::All(events) => events,
        };
        let rows = (0..).zip(events.rows());
        let mut rows: Vec<(u32, &Row)> = rows
            .filter(|(_, row)| is_entry(row) && is_wanted(row))
            .collect();
        if let Range::Tip(timeline) = range {
            let answers: HashSet<u32> = timeline.entries.iter().map(|entry| entry.row).collect();
            let others = rows.iter().filter(|(_, row)| !row.is(Kind::Rederive));
            let anchors: HashSet<u32> = others.map(|(_, row)| row.anchor).collect();
            let anchors = anchors.into_iter().map(|anchor| events.anchor(anchor));
            let anchors: Vec<Oid> = anchors.collect();
            let here = if anchors.is_empty() {
                HashSet::new()
            } else {
                self.repo.contained(self.tip, &anchors)
            };
            rows.retain(|(number, row)| {
                if row.is(Kind::Rederive) {
                    answers.contains(number)
                } else {
                    here.contains(&events.anchor(row.anchor))
                }
            });
        }
        let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| *row).collect();
        // Copies of a line are neighbours, because the digest is a part of the order.
        rows.dedup_by(|row, kept| {
            let is_copy = row.millis == kept.millis && row.digest == kept.digest;
            if is_copy && events.is_at_head(row) {
                *kept = *row;
            }
            is_copy
        });
        rows.reverse();
        rows
    }
}

pub(super) fn is_entry(row: &Row) -> bool {
    !matches!(row.reading, Reading::Unreadable | Reading::Text)
}
