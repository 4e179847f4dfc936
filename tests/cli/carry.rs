//! `git sq carry`: entries of rewritten commits find their home.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// A repository with a store, some files, and a branch of three sessions off main.
pub fn branched() -> World {
    let world = World::new();
    world.write("near.txt", lines(&[]));
    world.ask(&["q1"]);
    world.record("s00").ok();
    world.git(&["switch", "--quiet", "-c", "topic"]).ok();
    for (number, sid) in (1..).zip(["s01", "s02", "s03"]) {
        world.write("near.txt", lines(&[(2, sid)]));
        world.write(&format!("{sid}.txt"), format!("{number}\n"));
        world.commit(&format!("Session {sid}"));
        world.record(sid).ok();
    }
    world
}

/// Twelve lines of text, some of them other.
fn lines(changed: &[(usize, &str)]) -> String {
    let line = |number| {
        let found = changed.iter().find(|(at, _)| *at == number);
        found.map_or_else(
            || format!("line {number}\n"),
            |(_, text)| format!("{text}\n"),
        )
    };
    (1..=12).map(line).collect()
}

/// How main moves before the merge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Main {
    Unmoved,
    Elsewhere,
    /// In lines so near to the branch's that a patch with context differs.
    Nearby,
    /// The very file: every patch differs, and git still merges.
    Renamed,
}

pub fn move_main(world: &World, how: Main) {
    world.git(&["switch", "--quiet", "main"]).ok();
    match how {
        Main::Unmoved => return,
        Main::Elsewhere => world.write("other.txt", "other\n"),
        Main::Nearby => world.write("near.txt", lines(&[(4, "moved")])),
        Main::Renamed => drop(world.git(&["mv", "near.txt", "moved.txt"]).ok()),
    }
    world.commit("Main moves");
}

pub fn squash(world: &World) -> String {
    world.git(&["merge", "--quiet", "--squash", "topic"]).ok();
    let squashed = world.commit("Squashed");
    world.write("later.txt", "later\n");
    world.commit("Later");
    world.commit("Nothing at all");
    squashed
}

/// Takes the branch away, and every trace of it.
pub fn forget(world: &World) {
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world
        .git(&[
            "reflog",
            "expire",
            "--expire=now",
            "--expire-unreachable=now",
            "--all",
        ])
        .ok();
    world.git(&["gc", "--prune=now", "--quiet"]).ok();
}

pub fn topic(world: &World) -> Vec<String> {
    let commits = world.git(&["rev-list", "--reverse", "main..topic"]).ok();
    commits.lines().map(str::to_owned).collect()
}

pub fn carry(world: &World, args: &[&str]) -> Value {
    world
        .sq(&[&["carry", "--format", "json"], args].concat())
        .json()
}

/// From, to and rule of all that was carried.
pub fn moves(report: &Value) -> Vec<(String, String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = report["carried"].as_array().unwrap();
    rows.iter()
        .map(|row| (text(row, "from"), text(row, "to"), text(row, "rule")))
        .collect()
}

pub fn expected(moves: &[(&String, &String, &str)]) -> Vec<(String, String, String)> {
    let owned = |(from, to, rule): &(&String, &String, &str)| {
        ((*from).clone(), (*to).clone(), (*rule).to_owned())
    };
    moves.iter().map(owned).collect()
}

fn sessions(world: &World) -> Value {
    world.check(&[]).0["sessions"].clone()
}

/// Carried once, all is there, and there is nothing left to do.
#[track_caller]
pub fn nothing_is_left(world: &World, sessions_now: usize) {
    assert_eq!(sessions(world), json!(sessions_now));
    let log = world.git(&["rev-parse", "refs/notes/sq"]).ok();
    let again = world.sq(&["carry"]);
    assert_eq!(again.transcript(), "Nothing to carry.\n--- exit 0\n");
    assert_eq!(world.git(&["rev-parse", "refs/notes/sq"]).ok(), log);
}

#[test]
fn a_squash_merge_whatever_main_did() {
    for (how, rule) in [
        (Main::Unmoved, "tree"),
        (Main::Elsewhere, "patch-id"),
        (Main::Nearby, "patch-id"),
        (Main::Renamed, "merge-tree"),
    ] {
        for deleted in [false, true] {
            let world = branched();
            let topic = topic(&world);
            move_main(&world, how);
            let pr = format!("{}..main", world.head());
            let squashed = squash(&world);
            // What a branch still has is carried for whoever asks.
            let args: &[&str] = if deleted { &[] } else { &["--pr", &pr] };
            if deleted {
                world.git(&["branch", "--quiet", "-D", "topic"]).ok();
            }
            assert_eq!(sessions(&world), json!(1));
            let before = world.lines();
            let report = carry(&world, args);
            // The last session finds the home; the others follow it.
            let wanted = [
                (&topic[2], &squashed, rule),
                (&topic[0], &squashed, "branch"),
                (&topic[1], &squashed, "branch"),
            ];
            let (mut found, mut wanted) = (moves(&report), expected(&wanted));
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "{how:?} {report}");
            let after = world.lines();
            assert!(before.iter().all(|line| after.contains(line)));
            nothing_is_left(&world, 4);
        }
    }
}

