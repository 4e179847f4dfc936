//! Walks history: all commits of a tip, from the commit-graph if there is one, or only as far as needed.

use std::{cell::RefCell, collections::HashSet};

use gix::traverse::commit::{
    Simple,
    simple::{CommitTimeOrder, Sorting},
};
use jiff::Timestamp;

use super::{
    History, Oid, Repo, Result,
    commit::{Commits, seconds, signature, timestamp},
    error::Doing,
};
/// By how many seconds a commit may be older than one of its ancestors: a day.
const SKEW: i64 = 24 * 60 * 60;
/// The remedy where a shallow clone does not show enough.
pub const DEEPEN: &str =
    "`git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0";

type Walk<'r> = Simple<Commits<'r>, fn(&gix::oid) -> bool>;

impl Repo {
    /// All commits of the history of `tip`, with a record of where it is cut off or a commit is missing.
    pub fn walk(&self, tip: Oid) -> Result<History> {
        let shallow = self.inner.shallow_commits().doing("read the shallow file")?;
        let is_cut = |id: Oid| shallow.as_ref().is_some_and(|cut| cut.contains(&id.0));
        let mut links = self.links();
        Ok(History::of(tip, is_cut, |id| links.get(id)))
    }

    /// Returns true if a grafts file changes the history that git shows.
    pub fn has_grafts(&self) -> bool {
        self.inner
            .common_dir()
            .join("info")
            .join("grafts")
            .metadata()
            .is_ok_and(|file| file.len() > 0)
    }

    /// Returns true if history may end at a boundary: what lies beyond it is unknown, and [`DEEPEN`] says what gets it.
    pub fn is_shallow(&self) -> Result<bool> {
        self.inner.is_shallow().doing("read the shallow file")
    }

    /// The commits at which the history of a shallow clone ends.
    pub fn shallow_ends(&self) -> Result<Vec<Oid>> {
        let ends = self.inner.shallow_commits().doing("read the shallow file")?;
        Ok(ends.iter().flat_map(|ends| ends.iter()).map(|&id| Oid(id)).collect())
    }

    /// The commits of `tips` that `hidden` do not contain, with their times in seconds, newest first. A commit may be up
    /// to `SKEW` older than what it contains.
    fn commits(
        &self,
        tips: impl IntoIterator<Item = Oid>,
        hidden: impl IntoIterator<Item = Oid>,
    ) -> Result<Vec<(Oid, i64)>> {
        const DOING: &str = "walk the history";
        let hidden: Vec<_> = hidden.into_iter().map(|tip| tip.0).collect();
        let newest_first = CommitTimeOrder::NewestFirst;
        let walk = self
            .newest_first(tips.into_iter().map(|tip| tip.0), Sorting::ByCommitTime(newest_first))?
            .hide(hidden.iter().copied())
            .doing(DOING)?;
        let mut found = walk.collect::<std::result::Result<Vec<_>, _>>().doing(DOING)?;
        // Where commits are older than their parents, some of what `hidden` contain is among them, but nothing that
        // contains one of `hidden`.
        let mut surely: HashSet<gix::ObjectId> = hidden.iter().copied().collect();
        let mut oldest = None;
        for info in found.iter().rev() {
            if info.parent_ids.iter().any(|parent| surely.contains(parent)) {
                surely.insert(info.id);
            } else {
                oldest = oldest.into_iter().chain(info.commit_time).min();
            }
        }
        if let Some(oldest) = oldest.filter(|_| !hidden.is_empty()) {
            let cutoff =
                Sorting::ByCommitTimeCutoff { order: newest_first, seconds: oldest - SKEW };
            let contained = self.newest_first(hidden, cutoff)?.map(|info| info.map(|info| info.id));
            let contained =
                contained.collect::<std::result::Result<HashSet<_>, _>>().doing(DOING)?;
            found.retain(|info| !contained.contains(&info.id));
        }
        Ok(found.iter().map(|info| (Oid(info.id), info.commit_time.unwrap_or_default())).collect())
    }

    fn newest_first(
        &self,
        tips: impl IntoIterator<Item = gix::ObjectId>,
        sorting: Sorting,
    ) -> Result<Walk<'_>> {
        const DOING: &str = "walk the history";
        let commits = Commits {
            objects: &self.inner.objects,
            cut_at: self.inner.shallow_commits().doing("read the shallow file")?,
            buffer: RefCell::default(),
        };
        let graph = self.inner.commit_graph_if_enabled().ok().flatten();
        Ok(Simple::new(tips, commits).commit_graph(graph).sorting(sorting).doing(DOING)?)
    }

    /// The last commit along first parents, up to where history is cut off.
    pub fn root(&self, tip: Oid) -> Result<Oid> {
        let mut root = tip;
        while let Some(parent) = self.first_parent(root)? {
            if !self.has_object(parent) {
                break;
            }
            root = parent;
        }
        Ok(root)
    }

    /// The commits of `tip` that `base`, if given, does not contain, with their times, newest first.
    pub fn gained(&self, base: Option<Oid>, tip: Oid) -> Result<Vec<(Oid, Timestamp)>> {
        let commits = self.commits([tip], base)?;
        Ok(commits.into_iter().map(|(commit, time)| (commit, timestamp(time))).collect())
    }

    pub fn commits_between(&self, base: Oid, tip: Oid) -> Result<Vec<Oid>> {
        Ok(self.commits([tip], [base])?.into_iter().map(|(commit, _)| commit).collect())
    }

    pub fn count_between(&self, base: Oid, tip: Oid) -> Result<usize> {
        self.commits_between(base, tip).map(|commits| commits.len())
    }

    /// One walk, no deeper than the oldest commit; commits of unknown ancestry are left out.
    pub fn contained(&self, tip: Oid, commits: &[Oid]) -> HashSet<Oid> {
        if commits.is_empty() {
            return HashSet::new();
        }
        let mut present: HashSet<Oid> = commits.iter().copied().collect();
        present.retain(|&commit| self.tree_of(commit).is_ok());
        match self.commits(present.iter().copied(), [tip]) {
            Ok(outside) => outside.iter().for_each(|(commit, _)| {
                present.remove(commit);
            }),
            // History is cut off or has holes: check each commit.
            Err(_) => present.retain(|&commit| self.is_ancestor(commit, tip)),
        }
        present
    }

    /// The committer's time; `None` if it can't be read.
    pub fn readable_time(&self, commit: Oid) -> Option<Timestamp> {
        let commit = self.found(commit).ok()?;
        Timestamp::from_second(signature(&commit.data, "committer")?.time().ok()?.seconds).ok()
    }

    pub fn commit_time(&self, commit: Oid) -> Result<Timestamp> {
        Ok(timestamp(seconds(signature(&self.found(commit)?.data, "committer"))))
    }

    pub(super) fn found(&self, commit: Oid) -> Result<gix::Commit<'_>> {
        self.inner.find_commit(commit.0).doing(format!("read the commit {commit}"))
    }
}
