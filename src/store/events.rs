//! The log, parsed: one small row a line in the order of time, brought up to date by what changed in the notes.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Error, LogTips,
    names::{Names, Numbering, absorb, absorb_all},
};
use crate::{
    entry::{Body, Event, Kind, Person, Ts, lines_of},
    git::{Note, Oid, Repo},
};

/// Every line of the log.
///
/// Each line is parsed once, when its note is first seen. What a row does not have (notes of answers, mostly) is read
/// from the note again by [`Events::line`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Events {
    /// The notes commits that were read, the local one first.
    tips: Vec<Oid>,
    /// What other tips have and the first has not, or has otherwise.
    more: Vec<Note>,
    tables: Tables,
    /// Oldest first: by time, then id, then digest, then anchor.
    rows: Vec<Row>,
    /// How many rows were taken out again since all was read; what they alone named is still in the tables.
    dropped: usize,
    /// Anchors whose note the repository lacks.
    missing: Vec<Oid>,
}

/// What rows refer to by number.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Tables {
    anchors: Vec<Oid>,
    blobs: Vec<Oid>,
    names: Names,
    /// Id (a name) and version.
    questions: Vec<(u32, u32)>,
    /// `sid` and writer (names).
    sessions: Vec<(u32, u32)>,
    answers: Vec<Answer>,
    /// The ids of lines; the text of lines of other kinds than `rederive`; why a line can't be read.
    text: String,
}

/// One line of the log.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Row {
    /// Milliseconds since 1970.
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
    pub dirty: bool,
    pub imported: bool,
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
}

/// What became of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question version's number.
    pub question: u32,
    pub delta: bool,
}

/// A part of the log that one thread parsed.
#[derive(Default)]
struct Piece {
    anchors: Vec<Oid>,
    blobs: Vec<Oid>,
    names: Numbering,
    questions: HashMap<(u32, u32), u32>,
    sessions: HashMap<(u32, u32), u32>,
    answers: Vec<Answer>,
    text: String,
    rows: Vec<Row>,
}

impl Events {
    /// Parses the whole log.
    pub fn read(repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        let commits: Vec<Oid> = tips.commits().collect();
        let mut events = Self::default();
        let mut notes = Vec::new();
        if let Some(&first) = commits.first() {
            notes = repo.notes(first)?;
            events.more = more(repo, &commits)?;
            notes.extend(&events.more);
        }
        events.tips = commits;
        notes.sort_unstable();
        events.parse(repo, &notes);
        Ok(events)
    }

