//! A line of the log into an entry; what cannot be read is kept and counted, never dropped.

use std::borrow::Cow;

use super::Ts;
use serde::Deserialize;

/// The newest version of the rederive entry that this program understands.
const VERSION: u64 = 1;

/// One result of a rederive entry, as read.
#[derive(Debug, Clone, Deserialize)]
pub struct ResultIn<'l> {
    #[serde(borrow)]
    pub q_id: Cow<'l, str>,
    #[serde(borrow, default)]
    pub last_rederived_ts: Option<Cow<'l, str>>,
    #[serde(default)]
    pub delta: bool,
    #[serde(borrow, default)]
    pub note: Option<Cow<'l, str>>,
    #[serde(default = "first_version")]
    pub q_version: u32,
    /// Whether it has evidence.
    #[serde(default, deserialize_with = "is_there")]
    pub evidence: bool,
}

fn first_version() -> u32 {
    1
}

/// For a value of which only the presence matters.
fn is_there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| true)
}

/// A rederive entry, as read; it borrows from its line.
#[derive(Debug, Clone)]
pub struct Entry<'l> {
    pub ts: Ts,
    /// None on lines that another program wrote.
    pub id: Option<Cow<'l, str>>,
    pub sid: Cow<'l, str>,
    pub head: Cow<'l, str>,
    pub writer: Option<Cow<'l, str>>,
    pub agent: Option<Cow<'l, str>>,
    pub branch: Option<Cow<'l, str>>,
    pub dirty: bool,
    pub imported: bool,
    pub results: Vec<ResultIn<'l>>,
}

/// A line of another kind, or of a version that is newer than this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign<'l> {
    pub kind: Cow<'l, str>,
    pub ts: Option<Ts>,
    /// The `v` of a rederive entry that this program is too old for.
    pub newer: Option<u64>,
}

/// What a line turned out to be.
#[derive(Debug, Clone)]
pub enum Reading<'l> {
    Rederive(Entry<'l>),
    Foreign(Foreign<'l>),
    /// Why it can't be read.
    Unreadable(String),
}

#[derive(Deserialize)]
struct RawEntry<'l> {
    #[serde(borrow)]
    ts: Cow<'l, str>,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow, default)]
    id: Option<Cow<'l, str>>,
    #[serde(borrow)]
    sid: Cow<'l, str>,
    #[serde(borrow)]
    repo_head_sha: Cow<'l, str>,
    #[serde(default)]
    v: Option<u64>,
    #[serde(borrow, default)]
    agent: Option<RawAgent<'l>>,
    #[serde(borrow, default)]
    writer: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    head: Option<RawHead<'l>>,
    #[serde(default, deserialize_with = "is_there")]
    origin: bool,
    #[serde(borrow)]
    results: Vec<ResultIn<'l>>,
}

#[derive(Deserialize)]
struct RawAgent<'l> {
    #[serde(borrow, default)]
    name: Option<Cow<'l, str>>,
}

#[derive(Deserialize)]
struct RawHead<'l> {
    #[serde(borrow, default)]
    branch: Option<Cow<'l, str>>,
    #[serde(default)]
    dirty: bool,
}

#[derive(Deserialize)]
struct Discriminator<'l> {
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow, default)]
    ts: Option<Cow<'l, str>>,
    #[serde(default)]
    v: Option<u64>,
}

/// Reads one line, without its line feed.
pub fn read(line: &[u8]) -> Reading<'_> {
    match serde_json::from_slice::<RawEntry>(line) {
        Ok(raw) if raw.kind == "rederive" && raw.v.unwrap_or(VERSION) <= VERSION => entry(raw),
        Ok(raw) => Reading::Foreign(foreign(&raw.kind, Some(&raw.ts), raw.v)),
        Err(error) => match serde_json::from_slice::<Discriminator>(line) {
            Ok(other) if other.kind != "rederive" || other.v.is_some_and(|v| v > VERSION) => {
                Reading::Foreign(foreign(&other.kind, other.ts.as_deref(), other.v))
            }
            _ => Reading::Unreadable(error.to_string()),
        },
    }
}

fn entry(raw: RawEntry) -> Reading {
    let Some(ts) = Ts::parse(&raw.ts) else {
        return Reading::Unreadable(format!("{:?} is not a time", raw.ts));
    };
    let (branch, dirty) = raw
        .head
        .map_or((None, false), |head| (head.branch, head.dirty));
    Reading::Rederive(Entry {
        ts,
        id: raw.id,
        sid: raw.sid,
        head: raw.repo_head_sha,
        writer: raw.writer,
        agent: raw.agent.and_then(|agent| agent.name),
        branch,
        dirty,
        imported: raw.origin,
        results: raw.results,
    })
}

fn foreign(kind: &str, ts: Option<&str>, v: Option<u64>) -> Foreign<'static> {
    Foreign {
        kind: Cow::Owned(kind.to_owned()),
        ts: ts.and_then(Ts::parse),
        newer: v.filter(|&v| v > VERSION && kind == "rederive"),
    }
}
