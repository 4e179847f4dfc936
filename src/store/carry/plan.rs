//! Plans which lines go where, and writes the entries that say so.

use std::collections::{BTreeMap, HashSet};

use ulid::Ulid;

use super::{Home, Stray, StrayLine, find_homes, strays};
use crate::{
    entry::{Body, Carried, CarryRule, Envelope, Line, entry_id, lines_of},
    git::{self, History, Oid, Repo},
    store::Log,
};

/// As many of the longest ids that are taken for one, every character escaped, fit into one line of the log.
const MAX_IDS: usize = 64;

/// What to carry.
#[derive(Debug, Default)]
pub struct Request {
    /// Only the entries of these commits, also where a branch has them; where empty, those of every commit.
    pub commits: HashSet<Oid>,
    /// Where entries go that nothing matches; with `commits`, all of theirs.
    pub onto: Option<Oid>,
    /// The commits of a merged pull request: only these are homes, and only for entries that were made on a branch, also
    /// where it still exists.
    pub merged: Option<Vec<Oid>>,
}

/// What goes where, and what stays.
#[derive(Debug, Default)]
pub struct Plan<'l> {
    pub moves: Vec<Move<'l>>,
    pub orphaned: Vec<Orphaned>,
    /// How many lines stay because a branch has them.
    pub on_branches: usize,
}

/// Lines that go from one commit to another.
#[derive(Debug)]
pub struct Move<'l> {
    pub from: Oid,
    pub to: Oid,
    pub rule: CarryRule,
    /// Each with its id.
    pub lines: Vec<(&'l [u8], String)>,
}

/// A commit with lines that no branch has and that have no home.
#[derive(Debug)]
pub struct Orphaned {
    pub commit: Oid,
    /// Whether the commit is in this repository.
    pub is_here: bool,
    pub lines: usize,
    /// Anything but [`Home::Found`].
    pub home: Home,
}

/// Plans what to do about the lines of `log` that `history` has nowhere. A line that stands on several commits counts
/// once.
pub fn plan<'l>(
    repo: &Repo,
    log: &'l Log,
    history: &History,
    request: &Request,
) -> git::Result<Plan<'l>> {
    let mut strays = strays(repo, log, history)?;
    if request.merged.is_some() {
        for stray in &mut strays {
            stray.lines.retain(|line| line.trace.base.is_some());
        }
    }
    let by_name = !request.commits.is_empty();
    let mut homes = match request.onto {
        Some(_) if by_name => BTreeMap::new(),
        _ => find_homes(repo, log, history, &strays, request.merged.as_deref()),
    };
    strays.retain(|stray| !by_name || request.commits.contains(&stray.anchor));

    let mut targets: Vec<(CarryRule, &Stray, Oid)> = strays
        .iter()
        .filter_map(|stray| match (homes.get(&stray.anchor), request.onto) {
            (Some(Home::Found(to, rule)), _) => Some((*rule, stray, *to)),
            (Some(Home::NoMatch) | None, Some(to)) => Some((CarryRule::Onto, stray, to)),
            _ => None,
        })
        .collect();
    // A line that stands on several commits goes with the one that the strongest rule matched.
    targets.sort_by_key(|(rule, stray, _)| (*rule, stray.anchor));
    let is_wanted = |line: &StrayLine| line.orphaned || by_name || request.merged.is_some();
    let mut seen: HashSet<&[u8]> = log
        .annotations
        .iter()
        .filter(|note| Some(note.anchor) == request.onto)
        .flat_map(|note| lines_of(&note.text))
        .collect();
    let mut plan = Plan::default();
    for (rule, stray, to) in targets {
        let lines: Vec<_> = stray
            .lines
            .iter()
            .filter(|line| is_wanted(line) && seen.insert(line.text))
            .map(|line| (line.text, line.trace.id.clone()))
            .collect();
        if !lines.is_empty() {
            let from = stray.anchor;
            plan.moves.push(Move {
                from,
                to,
                rule,
                lines,
            });
        }
    }
    for stray in &strays {
        let left: Vec<&StrayLine> = stray
            .lines
            .iter()
            .filter(|line| seen.insert(line.text))
            .collect();
        let lines = left.iter().filter(|line| line.orphaned).count();
        plan.on_branches += left.len() - lines;
        if lines > 0 {
            plan.orphaned.push(Orphaned {
                commit: stray.anchor,
                is_here: repo.has_object(stray.anchor),
                lines,
                home: homes.remove(&stray.anchor).unwrap_or(Home::NoMatch),
            });
        }
    }
    Ok(plan)
}

impl Move<'_> {
    /// Copies of its lines.
    pub fn copies(&self) -> impl Iterator<Item = Line> {
        self.lines.iter().map(|(text, _)| Line::raw(text))
    }

    /// The entries that say what was carried; several where there are many lines.
    pub fn entries<'e>(
        &self,
        envelope: &Envelope<'e>,
    ) -> impl Iterator<Item = (Envelope<'e>, Body<'static>)> {
        self.lines.chunks(MAX_IDS).map(|lines| {
            let envelope = Envelope {
                id: entry_id(envelope.ts.timestamp(), Ulid::generate().random()).into(),
                ..envelope.clone()
            };
            let body = Body::Carry(Carried {
                from: self.from.to_string().into(),
                to: self.to.to_string().into(),
                rule: self.rule,
                entries: lines.iter().map(|(_, id)| id.clone().into()).collect(),
            });
            (envelope, body)
        })
    }
}
