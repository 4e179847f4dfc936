//! The entries of a timeline together with those of other kinds.

use std::collections::HashSet;

use super::Project;
use crate::{
    entry::Kind,
    git::Oid,
    store::{Reading, Row},
    timeline::Timeline,
};

impl Project {
    /// The lines of the wanted kinds that the tip contains, each once, oldest first: answers where the timeline has
    /// them, the others on the first of their commits.
    pub fn rows_of<'t>(
        &self,
        timeline: &'t Timeline,
        is_wanted: impl Fn(Kind) -> bool,
    ) -> Vec<&'t Row> {
        let count = u32::try_from(timeline.entries.len()).unwrap_or(u32::MAX);
        let answers = (0..count).map(|entry| timeline.row(entry));
        let others = self.other_rows(timeline, &is_wanted);
        if others.is_empty() {
            return answers.filter(|row| is_wanted(row.kind)).collect();
        }
        let key = |row: &Row| (row.millis, row.digest, row.anchor);
        let wanted = answers.filter(|row| is_wanted(row.kind)).chain(others);
        let wanted: HashSet<_> = wanted.map(key).collect();
        let rows = timeline.events.rows().iter();
        let mut rows: Vec<&Row> = rows.filter(|row| wanted.contains(&key(row))).collect();
        // Copies of a line stand side by side, because the digest is a part of the order.
        rows.dedup_by_key(|row| (row.millis, row.digest));
        rows
    }

    /// The lines in the tip's history that are of the wanted kinds and no answers.
    fn other_rows<'t>(
        &self,
        timeline: &'t Timeline,
        is_wanted: impl Fn(Kind) -> bool,
    ) -> Vec<&'t Row> {
        let events = &timeline.events;
        let is_other = |row: &&Row| {
            is_wanted(row.kind)
                && !matches!(row.reading, Reading::Unreadable | Reading::Text)
                && !row.is(Kind::Rederive)
        };
        let mut rows: Vec<&Row> = events.rows().iter().filter(is_other).collect();
        if rows.is_empty() {
            return rows;
        }
        let anchors: HashSet<u32> = rows.iter().map(|row| row.anchor).collect();
        let anchors = anchors.into_iter().map(|anchor| events.anchor(anchor));
        let here = self
            .repo
            .contained(self.tip, &anchors.collect::<Vec<Oid>>());
        rows.retain(|row| here.contains(&events.anchor(row.anchor)));
        rows
    }
}
