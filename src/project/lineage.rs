//! Facts about the history of one tip: from the index, else from a walk.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
    iter,
};

use super::{
    Project,
    index::{Facts, MUCH, Reach, Reached},
    named_stores::NamedStores,
    questions::store_bytes,
};
use crate::{
    evidence::is_exposed,
    git::{Changes, History, Node, Oid, Repo, Result},
    question::{self, QuestionSet},
    store::{Events, Row},
    timeline::{AskedBy, Lineage, OnMain, Unknown, Watch},
};

/// More new commits than this are walked together with all others.
const MANY: usize = 10_000;

/// Up to so many commits, a walk costs less than a process.
const FEW: usize = 64;

/// The work to compare two commits, in the unit of `WORTH_WRITING`.
const PAIR: usize = 8;

pub struct Known<'i> {
    repo: &'i Repo,
    tip: Oid,
    events: &'i Events,
    reach: Reach,
    facts: &'i RefCell<Facts>,
    history: Option<History>,
    changes: HashMap<(u32, u32), Option<Changes>>,
    stores: NamedStores<'i>,
}

impl Reach {
    fn walked(tip: Oid, history: &History, events: &Events) -> Self {
        let length = history.main_length();
        let anchors = events.anchors().map(|anchor| {
            let node = history.find(anchor)?;
            let (distance, is_on_main) = history.merged(node);
            Some(Reached {
                time: history.time(node),
                merged: length.saturating_sub(1 + distance),
                is_on_main,
            })
        });
        Self { tip, length, anchors: anchors.collect(), first_changes: BTreeMap::new() }
    }

    /// `None` if the tip is not an ancestor, or a full walk is better; else also the number of walked commits.
    fn grown(&self, repo: &Repo, tip: Oid, events: &Events) -> Option<(Self, usize)> {
        if !repo.is_ancestor(self.tip, tip) {
            return None;
        }
        let new = repo.commits_between(self.tip, tip).ok()?;
        if new.len() > MANY {
            return None;
        }
        let new: HashSet<Oid> = new.into_iter().collect();
        let mut main = Vec::new();
        let mut commit = tip;
        while new.contains(&commit) {
            main.push(commit);
            commit = repo.first_parent(commit).ok()??;
        }
        if commit != self.tip {
            // The old tip is on a side branch of the new one, so the line of first parents is another one.
            return None;
        }
        // The places of the new commits on the line of first parents; true for those on it.
        let mut merged = HashMap::from([(self.tip, (self.length.saturating_sub(1), true))]);
        for (place, &commit) in (self.length..).zip(main.iter().rev()) {
            let mut open = vec![commit];
            while let Some(one) = open.pop() {
                if new.contains(&one) && !merged.contains_key(&one) {
                    merged.insert(one, (place, one == commit));
                    open.extend(repo.parents(one).ok()?);
                }
            }
        }
        let mut anchors = self.anchors.clone();
        let mut strangers = Vec::new();
        anchors.resize(events.anchor_count(), None);
        for (number, (anchor, reached)) in events.anchors().zip(&mut anchors).enumerate() {
            if let Some(&(merged, is_on_main)) = merged.get(&anchor) {
                *reached = Some(Reached {
                    time: repo.commit_time(anchor).ok()?.as_second(),
                    merged,
                    is_on_main,
                });
            } else if number >= self.anchors.len() {
                strangers.push(anchor);
            }
        }
        // Late entries on commits of the past need a walk to find their places.
        if !repo.contained(tip, &strangers).is_empty() {
            return None;
        }
        let length = self.length + u32::try_from(main.len()).unwrap_or(u32::MAX);
        let first_changes = self.first_changes.clone();
        let grown = Self { tip, length, anchors, first_changes };
        Some((grown, new.len()))
    }
}

