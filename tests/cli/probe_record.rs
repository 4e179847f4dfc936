//! What a probe answers is recorded by the tool, whatever the session says.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// q1 counts to-do notes, q2 needs judgement, q3 compares two versions.
const STORE: &str = r#"{"_schema":"standing_questions/v2","questions":[
    {"id":"q1","q":"How much is left to do?","importance":3,"probe":{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}},
    {"id":"q2","q":"Is the design sound?","importance":2,"watch":["docs/","README.md"]},
    {"id":"q3","q":"Does the README name the released version?","importance":2,"probe":{"agree":[
        {"text":{"file":"README.md","pattern":"version (\\S+)"}},
        {"text":{"file":"VERSION","lines":[1,1]}}]}}]}"#;

fn world() -> World {
    let world = World::new();
    world.write("standing_questions.json", STORE);
    world.write("src/a.rs", "// TODO\n");
    world.write("README.md", "version 1.0\n");
    world.write("VERSION", "1.0\n");
    world.commit("ask");
    world
}

/// What the newest entry says of a question.
fn recorded(world: &World, question: &str) -> Value {
    let line: Value = serde_json::from_str(world.lines().last().unwrap()).unwrap();
    let results = line["results"].as_array().unwrap();
    let mut answer = results
        .iter()
        .find(|one| one["q_id"] == question)
        .unwrap()
        .clone();
    answer.as_object_mut().unwrap().remove("last_rederived_ts");
    answer
}

#[test]
fn probes_are_recorded_also_where_nothing_is_handed_in() {
    let world = world();
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s0", "--same", "q2=sound"]).transcript(), @"
    first q2: sound
    first q1 (probe): 1
    first q3 (probe): true (1.0 | 1.0)
    Recorded 3 answers on 6c0fff2418 (session s0).
    --- exit 0
    ");
    let first = recorded(&world, "q1");
    assert_eq!(first["answer"], 1);
    assert_eq!(first["evidence"]["probe"].as_str().unwrap().len(), 32);
    world.write("src/b.rs", "// TODO one\n// TODO two\n");
    world.write("VERSION", "1.1\n");
    world.commit("work");
    let json = world.sq_with_input(
        &["record", "--sid", "s1", "--json", "-"],
        r#"{"results":[]}"#,
    );
    insta::assert_snapshot!(json.transcript(), @"
    DELTA q1 (probe): was 1, is 3
    DELTA q3 (probe): was true, is false (1.0 | 1.1)
    Left to answer in this session: q2.
    Recorded 2 answers on 64c3186e13 (session s1).
    --- exit 0
    ");
    assert_eq!(recorded(&world, "q1")["delta"], true);
    assert_eq!(recorded(&world, "q3")["answer"], false);
    // Recording again in the same session takes nothing back.
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s1"]).transcript(), @"
    Left to answer in this session: q2.
    Nothing new: session s1 has already recorded what the probes find on 64c3186e13.
    --- exit 0
    ");
    let nothing = world
        .sq(&["record", "--sid", "s1", "--format", "json"])
        .json();
    assert_eq!(
        (&nothing["id"], &nothing["answered"]),
        (&json!(""), &json!(0))
    );
    assert_eq!(world.lines().len(), 2);
    world.commit("nothing that matters");
    world.sq_ok("record --sid s1");
    assert_eq!(recorded(&world, "q1")["delta"], false);
    world.commit("nor this");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s2"]).transcript(), @"
    same  q1 (probe)
    same  q3 (probe)
    Left to answer in this session: q2.
    Recorded 2 answers on 613a601034 (session s2).
    --- exit 0
    ");
    let (check, code) = world.check(&[]);
    assert_eq!((&check["looks"]["flagged"], code), (&json!(0), 0));
}

#[test]
fn the_brief_says_what_probes_found_and_leaves_the_rest_to_the_session() {
    let world = world();
    insta::assert_snapshot!(world.sq(&["brief"]).transcript(), @"
    Standing questions on main at 6c0fff2418
    Derive each answer anew: read the files, run the commands. Do not answer from memory, notes or this log.

    Answered by the tool (recorded together with your answers)
      q1    How much is left to do?
            1
      q3    Does the README name the released version?
            true (1.0 | 1.0)

    Where the last session stopped
      No state yet.

    Questions of importance 2
      q2    Is the design sound?  [never answered]
            watches docs/, README.md

    Record it: git sq record 'q2=the answer' --cite q2=path:3-5
    Tell the user what changed, before any other work.
    Before you stop: git sq state set --handover 'what the next session has to know'
    --- exit 0
    ");
    world.sq_ok("record --sid s0 --same q2=sound");
    world.write("src/b.rs", "// TODO one\n");
    world.commit("work");
    insta::assert_snapshot!(world.sq(&["brief"]).transcript(), @"
    Standing questions on main at 40e31cfae6
    Derive each answer anew: read the files, run the commands. Do not answer from memory, notes or this log.

    What changed
      since s0: 1 commit, 1 changed file
        src/b.rs

    Answered by the tool (recorded together with your answers)
      q1    How much is left to do?
            was 1, is 2
      unchanged: q3

    Where the last session stopped
      No state yet.

    Questions of importance 2
      q2    Is the design sound?
            watches docs/, README.md

    Deltas of the last two sessions
      s0 (4 minutes ago, Ada Example): no delta

    Only then compare with the recorded answers: git sq show q2
    Record it: git sq record 'q2=the answer' --cite q2=path:3-5
    Tell the user what changed, before any other work.
    Before you stop: git sq state set --handover 'what the next session has to know'
    --- exit 0
    ");
    let brief = world.sq(&["brief", "--format", "json"]).json();
    assert_eq!(brief["questions"][0]["news"], "was 1, is 2");
}

/// Whatever the question watches, and where commits leave the files as they were.
#[test]
fn the_brief_and_the_record_find_the_same() {
    let world = World::new();
    let count = json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}});
    let log = json!({"log": {"paths": ["src/"], "take": "count"}});
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "?", "importance": 2, "watch": ["docs/"], "probe": count},
        {"id": "q2", "q": "?", "importance": 2, "lines": "^fn", "probe": count},
        {"id": "q3", "q": "?", "importance": 2, "probe": log}]});
    world.write("standing_questions.json", store.to_string());
    world.write("src/a.rs", "// TODO\n");
    world.commit("ask");
    world.sq_ok("record --sid s0");
    let news = || {
        let brief = world.sq(&["brief", "--format", "json"]).json();
        let questions = brief["questions"].as_array().unwrap().iter();
        let news: Vec<Value> = questions.map(|one| one["news"].clone()).collect();
        json!(news)
    };
    world.write("src/a.rs", "// TODO\n// TODO\n");
    world.commit("more");
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
    world.write("src/b.rs", "// TODO one\n");
    world.commit("work");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s1", "--same", "q1", "--delta", "q3=all new"]).transcript(), @"
    DELTA q1 (probe): was 1, is 2
          you recorded `same`, but its probe finds a change
    same  q3 (probe): true (claimed: all new)
          you recorded a delta, but its probe finds no change
    Left to answer in this session: q2.
    Recorded 2 answers on 104919a071 (session s1).
    --- exit 0
    ");
    let (q1, q3) = (recorded(&world, "q1"), recorded(&world, "q3"));
    assert_eq!((&q1["delta"], &q1["claim"]), (&json!(true), &json!(false)));
    assert_eq!((&q3["delta"], &q3["claim"]), (&json!(false), &json!(true)));
    let shown = world.sq_ok("show s1");
    assert_has!(shown, "DELTA q1: was 1, is 2 (the session said same)");
    let id: Value = serde_json::from_str(world.lines().last().unwrap()).unwrap();
    let check = world.sq(&["check"]).transcript();
    insta::assert_snapshot!(check.replace(id["id"].as_str().unwrap(), "[ID]"), @"
    2 sessions on main at 104919a071, 3 questions asked

      question  staleness  state  sessions  last answered
      q1                0  fresh  ●▲        s1 (2026-01-01, Ada Example)
      q2                1  fresh  ●·        s0 (2026-01-01, Ada Example)
      q3                0  fresh  ●●        s1 (2026-01-01, Ada Example)
      ● same, ▲ delta, · not answered

    quiet sessions: 0 of 2 (longest run 0)

    clean
    --- exit 0
    ");
}

