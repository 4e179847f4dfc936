//! The figures of the ritual.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::generated::assert_valid;

/// q1 is the number of to-do notes, q2 watches docs/, and todos is a fact.
fn world() -> World {
    let world = World::new();
    let store = json!({"_schema": "standing_questions/v2", "settings": {"quiet.max_run": 1}, "questions": [
        {"id": "q1", "q": "?", "importance": 3, "severity": "blocking", "expect": "increase", "shape": "number"},
        {"id": "todos", "q": "?", "importance": 3,
         "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}},
        {"id": "q2", "q": "?", "importance": 2, "watch": ["docs/"]}]});
    world.write("standing_questions.json", store.to_string());
    world
}

fn session(world: &World, sid: &str, todos: usize, docs: &str, answer: &str) {
    world.write("src/a.rs", "// TODO\n".repeat(todos));
    world.write("docs/a", docs);
    world.commit("work");
    world.sq_ok(&format!("record --sure --sid {sid} q1={todos} {answer}"));
}

fn stats(world: &World, args: &[&str]) -> Value {
    let stats = world.sq(&[&["stats", "--format", "json"], args].concat()).json();
    assert_valid("stats", &stats);
    stats
}

/// The text, without the times of probes, which differ from run to run.
fn text(world: &World) -> String {
    world
        .sq_ok("stats")
        .lines()
        .filter(|line| !line.starts_with("  probes"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_log_without_entries_has_figures_that_are_left_out() {
    let world = world();
    world.write("src/a.rs", "");
    world.commit("ask");
    insta::assert_snapshot!(text(&world), @"
    0 sessions, 3 questions asked
      found  0 drifts: 0 by probes, 0 by judgement
      cost   a brief of 957 characters
    ");
    let found = stats(&world, &[]);
    assert_eq!((&found["drift_rate"], &found["lifespan"]), (&Value::Null, &Value::Null));
    assert_eq!(found["probes"]["number"], 1);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn every_figure_is_told_on_one_screen() {
    let world = world();
    session(&world, "s0", 1, "", "--same q2=yes");
    // As expected, and a delta by judgement.
    session(&world, "s1", 2, "new", "--delta q2=no");
    // Unexpected; nothing else changed.
    session(&world, "s2", 1, "new", "--same q2");
    world.pass(3600);
    world.person_ok("triage q1 s2 --error --because 'one is lost'");
    world.person_ok("triage q2 --bad-question --because 'who knows'");
    // Exposed twice in a row, and quiet.
    session(&world, "s3", 1, "newer", "--same q2");
    session(&world, "s4", 1, "newest", "--same q2");
    world.pass(300);
    world.sq_ok("record --sure --sid s4 --same q2");
    session(&world, "s5", 2, "newest", "");
    insta::assert_snapshot!(text(&world), @"
    6 sessions, 3 questions asked
      rate      50 % of a session's answers changed; 90 % had a reason to change
      found     4 drifts: 0 by probes, 4 by judgement; 1 broken run, 0 closed
      drifts    1 as the question expects, 1 bad question, 1 error, 1 taken back, 50 % of the verdicts found no error
      verdicts  1 hour after the drift (median)
      questions each answered over 5 sessions (median)
      records   5 forced with --sure
      cost      6 minutes from first to last record (median of 1 session); a brief of 1358 characters
    ");
    let found = stats(&world, &[]);
    // q1 in s1, s2 and s5, of 1, 1/2, 1/2 and 1 a session.
    assert_eq!(
        found["fates"],
        json!({"as expected": 1, "taken back": 1, "error": 1, "bad question": 1})
    );
    let since = world.sq(&["log", "--format", "json"]).json()["entries"][0]["ts"].clone();
    let found = stats(&world, &["--since", since.as_str().unwrap()]);
    assert_eq!((&found["sessions"], &found["drift_rate"]), (&json!(1), &json!(1.0)));
    assert_eq!(found["quiet_runs"], 0, "{found}");
}