impl<'i> Known<'i> {
    /// Uses the kept facts, or `history` if it was walked already.
    pub fn new(project: &'i Project, events: &'i Events, history: Option<History>) -> Result<Self> {
        let (repo, tip, facts) = (&project.repo, project.tip, &project.facts);
        let mut known = Self {
            repo,
            tip,
            events,
            reach: Reach { tip, ..Reach::default() },
            facts,
            history,
            changes: HashMap::new(),
            stores: NamedStores::new(project, events),
        };
        let mut facts = facts.borrow_mut();
        let mut kept = facts.reaches.iter().filter(|_| known.history.is_none());
        let grown = kept.find_map(|reach| Some((reach.tip, reach.grown(repo, tip, events)?)));
        let mut grown_from = None;
        if let Some((from, (reach, walked))) = grown {
            known.reach = reach;
            grown_from = Some(from);
            facts.work += walked / 16;
        } else {
            let history = known.history.take().map_or_else(|| repo.walk(tip), Ok)?;
            known.reach = Reach::walked(tip, &history, events);
            known.history = Some(history);
            facts.work += MUCH;
        }
        // The next join says what is missing only if it walks there again.
        if project.head.commit == Some(tip) && known.unknown().is_empty() {
            facts.keep(&known.reach, grown_from);
        }
        drop(facts);
        let Self { reach, stores, .. } = &mut known;
        stores.read_anchors(events, |anchor| {
            reach.anchors.get(anchor as usize).is_some_and(Option::is_some)
        });
        Ok(known)
    }

    fn history(&mut self) -> Option<&History> {
        if self.history.is_none() {
            self.history = self.repo.walk(self.tip).ok();
            self.facts.borrow_mut().work += MUCH;
        }
        self.history.as_ref()
    }

    fn node(&mut self, anchor: u32) -> Option<Node> {
        let commit = self.events.anchor(anchor);
        self.history()?.find(commit)
    }

    /// The commits on the line of first parents outside the histories of some anchors, newest first; `None` if they are
    /// more than a few.
    fn main_after(&self, anchors: &[u32]) -> Result<Option<Vec<Oid>>> {
        let known: Vec<(Oid, Reached)> = anchors
            .iter()
            .filter_map(|&anchor| Some((self.events.anchor(anchor), self.find(anchor)?)))
            .collect();
        let is_known = |commit: Oid, place: u32| {
            known.iter().any(|(anchor, reached)| {
                place < reached.merged && reached.is_on_main
                    || place <= reached.merged && self.repo.is_ancestor(commit, *anchor)
            })
        };
        let (mut commits, mut commit) = (Vec::new(), Some(self.tip));
        for place in (0..self.reach.length).rev() {
            let Some(here) = commit.filter(|here| !is_known(*here, place)) else {
                break;
            };
            if commits.len() == FEW {
                return Ok(None);
            }
            commits.push(here);
            commit = self.repo.first_parent(here)?;
        }
        Ok(Some(commits))
    }

    /// The first commit after one on the line of first parents that changed matching paths, if the history is in memory and
    /// the commit one of the next few: the usual case, for which no process needs to read the whole line.
    fn changed_soon(&self, after: u32, watch: &Watch) -> Option<Oid> {
        let (repo, history) = (self.repo, self.history.as_ref()?);
        let Reached { merged, is_on_main, .. } = self.find(after)?;
        if !is_on_main || repo.is_shallow().ok()? {
            return None;
        }
        let line = iter::successors(history.find(self.tip), |node| history.first_parent(*node));
        let later: Vec<Node> =
            line.take(self.reach.length.saturating_sub(merged) as usize).collect();
        let paths = Watch::new(watch.pathspecs.clone(), None);
        for pair in later.windows(2).rev().take(FEW) {
            let (commit, parent) = (history.id(pair[0]), history.id(pair[1]));
            if is_exposed(repo, &repo.changes(parent, commit).ok()?, &paths).ok()? {
                return Some(commit);
            }
        }
        None
    }

    fn changed_after(&self, anchors: &[u32], watch: &Watch) -> Result<Vec<Oid>> {
        let repo = self.repo;
        if repo.is_shallow()? {
            return Ok(Vec::new());
        }
        let Some(commits) = self.main_after(anchors)? else {
            let known: Vec<Oid> =
                anchors.iter().map(|anchor| self.events.anchor(*anchor)).collect();
            return repo.merged_since(&known, self.tip, &watch.pathspecs);
        };
        let paths = Watch::new(watch.pathspecs.clone(), None);
        let mut found = Vec::new();
        for commit in commits {
            // The first commit of all adds its files.
            let is_changed = match repo.first_parent(commit)? {
                Some(parent) => is_exposed(repo, &repo.changes(parent, commit)?, &paths)?,
                None => true,
            };
            found.extend(is_changed.then_some(commit));
        }
        Ok(found)
    }

    /// The position of a commit on the line of first parents.
    fn place(&self, commit: Oid) -> Option<u32> {
        let mut here = self.tip;
        for place in (0..self.reach.length).rev().take(FEW) {
            if here == commit {
                return Some(place);
            }
            here = self.repo.first_parent(here).ok()??;
        }
        let later = self.repo.merged_since(&[commit], self.tip, &[]).ok()?.len();
        self.reach.length.checked_sub(1 + u32::try_from(later).ok()?)
    }