#[test]
fn a_squash_merge_of_a_branch_that_nobody_has_any_more() {
    for (how, rule) in [
        (Main::Unmoved, "tree"),
        (Main::Elsewhere, "patch-id"),
        (Main::Nearby, "patch-id"),
    ] {
        let world = branched();
        let topic = topic(&world);
        move_main(&world, how);
        let squashed = squash(&world);
        forget(&world);
        assert_ne!(world.git(&["cat-file", "-e", &topic[2]]).code, 0);
        let report = carry(&world, &[]);
        assert!(
            moves(&report).contains(&expected(&[(&topic[2], &squashed, rule)])[0]),
            "{report}"
        );
        assert_eq!(moves(&report).len(), 3, "{report}");
        nothing_is_left(&world, 4);
    }
}

#[test]
fn what_nothing_matches_is_said_and_somebody_can_say_where() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Renamed);
    let squashed = squash(&world);
    forget(&world);
    let ran = world.sq(&["carry"]);
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    for commit in &topic {
        let gone = format!(
            "no home: {}: 1 entry, the commit is gone, and nothing that they recorded matches\n",
            &commit[..10]
        );
        assert!(ran.stdout.contains(&gone), "{}", ran.transcript());
    }
    assert!(ran.stdout.contains("`git sq carry --onto REV COMMIT`"));
    // One of them, by hand, abbreviated; then the rest at once.
    let report = carry(
        &world,
        &["--onto", &squashed, &topic[2][..6].to_uppercase()],
    );
    assert_eq!(moves(&report), expected(&[(&topic[2], &squashed, "onto")]));
    assert_eq!(sessions(&world), json!(2));
    let report = carry(&world, &["--onto", "HEAD~2"]);
    let mut rest = moves(&report);
    rest.sort();
    // What a hand put somewhere shows nothing of the rest of its branch.
    let mut wanted = expected(&[
        (&topic[0], &squashed, "onto"),
        (&topic[1], &squashed, "onto"),
    ]);
    wanted.sort();
    assert_eq!(rest, wanted, "{report}");
    nothing_is_left(&world, 4);
}

#[test]
fn the_rest_goes_where_it_is_told() {
    let world = branched();
    let topic = topic(&world);
    world.git(&["switch", "--quiet", "main"]).ok();
    forget(&world);
    let report = carry(&world, &["--onto", "main"]);
    let main = world.head();
    let wanted: Vec<_> = topic.iter().map(|from| (from, &main, "onto")).collect();
    let mut wanted = expected(&wanted);
    wanted.sort();
    assert_eq!(moves(&report), wanted, "{report}");
    nothing_is_left(&world, 4);
    // It says so in the log, on the commit that has the entries now.
    let note = String::from_utf8(world.note(&main)).unwrap();
    let said: Vec<Value> = note
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["kind"] == "carry")
        .collect();
    assert_eq!(said.len(), 3, "{note}");
    // To the gate they are lines of another kind.
    assert_eq!(world.check(&[]).0["other_kinds"], json!(3));
    let keys: Vec<&String> = said[0].as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 12, "{keys:?}");
    assert_eq!(said[0]["to"], json!(main));
    let copied = said[0]["entries"][0].as_str().unwrap();
    assert!(note.contains(&format!("\"kind\":\"rederive\",\"id\":\"{copied}\"")));
}

#[test]
fn a_branch_that_is_alive_is_not_worth_a_word_but_one() {
    let world = branched();
    move_main(&world, Main::Elsewhere);
    let ran = world.sq(&["carry"]);
    assert_eq!(
        ran.transcript(),
        "3 entries are on branches of their own\nNothing to carry.\n--- exit 0\n"
    );
    // A linked worktree's HEAD keeps its entries too, and so does a remote's branch.
    world
        .git(&["worktree", "add", "--quiet", "--detach", "../tree", "topic"])
        .ok();
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    assert_eq!(carry(&world, &[])["on_branches"], json!(3));
    let tip = world.git(&["-C", "../tree", "rev-parse", "HEAD"]).ok();
    world.git(&["worktree", "remove", "../tree"]).ok();
    assert_eq!(world.sq(&["carry"]).code, 1);
    let remote = "refs/remotes/origin/topic";
    world.git(&["update-ref", remote, tip.trim()]).ok();
    assert_eq!(world.sq(&["carry"]).code, 0);
}

