//! Revisions and dates as `git log` accepts them.

use super::{Error, ErrorKind, Oid, Repo, Result};

impl Repo {
    /// Resolves revisions such as `main`, `^main` or `main..topic` into the commits to include and those to exclude.
    pub fn revisions(&self, revisions: &[String]) -> Result<(Vec<Oid>, Vec<Oid>)> {
        let (mut tips, mut hidden) = (Vec::new(), Vec::new());
        let side = |name: &str| self.commit(if name.is_empty() { "HEAD" } else { name });
        for revision in revisions {
            if let Some((one, two)) = revision.split_once("...") {
                let (one, two) = (side(one)?, side(two)?);
                tips.extend([one, two]);
                hidden.extend(self.merge_bases(one, two)?);
            } else if let Some((from, to)) = revision.split_once("..") {
                hidden.push(side(from)?);
                tips.push(side(to)?);
            } else if let Some(name) = revision.strip_prefix('^') {
                hidden.push(self.commit(name)?);
            } else {
                tips.push(self.commit(revision)?);
            }
        }
        if tips.is_empty() {
            tips.push(self.commit("HEAD")?);
        }
        Ok((tips, hidden))
    }

    /// Returns true if a branch of a remote contains a commit; in a mirror, these are its own.
    pub fn is_on_a_public_branch(&self, commit: Oid) -> bool {
        let commit = commit.to_string();
        let is_mirror = self.worktree().is_none();
        let branches = if is_mirror { "refs/heads" } else { "refs/remotes" };
        let found =
            self.git().args(["for-each-ref", "--count=1", "--contains", &commit, branches]).run();
        found.is_ok_and(|found| !found.is_empty())
    }

    /// Returns true if a merge has what git makes of its parents, and nothing else; false if that can't be told.
    pub fn is_plain_merge(&self, merge: Oid, parents: [Oid; 2]) -> bool {
        let parents = parents.map(|parent| parent.to_string());
        let made = self.git().words("merge-tree --write-tree").args(parents).run();
        let made = made.ok().and_then(|tree| String::from_utf8(tree).ok()?.trim().parse().ok());
        made.is_some_and(|made: Oid| self.tree_of(merge).is_ok_and(|tree| tree == made))
    }

    /// Parses a date as `git log --since` does, `2 weeks ago` included, into seconds since 1970.
    pub fn date(&self, text: &str) -> Result<i64> {
        let printed = self.git().args(["rev-parse", &format!("--since={text}")]).run()?;
        String::from_utf8_lossy(&printed)
            .trim()
            .strip_prefix("--max-age=")
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Error::new(ErrorKind::BadRevision, format!("{text:?} is not a date")))
    }
}
