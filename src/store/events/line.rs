//! From lines to rows.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::{Answer, Events, Origin, Reading, Row, number, tables::number_in};
use crate::{
    entry::{self, Body, Event, Kind, clip, is_entry, lines_of},
    git::{Note, NotesReader, Oid},
};

const WHY: usize = 160;

impl Events {
    /// Adds the lines of notes that share a text.
    pub(super) fn add(&mut self, notes: &[Note], text: &[u8]) {
        let notes = notes.iter().map(|note| {
            let place = (
                number_in(&mut self.tables.anchors, &note.anchor),
                number_in(&mut self.tables.blobs, &note.blob),
            );
            (place, note.anchor.to_string())
        });
        let notes: Vec<_> = notes.collect();
        for line in lines_of(text) {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            let place = (number(start), number(line.len()));
            let event = Event::parse(line);
            let row = match &event {
                Ok(event) => self.row(event, line),
                Err(why) if is_entry(line) => Row {
                    kind: Kind::of_line(line).unwrap_or_default(),
                    reading: Reading::Unreadable,
                    // It may repeat a value of the line, which may be of any length.
                    body: self.tables.add_text(&clip(why, WHY)),
                    ..self.text_row(line)
                },
                Err(_) => self.text_row(line),
            };
            let named = event.map(|event| event.envelope.repo_head_sha).unwrap_or_default();
            for ((anchor, blob), hex) in &notes {
                let named = if *named == **hex { "" } else { &*named };
                self.rows.push(Row {
                    anchor: *anchor,
                    blob: *blob,
                    place,
                    head: self.tables.number(named),
                    ..row
                });
            }
        }
    }

    /// Adds a row of other events.
    pub(super) fn copy(&mut self, from: &Self, row: &Row) {
        let (ours, theirs) = (&mut self.tables, &from.tables);
        let first = number(ours.answers.len());
        for answer in from.answers(row) {
            let (id, version) = from.question(answer.question);
            let answer = Answer {
                question: ours.add_question(id, version),
                corrects: ours.number(theirs.name(answer.corrects)),
                ..*answer
            };
            ours.answers.push(answer);
        }
        // Without the earlier lines of its file, it keeps its effective time.
        let origin = theirs.origin(row).map(|origin| Origin {
            file: ours.number(theirs.name(origin.file)),
            stated: row.millis,
            ..*origin
        });
        let blob = theirs.blobs.get_index(row.blob as usize).copied();
        let mut name = |number| ours.number(theirs.name(number));
        let row = Row {
            head: name(row.head),
            agent: name(row.agent),
            by: name(row.by),
            worktree: name(row.worktree),
            store: name(row.store),
            seen: name(row.seen),
            session: ours.add_session(from.sid(row), from.writer(row)),
            anchor: number_in(&mut ours.anchors, &from.anchor(row.anchor)),
            blob: number_in(&mut ours.blobs, &blob.unwrap_or_else(Oid::null)),
            origin: ours.add_origin(origin),
            answers: (first, row.answers.1),
            id: ours.add_text(theirs.text(row.id)),
            body: ours.add_text(theirs.text(row.body)),
            ..*row
        };
        self.rows.push(row);
    }

    fn row(&mut self, event: &Event, line: &[u8]) -> Row {
        let Event { envelope, body } = event;
        let agent = envelope.agent.as_ref();
        let agent = agent.and_then(|agent| agent.name.as_deref());
        let head = envelope.head.as_ref();
        let worktree = head.and_then(|head| head.worktree.as_deref());
        let store = envelope.store.as_deref();
        let seen = envelope.seen.as_ref().map(|seen| &*seen.tip);
        let by = envelope.by.as_ref().map(|person| format!("{}\n{}", person.name, person.email));
        let writer = envelope.chained_writer();
        let prev = envelope.prev.as_deref().and_then(|prev| prev.get(..16));
        let answers = match body {
            Body::Rederive(rederive) => self.add_answers(&rederive.results),
            _ => (0, 0),
        };
        let tables = &mut self.tables;
        let origin = envelope.origin.as_ref().map(|origin| Origin {
            file: tables.number(&origin.file),
            line: origin.line,
            stated: envelope.ts.as_millis(),
            leader: (0, 0),
        });
        let mut name = |name: Option<&str>| tables.number(name.unwrap_or_default());
        Row {
            millis: envelope.ts.as_millis(),
            kind: envelope.kind,
            n: writer.map_or(0, |_| u32::try_from(envelope.n.unwrap_or(0)).unwrap_or(u32::MAX)),
            prev: prev.map_or(0, |hex| u64::from_str_radix(hex, 16).unwrap_or(0)),
            agent: name(agent),
            by: name(by.as_deref()),
            worktree: name(worktree),
            store: name(store),
            seen: name(seen),
            session: tables.add_session(&envelope.sid, writer.unwrap_or_default()),
            dirty: head.is_some_and(|head| head.dirty),
            worked: match body {
                Body::Session(end) if end.commits > Some(0) || end.wrote => {
                    Some(end.worked(&envelope.ts))
                }
                _ => None,
            },
            origin: tables.add_origin(origin),
            reading: if event.is_newer() { Reading::Newer(envelope.v) } else { Reading::Read },
            answers,
            id: tables.add_text(&envelope.id),
            body: match (body, str::from_utf8(line)) {
                (Body::Rederive(_) | Body::Unknown(_), _) | (_, Err(_)) => (0, 0),
                (_, Ok(line)) => tables.add_text(line),
            },
            digest: digest(line, envelope.origin.is_some()),
            ..Row::default()
        }
    }

    fn text_row(&mut self, line: &[u8]) -> Row {
        Row {
            millis: i64::MIN,
            session: self.tables.add_session("", ""),
            reading: Reading::Text,
            digest: digest(line, false),
            ..Row::default()
        }
    }

    fn add_answers(&mut self, results: &[entry::Answer]) -> (u32, u32) {
        let first = number(self.tables.answers.len());
        for result in results {
            let corrects = result.corrects.as_deref().unwrap_or_default();
            let answer = Answer {
                question: self.tables.add_question(&result.q_id, result.version()),
                corrects: self.tables.number(corrects),
                delta: result.delta,
                probed: result.is_probed(),
                cited: result.is_cited(),
                is_bare: result.answer.is_none() && result.note.is_none(),
            };
            self.tables.answers.push(answer);
        }
        (first, number(results.len()))
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

/// The digests of the lines on a commit; `None` if an object is missing.
pub fn line_digests(notes: &mut NotesReader, anchor: Oid) -> Option<HashSet<(u64, u64)>> {
    let texts = notes.texts(anchor).ok()?;
    let lines = texts.iter().flat_map(|text| lines_of(text));
    Some(lines.map(|line| digest(line, false)).collect())
}
