//! Plans which lines move to which commits, and writes the entries that record it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Serialize, Serializer};
use ulid::Ulid;

use super::{Home, Stray, StrayLine, find_homes, strays};
use crate::{
    entry::{Body, Carried, CarryRule, Envelope, Line, Text, entry_id, lines_of},
    git::{self, History, Oid, Repo},
    store::Log,
};

/// This number of the longest accepted ids, with every character escaped, fits into one line of the log.
const MAX_IDS: usize = 64;

/// Lines in an entry that marks some of them: each may have several marks.
const MAX_MARKED: usize = 4;

#[derive(Debug, Default)]
pub struct Request {
    /// Only the entries of these commits, even if a branch contains them; empty for those of every commit.
    pub commits: HashSet<Oid>,
    /// The home of entries that match no commit; with `commits`, of all their entries.
    pub onto: Option<Oid>,
    /// The commits of a merged pull request: the only possible homes, only for entries of a branch.
    pub merged: Option<Vec<Oid>>,
}

#[derive(Debug, Default)]
pub struct Plan {
    pub moves: Vec<Move>,
    pub orphaned: Vec<Orphaned>,
    /// Number of lines that stay because a branch contains their commits.
    pub on_branches: usize,
    /// Number of orphaned lines whose homes can't be known.
    pub unclear: usize,
}

#[derive(Debug, Serialize)]
pub struct Move {
    pub from: Oid,
    pub to: Oid,
    pub rule: CarryRule,
    /// Each with its id; for a line without one, the first 16 digits of its SHA-256.
    #[serde(rename = "entries", serialize_with = "ids")]
    pub lines: Vec<(Line, String)>,
    /// The answers that rules flag at `from`, each as `QUESTION ENTRY`.
    pub flagged: Vec<String>,
    /// The other answers that depend on what differs between `from` and `to`.
    pub outdated: Vec<String>,
}

fn ids<S: Serializer>(lines: &[(Line, String)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(lines.iter().map(|(_, id)| id))
}

#[derive(Debug, Serialize)]
pub struct Orphaned {
    pub commit: Oid,
    /// The commit is not in this clone: git removed it, or it was never pushed.
    pub missing: bool,
    pub entries: usize,
    /// The commits that match equally well; empty if none matches.
    pub candidates: BTreeSet<Oid>,
}

/// Plans the moves of lines of `log` that `history` lacks. A line that stands on several commits counts once.
pub fn plan(repo: &Repo, log: &Log, history: &History, request: &Request) -> git::Result<Plan> {
    let mut strays = strays(repo, log, history)?;
    if request.merged.is_some() {
        for stray in &mut strays {
            stray.lines.retain(|line| line.trace.head.base.is_some());
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
    // A line on several commits takes the home that the strongest rule found.
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
        let lines = stray.lines.iter().filter(|line| is_wanted(line) && seen.insert(line.text));
        let lines: Vec<_> =
            lines.map(|line| (Line::raw(line.text), line.trace.id.clone())).collect();
        if !lines.is_empty() {
            let from = stray.anchor;
            plan.moves.push(Move::new(from, to, rule, lines));
        }
    }
    for stray in &strays {
        // What tells of a move is no entry that waits for one.
        let left = stray.lines.iter().filter(|line| line.trace.carried.is_none());
        let left = left.filter(|line| seen.insert(line.text));
        let left: Vec<&StrayLine> = left.collect();
        let entries = left.iter().filter(|line| line.orphaned).count();
        plan.on_branches += left.len() - entries;
        let candidates = match homes.remove(&stray.anchor) {
            Some(Home::Unknown) => {
                plan.unclear += entries;
                continue;
            }
            Some(Home::Ambiguous(candidates)) => candidates,
            _ => BTreeSet::new(),
        };
        if entries > 0 {
            let (commit, missing) = (stray.anchor, !repo.has_object(stray.anchor));
            plan.orphaned.push(Orphaned { commit, missing, entries, candidates });
        }
    }
    Ok(plan)
}

impl Move {
    pub fn new(from: Oid, to: Oid, rule: CarryRule, lines: Vec<(Line, String)>) -> Self {
        Self { from, to, rule, lines, flagged: Vec::new(), outdated: Vec::new() }
    }

    pub fn is_marked(&self) -> bool {
        !self.flagged.is_empty() || !self.outdated.is_empty()
    }

    pub fn copies(&self) -> impl Iterator<Item = (Oid, Line)> {
        self.lines.iter().map(|(line, _)| (self.to, line.clone()))
    }

    /// The entries that record it; of what git rewrote, only what is marked.
    pub fn entries<'e>(
        &self,
        envelope: &Envelope<'e>,
    ) -> impl Iterator<Item = (Envelope<'e>, Body<'static>)> {
        let of = |ids: &[&str], marks: &[String]| -> Vec<Text<'static>> {
            let is_of = |mark: &&String| ids.iter().any(|id| mark.ends_with(&format!(" {id}")));
            marks.iter().filter(is_of).map(|mark| mark.clone().into()).collect()
        };
        let is_marked = |id: &&str| {
            !of(&[id], &self.flagged).is_empty() || !of(&[id], &self.outdated).is_empty()
        };
        let (marked, others): (Vec<&str>, Vec<&str>) =
            self.lines.iter().map(|(_, id)| &**id).partition(is_marked);
        let others = if self.rule == CarryRule::Rewrite { Vec::new() } else { others };
        let chunks = marked.chunks(MAX_MARKED).chain(others.chunks(MAX_IDS));
        let chunks: Vec<Vec<&str>> = chunks.map(<[&str]>::to_vec).collect();
        chunks.into_iter().map(move |ids| {
            let envelope = Envelope {
                id: entry_id(envelope.ts.timestamp(), Ulid::generate().random()).into(),
                ..envelope.clone()
            };
            let body = Body::Carry(Carried {
                from: self.from.to_string().into(),
                to: self.to.to_string().into(),
                rule: self.rule,
                entries: ids.iter().map(|id| id.to_string().into()).collect(),
                flagged: of(&ids, &self.flagged),
                outdated: of(&ids, &self.outdated),
            });
            (envelope, body)
        })
    }
}
