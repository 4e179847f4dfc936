//! Identifies rewritten commits: by patch-id, by the tree of a merge, and by the branches that still have them.

use std::collections::{HashMap, HashSet};

use super::{History, Oid, Repo, Result, error::Doing};

/// The changes from a commit's ancestor to the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub base: Oid,
    pub commit: Oid,
}

/// Makes the patch of `git diff -U0 --no-ext-diff --no-textconv` under any configuration: `diff-tree` ignores most
/// settings, and these options override the rest.
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
    // Binary files are identified by blob ids, and the length of abbreviations depends on the repository.
    "--full-index",
    "--no-color",
    "--ignore-submodules=none",
];

impl Repo {
    /// The stable patch-id of each span, by its commit; a span without changes has none. No two spans may have the same
    /// commit.
    pub fn patch_ids(&self, spans: &[Span]) -> Result<HashMap<Oid, String>> {
        if spans.is_empty() {
            return Ok(HashMap::new());
        }
        // `diff-tree` takes a second commit on a line for the parent of the first.
        let lines = spans
            .iter()
            .map(|span| format!("{} {}\n", span.commit, span.base));
        let git = self.git().args(["-c", "core.quotePath=true"]);
        let diff = git.args(["diff-tree", "--stdin"]).args(PATCH);
        let patches = diff.run_with_input(lines.collect::<String>())?;
        let patch_id = self.git().args(["patch-id", "--stable"]);
        let printed = patch_id.run_with_input(patches)?;
        let printed = String::from_utf8_lossy(&printed);
        let ids = printed.lines().filter_map(|line| {
            let (id, commit) = line.split_once(' ')?;
            Some((commit.trim().parse().ok()?, id.to_owned()))
        });
        Ok(ids.collect())
    }

    /// The tree of a merge of `commit` into each of `onto`; `None` if it has conflicts. Nothing is written into the
    /// repository.
    pub fn merge_trees(&self, commit: Oid, onto: &[Oid]) -> Result<Vec<Option<Oid>>> {
        if onto.is_empty() {
            return Ok(Vec::new());
        }
        // Git writes the merged trees into a temporary object folder that has the repository's as its alternate.
        let objects = tempfile::tempdir().doing("make a temporary folder")?;
        let info = objects.path().join("info");
        let real = format!("{}\n", self.common_dir().join("objects").display());
        std::fs::create_dir(&info)
            .and_then(|()| std::fs::write(info.join("alternates"), real))
            .doing("write in a temporary folder")?;
        let lines = onto.iter().map(|onto| format!("{onto} {commit}\n"));
        let printed = self
            .git()
            .env("GIT_OBJECT_DIRECTORY", objects.path())
            .args(["merge-tree", "--write-tree", "--allow-unrelated-histories"])
            .args(["--name-only", "--no-messages", "--stdin"])
            .run_with_input(lines.collect::<String>())?;
        Ok(merged(&printed))
    }

    /// The commits of all branches, local and fetched, and of all worktrees that `history` lacks. The walk stops at
    /// missing commits.
    pub fn on_branches(&self, history: &History) -> Result<HashSet<Oid>> {
        let worktrees = self.git().args(["worktree", "list", "--porcelain"]).run()?;
        let worktrees = String::from_utf8_lossy(&worktrees);
        let heads = worktrees
            .lines()
            .filter_map(|line| line.strip_prefix("HEAD ")?.parse().ok());
        let mut next: Vec<Oid> = heads.collect();
        for prefix in ["refs/heads/", "refs/remotes/"] {
            let refs = self.refs_under(prefix)?;
            next.extend(refs.into_iter().map(|tip| tip.target));
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

    /// The first parent; `None` for a root commit.
    pub fn first_parent(&self, commit: Oid) -> Result<Option<Oid>> {
        let commit = self
            .inner
            .find_commit(commit.0)
            .map_err(|_| super::repository::missing("commit", commit))?;
        Ok(commit.parent_ids().next().map(|id| Oid(id.detach())))
    }
}

/// Parses the output of `merge-tree --stdin`: for each merge whether it is clean, the tree and the paths in conflict,
/// each with a NUL after it, and one more NUL.
fn merged(printed: &[u8]) -> Vec<Option<Oid>> {
    let mut fields = printed.split(|&byte| byte == 0);
    let mut trees = Vec::new();
    while let (Some(clean), Some(tree)) = (fields.next(), fields.next()) {
        let tree = str::from_utf8(tree).ok().and_then(|id| id.parse().ok());
        trees.push(tree.filter(|_| clean == b"1"));
        fields.by_ref().find(|field| field.is_empty());
    }
    trees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_are_told_apart() {
        let tree = "1e47980f9106a5a2ef013337fd3e58ebd6dc2be7";
        let printed = format!("1\0{tree}\0\00\0{tree}\0a.txt\0b.txt\0\01\0{tree}\0\0");
        let tree: Oid = tree.parse().unwrap();
        assert_eq!(merged(printed.as_bytes()), [Some(tree), None, Some(tree)]);
        assert_eq!(merged(b""), []);
    }
}
