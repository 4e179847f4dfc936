//! The facts in a line of any kind about the commit that it was made on, for when that commit was rewritten.

use super::{Body, Carried, Event, Text, Ts, sha256_hex};

/// Characters of an id at most; git sq's own have 26.
const MAX_ID: usize = 128;

/// A line's id, and its record of HEAD. Missing or unreadable parts are left empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// The entry's id; for a line without one, the first 16 digits of its SHA-256.
    pub id: String,
    /// In seconds since 1970.
    pub time: Option<i64>,
    /// The commit that it was made on; the fields below are about that one.
    pub commit: Option<String>,
    pub base: Option<String>,
    pub tree: Option<String>,
    pub patch_id: Option<String>,
    /// 12 hex digits of each commit of base..HEAD, newest first.
    pub commits: Vec<String>,
    pub carried: Option<Carried<'static>>,
}

/// Reads any line; even a broken one gives an id.
pub fn trace(line: &[u8]) -> Trace {
    let digest = || sha256_hex(line)[..16].to_owned();
    let Ok(Event { envelope, body }) = Event::parse(line) else {
        return Trace {
            id: digest(),
            ..Trace::default()
        };
    };
    let own = |text: Option<Text>| text.map(Text::into_owned);
    let head = envelope.head.unwrap_or_default();
    let commits = head.commits.unwrap_or_default().into_iter();
    Trace {
        id: Some(envelope.id.into_owned())
            .filter(|id| (1..=MAX_ID).contains(&id.len()))
            .unwrap_or_else(digest),
        time: Some(envelope.ts)
            .filter(|&ts| ts != Ts::MIN)
            .map(|ts| ts.timestamp().as_second()),
        commit: Some(envelope.repo_head_sha.into_owned()).filter(|id| !id.is_empty()),
        base: own(head.base),
        tree: own(Some(head.tree)).filter(|id| !id.is_empty()),
        patch_id: own(head.patch_id),
        commits: commits.map(Text::into_owned).collect(),
        carried: match body {
            Body::Carry(carried) => Some(carried.into_owned()),
            _ => None,
        },
    }
}
