//! `git sq record`: what is appended, what is refused, what is said.

use std::{collections::BTreeSet, fs, path::PathBuf, thread};

use git_sq_test_support::{Team, World, store};
use serde_json::{Value, json};

fn asked() -> World {
    let world = World::new();
    world.ask(&["q1", "q2", "q3"]);
    world
}

fn recorded_once() -> World {
    let world = asked();
    world.sq_ok("record --sid s01 --same q1=one --same q2=two --same q3=three");
    world
}

/// Refused, with a reason that says this, and nothing was written.
#[track_caller]
fn refused(world: &World, args: &[&str], reason: &str) {
    let log = || fs::read(world.dir.join(".git/refs/notes/sq")).ok();
    let before = log();
    let ran = world.sq(&[&["record"], args].concat()).exits(128);
    assert!(ran.stderr.contains(reason), "{}", ran.transcript());
    assert_eq!(log(), before);
}

#[test]
fn an_entry_has_its_keys_in_order_and_the_tools_own_facts() {
    let world = recorded_once().env("SQ_AGENT", "alpha").env("SQ_MODEL", "m1");
    let head = world.head();
    let ran = world.sq_ok("record --sid s02 --delta 'q2=a=b, c' --same q1,q3");
    assert!(ran.contains("DELTA q2: a=b, c"), "{ran}");
    let line = world.lines().pop().unwrap();
    let keys = line.split(",\"").map(|part| part.trim_start_matches("{\"").split('"').next());
    let keys: Vec<&str> = keys.map(Option::unwrap).take(7).collect();
    assert_eq!(keys, ["ts", "kind", "id", "sid", "repo_head_sha", "v", "tool"]);
    let entry: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(entry["repo_head_sha"], head.as_str());
    assert_eq!(entry["agent"], json!({"name": "alpha", "model": "m1"}));
    assert_eq!(entry["head"]["branch"], "main");
    assert_eq!(entry["head"].get("dirty"), None);
    assert_eq!(entry["results"][0]["q_id"], "q1");
    assert_eq!(entry["results"][2]["note"], "a=b, c");
    let ts = entry["ts"].as_str().unwrap();
    assert_eq!(ts.len(), "2026-11-21T20:46:01.123Z".len());
    let store = world.git_ok("rev-parse HEAD:standing_questions.json");
    assert_eq!(entry["store"], store.trim());
}

/// With `git log --notes` alone: the words of the question once, and what each bare `same` repeats.
#[test]
fn a_line_says_what_it_answers() {
    let world = asked();
    world.sq_ok("record --sid s1 q1=one --same q2=two");
    let text = world.newest()["results"][0]["q"].clone();
    assert!(text.as_str().is_some_and(|text| !text.is_empty()), "{text}");
    let repeats = |sid: &str| {
        world.commit(sid);
        world.sq_ok(&format!("record --sid {sid} --same q1,q2"));
        let results = world.newest()["results"].take();
        assert!(results[0].get("q").is_none(), "{results}");
        [0, 1].map(|place| results[place]["repeats"].clone())
    };
    assert_eq!(repeats("s2"), ["one", "two"]);
    assert_eq!(repeats("s3"), ["one", "two"]);
    world.sq_ok("record --sid s4 --delta q1=three");
    assert_eq!(repeats("s5"), ["three", "two"]);
    // Nothing is refused for the sake of it.
    let long = "x".repeat(40_000);
    world.sq_ok(&format!("record --sid s6 --delta q1={long}"));
    assert_eq!(repeats("s7"), [Value::Null, "two".into()]);
}

