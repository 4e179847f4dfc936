//! Which lines of the log the tip's history has nowhere.

use std::collections::{HashMap, HashSet};

use crate::{
    entry::{Trace, trace},
    git::{History, Oid},
    store::Log,
};

/// A commit that the tip does not contain, and its lines that the tip has nowhere else.
#[derive(Debug)]
pub struct Homeless<'l> {
    pub anchor: Oid,
    pub lines: Vec<LostLine<'l>>,
}

/// A line that stands on no commit of the tip's history.
#[derive(Debug)]
pub struct LostLine<'l> {
    pub text: &'l [u8],
    pub trace: Trace,
    /// No branch has it either.
    pub orphaned: bool,
}

/// What the tip lacks.
#[derive(Debug, Default)]
pub struct Lost<'l> {
    /// By anchor.
    pub homeless: Vec<Homeless<'l>>,
    /// Lines that the tip has, though one of their commits was rewritten: the branch's commits that they list, and the
    /// commit that they stand on now.
    pub settled: Vec<(Vec<String>, Oid)>,
}

impl<'l> Lost<'l> {
    /// Sorts the log out. `on_branches` are the commits that a branch contains and the tip does not.
    pub fn of(log: &'l Log, history: &History, on_branches: &HashSet<Oid>) -> Self {
        let mut away: HashMap<&[u8], Vec<Oid>> = HashMap::new();
        let mut anchors = Vec::new();
        for annotation in &log.annotations {
            if history.find(annotation.anchor).is_none() {
                anchors.push(annotation);
                for line in lines(&annotation.text) {
                    away.entry(line).or_default().push(annotation.anchor);
                }
            }
        }
        let mut lost = Self::default();
        let mut here: HashSet<&[u8]> = HashSet::new();
        for annotation in &log.annotations {
            if history.find(annotation.anchor).is_some() {
                for line in lines(&annotation.text).filter(|line| away.contains_key(line)) {
                    here.insert(line);
                    lost.settled.push((trace(line).commits, annotation.anchor));
                }
            }
        }
        for annotation in anchors {
            let missing = lines(&annotation.text).filter(|line| !here.contains(line));
            let missing = missing.map(|line| LostLine {
                text: line,
                trace: trace(line),
                orphaned: !away[line].iter().any(|anchor| on_branches.contains(anchor)),
            });
            let missing: Vec<LostLine> = missing.collect();
            if !missing.is_empty() {
                lost.homeless.push(Homeless {
                    anchor: annotation.anchor,
                    lines: missing,
                });
            }
        }
        lost
    }
}

/// The lines of a note; blank ones mean nothing.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
}
