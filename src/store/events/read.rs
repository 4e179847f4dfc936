//! Reads the log from notes trees, and updates it by the changes in them.

use std::collections::{HashMap, HashSet};

use super::{
    super::{
        Error, LogTips,
        names::{absorb, absorb_all},
        read::more,
    },
    Answer, Events, Origin, Row, number,
    piece::Piece,
};
use crate::git::{Note, Oid, Repo};

impl Events {
    pub fn read(repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        let tips: Vec<Oid> = tips.commits().collect();
        let first = tips.first().map(|tip| repo.notes(*tip)).transpose()?;
        let mut notes = first.unwrap_or_default();
        let mut events = Self {
            more: more(repo, &tips)?,
            tips,
            mailmap: repo.mailmap(),
            ..Self::default()
        };
        notes.extend(&events.more);
        events.parse(repo, notes);
        Ok(events)
    }

    pub fn of_notes<'n>(notes: impl IntoIterator<Item = (Oid, &'n [u8])>) -> Self {
        let mut piece = Piece::default();
        for (anchor, text) in notes {
            let blob = Oid::null();
            piece.add(&[Note { anchor, blob }], text);
        }
        let mut events = Self::default();
        events.absorb(piece);
        events.put_in_order();
        events
    }

    /// Updates the log to other tips; returns the number of notes read for it. The cost is that of the difference.
    /// `None` if reading all again is cheaper, or an object is missing.
    pub fn updated(mut self, repo: &Repo, tips: &LogTips) -> Option<(Self, usize)> {
        self.mailmap = repo.mailmap();
        let commits: Vec<Oid> = tips.commits().collect();
        if commits == self.tips {
            return Some((self, 0));
        }
        let (&old, &new) = (self.tips.first()?, commits.first()?);
        let (removed, added) = repo.notes_changed(old, new).ok()?;
        let more = more(repo, &commits).ok()?;
        let mut changed: HashSet<Oid> = removed
            .iter()
            .chain(&added)
            .map(|note| note.anchor)
            .collect();
        let others: (HashSet<&Note>, HashSet<&Note>) =
            (self.more.iter().collect(), more.iter().collect());
        let differ = others.0.symmetric_difference(&others.1);
        changed.extend(differ.map(|note| note.anchor));
        // Tables only grow, and are rebuilt from time to time.
        let too_much = changed.len() + self.dropped > 1000 + self.rows.len() / 2;
        if too_much || !self.is_whole() {
            return None;
        }
        self.more = more;
        self.tips = commits;
        let rows = self.rows.len();
        let numbers: HashSet<u32> = (0..)
            .zip(&self.tables.anchors)
            .filter(|(_, anchor)| changed.contains(anchor))
            .map(|(number, _)| number)
            .collect();
        self.rows.retain(|row| !numbers.contains(&row.anchor));
        self.dropped += rows - self.rows.len();
        let others = self.more.iter().copied();
        let mut notes: Vec<Note> = others
            .filter(|note| changed.contains(&note.anchor))
            .collect();
        let mut reader = repo.notes_reader(new).ok()?;
        for anchor in changed {
            let blobs = reader.get(anchor).ok()?.into_iter();
            notes.extend(blobs.map(|blob| Note { anchor, blob }));
        }
        let notes = in_order(notes);
        let parsed = notes.len();
        self.parse(repo, notes);
        Some((self, parsed))
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

    /// The range of moments, end excluded, in which the same lines are ahead as at this moment.
    pub fn believed_while(&self, moment: i64) -> (i64, i64) {
        let stated = || self.rows.iter().map(|row| self.stated(row));
        let before = stated().filter(|&time| time <= moment).max();
        let after = stated().filter(|&time| time > moment).min();
        (before.unwrap_or(i64::MIN), after.unwrap_or(i64::MAX))
    }

    fn stated(&self, row: &Row) -> i64 {
        let origin = self.tables.origin(row);
        origin.map_or(row.millis, |origin| origin.stated)
    }

    #[must_use]
    pub fn excerpt<'r>(&'r self, rows: impl Iterator<Item = &'r Row>) -> Self {
        let mut piece = Piece::default();
        for row in rows {
            piece.copy(self, row);
        }
        let mut excerpt = Self::default().with_names(self.mailmap.clone());
        excerpt.absorb(piece);
        excerpt.put_in_order();
        excerpt
    }

    /// Adds the lines of notes. A text that several notes share is parsed once.
    fn parse(&mut self, repo: &Repo, mut notes: Vec<Note>) {
        notes.sort_unstable_by_key(|note| (note.blob, note.anchor));
        let same: Vec<&[Note]> = notes.chunk_by(|one, two| one.blob == two.blob).collect();
        let blobs: Vec<Oid> = same.iter().map(|notes| notes[0].blob).collect();
        let step = |piece: &mut Piece, place: usize, text: &[u8]| {
            piece.add(same[place], text);
        };
        let (pieces, unread) = repo.fold_blobs(&blobs, Piece::default, step);
        for piece in pieces {
            self.absorb(piece);
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
                let copy = |row: &Row| (row.place, tables.blobs.get(row.blob as usize));
                place(one)
                    .cmp(&place(two))
                    .then_with(|| line(one).cmp(&line(two)))
                    .then_with(|| copy(one).cmp(&copy(two)))
            })
        });
        // Several notes of one commit, local and fetched, may have the same line.
        self.rows
            .dedup_by_key(|row| (row.millis, row.digest, row.anchor));
        self.find_redacted();
    }

    /// Keeps the order of an imported file: each entry counts at the latest time stated up to it.
    fn keep_files_in_order(&mut self) {
        let tables = &self.tables;
        let rows = self.rows.iter().enumerate();
        let imported = rows.filter_map(|(number, row)| {
            let origin = tables.origin(row)?;
            let place = (origin.file, origin.line, tables.text(row.id), row.digest);
            Some((place, number))
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

    fn absorb(&mut self, piece: Piece) {
        let tables = &mut self.tables;
        let sorted = |numbers: HashMap<(u32, u32), u32>| {
            let mut pairs: Vec<_> = numbers.into_iter().collect();
            pairs.sort_unstable_by_key(|(_, number)| *number);
            pairs
        };
        let names = absorb(&mut tables.names, &piece.names.names);
        let name = |number: u32| names.get(number as usize).copied().unwrap_or(0);
        let questions = sorted(piece.questions).into_iter();
        let questions: Vec<_> = questions
            .map(|((id, version), _)| (name(id), version))
            .collect();
        let questions = absorb_all(&mut tables.questions, &questions);
        let sessions = sorted(piece.sessions).into_iter();
        let sessions: Vec<_> = sessions
            .map(|((sid, by), _)| (name(sid), name(by)))
            .collect();
        let sessions = absorb_all(&mut tables.sessions, &sessions);
        let anchors = absorb_all(&mut tables.anchors, &distinct(&piece.anchors));
        let anchor_of: HashMap<Oid, u32> =
            distinct(&piece.anchors).into_iter().zip(anchors).collect();
        let first_blob = number(tables.blobs.len());
        tables.blobs.extend(&piece.blobs);
        let shift = number(tables.text.len());
        tables.text.push_str(&piece.text);
        let first_answer = number(tables.answers.len());
        tables
            .answers
            .extend(piece.answers.into_iter().map(|answer| Answer {
                question: questions[answer.question as usize],
                corrects: (answer.corrects.0 + shift, answer.corrects.1),
                ..answer
            }));
        let first_origin = number(tables.origins.len());
        let origins = piece.origins.into_iter();
        tables.origins.extend(origins.map(|origin| Origin {
            file: name(origin.file),
            ..origin
        }));
        self.rows.extend(piece.rows.into_iter().map(|row| Row {
            anchor: anchor_of[&piece.anchors[row.anchor as usize]],
            session: sessions[row.session as usize],
            head: name(row.head),
            agent: name(row.agent),
            by: name(row.by),
            branch: name(row.branch),
            worktree: name(row.worktree),
            store: name(row.store),
            seen: name(row.seen),
            answers: (row.answers.0 + first_answer, row.answers.1),
            origin: if row.origin == 0 {
                0
            } else {
                row.origin + first_origin
            },
            id: (row.id.0 + shift, row.id.1),
            body: (row.body.0 + shift, row.body.1),
            blob: row.blob + first_blob,
            ..row
        }));
    }
}

fn in_order(mut notes: Vec<Note>) -> Vec<Note> {
    notes.sort_unstable();
    notes.dedup();
    notes
}

fn distinct(anchors: &[Oid]) -> Vec<Oid> {
    let mut distinct = anchors.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