/// A shallow clone does not know whether its answer is the first one.
#[test]
fn the_first_answer_of_a_shallow_clone_has_the_words_of_the_question() {
    let team = Team::new();
    team.commit(&team.clone, "More");
    team.push();
    let shallow = team.cloned("--depth=1", "shallow");
    team.sq_ok_in(&shallow, "record --sid s1 q1=one");
    assert_has!(team.git_ok_in(&shallow, "log -1 --format=%N --notes=sq"), r#""q_id":"q1","q":"#);
}

#[test]
fn json_is_the_form_for_agents() {
    let world = recorded_once();
    let input =
        r#"{"results":[{"q_id":"q1","delta":false},{"q_id":"q2","delta":true,"note":"x = y"}]}"#;
    let record = ["record", "--json", "-", "--sid", "s02", "--format", "json"];
    let said = world.sq_with_input(&record, input).json();
    assert_eq!(said["answers"][1]["note"], "x = y");
    assert_eq!(world.lines().len(), 2);
}

#[test]
fn it_refuses_and_writes_nothing() {
    let world = asked();
    let none = "q1 has no earlier answer: write 'q1=the answer'";
    refused(&world, &["--same", "q1"], none);
    refused(&world, &["--delta", "q1=new"], "no earlier answer");
    let world = recorded_once();
    let (long, twice) = (format!("q1={}", "x".repeat(65_536)), "duplicate answer to q1");
    for (args, reason) in [
        (&["--delta", "q1"][..], "needs a note"),
        (&["--delta", "q1="], "needs a note"),
        (&["--same", "q9"], "there is no question q9"),
        (&["--same", "Q1"], "invalid question name"),
        (&["--same", "q1@2"], "there is no question q1@2"),
        (&["--same", "q1,q1"], twice),
        (&["--same", "q1", "--delta", "q1@1=x"], twice),
        (&["--delta", "q1=two\nlines"], "more than one line"),
        (&["--delta", &long], "bytes long"),
        (&["--sid", "a b", "--same", "q1"], "invalid session name"),
        (&[], "nothing to record"),
        (&["--same", ","], "nothing to record"),
        (&["--same", "q1=a,q2=b"], "write --same 'q1=a' --same 'q2=b'"),
        (&["--same", "q1=a, q2=b"], "write --same 'q1=a' --same 'q2=b'"),
        (&["--same", "q1,q2=b"], "write --same q1 --same 'q2=b'"),
        (&["--delta", "q1=a,q2=b"], "write --delta 'q1=a' --delta 'q2=b'"),
    ] {
        refused(&world, args, reason);
    }
    world.sq_ok("record --delta 'q1=a=b, c, x=1'");
}

#[test]
fn retired_and_deprecated_versions_take_no_answers_and_trials_do() {
    let world = World::new();
    world.ask_json(
        r#"{"id":"q1","q":"old","importance":3,"status":"deprecated"},
        {"id":"q1","q":"new","importance":3,"version":2},
        {"id":"q1","q":"try","importance":3,"version":3,"status":"trial"},
        {"id":"q2","q":"gone","importance":3,"status":"retired"}"#,
    );
    refused(&world, &["--same", "q2=x"], "q2 is retired");
    refused(&world, &["--same", "q1@1=x"], "q1@1 is deprecated");
    world.sq_ok("record --same q1=new --same q1@3=try");
    assert_has!(world.lines().pop().unwrap(), "\"q_version\":2", "\"q_version\":3");
    let (check, code) = world.check(&[]);
    let rows = check["staleness"].as_array().unwrap();
    assert_eq!((code, rows.len(), &rows[0]["q_version"]), (0, 1, &json!(2)));
}

#[test]
fn silence_while_head_moves_is_said_out_loud() {
    let world = recorded_once();
    world.commit("of no file");
    assert!(!world.sq_ok("record --sid s02 --same q1").contains("NO DELTA"));
    let world = recorded_once();
    world.write("src/a.rs", "a");
    world.commit("one");
    world.commit("two");
    let said = world.sq_ok("record --sid s02 --same q1,q2");
    insta::with_settings!({filters => vec![("on [0-9a-f]{10}", "on [commit]")]}, {
        insta::assert_snapshot!(said);
    });
}

#[test]
fn what_was_recorded_is_said_and_what_is_left() {
    let world = asked();
    let said = |line: &str| {
        let said = world.sq_ok(&format!("record --sid s01 {line}"));
        let at = said.find("Recorded").unwrap();
        said[..at].to_owned()
    };
    insta::assert_snapshot!(said("--same q1=one"), @"
    first q1: one
    Still to answer in this session: q2, q3.
    ");
    world.commit("one");
    insta::assert_snapshot!(said("--same 'q2=two words'"), @"
    first q2: two words
    Still to answer in this session: q3.
    ");
    insta::assert_snapshot!(said("--delta q1=eins --same q3=three"), @"
    first q3: three
    DELTA q1: eins
    ");
    world.commit("two");
    let ran = world.try_sq("record --sid s02 --same q2 --format json");
    assert_eq!(ran.json()["answers"][0]["q_id"], "q2");
    assert_eq!(ran.json()["left"], json!(["q1", "q3"]));
}

#[test]
fn a_dirty_worktree_is_recorded_and_said() {
    let world = recorded_once();
    world.write("untracked", "x");
    assert!(!world.sq_ok("record --same q1").contains("differ"));
    world.write("standing_questions.json", store(&["q1", "q2", "q3"]) + "\n");
    let said = world.sq_ok("record --same q1");
    assert_has!(said, "there are uncommitted changes");
    assert_has!(said, "differs from the committed version, which is used");
    assert!(world.lines().pop().unwrap().contains("\"dirty\":true"));
    for line in ["show q1", "stats", "triage", "verify", "report"] {
        assert_has!(world.try_sq(line).stderr, "differs from the committed version, which is used");
    }
}

#[test]
fn away_from_the_default_branch_an_entry_says_how_to_find_its_home() {
    let world = recorded_once();
    let base = world.head();
    world.git_ok("switch --quiet -c topic");
    world.write("a", "one\n");
    let first = world.commit("one");
    world.write("a", "one\ntwo\n");
    let second = world.commit("two");
    world.sq_ok("record --same q1");
    let entry: Value = serde_json::from_str(&world.lines().pop().unwrap()).unwrap();
    assert_eq!(entry["head"]["base"], base.as_str());
    let commits = json!([second[..12], first[..12]]);
    assert_eq!(entry["head"]["commits"], commits);
    let diff = world.git_ok(&format!("diff -U0 --no-ext-diff --no-textconv {base}..HEAD"));
    let id = world
        .git_with_input(&["patch-id", "--stable"], diff.as_bytes())
        .ok()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(entry["head"]["patch_id"], id);
}

#[test]
fn hostile_notes_are_written_as_escapes_and_shown_as_escapes() {
    let world = recorded_once();
    let note = "q1=red \u{1b}[31m \u{202e}dne \u{9b}2J \u{2028} \u{7f}";
    let ran = world.sq(&["record", "--delta", note]);
    for text in [&ran.stdout, &world.sq(&["log"]).stdout, &world.git(&["log", "--notes=sq"]).stdout]
    {
        let steers = ['\u{1b}', '\u{9b}', '\u{7f}', '\u{2028}', '\u{202e}'];
        assert!(!text.contains(steers), "{text:?}");
        assert_has!(text, "\\u202e");
    }
    let shown = world.json("show q1");
    assert_eq!(shown["entries"][0]["results"][0]["note"], note[3..]);
}

#[test]
fn the_example_in_the_help_is_one_that_is_taken() {
    let world = recorded_once();
    let help = world.sq_ok("record -h");
    let start = help.find("{\"results\"").unwrap();
    let end = start + help[start..].find("]}").unwrap() + 2;
    world.sq_with_input(&["record", "--json", "-"], &help[start..end]).ok();
    assert_eq!(world.lines().len(), 2);
}

/// The writers of all entries.
fn writers(world: &World) -> BTreeSet<String> {
    world
        .lines()
        .into_iter()
        .map(|line| {
            let entry: Value = serde_json::from_str(&line).unwrap();
            entry["writer"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// What lies beside the state because it was damaged.
fn damaged(world: &World) -> Vec<PathBuf> {
    fs::read_dir(world.dir.join(".git/sq"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".damaged"))
        .collect()
}

#[test]
fn all_writers_of_a_clone_that_begin_at_once_have_one_id() {
    let world = World::asked();
    thread::scope(|scope| {
        for number in 0..8 {
            let sid = format!("s{number}");
            let args = ["record", "--sid", &sid, "--same", "q1=as it was"];
            let mut command = world.sq_command(&args);
            scope.spawn(move || assert!(command.output().unwrap().status.success()));
        }
    });
    assert_eq!(world.lines().len(), 8);
    let writers = writers(&world);
    assert_eq!(writers.len(), 1, "{writers:?}");
    let state = world.read(".git/sq/state.json");
    assert_has!(state, writers.first().unwrap());
}

#[test]
fn a_damaged_state_is_kept_aside_and_a_new_writer_begins() {
    for text in ["", "{\"writer\":\"01M7", "{\"writer\":1}"] {
        let world = World::answered("s1");
        let before = writers(&world);
        world.write(".git/sq/state.json", text);
        // Reading changes nothing.
        let current = world.try_sq("session current").transcript();
        assert_eq!(current, "--- exit 1\n");
        world.sq(&["check"]);
        assert!(damaged(&world).is_empty());
        world.record("s2").ok();
        world.record("s3").ok();
        assert_eq!(writers(&world).difference(&before).count(), 1);
        let aside = damaged(&world);
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(fs::read_to_string(&aside[0]).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_neither_followed_nor_waited_for() {
    let elsewhere = "{\"writer\":\"elsewhere\"}";
    for is_pipe in [true, false] {
        let world = World::asked();
        fs::create_dir_all(world.dir.join(".git/sq")).unwrap();
        let path = world.dir.join(".git/sq/state.json");
        let target = world.root().join("elsewhere.json");
        fs::write(&target, elsewhere).unwrap();
        if is_pipe {
            let made = world.command("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
        } else {
            std::os::unix::fs::symlink(&target, &path).unwrap();
        }
        assert_eq!(world.sq(&["session", "current"]).code, 1);
        world.record("s1").ok();
        assert!(!writers(&world).contains("elsewhere"));
        assert_eq!(damaged(&world).len(), 1);
        assert_eq!(fs::read_to_string(&target).unwrap(), elsewhere);
    }
}
