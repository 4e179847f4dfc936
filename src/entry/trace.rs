//! The facts in a line of any kind about the commit that it was made on, for when that commit was rewritten.

use super::{Body, Carried, Event, Head, Text, Ts, sha256_hex};

/// Characters of an id at most; git sq's own have 26.
const MAX_ID: usize = 128;

/// A line's id, and its record of HEAD. Missing or unreadable parts are left empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace<'l> {
    /// The entry's id; for a line without one, the first 16 digits of its SHA-256.
    pub id: String,
    /// In seconds since 1970.
    pub time: Option<i64>,
    /// The commit that it was made on, which `head` is about.
    pub commit: Text<'l>,
    pub head: Head<'l>,
    pub carried: Option<Carried<'l>>,
}

impl Trace<'_> {
    /// 12 hex digits of each commit of base..HEAD, newest first.
    pub fn commits(&self) -> Vec<String> {
        self.head.commits.iter().flatten().map(ToString::to_string).collect()
    }
}

/// Reads any line; even a broken one gives an id.
pub fn trace(line: &[u8]) -> Trace<'_> {
    let digest = || sha256_hex(line)[..16].to_owned();
    let Ok(Event { envelope, body }) = Event::parse(line) else {
        return Trace { id: digest(), ..Trace::default() };
    };
    let has_id = (1..=MAX_ID).contains(&envelope.id.len());
    Trace {
        id: if has_id { envelope.id.into_owned() } else { digest() },
        time: (envelope.ts != Ts::MIN).then(|| envelope.ts.timestamp().as_second()),
        commit: envelope.repo_head_sha,
        head: envelope.head.unwrap_or_default(),
        carried: match body {
            Body::Carry(carried) => Some(carried),
            _ => None,
        },
    }
}
