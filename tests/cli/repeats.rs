//! A bare `same` stands for what it repeats, and what replaces an answer needs what that needed.

use std::{fs, path::Path};

use git_sq_test_support::{Team, World, each, store_v2};
use serde_json::json;

use crate::second::clone_of;

const NUMBER: &str = r#""shape": "number", "expect": 0"#;
const TEXT: &str = r#""expect": "0""#;

/// An answer that fails: what is in the file is not what is expected.
fn failing(keys: &str) -> World {
    let world = World::new();
    world.write("src/a.rs", "5\n0\n");
    world.ask_json(&format!(
        r#"{{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "severity": "blocking", {keys}}}"#
    ));
    say(&world, "s0 q1=5 --cite q1=src/a.rs:1");
    world
}

fn say(world: &World, line: &str) {
    world.pass(3600);
    world.sq_ok(&format!("record --sid {line}"));
}

/// Where the question stands, and the rules that flag answers.
fn stands(world: &World) -> (serde_json::Value, Vec<String>) {
    let (check, _) = world.check(&[]);
    let findings = each(&check["findings"]);
    let rules = findings.map(|finding| finding["rule"].as_str().unwrap().to_owned());
    let flags =
        rules.filter(|rule| ["not-shown", "no-evidence", "nothing-changed"].contains(&&**rule));
    (check["questions"][0]["standing"].clone(), flags.collect())
}

#[test]
fn a_bare_same_hides_no_contradiction() {
    for others in [&["s1 --same q1"][..], &[], &["s1 --same q1", "s2 --same q1"]] {
        let world = failing(TEXT);
        for line in others {
            say(&world, line);
        }
        say(&world, "s8 --sure --same q1 q1=0");
        assert_eq!(stands(&world), (json!("fails"), vec!["not-shown".to_owned()]), "{others:?}");
    }
}

#[test]
fn a_bare_same_repeats_no_flagged_answer() {
    let world = failing(NUMBER);
    say(&world, "s1 --sure --delta q1=0");
    say(&world, "s2 --sure --same q1");
    assert_eq!(stands(&world).0, json!("fails"));
}

