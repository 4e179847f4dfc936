use std::{collections::BTreeSet, slice};

use serde_json::Value;

use super::{Error, Project};
use crate::{
    entry::{Event, Kind, Redacted},
    git::Oid,
    timeline::short,
};

/// Bytes from which a text is looked for in notes, and its characters that are: notes cut long ones.
const TELLING: usize = 4;
const QUOTED: usize = 40;

impl Project {
    /// One redaction for each commit that carries the entry. The inner error says why there is none.
    pub fn redact(
        &self,
        entry: &str,
        because: &str,
    ) -> Result<Result<Vec<(Oid, Redacted)>, String>, Error> {
        let events = self.events()?;
        let rows = events.rows().iter();
        let rows: Vec<_> =
            rows.filter(|row| !entry.is_empty() && events.id(row) == entry).collect();
        let Some(first) = rows.first() else {
            return Ok(Err(format!("there is no entry {entry}")));
        };
        let open = rows.iter().filter(|row| row.kind != Kind::Redact);
        // A clone that did not know of it may have carried the line elsewhere.
        let open: Vec<_> = open.filter(|row| !events.is_redacted_there(row)).collect();
        if open.is_empty() {
            let places: BTreeSet<String> =
                rows.iter().map(|row| short(events.anchor(row.anchor))).collect();
            let places = Vec::from_iter(places).join(", ");
            return Ok(Err(match events.redaction(first) {
                Some(mark) => format!("entry {entry}, on {places}, is already {mark}"),
                None => format!("entry {entry} is a redaction, which stays as it is"),
            }));
        }
        Ok(Ok(open
            .into_iter()
            .map(|row| {
                let redacted = Redacted {
                    entry: entry.to_owned(),
                    line: row.digest_hex(),
                    because: because.to_owned(),
                };
                (events.anchor(row.anchor), redacted)
            })
            .collect()))
    }

    /// The ids of entries that are not redacted, and repeat an answer of this one by a bare `same`, or quote it in a note;
    /// then of those in which only a probe found the same again.
    pub fn repeated_by(&self, entry: &str) -> Result<[Vec<String>; 2], Error> {
        let events = self.events()?;
        let rows: Vec<_> = events.rows().iter().filter(|row| row.is(Kind::Rederive)).collect();
        let (mut said, mut repeating, mut noted) = (Vec::new(), Vec::new(), Vec::new());
        for (row, line) in rows.iter().zip(events.raw_lines(&self.repo, &rows)) {
            let Some((_, answers)) = line.as_deref().and_then(Event::answers) else {
                continue;
            };
            for answer in answers {
                let is_probed = answer.is_probed();
                let question = (answer.q_id.to_string(), answer.version());
                if events.id(row) == entry {
                    let note = answer.note.as_ref().map(|note| note.to_string().into());
                    let all = [answer.answer, note, answer.repeats].into_iter().flatten();
                    said.extend(all.map(|one| (question.clone(), one)));
                } else if events.redaction(row).is_none() {
                    let id = events.id(row);
                    let note = answer.note.map(|note| note.to_string());
                    noted.extend(note.map(|note| (id, is_probed, question.clone(), note)));
                    repeating.extend(answer.repeats.map(|repeats| (id, (question, repeats))));
                }
            }
        }
        repeating.retain(|(_, repeats)| said.contains(repeats));
        noted.retain(|(_, _, question, note)| {
            let mut said = said.iter().filter(|(about, _)| about == question);
            said.any(|(_, value)| texts(value).any(|text| note.contains(&text)))
        });
        let (found, noted): (Vec<_>, Vec<_>) =
            noted.into_iter().partition(|(_, is_probed, ..)| *is_probed);
        let noted = noted.into_iter().map(|(id, ..)| id);
        let ids: BTreeSet<&str> = repeating.into_iter().map(|(id, _)| id).chain(noted).collect();
        let found: BTreeSet<&str> = found.into_iter().map(|(id, ..)| id).collect();
        Ok([&ids, &(&found - &ids)].map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()))
    }
}

/// The beginnings of the texts in an answer that tell more than a word would.
fn texts(answer: &Value) -> impl Iterator<Item = String> {
    let items = answer.as_array().map_or(slice::from_ref(answer), Vec::as_slice);
    let texts = items.iter().filter_map(Value::as_str).filter(|text| text.len() >= TELLING);
    texts.map(|text| text.chars().take(QUOTED).collect())
}
