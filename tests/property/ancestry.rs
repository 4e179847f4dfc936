//! Who is whose ancestor, against a search that knows no shortcuts.

use std::collections::BTreeSet;

use git_sq::git::{History, Oid};
use proptest::prelude::*;

/// The id of the commit with that number.
pub fn id(number: usize) -> Oid {
    format!("{number:040x}").parse().unwrap()
}

/// A random history: commit 0 is the tip, and the parents of a commit have higher numbers. Every commit is reachable.
pub fn history() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (2..24_usize)
        .prop_flat_map(|count| {
            (0..count)
                .map(move |number| {
                    let later = number + 1..count + 1;
                    prop::collection::vec(later, 0..3)
                })
                .collect::<Vec<_>>()
        })
        .prop_map(|mut parents| {
            let count = parents.len();
            for (number, list) in parents.iter_mut().enumerate() {
                list.retain(|&parent| parent < count);
                list.sort_unstable();
                list.dedup();
                // Merges name their parents in any order.
                if number % 3 == 0 {
                    list.reverse();
                }
            }
            for number in 1..count {
                if !parents[..number].iter().any(|list| list.contains(&number)) {
                    parents[number / 2].push(number);
                }
            }
            parents
        })
}

/// What [`History`] is made of.
pub fn commits(parents: &[Vec<usize>]) -> Vec<(Oid, Vec<Oid>, i64)> {
    (0..)
        .zip(parents)
        .map(|(number, parents)| {
            let parents = parents.iter().map(|&parent| id(parent)).collect();
            (id(usize::try_from(number).unwrap()), parents, -number)
        })
        .collect()
}

/// Everything that a commit contains, itself included.
pub fn contained(parents: &[Vec<usize>], commit: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([commit]);
    for &parent in &parents[commit] {
        found.extend(contained(parents, parent));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ancestry_is_reachability(parents in history()) {
        let history = History::from_commits(&commits(&parents));
        let node = |number| history.find(id(number)).unwrap();
        for one in 0..parents.len() {
            let below = contained(&parents, one);
            prop_assert_eq!(history.count_contained(node(one)), below.len());
            for two in 0..parents.len() {
                prop_assert_eq!(history.contains(node(one), node(two)), below.contains(&two), "{} {}", one, two);
                let between = contained(&parents, two).difference(&below).count();
                prop_assert_eq!(history.count_between(node(one), node(two)), between);
            }
        }
    }
}
