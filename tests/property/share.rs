//! What is shared: the pure parts against slow oracles, and teams that do at random what git lets them.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use git_sq::{
    entry::Line,
    git::{Link, Oid, Remote, Repo, Talk},
    store::{
        self,
        share::{Plan, Tampering, judge, publish, reached},
    },
};
use git_sq_test_support::{World, refs, words};
use proptest::prelude::*;

use super::ancestry::id as oid;

/// A history: the parents of each commit, all older, and its time; `absent` are not here.
#[derive(Debug, Clone)]
struct History {
    parents: Vec<Vec<usize>>,
    times: Vec<i64>,
    absent: Vec<bool>,
}

fn history() -> impl Strategy<Value = History> {
    (1_usize..14).prop_flat_map(|count| {
        let parents: Vec<_> =
            (0..count).map(|at| prop::collection::vec(0..at.max(1), 0..3.min(at + 1))).collect();
        // In days, so that some clocks are off by more than is allowed for.
        let times = prop::collection::vec(0_i64..40, count);
        let absent = prop::collection::vec(prop::bool::weighted(0.15), count);
        (parents, times, absent).prop_map(|(mut parents, times, absent)| {
            parents[0].clear();
            let times = times.iter().map(|days| days * 86_400).collect();
            History { parents, times, absent }
        })
    })
}

impl History {
    fn link(&self, id: Oid) -> Option<Link> {
        let at = (0..self.parents.len()).find(|at| oid(*at) == id)?;
        (!self.absent[at]).then(|| Link {
            parents: self.parents[at].iter().map(|parent| oid(*parent)).collect(),
            time: self.times[at],
        })
    }

