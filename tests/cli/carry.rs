//! `git sq carry`: entries of rewritten commits find their home.

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

/// A repository with a store, some files, and a branch of three sessions off main.
fn branched() -> World {
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
enum Main {
    Unmoved,
    Elsewhere,
    /// In lines so near to the branch's that a patch with context differs.
    Nearby,
    /// The very file: every patch differs, and git still merges.
    Renamed,
}

fn move_main(world: &World, how: Main) {
    world.git(&["switch", "--quiet", "main"]).ok();
    match how {
        Main::Unmoved => return,
        Main::Elsewhere => world.write("other.txt", "other\n"),
        Main::Nearby => world.write("near.txt", lines(&[(4, "moved")])),
        Main::Renamed => drop(world.git(&["mv", "near.txt", "moved.txt"]).ok()),
    }
    world.commit("Main moves");
}

fn squash(world: &World) -> String {
    world.git(&["merge", "--quiet", "--squash", "topic"]).ok();
    let squashed = world.commit("Squashed");
    world.write("later.txt", "later\n");
    world.commit("Later");
    squashed
}

/// Takes the branch away, and every trace of it.
fn forget(world: &World) {
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

fn topic(world: &World) -> Vec<String> {
    let commits = world.git(&["rev-list", "--reverse", "main..topic"]).ok();
    commits.lines().map(str::to_owned).collect()
}

fn carry(world: &World, args: &[&str]) -> Value {
    world
        .sq(&[&["carry", "--format", "json"], args].concat())
        .json()
}

/// From, to and rule of all that was carried.
fn moves(report: &Value) -> Vec<(String, String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = report["carried"].as_array().unwrap();
    rows.iter()
        .map(|row| (text(row, "from"), text(row, "to"), text(row, "rule")))
        .collect()
}

fn expected(moves: &[(&String, &String, &str)]) -> Vec<(String, String, String)> {
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
fn nothing_is_left(world: &World, sessions_now: usize) {
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
            let squashed = squash(&world);
            if deleted {
                world.git(&["branch", "--quiet", "-D", "topic"]).ok();
            }
            assert_eq!(sessions(&world), json!(1));
            let before = world.lines();
            let report = carry(&world, &[]);
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
    let report = carry(&world, &["--onto", "HEAD~1"]);
    let mut rest = moves(&report);
    rest.sort();
    // What the first one listed goes with it; no hand is needed.
    let mut wanted = expected(&[
        (&topic[0], &squashed, "branch"),
        (&topic[1], &squashed, "branch"),
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
    assert_eq!(carry(&world, &[])["on_branches"], json!(3));
    // It goes once, although two lost commits have it.
    world.write("other.txt", "other\n");
    world.commit("Main moves");
    squash(&world);
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

#[test]
fn the_same_change_twice_is_ambiguous() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let first = squash(&world);
    world.git(&["revert", "--no-edit", &first]).ok();
    world.git(&["cherry-pick", &first]).ok();
    let second = world.head();
    forget(&world);
    let ran = world.sq(&["carry", "--format", "json"]);
    let report = ran.json();
    assert_eq!(ran.code, 1, "{report}");
    assert_eq!(moves(&report), [], "{report}");
    let rows = report["homeless"].as_array().unwrap();
    let row = rows.iter().find(|row| row["anchor"] == json!(topic[2]));
    let mut both = [first.clone(), second.clone()];
    both.sort();
    assert_eq!(row.unwrap()["why"], "ambiguous");
    assert_eq!(row.unwrap()["candidates"], json!(both));
    let text = world.sq(&["carry"]).stdout;
    let says = format!(
        "these match alike: {}, {}\n",
        &both[0][..10],
        &both[1][..10]
    );
    assert!(text.contains(&says), "{text}");
    // Not by the rest, but by name.
    let report = carry(&world, &["--onto", &second]);
    assert!(!moves(&report).iter().any(|(from, ..)| *from == topic[2]));
    let report = carry(&world, &["--onto", &second, &topic[2]]);
    assert_eq!(moves(&report), expected(&[(&topic[2], &second, "onto")]));
}

#[test]
fn a_dry_run_leaves_everything_as_it_was() {
    let world = branched();
    move_main(&world, Main::Renamed);
    squash(&world);
    let state = |world: &World| {
        let objects = world.git(&["count-objects", "-v"]).ok();
        let refs = world.git(&["for-each-ref"]).ok();
        (objects, refs)
    };
    std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    let before = state(&world);
    let ran = world.sq(&["carry", "-n"]);
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    assert!(ran.stdout.ends_with("Would carry 3 entries.\n"));
    assert!(ran.stdout.contains("merge-tree"), "{}", ran.transcript());
    assert_eq!(state(&world), before);
    assert!(!world.dir.join(".git/sq").exists());
    assert!(world.sq(&["carry"]).ok().ends_with("Carried 3 entries.\n"));
}

#[test]
fn hostile_lines_are_carried_as_they_are_and_steer_nothing() {
    let world = branched();
    move_main(&world, Main::Unmoved);
    let old = topic(&world)[2].clone();
    squash(&world);
    let commits = vec!["\u{1b}[2J"; 5000].join("\",\"");
    let odd = format!(
        "not json \u{1b}[2J\n{{\"kind\":\"\u{202e}\",\"id\":\"\u{1b}[31m\u{202e}\",\"head\":{{\"tree\":\"HEAD\",\"base\":\"--help\",\"patch_id\":\"x\",\"commits\":[\"{}\"]}}}}\n",
        commits.replace('\u{1b}', "\\u001b")
    );
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world.plant(&[(&old, odd.as_bytes())]);
    let report = carry(&world, &[]);
    assert_eq!(report["carried"][0]["entries"].as_array().unwrap().len(), 2);
    assert_eq!(report["carried"][0]["rule"], "tree", "{report}");
    let note = world.note(report["carried"][0]["to"].as_str().unwrap());
    for line in odd.lines() {
        let mut copies = note.split(|&byte| byte == b'\n');
        assert!(copies.any(|copy| copy == line.as_bytes()));
    }
    let said = note.split(|&byte| byte == b'\n');
    let said = said.filter(|line| line.starts_with(b"{\"ts\":"));
    for line in said {
        assert!(!line.contains(&0x1b));
        assert!(!String::from_utf8_lossy(line).contains('\u{202e}'));
    }
    assert!(!world.sq(&["carry"]).stdout.contains('\u{1b}'));
}

#[test]
fn so_many_entries_that_one_line_can_t_name_them() {
    let world = World::new();
    world.ask(&["q1"]);
    world.write("a.txt", "a\n");
    let old = world.commit("One");
    let mut note = String::new();
    for number in 0..3000 {
        let id = format!("{number:026}");
        note += &format!(
            "{{\"ts\":\"2026-01-01T00:00:00.000Z\",\"kind\":\"later\",\"id\":\"{id}\"}}\n"
        );
    }
    world.plant(&[(&old, note.as_bytes())]);
    world
        .git(&["commit", "--quiet", "--amend", "-m", "Better"])
        .ok();
    let said = world.sq(&["carry"]).ok();
    assert!(said.contains("3000 entries"), "{said}");
    let note = String::from_utf8(world.note("HEAD")).unwrap();
    let carried = note
        .lines()
        .filter(|line| line.contains("\"kind\":\"carry\""));
    assert_eq!(carried.clone().count(), 2);
    assert!(carried.clone().all(|line| line.len() <= 64 * 1024));
}

#[test]
fn what_lies_beyond_a_cut_is_not_known_to_be_lost() {
    let world = branched();
    world.git(&["switch", "--quiet", "main"]).ok();
    world.git(&["merge", "--quiet", "topic"]).ok();
    let url = format!("file://{}", world.dir.display());
    world
        .git(&["clone", "--quiet", "--depth=1", &url, "../shallow"])
        .ok();
    let shallow = world.root().join("shallow");
    let refspec = "refs/notes/sq:refs/notes/sq";
    world
        .git_in(&shallow, &["fetch", "--quiet", "origin", refspec])
        .ok();
    let ran = world.sq_in(&shallow, &["carry"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    let says = "unknown: the home of 1 entry on 1 commit, ";
    assert!(ran.stdout.contains(says), "{}", ran.transcript());
    assert!(ran.stdout.ends_with("Nothing to carry.\n"));
}

#[test]
fn a_user_s_diff_settings_change_no_patch_id() {
    let world = World::new();
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    world.write("old name.txt", &text);
    world.write(".gitattributes", "*.txt diff=words\n");
    world.write("picture", [0_u8, 1, 2]);
    world.ask(&["q1"]);
    world.git(&["switch", "--quiet", "-c", "topic"]).ok();
    world.git(&["mv", "old name.txt", "a name.txt"]).ok();
    world.write("a name.txt", text.replace("line 7\n", "seven\n"));
    world.write("picture", [0_u8, 1, 3]);
    world.write("fresh", "{\n}\n\n{\n}\n");
    world.commit("A rename, an edit and a picture");
    let id = |ran: Ran| {
        ran.ok();
        let line = world.lines().pop().unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        line["head"]["patch_id"].as_str().unwrap().to_owned()
    };
    // What git says that nobody configured.
    let diff = world.git(&[
        "diff",
        "-U0",
        "--full-index",
        "--no-ext-diff",
        "--no-textconv",
        "main..HEAD",
    ]);
    let printed = world.git_with_input(&["patch-id", "--stable"], diff.ok().as_bytes());
    let plain = printed.ok().split(' ').next().unwrap().to_owned();
    assert_eq!(id(world.record("s01")), plain);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.algorithm", "patience"),
        ("diff.indentHeuristic", "false"),
        ("diff.context", "7"),
        ("diff.interHunkContext", "9"),
        ("diff.orderFile", "order"),
        ("diff.external", "false"),
        ("diff.words.textconv", "false"),
        ("diff.words.algorithm", "histogram"),
        ("diff.submodule", "log"),
        ("core.abbrev", "5"),
        ("color.diff", "always"),
        ("diff.suppressBlankEmpty", "true"),
        ("core.quotePath", "false"),
    ] {
        world.git(&["config", key, value]).ok();
    }
    world.write("order", "picture\n");
    assert_eq!(id(world.record("s02")), plain);
}
