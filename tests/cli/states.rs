//! `git sq state`: a session's row, what it cites, and whose rows are shown.

use std::thread;

use git_sq_test_support::{Ran, World, each, event_line, refs, words};
use serde_json::{Value, json};

use crate::{
    generated::{assert_valid, validator},
    sessions::entries,
};

pub fn world() -> World {
    let world = World::new();
    world.write("src/parse.rs", "one\ntwo\nthree\nfour\nfive\n");
    world.ask(&["q1"]);
    world
}

pub fn set(world: &World, fields: &str) -> Ran {
    world.try_sq(&format!("state set {fields}"))
}

/// The rows of `state show`.
pub fn rows(world: &World, more: &str) -> Vec<Value> {
    let shown = world.json(&format!("state show {more}"));
    shown["rows"].as_array().unwrap().clone()
}

#[test]
fn a_row_is_written_anew_and_the_last_one_counts() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_SESSION", "s1");
    for number in 1..=3 {
        set(&world, &format!("--status 'step {number}' --next 'step 4'")).ok();
    }
    let said = set(&world, "--handover 'mind  the\n gap\u{7}' --done a --done b").ok();
    assert_has!(said, ": status, handover, 2 done, 1 next.");
    set(&world, "--next ''").ok();
    let count = entries(&world, "state").len();
    assert_eq!(count, 5, "entries are added, never changed");
    let found = rows(&world, "--last 9");
    assert_eq!(found.len(), 1);
    for (key, value) in [
        ("sid", json!("s1")),
        ("agent", json!("ada")),
        ("source", json!("agent")),
        ("branch", json!("main")),
        ("status", json!("step 3")),
        ("handover", json!("mind the gap")),
        ("done", json!(["a", "b"])),
        ("doing", json!([])),
        ("blocked", json!([])),
        ("next", json!([])),
        ("session", Value::Null),
    ] {
        assert_eq!(found[0][key], value, "{key}");
    }
}

#[test]
fn a_file_may_hold_the_fields() {
    let world = world();
    let given = json!({"status": "s", "handover": "h", "done": ["d"], "doing": ["x", "y"], "blocked": [], "next": ["n"]});
    let args = words("state set --sid s1 --agent bob --json -");
    world.sq_with_input(&refs(&args), &given.to_string()).ok();
    world.write("state.json", "{\"doing\": [], \"status\": \"\"}");
    set(&world, "--sid s1 --json state.json").ok();
    let row = &rows(&world, "")[0];
    assert_eq!(
        (&row["status"], &row["doing"], &row["done"]),
        (&json!(""), &json!([]), &json!(["d"]))
    );
    // The last entry named no agent, and is by that of the row it builds on.
    assert_eq!(row["agent"], "bob");
}

