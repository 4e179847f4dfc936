//! Patch-ids and branches, by which rewritten commits are recognized.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{History, MAX_COMMITS, Oid, Repo, Result};

/// The pull requests that were fetched, by their numbers.
pub const PULLS_REF: &str = "refs/sq/pulls/";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub base: Oid,
    pub commit: Oid,
}

/// The options of `git diff -U0 --no-ext-diff --no-textconv` under any configuration: `diff-tree` ignores most
/// settings, and these options override the others.
const PATCH: [&str; 11] = [
    "-p",
    "-U0",
    "-M",
    // Git's default, against `diff.renameLimit`.
    "-l1000",
    "--indent-heuristic",
    // Overrides `diff.<driver>.algorithm`, too.
    "--diff-algorithm=myers",
    "--no-ext-diff",
    "--no-textconv",
    // Binary files are identified by blob ids, whose abbreviation depends on the repository.
    "--full-index",
    "--no-color",
    "--ignore-submodules=none",
];

impl Repo {
    /// By the commit of each span, of which no two may have the same; none for a span without changes.
    pub fn patch_ids(&self, spans: &[Span]) -> Result<HashMap<Oid, String>> {
        if spans.is_empty() {
            return Ok(HashMap::new());
        }
        // `diff-tree` takes a second commit on a line for the parent of the first.
        let lines = spans.iter().map(|span| format!("{} {}\n", span.commit, span.base));
        let patches = self
            .git()
            .config("core.quotePath", "true")
            .args(["diff-tree", "--stdin"])
            .args(PATCH)
            .run_with_input(lines.collect::<String>())?;
        let printed = self.git().args(["patch-id", "--stable"]).run_with_input(patches)?;
        Ok(String::from_utf8_lossy(&printed)
            .lines()
            .filter_map(|line| {
                let (id, commit) = line.split_once(' ')?;
                Some((commit.trim().parse().ok()?, id.to_owned()))
            })
            .collect())
    }

    /// The commits that a local or remote-tracking branch or the HEAD of a worktree contains and `history` does not.
    /// Ancestors of a missing commit are not found.
    pub fn on_branches(&self, history: &History) -> Result<HashSet<Oid>> {
        let worktrees = self.git().args(["worktree", "list", "--porcelain"]).run()?;
        let mut next: Vec<Oid> = String::from_utf8_lossy(&worktrees)
            .lines()
            .filter_map(|line| line.strip_prefix("HEAD ")?.parse().ok())
            .collect();
        for prefix in ["refs/heads/", "refs/remotes/"] {
            next.extend(self.refs_under(prefix)?.into_iter().map(|tip| tip.target));
        }
        let mut seen = HashSet::new();
        while let Some(id) = next.pop() {
            if history.find(id).is_none()
                && !seen.contains(&id)
                && let Ok(commit) = self.inner.find_commit(id.0)
            {
                seen.insert(id);
                next.extend(commit.parent_ids().map(|id| Oid(id.detach())));
            }
        }
        Ok(seen)
    }

    /// The commits that contain one of some commits and are not in `history`: of those that were made in this clone,
    /// and of the tips of branches, the newest.
    pub fn made_after(&self, history: &History, commits: &HashSet<Oid>) -> Result<Vec<Oid>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut known: Vec<Oid> = self.reflogs()?.made.iter().map(|made| made.commit).collect();
        for prefix in ["refs/heads/", "refs/remotes/", PULLS_REF] {
            known.extend(self.refs_under(prefix)?.into_iter().map(|tip| tip.target));
        }
        let (mut children, mut next) = (HashMap::<Oid, Vec<Oid>>::new(), known.clone());
        let mut seen = HashSet::new();
        while let Some(id) = next.pop() {
            if history.find(id).is_none()
                && seen.insert(id)
                && let Ok(commit) = self.inner.find_commit(id.0)
            {
                for parent in commit.parent_ids().map(|id| Oid(id.detach())) {
                    children.entry(parent).or_default().push(id);
                    next.push(parent);
                }
            }
        }
        let (mut after, mut next) = (HashSet::new(), Vec::from_iter(commits.iter().copied()));
        while let Some(id) = next.pop() {
            let later = children.remove(&id).unwrap_or_default();
            next.extend(later.into_iter().filter(|id| after.insert(*id)));
        }
        let is_later = |id: &Oid| after.contains(id) && !commits.contains(id);
        let mut later: Vec<Oid> = known.into_iter().filter(is_later).collect();
        later.sort_by_cached_key(|id| (Reverse(self.commit_time(*id).ok()), *id));
        later.dedup();
        later.truncate(MAX_COMMITS);
        Ok(later)
    }
}
