//! Facts about the history of one tip: from the index, else from a walk.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{
    base::Base,
    index::{Facts, Found, Index, Reach, Reached},
    questions::{store_blob, store_bytes, store_commits},
};
use crate::{
    evidence::is_exposed,
    git::{Changes, History, Node, Oid, Repo, Result},
    question::{self, QuestionSet},
    store::{Events, Row},
    timeline::{Lineage, Unknown, Watch},
};

/// More new commits than this are walked together with all others.
const MANY: usize = 10_000;

pub struct Known<'i> {
    repo: &'i Repo,
    tip: Oid,
    events: &'i Events,
    reach: Reach,
    grown_from: Option<Oid>,
    facts: &'i Facts,
    new_contains: BTreeMap<(u32, u32), bool>,
    new_changes: HashMap<(u32, u32, u64), bool>,
    history: Option<History>,
    changes: HashMap<(u32, u32), Option<Changes>>,
    work: usize,
    judges: Option<Judges<'i>>,
}

struct Judges<'i> {
    base: &'i Base,
    contained: HashSet<Oid>,
    /// For each other anchor, the question store that it shares with the base.
    shared: HashMap<u32, Option<Oid>>,
    /// All question stores in the history of the base, once they were searched.
    past: Option<HashSet<Oid>>,
}

impl Reach {
    fn walked(tip: Oid, history: &History, events: &Events) -> Self {
        let length = history.main_length();
        let anchors = numbers(events).map(|anchor| {
            let node = history.find(events.anchor(anchor))?;
            let (distance, is_on_main) = history.merged(node);
            Some(Reached {
                time: history.time(node),
                merged: length.saturating_sub(1 + distance),
                is_on_main,
            })
        });
        Self {
            tip,
            length,
            anchors: anchors.collect(),
        }
    }

    /// `None` if the tip is not an ancestor, or a full walk is better; else also the number of walked commits.
    fn grown(&self, repo: &Repo, tip: Oid, events: &Events) -> Option<(Self, usize)> {
        if self.tip == tip && self.anchors.len() == events.anchor_count() {
            return Some((self.clone(), 0));
        }
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
        main.reverse();
        let merged = merged(repo, &main, self.length, &new)?;
        let mut anchors = Vec::with_capacity(events.anchor_count());
        let mut strangers = Vec::new();
        for number in numbers(events) {
            let anchor = events.anchor(number);
            let known = self.anchors.get(number as usize).copied();
            if new.contains(&anchor) || anchor == self.tip {
                let place = merged.get(&anchor).copied();
                let (merged, is_on_main) = place.unwrap_or((self.length.saturating_sub(1), true));
                anchors.push(Some(Reached {
                    time: repo.commit_time(anchor).ok()?.as_second(),
                    merged,
                    is_on_main,
                }));
            } else {
                if known.is_none() {
                    strangers.push(anchor);
                }
                anchors.push(known.flatten());
            }
        }
        // Late entries on commits of the past need a walk to find their places.
        if !strangers.is_empty() && !repo.contained(tip, &strangers).is_empty() {
            return None;
        }
        let length = self.length + u32::try_from(main.len()).unwrap_or(u32::MAX);
        Some((
            Self {
                tip,
                length,
                anchors,
            },
            new.len(),
        ))
    }
}

/// The places on the line of first parents, which goes on at `length` with `main`; true for commits on it.
fn merged(
    repo: &Repo,
    main: &[Oid],
    length: u32,
    new: &HashSet<Oid>,
) -> Option<HashMap<Oid, (u32, bool)>> {
    let mut merged = HashMap::new();
    for (place, &commit) in (length..).zip(main) {
        let mut open = vec![commit];
        while let Some(one) = open.pop() {
            if new.contains(&one) && !merged.contains_key(&one) {
                merged.insert(one, (place, one == commit));
                open.extend(repo.parents(one).ok()?);
            }
        }
    }
    Some(merged)
}

fn numbers(events: &Events) -> std::ops::Range<u32> {
    0..u32::try_from(events.anchor_count()).unwrap_or(u32::MAX)
}

impl<'i> Known<'i> {
    /// Uses the index, or `history` if it was walked already.
    pub fn new(
        repo: &'i Repo,
        tip: Oid,
        index: &'i Index,
        base: Option<&'i Base>,
        walked: Option<History>,
    ) -> Result<Self> {
        let events = &*index.events;
        let mut kept = index.reaches.iter();
        let grown = match walked {
            Some(_) => None,
            None => kept.find_map(|reach| {
                let (grown, looked_at) = reach.grown(repo, tip, events)?;
                Some((grown, reach.tip, looked_at))
            }),
        };
        let (reach, grown_from, work, history) = if let Some((reach, from, looked_at)) = grown {
            (reach, Some(from), looked_at / 16, None)
        } else {
            let history = walked.map_or_else(|| repo.walk(tip), Ok)?;
            let reach = Reach::walked(tip, &history, events);
            (reach, None, usize::MAX / 2, Some(history))
        };
        Ok(Self {
            repo,
            tip,
            events,
            reach,
            grown_from,
            facts: &index.facts,
            new_contains: BTreeMap::new(),
            new_changes: HashMap::new(),
            history,
            changes: HashMap::new(),
            work,
            judges: base.map(|base| Judges::new(repo, base, events)),
        })
    }

