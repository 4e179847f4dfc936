//! The log, parsed: one small row a line in the order of time.

mod chains;
mod piece;
mod read;
mod redacted;
mod tables;
mod unread;

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

pub use self::{piece::line_digests, redacted::lines_with_marks, unread::Unread};
use self::{
    redacted::Hidden,
    tables::{Origin, Tables},
};
use crate::{
    entry::{Kind, Person, Ts},
    git::{Note, Oid, Repo},
};

/// Every line of the log.
///
/// Each line is parsed once, when its note is first seen. What a row does not have (notes of answers, mostly) is read
/// from the note again by [`Events::lines`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Events {
    /// The notes commits that were read, the local one first.
    tips: Vec<Oid>,
    /// What other tips have and the first has not, or has otherwise.
    more: Vec<Note>,
    tables: Tables,
    /// Oldest first: by time, then the place in the imported file, then id, digest and anchor.
    rows: Vec<Row>,
    /// What is shown of lines that are redacted, by their digests.
    redacted: BTreeMap<(u64, u64), Hidden>,
    /// How many rows were taken out again since all was read; what they alone named is still in the tables.
    dropped: usize,
    /// Anchors whose note the repository lacks.
    missing: Vec<Oid>,
}

/// One line of the log.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Row {
    /// Milliseconds since 1970: the time that it names; of an imported line, the latest one that its file names up to there.
    pub millis: i64,
    pub kind: Kind,
    /// The commit that carries it.
    pub anchor: u32,
    /// `sid` and writer together.
    pub session: u32,
    /// The commit that it names, 0 where that is the anchor.
    head: u32,
    agent: u32,
    by: u32,
    branch: u32,
    worktree: u32,
    /// The question store that was answered, 0 where the line names none.
    pub store: u32,
    /// The tip of the shared log that the writer knew, 0 where the line names none.
    seen: u32,
    pub dirty: bool,
    /// Of the end of a session in which something was committed: when it began, in milliseconds since 1970.
    pub worked_since: Option<i64>,
    /// Of an imported line, the number of its origin, from 1 on.
    origin: u32,
    /// Whether it names a time that has not come, and so is nobody's.
    #[serde(skip)]
    pub is_ahead: bool,
    /// Its writer's number of the line, 0 where it has none.
    n: u32,
    /// The beginning of the digest that it names as that of its writer's line before, 0 where it names none.
    prev: u64,
    /// Whether it does not fit the chain of the writer that it names, and so counts as another writer's.
    pub breaks_chain: bool,
    pub reading: Reading,
    /// The first of its answers, and how many there are.
    answers: (u32, u32),
    /// Of its id in the text.
    id: (u32, u32),
    /// Of its own text, or of why it can't be read.
    body: (u32, u32),
    blob: u32,
    /// Of the line in its note.
    place: (u32, u32),
    /// The first half of the SHA-256 of the line, without where an imported one came from: two clones may import one
    /// file.
    pub digest: (u64, u64),
}

/// Whether a line could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    Read,
    /// Of a version that is newer than this program.
    Newer(u32),
    Unreadable,
    /// Somebody's own text, no entry at all.
    Text,
}

/// What became of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question version's number.
    pub question: u32,
    pub delta: bool,
    /// Whether a probe derived it.
    pub probed: bool,
    /// Whether it cites what it rests on.
    pub cited: bool,
    /// In the text, the id of the entry that it disputes; empty where it disputes none.
    corrects: (u32, u32),
}

impl Events {
    /// Every line, oldest first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Anchors whose note can't be read.
    pub fn missing(&self) -> &[Oid] {
        &self.missing
    }

    /// Whether every note was read.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// How many commits carry lines, or did: the numbers of anchors are below it.
    pub fn anchor_count(&self) -> usize {
        self.tables.anchors.len()
    }

    /// The commit of an anchor's number.
    pub fn anchor(&self, anchor: u32) -> Oid {
        self.tables.anchor(anchor)
    }

    /// How many sessions there are: their numbers are below it.
    pub fn session_count(&self) -> usize {
        self.tables.sessions.len()
    }

    /// The time that a line names.
    pub fn ts(&self, row: &Row) -> Ts {
        let origin = self.tables.origin(row);
        Ts::from_millis(origin.map_or(row.millis, |origin| origin.stated))
    }

    /// The `sid` of a line.
    pub fn sid(&self, row: &Row) -> &str {
        let (sid, _) = self.tables.session(row.session);
        self.tables.names.get(sid)
    }

    /// The clone that wrote a line; empty where it says none.
    pub fn writer(&self, row: &Row) -> &str {
        let (_, writer) = self.tables.session(row.session);
        self.tables.names.get(writer)
    }

    /// The clone and the linked worktree in which a line was written; None where it names no clone.
    pub fn worktree(&self, row: &Row) -> Option<(u32, u32)> {
        let (_, writer) = self.tables.session(row.session);
        (writer != 0).then_some((writer, row.worktree))
    }

    /// The name of the agent that wrote a line.
    pub fn agent(&self, row: &Row) -> Option<&str> {
        Some(self.tables.names.get(row.agent)).filter(|name| !name.is_empty())
    }

    /// Whose git identity a line was written under.
    pub fn by(&self, row: &Row) -> Option<Person> {
        let (name, email) = self.tables.names.get(row.by).split_once('\n')?;
        Some(Person {
            name: name.into(),
            email: email.into(),
        })
    }

