//! What the articles promise of sessions, states, tensions and figures that last for weeks.

use std::fs;

use git_sq_test_support::{World, each, event_line, fleet};
use serde_json::{Value, json};

const DAY: i64 = 24 * 60 * 60;

/// One question, which watches one file.
fn watched() -> World {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.ask_json(r#"{"id": "q1", "q": "Which?", "importance": 2, "watch": ["a.txt"]}"#);
    world
}

fn hook(world: &World, event: &str, more: &Value) {
    let mut input = json!({"session_id": "s1", "cwd": world.dir, "permission_mode": "default"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert_eq!(world.sq_with_input(&["hook", event], &input.to_string()).code, 0);
}

#[test]
fn an_end_has_heartbeats_and_the_peak_context() {
    let claude = r#"{"type":"user","message":{"role":"user","content":"hello"}}
{"type":"assistant","message":{"usage":{"input_tokens":7,"cache_creation_input_tokens":1000,"cache_read_input_tokens":64000,"output_tokens":9}}}
{"type":"assistant","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":200}}}
not json
"#;
    let codex = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":4100,"cached_input_tokens":4000}}}}
{"type":"event_msg","payload":{"type":"token_count","info":null}}
"#;
    for (transcript, peak) in [(claude, Some(65_007)), (codex, Some(4_100)), ("text\n", None)] {
        let world = World::asked();
        let file = world.root().join("transcript.jsonl");
        fs::write(&file, transcript).unwrap();
        hook(&world, "session-start", &json!({"source": "startup", "transcript_path": file}));
        for event in ["prompt", "stop", "pre-compact"] {
            hook(&world, event, &json!({}));
        }
        hook(&world, "session-end", &json!({}));
        let end = world.newest();
        assert_eq!((&end["beats"], end["peak_context"].as_u64()), (&json!(3), peak), "{end}");
        let shown = world.sq_ok("log --kind session");
        let peak = peak.map_or(String::new(), |peak| format!(", peak context {peak} tokens"));
        assert_has!(shown, format!("3 heartbeats{peak}"));
    }
    // Without hooks there is nothing to count.
    let world = World::asked();
    world.sq_ok("session start --sid s1");
    world.sq_ok("session end");
    assert_eq!(world.newest()["beats"], Value::Null);
}

#[test]
fn silent_sessions_end_by_cron_and_by_whoever_writes() {
    let world = World::asked();
    let side = world.beside();
    let silent = |sid: &str| {
        world.sq_ok_in(&side, &format!("session start --sid {sid}"));
        world.pass(3 * 60 * 60);
    };
    silent("s1");
    assert_has!(world.sq_ok("session sweep"), "Ended s1: 0 seconds");
    assert_eq!(world.sq_ok("session sweep"), "");
    silent("s2");
    let ran = world.sq(&["record", "--sid", "s3", "--same", "q1=x"]);
    assert_has!(ran.transcript(), "Ended s2: 0 seconds");
    let ended = world.lines().iter().filter(|line| line.contains(r#""how":"sweep""#)).count();
    assert_eq!(ended, 2);
    // The row that nobody wrote shows in the report, and in no brief.
    assert_has!(world.sq_ok("report"), "s2 (2026-01-01)");
    assert!(!world.sq_ok("brief").contains("s2"));
}

/// The newest commit of a silent session is a sign of its life.
#[test]
fn a_silent_session_lasted_until_its_last_commit() {
    let world = World::asked();
    world.sq_ok("session start --sid s1");
    world.pass(45 * 60);
    world.change("a.txt", "two\n");
    world.pass(3 * 60 * 60);
    assert_has!(world.sq_ok("session sweep"), "Ended s1: 47 minutes on main, 1 commit");
}

/// So is each move of its HEAD: nobody ends it from elsewhere meanwhile.
#[test]
fn a_session_that_commits_is_not_silent() {
    let world = World::asked();
    world.sq_ok("session start --sid s1");
    for _ in 0..3 {
        world.pass(90 * 60);
        world.commit("more");
        assert!(!world.sq_ok("session sweep").contains("s1"));
    }
    assert_eq!(world.json("session current")["sid"], "s1");
    // Who writes here without its name is another one.
    assert_has!(world.sq(&["record", "--same", "q1=x"]).transcript(), "Ended s1: ");
}

/// A program that does not trust hooks, or has others, skips them in silence.
#[test]
fn hooks_that_run_no_more_are_told() {
    let world = World::asked();
    world.sq_ok("agent install --yes codex claude");
    let status = |name: &str| {
        let status = world.json("agent status");
        let mut agents = each(&status["agents"]);
        agents.find(|agent| agent["name"] == name).unwrap()["warnings"].clone()
    };
    let session = |sid: &str, variable: &str| {
        world.sq_env(&format!("session start --sid {sid}"), &[(variable, "1")]).ok();
    };
    session("s1", "CODEX_SANDBOX");
    assert_eq!(status("codex"), json!([]));
    session("s2", "CODEX_SANDBOX");
    let skipped = "its hooks did not run in the last 2 sessions here: Codex skips hooks that are not trusted; trust them with `/hooks`";
    assert_eq!(status("codex"), json!([skipped]));
    assert_eq!(status("claude"), json!([]));
    let input = json!({"session_id": "s3", "cwd": world.dir, "harness": "codex"}).to_string();
    assert_eq!(world.sq_with_input(&["hook", "session-start"], &input).code, 0);
    assert_eq!(status("codex"), json!([]));
}

#[test]
fn another_agent_does_not_end_a_session_in_silence() {
    let world = World::asked();
    world.sq_env("session start --sid s1", &[("SQ_AGENT", "ada")]).ok();
    let bob = world.sq_env("state set --next x", &[("SQ_AGENT", "bob")]);
    assert_has!(bob.transcript(), "Ended s1: ");
}

#[test]
fn the_brief_begins_with_a_state_and_names_one_that_is_old() {
    let world = World::asked();
    world.sq_ok("state set --sid s1 --handover 'half of the parser'");
    let place = |brief: &str, text: &str| brief.find(text).unwrap_or_else(|| panic!("{brief}"));
    let brief = world.sq_ok("brief");
    assert!(place(&brief, "half of the parser") < place(&brief, "Questions of"), "{brief}");
    world.pass(13 * DAY);
    assert_has!(world.sq_ok("brief"), "half of the parser");
    world.pass(2 * DAY);
    let brief = world.sq_ok("brief");
    assert!(!brief.contains("half of the parser"), "{brief}");
    assert_has!(brief, "a state of 15 days ago: git sq state");
    assert_has!(world.sq_ok("state"), "(15 days ago)");
    assert!(world.json("brief")["old_state"].is_string());

    // Of what is newer, nothing is left out for it, wherever that was written.
    world.sq_ok("state set --sid s2 --handover 'all of the parser'");
    world.pass(20 * DAY);
    world.git_ok("switch --quiet -c topic");
    world.commit("Half");
    world.sq_ok("state set --sid s3 --handover 'wait for Steve'");
    world.git_ok("switch --quiet main");
    let brief = world.sq_ok("brief");
    assert_has!(brief, "wait for Steve");
    assert!(!brief.contains("a state of"), "{brief}");
    let rows = world.sq_ok("state");
    assert!(place(&rows, "wait for Steve") < place(&rows, "all of the parser"), "{rows}");
}

/// Half of a session, in the worktree where it began, ends last.
#[test]
fn the_end_that_has_commits_counts() {
    let world = World::asked();
    world.sq_ok("session start --sid s1");
    world.sq_ok("state set --sid s1 --status half");
    world.git_ok("worktree add --quiet ../fix -b fix");
    let fix = world.root().join("fix");
    world.sq_in(&fix, &["session", "start", "--sid", "s1"]).ok();
    world.git_ok("-C ../fix commit --quiet --allow-empty -m 'the fix'");
    world.sq_in(&fix, &["session", "end"]).ok();
    world.pass(3 * 60 * 60);
    world.sq_ok("session sweep");
    let row = &world.json("state")["rows"][0];
    assert_eq!(row["session"]["last_subject"], "the fix", "{row}");
    // What goes on has no end yet, and then the one that follows.
    world.sq_ok("session start --sid s1");
    world.sq_ok("state set --sid s1 --status on");
    let row = &world.json("state")["rows"][0];
    assert_eq!((&row["source"], &row["session"]), (&json!("agent"), &Value::Null), "{row}");
    world.sq_ok("session end");
    assert_eq!(world.json("state")["rows"][0]["session"]["commits"], 0);
}

#[test]
fn a_refused_state_shows_without_being_asked_for() {
    let world = World::asked();
    let long = "x".repeat(300);
    for _ in 0..2 {
        world.sq_env(&format!("state set --status {long}"), &[("SQ_AGENT", "steve")]).exits(128);
    }
    let told = "steve: status has 300 characters (limit 280), the last of 2";
    assert_has!(world.sq_ok("status"), format!("refused state: {told}"));
    assert_has!(world.sq_ok("report"), told);
    world.sq_env("state set --status short", &[("SQ_AGENT", "steve")]).ok();
    assert!(!world.sq_ok("status").contains("refused state"));
    world.sq_env(&format!("state set --status {long}"), &[("SQ_AGENT", "steve")]).exits(128);
    assert_has!(world.sq_ok("status"), "refused state");
    world.pass(15 * DAY);
    assert!(!world.sq_ok("status").contains("refused state"));
}

#[test]
fn the_fleet_says_what_each_agent_was_last_doing() {
    let (world, members) = fleet::fleet(1);
    let world = world.at(&members[0].path);
    let set = |agent: &str, line: &str| {
        world.sq_env(&format!("state set {line}"), &[("SQ_AGENT", agent)]).ok();
    };
    set("ada", "--sid f1 --status 'half of the parser'");
    set("bob", "--sid f2 --handover 'waits for a key'");
    set("eve", "--sid f3 --next 'sign the package'");
    let text = world.try_sq("fleet .").stdout;
    let works =
        [("ada", "half of the parser"), ("bob", "waits for a key"), ("eve", "sign the package")];
    for (agent, work) in works {
        let is_it = |line: &str| line.trim_start().starts_with(agent) && line.ends_with(work);
        assert!(text.lines().any(is_it), "{text}");
    }
}

/// What ended under the settings of its time has ended.
#[test]
fn settings_do_not_rewrite_tensions() {
    let world = World::new();
    let settings = |tension: &Value| {
        let store = json!({"_schema": "standing_questions/v2", "settings": {"tension": tension},
            "questions": [{"id": "q1", "q": "Why?", "importance": 2}]});
        world.write("standing_questions.json", store.to_string());
        world.commit("settings");
    };
    let open = |topic: &str, curiosity: &str| {
        world.sq_ok(&format!(
            "tension open {topic} --type gap --source x --sid {topic} --curiosity {curiosity}"
        ));
    };
    let states = || -> Vec<Value> {
        let list = world.json("tension list --all");
        each(&list["tensions"]).map(|row| row["state"].clone()).collect()
    };
    settings(&json!({"cap": 1, "ttl": "10d"}));
    open("a", "0.5");
    open("b", "0.9");
    let before = states();
    assert!(before.contains(&json!("overflow")), "{before:?}");
    settings(&json!({"cap": 50, "ttl": "1s"}));
    assert_eq!(states(), before);
    assert_eq!(world.newest()["ttl"], "60d");
    assert_eq!(world.newest()["cap"], 1);
}

#[test]
fn what_was_refused_and_what_was_forced_is_counted() {
    let world = watched();
    world.sq_ok("session start --sid s1");
    world.sq_ok("record q1=one --cite q1=a.txt:1");
    world.change("a.txt", "two\n");
    // A rule would flag it: what it cites changed.
    let args = ["record", "--same", "q1"];
    assert_eq!(world.sq(&args).code, 128);
    world.sq(&[&args[..], &["--sure"]].concat()).ok();
    assert_eq!(world.newest()["sure"], true);
    world.sq_ok("session end");
    assert_eq!(world.newest()["refused"], 1);
    let stats = world.json("stats");
    assert_eq!((&stats["refused"], &stats["forced"]), (&json!(1), &json!(1)), "{stats}");
    assert_has!(world.sq_ok("stats"), "1 refused, 1 forced with --sure");
}

#[test]
fn the_end_of_a_session_says_which_facts_changed() {
    let world = World::new();
    world.write("a.txt", "1\n");
    let question = json!({"id": "lines", "q": "How many lines?", "importance": 2, "expect": 1,
        "shape": "number", "probe": {"lines": {"paths": ["a.txt"]}}});
    world.ask_json(&question.to_string());
    world.sq_ok("session start --sid s1");
    world.change("a.txt", "1\n2\n");
    assert_has!(world.sq_ok("session end"), "  changed: lines: 1 -> 2; fails\n");
    world.sq_ok("session start --sid s2");
    assert!(!world.sq_ok("session end").contains("changed"));
}

#[test]
fn a_store_that_asks_nothing_raises_no_quiet_run() {
    let world = World::asked();
    for n in 0..5 {
        world.change("a.txt", format!("{n}\n"));
        world.sq_ok(&format!("record --sid s{n} --same q1=x"));
    }
    assert!(world.found("rule").contains(&"quiet-run".into()));
    world.person_ok("question retire q1");
    world.commit("retire");
    let (check, code) = world.check(&[]);
    assert!(!world.found("rule").contains(&"quiet-run".into()), "{check}");
    assert_eq!(code, 0, "{check}");
}

#[test]
fn none_is_the_empty_list() {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.ask_json(
        r#"{"id": "q1", "q": "Which?", "importance": 2, "shape": "list", "watch": ["a.txt"]}"#,
    );
    assert_has!(world.sq_ok("record q1=none --cite q1=a.txt:1"), "first q1: none");
    assert_has!(world.sq_ok("show q1"), "q1: none");
    assert_eq!(world.newest()["results"][0]["answer"], json!([]));
}

/// Planted lines still follow the settings.
#[test]
fn a_tension_of_another_program_has_the_time_that_the_settings_give() {
    let world = World::asked();
    let body =
        json!({"topic": "?", "type": "gap", "source": "x", "curiosity": 0.9, "intrusiveness": 0.1});
    let line = event_line(&world.head(), "tension.open", "T", &body);
    world.plant_lines(&[line]);
    assert_eq!(world.json("tension list")["tensions"][0]["ttl"], Value::Null);
}