    pub fn into_found(self) -> Found {
        let is_whole = self.unknown().is_empty();
        let news = self.new_contains.len() + self.new_changes.len();
        let facts = (news > 0).then(|| {
            let mut facts = self.facts.clone();
            facts.contains.extend(self.new_contains);
            for ((from, to, digest), is_changed) in self.new_changes {
                facts.remember(from, to, digest, is_changed);
            }
            facts
        });
        Found {
            reach: Some(self.reach),
            grown_from: self.grown_from,
            facts,
            work: self.work.saturating_add(news * 8),
            is_whole,
        }
    }

    fn history(&mut self) -> Option<&History> {
        if self.history.is_none() {
            self.history = self.repo.walk(self.tip).ok();
            self.work = usize::MAX / 2;
        }
        self.history.as_ref()
    }

    fn node(&mut self, anchor: u32) -> Option<Node> {
        let commit = self.events.anchor(anchor);
        self.history()?.find(commit)
    }

    fn reached(&self, anchor: u32) -> Option<Reached> {
        self.reach.anchors.get(anchor as usize).copied().flatten()
    }
}

impl<'i> Judges<'i> {
    fn new(repo: &Repo, base: &'i Base, events: &Events) -> Self {
        let anchors: Vec<Oid> = numbers(events)
            .map(|anchor| events.anchor(anchor))
            .collect();
        Self {
            base,
            contained: repo.contained(base.commit, &anchors),
            shared: HashMap::new(),
            past: None,
        }
    }

    fn past(&mut self, repo: &Repo) -> &HashSet<Oid> {
        self.past.get_or_insert_with(|| {
            let commits = store_commits(repo, self.base.commit).unwrap_or_default();
            let blobs = commits.into_iter();
            blobs
                .filter_map(|commit| store_blob(repo, commit))
                .collect()
        })
    }
}

impl Lineage for Known<'_> {
    fn committed(&mut self, anchor: u32) -> Option<i64> {
        self.reached(anchor).map(|reached| reached.time)
    }

    fn contains(&mut self, commit: Oid) -> bool {
        self.history()
            .is_some_and(|history| history.find(commit).is_some())
    }

    fn holds(&mut self, commit: u32, ancestor: u32) -> bool {
        if commit == ancestor {
            return true;
        }
        let (Some(one), Some(two)) = (self.reached(commit), self.reached(ancestor)) else {
            return false;
        };
        if one.is_on_main || two.merged > one.merged {
            return two.merged <= one.merged;
        }
        let key = (commit, ancestor);
        let known = self.facts.contains.get(&key);
        if let Some(&known) = known.or_else(|| self.new_contains.get(&key)) {
            return known;
        }
        let nodes = self.node(commit).zip(self.node(ancestor));
        let holds = nodes.is_some_and(|(commit, ancestor)| {
            self.history()
                .is_some_and(|history| history.contains(commit, ancestor))
        });
        self.new_contains.insert(key, holds);
        holds
    }

    fn merged(&mut self, anchor: u32) -> u32 {
        self.reached(anchor).map_or(0, |reached| reached.merged)
    }

    fn count_ancestors(&mut self, anchor: u32) -> usize {
        let Some(node) = self.node(anchor) else {
            return usize::MAX;
        };
        self.history()
            .map_or(usize::MAX, |history| history.count_contained(node))
    }

    fn is_changed(&mut self, from: u32, to: u32, watch: Watch) -> Option<bool> {
        if let Some(known) = self.facts.is_changed(from, to, watch) {
            return Some(known);
        }
        let key = (from, to, watch.digest);
        if let Some(&known) = self.new_changes.get(&key) {
            return Some(known);
        }
        let (repo, events) = (self.repo, self.events);
        let changes = self
            .changes
            .entry((from, to))
            .or_insert_with(|| repo.changes(events.anchor(from), events.anchor(to)).ok());
        let changes = changes.as_ref()?;
        let is_changed = is_exposed(repo, changes, watch).ok()?;
        self.new_changes.insert(key, is_changed);
        Some(is_changed)
    }

    fn store(&mut self, blob: &str) -> Option<QuestionSet> {
        let bytes = store_bytes(self.repo, blob.parse().ok()?, blob).ok()?;
        question::parse(blob, &bytes).ok()
    }

    fn asked(&mut self, row: &Row) -> Option<String> {
        let named = self.events.store(row.store);
        let (repo, commit) = (self.repo, self.events.anchor(row.anchor));
        let Some(judges) = &mut self.judges else {
            return Some(named.to_owned());
        };
        if judges.contained.contains(&commit) {
            return Some(named.to_owned());
        }
        let base = judges.base.commit;
        let shared = judges.shared.entry(row.anchor).or_insert_with(|| {
            let fork = repo.merge_base(commit, base).ok()??;
            store_blob(repo, fork)
        });
        let shared = *shared;
        // A copy on a rebased commit answers the questions that the base had before.
        let is_copy = !self.events.is_at_head(row);
        let id = named.parse().ok().filter(|_| is_copy);
        if id.is_some_and(|id| judges.past(repo).contains(&id)) {
            return Some(named.to_owned());
        }
        shared.map(|shared| shared.to_string())
    }

    fn unknown(&self) -> Vec<Unknown> {
        let Some(history) = &self.history else {
            return Vec::new();
        };
        let cut = history.cut_at().iter().copied().take(1).map(Unknown::Cut);
        let missing = history.missing().iter().copied();
        cut.chain(missing.map(Unknown::MissingCommit)).collect()
    }
}