#[test]
fn the_row_is_the_current_sessions() {
    let world = world();
    set(&world, "--status one").ok();
    set(&world, "--handover two").ok();
    world.pass(3 * 3600);
    set(&world, "--status three").ok();
    let found = rows(&world, "");
    let texts = |row: &Value| (row["status"].clone(), row["handover"].clone());
    assert_eq!(found.len(), 2);
    assert_eq!(texts(&found[0]), (json!("three"), json!("")));
    assert_eq!(texts(&found[1]), (json!("one"), json!("two")));
    // Without a command, the last rows are shown.
    let shown = world.sq_ok("state show");
    world.pass(-60);
    assert_eq!(world.sq_ok("state"), shown);
    let one = world.json("state --last 1");
    assert_eq!(one["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn nobody_writes_the_row_of_another_agent_or_of_what_has_ended() {
    let world = world();
    let by = |agent: &str, line: &str| world.sq_env(line, &[("SQ_AGENT", agent)]);
    by("ada", "session start --sid s1").ok();
    let refused = by("bob", "state set --sid s1 --next x");
    insta::assert_snapshot!(refused.transcript(), @"
    --- stderr
    fatal: session s1 belongs to ada, not to bob
    hint: nothing was written; leave out --sid and SQ_SESSION to write a state of your own
    --- exit 128
    ");
    let named = [("SQ_AGENT", "bob"), ("SQ_SESSION", "s1")];
    world.sq_env("state set --next x", &named).exits(128);
    by("ada", "state set --sid s1 --next x").ok();
    world.sq_ok("state set --sid s1 --agent ada --status y");
    world.try_sq("state set --sid s1 --agent bob --status y").exits(128);
    world.sq_ok("session end");
    let refused = by("ada", "state set --sid s1 --next y");
    insta::assert_snapshot!(refused.transcript(), @"
    --- stderr
    fatal: session s1 has ended
    hint: nothing was written; leave out --sid, or resume it: git sq session start --sid NAME
    --- exit 128
    ");
    // Also where the row is all that is known of the other one.
    by("ada", "state set --sid s2 --next x").ok();
    assert_eq!(by("bob", "state set --sid s2 --next y").code, 128);
    assert_eq!(entries(&world, "state").len(), 3);
    // Whoever is resumed under its own name goes on.
    by("ada", "session start --sid s1").ok();
    by("ada", "state set --sid s1 --next y").ok();
}

#[test]
fn limits_hold_for_what_others_wrote_too() {
    let world = world();
    let long = "x".repeat(20_000);
    let items = vec!["y".repeat(300); 7];
    let body = json!({"status": long, "done": items, "handover": "short"});
    world.plant_lines(&[event_line(&world.head(), "state", "1", &body)]);
    let row = &rows(&world, "")[0];
    assert_eq!(row["status"], "x".repeat(279) + "…");
    assert_eq!(row["done"], json!(vec!["y".repeat(139) + "…"; 5]));
    for line in ["state show", "brief", "brief --format markdown"] {
        let text = world.sq_ok(line);
        assert!(text.lines().all(|line| line.chars().count() < 400), "{text}");
    }
}

#[test]
fn what_was_set_is_told_as_json() {
    let world = world();
    let fields = "--sid s1 --agent ada --done 'src/parse.rs:1 and src/parse.rs:9' --next";
    let set = world.json(&format!("state set {fields} x"));
    assert_eq!(set["state"]["next"], json!(["x"]));
    let cites = &set["cites"];
    assert_eq!(cites[0], json!({"item": 1, "cite": "src/parse.rs:1", "why_not": null}));
    assert_eq!(cites[1]["why_not"], "the file has only 5 lines; cite what is committed");
    assert_eq!((&set["sid"], &set["agent"]), (&json!("s1"), &json!("ada")));
}

#[test]
fn citations_are_pinned_and_followed() {
    let world = world().env("SQ_SESSION", "s1");
    world.sq_ok("record --same q1=x");
    let mut recorded = entries(&world, "rederive");
    let id = recorded.remove(0)["id"].as_str().unwrap().to_owned();
    let done = [
        "holds (src/parse.rs:4-5), at 12:30",
        "changes: src/parse.rs:1.",
        &format!("as {id} says, not 01M7ZXRVN3A0K7Q5W8YB6CDE2F"),
        "goes: standing_questions.json:1 and src/parse.rs:6",
    ];
    let said = set(&world, &done.map(|item| format!("--done '{item}' ")).concat()).ok();
    for line in [
        "cited: src/parse.rs:4-5 (done 1)",
        "cited: src/parse.rs:1 (done 2)",
        &format!("cited: {id} (done 3)"),
        "cited: standing_questions.json:1 (done 4)",
        "not cited: 12:30 (done 1): no such file",
        "not cited: 01M7ZXRVN3A0K7Q5W8YB6CDE2F (done 3): no such entry in the log",
        "not cited: src/parse.rs:6 (done 4): the file has only 5 lines; cite what is committed",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    // An entry of any kind is found, in the brief too.
    assert_eq!(world.json("brief")["states"][0]["cites"][2]["fate"], "stands");
    world.write("src/parse.rs", "ONE\ntwo\nmore\nthree\nfour\nfive\n");
    world.git_ok("mv standing_questions.json context.json");
    world.commit("Change");
    let fates = |world: &World| -> Value {
        let row = rows(world, "").remove(0);
        each(&row["cites"]).map(|cite| json!([cite["item"], cite["fate"], cite["line"]])).collect()
    };
    let expected =
        json!([[1, "stands", 5], [2, "changed", null], [3, "stands", null], [4, "gone", null]]);
    assert_eq!(fates(&world), expected);
    let shown = world.sq_ok("state show");
    assert_has!(shown, "- src/parse.rs:4-5 stands, now at line 5\n");
    assert_has!(shown, "- src/parse.rs:1 changed since\n");
    // What is not set again stays pinned as it was.
    set(&world, "--status x").ok();
    assert_eq!(fates(&world), expected);
    set(&world, "--done 'nothing to cite'").ok();
    assert_eq!(fates(&world), json!([]));
}

#[test]
fn rows_of_head_s_own_past_come_first() {
    let world = world();
    let set = |sid: &str| set(&world, &format!("--sid {sid} --agent ada --handover {sid}")).ok();
    set("s1");
    world.git_ok("switch --quiet -c topic");
    world.commit("Topic");
    set("s2");
    set("s3");
    world.git_ok("switch --quiet main");
    world.commit("Main");
    let found = |args: &str| {
        rows(&world, args)
            .into_iter()
            .map(|row| {
                let place = if row["here"] == true { "here" } else { "elsewhere" };
                format!("{} {place}", row["sid"].as_str().unwrap())
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(found(""), "s1 here, s3 elsewhere");
    assert_eq!(found("--last 9"), "s1 here, s3 elsewhere, s2 elsewhere");
    assert_eq!(found("--agent bob"), "");
    let shown = world.sq_ok("state show");
    assert_has!(
        shown,
        "s3 by ada on topic (8 minutes ago), written on a commit that HEAD does not contain"
    );
    world.git_ok("merge --quiet topic");
    assert_eq!(found(""), "s3 here, s2 here");
}

#[test]
fn the_report_for_people() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_SESSION", "s1");
    let mut text = world.sq(&["state", "show"]).transcript();
    world.sq_ok("session start");
    let done = "--done 'read src/parse.rs:1-2' --doing 'the lexer'";
    let left = "--blocked 'the schema: waits for Steve' --next 'the parser' --next 'the printer'";
    let status = "--status 'half way' --handover 'the parser is next'";
    set(&world, &format!("{status} {done} {left}")).ok();
    world.sq_ok("session end");
    text += &world.sq(&["state", "show"]).transcript();
    let long = "x".repeat(281);
    text += &set(&world, &format!("--status {long} --done 'at 12:30'")).transcript();
    text += &world.sq_ok("log --kind alert");
    insta::with_settings!({filters => vec![("\\b[0-9a-f]{10}\\b", "[short]")]}, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn every_line_of_a_session_is_what_its_schema_says() {
    let world = World::new().env("SQ_AGENT", "ada");
    world.change("a.txt", "a\n");
    let input = json!({"status": "s", "handover": "h", "done": ["a.txt:1", "b"], "next": ["x"]});
    assert_valid("state-input", &input);
    let misspelt = json!({"state": "s"});
    assert!(!validator("state-input").is_valid(&misspelt));
    let hand_in =
        |text: &Value| world.sq_with_input(&["state", "set", "--json", "-"], &text.to_string());
    assert_eq!(hand_in(&misspelt).code, 128);
    for sid in ["s1", "s2"] {
        world.sq_ok(&format!("session start --sid {sid}"));
        hand_in(&input).ok();
        let long = json!({"handover": "h".repeat(501), "next": vec!["x"; 6]});
        assert_eq!(hand_in(&long).code, 128);
        world.commit("More");
    }
    world.sq_ok("session end");
    for (kind, schema, number) in
        [("state", "state-entry", 2), ("alert", "alert", 4), ("session", "session", 2)]
    {
        let lines = entries(&world, kind);
        assert_eq!(lines.len(), number, "{kind}");
        for line in lines {
            assert_valid(schema, &line);
        }
    }
}

#[test]
fn states_that_are_set_at_once_keep_every_field() {
    let world = World::asked();
    let fields = ["status", "handover", "next", "blocked"];
    thread::scope(|scope| {
        for field in fields {
            let option = format!("--{field}");
            let mut set = world.sq_command(&["state", "set", "--sid", "s1", &option, "said"]);
            scope.spawn(move || assert!(set.output().unwrap().status.success()));
        }
    });
    let row = &rows(&world, "")[0];
    let said = fields.map(|field| row[field].clone());
    assert_eq!(json!(said), json!(["said", "said", ["said"], ["said"]]));
}

#[test]
fn what_is_said_last_counts_though_the_clock_went_back() {
    let world = World::asked();
    world.sq_ok("state set --sid s1 --status first");
    world.pass(-7200);
    world.sq_ok("state set --sid s1 --status second");
    assert_eq!(rows(&world, "")[0]["status"], "second");
    // A row that says nothing pushes no handover out.
    world.sq_ok("state set --sid s1 --handover 'do not deploy'");
    for sid in ["s2", "s3"] {
        world.sq_ok(&format!("state set --sid {sid} --status ''"));
    }
    assert_eq!(rows(&world, "")[0]["handover"], "do not deploy");
    assert!(world.sq_ok("brief").contains("do not deploy"));
}

#[test]
fn records_are_objects() {
    let world = world();
    let hand_in = |command: &[&str], text: &str| {
        let args = [command, &["--sid", "s1", "--json", "-"]].concat();
        world.sq_with_input(&args, text).transcript()
    };
    let state = |text: &str| hand_in(&["state", "set"], text);
    let record = |text: &str| hand_in(&["record"], text);
    insta::assert_snapshot!(state(r#"["a","b"]"#), @r#"
    --- stderr
    fatal: invalid state on standard input: invalid type: sequence, expected an object at line 1 column 0
    hint: nothing was written; expected {"status":"...","handover":"...","done":["..."],"doing":[],"blocked":[],"next":[]}, or some of these keys
    --- exit 128
    "#);
    insta::assert_snapshot!(record(r#"[[{"q_id":"q1","delta":false,"note":"x"}]]"#), @r#"
    --- stderr
    fatal: invalid record on standard input: invalid type: sequence, expected an object at line 1 column 0
    hint: expected {"results":[{"q_id":"q1","answer":"the answer","cites":["src/lib.rs:12-20"]},{"q_id":"q4","delta":false}]}; time, id, session and HEAD are set by the tool
    --- exit 128
    "#);
    let why = "expected an object at line 1 column 12";
    assert_has!(record(r#"{"results":[["q1",false,"x"]]}"#), why);
    assert!(world.lines().is_empty());
    // A byte order mark is no part of the text.
    assert_has!(
        record("\u{feff}{\"results\":[{\"q_id\":\"q1\",\"delta\":false,\"note\":\"x\"}]}"),
        "--- exit 0\n"
    );
    assert_has!(state("\u{feff}{\"status\":\"s\"}"), "--- exit 0\n");
    assert_eq!(rows(&world, "")[0]["status"], "s");
}

#[test]
fn every_command_counts_what_can_t_be_read_alike() {
    let world = world();
    world.record("s1").ok();
    let head = world.head();
    let planted = [
        event_line(&head, "state", "1", &json!({"status": 5})),
        event_line(&head, "alert", "2", &json!({"field": "nothing"})),
        event_line(&head, "session", "3", &json!({})),
        event_line(&head, "tension.open", "4", &json!({})),
        "{\"kind\":\"state\",\"ts\":\"yesterday\"}\n".to_owned(),
    ];
    world.plant_lines(&planted);
    let unknown =
        "unknown: 5 lines about sessions, states or tensions can't be read (see `git sq check`)\n";
    for format in ["text", "json"] {
        let ran = world.sq(&["state", "show", "--format", format]);
        assert_eq!((ran.code, ran.stderr.as_str()), (3, unknown));
    }
    let (report, code) = world.check(&[]);
    assert_eq!(code, 3, "{report}");
    assert_has!(report["unknown"].to_string(), "5 lines on");
}

#[cfg(unix)]
#[test]
fn a_person_s_state_leaves_the_row_of_a_running_agent_alone() {
    let world = world();
    set(&world, "--agent claude --handover mine").ok();
    world.person_ok("state set --handover theirs");
    world.person_ok("state set --next 'and then'");
    let rows = rows(&world, "");
    let row = |number: usize| (&rows[number]["agent"], &rows[number]["handover"]);
    assert_eq!(row(0), (&Value::Null, &json!("theirs")), "{rows:?}");
    assert_eq!(row(1), (&json!("claude"), &json!("mine")), "{rows:?}");
    // The agent's session goes on.
    set(&world, "--agent claude --status on").ok();
    assert_eq!(crate::states::rows(&world, "")[0]["sid"], rows[1]["sid"]);
}
