//! Lines that can't be read, and those of them that a person closed.

use std::collections::BTreeSet;

use super::{Events, Reading, Row};
use crate::{entry::sha256_hex, git::Oid};

/// Hex digits by which a person closes a line.
const DIGEST: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub lines: usize,
    pub anchors: Vec<Oid>,
    /// The reason for the first line.
    pub why: String,
    /// The id by which a person closes exactly these lines.
    pub digest: String,
}

impl Events {
    pub fn unread(&self) -> Option<Unread> {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.is_unread()).collect();
        let first = rows.first()?;
        let digests: BTreeSet<String> = rows.iter().map(|row| row.digest_hex()).collect();
        let anchors: BTreeSet<Oid> = rows.iter().map(|row| self.anchor(row.anchor)).collect();
        Some(Unread {
            lines: digests.len(),
            anchors: anchors.into_iter().collect(),
            why: match first.reading {
                Reading::Newer(v) => {
                    format!("it has version {v}, which this git sq is too old to read")
                }
                _ => self.body(first).to_owned(),
            },
            digest: digest_of(&digests),
        })
    }

    /// Lines are closed one by one or all at once. `None` if none is.
    pub fn without(&self, closed: &[&str]) -> Option<Self> {
        if closed.is_empty() {
            return None;
        }
        let unread = self.rows.iter().filter(|row| row.is_unread());
        let digests: BTreeSet<String> = unread.map(Row::digest_hex).collect();
        let (mut gone, rest): (BTreeSet<_>, BTreeSet<_>) =
            digests.into_iter().partition(|digest| closed.contains(&&**digest));
        if closed.contains(&&*digest_of(&rest)) {
            gone.extend(rest);
        }
        if gone.is_empty() {
            return None;
        }
        let mut events = self.clone();
        let is_gone = |row: &Row| row.is_unread() && gone.contains(&row.digest_hex());
        events.rows.retain(|row| !is_gone(row));
        Some(events)
    }
}

fn digest_of(lines: &BTreeSet<String>) -> String {
    match lines.first() {
        Some(line) if lines.len() == 1 => line.clone(),
        _ => {
            let all: Vec<&str> = lines.iter().map(String::as_str).collect();
            sha256_hex(all.concat().as_bytes())[..DIGEST].to_owned()
        }
    }
}
