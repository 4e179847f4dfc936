//! Rules that hold answers against the repository and against the answers before them: each fires, and its honest
//! counterpart does not.

use git_sq_test_support::{World, each, event_line, store_v2};
use serde_json::{Value, json};

/// The file that q1 watches.
const FILE: &str = "src/a.rs";

/// Asks q1, which watches src/ and says that lines with `limit` matter, with more keys; and answers it in s0.
fn asked(more: &str) -> World {
    answered("3", more)
}

fn answered(answer: &str, more: &str) -> World {
    let world = World::new();
    world.write("standing_questions.json", store(more));
    world.write(FILE, text(&["fn main() {", "let limit = 3;", "}"]));
    world.change("docs/a.md", "words\n");
    world.sq_ok(&format!("record --sid s0 --same 'q1={answer}'"));
    world
}

fn store(more: &str) -> String {
    store_v2(&format!(
        r#"{{"id":"q1","q":"What is the limit?","importance":2,"watch":["src/"],"lines":"limit"{more}}}"#
    ))
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Commits another limit.
fn exposed(world: &World, limit: usize) {
    let limit = format!("let limit = {limit};");
    world.write(FILE, text(&["fn main() {", &limit, "}"]));
    world.commit(&limit);
}

/// What was found about answers.
fn findings(world: &World) -> Vec<Value> {
    let findings = world.check(&[]).0["findings"].take();
    each(&findings).filter(|&finding| finding["rule"] != "outdated").cloned().collect()
}

/// The rules, each with what it is about, the first first.
fn found(world: &World) -> Vec<String> {
    findings(world)
        .iter()
        .map(|finding| format!("{} {}", finding["rule"], finding["about"]).replace('"', ""))
        .collect()
}

/// The message of the only finding.
fn message(world: &World) -> String {
    let [only] = findings(world).try_into().unwrap();
    only["message"].as_str().unwrap().to_owned()
}

/// Another clone answers, two hours later: with a value, and with citations of HEAD's files.
fn answer(world: &World, sid: &str, delta: bool, answer: Value, cites: &[(&str, [u32; 2])]) {
    let cites = cites.iter().map(|(path, lines)| {
        let blob = world.git_ok(&format!("rev-parse HEAD:{path}"));
        json!({"path": path, "lines": lines, "blob": blob.trim()})
    });
    let cites: Vec<Value> = cites.collect();
    cited(world, sid, delta, answer, &json!(cites));
}

fn cited(world: &World, sid: &str, delta: bool, answer: Value, cites: &Value) {
    let mut result =
        json!({"q_id": "q1", "delta": delta, "note": "n", "evidence": {"cites": cites}});
    if !answer.is_null() {
        result["answer"] = answer;
    }
    world.pass(7200);
    let body = json!({"writer": format!("clone-{sid}"), "n": 1, "ts": world.now().replace('Z', ".000Z"), "sid": sid, "results": [result],
        "store": world.git_ok("rev-parse HEAD:standing_questions.json").trim()});
    let line = event_line(&world.head(), "rederive", "", &body);
    let append = ["notes", "--ref=sq", "append", "-m", line.trim(), "HEAD"];
    world.git(&append).ok();
}

#[test]
fn an_exposed_answer_and_a_delta_rest_on_something() {
    let world = asked("");
    exposed(&world, 4);
    world.sq_ok("record --sure --sid s1 --same q1");
    let entry = world.entry_of("s1");
    insta::assert_snapshot!(message(&world).replace(&entry, "[ID]"), @"q1 of session s1 (Ada Example) at 9cd5f65852, entry [ID]: src/a.rs:2 changed since d4d8623f86, and it says `same` without the answer");
    exposed(&world, 5);
    world.sq_ok("record --sure --sid s2 --delta 'q1=now 5'");
    assert_eq!(found(&world), ["no-evidence s2", "no-evidence s1"]);
    // The honest one cites, and so answers anew; and what was not exposed needs no citation.
    exposed(&world, 6);
    world.sq_ok("record --sure --sid s3 --delta 'q1=now 6, src/a.rs:2'");
    assert_eq!(found(&world), [""; 0]);
    world.write(FILE, text(&["fn begin() {", "let limit = 6;", "}"]));
    world.commit("rename");
    world.sq_ok("record --sure --sid s4 --same q1");
    assert_eq!(found(&world), [""; 0]);
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn what_is_exposed_is_not_left_out() {
    let world = asked(r#"},{"id":"q2","q":"?","importance":2,"watch":["docs/"]"#);
    world.sq_ok("record --sid s0 --same q2=words");
    exposed(&world, 4);
    world.sq_ok("record --sure --sid s1 --same q2");
    insta::assert_snapshot!(message(&world), @"session s1 (Ada Example) at 07032f94bf left out q1: src/a.rs:2 changed since 6211c36e9f");
    // Who answers only what is due answers what is exposed.
    world.sq_ok("record --sure --sid s1 --delta 'q1=4, src/a.rs:2'");
    world.write("docs/a.md", "other words\n");
    world.commit("write");
    world.sq_ok("record --sure --sid s2 --delta 'q2=other words, docs/a.md:1'");
    assert_eq!(found(&world), [""; 0]);
}

#[test]
fn citations_hold() {
    let world = asked("");
    exposed(&world, 4);
    let blob = world.git_ok("rev-parse HEAD:src/a.rs").trim().to_owned();
    let with = |path: &str, lines: [u32; 2], quote: &str| json!([{"path": path, "lines": lines, "blob": blob, "quote": quote}]);
    for (sid, cite) in [
        ("s2", with("src/b.rs", [2, 2], "limit")),
        ("s3", with(FILE, [2, 9], "limit")),
        ("s4", with(FILE, [2, 2], "limit = 3")),
        ("s5", with("../a", [2, 2], "")),
    ] {
        cited(&world, sid, false, Value::Null, &cite);
    }
    let mut expected = vec!["flagged null".to_owned()];
    expected.extend(["s5", "s4", "s3", "s2"].map(|sid| format!("no-evidence {sid}")));
    assert_eq!(found(&world), expected);
    let quoted = with(FILE, [2, 2], "limit  = 4");
    cited(&world, "s6", false, json!(4), &quoted);
    assert_eq!(found(&world), [""; 0]);
}

#[test]
fn citations_are_of_what_is_watched_and_matters() {
    let world = asked("");
    exposed(&world, 4);
    world.sq_ok("record --sure --sid s1 --delta 'q1=4, docs/a.md:1'");
    assert!(message(&world).ends_with("docs/a.md:1 is not in src/"));
    world.sq_ok("record --sure --sid s1 --delta 'q1=4, src/a.rs:2'");
    assert_eq!(found(&world), [""; 0]);
    exposed(&world, 5);
    world.sq_ok("record --sure --sid s2 --delta 'q1=5, src/a.rs:1'");
    assert!(message(&world).ends_with("no line of src/a.rs:1 matches `lines` (limit)"));
}

#[test]
fn nobody_cites_whole_files() {
    let world = asked(r#","shape":"text""#);
    let long = |first: &str, last: &str| {
        let mut lines = vec!["// no"; 60];
        (lines[0], lines[59]) = (first, last);
        text(&lines)
    };
    world.write(FILE, long("limit a", "limit b"));
    world.commit("longer");
    world.sq_ok("record --sure --sid s1 'q1=limit a' --delta q1 --cite q1=src/a.rs:1-60");
    insta::assert_snapshot!(message(&world).split_once(": ").unwrap().1, @"src/a.rs:1 changed since 58ba726f4f, and src/a.rs:1-60 has 60 lines (cite.max_lines is 40)");
    // What is cited twice is read once.
    world
        .sq_ok("record --sure --sid s5 'q1=limit a' --delta q1 --cite q1=src/a.rs:1-30 --cite q1=src/a.rs:11-40 --cite q1=src/a.rs:20");
    assert_eq!(found(&world), [""; 0]);
    let store = store(r#","shape":"list""#).replace("\"q1\",", "\"q1\",\"version\":2,");
    world.write("standing_questions.json", store);
    world.commit("a list may be long");
    world.sq_ok("record --sure --sid s3 --same 'q1=limit a' --cite q1=src/a.rs:1-60");
    // Version 1 is no longer in the store.
    assert_eq!(found(&world), [""; 0]);
    world.write(FILE, long("limit a", "nothing"));
    world.commit("one end");
    world.sq_ok("record --sure --sid s4 q1=nothing --delta q1 --cite q1=src/a.rs:1-60");
    assert_eq!(found(&world), ["no-evidence s4"]);
}

#[test]
fn what_is_answered_is_in_what_is_cited() {
    let world = answered("let limit", r#","shape":"list""#);
    let cite = [(FILE, [2, 2])];
    exposed(&world, 4);
    answer(&world, "s1", true, json!(["Let  Limit", "src/a.rs"]), &cite);
    assert_eq!(found(&world), [""; 0]);
    exposed(&world, 5);
    answer(&world, "s2", true, json!(["let limit", "main"]), &cite);
    assert_eq!(found(&world)[0], "not-shown s2");
}

#[test]
fn answers_are_held_against_deltas() {
    let world = asked(r#","shape":"number""#);
    let cite = [(FILE, [2, 2])];
    answer(&world, "s1", false, json!(3), &cite);
    exposed(&world, 4);
    answer(&world, "s2", true, json!(4), &cite);
    assert_eq!(found(&world), [""; 0]);
    exposed(&world, 5);
    answer(&world, "s3", false, json!(5), &cite);
    assert_eq!(found(&world), ["not-shown s3"]);
    exposed(&world, 6);
    answer(&world, "s4", true, json!(5), &cite);
    // It differs from the answer that counts, whatever s3 said.
    assert_eq!(found(&world), [""; 0]);
}

/// What changed is elsewhere in the watched files; all that is cited stands.
#[test]
fn the_same_lines_do_not_give_another_answer() {
    let world = asked("");
    world.sq_ok("record --sid s0 --same 'q1=it is 3, src/a.rs:2'");
    world.change("src/b.rs", "let limit = 9;\n");
    world.sq_ok("record --sure --sid s1 --delta 'q1=it is 4, src/a.rs:2'");
    assert_eq!(found(&world), ["nothing-changed s1"]);
    world.sq_ok("record --sure --sid s2 --delta 'q1=9 too, src/b.rs:1'");
    assert_eq!(found(&world), [""; 0]);
}

/// Its answer follows from the files, whoever says what.
#[test]
fn what_is_recorded_of_a_fact_is_no_look() {
    let world = World::new();
    world.write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":2,
        "probe":{"grep":{"text":"limit","paths":["src/"],"take":"count"}}}]}"#,
    );
    world.change(FILE, "limit\n");
    world.sq_ok("record --sid s0");
    world.change(FILE, "none\n");
    answer(&world, "s2", false, json!(2), &[(FILE, [1, 1])]);
    assert_eq!(found(&world), [""; 0]);
    assert_eq!(world.check(&[]).0["looks"]["looks"], 0);
}

/// Another clone's answer of the last hour may not have been known.
#[test]
fn a_race_of_two_clones_names_nobody() {
    let world = asked(r#","shape":"number""#);
    let cite = [(FILE, [2, 2])];
    answer(&world, "s1", false, json!(3), &cite);
    exposed(&world, 4);
    answer(&world, "s2", true, json!(4), &cite);
    world.sq_ok("record --sure --sid s3 q1=4 --delta q1 --cite q1=src/a.rs:2");
    assert_eq!(found(&world), [""; 0]);
    world.pass(7200);
    world.sq_ok("record --sure --sid s4 q1=5 --delta q1 --cite q1=src/a.rs:2");
    assert_eq!(found(&world), ["nothing-changed s4"]);
}

/// What was judged once is not judged again, and says the same.
#[test]
fn what_was_judged_is_remembered() {
    let world = asked("");
    for n in 1..=4 {
        exposed(&world, n * 10);
        world.sq_ok(&format!("record --sure --sid s{n} --same q1"));
        let kept = world.try_sq("check --format json").stdout;
        assert_eq!(kept, world.try_sq("check --format json --no-cache").stdout);
    }
    let file = world.dir.join(".git/sq/cache/index");
    std::fs::write(&file, "garbled").unwrap();
    exposed(&world, 99);
    world.sq_ok("record --sure --sid s5 --same q1");
    assert_eq!(found(&world).len(), 7, "{:?}", found(&world));
    assert_ne!(std::fs::read(&file).unwrap(), b"garbled");
}

/// What `check` would say is asked before it is written.
#[test]
fn doubts_are_asked_first() {
    let world = asked("");
    exposed(&world, 4);
    insta::assert_snapshot!(world.try_sq("record --sid s1 --same q1").transcript(), @"
    --- stderr
    fatal: q1: src/a.rs:2 changed since s0 answered at d4d8623f86: give the answer again, and the lines that show it now
      git sq record 'q1=the answer' --same q1 --cite q1=path:3-5
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    --- exit 128
    ");
    assert_eq!(world.lines().len(), 1);
    insta::assert_snapshot!(world.try_sq("record --sid s1 --delta q1=src/a.rs:1").transcript(), @r#"
    --- stderr
    fatal: q1: src/a.rs:2 changed since d4d8623f86, and no line of src/a.rs:1 matches `lines` (limit)
      add the lines that show it now: --cite q1=path:3-5; if the last answer was wrong, --wrong 'q1=what is true' --cite q1=path:3-5
    hint: nothing was written; if this is right, repeat the command with --sure (json: "sure": true)
    --- exit 128
    "#);
    world.sq_ok("record --sid s1 --delta q1=src/a.rs:2");
    world.write("docs/b.md", "more\n");
    world.commit("write");
    let sure =
        r#"{"sure":true,"results":[{"q_id":"q1","delta":true,"note":"5","cites":["src/a.rs:2"]}]}"#;
    let unsure = sure.replace("true,\"results", "false,\"results");
    let record =
        |input: &str| world.sq_with_input(&["record", "--sid", "s2", "--json", "-"], input);
    insta::assert_snapshot!(record(&unsure).transcript(), @r#"
    --- stderr
    fatal: q1: nothing changed since 9cd5f65852, where src/a.rs:2 stood, too
      if the last answer was wrong, --wrong 'q1=what is true' --cite q1=path:3-5; if it is the same, --same q1
    hint: nothing was written; if this is right, repeat the command with --sure (json: "sure": true)
    --- exit 128
    "#);
    assert_eq!(world.lines().len(), 2);
    record(sure).ok();
    assert_eq!(found(&world), ["nothing-changed s2"]);
}
