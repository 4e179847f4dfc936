//! What a probe answers is recorded by the tool, whatever the session says.

use git_sq_test_support::{World, each};
use serde_json::{Value, json};

/// q1 counts to-do notes, q2 needs judgement, q3 compares two versions.
const QUESTIONS: &str = r#"
    {"id":"q1","q":"How much is left to do?","importance":3,"probe":{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}},
    {"id":"q2","q":"Is the design sound?","importance":2,"watch":["docs/","README.md"]},
    {"id":"q3","q":"Does the README name the released version?","importance":2,"probe":{"agree":[
        {"text":{"file":"README.md","pattern":"version (\\S+)"}},
        {"text":{"file":"VERSION","lines":[1,1]}}]}}"#;

fn world() -> World {
    let world = World::new();
    for (path, text) in
        [("src/a.rs", "// TODO\n"), ("README.md", "version 1.0\n"), ("VERSION", "1.0\n")]
    {
        world.write(path, text);
    }
    world.ask_json(QUESTIONS);
    world
}

/// A transcript without the id of HEAD.
fn said(world: &World, line: &str) -> String {
    world.try_sq(line).transcript().replace(&world.head()[..10], "HEAD")
}

/// What the newest entry says of a question.
fn recorded(world: &World, question: &str) -> Value {
    let line: Value = serde_json::from_str(world.lines().last().unwrap()).unwrap();
    let mut results = each(&line["results"]);
    results.find(|answer| answer["q_id"] == question).unwrap().clone()
}

