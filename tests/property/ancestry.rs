//! Who is whose ancestor, against a search that knows no shortcuts.

use std::collections::{BTreeSet, HashMap};

use git_sq::git::{History, Link, Oid, Repo};
use git_sq_test_support::World;
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

/// The same with ids, as a walk from the tip finds it.
pub fn walked(parents: &[Vec<usize>]) -> History {
    let link = |(time, parents): (i64, &Vec<usize>)| Link {
        parents: parents.iter().map(|&parent| id(parent)).collect(),
        time: -time,
    };
    let mut links: HashMap<Oid, Link> = (0..).map(id).zip((0..).zip(parents).map(link)).collect();
    History::of(id(0), |_| false, |id| links.remove(&id))
}

/// Everything that a commit contains, itself included.
pub fn contained(parents: &[Vec<usize>], commit: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([commit]);
    for &parent in &parents[commit] {
        found.extend(contained(parents, parent));
    }
    found
}

/// A repository with that history, where a branch names each commit, and the commits. Children may be older than parents.
fn repository(parents: &[Vec<usize>], times: &[u32]) -> (World, Vec<Oid>) {
    let world = World::new();
    let mut stream = String::new();
    for (number, parents) in parents.iter().enumerate().rev() {
        stream += &format!("commit refs/heads/c{number}\nmark :{}\n", number + 1);
        let time = 1_767_225_600 + times[number];
        stream += &format!("committer A <a@b> {time} +0000\ndata 1\n{}\n", number % 10);
        for (place, parent) in parents.iter().enumerate() {
            let key = if place == 0 { "from" } else { "merge" };
            stream += &format!("{key} :{}\n", parent + 1);
        }
    }
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes()).ok();
    let named =
        world.git_ok("for-each-ref --sort=version:refname --format=%(objectname) refs/heads/c*");
    (world, named.lines().map(|id| id.parse().unwrap()).collect())
}

proptest! {
    #![proptest_config(crate::slow(6, 200))]

    #[test]
    fn a_walk_is_reachability_whatever_the_times(
        parents in history(), times in prop::collection::vec(0..24 * 3600_u32, 24), graph in any::<bool>()
    ) {
        let (world, ids) = repository(&parents, &times);
        if graph {
            world.git_ok("commit-graph write --reachable");
        }
        let repo = Repo::open_exactly(&world.dir.join(".git")).unwrap();
        let number = |id: Oid| ids.iter().position(|&known| known == id).unwrap();
        for (one, &base) in ids.iter().enumerate() {
            let below = contained(&parents, one);
            let within = repo.contained(base, &ids).into_iter().map(number).collect::<BTreeSet<_>>();
            prop_assert_eq!(&within, &below, "{}", one);
            for two in [0, (one * 5 + 3) % ids.len()] {
                let tip = ids[two];
                prop_assert_eq!(repo.is_ancestor(tip, base), below.contains(&two), "{} {}", one, two);
                let above = contained(&parents, two);
                let common: BTreeSet<usize> = &above & &below;
                match repo.merge_base(base, tip).unwrap().map(number) {
                    None => prop_assert!(common.is_empty(), "{} {}", one, two),
                    Some(best) => prop_assert!(
                        common.contains(&best)
                            && !common.iter().any(|&other| other != best && contained(&parents, other).contains(&best)),
                        "{} {}: {}", one, two, best
                    ),
                }
                let between = repo.commits_between(base, tip).unwrap().into_iter().map(number).collect::<BTreeSet<_>>();
                prop_assert_eq!(&between, &(&above - &below), "{} {}", one, two);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ancestry_is_reachability(parents in history()) {
        let history = walked(&parents);
        let node = |number| history.find(id(number)).unwrap();
        for one in 0..parents.len() {
            let below = contained(&parents, one);
            prop_assert_eq!(history.count_contained(node(one)), below.len());
            for two in 0..parents.len() {
                prop_assert_eq!(history.contains(node(one), node(two)), below.contains(&two), "{} {}", one, two);
            }
        }
    }
}
