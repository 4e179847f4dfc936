//! When a question is due, and which lines of what it watches matter.

use git_sq_test_support::{World, each};
use serde_json::Value;

/// A world that asks q1 in every session, and q2 with these keys; both are answered in s0.
fn asking(keys: &str) -> World {
    let world = World::new();
    let store = format!(
        r#"{{"_schema": "standing_questions/v2", "settings": {{"staleness.max": 2}}, "questions": [
        {{"id": "q1", "q": "?", "importance": 2}}, {{"id": "q2", "q": "?", "importance": 2, {keys}}}]}}"#
    );
    world.write("standing_questions.json", store);
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
    let q2 = |rows: &Value| {
        let mut rows = each(rows);
        rows.find(|row| row["q_id"] == "q2").unwrap().clone()
    };
    let is_due = q2(&world.json("brief")["questions"])["is_due"].as_bool();
    let staleness = q2(&world.check(&[]).0["staleness"])["staleness"].as_u64();
    (is_due.unwrap(), staleness.unwrap())
}

#[test]
fn on_change_is_due_when_what_is_watched_changed_and_ages_from_then_on() {
    let world = asking(r#""trigger": "on-change", "watch": ["docs/"]"#);
    for sid in ["s1", "s2", "s3"] {
        session(&world, sid, sid);
    }
    assert_eq!(due(&world), (false, 0));
    assert_has!(world.sq_ok("brief"), "\n\nNot due in this session\n  q2\n");
    world.write("docs/a", "1");
    session(&world, "s4", "4");
    assert_eq!(due(&world), (true, 1));
    session(&world, "s5", "5");
    session(&world, "s6", "6");
    assert_eq!(due(&world), (true, 3));
    assert_eq!(world.check(&[]).1, 1, "it is stale");
    let original = world.check(&["--original"]).0;
    assert_eq!(original["staleness"][1]["staleness"], 6);
    world.sq_ok("record --sid s7 --same q1 --same q2=docs/a:1");
    assert_eq!(due(&world), (false, 0));
}

#[test]
fn every_so_many_sessions() {
    let world = asking(r#""trigger": {"sessions": 2}"#);
    assert_eq!(due(&world), (false, 0));
    session(&world, "s1", "1");
    assert_eq!(due(&world), (true, 0));
    session(&world, "s2", "2");
    assert_eq!(due(&world), (true, 1));
    world.sq_ok("record --sid s3 --same q2");
    assert_eq!(due(&world), (false, 0));
    let world = asking(r#""trigger": {"sessions": 1}"#);
    assert_eq!(due(&world), (true, 0));
    session(&world, "s1", "1");
    assert_eq!(due(&world), (true, 1));
}

#[test]
fn every_so_many_days() {
    let world = asking(r#""trigger": {"every": "7d"}"#);
    world.pass(6 * 24 * 3600);
    session(&world, "s1", "1");
    assert_eq!(due(&world), (false, 0));
    world.pass(24 * 3600);
    session(&world, "s2", "2");
    assert_eq!(due(&world), (true, 1));
}

#[test]
fn only_the_lines_that_matter_expose_a_question() {
    let world = asking(r#""trigger": "on-change", "watch": ["src/"], "lines": "^FN ""#);
    session(&world, "s1", "fn a() {}\nlet x = 2;\n");
    assert_eq!(due(&world), (false, 0), "another line");
    world.git_ok("mv src/a.rs src/b.rs");
    world.change("src/b.rs", "fn a() {}\n");
    assert!(!due(&world).0, "the line is in another file");
    world.write("src/b.rs", "fn a(b: u8) {}\n");
    world.commit("change");
    assert!(due(&world).0);
    world.write("src/b.rs", "");
    session(&world, "s2", "let x = 2;\n\n   fn a() {}\n");
    assert_eq!(due(&world), (true, 1), "`^fn` does not match what is indented");
}

/// Silence is suspicious only where such a line changed.
#[test]
fn lines_excuse_silence() {
    let world = asking(r#""watch": ["src/"], "lines": "^fn ""#);
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
    for trigger in [r#""on-change""#, r#"{"every": "7d"}"#, r#"{"sessions": 9}"#] {
        let world = World::new();
        world.write("docs/a.md", "words");
        world.ask_json(&format!(
            r#"{{"id": "q1", "q": "?", "importance": 2, "trigger": {trigger}, "watch": ["docs/"]}}"#
        ));
        world.sq_ok("record --sid s0 --same q1=a");
        let silent = |sid: &str, path: &str| {
            world.write(path, sid);
            world.commit(sid);
            world.sq_ok(&format!("session start --sid {sid}"));
            world.sq_ok("session end");
        };
        silent("s1", "src/a.rs");
        silent("s2", "src/a.rs");
        assert_eq!(world.found("rule"), [""; 0], "{trigger}");
        if trigger.contains("on-change") {
            silent("s3", "docs/a.md");
            assert_eq!(world.found("rule").len(), 1);
        }
    }
}

/// Its own records are no further sessions.
#[test]
fn nothing_becomes_due_by_what_the_session_records() {
    let world = asking(r#""trigger": {"sessions": 3}"#);
    session(&world, "s1", "1\n");
    for text in ["2\n", "3\n"] {
        world.write("src/a.rs", text);
        world.commit("go on");
        let said = world.sq_ok("record --sid s2 --delta q1=new");
        assert!(!said.contains("Still to answer"), "{said}");
    }
}
