//! Which lines of the log the tip's history has nowhere.

use std::collections::{HashMap, HashSet};

use crate::{
    entry::{CarryRule, Trace, lines_of, trace},
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
    /// Lines that were carried by a rule that shows the whole branch's change at their home: the branch's commits that
    /// they list, and that home. A copy that git's hook made shows nothing, since a rebase may have dropped commits.
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
                for line in lines_of(&annotation.text) {
                    away.entry(line).or_default().push(annotation.anchor);
                }
            }
        }
        let mut lost = Self::default();
        let mut here: HashSet<&[u8]> = HashSet::new();
        for annotation in &log.annotations {
            if history.find(annotation.anchor).is_some() {
                let there = lines_of(&annotation.text).filter(|line| away.contains_key(line));
                let there: Vec<&[u8]> = there.collect();
                if !there.is_empty() {
                    let shown = shown(&annotation.text, annotation.anchor);
                    let traces = there.iter().map(|line| trace(line));
                    // What shows where a copy belongs shows nothing of the commits that the original lists.
                    let settled = traces.filter(|trace| {
                        let commit = trace.commit.clone();
                        commit.is_some_and(|commit| shown.contains(&(commit, trace.id.clone())))
                    });
                    let settled = settled.map(|trace| (trace.commits, annotation.anchor));
                    lost.settled.extend(settled);
                }
                here.extend(there);
            }
        }
        for annotation in anchors {
            let missing = lines_of(&annotation.text).filter(|line| !here.contains(line));
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

    /// Keeps the lines that were made away from the default branch.
    #[must_use]
    pub fn of_branches(mut self) -> Self {
        for one in &mut self.homeless {
            one.lines.retain(|line| line.trace.base.is_some());
        }
        self.homeless.retain(|one| !one.lines.is_empty());
        self
    }
}

/// The commit and the id of each entry that a note's own carry entries show to belong to `home`.
fn shown(text: &[u8], home: Oid) -> HashSet<(String, String)> {
    let home = home.to_string();
    let carried = lines_of(text).filter_map(|line| trace(line).carried);
    let carried = carried.filter(|carried| {
        let shows = match carried.rule {
            CarryRule::Tree | CarryRule::PatchId | CarryRule::MergeTree => true,
            CarryRule::Branch | CarryRule::Onto => false,
        };
        shows && carried.to == home
    });
    let pairs = carried.flat_map(|carried| {
        let ids = carried.entries.into_iter();
        ids.map(move |id| (carried.from.clone(), id))
    });
    pairs.collect()
}