    /// The blob id of the question store of this number, as a line names it.
    pub fn store(&self, store: u32) -> &str {
        self.tables.names.get(store)
    }

    /// The tip of the shared log that the writer of a line knew, as the line names it.
    pub fn seen(&self, row: &Row) -> Option<Oid> {
        self.tables.names.get(row.seen).parse().ok()
    }

    /// The id of the entry that an answer disputes, where it disputes one.
    pub fn corrects(&self, answer: &Answer) -> Option<&str> {
        Some(self.tables.text(answer.corrects)).filter(|id| !id.is_empty())
    }

    /// The commit that a line names, in hex, perhaps abbreviated.
    pub fn head(&self, row: &Row) -> String {
        if row.head == 0 {
            self.anchor(row.anchor).to_string()
        } else {
            self.tables.names.get(row.head).to_owned()
        }
    }

    /// A number that is the same for lines that name the same commit.
    pub fn head_number(&self, row: &Row) -> (bool, u32) {
        if row.head == 0 {
            (false, row.anchor)
        } else {
            (true, row.head)
        }
    }

    /// Whether a line stands on the very commit that it names.
    pub fn is_at_head(&self, row: &Row) -> bool {
        row.head == 0
    }

    /// The id of a line; empty where another program wrote it.
    pub fn id(&self, row: &Row) -> &str {
        self.tables.text(row.id)
    }

    /// The answers of a line.
    pub fn answers(&self, row: &Row) -> &[Answer] {
        let (first, count) = row.answers;
        let range = first as usize..(first + count) as usize;
        self.tables.answers.get(range).unwrap_or_default()
    }

    /// How many question versions were ever answered: their numbers are below it.
    pub fn question_count(&self) -> usize {
        self.tables.questions.len()
    }

    /// The number of a question version that was ever answered.
    pub fn question_number(&self, id: &str, version: u32) -> Option<u32> {
        let mut questions = (0..).zip(&self.tables.questions);
        let found =
            questions.find(|(_, (name, of))| *of == version && self.tables.names.get(*name) == id);
        found.map(|(number, _)| number)
    }

    /// Whether any line answers a question version that `names` says yes to.
    pub fn has_answers_to(&self, is_named: impl Fn(&str, u32) -> bool) -> bool {
        let questions = self.tables.questions.iter();
        let named: Vec<bool> = questions
            .map(|&(id, version)| is_named(self.tables.names.get(id), version))
            .collect();
        let mut answers = self.rows.iter().flat_map(|row| self.answers(row));
        answers.any(|answer| named[answer.question as usize])
    }

    /// The id and the version of a question's number.
    pub fn question(&self, question: u32) -> (&str, u32) {
        let known = self.tables.questions.get(question as usize);
        known.map_or(("", 1), |&(id, version)| {
            (self.tables.names.get(id), version)
        })
    }

    /// The bytes of lines as they stand in their notes: for what computes, and never for what shows.
    pub fn raw_lines(&self, repo: &Repo, rows: &[&Row]) -> Vec<Option<Vec<u8>>> {
        // A note may have many of them, and is read once.
        let mut places: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
        for (place, row) in rows.iter().enumerate() {
            if let Some(&blob) = self.tables.blobs.get(row.blob as usize) {
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

    /// How many lines a writer has, each once.
    pub fn count_of(&self, writer: &str) -> usize {
        let rows = self.rows.iter().filter(|row| self.writer(row) == writer);
        let digests: HashSet<(u64, u64)> = rows.map(|row| row.digest).collect();
        digests.len()
    }

    /// Whether any line has this id.
    pub fn has_id(&self, id: &str) -> bool {
        self.rows.iter().any(|row| self.id(row) == id)
    }
}

impl Row {
    fn empty() -> Self {
        Self {
            millis: i64::MIN,
            kind: Kind::Unknown,
            anchor: 0,
            session: 0,
            head: 0,
            agent: 0,
            by: 0,
            branch: 0,
            worktree: 0,
            store: 0,
            seen: 0,
            dirty: false,
            worked_since: None,
            origin: 0,
            is_ahead: false,
            n: 0,
            prev: 0,
            breaks_chain: false,
            reading: Reading::Read,
            answers: (0, 0),
            id: (0, 0),
            body: (0, 0),
            blob: 0,
            place: (0, 0),
            digest: (0, 0),
        }
    }

    /// Whether it was imported.
    pub fn is_imported(&self) -> bool {
        self.origin != 0
    }

    /// Whether it is an entry that counts, or would count, and can't be read.
    pub fn is_unread(&self) -> bool {
        match self.reading {
            Reading::Read | Reading::Text => false,
            Reading::Unreadable => true,
            Reading::Newer(_) => self.kind == Kind::Rederive || self.kind.is_of_sessions(),
        }
    }

    /// The digest in hex.
    pub fn digest_hex(&self) -> String {
        format!("{:016x}{:016x}", self.digest.0, self.digest.1)
    }

    /// Whether it is an entry of this kind that can be read.
    pub fn is(&self, kind: Kind) -> bool {
        self.kind == kind && self.reading == Reading::Read
    }
}

/// A place or a length; a log has no four billion of anything.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
