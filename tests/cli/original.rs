//! Logs of the original scripts, where their format leaves something open. That the figures are theirs,
//! `tests/property/figures.rs` shows.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// One entry of the original's tests: session, head and answers.
type Case<'c> = (&'c str, &'c str, &'c [(&'c str, bool)]);

fn entry((sid, head, answers): &Case) -> Value {
    let ts = "2026-05-01T00:00:00Z";
    let results = answers.iter().map(
        |(question, delta)| json!({"q_id": question, "last_rederived_ts": ts, "delta": delta}),
    );
    json!({"ts": ts, "kind": "rederive", "sid": sid, "repo_head_sha": head,
        "results": results.collect::<Vec<_>>()})
}

fn log(entries: &[Value]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

const FALSE: &[(&str, bool)] = &[("q1", false)];

#[test]
fn entries_of_a_file_keep_its_order_whatever_their_times_say() {
    let world = World::asked();
    let head = world.head();
    world.pass(3600 * 24 * 30);
    let line = |sid: &str, ts: &str| {
        let mut line = entry(&(sid, &head, FALSE));
        line["ts"] = ts.into();
        line
    };
    let lines = ["03T00", "01T12", "02T00", "04T00", "03T12"];
    let lines: Vec<Value> = (1..)
        .zip(lines)
        .map(|(number, hour)| line(&format!("s{number}"), &format!("2026-01-{hour}:00:00Z")))
        .collect();
    let order = || {
        world
            .sq_ok("export")
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                format!(
                    "{} {}",
                    line["sid"].as_str().unwrap(),
                    &line["ts"].as_str().unwrap()[5..10]
                )
            })
            .collect::<Vec<_>>()
    };
    world.write("log.jsonl", log(&lines[..4]));
    world.sq_ok("import log.jsonl");
    let mut kept = vec!["s1 01-03", "s2 01-01", "s3 01-02", "s4 01-04"];
    assert_eq!(order(), kept);
    // What the file got since then follows, and what is recorded here comes after.
    world.write("log.jsonl", log(&lines));
    world.sq_ok("import log.jsonl");
    kept.push("s5 01-03");
    assert_eq!(order(), kept);
    world.record("s6").ok();
    assert!(order()[5].starts_with("s6"));
    assert_eq!(world.check(&[]).0["latest_sid"], "s6");
    let shown = world.json("log");
    assert_eq!(shown["entries"][1]["ts"], "2026-01-03T12:00:00.000Z");
    // From the cache, too.
    assert_eq!(world.check(&[]), world.check(&["--no-cache"]));
}

#[test]
fn keys_of_this_log_are_left_out_and_the_last_of_two_counts() {
    let world = World::asked();
    world.pass(365 * 24 * 3600);
    world.write("log.jsonl", r#"{"kind":"rederive","ts":"2026-05-03T00:00:00+02:00","sid":"s4","sid":"s5","agent":"claude","v":7,"repo_head_sha":"abcdef0","results":[{"q_id":"q1"}]}"#);
    insta::assert_snapshot!(world.sq_ok("import log.jsonl"), @r"
    Imported 1 entry of log.jsonl.
      1 with a commit that is not in this history; attached to the newest earlier one
      1 with reserved keys, which were left out
    ");
    let line: Value = serde_json::from_str(&world.lines()[0]).unwrap();
    assert_eq!((&line["sid"], &line["v"]), (&json!("s5"), &json!(1)));
    assert_eq!((&line["ts"], &line["agent"]), (&json!("2026-05-02T22:00:00.000Z"), &Value::Null));
    assert_eq!(world.check(&[]).0["unknown"], json!([]));
}

#[test]
fn odd_values_are_refused_by_name() {
    let world = World::asked();
    let good = r#"{"kind":"rederive","ts":"2026-05-01T10:00:00Z","sid":"s1","repo_head_sha":"abcdef0","results":[{"q_id":"q1","delta":true}]}"#;
    let lines = [
        ("2026-05-01T10:00:00Z", "yesterday"),
        ("\"s1\"", "7"),
        ("\"abcdef0\"", "null"),
        ("true", "1"),
        ("\"q1\"", "\"\""),
    ]
    .map(|(old, new)| good.replace(old, new));
    world.write("log.jsonl", lines.join("\n") + "\n{broken\n");
    insta::assert_snapshot!(world.try_sq("import log.jsonl").transcript(), @r#"
    --- stderr
    fatal: log.jsonl: line 1: `ts` is not a time: "yesterday"
    fatal: log.jsonl: line 2: `sid` is missing, empty or not a string
    fatal: log.jsonl: line 3: `repo_head_sha` is missing, empty or not a string
    fatal: log.jsonl: line 4: results[0]: invalid type: integer `1`, expected a boolean at line 1 column 22
    fatal: log.jsonl: line 5: results[0]: `q_id` is empty
    fatal: log.jsonl: line 6: invalid JSON: key must be a string at line 1 column 2
    hint: fix these lines; `git sq import --skip-bad` leaves them out
    --- exit 128
    "#);
}