#[test]
fn an_entry_with_a_copy_on_a_branch_is_no_orphan() {
    let world = branched();
    let old = world.head();
    world
        .git(&["commit", "--quiet", "--amend", "-m", "Better"])
        .ok();
    let pair = format!("{old} {}\n", world.head());
    world
        .sq_with_input(&["hook", "post-rewrite", "amend"], &pair)
        .ok();
    world.git(&["switch", "--quiet", "main"]).ok();
    let report = carry(&world, &[]);
    assert_eq!(report["on_branches"], json!(3), "{report}");
    assert_eq!(report["homeless"], json!([]), "{report}");
    // It goes once, although two lost commits have it.
    world.write("other.txt", "other\n");
    world.commit("Main moves");
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let report = carry(&world, &[]);
    assert_eq!(report["carried"].as_array().unwrap().len(), 3, "{report}");
    nothing_is_left(&world, 4);
}

#[test]
fn an_amend_that_no_hook_saw() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s00").ok();
    world.write("a.txt", "a\n");
    let old = world.commit("One");
    world.record("s01").ok();
    world
        .git(&["commit", "--quiet", "--amend", "-m", "Better"])
        .ok();
    let new = world.head();
    let report = carry(&world, &[]);
    assert_eq!(moves(&report), expected(&[(&old, &new, "tree")]));
    nothing_is_left(&world, 2);
    // Moved elsewhere as well: the tree differs, the commit's own change does not.
    world.write("b.txt", "b\n");
    let old = world.commit("Two");
    world.record("s02").ok();
    world.git(&["reset", "--quiet", "--hard", "HEAD~1"]).ok();
    world.write("c.txt", "c\n");
    world.commit("Between");
    world.git(&["cherry-pick", &old]).ok();
    let new = world.head();
    let report = carry(&world, &[]);
    assert_eq!(moves(&report), expected(&[(&old, &new, "patch-id")]));
    nothing_is_left(&world, 3);
}

/// Rebases the branch onto main as a forge does: by new commits, with nobody's hook.
fn rebase_merge(world: &World) -> Vec<String> {
    move_main(world, Main::Elsewhere);
    world.git(&["cherry-pick", "main..topic"]).ok();
    let commits = world.git(&["rev-list", "--reverse", "-3", "main"]).ok();
    commits.lines().map(str::to_owned).collect()
}

#[test]
fn a_rebase_merge_finds_each_commit_s_own() {
    for gone in [false, true] {
        let world = branched();
        let topic = topic(&world);
        let merged = rebase_merge(&world);
        if gone {
            forget(&world);
        } else {
            world.git(&["branch", "--quiet", "-D", "topic"]).ok();
        }
        let report = carry(&world, &[]);
        let pairs = topic.iter().zip(&merged);
        let pairs: Vec<_> = pairs.map(|(from, to)| (from, to, "patch-id")).collect();
        let mut wanted = expected(&pairs);
        wanted.sort();
        assert_eq!(moves(&report), wanted, "{report}");
        nothing_is_left(&world, 4);
    }
}

#[test]
fn ci_after_a_merge_looks_at_that_merge_alone() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let base = world.head();
    let squashed = squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let origin = world.root().join("origin.git");
    world
        .git(&[
            "clone",
            "--quiet",
            "--bare",
            "--no-local",
            ".",
            "../origin.git",
        ])
        .ok();
    world
        .git(&[
            "push",
            "--quiet",
            "../origin.git",
            "refs/notes/sq:refs/notes/sq",
        ])
        .ok();
    // A clone of the merged branch alone, with HEAD elsewhere.
    let pr = format!("{base}..{squashed}");
    let ran = world.sq_in(&origin, &["carry", "--format", "json", "--pr", &pr]);
    let report = ran.json();
    assert_eq!(ran.code, 0, "{report}");
    assert_eq!(report["tip"], json!(squashed));
    let found = moves(&report);
    assert_eq!(found.len(), 3, "{report}");
    assert!(found.iter().all(|(_, to, _)| *to == squashed), "{report}");
    assert!(found.contains(&expected(&[(&topic[2], &squashed, "patch-id")])[0]));
    // Outside of the range there is no home.
    let elsewhere = format!("{squashed}..main");
    let report = carry(&world, &["--pr", &elsewhere]);
    assert_eq!(moves(&report), [], "{report}");
}
