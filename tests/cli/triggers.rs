//! When a question is due, and which lines of what it watches matter.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// A world that asks q1 in every session, and q2 with these keys; both are answered in s0.
fn asking(keys: &Value) -> World {
    let world = World::new();
    let mut question = json!({"id": "q2", "q": "?", "importance": 2});
    let object = question.as_object_mut().unwrap();
    object.extend(keys.as_object().unwrap().clone());
    let store = json!({"_schema": "standing_questions/v2", "settings": {"staleness.max": 2}, "questions": [
        {"id": "q1", "q": "?", "importance": 2}, question]});
    world.write("standing_questions.json", store.to_string());
    world.write("src/a.rs", "fn a() {}\nlet x = 1;\n");
    world.commit("ask");
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world
}

/// Commits these bytes of `src/a.rs`, and records a session that answers q1 alone.
fn session(world: &World, sid: &str, text: &str) {
    world.write("src/a.rs", text);
    world.commit(sid);
    world.sq_ok(&format!("record --sid {sid} --delta q1=new"));
}

/// Whether the brief asks q2, and how stale it is.
fn due(world: &World) -> (bool, u64) {
    let brief = world.sq(&["brief", "--format", "json"]).json();
    let questions = brief["questions"].as_array().unwrap().iter();
    let mut questions = questions.filter(|one| one["q_id"] == "q2");
    let is_due = questions.next().unwrap()["is_due"].as_bool().unwrap();
    let check = world.check(&[]).0;
    let rows = check["staleness"].as_array().unwrap().iter();
    let mut rows = rows.filter(|row| row["q_id"] == "q2");
    (is_due, rows.next().unwrap()["staleness"].as_u64().unwrap())
}

#[test]
fn on_change_is_due_when_what_is_watched_changed_and_ages_from_then_on() {
    let world = asking(&json!({"trigger": "on-change", "watch": ["docs/"]}));
    for sid in ["s1", "s2", "s3"] {
        session(&world, sid, sid);
    }
    assert_eq!(due(&world), (false, 0));
    insta::assert_snapshot!(world.sq(&["brief"]).transcript(), @"
    Standing questions on main at 77983186d3
    Derive each answer anew: read the files, run the commands. Do not answer from memory, notes or this log.

    What changed
      since s3: no commits

    Where the last session stopped
      No state yet.

    Questions of importance 2
      q1    ?

    Deltas of the last two sessions
      s3 (3 minutes ago, Ada Example): ▲ q1
      s2 (7 minutes ago, Ada Example): ▲ q1

    Not due in this session
      q2

    Only then compare with the recorded answers: git sq show q1
    Record it: git sq record 'q1=the answer' --cite q1=path:3-5
    Tell the user what changed, before any other work.
    Before you stop: git sq state set --handover 'what the next session has to know'
    --- exit 0
    ");
    world.write("docs/a", "1");
    session(&world, "s4", "4");
    assert_eq!(due(&world), (true, 1));
    session(&world, "s5", "5");
    session(&world, "s6", "6");
    assert_eq!(due(&world), (true, 3));
    assert_eq!(world.check(&[]).1, 1, "it is stale");
    assert_eq!(
        world.check(&["--original"]).0["staleness"][1]["staleness"],
        6
    );
    world.sq_ok("record --sid s7 --same q1 --same q2=docs/a:1");
    assert_eq!(due(&world), (false, 0));
}

#[test]
fn every_so_many_sessions() {
    let world = asking(&json!({"trigger": {"sessions": 2}}));
    assert_eq!(due(&world), (false, 0));
    session(&world, "s1", "1");
    assert_eq!(due(&world), (false, 0));
    session(&world, "s2", "2");
    assert_eq!(due(&world), (true, 0));
    session(&world, "s3", "3");
    assert_eq!(due(&world), (true, 1));
}

#[test]
fn every_so_many_days() {
    let world = asking(&json!({"trigger": {"every": "7d"}}));
    world.pass(6 * 24 * 3600);
    session(&world, "s1", "1");
    assert_eq!(due(&world), (false, 0));
    world.pass(24 * 3600);
    session(&world, "s2", "2");
    assert_eq!(due(&world), (true, 1));
}

#[test]
fn only_the_lines_that_matter_expose_a_question() {
    let world = asking(&json!({"trigger": "on-change", "watch": ["src/"], "lines": "^FN "}));
    session(&world, "s1", "fn a() {}\nlet x = 2;\n");
    assert_eq!(due(&world), (false, 0), "another line");
    session(&world, "s2", "let x = 2;\n\n   fn a() {}\n");
    assert_eq!(
        due(&world),
        (true, 1),
        "`^fn` does not match what is indented"
    );
    world.git_ok("mv src/a.rs src/b.rs");
    session(&world, "s3", "");
    std::fs::remove_file(world.dir.join("src/a.rs")).unwrap();
    world.write("src/b.rs", "fn a() {}\n");
    world.commit("rename");
    assert!(!due(&world).0, "the line is in another file");
    world.write("src/b.rs", "fn a(b: u8) {}\n");
    world.commit("change");
    assert!(due(&world).0);
}

/// Silence is suspicious only where such a line changed.
#[test]
fn lines_excuse_silence() {
    let world = asking(&json!({"watch": ["src/"], "lines": "^fn "}));
    for (sid, text, suspicious) in [("s1", "fn a() {}\n", false), ("s2", "fn b() {}\n", true)] {
        world.write("src/a.rs", text);
        world.commit(sid);
        world.sq_ok(&format!("record --sure --sid {sid} --same q2"));
        let check = world.check(&[]).0;
        let flagged = check["looks"]["flagged"] == 1;
        assert_eq!(flagged, suspicious, "{check}");
    }
}

#[test]
fn a_session_in_which_nothing_was_due_owes_no_answer() {
    for trigger in [
        json!("on-change"),
        json!({"every": "7d"}),
        json!({"sessions": 9}),
    ] {
        let world = World::new();
        let store = json!({"_schema": "standing_questions/v2", "questions": [
            {"id": "q1", "q": "?", "importance": 2, "trigger": trigger, "watch": ["docs/"]}]});
        world.write("standing_questions.json", store.to_string());
        world.write("docs/a.md", "words");
        world.commit("ask");
        world.sq_ok("record --sid s0 --same q1=a");
        let silent = |sid: &str, path: &str| {
            world.write(path, sid);
            world.commit(sid);
            world.sq_ok(&format!("session start --sid {sid}"));
            world.sq_ok("session end");
        };
        for sid in ["s1", "s2", "s3"] {
            silent(sid, "src/a.rs");
        }
        let findings = |code: i32| {
            let (check, found) = world.check(&[]);
            assert_eq!(found, code, "{trigger}");
            check["findings"].as_array().unwrap().len()
        };
        assert_eq!(findings(0), 0, "{trigger}");
        if trigger == "on-change" {
            silent("s4", "docs/a.md");
            assert_eq!(findings(0), 1);
        }
    }
}
