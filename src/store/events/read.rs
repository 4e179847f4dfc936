//! Reads the log from notes trees, and updates it by the changes in them.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    super::{Error, LogTips, read::more},
    Events, Row,
};
use crate::{
    entry::lines_of,
    git::{Note, Oid, Repo},
};

/// The most rows of notes that share a text with another: it costs a push next to nothing to name one on any number of
/// commits.
const MOST_ROWS: usize = 1_000_000;

impl Events {
    pub fn read(repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        let tips: Vec<Oid> = tips.commits().collect();
        let mut notes = tips.first().map(|tip| repo.notes(*tip)).transpose()?.unwrap_or_default();
        let mut events = Self { more: more(repo, &tips)?, tips, ..Self::default() };
        notes.extend(&events.more);
        events.parse(repo, notes);
        Ok(events)
    }

    pub fn of_notes<'n>(notes: impl IntoIterator<Item = (Oid, &'n [u8])>) -> Self {
        let mut events = Self::default();
        for (anchor, text) in notes {
            events.add(&[Note { anchor, blob: Oid::null() }], text);
        }
        events.put_in_order();
        events
    }

    /// Updates the log to other tips. The cost is that of the difference. `None` if reading all again is cheaper, or an
    /// object is missing.
    pub fn updated(mut self, repo: &Repo, tips: &LogTips) -> Option<Self> {
        let commits: Vec<Oid> = tips.commits().collect();
        if commits == self.tips {
            return Some(self);
        }
        let (&old, &new) = (self.tips.first()?, commits.first()?);
        let (removed, added) = repo.notes_changed(old, new).ok()?;
        let more = more(repo, &commits).ok()?;
        let [before, now] = [&self.more, &more].map(|notes| notes.iter().collect::<HashSet<_>>());
        let changed = removed.iter().chain(&added);
        let changed = changed.chain(before.symmetric_difference(&now).copied());
        let changed: HashSet<Oid> = changed.map(|note| note.anchor).collect();
        // Tables only grow, and are rebuilt from time to time.
        let too_much = changed.len() + self.dropped > 1000 + self.rows.len() / 2;
        if too_much || !self.is_whole() {
            return None;
        }
        let rows = self.rows.len();
        let tables = &self.tables;
        self.rows.retain(|row| !changed.contains(&tables.anchor(row.anchor)));
        self.dropped += rows - self.rows.len();
        let others = more.iter().copied();
        let mut notes: Vec<Note> = others.filter(|note| changed.contains(&note.anchor)).collect();
        let mut reader = repo.notes_reader(new).ok()?;
        for anchor in changed {
            notes.extend(reader.get(anchor).ok()?.into_iter().map(|blob| Note { anchor, blob }));
        }
        (self.more, self.tips) = (more, commits);
        self.parse(repo, notes);
        Some(self)
    }

    /// The log at a moment, in milliseconds since 1970: a line that states a later time sorts before all others. `None`
    /// if no line does.
    pub fn believed(&self, moment: i64) -> Option<Self> {
        let first = self.rows.partition_point(|row| row.millis <= moment);
        let later = self.rows.get(first..).unwrap_or_default();
        if !later.iter().any(|row| self.stated(row) > moment) {
            return None;
        }
        let mut events = self.clone();
        for row in &mut events.rows[first..] {
            if self.stated(row) > moment {
                row.millis = 0;
                row.is_ahead = true;
                if row.is_imported() {
                    events.tables.origins[row.origin as usize - 1].stated = 0;
                }
            }
        }
        events.put_in_order();
        Some(events)
    }

    /// The latest stated time, in milliseconds since 1970.
    pub fn newest(&self) -> i64 {
        self.rows.iter().map(|row| self.stated(row)).max().unwrap_or(i64::MIN)
    }

    fn stated(&self, row: &Row) -> i64 {
        let origin = self.tables.origin(row);
        origin.map_or(row.millis, |origin| origin.stated)
    }

    #[must_use]
    pub fn excerpt<'r>(&'r self, rows: impl Iterator<Item = &'r Row>) -> Self {
        let mut excerpt = Self::default().with_names(self.mailmap.clone());
        for row in rows {
            excerpt.copy(self, row);
        }
        excerpt.put_in_order();
        excerpt
    }

    /// Adds the lines of notes. A text that several notes share is parsed once.
    fn parse(&mut self, repo: &Repo, mut notes: Vec<Note>) {
        notes.sort_unstable_by_key(|note| (note.blob, note.anchor));
        notes.dedup();
        self.parsed += notes.len();
        let same: Vec<&[Note]> = notes.chunk_by(|one, two| one.blob == two.blob).collect();
        let blobs: Vec<Oid> = same.iter().map(|notes| notes[0].blob).collect();
        let rows = AtomicUsize::new(0);
        let step = |piece: &mut Self, place: usize, text: &[u8]| {
            let notes = same[place];
            let more = lines_of(text).count() * notes.len();
            let fits = rows.fetch_add(more, Ordering::Relaxed) + more <= MOST_ROWS;
            let (read, left) = notes.split_at(if fits { notes.len() } else { 1 });
            piece.add(read, text);
            piece.missing.extend(left.iter().map(|note| note.anchor));
        };
        let (pieces, unread) = repo.fold_blobs(&blobs, Self::default, step);
        for piece in pieces {
            self.missing.extend(&piece.missing);
            for row in &piece.rows {
                self.copy(&piece, row);
            }
        }
        let unread = unread.into_iter().flat_map(|place| same[place]);
        self.missing.extend(unread.map(|note| note.anchor));
        self.missing.sort_unstable();
        self.put_in_order();
    }

    fn put_in_order(&mut self) {
        self.keep_files_in_order();
        let tables = &self.tables;
        self.rows.sort_by(|one, two| {
            one.millis.cmp(&two.millis).then_with(|| {
                let place = |row: &Row| {
                    let origin = tables.origin(row);
                    let place = origin.map_or((row.id, 0), |origin| (origin.leader, origin.line));
                    (tables.text(place.0), place.1)
                };
                let line = |row: &Row| (tables.text(row.id), row.digest, tables.anchor(row.anchor));
                // Two clones that imported one file have lines that differ in their origin alone.
                let copy = |row: &Row| (row.place, tables.blobs.get_index(row.blob as usize));
                place(one)
                    .cmp(&place(two))
                    .then_with(|| line(one).cmp(&line(two)))
                    .then_with(|| copy(one).cmp(&copy(two)))
            })
        });
        // Several notes of one commit, local and fetched, may have the same line.
        self.rows.dedup_by_key(|row| (row.millis, row.digest, row.anchor));
        self.find_redacted();
    }

    /// Keeps the order of an imported file: each entry counts at the latest time stated up to it.
    fn keep_files_in_order(&mut self) {
        let tables = &self.tables;
        let imported = self.rows.iter().enumerate().filter_map(|(number, row)| {
            let origin = tables.origin(row)?;
            Some(((origin.file, origin.line, tables.text(row.id), row.digest), number))
        });
        let mut imported: Vec<_> = imported.collect();
        imported.sort_unstable();
        let numbers: Vec<usize> = imported.into_iter().map(|(_, number)| number).collect();
        let mut before: Option<(u32, i64, (u32, u32))> = None;
        for number in numbers {
            let row = &mut self.rows[number];
            let origin = &mut self.tables.origins[row.origin as usize - 1];
            (row.millis, origin.leader) = match before {
                Some((file, millis, leader)) if file == origin.file && origin.stated <= millis => {
                    (millis, leader)
                }
                _ => (origin.stated, row.id),
            };
            before = Some((origin.file, row.millis, origin.leader));
        }
    }
}
