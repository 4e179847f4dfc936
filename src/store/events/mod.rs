//! The parsed log: one small row per line, in the order of time.

mod chains;
mod line;
mod read;
mod redacted;
mod tables;
mod unread;

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

pub use self::{
    line::line_digests,
    redacted::{Purged, new_lines},
    unread::Unread,
};
use self::{
    redacted::Hidden,
    tables::{Origin, Tables},
};
use crate::{
    entry::{Kind, Person, Ts},
    git::{Mailmap, Note, Oid, Repo},
};

/// Number of lines that are read at once.
const BATCH: usize = 4096;

/// Every line of the log.
/// Each line is parsed once, when its note is first seen. [`Events::lines`] reads data that a row lacks (mostly the
/// notes of answers) from the note again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Events {
    /// The notes commits that were read, the local one first.
    tips: Vec<Oid>,
    /// The notes that the other tips have and the first lacks, or has with another blob.
    more: Vec<Note>,
    tables: Tables,
    /// Oldest first: by time, then the place in the imported file, then id, digest and anchor.
    rows: Vec<Row>,
    redacted: BTreeMap<(u64, u64), Hidden>,
    /// Number of rows removed since the whole log was read; their strings are still in the tables.
    dropped: usize,
    /// Anchors whose note is missing from the repository.
    missing: Vec<Oid>,
    /// Number of notes read since the cache was written.
    #[serde(skip)]
    pub parsed: usize,
    #[serde(skip)]
    mailmap: Mailmap,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Row {
    /// Milliseconds since 1970: the stated time; for an imported line, the latest stated time up to it in its file.
    pub millis: i64,
    pub kind: Kind,
    pub anchor: u32,
    pub session: u32,
    /// The number of the named commit, 0 if that is the anchor.
    head: u32,
    agent: u32,
    by: u32,
    worktree: u32,
    /// The number of the question store that was answered, 0 if none is named.
    pub store: u32,
    /// The number of the shared log's tip that the writer knew, 0 if none is named.
    seen: u32,
    pub dirty: bool,
    /// For the end of a session with commits: its start, and its end or last sign of life, in milliseconds since 1970.
    pub worked: Option<(i64, i64)>,
    origin: u32,
    /// True if the stated time is in the future; the line then belongs to no session.
    #[serde(skip)]
    pub is_ahead: bool,
    /// The number in the writer's chain, 0 if there is none.
    n: u32,
    /// The start of the digest that the line names for its writer's previous line, 0 if none is named.
    prev: u64,
    /// True if the line breaks the chain of the writer that it names; it then counts as another writer's.
    pub breaks_chain: bool,
    pub reading: Reading,
    /// The index of its first answer, and their number.
    answers: (u32, u32),
    id: (u32, u32),
    /// The range of its own text, or of the reason why it can't be read.
    body: (u32, u32),
    blob: u32,
    place: (u32, u32),
    /// The first half of the SHA-256, without the origin of an imported line: two clones may import one file.
    pub digest: (u64, u64),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    #[default]
    Read,
    Newer(u32),
    Unreadable,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub question: u32,
    pub delta: bool,
    pub probed: bool,
    pub cited: bool,
    /// True if it has neither an answer nor a note: then it repeats an earlier one.
    pub is_bare: bool,
    /// The number of the disputed entry's id, 0 if it disputes none.
    corrects: u32,
}

impl Events {
    /// With the current names of people, which are kept in a file that may change at any time.
    #[must_use]
    pub fn with_names(self, mailmap: Mailmap) -> Self {
        Self { mailmap, ..self }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn missing(&self) -> &[Oid] {
        &self.missing
    }

    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// Anchor numbers are below this; removed rows count.
    pub fn anchor_count(&self) -> usize {
        self.tables.anchors.len()
    }

    pub fn anchors(&self) -> impl Iterator<Item = Oid> {
        (0..number(self.anchor_count())).map(|anchor| self.anchor(anchor))
    }

    pub fn anchor(&self, anchor: u32) -> Oid {
        self.tables.anchor(anchor)
    }

    /// Session numbers are below this.
    pub fn session_count(&self) -> usize {
        self.tables.sessions.len()
    }

    pub fn ts(&self, row: &Row) -> Ts {
        let origin = self.tables.origin(row);
        Ts::from_millis(origin.map_or(row.millis, |origin| origin.stated))
    }

    pub fn sid(&self, row: &Row) -> &str {
        let (sid, _) = self.tables.session(row.session);
        self.tables.name(sid)
    }

    pub fn writer(&self, row: &Row) -> &str {
        let (_, writer) = self.tables.session(row.session);
        self.tables.name(writer)
    }

    /// That of each line.
    pub fn writers(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| self.writer(row))
    }

    /// The clone and the linked worktree in which a line was written; `None` if it names no clone.
    pub fn worktree(&self, row: &Row) -> Option<(u32, u32)> {
        let (_, writer) = self.tables.session(row.session);
        (writer != 0).then_some((writer, row.worktree))
    }

    pub fn agent(&self, row: &Row) -> Option<&str> {
        Some(self.tables.name(row.agent)).filter(|name| !name.is_empty())
    }

    pub fn by(&self, row: &Row) -> Option<Person> {
        let (name, email) = self.tables.name(row.by).split_once('\n')?;
        Some(self.mailmap.resolve(&Person { name: name.into(), email: email.into() }))
    }

    pub fn store(&self, store: u32) -> &str {
        self.tables.name(store)
    }

    pub fn seen(&self, row: &Row) -> Option<Oid> {
        self.tables.name(row.seen).parse().ok()
    }

    /// The time of the first line that names a shared log, in milliseconds since 1970.
    pub fn shared_since(&self) -> i64 {
        self.rows.iter().filter(|row| row.seen != 0).map(|row| row.millis).min().unwrap_or(i64::MAX)
    }

