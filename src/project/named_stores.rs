//! The question stores by which lines are judged: only what the judged history has counts, since a clone may lack any other,
//! and a proposal is not asked by a store of its own.

use std::collections::{HashMap, HashSet};

use super::{
    Project, StoreNews,
    questions::{store_blob, store_commits},
};
use crate::{
    git::{Oid, Repo},
    store::{Events, Row},
    timeline::AskedBy,
};

pub struct NamedStores<'i> {
    repo: &'i Repo,
    /// The base, else the tip.
    judging: Oid,
    /// The anchors that the base contains; `None` without a base.
    contained: Option<HashSet<Oid>>,
    /// The stores that lines name, by their numbers.
    named: HashMap<u32, Option<Oid>>,
    /// The stores of the tip, of the base, and of the lines' commits.
    known: HashSet<Oid>,
    at: HashMap<Oid, Option<Oid>>,
    /// For each anchor outside the base, the question store that it shares with the base.
    shared: HashMap<Oid, Option<Oid>>,
    /// All question stores among the first parents, once they were searched.
    past: Option<HashSet<Oid>>,
}

impl<'i> NamedStores<'i> {
    pub fn new(project: &'i Project, events: &Events) -> Self {
        let (repo, base) = (&project.repo, project.base.as_ref());
        let contained = base.map(|base| {
            let anchors: Vec<Oid> = events.anchors().collect();
            repo.contained(base.commit, &anchors)
        });
        let here = project.store.iter().chain(base.and_then(|base| base.tips.as_ref()));
        let committed = here.filter(|store| store.news != StoreNews::NotCommitted);
        Self {
            repo,
            judging: base.map_or(project.tip, |base| base.commit),
            contained,
            named: HashMap::new(),
            known: committed.map(|store| store.blob).collect(),
            at: HashMap::new(),
            shared: HashMap::new(),
            past: None,
        }
    }

    /// Learns of the stores that lines name at commits that the tip has.
    pub fn read_anchors(&mut self, events: &Events, is_reached: impl Fn(u32) -> bool) {
        for row in events.rows().iter().filter(|row| row.store != 0 && is_reached(row.anchor)) {
            let name = || events.store(row.store).parse().ok();
            let named = *self.named.entry(row.store).or_insert_with(name);
            if named.is_some_and(|named| !self.known.contains(&named)) {
                self.at(events.anchor(row.anchor));
            }
        }
    }

    /// Returns true if the history is known to have a store.
    pub fn has(&self, store: Oid) -> bool {
        self.known.contains(&store)
            || self.past.as_ref().is_some_and(|past| past.contains(&store))
            || self.shared.values().any(|one| *one == Some(store))
    }

    pub fn asked(&mut self, events: &Events, row: &Row) -> AskedBy {
        let (named, commit) = (self.named.get(&row.store).copied(), events.anchor(row.anchor));
        let Some(named) = named.flatten() else {
            return AskedBy::Unknown;
        };
        let is_proposed = self.contained.as_ref().is_some_and(|base| !base.contains(&commit));
        let is_copy = !events.is_at_head(row);
        if is_proposed {
            // A copy on a rebased commit answers the questions that the base had before.
            if is_copy && self.is_past(named) {
                return AskedBy::Named;
            }
            return self.shared(commit).map_or(AskedBy::Unknown, AskedBy::Other);
        }
        if self.known.contains(&named) {
            return AskedBy::Named;
        }
        // The store at a copy's commit is not what it was asked by.
        let here = if is_copy { None } else { self.at(commit) };
        match here {
            Some(store) => AskedBy::Other(store),
            None if self.is_past(named) => AskedBy::Named,
            None => AskedBy::Nothing,
        }
    }

    fn at(&mut self, commit: Oid) -> Option<Oid> {
        let at = *self.at.entry(commit).or_insert_with(|| store_blob(self.repo, commit));
        self.known.extend(at);
        at
    }

    fn shared(&mut self, commit: Oid) -> Option<Oid> {
        *self.shared.entry(commit).or_insert_with(|| {
            let fork = self.repo.merge_base(commit, self.judging).ok()??;
            store_blob(self.repo, fork)
        })
    }

    fn is_past(&mut self, named: Oid) -> bool {
        let past = self.past.get_or_insert_with(|| {
            let commits = store_commits(self.repo, self.judging).unwrap_or_default();
            commits.into_iter().filter_map(|commit| store_blob(self.repo, commit)).collect()
        });
        past.contains(&named)
    }
}
