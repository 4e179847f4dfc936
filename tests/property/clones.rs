//! Clones that write, share and merge in any order: in the end all of them have the union of what was written.

use std::collections::BTreeSet;

use git_sq::{
    entry::Line,
    git::{Oid, Remote, Repo, Talk},
    store::{self, LogTips},
};
use git_sq_test_support::World;
use proptest::prelude::*;

/// What happens in one clone.
#[derive(Debug, Clone)]
enum Act {
    /// A line is added to one of the commits.
    Write {
        commit: usize,
        line: u8,
    },
    /// What a push along with the user's does.
    Deliver,
    Sync,
    /// What `git fetch` does, without the folding.
    Fetch,
    Fold,
}

const COMMITS: usize = 3;

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0..COMMITS, 0_u8..6).prop_map(|(commit, line)| Act::Write { commit, line }),
        2 => Just(Act::Deliver),
        1 => Just(Act::Sync),
        1 => Just(Act::Fetch),
        1 => Just(Act::Fold),
    ]
}

/// A bare repository and clones of it.
struct Clones {
    world: World,
    repos: Vec<Repo>,
    commits: Vec<Oid>,
}

const TALK: Talk = Talk {
    deadline: None,
    may_ask: false,
};

impl Clones {
    fn new(count: usize) -> Self {
        let world = World::new();
        let commits = (0..COMMITS).map(|n| world.commit(&n.to_string()).parse().unwrap());
        let commits = commits.collect();
        world.git_ok("clone --quiet --bare . ../remote.git");
        let repos = (0..count).map(|number| {
            let dir = world.root().join(number.to_string());
            let clone = ["clone", "--quiet", "../remote.git", dir.to_str().unwrap()];
            world.git(&clone).ok();
            for (key, value) in [
                ("user.name", "Ada Example"),
                ("user.email", "ada@example.org"),
                ("remote.origin.sq", "true"),
            ] {
                world.git_in(&dir, &["config", key, value]).ok();
            }
            Repo::open(&dir).unwrap()
        });
        let repos = repos.collect();
        Self {
            world,
            repos,
            commits,
        }
    }

    fn do_it(&self, clone: usize, act: &Act) {
        let repo = &self.repos[clone];
        let origin = origin(repo);
        match act {
            Act::Write { commit, line } => {
                let lines = [(self.commits[*commit], text(*line))];
                store::append(repo, &lines, "written").unwrap();
            }
            Act::Deliver => drop(store::deliver(repo, &origin, TALK).unwrap()),
            Act::Sync => drop(store::sync(repo, &origin, TALK).unwrap()),
            Act::Fetch => drop(store::fetch(repo, &origin, TALK).unwrap()),
            Act::Fold => drop(store::fold(repo).unwrap()),
        }
    }

    /// Every line of a clone's own ref, or of the remote's.
    fn lines(repo: &Repo) -> BTreeSet<(Oid, Vec<u8>)> {
        let local = repo.ref_target(store::LOCAL_REF).unwrap();
        local.map_or_else(BTreeSet::new, |local| {
            let lines = store::lacking(repo, &[], local).unwrap();
            lines.into_iter().collect()
        })
    }
}

fn origin(repo: &Repo) -> Remote {
    let remotes = repo.remotes();
    remotes.into_iter().next().unwrap()
}

#[derive(serde::Serialize)]
struct Text {
    ts: String,
    kind: String,
}

fn text(line: u8) -> Line {
    let text = Text {
        ts: format!("2026-01-01T00:00:00.00{line}Z"),
        kind: format!("x-{line}"),
    };
    Line::of(&text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn all_end_with_the_union(count in 2_usize..5, acts in prop::collection::vec((0_usize..4, act()), 1..14)) {
        let clones = Clones::new(count);
        let mut written = BTreeSet::new();
        let mut known: Vec<BTreeSet<_>> = vec![BTreeSet::new(); count];
        for (clone, act) in &acts {
            let clone = clone % count;
            clones.do_it(clone, act);
            if let Act::Write { commit, line } = act {
                let line = (clones.commits[*commit], text(*line).as_bytes().to_vec());
                known[clone].insert(line.clone());
                written.insert(line);
            }
            // Nothing that a clone had is ever gone.
            let lines = Clones::lines(&clones.repos[clone]);
            prop_assert!(lines.is_superset(&known[clone]));
            prop_assert!(lines.is_subset(&written));
            known[clone] = lines;
        }
        // Twice round: whoever came first knows only then what the last one wrote.
        for clone in (0..count).chain(0..count) {
            clones.do_it(clone, &Act::Sync);
        }
        for repo in &clones.repos {
            prop_assert_eq!(&Clones::lines(repo), &written);
            let tips = LogTips::read(repo).unwrap();
            prop_assert!(tips.fetched.iter().all(|tip| tip.name.ends_with("/sq")), "no inbox is left");
        }
        let remote = Repo::open(&clones.world.root().join("remote.git")).unwrap();
        prop_assert_eq!(&Clones::lines(&remote), &written);
    }
}