    pub fn corrects(&self, answer: &Answer) -> Option<&str> {
        Some(self.tables.name(answer.corrects)).filter(|id| !id.is_empty())
    }

    /// The commit that a line names, in hex, perhaps abbreviated.
    pub fn head(&self, row: &Row) -> String {
        if row.head == 0 {
            self.anchor(row.anchor).to_string()
        } else {
            self.tables.name(row.head).to_owned()
        }
    }

    /// Equal for lines that name the same commit.
    pub fn head_number(&self, row: &Row) -> (bool, u32) {
        if row.head == 0 { (false, row.anchor) } else { (true, row.head) }
    }

    pub fn is_at_head(&self, row: &Row) -> bool {
        row.head == 0
    }

    /// The id or, if another program wrote the line, its digest.
    pub fn reference(&self, row: &Row) -> String {
        match self.id(row) {
            "" => row.digest_hex(),
            id => id.to_owned(),
        }
    }

    /// Empty if another program wrote the line.
    pub fn id(&self, row: &Row) -> &str {
        self.tables.text(row.id)
    }

    pub fn answers(&self, row: &Row) -> &[Answer] {
        let (first, count) = row.answers;
        let range = first as usize..(first + count) as usize;
        self.tables.answers.get(range).unwrap_or_default()
    }

    /// The answers of a line, each with the id and version of its question.
    pub fn answered(&self, row: &Row) -> impl Iterator<Item = (&str, u32, &Answer)> {
        self.answers(row).iter().map(|answer| {
            let (id, version) = self.question(answer.question);
            (id, version, answer)
        })
    }

    /// The last answer of a line to a question version, with its place there.
    pub fn answer_to(&self, row: &Row, question: u32) -> Option<(u32, &Answer)> {
        let mut answers = self.answers(row).iter().enumerate().rev();
        let found = answers.find(|(_, answer)| answer.question == question);
        found.map(|(place, answer)| (number(place), answer))
    }

    /// The number of a question version; `None` if it was never answered.
    pub fn question_number(&self, id: &str, version: u32) -> Option<u32> {
        let mut questions = self.tables.questions.iter();
        let is_it = |(name, of): &(u32, u32)| *of == version && self.tables.name(*name) == id;
        questions.position(is_it).map(number)
    }

    /// The ids and versions of questions, by number.
    pub fn questions(&self) -> impl Iterator<Item = (&str, u32)> {
        self.tables.questions.iter().map(|&(id, version)| (self.tables.name(id), version))
    }

    pub fn question(&self, question: u32) -> (&str, u32) {
        let known = self.tables.questions.get_index(question as usize).copied();
        let (id, version) = known.unwrap_or((0, 1));
        (self.tables.name(id), version)
    }

    /// The bytes of lines as stored, redacted texts included: for computations, never for output. They are read while the
    /// iterator advances.
    pub fn raw_lines<'r>(
        &'r self,
        repo: &'r Repo,
        rows: &'r [&Row],
    ) -> impl Iterator<Item = Option<Vec<u8>>> + 'r {
        rows.chunks(BATCH).flat_map(|rows| self.read_lines(repo, rows))
    }

    fn read_lines(&self, repo: &Repo, rows: &[&Row]) -> Vec<Option<Vec<u8>>> {
        // A note may have many of them, and is read once.
        let mut places: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            if let Some(&blob) = self.tables.blobs.get_index(row.blob as usize) {
                places.entry(blob).or_default().push(place);
            }
        }
        let blobs: Vec<Oid> = places.keys().copied().collect();
        let step = |found: &mut Vec<(usize, Vec<u8>)>, blob: usize, text: &[u8]| {
            for &place in &places[&blobs[blob]] {
                let (start, length) = rows[place].place;
                let line = text.get(start as usize..(start + length) as usize);
                found.extend(line.map(|line| (place, line.to_vec())));
            }
        };
        let (found, _) = repo.fold_blobs(&blobs, Vec::new, step);
        let mut lines = vec![None; rows.len()];
        for (place, line) in found.into_iter().flatten() {
            lines[place] = Some(line);
        }
        lines
    }

    /// Returns true unless several different lines have this id, which is their writers' word.
    pub fn is_one_line(&self, id: &str) -> bool {
        let mut rows = self.rows.iter().filter(|row| self.id(row) == id);
        let first = rows.next().map(|row| row.digest);
        rows.all(|row| Some(row.digest) == first)
    }

    pub fn has_id(&self, id: &str) -> bool {
        self.rows.iter().any(|row| self.id(row) == id)
    }
}

impl Row {
    pub fn is_imported(&self) -> bool {
        self.origin != 0
    }

    /// Returns true for an unreadable line that is, or may be, an entry that counts.
    pub fn is_unread(&self) -> bool {
        match self.reading {
            Reading::Read | Reading::Text => false,
            Reading::Unreadable => true,
            Reading::Newer(_) => self.kind == Kind::Rederive || self.kind.is_of_sessions(),
        }
    }

    /// Returns true if the stated time is before that of its commit, in seconds since 1970, by more than a tolerance.
    /// Imported lines are exempt: this clone can't vouch for their times.
    pub fn is_older_than(&self, committed: i64, tolerance: SignedDuration) -> bool {
        let tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        let earliest = committed.saturating_mul(1000).saturating_sub(tolerance);
        !self.is_imported() && !self.is_ahead && self.millis < earliest
    }

    pub fn digest_hex(&self) -> String {
        format!("{:016x}{:016x}", self.digest.0, self.digest.1)
    }

    pub fn is(&self, kind: Kind) -> bool {
        self.kind == kind && self.reading == Reading::Read
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
