use super::{Error, Project};
use crate::{
    entry::{Event, Kind, Redacted},
    git::Oid,
};

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
        let open = rows.iter().filter(|row| events.redaction(row).is_none());
        let open: Vec<_> = open.filter(|row| row.kind != Kind::Redact).collect();
        if open.is_empty() {
            return Ok(Err(match events.redaction(first) {
                Some(mark) => format!("entry {entry} is already {mark}"),
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

    /// The ids of entries that are not redacted, and whose bare `same` repeats an answer of this one.
    pub fn repeated_by(&self, entry: &str) -> Result<Vec<String>, Error> {
        let events = self.events()?;
        let rows: Vec<_> = events.rows().iter().filter(|row| row.is(Kind::Rederive)).collect();
        let (mut said, mut repeating) = (Vec::new(), Vec::new());
        for (row, line) in rows.iter().zip(events.raw_lines(&self.repo, &rows)) {
            let Some((_, answers)) = line.as_deref().and_then(Event::answers) else {
                continue;
            };
            for answer in answers {
                let question = (answer.q_id.to_string(), answer.version());
                if events.id(row) == entry {
                    let note = answer.note.as_ref().map(|note| note.to_string().into());
                    let all = [answer.answer, note, answer.repeats].into_iter().flatten();
                    said.extend(all.map(|one| (question.clone(), one)));
                } else if let Some(repeats) = answer.repeats
                    && events.redaction(row).is_none()
                {
                    repeating.push((events.id(row).to_owned(), (question, repeats)));
                }
            }
        }
        repeating.retain(|(_, repeats)| said.contains(repeats));
        let mut ids: Vec<String> = repeating.into_iter().map(|(id, _)| id).collect();
        ids.dedup();
        Ok(ids)
    }
}
