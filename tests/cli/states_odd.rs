//! States that are handed in in another form, and lines about sessions that nobody can read.

use git_sq_test_support::event_line as line;
use serde_json::json;

use crate::states::{rows, world};

#[test]
fn records_are_objects() {
    let world = world();
    let hand_in = |command: &[&str], text: &str| {
        let args = [command, &["--sid", "s1", "--json", "-"]].concat();
        world.sq_with_input(&args, text).transcript()
    };
    let state = |text: &str| hand_in(&["state", "set"], text);
    let record = |text: &str| hand_in(&["record"], text);
    assert_eq!(
        state("[\"a\",\"b\"]"),
        "--- stderr\nfatal: invalid state on standard input: invalid type: sequence, expected an object at line 1 column 0\nhint: nothing was written; hand in {\"status\":\"...\",\"handover\":\"...\",\"done\":[\"...\"],\"doing\":[],\"blocked\":[],\"next\":[]}, or some of these\n--- exit 128\n"
    );
    let form = "hint: hand in {\"results\":[{\"q_id\":\"q1\",\"delta\":false},{\"q_id\":\"q4\",\"delta\":true,\"note\":\"what changed\"}]}; time, id, session and HEAD come from the tool\n--- exit 128\n";
    for (text, column) in [
        ("[[{\"q_id\":\"q1\",\"delta\":false,\"note\":\"x\"}]]", 0),
        ("{\"results\":[[\"q1\",false,\"x\"]]}", 12),
    ] {
        let why = format!(
            "--- stderr\nfatal: invalid record on standard input: invalid type: sequence, expected an object at line 1 column {column}\n"
        );
        assert_eq!(record(text), why + form);
    }
    assert!(world.lines().is_empty());
    // A byte order mark is no part of the text.
    let said = record("\u{feff}{\"results\":[{\"q_id\":\"q1\",\"delta\":false,\"note\":\"x\"}]}");
    assert!(said.ends_with("--- exit 0\n"), "{said}");
    let said = state("\u{feff}{\"status\":\"s\"}");
    assert!(said.ends_with("--- exit 0\n"), "{said}");
    assert_eq!(rows(&world, &[])[0]["status"], "s");
}

#[test]
fn every_command_counts_what_can_t_be_read_alike() {
    let world = world();
    world.record("s1").ok();
    let head = world.head();
    let planted = [
        line(&head, "state", "1", &json!({"status": 5})),
        line(&head, "alert", "2", &json!({"field": "nothing"})),
        line(&head, "session", "3", &json!({})),
        line(&head, "tension.open", "4", &json!({})),
        "{\"kind\":\"state\",\"ts\":\"yesterday\"}\n".to_owned(),
    ];
    world.plant_lines(&planted);
    let unknown = "unknown: 5 lines about sessions, states or tensions can't be read\n";
    for command in ["show", "alerts"] {
        for format in ["text", "json"] {
            let ran = world.sq(&["state", command, "--format", format]);
            assert_eq!((ran.code, ran.stderr.as_str()), (3, unknown), "{command}");
        }
    }
    let (report, code) = world.check(&[]);
    assert_eq!(code, 3, "{report}");
    assert!(
        report["unknown"].to_string().contains("5 lines about"),
        "{report}"
    );
}

#[test]
fn an_empty_name_of_an_agent_is_none() {
    let world = world();
    for command in ["show", "alerts"] {
        let ran = world.sq(&["state", command, "--agent", ""]);
        assert_eq!(
            ran.transcript(),
            "--- stderr\nfatal: --agent is empty, and a name is not\nhint: a name is 1 to 128 characters, and may have blanks\n--- exit 128\n"
        );
    }
}
