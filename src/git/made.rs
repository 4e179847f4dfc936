//! The commits that were made in this clone, and the branches that were renamed in it, according to its reflogs.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    fs::{self, DirEntry},
};

use super::{
    History, MAX_COMMITS, Oid, Repo, Result,
    refs::{RefMove, moves},
};
use crate::file;

/// The pull requests that were fetched, by their numbers.
pub const PULLS_REF: &str = "refs/sq/pulls/";

/// A commit that was made in a worktree of this clone, not fetched or checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub commit: Oid,
    /// The branch's short name at that time; none for a detached HEAD.
    pub branch: Option<String>,
    /// In seconds since 1970.
    pub time: i64,
}

#[derive(Debug, Clone, Default)]
pub struct Reflogs {
    pub made: Vec<Made>,
    /// The old and the new short names of branches.
    pub renamed: Vec<(String, String)>,
}

impl Repo {
    /// The folders that git keeps of linked worktrees.
    pub fn worktree_dirs(&self) -> impl Iterator<Item = DirEntry> + use<> {
        file::listed(self.common_dir().join("worktrees"))
    }

    /// Reads the reflogs of all worktrees' HEADs, which outlive a branch, and of all branches.
    pub fn reflogs(&self) -> Result<Reflogs> {
        let mut found = Reflogs::default();
        let linked: Vec<String> = self
            .worktree_dirs()
            .filter_map(|folder| folder.file_name().into_string().ok())
            .collect();
        for worktree in linked.iter().map(|name| Some(name.as_str())).chain([None]) {
            let head = self.head_of_worktree(worktree);
            let branch = head.and_then(|head| head.branch);
            found.add_head(self.head_moves(worktree), branch.as_deref());
        }
        for tip in self.refs_under("refs/heads/")? {
            let branch = tip.name.trim_start_matches("refs/heads/");
            found.add(&self.reflog(&format!("logs/{}", tip.name)), Some(branch));
        }
        Ok(found)
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
        let (mut after, mut next) = (HashSet::new(), commits.iter().copied().collect::<Vec<_>>());
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

    /// The moves of a worktree's HEAD, linked by that name or the main one: oldest first; empty without a reflog.
    pub fn head_moves(&self, worktree: Option<&str>) -> Vec<RefMove> {
        let folder = worktree.map_or_else(String::new, |name| format!("worktrees/{name}/"));
        self.reflog(&format!("{folder}logs/HEAD"))
    }

    /// Oldest first; empty without a reflog.
    fn reflog(&self, path: &str) -> Vec<RefMove> {
        let bytes = fs::read(self.common_dir().join(path)).unwrap_or_default();
        moves(gix::refs::file::log::iter::forward(&bytes))
    }
}

impl RefMove {
    /// The commit that it made, if it did.
    pub fn made(&self) -> Option<Oid> {
        self.to.filter(|_| makes_a_commit(&self.deed))
    }
}

impl Reflogs {
    /// Each checkout names the branch that it leaves; `branch` is the present one.
    fn add_head(&mut self, steps: Vec<RefMove>, branch: Option<&str>) {
        let mut since = Vec::new();
        for step in steps {
            let left = step.deed.strip_prefix("checkout: moving from ");
            if let Some(left) = left.and_then(|rest| rest.split(' ').next()) {
                self.add(&since, Some(left).filter(|name| name.parse::<Oid>().is_err()));
                since.clear();
            }
            since.push(step);
        }
        self.add(&since, branch);
    }

    fn add(&mut self, steps: &[RefMove], branch: Option<&str>) {
        for step in steps {
            let RefMove { time, deed, .. } = step;
            if let Some((from, to)) = renaming(deed) {
                self.renamed.push((from.to_owned(), to.to_owned()));
            }
            if let Some(commit) = step.made() {
                let branch = branch.map(str::to_owned);
                self.made.push(Made { commit, branch, time: *time });
            }
        }
    }

    /// The names that a branch had and has since it had this one.
    pub fn names<'n>(&'n self, branch: &'n str) -> Vec<&'n str> {
        let mut names = vec![branch];
        for (from, to) in &self.renamed {
            if names.contains(&from.as_str()) && !names.contains(&to.as_str()) {
                names.push(to);
            }
        }
        names
    }
}

fn renaming(deed: &str) -> Option<(&str, &str)> {
    deed.strip_prefix("Branch: renamed refs/heads/")?.split_once(" to refs/heads/")
}

/// Returns true for `git commit`, `merge`, `cherry-pick`, `revert`, `am` and the steps of `rebase`; the moves to commits
/// that existed are called otherwise.
fn makes_a_commit(deed: &str) -> bool {
    let action = deed.split(':').next().unwrap_or_default();
    let step = action.rsplit_once('(').map(|(_, step)| step.trim_end_matches(')'));
    matches!(action.split(' ').next(), Some("commit" | "cherry-pick" | "revert" | "am"))
        || matches!(
            step,
            Some("pick" | "reword" | "edit" | "squash" | "fixup" | "continue" | "merge")
        )
        || deed.contains(": Merge made by ")
}
