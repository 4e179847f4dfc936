//! The question stores by which a base judges: a proposal is not asked by a store of its own.

use std::collections::{HashMap, HashSet};

use super::{
    base::Base,
    questions::{store_blob, store_commits},
};
use crate::{
    git::{Oid, Repo},
    store::{Events, Row},
};

pub struct BaseStores<'i> {
    base: &'i Base,
    contained: HashSet<Oid>,
    /// For each other anchor, the question store that it shares with the base.
    shared: HashMap<u32, Option<Oid>>,
    /// All question stores in the history of the base, once they were searched.
    past: Option<HashSet<Oid>>,
}

impl<'i> BaseStores<'i> {
    pub fn new(repo: &Repo, base: &'i Base, events: &Events) -> Self {
        let anchors: Vec<Oid> = events.anchors().collect();
        Self {
            base,
            contained: repo.contained(base.commit, &anchors),
            shared: HashMap::new(),
            past: None,
        }
    }

    fn past(&mut self, repo: &Repo) -> &HashSet<Oid> {
        self.past.get_or_insert_with(|| {
            let blobs = store_commits(repo, self.base.commit).unwrap_or_default().into_iter();
            blobs.filter_map(|commit| store_blob(repo, commit)).collect()
        })
    }

    /// The blob id of the store that asked an entry: the one that it names or, if the base never had that one, the store at
    /// the start of its branch.
    pub fn asked(&mut self, repo: &Repo, events: &Events, row: &Row) -> Option<String> {
        let (named, commit) = (events.store(row.store), events.anchor(row.anchor));
        if self.contained.contains(&commit) {
            return Some(named.to_owned());
        }
        let base = self.base.commit;
        let shared = self.shared.entry(row.anchor).or_insert_with(|| {
            let fork = repo.merge_base(commit, base).ok()??;
            store_blob(repo, fork)
        });
        let shared = *shared;
        // A copy on a rebased commit answers the questions that the base had before.
        let id = named.parse().ok().filter(|_| !events.is_at_head(row));
        if id.is_some_and(|id| self.past(repo).contains(&id)) {
            return Some(named.to_owned());
        }
        shared.map(|shared| shared.to_string())
    }
}
