//! Nothing that is merely written closes a flag: only an answer with evidence, at a commit that contains what was flagged.

use git_sq_test_support::{World, event_line};
use proptest::prelude::*;
use serde_json::{Value, json};

const STORE: &str = r#"{"_schema":"standing_questions/v2","questions":[
{"id":"q1","q":"What does it say?","importance":2,"shape":"text","watch":["a"]},
{"id":"q2","q":"And there?","importance":2,"watch":["b"]}]}"#;

/// What somebody writes into the log who may write anything.
const LINES: &str =
    "same delta canned elsewhere verdict second redact doubled carried imported other";

fn lines() -> impl Strategy<Value = Vec<(&'static str, usize)>> {
    let words: Vec<&str> = LINES.split_whitespace().collect();
    prop::collection::vec((prop::sample::select(words), 0..1000_usize), 1..10)
}

/// Three answers that are flagged, on main; and a side branch that left before them.
fn flagged() -> (World, Vec<String>) {
    let world = World::new();
    for (file, text) in [("standing_questions.json", STORE), ("a", "0\n"), ("b", "0\n")] {
        world.write(file, text);
    }
    world.commit("ask");
    world.sq_ok("record --sid s0 q1=0 q2=0");
    world.git_ok("branch side");
    let entries = (1..4).map(|n| {
        world.change("a", format!("{n}\n"));
        world.sq_ok(&format!("record --sure --sid s{n} --same q1"));
        world.json("log -n 1")["entries"][0]["id"].as_str().unwrap().to_owned()
    });
    let entries = entries.collect();
    (world, entries)
}

/// The number of open flags, and whether the gate fails.
fn open(world: &World) -> (Value, bool) {
    let (check, code) = world.check(&[]);
    (check["looks"]["open"].clone(), code == 1)
}

fn write(world: &World, entries: &[String], what: &str, number: usize) {
    let at = ["HEAD", "HEAD~1", "HEAD~2"][number % 3];
    if matches!(what, "doubled" | "carried") {
        let to = if what == "carried" { "HEAD" } else { at };
        for line in world.git_ok(&format!("notes --ref=sq show {at}")).lines() {
            let line = line.replacen('{', r#"{"unflagged":true,"#, 1);
            world.git(&["notes", "--ref=sq", "append", "-m", &line, to]).ok();
        }
        return;
    }
    let about = |more: Value| {
        let mut body =
            json!({"entry": entries[number % 3], "q_id": "q1", "q_version": 1, "because": "n"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let lines_of = |spec: &str| {
        let (revision, path) = spec.split_once(':').unwrap();
        let blob = world.git_ok(&format!("rev-parse {revision}:{path}"));
        json!({"cites": [{"path": path, "lines": [1, 1], "blob": blob.trim()}]})
    };
    let value = ["0", "3", "none"][number % 3];
    let answer = |question: &str, delta: bool, evidence: Value| json!({"results": [{"q_id": question, "delta": delta, "answer": value, "evidence": evidence}]});
    let (kind, body) = match what {
        "same" => ("rederive", json!({"results": [{"q_id": "q1", "delta": false}]})),
        "delta" => ("rederive", answer("q1", true, json!({}))),
        // What it cites does not stand at HEAD.
        "canned" => ("rederive", answer("q1", number.is_multiple_of(2), lines_of("side:a"))),
        // Its commit does not contain what is flagged.
        "elsewhere" => ("rederive", answer("q1", false, lines_of("side:a"))),
        "other" => ("rederive", answer("q2", true, lines_of("HEAD:b"))),
        "imported" => {
            let mut body = answer("q1", true, lines_of("HEAD:a"));
            body["origin"] = json!({"file": "f", "line": 1, "at": ""});
            ("rederive", body)
        }
        "verdict" => ("verdict", about(json!({"verdict": "agrees"}))),
        "second" => ("second", about(json!({"agrees": true, "answer": value}))),
        _ => ("redact", about(json!({}))),
    };
    let to = if what == "elsewhere" { "side" } else { "HEAD" };
    let to = world.git_ok(&format!("rev-parse {to}"));
    let ts = match number % 6 {
        0 => "2026-01-01T00:00:30Z".to_owned(),
        1 => "2020-01-01T00:00:00Z".to_owned(),
        _ => world.now(),
    };
    let mut line = json!({"writer": format!("invented{number}"), "n": 1, "sid": format!("x{number}"),
        "ts": ts.replace('Z', ".000Z"), "store": world.git_ok("rev-parse HEAD:standing_questions.json").trim()});
    line.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let line = event_line(to.trim(), kind, &format!("01KDVS3GR0H227V5PB56{number:06}"), &line);
    world.git(&["notes", "--ref=sq", "append", "-m", line.trim(), to.trim()]).ok();
}

proptest! {
    #![proptest_config(crate::slow(4, 20))]

    #[test]
    fn what_is_merely_written_closes_no_flag(lines in lines()) {
        let (world, entries) = flagged();
        let is_at_least = |open: &Value| open.as_u64().is_some_and(|open| open >= 3);
        prop_assert!(open(&world).1);
        for (what, number) in lines {
            write(&world, &entries, what, number);
            let (open, is_red) = open(&world);
            prop_assert!(is_at_least(&open) && is_red, "{} {}: {}", what, number, open);
        }
    }
}
