//! What the log has of sessions, whatever it is, as far as their lives go.

use std::collections::HashMap;

use serde::Deserialize;

use crate::{
    entry::{Ts, lines_of},
    git::Oid,
    store::Log,
};

/// An entry of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub ts: Ts,
    pub id: String,
    /// The commit that carries it.
    pub anchor: Oid,
    /// It says that the session ended.
    pub ended: Option<Ended>,
}

/// The end of a session, or of a stretch of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// When what ended had begun.
    pub started: String,
    /// Whether nobody told it, and a sweep wrote it.
    pub is_swept: bool,
}

/// The entries of all sessions, each session's by its name and its clone.
#[derive(Debug, Clone, Default)]
pub struct SaidBySession(HashMap<(String, String), Vec<Said>>);

impl SaidBySession {
    /// Reads every line of the log once. What has no time that can be read, or names no clone, is passed over.
    pub fn of(log: &Log) -> Self {
        #[derive(Deserialize)]
        struct Key {
            ts: String,
            kind: String,
            sid: String,
            writer: String,
            #[serde(default)]
            id: String,
            #[serde(default)]
            started: Option<String>,
            #[serde(default)]
            how: Option<String>,
        }
        let mut found = Self::default();
        for annotation in &log.annotations {
            let lines = lines_of(&annotation.text);
            for key in lines.filter_map(|line| serde_json::from_slice::<Key>(line).ok()) {
                let Some(ts) = Ts::parse(&key.ts) else {
                    continue;
                };
                let started = key.started.filter(|_| key.kind == "session");
                let is_swept = key.how.as_deref() == Some("sweep");
                let entries = found.0.entry((key.sid, key.writer)).or_default();
                entries.push(Said {
                    ts,
                    id: key.id,
                    anchor: annotation.anchor,
                    ended: started.map(|started| Ended { started, is_swept }),
                });
            }
        }
        found
    }

    /// The entries of one session.
    pub fn session(&self, sid: &str, writer: &str) -> &[Said] {
        let session = (sid.to_owned(), writer.to_owned());
        self.0.get(&session).map_or(&[], Vec::as_slice)
    }

    /// How one session ended last.
    pub fn last_end(&self, sid: &str, writer: &str) -> Option<&Ended> {
        let ends = self.session(sid, writer).iter();
        let ends = ends.filter(|one| one.ended.is_some());
        let last = ends.max_by_key(|one| (&one.ts, &one.id));
        last.and_then(|one| one.ended.as_ref())
    }
}