    /// The log that these notes make.
    pub fn of_notes<'n>(notes: impl IntoIterator<Item = (Oid, &'n [u8])>) -> Self {
        let mut piece = Piece::default();
        for (anchor, text) in notes {
            let blob = Oid::null();
            piece.add(Note { anchor, blob }, text);
        }
        let mut events = Self::default();
        events.absorb(piece);
        events.put_in_order();
        events
    }

    /// The same log at other tips; gives how many notes were read for that. Cost follows what differs.
    ///
    /// None where it is cheaper to read it all again, or an object is missing.
    pub fn updated(mut self, repo: &Repo, tips: &LogTips) -> Option<(Self, usize)> {
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
        // Tables only grow: some day they are made anew.
        let too_much = changed.len() + self.dropped > 1000 + self.rows.len() / 2;
        if too_much || !self.missing.is_empty() {
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
        notes.sort_unstable();
        notes.dedup();
        self.parse(repo, &notes);
        Some((self, notes.len()))
    }

    /// A small log of some of its rows.
    #[must_use]
    pub fn excerpt<'r>(&'r self, rows: impl Iterator<Item = &'r Row>) -> Self {
        let mut piece = Piece::default();
        for row in rows {
            piece.copy(self, row);
        }
        let mut excerpt = Self::default();
        excerpt.absorb(piece);
        excerpt.put_in_order();
        excerpt
    }

    /// Adds the lines of some notes, which are sorted.
    fn parse(&mut self, repo: &Repo, notes: &[Note]) {
        let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
        let step = |piece: &mut Piece, place: usize, text: &[u8]| piece.add(notes[place], text);
        let (pieces, absent) = repo.fold_blobs(&blobs, Piece::default, step);
        for piece in pieces {
            self.absorb(piece);
        }
        self.missing
            .extend(absent.into_iter().map(|place| notes[place].anchor));
        self.missing.sort_unstable();
        self.put_in_order();
    }

    fn put_in_order(&mut self) {
        let tables = &self.tables;
        self.rows.sort_by(|one, two| {
            one.millis.cmp(&two.millis).then_with(|| {
                let line = |row: &Row| (tables.text(row.id), row.digest, tables.anchor(row.anchor));
                // Two clones that imported one file have lines that differ in that alone.
                let place = |row: &Row| (row.place, tables.blobs.get(row.blob as usize));
                line(one)
                    .cmp(&line(two))
                    .then_with(|| place(one).cmp(&place(two)))
            })
        });
        // Several notes of one commit, local and fetched, may have the same line.
        self.rows
            .dedup_by_key(|row| (row.millis, row.digest, row.anchor));
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
        let first_answer = number(tables.answers.len());
        tables
            .answers
            .extend(piece.answers.into_iter().map(|answer| Answer {
                question: questions[answer.question as usize],
                ..answer
            }));
        let shift = number(tables.text.len());
        tables.text.push_str(&piece.text);
        self.rows.extend(piece.rows.into_iter().map(|row| Row {
            anchor: anchor_of[&piece.anchors[row.anchor as usize]],
            session: sessions[row.session as usize],
            head: name(row.head),
            agent: name(row.agent),
            by: name(row.by),
            branch: name(row.branch),
            worktree: name(row.worktree),
            answers: (row.answers.0 + first_answer, row.answers.1),
            id: (row.id.0 + shift, row.id.1),
            body: (row.body.0 + shift, row.body.1),
            blob: row.blob + first_blob,
            ..row
        }));
    }

    /// Every line, oldest first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Anchors whose note the repository lacks.
    pub fn missing(&self) -> &[Oid] {
        &self.missing
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

    /// Of a line that can't be read, why; of one of another kind than `rederive`, its text.
    pub fn body(&self, row: &Row) -> &str {
        self.tables.text(row.body)
    }

    /// The bytes of lines, from their notes; None where a note is missing by now.
    pub fn lines(&self, repo: &Repo, rows: &[&Row]) -> Vec<Option<Vec<u8>>> {
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

    /// Whether any line has this id.
    pub fn has_id(&self, id: &str) -> bool {
        self.rows.iter().any(|row| self.id(row) == id)
    }
}

impl Tables {
    fn anchor(&self, number: u32) -> Oid {
        // Numbers come from these tables; a cache that says otherwise is damaged.
        let known = self.anchors.get(number as usize).or(self.anchors.first());
        known.copied().unwrap_or_else(Oid::null)
    }

    fn session(&self, number: u32) -> (u32, u32) {
        self.sessions
            .get(number as usize)
            .copied()
            .unwrap_or((0, 0))
    }

    fn text(&self, (start, length): (u32, u32)) -> &str {
        let range = start as usize..start as usize + length as usize;
        self.text.get(range).unwrap_or_default()
    }
}

impl Piece {
    fn add(&mut self, note: Note, text: &[u8]) {
        let anchor = number(self.anchors.len());
        let hex = note.anchor.to_string();
        self.anchors.push(note.anchor);
        self.blobs.push(note.blob);
        for line in lines_of(text) {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            let place = (number(start), number(line.len()));
            let row = match Event::parse(line) {
                Ok(event) => self.row(&event, line, &hex),
                Err(why) => self.unreadable(line, &why),
            };
            self.rows.push(Row {
                anchor,
                blob: anchor,
                place,
                ..row
            });
        }
    }

    /// Adds a row of another log.
    fn copy(&mut self, from: &Events, row: &Row) {
        let anchor = number(self.anchors.len());
        self.anchors.push(from.anchor(row.anchor));
        let blob = from.tables.blobs.get(row.blob as usize).copied();
        self.blobs.push(blob.unwrap_or_else(Oid::null));
        let first = number(self.answers.len());
        for answer in from.answers(row) {
            let (id, version) = from.question(answer.question);
            let question = self.question(id, version);
            self.answers.push(Answer {
                question,
                ..*answer
            });
        }
        let row = Row {
            anchor,
            blob: anchor,
            session: self.session(from.sid(row), Some(from.writer(row))),
            head: self.names.number(from.tables.names.get(row.head)),
            agent: self.names.number(from.tables.names.get(row.agent)),
            by: self.names.number(from.tables.names.get(row.by)),
            branch: self.names.number(from.tables.names.get(row.branch)),
            worktree: self.names.number(from.tables.names.get(row.worktree)),
            answers: (first, row.answers.1),
            id: self.text(from.tables.text(row.id)),
            body: self.text(from.tables.text(row.body)),
            ..*row
        };
        self.rows.push(row);
    }

    fn row(&mut self, event: &Event, line: &[u8], anchor: &str) -> Row {
        let envelope = &event.envelope;
        let agent = envelope
            .agent
            .as_ref()
            .and_then(|agent| agent.name.as_deref());
        let head = envelope.head.as_ref();
        let branch = head.and_then(|head| head.branch.as_deref());
        let worktree = head.and_then(|head| head.worktree.as_deref());
        let answers = match &event.body {
            Body::Rederive(rederive) => self.answers(&rederive.results),
            _ => (0, 0),
        };
        let body = match (&event.body, str::from_utf8(line)) {
            (Body::Rederive(_) | Body::Unknown(_), _) | (_, Err(_)) => (0, 0),
            (_, Ok(line)) => self.text(line),
        };
        let named = Some(&*envelope.repo_head_sha).filter(|head| *head != anchor);
        Row {
            millis: envelope.ts.as_millis(),
            kind: envelope.kind,
            session: self.session(&envelope.sid, envelope.writer.as_deref()),
            head: self.names.number(named.unwrap_or_default()),
            agent: self.names.number(agent.unwrap_or_default()),
            by: self.by(envelope.by.as_ref()),
            branch: self.names.number(branch.unwrap_or_default()),
            worktree: self.names.number(worktree.unwrap_or_default()),
            dirty: head.is_some_and(|head| head.dirty),
            imported: envelope.origin.is_some(),
            reading: if event.is_newer() {
                Reading::Newer(envelope.v)
            } else {
                Reading::Read
            },
            answers,
            id: self.text(&envelope.id),
            body,
            digest: digest(line, envelope.origin.is_some()),
            ..Row::empty()
        }
    }

    fn unreadable(&mut self, line: &[u8], why: &str) -> Row {
        Row {
            kind: Kind::of_line(line).unwrap_or(Kind::Unknown),
            session: self.session("", None),
            reading: Reading::Unreadable,
            body: self.text(why),
            digest: digest(line, false),
            ..Row::empty()
        }
    }

    fn answers(&mut self, results: &[crate::entry::Answer]) -> (u32, u32) {
        let first = number(self.answers.len());
        for result in results {
            let question = self.question(&result.q_id, result.version());
            self.answers.push(Answer {
                question,
                delta: result.delta,
            });
        }
        (first, number(results.len()))
    }

    fn question(&mut self, id: &str, version: u32) -> u32 {
        let key = (self.names.number(id), version);
        let next = number(self.questions.len());
        *self.questions.entry(key).or_insert(next)
    }

    fn session(&mut self, sid: &str, writer: Option<&str>) -> u32 {
        let key = (
            self.names.number(sid),
            self.names.number(writer.unwrap_or_default()),
        );
        let next = number(self.sessions.len());
        *self.sessions.entry(key).or_insert(next)
    }

    /// The number of a person: name and email, a line each.
    fn by(&mut self, person: Option<&Person>) -> u32 {
        let text = person.map(|person| format!("{}\n{}", person.name, person.email));
        self.names.number(text.as_deref().unwrap_or_default())
    }

    fn text(&mut self, text: &str) -> (u32, u32) {
        let start = number(self.text.len());
        self.text.push_str(text);
        (start, number(text.len()))
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
            dirty: false,
            imported: false,
            reading: Reading::Read,
            answers: (0, 0),
            id: (0, 0),
            body: (0, 0),
            blob: 0,
            place: (0, 0),
            digest: (0, 0),
        }
    }

    /// When the entry was made.
    pub fn ts(&self) -> Ts {
        Ts::from_millis(self.millis)
    }

    /// Whether it is an entry of this kind that can be read.
    pub fn is(&self, kind: Kind) -> bool {
        self.kind == kind && self.reading == Reading::Read
    }
}

