use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::{super::names::Numbering, Answer, Events, Origin, Reading, Row, number};
use crate::{
    entry::{Body, Event, Kind, Person, Text, clip, is_entry, lines_of},
    git::{Note, Oid, Repo},
};

const WHY: usize = 160;

#[derive(Default)]
pub(super) struct Piece {
    pub anchors: Vec<Oid>,
    pub blobs: Vec<Oid>,
    pub names: Numbering,
    pub questions: HashMap<(u32, u32), u32>,
    pub sessions: HashMap<(u32, u32), u32>,
    pub answers: Vec<Answer>,
    pub origins: Vec<Origin>,
    pub text: String,
    pub rows: Vec<Row>,
}

impl Piece {
    pub fn add(&mut self, notes: &[Note], text: &[u8]) {
        let first = number(self.anchors.len());
        self.anchors.extend(notes.iter().map(|note| note.anchor));
        self.blobs.extend(notes.iter().map(|note| note.blob));
        let anchors: Vec<String> = notes.iter().map(|note| note.anchor.to_string()).collect();
        for line in lines_of(text) {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            let place = (number(start), number(line.len()));
            let event = Event::parse(line);
            let row = match &event {
                Ok(event) => self.row(event, line),
                Err(why) if is_entry(line) => self.unreadable(line, why),
                Err(_) => self.text_row(line),
            };
            let named = event.map_or(Text::default(), |event| event.envelope.repo_head_sha);
            for (anchor, hex) in (first..).zip(&anchors) {
                let named = if *named == **hex { "" } else { &named };
                self.rows.push(Row {
                    anchor,
                    blob: anchor,
                    place,
                    head: self.names.number(named),
                    ..row
                });
            }
        }
    }

    pub fn copy(&mut self, from: &Events, row: &Row) {
        let anchor = number(self.anchors.len());
        self.anchors.push(from.anchor(row.anchor));
        let blob = from.tables.blobs.get(row.blob as usize).copied();
        self.blobs.push(blob.unwrap_or_else(Oid::null));
        let first = number(self.answers.len());
        for answer in from.answers(row) {
            let (id, version) = from.question(answer.question);
            let question = self.question(id, version);
            let corrects = self.text(from.tables.text(answer.corrects));
            self.answers.push(Answer {
                question,
                corrects,
                ..*answer
            });
        }
        // Without the earlier lines, it keeps its effective time.
        let origin = from.tables.origin(row).copied();
        let origin = origin.map(|origin| Origin {
            file: self.names.number(from.tables.names.get(origin.file)),
            stated: row.millis,
            ..origin
        });
        let row = Row {
            anchor,
            blob: anchor,
            origin: self.origin(origin),
            session: self.session(from.sid(row), Some(from.writer(row))),
            head: self.names.number(from.tables.names.get(row.head)),
            agent: self.names.number(from.tables.names.get(row.agent)),
            by: self.names.number(from.tables.names.get(row.by)),
            branch: self.names.number(from.tables.names.get(row.branch)),
            worktree: self.names.number(from.tables.names.get(row.worktree)),
            store: self.names.number(from.tables.names.get(row.store)),
            seen: self.names.number(from.tables.names.get(row.seen)),
            answers: (first, row.answers.1),
            id: self.text(from.tables.text(row.id)),
            body: self.text(from.tables.text(row.body)),
            ..*row
        };
        self.rows.push(row);
    }

    fn row(&mut self, event: &Event, line: &[u8]) -> Row {
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
        let origin = envelope.origin.as_ref().map(|origin| Origin {
            file: self.names.number(&origin.file),
            line: origin.line,
            stated: envelope.ts.as_millis(),
            leader: (0, 0),
        });
        let chained = envelope.n.filter(|_| envelope.chained_writer().is_some());
        let prev = envelope.prev.as_deref().and_then(|prev| prev.get(..16));
        Row {
            millis: envelope.ts.as_millis(),
            kind: envelope.kind,
            n: chained.map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            prev: prev.map_or(0, |hex| u64::from_str_radix(hex, 16).unwrap_or(0)),
            session: self.session(&envelope.sid, envelope.chained_writer()),
            agent: self.names.number(agent.unwrap_or_default()),
            by: self.by(envelope.by.as_ref()),
            branch: self.names.number(branch.unwrap_or_default()),
            worktree: self.names.number(worktree.unwrap_or_default()),
            store: self
                .names
                .number(envelope.store.as_deref().unwrap_or_default()),
            seen: self
                .names
                .number(envelope.seen.as_ref().map_or("", |seen| &seen.tip)),
            dirty: head.is_some_and(|head| head.dirty),
            worked_since: match &event.body {
                Body::Session(end) if end.commits > Some(0) => Some(end.started.as_millis()),
                _ => None,
            },
            origin: self.origin(origin),
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
            // It may repeat a value of the line, which may be of any length.
            body: self.text(&clip(why, WHY)),
            digest: digest(line, false),
            ..Row::empty()
        }
    }

    fn text_row(&mut self, line: &[u8]) -> Row {
        Row {
            session: self.session("", None),
            reading: Reading::Text,
            digest: digest(line, false),
            ..Row::empty()
        }
    }

    fn answers(&mut self, results: &[crate::entry::Answer]) -> (u32, u32) {
        let first = number(self.answers.len());
        for result in results {
            let question = self.question(&result.q_id, result.version());
            let corrects = self.text(result.corrects.as_deref().unwrap_or_default());
            self.answers.push(Answer {
                question,
                corrects,
                delta: result.delta,
                probed: result.is_probed(),
                cited: result.is_cited(),
            });
        }
        (first, number(results.len()))
    }

    fn origin(&mut self, origin: Option<Origin>) -> u32 {
        origin.map_or(0, |origin| {
            self.origins.push(origin);
            number(self.origins.len())
        })
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

/// The whole line, without the origin of an imported one: by an id alone one line could hide another.
pub(super) fn digest(line: &[u8], imported: bool) -> (u64, u64) {
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

/// The digests of the lines on a commit in the log at a notes commit; `None` if that is missing.
pub fn line_digests(repo: &Repo, tip: Oid, anchor: Oid) -> Option<HashSet<(u64, u64)>> {
    let blobs = repo.notes_reader(tip).ok()?.get(anchor).ok()?;
    let mut digests = HashSet::new();
    for blob in blobs {
        let text = repo.blob(blob).ok()?;
        digests.extend(lines_of(&text).map(|line| digest(line, false)));
    }
    Some(digests)
}
