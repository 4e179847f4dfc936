//! What happens to a text that has a secret; `tests/property/secrets.rs` has what looks like one.

use git_sq_test_support::{World, original_line};

use crate::record_editor::edited;

/// A text with a GitHub token at its thirteenth character, of which no scanner shall alarm on this file.
fn leaky() -> String {
    format!("CI logs in: ghp_{}", "aB3dE5gH7jK9".repeat(3))
}

#[test]
fn each_command_that_writes_refuses_and_tells_no_secret() {
    let world = World::asked();
    world.record("s1");
    let before = world.lines();
    let text = leaky();
    let tried = |args: &[&str]| {
        let ran = world.sq(args).exits(128);
        assert!(!ran.transcript().contains("ghp_"), "{}", ran.transcript());
        ran.stderr.lines().next().unwrap().to_owned()
    };
    let delta = format!("q1={text}");
    insta::assert_snapshot!(world.sq(&["record", "--delta", &delta]).transcript(), @"
    --- stderr
    fatal: the note of q1 holds what looks like a GitHub token (github-token) at character 13
    hint: nothing was written: the log is as public as the repository; leave it out, or say where it is kept
    hint: if it is not one, a person can add --allow-secret github-token on a terminal
    --- exit 128
    ");
    let refused = [
        tried(&["record", &delta, "--delta", "q1=new"]),
        tried(&["state", "set", "--handover", &text]),
        tried(&["state", "set", "--done", "one", "--done", &text]),
        tried(&[
            "tension",
            "open",
            &text,
            "--type",
            "gap",
            "--source",
            "tests",
            "--curiosity",
            "0.5",
            "--intrusiveness",
            "0.5",
        ]),
        tried(&["record", "--sid", &text[12..], "--same", "q1=new"]),
    ];
    insta::assert_snapshot!(refused.join("\n"), @"
    fatal: the answer of q1 holds what looks like a GitHub token (github-token) at character 13
    fatal: the handover holds what looks like a GitHub token (github-token) at character 13
    fatal: item 2 of done holds what looks like a GitHub token (github-token) at character 13
    fatal: the topic holds what looks like a GitHub token (github-token) at character 13
    fatal: the session's name holds what looks like a GitHub token (github-token) at character 1
    ");
    assert_eq!(world.lines(), before);
}

#[test]
fn only_a_person_lets_one_through() {
    let world = World::asked();
    let note = format!("q1={}", leaky());
    let args = ["record", "--same", &note, "--allow-secret", "github-token"];
    insta::assert_snapshot!(world.sq(&args).transcript(), @"
    --- stderr
    fatal: --allow-secret is for people only, and there is no terminal
    hint: nothing was changed; run it in a terminal, without redirecting it
    --- exit 128
    ");
    world.sq(&["record", "--same", "q1=a", "--allow-secret", "weather"]).exits(129);
    let on_terminal = |rule: &str| {
        let line = format!("sq record --same '{note}' --allow-secret {rule}");
        edited(&world, &line, "true").map(|ran| ran.code)
    };
    if let Some(code) = on_terminal("npm-token") {
        assert_eq!(code, 128);
        assert_eq!(on_terminal("github-token"), Some(0));
        assert!(world.lines()[0].contains("ghp_"));
    }
}

#[test]
fn a_probes_answer_is_screened() {
    let world = World::new();
    world.write("config", format!("{}\n", leaky()));
    world.write("standing_questions.json", r#"{"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "How?", "importance": 3, "probe": {"grep": {"text": "CI", "paths": ["config"], "take": "lines"}}}]}"#);
    world.commit("Ask");
    insta::assert_snapshot!(world.sq(&["record"]).transcript(), @"
    --- stderr
    fatal: the note of q1 holds what looks like a GitHub token (github-token) at character 16
    hint: nothing was written: the log is as public as the repository; leave it out, or say where it is kept
    hint: if it is not one, a person can add --allow-secret github-token on a terminal
    --- exit 128
    ");
    assert!(world.lines().is_empty());
}

#[test]
fn an_import_warns_and_a_session_ends() {
    let world = World::asked();
    let head = world.head();
    let line = original_line("s1", "2026-05-04T09:12:00Z", &head);
    world.write("log.jsonl", line.replace("as it was", &leaky()) + "\n");
    let ran = world.sq(&["import", "log.jsonl"]);
    insta::assert_snapshot!(ran.transcript(), @"
    Imported 1 entry of log.jsonl.
    --- stderr
    warning: the note of q1 holds what looks like a GitHub token (github-token) at character 13; `git sq redact 01KQS44ER000002BBK2M8ABKGX --because 'it held a secret'` hides it
    --- exit 0
    ");
    world.sq_ok("session start --sid s2");
    world.commit(&leaky());
    world.sq_ok("session end");
    let lines = world.lines();
    let end = lines.iter().find(|line| line.contains("\"kind\":\"session\""));
    assert!(end.is_some_and(|end| end.contains("\"commits\":1") && !end.contains("ghp_")));
}
