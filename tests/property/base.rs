//! Whatever a branch commits to the question store, the gate of its base is never cleaner for it.

use std::collections::BTreeSet;

use git_sq_test_support::{World, event_line};
use proptest::prelude::*;
use serde_json::{Value, json};

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":1},"quiet":{"max_run":1}},"questions":[
{"id":"q1","q":"one?","importance":3,"watch":["src/"]},
{"id":"q2","q":"two?","importance":2,"watch":["src/"],"max_staleness":1},
{"id":"q3","q":"three?","importance":1}]}"#;

/// What a branch may do to the store; each is made on what the ones before left.
const EDITS: [(&str, &str); 12] = [
    ("\"max\":1", "\"max\":99"),
    ("\"max_run\":1", "\"max_run\":99"),
    ("\"max_run\":", "\"accepted_through\":\"2099-01-01T00:00:00Z\",\"max_run\":"),
    ("\"max_staleness\":1", "\"max_staleness\":50"),
    ("\"importance\":3", "\"importance\":1"),
    ("\"importance\":1}", "\"importance\":1,\"status\":\"retired\"}"),
    (
        "\"importance\":1}]",
        "\"importance\":1,\"status\":\"deprecated\"},{\"id\":\"q3\",\"version\":2,\"q\":\"3?\",\"importance\":1}]",
    ),
    ("[\"src/\"]", "[\"nowhere/\"]"),
    ("one?", "uno?"),
    ("\"importance\":2,\"watch\":[\"src/\"]", "\"importance\":2,\"status\":\"trial\""),
    ("{\"id\":\"q2\"", "{\"id\":\"q4\""),
    ("\"importance\":1}]", "\"importance\":1},{\"id\":\"q5\",\"q\":\"five?\",\"importance\":1}]"),
];

/// One session of the branch: what it does to the store, whether it changes a source file, and its answers.
type Step = (Option<usize>, bool, Vec<(usize, bool)>);

fn step() -> impl Strategy<Value = Step> {
    let delta = prop::bool::weighted(0.2);
    let answers = prop::collection::vec((1..4_usize, delta), 0..2);
    let edit = prop::option::weighted(0.4, 0..EDITS.len());
    (edit, any::<bool>(), answers)
}

/// The errors of `check --base main` after these sessions, without what is said of the store, and the exit code.
fn errors(steps: &[Step], edits: bool) -> (BTreeSet<String>, i32) {
    let world = World::new();
    let mut store = STORE.to_owned();
    world.write("standing_questions.json", &store);
    world.write("src/a.rs", "0");
    world.write("docs/a", "0");
    world.commit("ask");
    world.git_ok("switch --quiet -c work");
    let mut notes = Vec::new();
    for (number, (edit, works, answers)) in steps.iter().enumerate() {
        if let Some(edit) = edit {
            let (from, to) = EDITS[*edit];
            if edits {
                store = store.replacen(from, to, 1);
                world.write("standing_questions.json", &store);
            }
            world.write("docs/a", number.to_string());
        }
        if *works {
            world.write("src/a.rs", number.to_string());
        }
        let head = world.commit("work");
        let line = line(&world, &head, number, answers);
        notes.push((head, line));
    }
    let notes = notes.iter();
    let notes: Vec<(&str, &[u8])> = notes.map(|(head, line)| (&**head, line.as_bytes())).collect();
    world.plant(&notes);
    let ran = world.sq(&["check", "--format", "json", "--base", "main"]);
    if ran.code == 128 {
        // The store can't be read any more.
        return (BTreeSet::new(), 128);
    }
    let check = ran.json();
    let mut found = BTreeSet::new();
    for finding in check["findings"].as_array().unwrap() {
        let is_error = finding["severity"] == "error";
        if finding["rule"] == "loosened" || finding["rule"] == "version-changed-in-place" {
            assert!(ran.code == 1 || !is_error);
        } else if is_error {
            found.insert(format!("{} {}", finding["rule"], finding["about"]));
        }
    }
    (found, ran.code)
}

/// What a session records.
fn line(world: &World, head: &str, number: usize, answers: &[(usize, bool)]) -> String {
    let store = world.git_ok("rev-parse HEAD:standing_questions.json");
    let ts = format!("2026-02-01T00:{number:02}:00.000Z");
    let results: Vec<Value> = answers.iter().map(|(question, delta)| json!({"q_id": format!("q{question}"), "last_rederived_ts": ts, "delta": delta, "note": "x"})).collect();
    let body =
        json!({"ts": ts, "sid": format!("s{number}"), "store": store.trim(), "results": results});
    event_line(head, "rederive", "", &body)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(6), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_branch_can_not_make_the_gate_of_its_base_cleaner(
        steps in prop::collection::vec(step(), 4..7),
    ) {
        let (before, _) = errors(&steps, false);
        let (after, code) = errors(&steps, true);
        let gone: Vec<_> = before.difference(&after).collect();
        prop_assert!(gone.is_empty() || code == 128, "{gone:?}");
        prop_assert!(before.is_empty() || code != 0);
    }
}
