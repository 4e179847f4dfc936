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
    #[serde(borrow, default, deserialize_with = "text")]
    pub last_rederived_ts: Option<Cow<'l, str>>,
    #[serde(default)]
    pub delta: bool,
    #[serde(borrow, default, deserialize_with = "text")]
    pub note: Option<Cow<'l, str>>,
    #[serde(default = "first_version")]
    pub q_version: u32,
}

fn first_version() -> u32 {
    1
}

/// A text that may be absent, borrowed from the line where it has no escapes; serde borrows no `Cow` in an `Option`.
fn text<'de: 'l, 'l, D>(deserializer: D) -> Result<Option<Cow<'l, str>>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct Borrowed<'l>(#[serde(borrow)] Cow<'l, str>);
    Option::<Borrowed>::deserialize(deserializer).map(|text| text.map(|text| text.0))
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
    /// The linked worktree that it was made in; None in the main one.
    pub worktree: Option<Cow<'l, str>>,
    pub dirty: bool,
    pub imported: bool,
    pub results: Box<[ResultIn<'l>]>,
}

/// What a line turned out to be.
#[derive(Debug, Clone)]
pub enum Reading<'l> {
    Rederive(Entry<'l>),
    /// A rederive entry of this `v`, which is newer than this program.
    Newer(u64),
    /// A line of another kind.
    OtherKind,
    /// Why it can't be read.
    Unreadable(String),
}

#[derive(Deserialize)]
struct RawEntry<'l> {
    #[serde(borrow)]
    ts: Cow<'l, str>,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    id: Option<Cow<'l, str>>,
    #[serde(borrow)]
    sid: Cow<'l, str>,
    #[serde(borrow)]
    repo_head_sha: Cow<'l, str>,
    #[serde(default)]
    v: Option<u64>,
    #[serde(borrow, default)]
    agent: Option<RawAgent<'l>>,
    #[serde(borrow, default, deserialize_with = "text")]
    writer: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    head: Option<RawHead<'l>>,
    #[serde(default)]
    origin: Option<serde::de::IgnoredAny>,
    #[serde(borrow)]
    results: Vec<ResultIn<'l>>,
}

#[derive(Deserialize)]
struct RawAgent<'l> {
    #[serde(borrow, default, deserialize_with = "text")]
    name: Option<Cow<'l, str>>,
}

#[derive(Default, Deserialize)]
struct RawHead<'l> {
    #[serde(borrow, default, deserialize_with = "text")]
    branch: Option<Cow<'l, str>>,
    #[serde(borrow, default, deserialize_with = "text")]
    worktree: Option<Cow<'l, str>>,
    #[serde(default)]
    dirty: bool,
}

#[derive(Deserialize)]
struct Discriminator<'l> {
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(default)]
    v: Option<u64>,
}

/// Reads one line, without its line feed.
pub fn read(line: &[u8]) -> Reading<'_> {
    let line = match str::from_utf8(line) {
        Ok(line) => line,
        Err(error) => return Reading::Unreadable(error.to_string()),
    };
    match serde_json::from_str::<RawEntry>(line) {
        Ok(raw) if raw.kind == "rederive" && raw.v.unwrap_or(VERSION) <= VERSION => entry(raw),
        Ok(raw) => other(&raw.kind, raw.v),
        Err(error) => match serde_json::from_str::<Discriminator>(line) {
            Ok(line) if line.kind != "rederive" || line.v.is_some_and(|v| v > VERSION) => {
                other(&line.kind, line.v)
            }
            _ => Reading::Unreadable(error.to_string()),
        },
    }
}

fn entry(raw: RawEntry) -> Reading {
    let Some(ts) = Ts::parse(&raw.ts) else {
        return Reading::Unreadable(format!("{:?} is not a time", raw.ts));
    };
    let head = raw.head.unwrap_or_default();
    Reading::Rederive(Entry {
        ts,
        id: raw.id,
        sid: raw.sid,
        head: raw.repo_head_sha,
        writer: raw.writer,
        agent: raw.agent.and_then(|agent| agent.name),
        branch: head.branch,
        worktree: head.worktree,
        dirty: head.dirty,
        imported: raw.origin.is_some(),
        results: raw.results.into_boxed_slice(),
    })
}

/// A line that is no entry for this program.
fn other(kind: &str, v: Option<u64>) -> Reading<'static> {
    match v {
        Some(v) if kind == "rederive" && v > VERSION => Reading::Newer(v),
        _ => Reading::OtherKind,
    }
}