    /// Everything that the tips contain, one step after another until nothing is new.
    fn closure(&self, tips: &[usize]) -> HashSet<Oid> {
        let mut all: BTreeSet<usize> = tips.iter().copied().collect();
        loop {
            let more: Vec<usize> = all
                .iter()
                .filter(|at| !self.absent[**at])
                .flat_map(|at| self.parents[*at].clone())
                .collect();
            let before = all.len();
            all.extend(more);
            if all.len() == before {
                return all.into_iter().map(oid).collect();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_tips_contain_is_found(
        history in history(),
        tips in prop::collection::vec(0_usize..14, 0..4),
        wanted in prop::collection::hash_set(0_usize..14, 0..6),
        exact: bool,
    ) {
        let count = history.parents.len();
        let tips: Vec<usize> = tips.into_iter().map(|tip| tip % count).collect();
        let wanted: HashSet<Oid> = wanted.into_iter().map(|at| oid(at % count)).collect();
        let ids: Vec<Oid> = tips.iter().map(|tip| oid(*tip)).collect();
        let found = reached(&ids, &wanted, exact, |id| history.link(id));
        let closure = history.closure(&tips);
        let expected: HashSet<Oid> = wanted.intersection(&closure).copied().collect();
        // A quick search may miss something, and never finds what is not there.
        prop_assert!(found.is_subset(&expected));
        let times = &history.times;
        let is_in_order = |at: usize| history.parents[at].iter().all(|p| times[*p] <= times[at]);
        let all_here = wanted.iter().all(|id| history.link(*id).is_some());
        if exact || all_here && (0..count).all(is_in_order) {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_line_goes_or_waits(
        lines in prop::collection::btree_set((0_usize..4, 0_u8..4), 0..9),
        public in prop::collection::hash_set(0_usize..4, 0..4),
        there in prop::collection::btree_set((0_usize..4, 0_u8..4), 0..9),
    ) {
        let line = |number: u8| format!("{{\"ts\":\"{number}\"}}").into_bytes();
        let noted = |(anchor, number): &(usize, u8)| (oid(*anchor), line(*number));
        let lines: Vec<(Oid, Vec<u8>)> = lines.difference(&there).map(noted).collect();
        let is_public = |id: Oid| public.iter().any(|anchor| oid(*anchor) == id);
        let is_here = |id: Oid| id == oid(0);
        let plan = Plan::of(lines.clone(), is_public, &HashSet::new(), is_here);
        let mut all = [plan.ready.clone(), plan.waiting.clone(), plan.stray.clone()].concat();
        all.sort();
        prop_assert_eq!(all, lines);
        prop_assert!(plan.ready.iter().all(|(anchor, _)| is_public(*anchor)));
        prop_assert!(plan.waiting.iter().all(|(anchor, _)| !is_public(*anchor) && is_here(*anchor)));
        prop_assert!(plan.stray.iter().all(|(anchor, _)| !is_public(*anchor) && !is_here(*anchor)));
    }
}

#[test]
fn a_log_only_grows() {
    // 3 is on 2 is on 1; 9 is apart.
    let is_ancestor = |old: Oid, new: Oid| old <= new && new != oid(9) || old == new;
    let of = |seen: Option<usize>, there: Option<usize>| {
        judge(seen.map(oid), there.map(oid), is_ancestor)
    };
    let some = |number| Some(oid(number));
    assert_eq!(of(None, None), (None, None));
    assert_eq!(of(None, Some(1)), (some(1), None));
    assert_eq!(of(Some(2), Some(2)), (some(2), None));
    assert_eq!(of(Some(2), Some(3)), (some(3), None));
    assert_eq!(of(Some(2), Some(1)), (some(2), Some(Tampering::Rewound)));
    assert_eq!(of(Some(2), None), (some(2), Some(Tampering::Deleted)));
    assert_eq!(of(Some(2), Some(9)), (some(9), Some(Tampering::Replaced)));
}

/// What somebody does in a clone. Git may refuse it; that is no matter.
#[derive(Debug, Clone)]
enum Act {
    /// A commit, and an entry on it.
    Work,
    /// An entry on HEAD, wherever that is.
    Write,
    Git(&'static str),
    Push(&'static str),
    /// What the publisher does after a push to the first remote, or to the second.
    Publish(usize),
    Sync,
}

const GIT: &str = "commit --quiet --amend --allow-empty -m amended; reset --quiet --hard HEAD~1;
    rebase --quiet origin/main; merge --quiet --no-edit origin/main; merge --quiet --squash topic;
    checkout --quiet main; checkout --quiet topic; checkout --quiet -B topic; checkout --quiet --detach HEAD~1;
    branch -f aside; branch -D aside; tag -f light; tag -f -a -m x heavy; fetch --quiet;
    fetch --quiet --all --prune; fetch --quiet --depth=1; fetch --quiet --unshallow; gc --quiet --prune=now";

const PUSHES: &str = "origin HEAD; origin main; origin topic; origin +HEAD:refs/heads/main;
    origin HEAD:refs/heads/other; origin HEAD:refs/for/main; origin --delete topic; origin --delete other;
    origin --tags --force; origin --all; origin --prune +refs/heads/*; fork HEAD; fork --all;
    fork +aside:refs/heads/main; fork --delete aside; origin --mirror; fork --mirror";

fn act() -> impl Strategy<Value = Act> {
    let one_of = |lines: &'static str| {
        let lines: Vec<&str> = lines.split(';').map(str::trim).collect();
        prop::sample::select(lines)
    };
    prop_oneof![
        4 => Just(Act::Work),
        2 => Just(Act::Write),
        6 => one_of(GIT).prop_map(Act::Git),
        6 => one_of(PUSHES).prop_map(Act::Push),
        3 => (0_usize..2).prop_map(Act::Publish),
        1 => Just(Act::Sync),
    ]
}

const TALK: Talk = Talk { timeout: None, may_ask: false };

/// Two bare repositories, of which one has a log, and clones that share the log with both.
struct Team {
    world: World,
    clones: Vec<PathBuf>,
    written: u64,
    /// Every commit that a bare repository ever had, and those whose entries somebody pushed himself.
    had: [HashSet<Oid>; 2],
}

const REMOTES: [&str; 2] = ["origin", "fork"];

/// Where a remote may have lines.
const OURS: &[&str] = &["refs/notes/", "refs/sq/"];

/// How a clone is made: whole, shallow or partial.
const WAYS: [&str; 5] = ["", "", "--depth=2", "--filter=blob:none", "--filter=tree:0"];

/// Appends an entry on HEAD.
fn append(dir: &Path, number: u64) {
    let repo = Repo::open(dir).unwrap();
    let Some(head) = repo.head().unwrap().commit else {
        return;
    };
    let line = Line::of(&HashMap::from([("ts", format!("{number:024}"))])).unwrap();
    store::append(&repo, &[(head, line)], "written").unwrap();
}

impl Team {
    fn new(ways: &[&str]) -> Self {
        let world = World::new();
        for number in 0..4 {
            world.write("file", number.to_string());
            world.commit("old");
            append(&world.dir, number);
        }
        let root = world.root();
        for remote in REMOTES {
            world.git_ok(&format!("clone --quiet --bare . ../{remote}"));
            let allow = "config uploadpack.allowFilter true";
            world.git_ok_in(&root.join(remote), allow);
        }
        world.git_ok("push --quiet ../origin refs/notes/sq");
        let url = format!("file://{}/origin", root.display());
        let clones = ways.iter().enumerate().map(|(number, way)| {
            world.git_ok_in(&root, &format!("clone --quiet {way} '{url}' {number}"));
            let dir = root.join(number.to_string());
            world.git_ok_in(&dir, "remote add fork ../fork");
            for setting in [
                "user.name Ada",
                "user.email ada@example.org",
                "remote.origin.sq true",
                "remote.fork.sq true",
            ] {
                world.git_ok_in(&dir, &format!("config {setting}"));
            }
            dir
        });
        Self { clones: clones.collect(), written: 4, had: Default::default(), world }
    }

    fn git(&self, clone: usize, line: &str) {
        self.world.git_in(&self.clones[clone], &refs(&words(line)));
    }

    fn act(&mut self, clone: usize, act: &Act) {
        match act {
            Act::Work => {
                let name = format!("file-{}", self.written);
                fs::write(self.clones[clone].join(&name), &name).unwrap();
                self.git(clone, &format!("add {name}"));
                self.git(clone, &format!("commit --quiet -m {name}"));
                self.write(clone);
            }
            Act::Write => self.write(clone),
            Act::Git(line) => self.git(clone, line),
            Act::Push(line) => self.git(clone, &format!("push --quiet --no-verify {line}")),
            Act::Publish(which) => self.publish(clone, REMOTES[*which]),
            Act::Sync => self.sync(clone),
        }
    }

    fn write(&mut self, clone: usize) {
        append(&self.clones[clone], self.written);
        self.written += 1;
    }

    fn remote(repo: &Repo, name: &str) -> Remote {
        repo.remotes().into_iter().find(|remote| remote.name == name).unwrap()
    }

    fn publish(&self, clone: usize, name: &str) {
        let repo = Repo::open(&self.clones[clone]).unwrap();
        let remote = Self::remote(&repo, name);
        let addresses = repo.addresses(&remote).unwrap();
        let at = &addresses.push[0];
        publish(&repo, &remote, &addresses, at, false, TALK).unwrap();
    }

    fn sync(&self, clone: usize) {
        let repo = Repo::open(&self.clones[clone]).unwrap();
        for name in REMOTES {
            store::sync(&repo, &Self::remote(&repo, name), TALK).unwrap();
        }
    }

    /// The commits that a bare repository has now, whatever leads to them.
    fn look(&mut self) {
        for (which, name) in REMOTES.into_iter().enumerate() {
            let dir = self.world.root().join(name);
            let ask = ["cat-file", "--batch-all-objects", "--batch-check"];
            let listed = self.world.git_in(&dir, &ask).ok();
            let ids = listed
                .lines()
                .filter(|line| line.contains(" commit "))
                .map(|line| line.split(' ').next().unwrap().parse().unwrap());
            self.had[which].extend::<Vec<Oid>>(ids.collect());
        }
    }

    /// The lines under these refs of a repository.
    fn lines_at(dir: &Path, prefixes: &[&str]) -> BTreeSet<(Oid, Vec<u8>)> {
        let repo = Repo::open(dir).unwrap();
        prefixes
            .iter()
            .flat_map(|prefix| repo.refs_under(prefix).unwrap())
            .flat_map(|tip| store::lacking(&repo, &[], tip.target).unwrap())
            .collect()
    }

    /// The commits that branches and tags of a bare repository lead to.
    fn public(&self, name: &str) -> HashSet<Oid> {
        let dir = self.world.root().join(name);
        self.world
            .git_in(&dir, &["rev-list", "--branches", "--tags"])
            .ok()
            .lines()
            .map(|id| id.parse().unwrap())
            .collect()
    }
}

proptest! {
    #![proptest_config(crate::slow(5, 30))]

    /// No remote ever holds a line whose commit it never had, and every line whose commit is there arrives.
    ///
    /// `push --mirror` is a person's own push of the notes refs, private entries included: what it put on the remote is
    /// there as that person wanted, and the commits of these entries count as public from then on. A shallow clone owes
    /// only the entries of commits that it has, since it can't know what the others are ancestors of.
    #[test]
    fn a_remote_has_what_is_public_there_and_nothing_else(
        ways in prop::collection::vec(prop::sample::select(&WAYS[..]), 1..4),
        acts in prop::collection::vec((0_usize..4, act()), 5..30),
    ) {
        let mut team = Team::new(&ways);
        for (clone, act) in &acts {
            team.act(clone % ways.len(), act);
            team.look();
            let is_mirror = matches!(act, Act::Push(line) if line.ends_with("--mirror"));
            for (which, name) in REMOTES.into_iter().enumerate() {
                for (anchor, line) in Team::lines_at(&team.world.root().join(name), OURS) {
                    if is_mirror {
                        team.had[which].insert(anchor);
                    }
                    let text = String::from_utf8(line).unwrap();
                    prop_assert!(team.had[which].contains(&anchor), "{name} {anchor} {text} after {act:?}");
                }
            }
        }
        for clone in 0..ways.len() {
            team.sync(clone);
        }
        for name in REMOTES {
            let there = Team::lines_at(&team.world.root().join(name), &["refs/notes/sq"]);
            let public = team.public(name);
            for dir in &team.clones {
                let repo = Repo::open(dir).unwrap();
                let is_shallow = repo.is_shallow().unwrap();
                for line in Team::lines_at(dir, &["refs/notes/sq"]) {
                    let is_owed = public.contains(&line.0) && (!is_shallow || repo.has_object(line.0));
                    prop_assert!(!is_owed || there.contains(&line), "{name} lacks {line:?}");
                }
            }
            let dir = team.world.root().join(name);
            let count = ["rev-list", "--count", "--min-parents=2", "--glob=refs/notes/sq"];
            prop_assert_eq!(team.world.git_in(&dir, &count).ok(), "0\n");
        }
    }
}

/// Git would take what the one remote left out for what the other one may leave out, too.
#[test]
fn a_partial_clone_shares_with_two_remotes() {
    let mut team = Team::new(&["", "--filter=tree:0"]);
    for (clone, act) in [
        (0, Act::Work),
        (1, Act::Work),
        (0, Act::Push("origin --prune +refs/heads/*")),
        (1, Act::Git("fetch --quiet")),
        (0, Act::Work),
        (0, Act::Push("fork HEAD")),
        (0, Act::Work),
        (0, Act::Publish(1)),
    ] {
        team.act(clone, &act);
    }
    team.sync(1);
}
