//! Code, questions and dates that somebody made to be more than can be read: each command ends, in little memory, and
//! says what is wrong.

use std::path::{Path, PathBuf};

use git_sq_test_support::{World, original_line};

use crate::odd_limits::{bomb, nested, within};

const COMMANDS: &[&str] = &[
    "git sq check",
    "git sq brief",
    "git sq show src/a",
    "git sq trace q1",
    "git sq verify",
    "git sq report",
    "git sq facts",
    "git sq carry",
    "git sq doctor",
    "git sq fleet .",
];

#[track_caller]
fn all_end(world: &World, dir: &Path) {
    for line in COMMANDS {
        let ran = within(world, dir, line);
        assert!(matches!(ran.code, 0 | 1 | 3 | 128), "{line}: {}", ran.transcript());
        assert!(!ran.stderr.contains("is missing"), "{line}: {}", ran.transcript());
    }
}

/// A repository with an answer, and a commit after it that has this tree beside all else.
fn with_tree(odd: impl FnOnce(&World) -> String) -> World {
    let world = World::asking(&[r#", "watch": ["src"]"#, r#", "watch": ["**/*.c"], "lines": "x""#]);
    world.change("src/a", "1\n");
    world.record("s1").ok();
    let tree = odd(&world);
    let old = world.git_ok("ls-tree HEAD");
    let entries: Vec<String> =
        old.lines().map(str::to_owned).chain([format!("040000 tree {tree}\tsrc2")]).collect();
    let root = world.tree(&entries);
    let commit = world.git_ok(&format!("commit-tree -p HEAD -m odd {root}"));
    world.git_ok(&format!("update-ref refs/heads/main {}", commit.trim()));
    world
}

/// As a fleet's reader or a server has it.
fn mirror(world: &World) -> PathBuf {
    let mirror = world.root().join("mirror.git");
    let to = mirror.to_string_lossy().into_owned();
    world.git(&["clone", "--quiet", "--mirror", ".", &to]).ok();
    mirror
}

fn bombed(world: &World, width: usize) -> String {
    world.tree(&bomb(world, b"x\n", width))
}

fn folders(world: &World) -> String {
    let commit = nested(world, &("folder/".repeat(20_000) + "file"));
    world.git_ok(&format!("rev-parse {commit}^{{tree}}")).trim().to_owned()
}

/// The commit is unknown, and says who can tell more.
#[track_caller]
fn is_unknown(world: &World) {
    let mirror = mirror(world);
    let check = within(world, &mirror, "git sq check").exits(3);
    let head = world.git_ok("rev-parse refs/heads/main");
    assert_has!(check.transcript(), &format!("`git log -1 {}` shows who made it", head.trim()));
}

#[test]
fn a_bomb_of_trees_in_the_code() {
    let world = with_tree(|world| bombed(world, 256));
    is_unknown(&world);
    all_end(&world, &world.root().join("mirror.git"));
}

#[test]
fn a_thin_bomb_of_trees_in_the_code() {
    is_unknown(&with_tree(|world| bombed(world, 2)));
}

#[test]
fn folders_within_each_other_in_the_code() {
    is_unknown(&with_tree(folders));
}

#[test]
fn a_fleet_goes_on_beside_a_bomb() {
    let world = with_tree(|world| bombed(world, 256));
    mirror(&world);
    world.git(&["clone", "--quiet", "--bare", ".", "../sound.git"]).ok();
    let sound = world.root().join("sound.git");
    let sound = sound.to_string_lossy();
    world.git(&["-C", &sound, "remote", "remove", "origin"]).ok();
    world.git(&["-C", &sound, "update-ref", "refs/heads/main", "main~1"]).ok();
    let said = within(&world, &world.root(), "git sq fleet mirror.git sound.git").transcript();
    let commit = |name: &str| world.git_ok(&format!("rev-parse {name}")).trim().to_owned();
    let said = said.replace(&commit("main"), "BOMB").replace(&commit("main~1"), "BEFORE");
    insta::assert_snapshot!(said, @"
    2 repositories: 1 needing attention, 1 unknown

    needing attention
      sound.git: q1, q2 never answered; no-sessions; 0 sessions

    unknown
      mirror.git: q2 unknown; cannot tell where q1 stands: BEFORE and BOMB differ in more files and folders than git sq compares; `git log -1 BOMB` shows who made it; 1 more unknown; 1 session

    1 session, 1 answer, 1 error, 1 warning, 0 wrong facts in those that could be read
    --- exit 1
    ");
}

/// It still stands between the last answer and now.
#[test]
fn a_bomb_that_was_taken_out_again() {
    let world = with_tree(|world| bombed(world, 256));
    let commit = world.git_ok("commit-tree -p HEAD -m mended HEAD~1^{tree}");
    world.git_ok(&format!("update-ref refs/heads/main {}", commit.trim()));
    let check = within(&world, &mirror(&world), "git sq check").exits(3);
    assert_has!(check.stdout, "shows who made it");
    // A new answer is compared with nothing before it.
    world.git_ok("reset --quiet --hard");
    within(&world, &world.dir, "git sq record --sid s2 --same q1 q2=none").ok();
    assert_eq!(within(&world, &world.dir, "git sq check").code, 0);
}

#[test]
fn questions_with_costly_patterns() {
    let world = World::new();
    let question = |id| {
        format!(
            r#"{{"id": "q{id}", "q": "?", "importance": 1, "watch": ["a"], "lines": "(\\w{{50}}){{{}}}"}}"#,
            id % 50
        )
    };
    let questions: Vec<String> = (0..4000).map(question).collect();
    let store = format!(
        r#"{{"_schema": "standing_questions/v2", "questions": [{}]}}"#,
        questions.join(",")
    );
    world.write("standing_questions.json", &store);
    world.commit("ask");
    all_end(&world, &world.dir);
    let check = within(&world, &world.dir, "git sq check");
    assert_has!(check.transcript(), "more than 1000 questions");
    assert_has!(within(&world, &world.dir, "git sq doctor").stdout, "git sq question lint");
}

/// As many as commits, on each of which git sq would look for the answer before.
#[test]
fn entries_dated_ahead() {
    const ENTRIES: usize = 8000;
    let world = World::asked();
    let by = "committer A <a@example.org> 1767225700 +0000\ndata 0\n";
    let mut stream = format!("reset refs/heads/main\nfrom {}\n", world.head());
    let mut notes = String::new();
    for n in 1..=ENTRIES {
        stream += &format!("commit refs/heads/main\nmark :{n}\n{by}\n");
        let line = original_line(&format!("s{n}"), "2040-01-01T00:00:00.000Z", &"0".repeat(40));
        notes += &format!("N inline :{n}\ndata {}\n{line}\n\n", line.len() + 1);
    }
    stream += &format!("commit refs/notes/sq\n{by}{notes}\n");
    world.git_with_input(&["fast-import", "--quiet", "--force"], stream.as_bytes()).ok();
    world.git_ok("reset --quiet --hard");
    all_end(&world, &world.dir);
    within(&world, &world.dir, "git sq record --sid s1 q1=yes").ok();
}
