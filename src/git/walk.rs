//! Walks history: all commits of a tip, from the commit-graph if there is one, or only as far as needed.

use std::{cell::RefCell, collections::HashSet};

use gix::{
    prelude::FindExt as _,
    traverse::commit::{
        Simple,
        simple::{CommitTimeOrder, Sorting},
    },
};
use jiff::Timestamp;

use super::{
    History, Oid, Repo, Result,
    commit::{Commits, seconds, signature, timestamp},
    error::Doing,
};
use crate::quote;

/// By how many seconds a commit may be older than one of its ancestors: a day.
const SKEW: i64 = 24 * 60 * 60;

type Walked<'r> = Simple<Commits<'r>, fn(&gix::oid) -> bool>;

impl Repo {
    /// All commits of the history of `tip`, with a record of where it is cut off or a commit is missing.
    pub fn walk(&self, tip: Oid) -> Result<History> {
        let shallow = self.inner.shallow_commits().doing("read the shallow file")?;
        let graph = if shallow.is_some() {
            None
        } else {
            self.inner.commit_graph_if_enabled().ok().flatten()
        };
        let mut walk = Walk {
            positions: vec![u32::MAX; graph.as_ref().map_or(0, |g| g.num_commits() as usize)],
            graph,
            history: History::default(),
            places: Vec::new(),
        };
        walk.node(tip.0);
        let mut buffer = Vec::new();
        let mut next = 0;
        while let Some(&id) = walk.history.ids.get(next) {
            let is_cut = shallow.as_ref().is_some_and(|s| s.contains(&id.0));
            if is_cut {
                walk.history.cut_at.push(id);
            }
            walk.expand(self, next, is_cut, &mut buffer)?;
            walk.history.close_node();
            next += 1;
        }
        walk.index();
        Ok(walk.history)
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

    /// The remedy where a shallow clone does not show enough. Without a remote of its own, git fetches nothing, and says so
    /// by nothing.
    pub fn how_to_deepen(&self) -> String {
        let branch = self.head().ok().and_then(|head| head.branch);
        let fetch = match self.upstream_remote(branch.as_deref()) {
            Some(name) if name == "origin" => "`git fetch --unshallow` gets".to_owned(),
            Some(name) => format!("`git fetch --unshallow {}` gets", quote::word(&name)),
            None if self.remotes().is_empty() => {
                "`git remote add origin URL` and `git fetch --unshallow` get".to_owned()
            }
            None => "`git fetch --unshallow NAME`, with the name of a remote, gets".to_owned(),
        };
        format!("{fetch} the rest, in CI a checkout with fetch-depth: 0")
    }

    /// Returns true if history may end at a boundary: what lies beyond it is unknown, and [`Repo::how_to_deepen`] says what gets it.
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
    ) -> Result<Walked<'_>> {
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

struct Walk {
    graph: Option<gix::commitgraph::Graph>,
    /// The node of each position in the commit-graph.
    positions: Vec<u32>,
    places: Vec<Option<gix::commitgraph::Position>>,
    history: History,
}

impl Walk {
    fn node(&mut self, id: gix::ObjectId) -> u32 {
        if let Some(position) = self.graph.as_ref().and_then(|graph| graph.lookup(id)) {
            self.node_at(position)
        } else {
            if let Some(&node) = self.history.index.get(&Oid(id)) {
                return node;
            }
            let node = self.push(id, None);
            self.history.index.insert(Oid(id), node);
            node
        }
    }

    fn node_at(&mut self, position: gix::commitgraph::Position) -> u32 {
        let known = self.positions[position.0 as usize];
        if known != u32::MAX {
            return known;
        }
        let Some(graph) = &self.graph else {
            return u32::MAX;
        };
        let id = graph.id_at(position).to_owned();
        let node = self.push(id, Some(position));
        self.positions[position.0 as usize] = node;
        node
    }

    fn push(&mut self, id: gix::ObjectId, place: Option<gix::commitgraph::Position>) -> u32 {
        let node = u32::try_from(self.history.ids.len()).unwrap_or(u32::MAX);
        self.history.ids.push(Oid(id));
        self.history.times.push(0);
        self.places.push(place);
        node
    }

    /// Adds the time of a node and, unless history is cut off there, its parents.
    fn expand(
        &mut self,
        repo: &Repo,
        node: usize,
        is_cut: bool,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        if let (Some(position), Some(graph)) = (self.places[node], &self.graph) {
            let commit = graph.commit_at(position);
            self.history.times[node] = i64::try_from(commit.committer_timestamp()).unwrap_or(0);
            let parents = commit.iter_parents().collect::<std::result::Result<_, _>>();
            let parents: Vec<_> = parents.doing("read the commit-graph")?;
            for parent in parents {
                let parent = self.node_at(parent);
                self.history.parents.push(parent);
            }
            return Ok(());
        }
        let id = self.history.ids[node];
        let found = repo.inner.objects.find(&id.0, buffer).ok();
        let found = found.and_then(|found| Some((found.data, found.try_into_commit_iter()?)));
        let Some((bytes, mut tokens)) = found else {
            self.history.missing.push(id);
            return Ok(());
        };
        self.history.times[node] = seconds(signature(bytes, "committer"));
        if tokens.tree_id().is_err() {
            self.history.missing.push(id);
        }
        if !is_cut {
            for parent in tokens.parent_ids() {
                let parent = self.node(parent);
                self.history.parents.push(parent);
            }
        }
        Ok(())
    }

    fn index(&mut self) {
        for (node, (id, place)) in (0..).zip(self.history.ids.iter().zip(&self.places)) {
            if place.is_some() {
                self.history.index.insert(*id, node);
            }
        }
    }
}
