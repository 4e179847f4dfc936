//! Decides which lines a remote gets and which wait: a pure function of the lines and of the commits that are public
//! there.

use std::collections::{BTreeMap, BTreeSet};

use crate::{entry::Event, git::Oid, store::union};

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
    /// Splits the lines that a remote lacks.
    /// `is_apart(branch, commit)`: the branch is unpublished, so uncommitted work on it must not leak.
    /// `is_here(commit)`: a branch, a tag or HEAD contains the commit.
    pub fn of(
        lines: Vec<NotedLine>,
        is_public: impl Fn(Oid) -> bool,
        is_apart: impl Fn(&str, Oid) -> bool,
        is_here: impl Fn(Oid) -> bool,
    ) -> Self {
        let goes = |(anchor, line): &NotedLine| {
            is_public(*anchor) && !dirty_branch(line).is_some_and(|name| is_apart(&name, *anchor))
        };
        let (ready, rest): (Vec<_>, Vec<_>) = lines.into_iter().partition(goes);
        let waits = |(anchor, _): &NotedLine| is_public(*anchor) || is_here(*anchor);
        let (waiting, stray) = rest.into_iter().partition(waits);
        Self {
            ready,
            waiting,
            stray,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    pub fn branches(&self) -> BTreeSet<String> {
        let lines = self.waiting.iter();
        lines.filter_map(|(_, line)| branch(line)).collect()
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
        let notes = texts.into_iter().map(|(anchor, lines)| {
            let there = there(anchor)?;
            let there = there.iter().map(Vec::as_slice);
            Ok((anchor, union(there.chain(lines))))
        });
        notes.collect()
    }
}

fn branch(line: &[u8]) -> Option<String> {
    let head = Event::parse(line).ok()?.envelope.head?;
    Some(head.branch?.into_owned())
}

/// The branch on which a line was written while tracked files differed from its commit.
fn dirty_branch(line: &[u8]) -> Option<String> {
    let head = Event::parse(line).ok()?.envelope.head?;
    Some(head.branch?.into_owned()).filter(|_| head.dirty)
}
