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
        let key = |row: &Row| (row.millis, row.digest, row.anchor);
        let entries = (0..).zip(&timeline.entries);
        let answers: HashSet<_> = entries.map(|(entry, _)| key(timeline.row(entry))).collect();
        let others = self.contained_anchors(timeline, &is_wanted);
        let is_here = |row: &&Row| match row.kind {
            Kind::Rederive if row.reading == Reading::Read => answers.contains(&key(row)),
            _ => {
                row.reading != Reading::Unreadable
                    && others.contains(&timeline.events.anchor(row.anchor))
            }
        };
        let rows = timeline.events.rows().iter();
        let mut rows: Vec<&Row> = rows
            .filter(|row| is_wanted(row.kind))
            .filter(is_here)
            .collect();
        // Copies of a line stand side by side, because the digest is a part of the order.
        rows.dedup_by_key(|row| (row.millis, row.digest));
        rows
    }

    /// The commits in the tip's history that carry lines of the wanted kinds other than answers.
    fn contained_anchors(
        &self,
        timeline: &Timeline,
        is_wanted: impl Fn(Kind) -> bool,
    ) -> HashSet<Oid> {
        let events = &timeline.events;
        let rows = events.rows().iter().filter(|row| is_wanted(row.kind));
        let rows = rows.filter(|row| !row.is(Kind::Rederive));
        let anchors: HashSet<u32> = rows.map(|row| row.anchor).collect();
        let anchors = anchors.into_iter().map(|anchor| events.anchor(anchor));
        self.repo
            .contained(self.tip, &anchors.collect::<Vec<Oid>>())
    }
}
