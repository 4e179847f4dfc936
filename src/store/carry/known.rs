//! What is known of a lost commit before anything is matched: what it left, what tells it, where its home may be.

use std::collections::{BTreeSet, HashSet};

use super::Homeless;
use crate::git::{COMMIT_DIGITS, History, MAX_COMMITS, Node, Oid, Repo};

/// Where a lost commit's branch left the tip's history: as the entries say that were made on it, else as the commit
/// itself does, else as copies say that were made on another.
pub fn bases(repo: &Repo, history: &History, homeless: &Homeless, is_here: bool) -> BTreeSet<Node> {
    let anchor = homeless.anchor.to_string();
    let recorded = |own: bool| -> BTreeSet<Node> {
        let lines = homeless.lines.iter().map(|line| &line.trace);
        let lines = lines.filter(|trace| !own || trace.commit.as_ref() == Some(&anchor));
        lines
            .filter_map(|trace| history.find(trace.base.as_ref()?.parse().ok()?))
            .collect()
    };
    let own = recorded(true);
    if !own.is_empty() {
        return own;
    }
    let tip = history.nodes().next().filter(|_| is_here);
    let base = tip.and_then(|tip| {
        let base = repo.merge_base(homeless.anchor, history.id(tip));
        history.find(base.ok().flatten()?)
    });
    base.map_or_else(|| recorded(false), |base| BTreeSet::from([base]))
}

/// The tree of a lost commit that is still here, and still is what it was when its entries were made: `git replace` may
/// have put another in its place.
pub fn own_tree(repo: &Repo, homeless: &Homeless) -> Option<Oid> {
    let tree = repo.tree_of(homeless.anchor).ok()?;
    let (anchor, here) = (homeless.anchor.to_string(), tree.to_string());
    let lines = homeless.lines.iter().map(|line| &line.trace);
    let made = lines.filter(|trace| trace.commit.as_ref() == Some(&anchor));
    let recorded: Vec<&String> = made.filter_map(|trace| trace.tree.as_ref()).collect();
    (recorded.is_empty() || recorded.contains(&&here)).then_some(tree)
}

/// The trees that tell where the entries of a lost commit belong.
pub fn trees(
    repo: &Repo,
    history: &History,
    homeless: &Homeless,
    own: Option<Oid>,
    bases: &BTreeSet<Node>,
) -> HashSet<Oid> {
    let traces = || homeless.lines.iter().map(|line| &line.trace);
    let recorded = traces().filter_map(|trace| trace.tree.as_ref()?.parse().ok());
    let named = traces().filter_map(|trace| trace.base.as_ref()?.parse().ok());
    let bases = bases.iter().map(|&base| history.id(base)).chain(named);
    let before: HashSet<Oid> = bases.filter_map(|base| repo.tree_of(base).ok()).collect();
    let trees = recorded.chain(own);
    trees.filter(|tree| !before.contains(tree)).collect()
}

/// The commits that are not older than the newest entry of a lost one: what was rewritten came after it.
pub fn since(history: &History, homeless: &Homeless) -> Vec<Node> {
    let times = homeless.lines.iter().filter_map(|line| line.trace.time);
    let Some(newest) = times.max() else {
        return Vec::new();
    };
    let nodes = history.nodes();
    nodes.filter(|&node| history.time(node) >= newest).collect()
}

/// The commits of a lost commit's branch, newest first: as the entries that were made on it list them. A copy lists those
/// of the commit that it was made on, which a rebase may have dropped since: for a copy, the commit itself is asked.
pub fn lists(
    repo: &Repo,
    history: &History,
    homeless: &Homeless,
    is_here: bool,
) -> Vec<Vec<String>> {
    let anchor = homeless.anchor.to_string();
    let traces = homeless.lines.iter().map(|line| &line.trace);
    let (made, copied): (Vec<_>, Vec<_>) =
        traces.partition(|trace| trace.commit.as_ref() == Some(&anchor));
    let mut lists: Vec<_> = made.iter().map(|trace| trace.commits.clone()).collect();
    let tip = history.nodes().next();
    if let (true, false, Some(tip)) = (is_here, copied.is_empty(), tip)
        && let Ok(commits) = repo.commits_between(history.id(tip), homeless.anchor)
    {
        let digits = |id: &Oid| id.to_string()[..COMMIT_DIGITS].to_owned();
        lists.push(commits.iter().take(MAX_COMMITS).map(digits).collect());
    }
    lists
}
