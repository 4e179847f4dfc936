//! Which lines a remote gets, and which wait: a pure function of the lines and of what is public there.

use std::collections::{BTreeMap, BTreeSet};

use crate::{entry::Event, git::Oid, store::union};

/// A line of the log with the commit that carries it.
pub type NotedLine = (Oid, Vec<u8>);

/// Lines that a remote lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Those that it gets.
    pub ready: Vec<NotedLine>,
    /// Those that wait until their commit, or the branch that they were written on, is public there.
    pub waiting: Vec<NotedLine>,
    /// Those whose commit nothing leads to here, such as one that was amended: it will hardly be pushed.
    pub stray: Vec<NotedLine>,
}

impl Plan {
    /// Parts the lines that a remote lacks. `is_public` says it of a commit, `is_apart` of a branch and a commit: that
    /// the branch is not public, so that work on it which is not committed yet is not either; `is_here` that a commit is
    /// on a branch, a tag or HEAD.
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

    /// Whether the remote has every line that it will have.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    /// The branches on which the lines that wait were written.
    pub fn branches(&self) -> BTreeSet<String> {
        let lines = self.waiting.iter();
        lines.filter_map(|(_, line)| branch(line)).collect()
    }

    /// Each commit that gets lines, with the whole new text of its note.
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

/// The branch that a line was written on.
fn branch(line: &[u8]) -> Option<String> {
    let head = Event::parse(line).ok()?.envelope.head?;
    Some(head.branch?.into_owned())
}

/// The branch that a line was written on, where tracked files differed from its commit.
fn dirty_branch(line: &[u8]) -> Option<String> {
    let head = Event::parse(line).ok()?.envelope.head?;
    Some(head.branch?.into_owned()).filter(|_| head.dirty)
}
