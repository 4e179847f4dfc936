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
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s0", "--same", "q2=sound"]).transcript(), @"");
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
    insta::assert_snapshot!(json.transcript(), @"");
    assert_eq!(recorded(&world, "q1")["delta"], true);
    assert_eq!(recorded(&world, "q3")["answer"], false);
    // Recording again in the same session takes nothing back.
    assert!(
        world
            .try_sq("record --sid s1")
            .stderr
            .contains("nothing to record")
    );
    world.commit("nothing that matters");
    world.sq_ok("record --sid s1");
    assert_eq!(recorded(&world, "q1")["delta"], true);
    world.commit("nor this");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s2"]).transcript(), @"");
    let (check, code) = world.check(&[]);
    assert_eq!((check["findings"].clone(), code), (json!([]), 0));
}

#[test]
fn the_brief_says_what_probes_found_and_leaves_the_rest_to_the_session() {
    let world = world();
    insta::assert_snapshot!(world.sq(&["brief"]).transcript(), @"");
    world.sq_ok("record --same q2=sound");
    world.write("src/b.rs", "// TODO one\n");
    world.commit("work");
    insta::assert_snapshot!(world.sq(&["brief"]).transcript(), @"");
    let brief = world.sq(&["brief", "--format", "json"]).json();
    assert_eq!(brief["questions"][0]["news"], "was 1, is 2");
}

#[test]
fn a_contrary_claim_is_recorded_beside_the_delta_and_named() {
    let world = world();
    world.sq_ok("record --sid s0 --same q2=sound");
    world.write("src/b.rs", "// TODO one\n");
    world.commit("work");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s1", "--same", "q1", "--delta", "q3=all new"]).transcript(), @"");
    let (q1, q3) = (recorded(&world, "q1"), recorded(&world, "q3"));
    assert_eq!((&q1["delta"], &q1["claim"]), (&json!(true), &json!(false)));
    assert_eq!((&q3["delta"], &q3["claim"]), (&json!(false), &json!(true)));
    insta::assert_snapshot!(world.sq(&["check"]).transcript(), @"");
}

/// A session whose answers a probe gave is not silent, whatever moved; one that judges still is.
#[test]
fn probes_excuse_only_what_they_answer() {
    let world = world();
    world.sq_ok("record --sid s0 --same q2=sound");
    for (sid, answers, suspicious) in [("s1", "", false), ("s2", "--same q2", true)] {
        world.write("docs/a.md", sid);
        world.write("src/a.rs", format!("// TODO {sid}\n"));
        world.commit(sid);
        world.sq_ok(format!("record --sid {sid} {answers}").trim());
        let (check, _) = world.check(&[]);
        let verdicts = check["quiet"]["verdicts"].as_array().unwrap();
        assert_eq!(
            verdicts.last().unwrap()["suspicious"],
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
    assert!(
        ran.stdout.contains("Not answered yet in this session: q1"),
        "{}",
        ran.transcript()
    );
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
