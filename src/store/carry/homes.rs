//! Finds the commit that replaced each rewritten one, from what its entries recorded.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::Hash,
};

use jiff::Timestamp;

use super::Stray;
use crate::{
    entry::{CarryRule, Trace, lines_of, trace},
    git::{self, COMMIT_DIGITS, History, MAX_COMMITS, Node, Oid, Repo, Span},
    store::Log,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    Found(Oid, CarryRule),
    Ambiguous(BTreeSet<Oid>),
    NoMatch,
    /// History is cut off, or objects are missing.
    Unknown,
}

impl Home {
    fn of(matches: BTreeSet<Oid>, rule: CarryRule) -> Self {
        match (matches.len(), matches.first()) {
            (1, Some(&home)) => Self::Found(home, rule),
            (0, _) => Self::NoMatch,
            _ => Self::Ambiguous(matches),
        }
    }
}

/// By tree, else by patch-id, else by branch; `within` limits the homes to some commits of `history`.
pub fn find_homes(
    repo: &Repo,
    log: &Log,
    history: &History,
    strays: &[Stray],
    within: Option<&[Oid]>,
) -> BTreeMap<Oid, Home> {
    let mut homes = own_homes(repo, history, strays, within);
    let later = later_commits(repo, history, strays, &homes);
    let later_homes = own_homes(repo, history, &later, within);
    let mut branches = earlier_homes(log, history);
    for stray in strays.iter().chain(&later) {
        let home = homes.get(&stray.anchor).or_else(|| later_homes.get(&stray.anchor));
        if let Some(Home::Found(home, _)) = home {
            let made_here = stray.traces().filter(|trace| is_made_on(trace, stray.anchor));
            branches.extend(made_here.map(|trace| (trace.commits(), *home)));
        }
    }
    follow_branches(&mut homes, &branches);
    homes
}

/// The later commits on the branches of commits without a home, as far as this clone knows them: what is merged is the
/// branch as it was last.
fn later_commits(
    repo: &Repo,
    history: &History,
    strays: &[Stray],
    homes: &BTreeMap<Oid, Home>,
) -> Vec<Stray<'static>> {
    let open = homes.iter().filter(|(_, home)| **home == Home::NoMatch);
    let open: HashSet<Oid> = open.map(|(anchor, _)| *anchor).collect();
    let mut later = repo.made_after(history, &open).unwrap_or_default();
    later.retain(|commit| strays.iter().all(|stray| stray.anchor != *commit));
    later.into_iter().filter_map(|commit| Stray::made_at(repo, commit, None)).collect()
}

/// By what was recorded at the commits themselves.
fn own_homes(
    repo: &Repo,
    history: &History,
    strays: &[Stray],
    within: Option<&[Oid]>,
) -> BTreeMap<Oid, Home> {
    let homes = strays.iter().map(|stray| (stray.anchor, Home::Unknown));
    let mut homes: BTreeMap<Oid, Home> = homes.collect();
    let open = strays.iter().filter_map(|stray| Some((stray, Range::of(repo, history, stray)?)));
    let mut open: Vec<(&Stray, Range)> = open.collect();
    let candidates = candidates(repo, history, &open, within);

    let mut by_tree: HashMap<Oid, Vec<Node>> = HashMap::new();
    for (&node, &tree) in &candidates {
        by_tree.entry(tree).or_default().push(node);
    }
    for (stray, range) in &open {
        let trees = trees(repo, stray);
        let matches = trees.iter().flat_map(|(length, tree)| all(&by_tree, tree, *length));
        homes.insert(stray.anchor, Home::of(range.matches(history, matches), CarryRule::Tree));
    }

    open.retain(|(stray, _)| homes[&stray.anchor] == Home::NoMatch);
    let by_patch = patch_ids(repo, history, &open, &candidates);
    for (stray, range) in &open {
        let wanted = patches(stray);
        let home = match &by_patch {
            Ok(by_patch) => {
                let matches = wanted.iter().flat_map(|key| all(by_patch, key, key.0));
                Home::of(range.matches(history, matches), CarryRule::PatchId)
            }
            Err(_) if !wanted.is_empty() => Home::Unknown,
            Err(_) => Home::NoMatch,
        };
        homes.insert(stray.anchor, home);
    }
    homes
}

/// The commits of a history that are newer than the entries of a stray commit.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    /// The recorded starts of its branch.
    bases: BTreeSet<Node>,
    /// A home is not older than this: the time of the commit itself, or of its newest entry if the commit is missing.
    since: i64,
}

