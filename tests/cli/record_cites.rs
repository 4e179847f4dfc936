//! Lines that a note cites are pinned, and looked up again later.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// A world that asks q1, and q2, which requires evidence.
fn world() -> World {
    let world = World::new();
    world.write("src/a.rs", "fn a() {\n    b();\n}\n");
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":2},{"id":"q2","q":"?","importance":2,"require_evidence":true}"#,
    );
    world
}

#[test]
fn what_a_note_cites_is_pinned_and_its_fate_is_shown() {
    let world = world();
    let answer = "q1=it calls b, see src/a.rs:1-2 (at 12:30; not src/c.rs:1)";
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s0", "--same", answer]).transcript(), @"
    first q1: it calls b, see src/a.rs:1-2 (at 12:30; not src/c.rs:1)
          cites src/a.rs:1-2
    Still to answer in this session: q2.
    Recorded 1 answer on bae42cfa5d (session s0).
    --- exit 0
    ");
    let line: Value = serde_json::from_str(&world.lines()[0]).unwrap();
    let blob = world.git_ok("rev-parse HEAD:src/a.rs");
    let cites = json!({"cites": [{"path": "src/a.rs", "lines": [1, 2], "blob": blob.trim(), "sum": "0e9345e4f38392d8"}]});
    assert_eq!(line["results"][0]["evidence"], cites);
    world.write("src/a.rs", "// new\nfn a() {\n    b();\n}\n");
    world.commit("move");
    insta::assert_snapshot!(world.sq(&["show", "q1"]).transcript(), @"
    q1 ?
    fresh

    commit bae42cfa5dc3283728d22cc58dbe5cb28435b3e1 (main)
    Session: s0
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:05:00 2026 +0000

        first q1: it calls b, see src/a.rs:1-2 (at 12:30; not src/c.rs:1)
              src/a.rs:1-2 stands, now at line 2
    --- exit 0
    ");
    world.write("src/a.rs", "fn a() {\n    c();\n}\n");
    world.commit("change");
    let fate = |what: &str| {
        let shown = world.json(&format!("show {what}"));
        shown["entries"][0]["results"][0]["cites"][0]["fate"].clone()
    };
    assert_eq!(fate("q1"), "changed");
}

#[test]
fn a_question_that_requires_evidence_takes_no_answer_without() {
    let world = world();
    insta::assert_snapshot!(world.sq(&["record", "--same", "q2=yes, src/a.rs:9"]).transcript(), @"
    --- stderr
    fatal: q2 requires evidence: add the lines that show the answer: --cite q2=path:3-5
    fatal: src/a.rs:9 can't be cited: the file has only 3 lines; cite what is committed
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    --- exit 128
    ");
    world.sq_ok("record --sid s0 --same 'q2=yes, src/a.rs:3'");
    // Nothing changed that it depends on.
    world.sq_ok("record --sid s1 --same q2");
    assert_has!(world.try_sq("record --sid s1 --delta q2=no").stderr, "q2 requires evidence");
    assert_eq!(world.lines().len(), 2);
}

/// A line may name anything, also ids that this repository can't have.
#[test]
fn ids_of_another_hash_name_nothing() {
    let world = world();
    world.sq_ok("record --sid s0 --same 'q1=src/a.rs:1'");
    let line = world.lines()[0].clone();
    let blob = world.git_ok("rev-parse HEAD:src/a.rs");
    let store = world.git_ok("rev-parse HEAD:standing_questions.json");
    let long = |id: &str| format!("{}{}", id.trim(), "0".repeat(24));
    let forged = line
        .replace(blob.trim(), &long(&blob))
        .replace(store.trim(), &long(&store))
        .replace("s0", "s1")
        .replace("\"n\":1", "\"n\":7");
    world.plant_lines(&[forged + "\n"]);
    let shown = world.json("show s1");
    let cite = &shown["entries"][0]["results"][0]["cites"][0];
    assert_eq!(cite["fate"], "unknown", "{shown}");
    assert_eq!(world.check(&[]).0["sessions"], 2);
}
