//! Looks for the homes of rewritten commits in the tip's history, the cheap rules first.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    known::{bases, lists, own_tree, since, trees},
    lost::{Homeless, Lost},
    matching::Matching,
};
use crate::{
    entry::CarryRule,
    git::{History, MAX_COMMITS, Node, Oid, Repo, Result, Span},
};

/// How many spans, the newest, an old commit is merged into the beginnings of.
pub const MERGES: usize = 200;

/// What the search came to.
#[derive(Debug, Default)]
pub struct Search {
    pub matching: Matching,
    /// Commits that can't be matched with what is here.
    pub unknown: HashSet<Oid>,
    /// Commits for which there were more spans than [`MERGES`].
    pub cut_short: HashSet<Oid>,
}

/// A lost commit in the search.
struct Sought<'s> {
    homeless: &'s Homeless<'s>,
    /// Its own tree, where it is still here and what it was.
    tree: Option<Oid>,
    /// The trees that tell it: what its entries recorded, and its own. A branch that came back to the tree of its base
    /// has none.
    trees: HashSet<Oid>,
    /// Where its home may be.
    pool: Vec<Node>,
    /// Whether anything says how far back to look; if not, what changed says nothing.
    bounded: bool,
}

impl Sought<'_> {
    /// How many commits its home may end: one by a squash, as many as there were by a rebase.
    fn lengths(&self) -> BTreeSet<usize> {
        let lines = self.homeless.lines.iter();
        let lengths = lines.map(|line| line.trace.commits.len());
        let lengths = lengths.filter(|length| (1..=MAX_COMMITS).contains(length));
        lengths.chain([1]).collect()
    }

    /// The patch-ids that were recorded, each with the lengths of the spans that may have it.
    fn patches(&self) -> Vec<(usize, &String)> {
        let mut patches = Vec::new();
        for line in &self.homeless.lines {
            if let Some(id) = &line.trace.patch_id {
                patches.push((1, id));
                let length = line.trace.commits.len();
                if (2..=MAX_COMMITS).contains(&length) {
                    patches.push((length, id));
                }
            }
        }
        patches
    }
}

struct Searcher<'s> {
    repo: &'s Repo,
    history: &'s History,
    sought: BTreeMap<Oid, Sought<'s>>,
    trees: HashMap<Node, Option<Oid>>,
    found: Search,
}

/// Matches every lost commit with the commits of `history`, or with those of them that are `within`.
///
/// Where an object is missing that a rule needs, the result says for whom.
pub fn search(repo: &Repo, history: &History, lost: &Lost, within: Option<&[Oid]>) -> Search {
    let mut searcher = Searcher::new(repo, history, lost, within);
    searcher.match_trees();
    searcher.match_patches();
    searcher.found.matching.follow_branches();
    searcher.match_merges();
    searcher.found.matching.follow_branches();
    searcher.found
}

impl<'s> Searcher<'s> {
    fn new(repo: &'s Repo, history: &'s History, lost: &'s Lost, within: Option<&[Oid]>) -> Self {
        let is_cut = !history.cut_at().is_empty() || !history.missing().is_empty();
        let within: Option<Vec<Node>> =
            within.map(|ids| ids.iter().filter_map(|&id| history.find(id)).collect());
        let mut pools: HashMap<Oid, Vec<Node>> = HashMap::new();
        let mut sought = BTreeMap::new();
        let mut unknown = HashSet::new();
        for homeless in &lost.homeless {
            let tree = own_tree(repo, homeless);
            let bases = bases(repo, history, homeless, tree.is_some());
            if is_cut && bases.is_empty() {
                // It may lie beyond the cut, and be no stranger at all: only a match would tell.
                unknown.insert(homeless.anchor);
                if within.is_none() {
                    continue;
                }
            }
            let bounded = within.is_some() || !bases.is_empty();
            let trees = trees(repo, history, homeless, tree, &bases);
            let pool = match &within {
                Some(within) => within.clone(),
                None if bases.is_empty() => since(history, homeless),
                None => {
                    let mut pool = BTreeSet::new();
                    for base in bases {
                        let beyond = pools
                            .entry(history.id(base))
                            .or_insert_with(|| history.beyond(base));
                        pool.extend(beyond.iter().copied());
                    }
                    pool.into_iter().collect()
                }
            };
            let one = Sought {
                homeless,
                tree,
                trees,
                pool,
                bounded,
            };
            sought.insert(homeless.anchor, one);
        }
        let lists = sought.iter().map(|(&anchor, one)| {
            let is_here = one.tree.is_some();
            (anchor, lists(repo, history, one.homeless, is_here))
        });
        let matching = Matching::new(lists, lost.settled.clone());
        let mut searcher = Self {
            repo,
            history,
            sought,
            trees: HashMap::new(),
            found: Search {
                matching,
                unknown,
                cut_short: HashSet::new(),
            },
        };
        searcher.leave_out_empty();
        searcher
    }