/// What the other tips have and the first has not, or has otherwise.
fn more(repo: &Repo, commits: &[Oid]) -> Result<Vec<Note>, Error> {
    let Some((&first, others)) = commits.split_first() else {
        return Ok(Vec::new());
    };
    let mut more = Vec::new();
    for &other in others {
        more.extend(repo.notes_added(first, other)?);
    }
    more.sort_unstable();
    more.dedup();
    Ok(more)
}

fn distinct(anchors: &[Oid]) -> Vec<Oid> {
    let mut distinct = anchors.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// What makes two lines the same entry: all of the line, but for where an imported one came from. An id alone does not:
/// then one line could hide another.
fn digest(line: &[u8], imported: bool) -> (u64, u64) {
    const ORIGIN: &[u8] = b",\"origin\":{";
    let mut hash = Sha256::new();
    let origin = || line.windows(ORIGIN.len()).position(|part| part == ORIGIN);
    match imported.then(origin).flatten() {
        Some(start) => {
            let length = line[start..].iter().position(|&byte| byte == b'}');
            hash.update(&line[..start]);
            hash.update(&line[start + length.map_or(0, |length| length + 1)..]);
        }
        None => hash.update(line),
    }
    let digest = hash.finalize();
    let half = |from: usize| {
        let bytes: [u8; 8] = digest[from..from + 8].try_into().unwrap_or_default();
        u64::from_be_bytes(bytes)
    };
    (half(0), half(8))
}

/// A place or a length; a log has no four billion of anything.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
