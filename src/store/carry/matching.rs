//! Which commit an entry of a rewritten commit belongs to: rules narrow the candidates until one is left.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    entry::CarryRule,
    git::{COMMIT_DIGITS, MAX_COMMITS, Oid},
};

/// What is known so far of each commit whose entries have no home.
#[derive(Debug, Clone, Default)]
pub struct Matching {
    anchors: BTreeMap<Oid, State>,
    /// Where each commit, by its first digits, stands in the lists of entries: how far from the front, and in whose.
    listed: HashMap<String, Vec<(usize, Entry)>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    /// What is left of the candidates; empty until a rule matched.
    left: BTreeSet<Oid>,
    home: Option<(Oid, CarryRule)>,
}

/// An entry that lists the commits of its branch.
#[derive(Debug, Clone, Copy)]
enum Entry {
    /// On this commit, which is looked for.
    Lost(Oid),
    /// On this commit, where it belongs.
    Settled(Oid),
}

impl Matching {
    /// Nothing is matched yet. Each of `anchors` comes with the lists of commits, newest first, that its entries
    /// recorded; `settled` are the lists of entries that have a home from the beginning, and that home.
    pub fn new(
        anchors: impl IntoIterator<Item = (Oid, Vec<Vec<String>>)>,
        settled: Vec<(Vec<String>, Oid)>,
    ) -> Self {
        let mut matching = Self::default();
        for (list, home) in settled {
            matching.list(list, Entry::Settled(home));
        }
        for (anchor, lists) in anchors {
            matching.anchors.insert(anchor, State::default());
            for list in lists {
                matching.list(list, Entry::Lost(anchor));
            }
        }
        matching
    }

    fn list(&mut self, commits: Vec<String>, entry: Entry) {
        for (place, commit) in commits.into_iter().take(MAX_COMMITS).enumerate() {
            self.listed.entry(commit).or_default().push((place, entry));
        }
    }

    /// Those that have no home yet.
    pub fn open(&self) -> Vec<Oid> {
        let open = self.anchors.iter().filter(|(_, s)| s.home.is_none());
        open.map(|(anchor, _)| *anchor).collect()
    }

    /// Says what a rule matches for an anchor. Where that leaves one candidate, it is the home, and this the rule that
    /// found it; a rule that matches none of what is left says nothing.
    pub fn narrow(&mut self, anchor: Oid, rule: CarryRule, matches: &BTreeSet<Oid>) {
        let Some(state) = self.anchors.get_mut(&anchor) else {
            return;
        };
        if state.home.is_some() {
            return;
        }
        let left: BTreeSet<Oid> = if state.left.is_empty() {
            matches.clone()
        } else {
            state.left.intersection(matches).copied().collect()
        };
        match left.len() {
            0 => {}
            1 => state.home = left.first().map(|&home| (home, rule)),
            _ => state.left = left,
        }
    }

    /// Lets entries follow a later one of their branch that has a home.
    pub fn follow_branches(&mut self) {
        loop {
            let open = self.open();
            let found = open.iter().map(|&anchor| (anchor, self.nearest(anchor)));
            for (anchor, homes) in found.collect::<Vec<_>>() {
                self.narrow(anchor, CarryRule::Branch, &homes);
            }
            if self.open().len() == open.len() {
                return;
            }
        }
    }

    /// The homes of the nearest descendants: of those entries in whose list this commit is nearest to the front.
    fn nearest(&self, anchor: Oid) -> BTreeSet<Oid> {
        let name = &anchor.to_string()[..COMMIT_DIGITS];
        let listed = self.listed.get(name).map_or(&[][..], Vec::as_slice);
        let homes = listed.iter().filter_map(|&(place, entry)| match entry {
            Entry::Settled(home) => Some((place, home)),
            Entry::Lost(other) => self.home(other).map(|(home, _)| (place, home)),
        });
        let homes: Vec<(usize, Oid)> = homes.collect();
        let nearest = homes.iter().map(|(place, _)| *place).min();
        let homes = homes
            .into_iter()
            .filter(|(place, _)| Some(*place) == nearest);
        homes.map(|(_, home)| home).collect()
    }

    /// The home of an anchor, and the rule that found it.
    pub fn home(&self, anchor: Oid) -> Option<(Oid, CarryRule)> {
        self.anchors.get(&anchor)?.home
    }

    /// What is left of the candidates where there is no single one.
    pub fn candidates(&self, anchor: Oid) -> Vec<Oid> {
        let state = self.anchors.get(&anchor);
        state.map_or_else(Vec::new, |state| state.left.iter().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> Oid {
        format!("{number:02x}").repeat(20).parse().unwrap()
    }

    fn ids(numbers: &[u8]) -> BTreeSet<Oid> {
        numbers.iter().map(|&number| id(number)).collect()
    }

    fn list(numbers: &[u8]) -> Vec<String> {
        let name = |&number: &u8| id(number).to_string()[..COMMIT_DIGITS].to_owned();
        numbers.iter().map(name).collect()
    }

    #[test]
    fn the_rule_that_leaves_one_is_the_one_that_is_named() {
        let mut matching = Matching::new([(id(1), vec![])], vec![]);
        matching.narrow(id(1), CarryRule::Tree, &ids(&[7, 8, 9]));
        assert_eq!(matching.home(id(1)), None);
        // What contradicts everything before says nothing.
        matching.narrow(id(1), CarryRule::PatchId, &ids(&[5]));
        matching.narrow(id(1), CarryRule::PatchId, &ids(&[]));
        assert_eq!(matching.candidates(id(1)), [id(7), id(8), id(9)]);
        matching.narrow(id(1), CarryRule::MergeTree, &ids(&[5, 8]));
        assert_eq!(matching.home(id(1)), Some((id(8), CarryRule::MergeTree)));
        matching.narrow(id(1), CarryRule::Onto, &ids(&[9]));
        assert_eq!(matching.home(id(1)), Some((id(8), CarryRule::MergeTree)));
    }

    #[test]
    fn an_entry_follows_the_nearest_later_one() {
        let commits = [(1, &[1][..]), (2, &[2, 1]), (3, &[3, 2, 1])];
        let anchors = commits.map(|(anchor, commits)| (id(anchor), vec![list(commits)]));
        let mut matching = Matching::new(anchors, vec![]);
        matching.narrow(id(3), CarryRule::Tree, &ids(&[9]));
        matching.narrow(id(2), CarryRule::Tree, &ids(&[8]));
        matching.follow_branches();
        assert_eq!(matching.home(id(1)), Some((id(8), CarryRule::Branch)));
    }

    #[test]
    fn two_ways_at_one_distance_are_ambiguous() {
        let settled = vec![(list(&[2, 1]), id(8)), (list(&[3, 1]), id(9))];
        let mut matching = Matching::new([(id(1), vec![list(&[1])])], settled.clone());
        matching.follow_branches();
        assert_eq!(matching.candidates(id(1)), [id(8), id(9)]);
        let near = [settled, vec![(list(&[1]), id(7))]].concat();
        let mut matching = Matching::new([(id(1), vec![])], near);
        matching.follow_branches();
        assert_eq!(matching.home(id(1)), Some((id(7), CarryRule::Branch)));
    }
}
