//! What only a person may do: agents are refused, and so is what has no terminal.

use git_sq::harness;
use git_sq_test_support::World;
use insta::assert_snapshot;

const QUESTION: &str = r#"{ "id": "q1", "q": "One?", "importance": 2, "watch": ["src/"] }"#;

/// Three sessions that cite nothing although what q1 watches changed.
fn flagged() -> World {
    let world = World::new();
    world.write(
        "standing_questions.json",
        format!("{{\n  \"_schema\": \"standing_questions/v2\",\n  \"questions\": [\n    {QUESTION}\n  ]\n}}\n"),
    );
    for number in 0..4 {
        world.change("src/a.rs", format!("{number}\n"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1=a"));
        world.pass(600);
    }
    world
}

const ACTS: [&str; 11] = [
    "question approve q2",
    "triage q1 --expected --because planned",
    "redact 01KQS44ER000003MFQK94YGNMF --because secret",
    "check --accept",
    "init --undo",
    "question add q9 Why?",
    "question reword q1 Uno?",
    "question retire q1",
    "question trial q1 Eins?",
    "question promote q1@2",
    "carry --onto HEAD",
];

/// The same with a command to approve.
fn probed() -> World {
    let world = flagged();
    let probe = r#"{"id": "q2", "q": "Two?", "importance": 2, "probe": {"run": ["true"]}}"#;
    world.ask_json(&format!("{QUESTION}, {probe}"));
    world
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn agents_are_refused_even_on_a_terminal() {
    let mut world = probed();
    let before = (world.lines(), world.git_ok("status --short"));
    for (place, variable) in harness::signs().enumerate() {
        world = world.env(variable, "1");
        // Each act for the first one, then two in turn: one that needs a terminal, and one that does not.
        let some = [ACTS[place % 5], ACTS[5 + place % 6]];
        for act in if place == 0 { &ACTS[..] } else { &some } {
            let said = world.person(act, "yes\n").transcript();
            let why = format!(" is for people only, and {variable} says that an agent runs it");
            assert!(said.contains(&why) && said.ends_with("--- exit 128\n"), "{act}: {said}");
        }
        world = world.env(variable, "");
    }
    assert_eq!(before, (world.lines(), world.git_ok("status --short")));
}

/// What each program is known to set, whatever the table says.
#[test]
fn no_program_is_missing_among_the_signs_of_agents() {
    let known: Vec<&str> = harness::signs().collect();
    for variable in "AGENT AI_AGENT AMP_CURRENT_THREAD_ID CLAUDECODE CLINE_ACTIVE CODEX_SANDBOX \
        CODEX_SANDBOX_NETWORK_DISABLED COPILOT_CLI CRUSH CURSOR_AGENT GEMINI_CLI GOOSE_TERMINAL OPENCODE QWEN_CODE"
        .split_whitespace()
    {
        assert!(known.contains(&variable), "{variable}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_person_in_the_terminal_of_an_editor_is_no_agent() {
    let mut world = probed();
    for (variable, value) in [
        ("CURSOR_TRACE_ID", "4d2c1f7a"),
        ("TERM_PROGRAM", "vscode"),
        ("VSCODE_GIT_ASKPASS_MAIN", "/Applications/Cursor.app/askpass-main.js"),
        ("VSCODE_INJECTION", "1"),
        ("CLAUDE_CODE_SSE_PORT", "4711"),
        ("ZED_TERM", "true"),
    ] {
        world = world.env(variable, value);
    }
    world.person_ok("check --accept");
    world.person("question approve q2", "yes\n").ok();
    world.sq_ok("question retire q1");
}

#[test]
fn without_a_terminal_only_questions_are_changed_and_entries_carried() {
    let world = probed();
    for act in ACTS {
        let said = world.try_sq(act).transcript();
        let is_refused = said.contains("is for people only, and there is no terminal");
        let changes_a_question = act.starts_with("question") && !act.contains("approve");
        let is_free = changes_a_question || act.starts_with("carry");
        assert_eq!(is_refused, !is_free, "{act}: {said}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_person_accepts_what_is_flagged() {
    let world = flagged();
    assert_eq!(world.found("rule")[0], "flagged");
    let help = world.found("help").remove(0);
    assert_has!(help, "`git sq check --accept ENTRY`");
    let log = world.json("log");
    let ids: Vec<String> =
        (0..3).map(|number| log["entries"][number]["id"].as_str().unwrap().to_owned()).collect();
    let said = world.person_ok("check --accept");
    let file = "standing_questions.closed.jsonl";
    let read = || world.read(file);
    let mut all = said + &read();
    for (id, name) in ids.iter().zip(["THIRD", "SECOND", "FIRST"]) {
        all = all.replace(id, name);
    }
    assert_snapshot!(all, @r#"
    standing_questions.closed.jsonl: closes
      look          THIRD  q1 of session s3
      look          SECOND  q1 of session s2
      look          FIRST  q1 of session s1
      run           THIRD  3 sessions that report no change
    Commit it, with .gitattributes: only what HEAD has is closed.
    {"closes":{"kind":"look","id":"FIRST"},"by":"Ada Example <ada@example.org>","date":"2026-01-01"}
    {"closes":{"kind":"look","id":"SECOND"},"by":"Ada Example <ada@example.org>","date":"2026-01-01"}
    {"closes":{"kind":"look","id":"THIRD"},"by":"Ada Example <ada@example.org>","date":"2026-01-01"}
    {"closes":{"kind":"run","id":"THIRD"},"by":"Ada Example <ada@example.org>","date":"2026-01-01"}
    "#);
    // Nothing counts before it is committed.
    assert_eq!(world.check(&[]).1, 1);
    world.commit("Accept what was looked into");
    assert_eq!(world.found("rule")[0], "outdated");
    let none = "Nothing to accept. Drifts and disputes are for `git sq triage`.\n";
    assert_eq!(world.person_ok("check --accept"), none);
    // What is flagged later is flagged.
    world.change("src/a.rs", "again\n");
    world.sq_ok("record --sure --sid s4 --same q1");
    assert_eq!(world.found("rule")[0], "no-evidence");
    world.person_ok("check --accept");
    assert_eq!(read().lines().count(), 5);
}