impl Range {
    /// `None` if history is cut off and may contain the commit after all.
    fn of(repo: &Repo, history: &History, stray: &Stray) -> Option<Self> {
        let bases: BTreeSet<Node> = stray
            .traces()
            .filter_map(|trace| history.find(trace.head.base.as_ref()?.parse().ok()?))
            .collect();
        let is_cut = !history.cut_at().is_empty() || !history.missing().is_empty();
        if bases.is_empty() && is_cut {
            return None;
        }
        let made = repo.commit_time(stray.anchor).map(Timestamp::as_second);
        let times = stray.traces().filter_map(|trace| trace.time);
        let since = made.ok().or(times.max());
        Some(Self { bases, since: since.unwrap_or(i64::MAX) })
    }

    fn contains(&self, history: &History, node: Node) -> bool {
        let mut bases = self.bases.iter();
        history.time(node) >= self.since
            && (self.bases.is_empty() || bases.any(|&base| !history.contains(base, node)))
    }

    /// The homes among commits with the wanted content, each with the number of commits that make it up. Preferred are
    /// those on a recorded start of the branch.
    fn matches(
        &self,
        history: &History,
        found: impl Iterator<Item = (usize, Node)>,
    ) -> BTreeSet<Oid> {
        let found: BTreeSet<_> = found.filter(|&(_, node)| self.contains(history, node)).collect();
        let is_own = |node| !found.iter().any(|&(_, other)| brings(history, node, other));
        let own: Vec<_> = found.iter().filter(|&&(_, node)| is_own(node)).collect();
        let is_on_base = |&(length, node): &(usize, Node)| {
            before(history, node, length).is_some_and(|base| self.bases.contains(&base))
        };
        let any = own.iter().any(|one| is_on_base(one));
        own.into_iter()
            .filter(|one| !any || is_on_base(one))
            .map(|&(_, node)| history.id(node))
            .collect()
    }
}

/// The commits that may be a home, with their trees. A commit without changes against its first parent is excluded: its
/// tree would match whatever was there before.
fn candidates(
    repo: &Repo,
    history: &History,
    open: &[(&Stray, Range)],
    within: Option<&[Oid]>,
) -> BTreeMap<Node, Oid> {
    let nodes: Vec<Node> = if let Some(ids) = within {
        ids.iter().filter_map(|&id| history.find(id)).collect()
    } else {
        let ranges: BTreeSet<&Range> = open.iter().map(|(_, range)| range).collect();
        history
            .nodes()
            .filter(|node| ranges.iter().any(|range| range.contains(history, *node)))
            .collect()
    };
    let tree = |node| repo.tree_of(history.id(node)).ok();
    nodes
        .into_iter()
        .filter_map(|node| Some((node, tree(node)?)))
        .filter(|&(node, own)| history.first_parent(node).and_then(tree) != Some(own))
        .collect()
}

/// The commits of an index with a key, each with a number of commits.
fn all<K: Hash + Eq>(
    index: &HashMap<K, Vec<Node>>,
    key: &K,
    length: usize,
) -> impl Iterator<Item = (usize, Node)> {
    index.get(key).into_iter().flatten().map(move |&node| (length, node))
}

/// The trees that identify a home: those that entries recorded on this commit, else its own; each with a number of
/// commits, as [`patches`]. A branch that returned to the tree of its base has none.
fn trees(repo: &Repo, stray: &Stray) -> HashSet<(usize, Oid)> {
    let tree = |trace: &Trace| -> Option<Oid> {
        let recorded = trace.head.tree.parse().ok();
        recorded
            .filter(|_| is_made_on(trace, stray.anchor))
            .or_else(|| repo.tree_of(stray.anchor).ok())
            .or(recorded)
    };
    let base_tree = |trace: &Trace| repo.tree_of(trace.head.base.as_ref()?.parse().ok()?).ok();
    stray
        .traces()
        .filter_map(|trace| {
            let tree = tree(trace).filter(|tree| Some(*tree) != base_tree(trace))?;
            Some(lengths(trace).map(|length| (length, tree)))
        })
        .flatten()
        .collect()
}

/// The recorded patch-ids, each with a number of commits that may make up the change.
fn patches(stray: &Stray) -> HashSet<(usize, String)> {
    stray
        .traces()
        .filter_map(|trace| Some((trace.head.patch_id.as_ref()?, lengths(trace))))
        .flat_map(|(id, lengths)| lengths.map(|length| (length, id.to_string())))
        .collect()
}

