//! The commits that were made in this clone, and the branches that were renamed in it, according to its reflogs.

use std::fs::{self, DirEntry};

use super::{
    Oid, Repo, Result,
    refs::{RefMove, moves},
};
use crate::file;

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
            let folder = worktree.map_or_else(String::new, |name| format!("worktrees/{name}/"));
            let head = self.head_of_worktree(worktree);
            let branch = head.and_then(|head| head.branch);
            found.add_head(self.reflog(&format!("{folder}logs/HEAD")), branch.as_deref());
        }
        for tip in self.refs_under("refs/heads/")? {
            let branch = tip.name.trim_start_matches("refs/heads/");
            found.add(&self.reflog(&format!("logs/{}", tip.name)), Some(branch));
        }
        Ok(found)
    }

    /// Oldest first; empty without a reflog.
    fn reflog(&self, path: &str) -> Vec<RefMove> {
        let bytes = fs::read(self.common_dir().join(path)).unwrap_or_default();
        moves(gix::refs::file::log::iter::forward(&bytes))
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
        for RefMove { to, time, deed, .. } in steps {
            if let Some((from, to)) = renaming(deed) {
                self.renamed.push((from.to_owned(), to.to_owned()));
            }
            if let Some(commit) = to.filter(|_| makes_a_commit(deed)) {
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
