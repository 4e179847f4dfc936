//! Homes of rewritten commits, against a slow reading of the rules.

use std::collections::{BTreeMap, BTreeSet};

use git_sq::{
    entry::CarryRule,
    git::{COMMIT_DIGITS, Oid},
    store::Matching,
};
use proptest::prelude::*;

/// What is known of one lost commit.
#[derive(Debug, Clone)]
struct Known {
    /// The branch's commits, newest first, by their numbers.
    commits: Vec<usize>,
    trees: BTreeSet<usize>,
    patches: BTreeSet<usize>,
    merges: BTreeSet<usize>,
}

fn known() -> impl Strategy<Value = Vec<Known>> {
    let homes = || prop::collection::btree_set(100..104_usize, 0..3);
    let one = (
        prop::collection::vec(0..6_usize, 0..4),
        homes(),
        homes(),
        homes(),
    );
    let one = one.prop_map(|(commits, trees, patches, merges)| Known {
        commits,
        trees,
        patches,
        merges,
    });
    prop::collection::vec(one, 1..6)
}

type Found = BTreeMap<usize, Result<(Oid, CarryRule), BTreeSet<Oid>>>;

fn ids(numbers: &BTreeSet<usize>) -> BTreeSet<Oid> {
    numbers.iter().map(|&number| far(number)).collect()
}

/// An id whose first digits tell it from others.
fn far(number: usize) -> Oid {
    let digits = format!("{number:04x}").repeat(10);
    digits.parse().unwrap()
}

fn by_matching(known: &[Known], order: &[usize]) -> Found {
    let name = |number: &usize| far(*number).to_string()[..COMMIT_DIGITS].to_owned();
    let lists = order.iter().map(|&number| {
        let list = known[number].commits.iter().map(name).collect();
        (far(number), vec![list])
    });
    let mut matching = Matching::new(lists.collect::<Vec<_>>(), vec![]);
    let narrow = |matching: &mut Matching, rule, of: fn(&Known) -> &BTreeSet<usize>| {
        for &number in order {
            matching.narrow(far(number), rule, &ids(of(&known[number])));
        }
    };
    narrow(&mut matching, CarryRule::Tree, |known| &known.trees);
    narrow(&mut matching, CarryRule::PatchId, |known| &known.patches);
    matching.follow_branches();
    narrow(&mut matching, CarryRule::MergeTree, |known| &known.merges);
    matching.follow_branches();
    let found = order.iter().map(|&number| {
        let left = || matching.candidates(far(number)).into_iter().collect();
        (number, matching.home(far(number)).ok_or_else(left))
    });
    found.collect()
}

/// The rules as they are written down, one commit at a time, each round from what the round before knew.
fn by_the_book(known: &[Known]) -> Found {
    let mut found: Found = (0..known.len())
        .map(|number| (number, Err(BTreeSet::new())))
        .collect();
    let apply = |found: &mut Found, rule, matches: &dyn Fn(usize, &Found) -> BTreeSet<Oid>| {
        let before = found.clone();
        for (&number, state) in found.iter_mut() {
            let Err(left) = state else { continue };
            let mut matches = matches(number, &before);
            if !left.is_empty() {
                matches.retain(|home| left.contains(home));
            }
            if let (1, Some(&home)) = (matches.len(), matches.first()) {
                *state = Ok((home, rule));
            } else if !matches.is_empty() {
                *left = matches;
            }
        }
    };
    let nearest = |number: usize, found: &Found| {
        for place in 0..8 {
            let lists = known.iter().enumerate();
            let there = lists.filter(|(_, known)| {
                known.commits.iter().position(|&commit| commit == number) == Some(place)
            });
            let homes = there.filter_map(|(other, _)| found[&other].clone().ok());
            let homes: BTreeSet<Oid> = homes.map(|(home, _)| home).collect();
            if !homes.is_empty() {
                return homes;
            }
        }
        BTreeSet::new()
    };
    apply(&mut found, CarryRule::Tree, &|n, _| ids(&known[n].trees));
    apply(&mut found, CarryRule::PatchId, &|n, _| {
        ids(&known[n].patches)
    });
    for _ in 0..8 {
        apply(&mut found, CarryRule::Branch, &nearest);
    }
    apply(&mut found, CarryRule::MergeTree, &|n, _| {
        ids(&known[n].merges)
    });
    for _ in 0..8 {
        apply(&mut found, CarryRule::Branch, &nearest);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn homes_are_those_of_the_book_in_any_order(known in known()) {
        let book = by_the_book(&known);
        let forwards: Vec<usize> = (0..known.len()).collect();
        let backwards: Vec<usize> = forwards.iter().rev().copied().collect();
        prop_assert_eq!(&by_matching(&known, &forwards), &book);
        prop_assert_eq!(&by_matching(&known, &backwards), &book);
    }
}