/// Groups the candidates by their changes, alone or as the last of several commits.
fn patch_ids(
    repo: &Repo,
    history: &History,
    open: &[(&Stray, Range)],
    candidates: &BTreeMap<Node, Oid>,
) -> git::Result<HashMap<(usize, String), Vec<Node>>> {
    // Comparing trees is slow: only commits that an entry may belong to are compared.
    let mut ranges: BTreeMap<usize, BTreeSet<&Range>> = BTreeMap::new();
    for (stray, range) in open {
        for (length, _) in patches(stray) {
            ranges.entry(length).or_default().insert(range);
        }
    }
    let mut index: HashMap<_, Vec<Node>> = HashMap::new();
    for (length, ranges) in ranges {
        let spans = candidates
            .keys()
            .filter(|node| ranges.iter().any(|range| range.contains(history, **node)))
            .filter_map(|&node| span(history, node, length));
        let spans: Vec<Span> = spans.collect();
        for (commit, id) in repo.patch_ids(&spans)? {
            index.entry((length, id)).or_default().extend(history.find(commit));
        }
    }
    Ok(index)
}

fn span(history: &History, node: Node, length: usize) -> Option<Span> {
    let base = before(history, node, length)?;
    Some(Span { base: history.id(base), commit: history.id(node) })
}

fn before(history: &History, node: Node, length: usize) -> Option<Node> {
    (0..length).try_fold(node, |node, _| history.first_parent(node))
}

/// The numbers of commits that may make up a branch: one after a squash, the original number after a rebase.
fn lengths(trace: &Trace) -> [usize; 2] {
    [1, trace.commits().len().clamp(1, MAX_COMMITS)]
}

/// Returns true if a commit is the merge that brought another one: then it has nothing of its own.
fn brings(history: &History, merge: Node, other: Node) -> bool {
    merge != other
        && history.contains(merge, other)
        && history.first_parent(merge).is_some_and(|first| !history.contains(first, other))
}

fn is_made_on(trace: &Trace, anchor: Oid) -> bool {
    *trace.commit == anchor.to_string()
}

/// The branch and the home of each entry that was carried before by tree or patch-id. Copies by the hook or to a commit
/// that a person named do not count: a rebase may have dropped earlier commits of the branch.
fn earlier_homes(log: &Log, history: &History) -> Vec<(Vec<String>, Oid)> {
    let mut branches = Vec::new();
    for note in &log.annotations {
        if history.find(note.anchor).is_none() {
            continue;
        }
        let home = note.anchor.to_string();
        let traces: Vec<Trace> = lines_of(&note.text).map(trace).collect();
        let is_whole_branch = |rule| matches!(rule, CarryRule::Tree | CarryRule::PatchId);
        let carried = traces
            .iter()
            .filter_map(|trace| trace.carried.as_ref())
            .filter(|carried| is_whole_branch(carried.rule) && *carried.to == home);
        let carried: HashSet<&str> = carried.map(|carried| &*carried.from).collect();
        let leaders = traces.iter().filter(|trace| carried.contains(&*trace.commit));
        branches.extend(leaders.map(|trace| (trace.commits(), note.anchor)));
    }
    branches
}

/// Lets entries follow the nearest later entry of their branch. `branches` has the commits of entries with a home,
/// newest first, and that home.
fn follow_branches(homes: &mut BTreeMap<Oid, Home>, branches: &[(Vec<String>, Oid)]) {
    let mut listed: HashMap<&str, BTreeMap<usize, BTreeSet<Oid>>> = HashMap::new();
    for (commits, home) in branches {
        for (distance, commit) in commits.iter().take(MAX_COMMITS).enumerate() {
            listed.entry(commit).or_default().entry(distance).or_default().insert(*home);
        }
    }
    for (anchor, home) in homes {
        let Some((_, nearest)) =
            listed.get(&anchor.to_string()[..COMMIT_DIGITS]).and_then(BTreeMap::first_key_value)
        else {
            continue;
        };
        let matches = match home {
            Home::Found(..) => continue,
            Home::Ambiguous(candidates) => &*candidates & nearest,
            Home::NoMatch | Home::Unknown => nearest.clone(),
        };
        if !matches.is_empty() {
            *home = Home::of(matches, CarryRule::Branch);
        }
    }
}
