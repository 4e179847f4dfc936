//! The entries that sessions are made of, out of the whole log, reachable or not.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{entry::Ts, git::Oid, store::Log};

/// The kinds that are replayed here.
const KINDS: [&str; 5] = ["state", "alert", "session", "tension.open", "tension.close"];

/// The lines of these kinds, each once, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLog {
    lines: Vec<EventLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct EventLine {
    ts: Ts,
    id: String,
    kind: String,
    /// The commits that carry it, in order; more than one after a rewritten history.
    anchors: Vec<String>,
    line: String,
}

/// One event: who wrote it, and what it says.
#[derive(Debug, Clone)]
pub struct Event<T> {
    pub ts: Ts,
    pub id: String,
    pub source: EventSource,
    /// The commits that carry it.
    pub anchors: Vec<Oid>,
    pub body: T,
}

/// Who wrote an entry, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSource {
    pub sid: String,
    /// The clone; with `sid`, the session's identity.
    pub writer: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    pub branch: Option<String>,
    /// The linked worktree; None in the main one.
    pub worktree: Option<String>,
    /// HEAD when it was written.
    pub head: String,
    pub imported: bool,
}

/// What an event says, where only who said it and when matters.
#[derive(Debug, Clone, Deserialize)]
pub struct Anything {}

#[derive(Deserialize)]
struct RawKey {
    ts: String,
    kind: String,
    id: String,
}

#[derive(Deserialize)]
struct RawEnvelope<T> {
    sid: String,
    repo_head_sha: String,
    #[serde(default)]
    v: Option<u64>,
    #[serde(default)]
    writer: Option<String>,
    #[serde(default)]
    agent: Option<RawAgent>,
    #[serde(default)]
    head: Option<RawHead>,
    #[serde(default)]
    origin: Option<serde::de::IgnoredAny>,
    #[serde(flatten)]
    body: T,
}

#[derive(Default, Deserialize)]
struct RawAgent {
    #[serde(default)]
    name: Option<String>,
}

#[derive(Default, Deserialize)]
struct RawHead {
    #[serde(default)]
    branch: Option<String>,
    #[serde(default)]
    worktree: Option<String>,
}

impl EventLog {
    /// Takes the lines of these kinds out of the log.
    pub fn of(log: &Log) -> Self {
        let mut lines: HashMap<&[u8], EventLine> = HashMap::new();
        for annotation in &log.annotations {
            for line in annotation.text.split(|&byte| byte == b'\n') {
                let Some(key) = key(line) else { continue };
                let Some(ts) = Ts::parse(&key.ts) else {
                    continue;
                };
                let known = lines.entry(line).or_insert_with(|| EventLine {
                    ts,
                    id: key.id,
                    kind: key.kind,
                    anchors: Vec::new(),
                    line: String::from_utf8_lossy(line).into_owned(),
                });
                known.anchors.push(annotation.anchor.to_string());
            }
        }
        let mut lines: Vec<EventLine> = lines.into_values().collect();
        lines.sort_by(|one, two| (&one.ts, &one.id, &one.line).cmp(&(&two.ts, &two.id, &two.line)));
        Self { lines }
    }

    /// Every event, whatever it says.
    pub fn stamps(&self) -> Vec<Event<Anything>> {
        let kinds = KINDS.iter();
        let events = kinds.flat_map(|kind| self.events(kind).0);
        events.collect()
    }

    /// Whether an entry of these kinds has this id.
    pub fn has(&self, id: &str) -> bool {
        self.lines.iter().any(|line| line.id == id)
    }

    /// The events of one kind, oldest first by time, then id, then text. What can't be read as `T`, or has a newer
    /// version, is passed over and counted.
    pub fn events<T: DeserializeOwned>(&self, kind: &str) -> (Vec<Event<T>>, usize) {
        let mut events = Vec::new();
        let mut unreadable = 0;
        for line in self.lines.iter().filter(|line| line.kind == kind) {
            let raw = serde_json::from_str::<RawEnvelope<T>>(&line.line);
            let Some(raw) = raw.ok().filter(|raw| raw.v.unwrap_or(1) <= 1) else {
                unreadable += 1;
                continue;
            };
            let head = raw.head.unwrap_or_default();
            let anchors = line.anchors.iter().filter_map(|id| id.parse().ok());
            events.push(Event {
                ts: line.ts.clone(),
                id: line.id.clone(),
                anchors: anchors.collect(),
                source: EventSource {
                    sid: raw.sid,
                    writer: raw.writer,
                    agent: raw.agent.and_then(|agent| agent.name),
                    branch: head.branch,
                    worktree: head.worktree,
                    head: raw.repo_head_sha,
                    imported: raw.origin.is_some(),
                },
                body: raw.body,
            });
        }
        (events, unreadable)
    }
}

fn key(line: &[u8]) -> Option<RawKey> {
    // Most lines are of another kind, and say so at their beginning: they are not parsed.
    const OTHER: &[u8] = b"\"kind\":\"rederive\"";
    let beginning = &line[..line.len().min(Ts::WIDTH + 40)];
    if beginning.windows(OTHER.len()).any(|part| part == OTHER) {
        return None;
    }
    let key: RawKey = serde_json::from_slice(line).ok()?;
    KINDS.contains(&key.kind.as_str()).then_some(key)
}