    /// A commit that changes nothing is nobody's home: it would match whatever is there already.
    fn leave_out_empty(&mut self) {
        let mut sought = std::mem::take(&mut self.sought);
        let pools = sought.values_mut().map(|one| &mut one.pool);
        for pool in pools {
            pool.retain(|&node| {
                let parent = self.history.first_parent(node);
                let parent = parent.and_then(|parent| self.tree(parent));
                parent.is_none() || self.tree(node) != parent
            });
        }
        self.sought = sought;
    }

    fn narrow(&mut self, anchor: Oid, rule: CarryRule, matches: &[Node]) {
        let homes = matches.iter().map(|&node| self.history.id(node)).collect();
        self.found.matching.narrow(anchor, rule, &homes);
    }

    fn tree(&mut self, node: Node) -> Option<Oid> {
        let (repo, id) = (self.repo, self.history.id(node));
        *self
            .trees
            .entry(node)
            .or_insert_with(|| repo.tree_of(id).ok())
    }

    fn match_trees(&mut self) {
        for anchor in self.found.matching.open() {
            let one = &self.sought[&anchor];
            let (wanted, pool) = (one.trees.clone(), one.pool.clone());
            let same = |&node: &Node| self.tree(node).is_some_and(|t| wanted.contains(&t));
            let matches: Vec<Node> = pool.into_iter().filter(same).collect();
            self.narrow(anchor, CarryRule::Tree, &matches);
        }
    }

    fn match_patches(&mut self) {
        let open = self.found.matching.open();
        let open = open.iter().map(|anchor| &self.sought[anchor]);
        let open: Vec<&Sought> = open.filter(|one| one.bounded).collect();
        // Where objects are missing, what was recorded is left.
        let own = self.own_patches(&open).unwrap_or_default();
        let Ok(ids) = self.patches_of_pools(&open, &own) else {
            let anchors = open.iter().map(|one| one.homeless.anchor);
            self.found.unknown.extend(anchors.collect::<Vec<_>>());
            return;
        };
        let ids = &ids;
        let changes = |one: &Sought, wanted: &[(usize, &String)]| -> Vec<Node> {
            let spans = one.pool.iter().flat_map(|&node| {
                let wanted = wanted.iter();
                let same = wanted.filter(move |(length, id)| ids.get(&(*length, node)) == Some(id));
                same.map(move |(length, _)| (node, *length))
            });
            self.uncontradicted(one, &spans.collect())
        };
        let matches = open.iter().map(|one| {
            let anchor = one.homeless.anchor;
            let mut matches = changes(one, &one.patches());
            // The commit's own change may also have been picked alone: the branch's says more.
            if let (true, Some(id)) = (matches.is_empty(), own.get(&anchor)) {
                matches = changes(one, &[(1, id)]);
            }
            (anchor, matches)
        });
        for (anchor, matches) in matches.collect::<Vec<_>>() {
            self.narrow(anchor, CarryRule::PatchId, &matches);
        }
    }