#[test]
fn probes_are_recorded_also_where_nothing_is_handed_in() {
    let world = world();
    insta::assert_snapshot!(said(&world, "record --sid s0 --same q2=sound"), @"
    first q2: sound
    first q1 (probe): 1
    first q3 (probe): true (1.0 | 1.0)
    Recorded 3 answers on HEAD (session s0).
    --- exit 0
    ");
    let first = recorded(&world, "q1");
    assert_eq!(first["answer"], 1);
    assert_eq!(first["evidence"]["probe"].as_str().unwrap().len(), 32);
    world.write("src/b.rs", "// TODO one\n// TODO two\n");
    world.write("VERSION", "1.1\n");
    world.commit("work");
    let nothing = ["record", "--sid", "s1", "--json", "-"];
    let ran = world.sq_with_input(&nothing, r#"{"results":[]}"#);
    insta::assert_snapshot!(ran.transcript().replace(&world.head()[..10], "HEAD"), @"
    DELTA q1 (probe): was 1, is 3
    DELTA q3 (probe): was true, is false (1.0 | 1.1)
    Still to answer in this session: q2.
    Recorded 2 answers on HEAD (session s1).
    --- exit 0
    ");
    assert_eq!(recorded(&world, "q1")["delta"], true);
    assert_eq!(recorded(&world, "q3")["answer"], false);
    // Recording again in the same session takes nothing back.
    insta::assert_snapshot!(said(&world, "record --sid s1"), @"
    Still to answer in this session: q2.
    Nothing new: session s1 has already recorded what the probes find on HEAD.
    --- exit 0
    ");
    let nothing = world.json("record --sid s1");
    assert_eq!((&nothing["id"], &nothing["answers"]), (&json!(""), &json!([])));
    assert_eq!(world.lines().len(), 2);
    world.commit("nothing that matters");
    world.sq_ok("record --sid s1");
    assert_eq!(recorded(&world, "q1")["delta"], false);
    world.commit("nor this");
    insta::assert_snapshot!(said(&world, "record --sid s2"), @"
    same  q1 (probe)
    same  q3 (probe)
    Still to answer in this session: q2.
    Recorded 2 answers on HEAD (session s2).
    --- exit 0
    ");
    let (check, code) = world.check(&[]);
    assert_eq!((&check["looks"]["flagged"], code), (&json!(0), 0));
}

#[test]
fn the_brief_says_what_probes_found_and_leaves_the_rest_to_the_session() {
    let world = world();
    let answered = || {
        let brief = world.sq_ok("brief");
        let (_, rest) = brief.split_once("Answered by the tool").unwrap();
        rest.split("\n\n").next().unwrap().to_owned()
    };
    insta::assert_snapshot!(answered(), @"
      fresh: q1, q3
    ");
    world.sq_ok("record --sid s0 --same q2=sound");
    world.change("src/b.rs", "// TODO one\n");
    insta::assert_snapshot!(answered(), @"
      q1    How much is left to do?
            fresh: was 1, is 2
      fresh: q3
    ");
    assert_has!(
        world.sq_ok("brief"),
        "Only then compare with the recorded answers: git sq show q2\n"
    );
    assert_eq!(world.json("brief")["questions"][0]["news"], "was 1, is 2");
}

/// Whatever the question watches, and where commits leave the files as they were.
#[test]
fn the_brief_and_the_record_find_the_same() {
    let world = World::new();
    let count = json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}});
    let log = json!({"log": {"paths": ["src/"], "take": "count"}});
    let questions = [
        json!({"id": "q1", "q": "?", "importance": 2, "watch": ["docs/"], "probe": count}),
        json!({"id": "q2", "q": "?", "importance": 2, "lines": "^fn", "probe": count}),
        json!({"id": "q3", "q": "?", "importance": 2, "probe": log}),
    ];
    world.write("src/a.rs", "// TODO\n");
    world.ask_json(&questions.map(|question| question.to_string()).join(","));
    world.sq_ok("record --sid s0");
    let news = || {
        let brief = world.json("brief");
        let news: Vec<Value> =
            each(&brief["questions"]).map(|question| question["news"].clone()).collect();
        json!(news)
    };
    world.change("src/a.rs", "// TODO\n// TODO\n");
    assert_eq!(news(), json!(["was 1, is 2", "was 1, is 2", "was 1, is 2"]));
    world.git_ok("revert --no-edit HEAD");
    assert_eq!(news(), json!([null, null, "was 1, is 3"]));
    world.sq_ok("record --sid s1");
    let deltas = ["q1", "q2", "q3"].map(|name| recorded(&world, name)["delta"].clone());
    assert_eq!(json!(deltas), json!([false, false, true]));
}

#[test]
fn a_contrary_claim_is_recorded_beside_the_delta_and_named() {
    let world = world();
    world.sq_ok("record --sid s0 --same q2=sound");
    world.change("src/b.rs", "// TODO one\n");
    insta::assert_snapshot!(said(&world, "record --sid s1 --same q1 --delta 'q3=all new'"), @"
    DELTA q1 (probe): was 1, is 2
          you recorded `same`, but its probe finds a change
    same  q3 (probe): true (claimed: all new)
          you recorded a delta, but its probe finds no change
    Still to answer in this session: q2.
    Recorded 2 answers on HEAD (session s1).
    --- exit 0
    ");
    let (q1, q3) = (recorded(&world, "q1"), recorded(&world, "q3"));
    assert_eq!((&q1["delta"], &q1["claim"]), (&json!(true), &json!(false)));
    assert_eq!((&q3["delta"], &q3["claim"]), (&json!(false), &json!(true)));
    assert_has!(world.sq_ok("show s1"), "DELTA q1: was 1, is 2 (the session said same)");
    assert_has!(world.sq_ok("check"), "\n\nclean: 3 fresh\n");
}

/// What a probe gave needs no evidence, whatever moved; what needs judgement does, and is not left out.
#[test]
fn facts_are_no_look_and_excuse_none() {
    let world = world();
    world.sq_ok("record --sid s0 --same q2=sound");
    for (sid, file, answers, suspicious) in [
        ("s1", "src/b.rs", "", false),
        ("s2", "docs/a.md", "", false),
        ("s3", "docs/a.md", "--same q2", true),
        ("s4", "docs/a.md", "--same q2=docs/a.md:1", false),
    ] {
        world.write(file, sid);
        world.write("src/a.rs", format!("// TODO {sid}\n"));
        world.commit(sid);
        world.sq_ok(format!("record --sure --sid {sid} {answers}").trim());
        let found = world.found("about");
        assert_eq!(found.contains(&sid.to_owned()), suspicious, "{found:?}");
    }
}

#[test]
fn what_a_probe_can_not_find_out_is_left_unanswered() {
    let world = World::new();
    world.write("src/a.rs", "");
    world.ask_json(&QUESTIONS.replace(
        r#"{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}"#,
        r#"{"log":{"paths":["src/"]}}"#,
    ));
    world.commit("more");
    let shallow = world.cloned("--depth 1", "shallow");
    let said = world.sq_in(&shallow, &["record", "--same", "q2=sound"]).stdout;
    assert_has!(said, "the probe of q1 failed: the history is cut off here");
    assert!(!said.contains("q1 (probe)"), "{said}");
    // No session owes a fact, and the brief asks for none.
    assert!(!said.contains("Still to answer"), "{said}");
}

#[test]
fn long_answers_are_recorded_by_their_digest_and_lists_by_what_differs() {
    let world = World::new();
    for number in 0..100 {
        world.write(&format!("src/file-{number:03}"), "");
    }
    world.ask_json(r#"{"id":"q1","q":"?","importance":2,"probe":{"files":{"paths":["src/"]}}}"#);
    world.sq_ok("record --sid s0");
    assert!(recorded(&world, "q1")["answer"]["sha256"].is_string());
    std::fs::remove_file(world.dir.join("src/file-007")).unwrap();
    world.write("src/new", "");
    world.commit("move");
    world.sq_ok("record --sid s1");
    assert_eq!(recorded(&world, "q1")["note"], "new: src/new; removed: src/file-007");
    std::fs::remove_dir_all(world.dir.join("src")).unwrap();
    world.commit("remove");
    world.sq_ok("record --sid s2");
    assert_eq!(recorded(&world, "q1")["answer"], json!([]));
}
