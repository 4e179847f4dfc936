//! How often questions would have been asked again.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// A file that changes six times: its to-do notes thrice, and of these times the marked ones once.
fn world(question: &Value) -> World {
    let world = World::new();
    let mut whole = question.clone();
    whole["id"] = "q1".into();
    whole["q"] = "?".into();
    whole["importance"] = 2.into();
    world.write("src/a.rs", "a");
    world.ask_json(&whole.to_string());
    for text in ["a\nTODO", "b\nTODO", "b\nTODO\nTODO!", "c\nTODO\nTODO!", "c", "d"] {
        world.change("src/a.rs", text);
    }
    world
}

fn test(question: &Value) -> String {
    world(question).sq(&["question", "test", "q1"]).transcript()
}

#[test]
fn how_often_each_would_have_fired_is_shown() {
    let count = json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}});
    insta::assert_snapshot!(test(&json!({"watch": ["src/"], "lines": "todo", "probe": count})), @"
    6 commits changed a file it depends on
    3 commits (50 %) changed a line that matters
    3 commits (50 %) changed the probe's answer
    --- exit 0
    ");
    insta::assert_snapshot!(test(&json!({"watch": ["src/"]})), @"
    6 commits changed a file it depends on
    --- exit 0
    ");
}

#[test]
fn a_pattern_that_misses_what_the_probe_sees_is_told() {
    let count = json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}});
    let question = json!({"watch": ["src/"], "lines": "TODO!", "probe": count});
    let world = world(&question);
    let missed = world.git_ok("rev-list HEAD~5 -1");
    let said = world.sq(&["question", "test", "q1"]).transcript();
    insta::assert_snapshot!(said.replace(&missed[..10], "COMMIT"), @"
    6 commits changed a file it depends on
    2 commits (33 %) changed a line that matters
    3 commits (50 %) changed the probe's answer
    warning: `lines` missed a change in the probe's answer, 1 time, last at COMMIT: widen the pattern
    --- exit 0
    ");
    assert_eq!(world.json("question test q1")["missed"], json!([missed.trim()]));
}

#[test]
fn what_never_fires_is_told() {
    let vacuous = json!({"grep": {"text": "unsafe", "paths": ["src/"], "take": "exists"}});
    insta::assert_snapshot!(test(&json!({"watch": ["src/"], "lines": "fixme", "probe": vacuous})), @"
    6 commits changed a file it depends on
    0 commits (0 %) changed a line that matters
    0 commits (0 %) changed the probe's answer
    warning: `lines` never fired: does it match any line of these files?
    warning: the probe's answer never changed, although its files did: if it guards something, a test of the project may do that better
    --- exit 0
    ");
    insta::assert_snapshot!(test(&json!({"watch": ["docs/"]})), @"
    0 commits changed a file it depends on
    warning: no commit changes what it depends on: are the pathspecs right?
    --- exit 0
    ");
    insta::assert_snapshot!(test(&json!({})), @"
    --- stderr
    fatal: q1 has neither `watch` nor a built-in probe
    hint: without them, any commit counts as a change
    --- exit 128
    ");
}

#[test]
fn an_edit_can_be_tried_before_it_is_committed() {
    let world = world(&json!({"watch": ["docs/"]}));
    let store = world.git_ok("show HEAD:standing_questions.json");
    world.write("standing_questions.json", store.replace("docs/", "src/"));
    let said = world.sq_ok("question test q1 -n 3");
    assert!(said.starts_with("3 commits changed a file it depends on\n"), "{said}");
}
