//! The trace of a probe, against deriving its answer at every commit.

use std::collections::HashMap;

use git_sq::{
    evidence::{Found, Prober, trace},
    git::{Oid, Repo},
    question::Probe,
};
use git_sq_test_support::World;
use proptest::prelude::*;
use serde_json::json;

/// What a commit does to a file: its place, and its new text, or none where it goes.
type Edit = (usize, Option<usize>);

const FILES: [&str; 4] = ["src/a", "src/b", "docs/a", "README"];
const TEXTS: [&str; 5] = ["TODO\n", "none\nTODO\nTODO\n", "none\n", "\0TODO\n", "a ?\n"];

fn probes() -> Vec<Probe> {
    let probes = json!([
        {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}},
        {"grep": {"text": "TODO", "paths": [".", ":!src/a"]}},
        {"grep": {"text": "none", "paths": ["src/", "docs"], "take": "first"}},
        {"files": {"paths": ["*a"]}},
        {"lines": {"paths": ["src/", "README"]}},
        {"tree": "src"},
        {"text": {"file": "README", "lines": [1, 1]}},
        {"text": {"file": "README", "pattern": "(TODO|none)", "take": "every"}},
        {"exist": {"pattern": "TODO|[?]|a", "paths": ["docs/", "README"], "anywhere": true}},
        {"log": {"paths": ["src/"]}},
        {"log": {"paths": ["docs/"], "take": "count"}},
        {"agree": [{"lines": {"paths": ["src/", ":!src/b"]}}, {"lines": {"paths": ["src/b"]}}]},
    ]);
    serde_json::from_value(probes).unwrap()
}

/// One commit: its edits, and which of the earlier ones it merges.
fn commit() -> impl Strategy<Value = (Vec<Edit>, Option<usize>, usize)> {
    let text = prop::option::weighted(0.8, 0..TEXTS.len());
    let edits = prop::collection::vec((0..FILES.len(), text), 0..3);
    (edits, prop::option::weighted(0.3, 0..20_usize), 0..4_usize)
}

/// The history as `git fast-import` reads it. A merge has the files of its first parent, or of the other one.
fn stream(commits: &[(Vec<Edit>, Option<usize>, usize)]) -> String {
    let mut files: Vec<HashMap<usize, usize>> = Vec::new();
    let mut text = String::new();
    for (number, (edits, merged, back)) in commits.iter().enumerate() {
        // Here and there, one without parents.
        let parent =
            number.checked_sub(1 + back % number.max(1)).filter(|_| number % 5 < 4 || *back < 3);
        let merged = merged.filter(|merged| *merged < number && Some(*merged) != parent);
        text += &format!("commit refs/heads/main\nmark :{}\n", number + 1);
        text += &format!("committer A <a@b> {} +0000\ndata 1\nx\n", 1_767_225_600 + number);
        let mut here = parent.map_or_else(HashMap::new, |parent| files[parent].clone());
        match parent {
            Some(parent) => text += &format!("from :{}\n", parent + 1),
            None => text += "from 0000000000000000000000000000000000000000\n",
        }
        if let Some(merged) = merged {
            text += &format!("merge :{}\n", merged + 1);
            if number % 2 == 0 {
                here.clone_from(&files[merged]);
            }
        }
        for (file, new) in edits {
            match new {
                Some(new) => here.insert(*file, *new),
                None => here.remove(file),
            };
        }
        text += "deleteall\n";
        for (file, new) in &here {
            let body = TEXTS[*new];
            text += &format!("M 644 inline {}\ndata {}\n{body}\n", FILES[*file], body.len());
        }
        files.push(here);
    }
    text
}

fn ids(world: &World, line: &str) -> Vec<Vec<Oid>> {
    world
        .git_ok(line)
        .lines()
        .rev()
        .map(|line| line.split(' ').map(|id| id.parse().unwrap()).collect())
        .collect()
}

/// The commits at which the answer is another one than at all parents.
fn slow(repo: &Repo, probe: &Probe, commits: &[Vec<Oid>], all: bool) -> Vec<(Oid, Found)> {
    let at = |commit: Oid| Prober::new(repo, commit).run(commit, probe).unwrap().found;
    let mut found = Vec::new();
    for line in commits {
        let now = at(line[0]);
        let parents = if all { &line[1..] } else { &line[1..line.len().min(2)] };
        if !parents.iter().any(|&parent| at(parent).is_same(&now)) {
            found.push((line[0], now));
        }
    }
    found.sort_by_key(|(commit, _)| *commit);
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(8), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_is_what_deriving_at_every_commit_gives(commits in prop::collection::vec(commit(), 1..14)) {
        let world = World::new();
        let imported = world.git_with_input(&["fast-import", "--quiet", "--force"], stream(&commits).as_bytes());
        prop_assert_eq!(imported.code, 0, "{}", imported.transcript());
        let repo = Repo::open_exactly(&world.dir.join(".git")).unwrap();
        let tip = repo.commit("main").unwrap();
        for all in [false, true] {
            let option = if all { "--topo-order" } else { "--first-parent" };
            let every = ids(&world, &format!("rev-list --parents {option} main"));
            for probe in probes() {
                let traced = trace(&repo, tip, &probe, all, &|_, _| ()).unwrap();
                prop_assert!(traced.unknown.is_none());
                let mut quick: Vec<(Oid, Found)> =
                    traced.changes.into_iter().map(|change| (change.commit, change.now)).collect();
                if !all {
                    let order: Vec<Oid> = every.iter().map(|line| line[0]).collect();
                    let places: Vec<usize> = quick.iter().map(|(commit, _)| order.iter().position(|known| known == commit).unwrap()).collect();
                    prop_assert!(places.is_sorted());
                }
                quick.sort_by_key(|(commit, _)| *commit);
                prop_assert_eq!(&quick, &slow(&repo, &probe, &every, all), "{:?}", probe);
            }
        }
    }
}
