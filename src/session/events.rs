//! The entries that sessions are made of, out of the whole log, reachable or not.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    entry::{Alert, SessionEnd, State, TensionClosed, TensionOpened, Ts, lines_of},
    git::Oid,
    store::Log,
};

/// The kinds that are replayed here.
const KINDS: [&str; 5] = ["state", "alert", "session", "tension.open", "tension.close"];

/// The lines of these kinds, each once, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLog {
    lines: Vec<EventLine>,
    /// How many lines of these kinds have no time or id that can be read.
    damaged: usize,
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
        let mut damaged = HashSet::new();
        for annotation in &log.annotations {
            for line in lines_of(&annotation.text) {
                let key = match key(line) {
                    Ok(None) => continue,
                    Ok(Some(key)) => Ts::parse(&key.ts).map(|ts| (ts, key)),
                    Err(Damaged) => None,
                };
                let Some((ts, key)) = key else {
                    damaged.insert(line);
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
        Self {
            lines,
            damaged: damaged.len(),
        }
    }

    /// How many lines of these kinds can't be read, each once.
    pub fn unreadable(&self) -> usize {
        self.damaged
            + self.events::<State>("state").1
            + self.events::<Alert>("alert").1
            + self.events::<SessionEnd>("session").1
            + self.events::<TensionOpened>("tension.open").1
            + self.events::<TensionClosed>("tension.close").1
    }

    /// Every event, whatever it says.
    pub fn stamps(&self) -> Vec<Event<Anything>> {
        let kinds = KINDS.iter();
        let events = kinds.flat_map(|kind| self.events(kind).0);
        events.collect()
    }

    /// How many lines of these kinds say that they were imported, which no import of ours does.
    pub fn imported(&self) -> usize {
        let stamps = self.stamps();
        stamps.iter().filter(|event| event.source.imported).count()
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

/// A line of these kinds that can't be read.
struct Damaged;

/// What a line of these kinds is sorted by; None where it is of another kind.
fn key(line: &[u8]) -> Result<Option<RawKey>, Damaged> {
    #[derive(Deserialize)]
    struct RawKind {
        kind: String,
    }
    // Most lines are of another kind, and say so at their beginning: they are not parsed.
    const OTHER: &[u8] = b"\",\"kind\":\"rederive\",";
    let kind = line.get("{\"ts\":\"".len() + Ts::WIDTH..);
    if kind.is_some_and(|kind| kind.starts_with(OTHER)) {
        return Ok(None);
    }
    let is_ours = |kind: &RawKind| KINDS.contains(&kind.kind.as_str());
    if !serde_json::from_slice(line).is_ok_and(|kind| is_ours(&kind)) {
        return Ok(None);
    }
    let line = str::from_utf8(line).map_err(|_| Damaged)?;
    serde_json::from_str(line).map(Some).map_err(|_| Damaged)
}
