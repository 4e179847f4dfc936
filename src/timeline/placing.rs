//! Decides which entries count, and on which of their commits.

use super::{Entry, Lineage, Timeline, Unknown};
use crate::{
    entry::Kind,
    git::Oid,
    store::{Events, Reading, Row},
};

impl Timeline {
    /// Finds the entries that count: an entry on several commits counts on the one that it names, else on the one with
    /// the fewest ancestors.
    pub(super) fn place(&mut self, events: &Events, lineage: &mut dyn Lineage) {
        let missing = events.missing().iter().copied();
        let missing: Vec<Oid> = missing.filter(|&anchor| lineage.contains(anchor)).collect();
        self.unknown.extend(missing.into_iter().map(Unknown::MissingNote));
        let anchors = 0..u32::try_from(events.anchor_count()).unwrap_or(u32::MAX);
        let times = anchors.map(|anchor| Some(lineage.reached(anchor)?.0));
        let commits: Vec<Option<i64>> = times.collect();
        let mut copies: Option<(u32, Row)> = None;
        // Where these copies stand.
        let mut places: Vec<u32> = Vec::new();
        let mut has_unread = false;
        for (place, row) in (0..).zip(events.rows()) {
            let commit = commits[row.anchor as usize];
            match (row.reading, row.kind) {
                (Reading::Read, Kind::Rederive) => {}
                (_, kind) if row.is_unread() => {
                    // For these, lines anywhere in the log count.
                    has_unread |= kind.is_of_sessions() || commit.is_some();
                    continue;
                }
                (_, _) if commit.is_none() => continue,
                (Reading::Text, _) => {
                    *self.texts.entry(row.anchor).or_default() += 1;
                    continue;
                }
                (_, kind) => {
                    self.other_kinds += 1;
                    let before = self.ends.last().map(|&last| &events.rows()[last as usize]);
                    let is_copy = before.is_some_and(|before| before.digest == row.digest);
                    if row.is(Kind::Session) && !is_copy {
                        self.ends.push(place);
                    }
                    let committed = commit.filter(|_| kind.is_of_sessions());
                    let committed = committed.filter(|_| events.is_at_head(row));
                    self.others.extend(committed.map(|time| (place, time)));
                    continue;
                }
            }
            // Copies of an entry are adjacent, because the digest is a part of the order.
            let is_copy = copies.is_some_and(|(_, before)| {
                before.millis == row.millis && before.digest == row.digest
            });
            match &mut copies {
                Some((best, before)) if is_copy => {
                    if is_better(events, lineage, &commits, row, before) {
                        (*best, *before) = (place, *row);
                    }
                }
                _ => {
                    self.add(copies.replace((place, *row)), &commits, &places);
                    places.clear();
                }
            }
            places.extend(commit.map(|_| row.anchor));
        }
        self.add(copies, &commits, &places);
        self.unknown.extend(events.unread().filter(|_| has_unread).map(Unknown::Unreadable));
    }

    fn add(&mut self, found: Option<(u32, Row)>, commits: &[Option<i64>], places: &[u32]) {
        let Some((place, row)) = found else {
            return;
        };
        match commits[row.anchor as usize] {
            None => self.elsewhere.push(place),
            Some(committed) => {
                self.imported += usize::from(row.is_imported());
                if places.len() > 1 {
                    let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
                    self.copies.insert(entry, places.to_vec());
                }
                self.entries.push(Entry { row: place, committed, next: None, store: 0 });
            }
        }
    }
}

/// Returns true if an entry counts at `row` rather than at its copy `other`.
fn is_better(
    events: &Events,
    lineage: &mut dyn Lineage,
    commits: &[Option<i64>],
    row: &Row,
    other: &Row,
) -> bool {
    let rank = |row: &Row| match commits[row.anchor as usize] {
        None => 2,
        Some(_) if !events.is_at_head(row) => 1,
        Some(_) => 0,
    };
    let (one, two) = (rank(row), rank(other));
    if one != two || one != 1 {
        return (one, events.anchor(row.anchor)) < (two, events.anchor(other.anchor));
    }
    let key = |row: &Row, lineage: &mut dyn Lineage| {
        (lineage.count_ancestors(row.anchor), events.anchor(row.anchor))
    };
    key(row, lineage) < key(other, lineage)
}