#[test]
fn a_second_look_is_compared_with_what_a_bare_same_repeats() {
    let world = failing(NUMBER);
    let before = world.head();
    world.change("src/a.rs", "5\n0\n1\n");
    say(&world, "s1 --sure --delta q1=0");
    say(&world, "s2 --sure --same q1");
    let dir = clone_of(&world, "bob");
    let entry = world.entry_of("s2");
    let look = ["record", "--sid", "bob", "--second", &entry, "q1=5", "--cite", "q1=src/a.rs:1"];
    world.git_ok_in(&dir, &format!("checkout --quiet {before}"));
    let said = world.sq_in(&dir, &look).transcript().replace(&entry, "ENTRY");
    insta::assert_snapshot!(said, @r"
    --- stderr
    fatal: ENTRY repeats an answer to q1 that HEAD does not contain
    hint: nothing was written; usage: git sq record --second ENTRY 'q4=the answer', where `git sq brief` names the entry
    --- exit 128
    ");
    world.git_ok_in(&dir, "checkout --quiet main");
    assert_has!(world.sq_in(&dir, &look).ok(), "the answer is the recorded one");
}

#[test]
fn a_session_replaces_its_answer_with_evidence_alone() {
    let world = failing(NUMBER);
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s0", "q1=0"]).transcript(), @r"
    --- stderr
    fatal: q1: this session has answered 5 at this commit: add the lines that show another answer: --cite q1=path:3-5
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    --- exit 128
    ");
    assert_eq!(stands(&world), (json!("fails"), Vec::new()));
    say(&world, "s0 q1=0 --cite q1=src/a.rs:2");
    assert_eq!(stands(&world), (json!("holds"), Vec::new()));
}

#[test]
fn a_session_replaces_what_depends_on_nothing_by_any_answer() {
    let world = World::new();
    world.ask_json(
        r#"{"id": "q1", "q": "How many?", "importance": 2, "shape": "number", "expect": 0}"#,
    );
    say(&world, "s0 q1=5");
    say(&world, "s0 q1=0");
    assert_eq!(stands(&world).0, json!("holds"));
}

#[test]
fn what_replaces_an_answer_is_compared_with_what_counted_before_it() {
    let world = failing(NUMBER);
    world.change("src/a.rs", "5\n0\n1\n");
    say(&world, "s1 --sure --same q1 --cite q1=src/a.rs:2");
    say(&world, "s2 --delta q1=0 --cite q1=src/a.rs:2");

    world.sq(&["record", "--sid", "s2", "--same", "q1", "--cite", "q1=src/a.rs:3"]).exits(128);
}

#[test]
fn what_replaces_a_first_answer_is_a_first_one() {
    let world = World::asked();
    world.sq_ok("record --sid s1 q1=two");
    let said = world.sq_ok("record --sid s1 q1=three");
    assert_has!(said, "first q1: three", "This replaces what the session had recorded for q1.");
    world.commit("what it said there stands");
    let said = world.sq_ok("record --sid s1 --same q1");
    assert!(!said.contains("This replaces"), "{said}");
    assert_has!(world.sq_ok("record --sid s2 --same q1"), "same  q1");
}

/// What another session had built on the replaced answer was right when it said so.
#[test]
fn an_answer_that_is_given_twice_flags_nobody() {
    let world = World::new();
    world.write("src/a.rs", "1\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number"}"#,
    );
    say(&world, "s0 q1=1 --cite q1=src/a.rs:1");
    world.change("src/a.rs", "1\n3\n");
    say(&world, "s1 q1=3 --cite q1=src/a.rs:2");
    say(&world, "s2 --same q1");
    say(&world, "s1 q1=3 --cite q1=src/a.rs:2");
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["flagged"], 0, "{check}");
    assert_has!(world.sq_ok("record --sid s3 q1=3 --cite q1=src/a.rs:2"), "same  q1: 3");
}

/// The clone has fetched the other's answer since.
#[test]
fn what_replaces_an_answer_is_compared_with_what_was_fetched_since() {
    let team = Team::new();
    let (clone, other) = (&team.clone, team.join("other"));
    let say = |dir: &Path, line: &str| {
        team.world.pass(3600);
        team.sq_ok_in(dir, line)
    };
    say(clone, "record --sid s0 q1=1");
    team.commit(clone, "work");
    team.git_ok("push --quiet");
    say(clone, "sync");
    team.git_ok_in(&other, "pull --quiet");
    say(&other, "sync");
    say(&other, "record --sid b1 q1=2 --delta q1=more");
    say(clone, "record --sid s1 --same q1");
    say(&other, "sync");
    say(clone, "sync");
    assert_has!(say(clone, "record --sid s1 q1=2"), "same  q1: 2");
}