/// What a probe gave needs no evidence, whatever moved; what needs judgement does, and is not left out.
#[test]
fn probes_excuse_only_what_they_answer() {
    let world = world();
    world.sq_ok("record --sid s0 --same q2=sound");
    for (sid, file, answers, suspicious) in [
        ("s1", "src/b.rs", "", false),
        ("s2", "docs/a.md", "", true),
        ("s3", "docs/a.md", "--same q2", true),
        ("s4", "docs/a.md", "--same q2=docs/a.md:1", false),
    ] {
        world.write(file, sid);
        world.write("src/a.rs", format!("// TODO {sid}\n"));
        world.commit(sid);
        world.sq_ok(format!("record --sure --sid {sid} {answers}").trim());
        let (check, _) = world.check(&[]);
        let mut findings = check["findings"].as_array().unwrap().iter();
        assert_eq!(
            findings.any(|one| one["about"] == sid),
            suspicious,
            "{check}"
        );
    }
}

#[test]
fn what_a_probe_can_not_find_out_is_left_unanswered() {
    let world = World::new();
    let store = STORE.replace(
        r#"{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}"#,
        r#"{"log":{"paths":["src/"]}}"#,
    );
    world.write("standing_questions.json", store);
    world.write("src/a.rs", "");
    world.commit("ask");
    let url = format!("file://{}", world.dir.display());
    world.commit("more");
    let shallow = world.beside().join("shallow");
    world.git_ok(&format!("clone -q --depth 1 {url} {}", shallow.display()));
    let ran = world.sq_in(&shallow, &["record", "--same", "q2=sound"]);
    assert!(
        ran.stdout
            .contains("the probe of q1 failed: the history is cut off here"),
        "{}",
        ran.transcript()
    );
    assert_has!(ran.stdout, "Left to answer in this session: q1");
}

#[test]
fn long_answers_are_recorded_by_their_digest_and_lists_by_what_differs() {
    let world = World::new();
    world.write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[
        {"id":"q1","q":"?","importance":2,"probe":{"files":{"paths":["src/"]}}}]}"#,
    );
    for number in 0..100 {
        world.write(&format!("src/file-{number:03}"), "");
    }
    world.commit("ask");
    world.sq_ok("record --sid s0");
    assert!(recorded(&world, "q1")["answer"]["sha256"].is_string());
    std::fs::remove_file(world.dir.join("src/file-007")).unwrap();
    world.write("src/new", "");
    world.commit("move");
    world.sq_ok("record --sid s1");
    assert_eq!(
        recorded(&world, "q1")["note"],
        "new: src/new; gone: src/file-007"
    );
    std::fs::remove_dir_all(world.dir.join("src")).unwrap();
    world.commit("remove");
    world.sq_ok("record --sid s2");
    assert_eq!(recorded(&world, "q1")["answer"], json!([]));
}
