//! Where an entry counts that stands on one commit or on several, and the reading of all lines.

use std::borrow::Cow;

use super::PlacedEntry;
use crate::{
    entry::{Reading, lines_of, read},
    git::{History, Node, Oid},
    store::{Annotation, Log},
};

pub(super) struct Candidate<'l> {
    /// Where the tip has its anchor, if it has.
    pub node: Option<Node>,
    pub placed: PlacedEntry<'l>,
}

impl<'l> Candidate<'l> {
    /// What makes two lines the same entry: all of the line, but for where an imported one came from, because two
    /// clones may import one file. An id alone does not: then one line could hide another.
    pub fn key(&self) -> Cow<'l, [u8]> {
        const ORIGIN: &[u8] = b",\"origin\":{";
        let line = self.placed.line;
        if !self.placed.entry.imported {
            return Cow::Borrowed(line);
        }
        let Some(start) = line.windows(ORIGIN.len()).position(|part| part == ORIGIN) else {
            return Cow::Borrowed(line);
        };
        let origin = line[start..].iter().position(|&byte| byte == b'}');
        let end = start + origin.map_or(0, |length| length + 1);
        Cow::Owned([&line[..start], &line[end..]].concat())
    }

    /// An entry on several commits counts on the one that it names, else on the one with the fewest ancestors.
    pub fn is_better_than(&self, other: &Self, history: &History) -> bool {
        let rank = |candidate: &Self| match candidate.node {
            None => (2, usize::MAX),
            Some(_)
                if candidate.placed.entry.head == candidate.placed.anchor.to_string().as_str() =>
            {
                (0, 0)
            }
            Some(node) => (1, history.count_contained(node)),
        };
        let tie = |candidate: &Self| (candidate.placed.anchor, candidate.placed.line);
        (rank(self), tie(self)) < (rank(other), tie(other))
    }
}

/// Every line of the log, read; in parallel where there are many.
pub(super) fn readings(log: &Log) -> Vec<(Oid, &[u8], Reading<'_>)> {
    /// Fewer annotations than this are read sooner than a thread starts.
    const SHARE: usize = 256;
    let parse = |annotations| -> Vec<_> {
        let annotations: &[Annotation] = annotations;
        let lines = annotations.iter().flat_map(|annotation| {
            lines_of(&annotation.text).map(|line| (annotation.anchor, line))
        });
        lines
            .map(|(anchor, line)| (anchor, line, read(line)))
            .collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = log.annotations.len().div_ceil(threads).max(SHARE);
    if log.annotations.len() <= share {
        return parse(&log.annotations);
    }
    std::thread::scope(|scope| {
        let parsers: Vec<_> = log
            .annotations
            .chunks(share)
            .map(|annotations| scope.spawn(move || parse(annotations)))
            .collect();
        parsers
            .into_iter()
            .flat_map(|parser| match parser.join() {
                Ok(parsed) => parsed,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}
