//! Decides which lines a remote gets and which wait: a pure function of the lines and of the commits that are public
//! there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    entry::{Envelope, Event, Text, Ts},
    git::Oid,
    store::union,
};

pub type NotedLine = (Oid, Vec<u8>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub ready: Vec<NotedLine>,
    /// Lines whose commit, or branch, is not public on the remote yet.
    pub waiting: Vec<NotedLine>,
    /// Lines on unreachable commits, such as amended ones, which will hardly be pushed.
    pub stray: Vec<NotedLine>,
}

impl Plan {
    /// Splits the lines that a remote lacks. What was recorded beside uncommitted changes waits for these: until its
    /// branch is there, or its session recorded a later public commit with nothing uncommitted.
    /// `is_apart(branch, commit)`: the branch, or its work past the commit, is not public.
    /// `is_here(commit)`: a branch, a tag or HEAD contains the commit.
    pub fn of(
        lines: Vec<NotedLine>,
        is_public: impl Fn(Oid) -> bool,
        is_apart: impl Fn(&str, Oid) -> bool,
        is_here: impl Fn(Oid) -> bool,
    ) -> Self {
        let mut last = HashMap::new();
        for (anchor, line) in lines.iter().filter(|(anchor, _)| is_public(*anchor)) {
            if let Some(written) = Written::of(*anchor, line).filter(|written| !written.dirty) {
                let at = last.entry((written.sid, written.branch)).or_default();
                *at = (written.ts, Some(*anchor)).max(std::mem::take(at));
            }
        }
        let went_on = |written: Written, from: Oid| {
            last.get(&(written.sid, written.branch))
                .is_some_and(|(ts, to)| *ts > written.ts && *to != Some(from))
        };
        let goes = |(anchor, line): &NotedLine| {
            let written = Written::of(*anchor, line).filter(|written| written.dirty);
            is_public(*anchor)
                && written.is_none_or(|written| {
                    written.branch.as_deref().is_some_and(|name| !is_apart(name, *anchor))
                        || went_on(written, *anchor)
                })
        };
        let (ready, rest): (Vec<_>, Vec<_>) = lines.into_iter().partition(goes);
        let (waiting, stray) =
            rest.into_iter().partition(|(anchor, _)| is_public(*anchor) || is_here(*anchor));
        Self { ready, waiting, stray }
    }

    pub fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    pub fn branches(&self) -> BTreeSet<String> {
        self.waiting
            .iter()
            .filter_map(|(anchor, line)| Written::of(*anchor, line)?.branch)
            .collect()
    }

    /// Each commit that gets lines, with the complete new text of its note.
    pub fn notes<E>(
        &self,
        mut there: impl FnMut(Oid) -> Result<Vec<Vec<u8>>, E>,
    ) -> Result<Vec<(Oid, Vec<u8>)>, E> {
        let mut texts: BTreeMap<Oid, Vec<&[u8]>> = BTreeMap::new();
        for (anchor, line) in &self.ready {
            texts.entry(*anchor).or_default().push(line);
        }
        texts
            .into_iter()
            .map(|(anchor, lines)| {
                let there = there(anchor)?;
                let there = there.iter().map(Vec::as_slice);
                Ok((anchor, union(there.chain(lines))))
            })
            .collect()
    }
}

/// Where and when a session wrote a line.
struct Written {
    sid: String,
    ts: Ts,
    branch: Option<String>,
    /// True if tracked files differed from the commit. A commit that an entry was carried to has what was uncommitted.
    dirty: bool,
}

impl Written {
    fn of(anchor: Oid, line: &[u8]) -> Option<Self> {
        let envelope = Event::parse(line).ok()?.envelope;
        let is_carried = *envelope.repo_head_sha != *anchor.to_string();
        let Envelope { sid, ts, head, .. } = envelope;
        let head = head?;
        Some(Self {
            sid: sid.into_owned(),
            ts,
            branch: head.branch.map(Text::into_owned),
            dirty: head.dirty && !is_carried,
        })
    }
}
