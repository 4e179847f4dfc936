//! Decides which lines a remote gets and which wait: a pure function of the lines and of the commits that are public
//! there.

use std::collections::{BTreeSet, HashSet};

use crate::{
    entry::{Envelope, Event, Text},
    git::Oid,
    store::Held,
};

pub type NotedLine = (Oid, Vec<u8>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub ready: Vec<NotedLine>,
    /// Lines whose commit, or the work that they tell of, is not public on the remote yet.
    pub waiting: Vec<NotedLine>,
    /// The branches on which the waiting lines were written.
    pub branches: BTreeSet<String>,
    /// The ids of waiting lines whose branch is not here any more, with its name if that is known.
    pub gone: Vec<(String, Option<String>)>,
    /// Lines on unreachable commits, such as amended ones, which will hardly be pushed.
    pub stray: Vec<NotedLine>,
}

impl Plan {
    /// Splits the lines that a remote lacks. `held` are the ids of lines that wait though their commits are public.
    /// `is_here(commit)`: a branch, a tag or HEAD contains the commit.
    pub fn of(
        lines: Vec<NotedLine>,
        is_public: impl Fn(Oid) -> bool,
        held: &HashSet<&str>,
        is_here: impl Fn(Oid) -> bool,
    ) -> Self {
        let waits = |line: &[u8]| {
            let event = (!held.is_empty()).then(|| Event::parse(line).ok()).flatten();
            event.is_some_and(|event| held.contains(&*event.envelope.id))
        };
        let (ready, rest): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|(anchor, line)| is_public(*anchor) && !waits(line));
        let (waiting, stray) =
            rest.into_iter().partition(|(anchor, _)| is_public(*anchor) || is_here(*anchor));
        Self { ready, waiting, stray, ..Self::default() }
    }

    /// Adds the branches on which the waiting lines were written.
    #[must_use]
    pub fn naming(mut self, held: &Held) -> Self {
        let branch = |(_, line): &NotedLine| {
            let Envelope { id, head, .. } = Event::parse(line).ok()?.envelope;
            let told = head.and_then(|head| head.branch).map(Text::into_owned);
            held.branch(&id).map(str::to_owned).or(told)
        };
        self.branches = self.waiting.iter().filter_map(branch).collect();
        self
    }

    pub fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }
}