/// A clone knows what it has fetched: what another one replaced since then stands as it was.
#[test]
fn a_bare_same_repeats_what_its_clone_knew() {
    for (watch, again) in [(r#""watch": ["src/"], "#, "q1=9"), ("", "q1=1")] {
        let team = Team::new();
        let (clone, other) = (&team.clone, team.join("other"));
        let say = |dir: &Path, line: &str| {
            team.world.pass(60);
            team.sq_ok_in(dir, line)
        };
        let commit = |text: &str| {
            fs::write(clone.join("src/a.rs"), text).unwrap();
            team.git_ok("add --all");
            team.commit(clone, "work");
        };
        let keys =
            r#""id": "q1", "q": "How many?", "importance": 2, "shape": "number", "expect": 1"#;
        let store = store_v2(&format!("{{{watch}{keys}}}"));
        fs::write(clone.join("standing_questions.json"), store).unwrap();
        fs::create_dir(clone.join("src")).unwrap();
        commit("1\n");
        say(clone, "record --sid s0 q1=1 --cite q1=src/a.rs:1");
        commit("1\n9\n");
        team.git_ok("push --quiet");
        say(clone, "record --sid a1 q1=9 --cite q1=src/a.rs:2");
        say(clone, "sync");
        team.git_ok_in(&other, "pull --quiet");
        say(&other, "sync");
        say(clone, &format!("record --sid a1 {again} --cite q1=src/a.rs:2"));
        say(&other, "record --sid b1 --same q1");
        for dir in [clone, &other, clone] {
            say(dir, "sync");
        }
        let check = team.sq(clone, &["check", "--format", "json"]).stdout;
        let check: serde_json::Value = serde_json::from_str(&check).unwrap();
        assert_eq!(check["looks"]["flagged"], 0, "{check}");
        assert_eq!(check["questions"][0]["standing"], "fails", "{check}");
    }
}

#[test]
fn after_a_merge_a_bare_same_repeats_the_answer_that_still_holds() {
    let world = World::new();
    world.write("src/a.rs", "250\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How long?", "importance": 2, "watch": ["src/"], "severity": "blocking", "shape": "number", "expect": {"at_most": 500}}"#,
    );
    say(&world, "s1 q1=250 --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet --create topic");
    world.change("src/a.rs", "900\n");
    say(&world, "s2 q1=900 --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet main");
    world.change("other", "1");
    say(&world, "s3 q1=250 --cite q1=src/a.rs:1");
    world.git_ok("merge --quiet --no-edit topic");
    // The newest answer is of a commit that lacks what the other one rests on.
    let counts = world.entry_of("s2");
    assert_has!(world.sq_ok("show q1"), format!("\nfails; the answer of entry {counts} counts\n"));
    assert_eq!(world.json("show q1")["counting"], counts);
    say(&world, "s4 --same q1");
    assert_has!(world.sq_ok("show q1"), "\nfails\n");
    assert_eq!(stands(&world), (json!("fails"), vec![]));
    assert_eq!(world.newest()["results"][0]["repeats"], 900);
    // The next one is compared with that, too.
    say(&world, "s5 q1=900 --cite q1=src/a.rs:1");
    assert_eq!(stands(&world), (json!("fails"), vec![]));
}

/// Neither what is newer in time at an older commit, nor one more bare `same`, changes what is repeated.
#[test]
fn a_bare_same_repeats_what_stands_at_its_commit() {
    let world = failing_at_900();
    world.git_ok("switch --quiet --detach HEAD~1");
    say(&world, "s2 q1=250 --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet main");
    for sid in ["s3", "s4", "s5"] {
        say(&world, &format!("{sid} --same q1"));
        assert_eq!(stands(&world), (json!("fails"), vec![]));
        world.commit(sid);
    }
    say(&world, "s6 q1=900 --cite q1=src/a.rs:1");
    assert_eq!(stands(&world), (json!("fails"), vec![]));
}

/// Where two answers hold after a merge, a bare `same` repeats both.
#[test]
fn a_bare_same_ends_no_failure_of_one_of_several() {
    let world = failing_at_900();
    world.git_ok("switch --quiet --create side HEAD~1");
    world.change("src/b.rs", "1\n");
    say(&world, "s2 q1=250 --cite q1=src/b.rs:1 --delta q1=250");
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet --no-edit side");
    let before = stands(&world).0;
    say(&world, "s3 --same q1");
    assert_eq!(stands(&world).0, before);
}

fn failing_at_900() -> World {
    let world = World::new();
    world.write("src/a.rs", "250\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How long?", "importance": 2, "watch": ["src/a.rs"], "severity": "blocking", "shape": "number", "expect": {"at_most": 500}}"#,
    );
    world.change("src/a.rs", "900\n");
    say(&world, "s1 q1=900 --cite q1=src/a.rs:1");
    world
}

#[test]
fn a_bare_same_in_place_of_a_first_answer_is_none() {
    let world = failing(NUMBER);
    say(&world, "s0 --same q1");
    assert_has!(world.sq_ok("log --oneline"), "s0 same q1\n", "s0 first q1\n");
}