    fn find(&self, anchor: u32) -> Option<Reached> {
        self.reach.anchors.get(anchor as usize).copied().flatten()
    }
}

impl Lineage for Known<'_> {
    fn reached(&mut self, anchor: u32) -> Option<(i64, u32)> {
        let Reached { time, merged, .. } = self.find(anchor)?;
        Some((time, merged))
    }

    fn contains(&mut self, commit: Oid) -> bool {
        self.history().is_some_and(|history| history.find(commit).is_some())
    }

    fn holds(&mut self, commit: u32, ancestor: u32) -> bool {
        if commit == ancestor {
            return true;
        }
        let (Some(one), Some(two)) = (self.find(commit), self.find(ancestor)) else {
            return false;
        };
        if one.is_on_main || two.merged > one.merged {
            return two.merged <= one.merged;
        }
        let key = (commit, ancestor);
        if let Some(&known) = self.facts.borrow().contains.get(&key) {
            return known;
        }
        let holds = self.node(commit).zip(self.node(ancestor)).is_some_and(|(commit, ancestor)| {
            self.history().is_some_and(|history| history.contains(commit, ancestor))
        });
        let mut facts = self.facts.borrow_mut();
        facts.contains.insert(key, holds);
        facts.work += PAIR;
        holds
    }

    fn count_ancestors(&mut self, anchor: u32) -> usize {
        let Some(node) = self.node(anchor) else {
            return usize::MAX;
        };
        self.history().map_or(usize::MAX, |history| history.count_contained(node))
    }

    fn is_changed(&mut self, from: u32, to: u32, watch: &Watch) -> Option<bool> {
        let key = (from, to, watch.digest);
        if let Some(&known) = self.facts.borrow().changed.get(&key) {
            return Some(known);
        }
        let (repo, events) = (self.repo, self.events);
        let changes = self
            .changes
            .entry((from, to))
            .or_insert_with(|| repo.changes(events.anchor(from), events.anchor(to)).ok());
        let changes = changes.as_ref()?;
        let is_changed = is_exposed(repo, changes, watch).ok()?;
        let mut facts = self.facts.borrow_mut();
        facts.changed.insert(key, is_changed);
        facts.work += PAIR;
        Some(is_changed)
    }

    fn changes_after(&mut self, anchors: &[u32], watch: &Watch) -> Result<usize> {
        self.changed_after(anchors, watch).map(|commits| commits.len())
    }

    fn first_change(&mut self, after: u32, watch: &Watch) -> Option<OnMain> {
        let key = (after, watch.digest);
        if let Some(known) = self.reach.first_changes.get(&key) {
            return Some(*known);
        }
        let commit = match self.changed_soon(after, watch) {
            Some(commit) => commit,
            None => *self.changed_after(&[after], watch).ok()?.last()?,
        };
        let time = self.repo.commit_time(commit).ok()?.as_second();
        let change = OnMain { commit, place: self.place(commit)?, time };
        self.reach.first_changes.insert(key, change);
        let mut facts = self.facts.borrow_mut();
        facts.work += PAIR;
        if let Some(kept) = facts.reaches.iter_mut().find(|kept| kept.tip == self.tip) {
            kept.first_changes.insert(key, change);
        }
        Some(change)
    }

    fn is_beside(&mut self, anchor: u32, OnMain { commit, place, .. }: OnMain) -> bool {
        self.find(anchor).is_some_and(|Reached { merged, is_on_main, .. }| {
            !is_on_main
                && merged >= place
                && !self.repo.is_ancestor(commit, self.events.anchor(anchor))
        })
    }

    fn store(&mut self, blob: Oid) -> Option<QuestionSet> {
        if !self.stores.has(blob) {
            return None;
        }
        let name = blob.to_string();
        question::parse(&name, &store_bytes(self.repo, blob, &name).ok()?).ok()
    }

    fn asked(&mut self, row: &Row) -> AskedBy {
        self.stores.asked(self.events, row)
    }

    fn unknown(&self) -> Vec<Unknown> {
        let Some(history) = &self.history else {
            return Vec::new();
        };
        let cut = history.cut_at().first().map(|&commit| Unknown::Cut(commit));
        let why = |id: &Oid| Unknown::Unread(self.repo.unread("commit", *id).to_string());
        cut.into_iter().chain(history.missing().iter().map(why)).collect()
    }
}