    /// Those of the spans, each its last commit and its length, that are not known to change something else: a patch-id
    /// passes over blanks, and over the lines around a change. Merging says more, where it can be done.
    fn uncontradicted(&self, one: &Sought, spans: &BTreeSet<(Node, usize)>) -> Vec<Node> {
        let all: Vec<(Node, Span)> = spans
            .iter()
            .filter_map(|&(node, length)| Some((node, self.span(node, length)?)))
            .collect();
        let onto: Vec<Oid> = all.iter().map(|(_, span)| span.base).collect();
        let merged = one
            .tree
            .map(|_| self.repo.merge_trees(one.homeless.anchor, &onto));
        // What is gone can't be merged, and a conflict contradicts nothing.
        let merged = merged.and_then(Result::ok).unwrap_or_default();
        let merged = merged.into_iter().chain(std::iter::repeat(None));
        let spans = all.into_iter().zip(merged).filter(|((_, span), merged)| {
            merged.is_none_or(|tree| self.repo.tree_of(span.commit).is_ok_and(|t| t == tree))
        });
        spans.map(|((node, _), _)| node).collect()
    }

    /// The patch-ids of the lost commits themselves, of those that are still here.
    fn own_patches(&self, open: &[&Sought]) -> Result<HashMap<Oid, String>> {
        let here = open.iter().filter(|one| one.tree.is_some());
        let spans = here.filter_map(|one| {
            let commit = one.homeless.anchor;
            let base = self.repo.first_parent(commit).ok().flatten()?;
            self.repo.tree_of(base).ok()?;
            Some(Span { base, commit })
        });
        self.repo.patch_ids(&spans.collect::<Vec<_>>())
    }

    /// The patch-ids of all commits that can be a home, by the length of the span that they end.
    fn patches_of_pools(
        &self,
        open: &[&Sought],
        own: &HashMap<Oid, String>,
    ) -> Result<HashMap<(usize, Node), String>> {
        let mut nodes: BTreeMap<usize, BTreeSet<Node>> = BTreeMap::new();
        for one in open {
            let lengths = one.patches().into_iter().map(|(length, _)| length);
            let single = own.contains_key(&one.homeless.anchor).then_some(1);
            for length in lengths.chain(single).collect::<BTreeSet<_>>() {
                nodes.entry(length).or_default().extend(&one.pool);
            }
        }
        let mut ids = HashMap::new();
        for (length, nodes) in nodes {
            let spans = nodes.iter().filter_map(|&node| self.span(node, length));
            for (commit, id) in self.repo.patch_ids(&spans.collect::<Vec<_>>())? {
                ids.extend(self.history.find(commit).map(|node| ((length, node), id)));
            }
        }
        Ok(ids)
    }

    /// As many commits, along first parents, as `length`.
    fn span(&self, node: Node, length: usize) -> Option<Span> {
        let mut base = node;
        for _ in 0..length {
            base = self.history.first_parent(base)?;
        }
        Some(Span {
            base: self.history.id(base),
            commit: self.history.id(node),
        })
    }

    fn match_merges(&mut self) {
        for anchor in self.found.matching.open() {
            let one = &self.sought[&anchor];
            if one.tree.is_none() || !one.bounded {
                continue;
            }
            let lengths = one.lengths();
            let mut pool = one.pool.clone();
            pool.sort_by_key(|&node| std::cmp::Reverse(self.history.time(node)));
            let mut spans = Vec::new();
            for &node in &pool {
                let spans_of = lengths.iter().filter_map(|&length| self.span(node, length));
                for span in spans_of.collect::<Vec<_>>() {
                    // Commits that change nothing together would match whatever is merged already.
                    let parent = self.history.find(span.base).and_then(|p| self.tree(p));
                    let tree = self.tree(node).filter(|&tree| Some(tree) != parent);
                    spans.extend(tree.map(|tree| (span.base, node, tree)));
                }
            }
            if spans.len() > MERGES {
                self.found.cut_short.insert(anchor);
                spans.truncate(MERGES);
            }
            let onto: Vec<Oid> = spans.iter().map(|(base, ..)| *base).collect();
            let Ok(merged) = self.repo.merge_trees(anchor, &onto) else {
                self.found.unknown.insert(anchor);
                continue;
            };
            let matches = spans.iter().zip(merged);
            let matches = matches.filter(|((.., tree), merged)| *merged == Some(*tree));
            let matches: Vec<Node> = matches.map(|((_, node, _), _)| *node).collect();
            self.narrow(anchor, CarryRule::MergeTree, &matches);
        }
    }
}
