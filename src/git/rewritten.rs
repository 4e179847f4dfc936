//! Patch-ids and branches, by which rewritten commits are recognized.

use std::collections::{HashMap, HashSet};

use super::{History, Oid, Repo, Result};

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
}
