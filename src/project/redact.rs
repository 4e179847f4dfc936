use super::{Error, Project};
use crate::{
    entry::{Kind, Redacted},
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
}
