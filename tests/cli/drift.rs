//! Drifts: which fail the gate, what settles them, and what people say of them.

use git_sq_test_support::{World, event_line};
use serde_json::{Value, json};

use crate::generated::assert_valid;

/// q1 counts to-do notes, with these keys besides; q2 needs judgement.
fn asking(keys: &Value) -> World {
    let world = World::new();
    let mut question = json!({"id": "q1", "q": "How much is left to do?", "importance": 3,
        "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}});
    let object = question.as_object_mut().unwrap();
    object.extend(keys.as_object().unwrap().clone());
    let store = json!({"_schema": "standing_questions/v2", "questions": [question,
        {"id": "q2", "q": "Is the design sound?", "importance": 2}]});
    world.write("standing_questions.json", store.to_string());
    session(&world, "s0", 1);
    world
}

/// A commit with so many to-do notes, and a session that records what the probe finds.
fn session(world: &World, sid: &str, todos: usize) {
    world.write("src/a.rs", "// TODO\n".repeat(todos));
    world.commit(&format!("{todos} to do"));
    world.sq_ok(&format!("record --sid {sid}"));
}

/// What `check` says of drifts, and its exit code.
fn gate(world: &World) -> (Vec<String>, i32) {
    let (check, code) = world.check(&[]);
    let findings = check["findings"].as_array().unwrap().iter();
    let drifts = findings.filter(|one| one["rule"] == "drift");
    let text = |one: &Value| one["message"].as_str().unwrap().to_owned();
    (drifts.map(text).collect(), code)
}

/// Of each drift, oldest first: session, whether it is open, and what settled it.
fn fates(world: &World) -> Vec<(String, bool, String)> {
    let triage = world.sq(&["triage", "--all", "--format", "json"]).json();
    let rows = triage["drifts"].as_array().unwrap().iter().rev();
    let fate = |row: &Value| {
        let keys = ["fate", "verdict", "why", "session"];
        let told = keys.iter().filter_map(|key| row[key].as_str());
        let told: Vec<&str> = told.collect();
        let sid = row["sid"].as_str().unwrap().to_owned();
        (sid, row["fate"] == "open", told.join(" "))
    };
    rows.map(fate).collect()
}

#[test]
fn a_session_that_records_again_closes_no_drift() {
    let world = asking(&json!({"severity": "blocking"}));
    session(&world, "s1", 2);
    let open = gate(&world);
    assert_eq!((open.0.len(), open.1), (1, 1));
    world.write("README.md", "more");
    world.commit("more");
    world.sq_ok("record --sid s1");
    assert_eq!(gate(&world), open);
    session(&world, "s1", 1);
    assert_eq!(gate(&world), (vec![], 0));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_drift_of_a_blocking_question_fails_the_gate_until_a_person_judged_it() {
    let world = asking(&json!({"severity": "blocking"}));
    assert_eq!(gate(&world), (vec![], 0));
    session(&world, "s1", 3);
    world.commit("nothing that matters");
    world.sq_ok("record --sid s2 --same q2=yes");
    insta::assert_snapshot!(world.sq(&["check"]).transcript(), @"
    3 sessions on main at 6f96757c1e, 2 questions asked

      question  staleness  state  sessions  last answered
      q1                0  fresh  ●▲●       s2 (2026-01-01, Ada Example)
      q2                0  fresh  ··●       s2 (2026-01-01, Ada Example)
      ● same, ▲ delta, · not answered

    quiet sessions: 1 of 3 (longest run 1)
      s2 (2026-01-01, Ada Example) at 6f96757c1e nothing that matters
        no delta although HEAD moved

    error: q1 changed in session s1 (Ada Example): 1 -> 3
      `git sq triage q1` shows it, and takes a person's verdict

    not clean: 1 error
    --- exit 1
    ");
    insta::assert_snapshot!(world.sq(&["triage"]).transcript(), @"
    q1 1 -> 3 (blocking)
        session s1, Thu Jan 1 00:10:00 2026 +0000, Ada Example
        fe37c37e9e 3 to do
    1 open drift, 1 blocking
    --- exit 0
    ");
    insta::assert_snapshot!(
        world.person("triage q1 --error --because 'nobody does them'", "").transcript(), @"
        Recorded: q1 in session s1: error
        --- exit 0
        ");
    // Somebody has seen it; it is as wrong as before.
    assert_eq!(gate(&world).1, 1);
    insta::assert_snapshot!(world.sq(&["triage"]).transcript(), @"
    q1 1 -> 3 (blocking)
        session s1, Thu Jan 1 00:10:00 2026 +0000, Ada Example
        fe37c37e9e 3 to do
        verdict: error (Ada Example): nobody does them
    1 open drift, 1 blocking
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["show", "s1"]).transcript(), @"
    commit fe37c37e9e36333a9a98ce971e7ed024fec68b47 (main)
    Session: s1
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:10:00 2026 +0000

        DELTA q1: was 1, is 3
              verdict: error (Ada Example): nobody does them
    --- exit 0
    ");
    let line = world.sq_ok("log --kind verdict --oneline");
    assert!(
        line.ends_with(" verdict on q1: error: nobody does them\n"),
        "{line}"
    );

    // The last word counts.
    world.person_ok("triage s1 q1 --expected --because 'they are planned'");
    assert_eq!(fates(&world)[0].2, "judged expected they are planned");
    assert_eq!(gate(&world), (vec![], 0));
    assert_eq!(world.person("triage q2 --error --because no", "").code, 128);
}

#[test]
fn informational_drifts_are_listed_and_fail_nothing() {
    let world = asking(&json!({}));
    session(&world, "s1", 2);
    world.sq_ok("record --sid s1 --same q2=yes");
    world.commit("redesign");
    world.sq_ok("record --sid s2 --delta 'q2=no: there are two parsers'");
    assert_eq!(gate(&world), (vec![], 0));
    insta::assert_snapshot!(world.sq(&["triage"]).transcript(), @"
    q2 no: there are two parsers
        session s2, Thu Jan 1 00:14:00 2026 +0000, Ada Example
        d4b819b1e4 redesign
    q1 1 -> 2
        session s1, Thu Jan 1 00:09:00 2026 +0000, Ada Example
        9894e5d5b4 2 to do
    2 open drifts
    --- exit 0
    ");
    let found = world.sq(&["triage", "q2", "s2", "--format", "json"]).json();
    assert_eq!(found["drifts"].as_array().unwrap().len(), 1);
    assert_eq!(found["drifts"][0]["old"], Value::Null);
    assert_eq!(world.sq_ok("triage s0"), "No open drifts.\n");
    assert_eq!(world.try_sq("triage q9").code, 128);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_drift_is_settled_when_the_answer_is_again_what_it_was() {
    let world = asking(&json!({"severity": "blocking"}));
    for (sid, todos) in [("s1", 2), ("s2", 3), ("s3", 2)] {
        session(&world, sid, todos);
    }
    let (drifts, code) = gate(&world);
    insta::assert_snapshot!(drifts.join("\n"), @"q1 changed in session s1 (Ada Example): 1 -> 2");
    assert_eq!(code, 1);
    session(&world, "s4", 1);
    assert_eq!(gate(&world).1, 0);
    let said: Vec<String> = fates(&world)
        .into_iter()
        .map(|(sid, _, said)| format!("{sid}: {said}"))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @"
    s1: taken-back s4
    s2: taken-back s3
    s3: taken-back s3
    s4: taken-back s4
    ");

    // What a person found to be right is no state to return from in silence.
    session(&world, "s5", 2);
    world.person_ok("triage s5 --expected --because planned");
    session(&world, "s6", 1);
    assert_eq!(gate(&world).1, 1);
}

#[test]
fn a_return_on_another_branch_settles_nothing() {
    let world = asking(&json!({"severity": "blocking"}));
    world.git_ok("checkout --quiet -b topic");
    world.git_ok("checkout --quiet main");
    session(&world, "s1", 2);
    world.git_ok("checkout --quiet topic");
    session(&world, "s2", 3);
    session(&world, "s3", 1);
    world.git_ok("merge --quiet -s ours -m merge main");
    let open: Vec<String> = fates(&world)
        .into_iter()
        .filter(|one| one.1)
        .map(|one| one.0)
        .collect();
    assert_eq!(open, ["s1"]);
}

#[test]
fn what_a_question_expects_is_settled_by_the_tool() {
    let grows = |expect: Value, todos: usize| {
        let world = asking(&json!({"severity": "blocking", "expect": expect}));
        world.write("docs/plan", todos.to_string());
        session(&world, "s1", todos);
        let fate = fates(&world).remove(0);
        assert_eq!(gate(&world).1, i32::from(fate.1), "{expect}");
        (fate.1, fate.2)
    };
    let open = || (true, "open".to_owned());
    let settled = |words: &str| (false, words.to_owned());
    assert_eq!(grows(json!("increase"), 3), settled("expected to increase"));
    assert_eq!(grows(json!("increase"), 0), open());
    assert_eq!(grows(json!("decrease"), 0), settled("expected to decrease"));
    assert_eq!(grows(json!("stable"), 3), open());
    assert_eq!(
        grows(json!({"pattern": "^[34]$"}), 3),
        settled("expected to match ^[34]$")
    );
    assert_eq!(grows(json!({"pattern": "^[34]$"}), 5), open());
    assert_eq!(
        grows(json!({"when": ["docs/"]}), 3),
        settled("expected to change with docs/")
    );
    assert_eq!(grows(json!({"when": ["README.md"]}), 3), open());
}

#[test]
fn what_settles_a_drift_is_told_wherever_it_is_shown() {
    let world = asking(&json!({"severity": "blocking", "expect": "increase"}));
    world.write("src/a.rs", "// TODO\n".repeat(2));
    world.commit("more");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s1"]).transcript(), @"
    DELTA q1 (probe): was 1, is 2
          expected to increase
    Left to answer in this session: q2.
    Recorded 1 answer on 44373d127e (session s1).
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["log", "-n", "1"]).transcript(), @"
    commit 44373d127e420c59db68488e33dc05ca11f9b884 (main)
    Session: s1
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:09:00 2026 +0000

        DELTA q1: was 1, is 2
              expected to increase
    --- exit 0
    ");
    world.write("src/a.rs", "");
    world.commit("all done");
    insta::assert_snapshot!(world.sq(&["record", "--sid", "s2"]).transcript(), @"
    DELTA q1 (probe): was 2, is 0
          waits for a person's verdict: git sq triage q1
    Left to answer in this session: q2.
    Recorded 1 answer on 478a59889a (session s2).
    --- exit 0
    ");
}

#[test]
fn lowering_a_severity_is_named() {
    let world = asking(&json!({"severity": "blocking"}));
    let base = world.head();
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "How much is left to do?", "importance": 3,
         "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}},
        {"id": "q2", "q": "Is the design sound?", "importance": 2}]});
    world.write("standing_questions.json", store.to_string());
    world.commit("block no more");
    let found = world.check(&["--base", &base]).0;
    let said = found["findings"][0]["message"].as_str().unwrap();
    assert!(said.starts_with("q1 may ask less"), "{said}");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn the_judged_settle_nothing_themselves() {
    let world = asking(&json!({"severity": "blocking"}));
    session(&world, "s1", 2);
    let refused = |world: &World| {
        let said = world.person("triage q1 --expected --because sure", "");
        assert_eq!(said.code, 128);
        assert_eq!(gate(world).1, 1);
        said.stderr
    };
    let world = world.env("SQ_AGENT", "claude");
    insta::assert_snapshot!(refused(&world), @"
    fatal: a verdict is for people only, and SQ_AGENT says that an agent runs it
    hint: nothing was changed; a person runs it in a terminal that no agent started
    ");
    let world = world.env("SQ_AGENT", "").env("CODEX_SESSION_ID", "abc");
    assert!(refused(&world).contains("CODEX_SESSION_ID says that an agent runs it"));
    let world = world.env("CODEX_SESSION_ID", "").env("SQ_SESSION", "s1");
    assert!(refused(&world).contains("session s1 can't review its own answers"));

    // Nor by a line that is written by hand.
    let entry = world.sq(&["triage", "--format", "json"]).json()["drifts"][0]["entry"].clone();
    let line = |sid: &str, id: &str| {
        let mut body = json!({"entry": entry, "q_id": "q1", "q_version": 1, "verdict": "expected", "note": "sure"});
        body["sid"] = sid.into();
        body["writer"] = format!("clone of {sid}").into();
        body["n"] = 1.into();
        event_line(&world.head(), "verdict", id, &body)
    };
    for (sid, code) in [("s1", 1), ("other", 0)] {
        let note = [world.note(&world.head()), line(sid, sid).into_bytes()].concat();
        let blob = world.blob(&note);
        world.git_ok(&format!("notes --ref=sq add -f -C {blob} HEAD"));
        assert_eq!(gate(&world).1, code, "{sid}");
    }
}

#[test]
fn a_session_that_is_over_takes_no_delta_back() {
    let world = asking(&json!({}));
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "?", "importance": 3, "severity": "blocking"}]});
    world.write("standing_questions.json", store.to_string());
    world.commit("ask");
    for line in [
        "s1 --same q1=yes",
        "s2 --delta q1=no",
        "s3 --same q1=no",
        "s2 --same q1=yes",
    ] {
        world.commit("work");
        world.sq_ok(&format!("record --sid {line}"));
    }
    assert_eq!(gate(&world).0.len(), 1);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_person_agrees_with_an_answer_of_a_session() {
    let world = asking(&json!({}));
    world.sq_ok("record --sid s0 --same 'q2=yes'");
    insta::assert_snapshot!(
        world.person("triage s0 --agree q2 --because 're-derived it myself'", "").transcript(), @"
        Recorded: q2 in session s0: agrees
        --- exit 0
        ");
    insta::assert_snapshot!(world.sq(&["show", "q2"]).transcript(), @"
    q2 Is the design sound?

    commit b550b7f63eaf97a87a7c9863fadcdf853608bbd4 (main)
    Session: s0
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:06:00 2026 +0000

        same  q2: yes
              verdict: agrees (Ada Example): re-derived it myself
    --- exit 0
    ");
    for line in [
        "q2 --agree --because so",
        "s0 --expected --because so",
        "--expected --because so",
        "q2 --agree",
    ] {
        assert!(
            world.person(&format!("triage {line}"), "").code >= 128,
            "{line}"
        );
    }
    let entry: Value = serde_json::from_str(world.lines().last().unwrap()).unwrap();
    assert_valid("verdict", &entry);
    assert_eq!(entry["by"]["name"], "Ada Example");
    assert_ne!(entry["sid"], "s0");
}

#[test]
fn a_version_on_trial_is_compared_with_the_active_one() {
    let world = World::new();
    let grep = |paths: &str| json!({"grep": {"text": "TODO", "paths": [paths], "take": "count"}});
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "?", "importance": 3, "probe": grep("src/")},
        {"id": "q1", "version": 2, "status": "trial", "q": "?", "importance": 3, "probe": grep("src/*.rs")}]});
    world.write("standing_questions.json", store.to_string());
    for (sid, files) in [
        ("s0", ["a.rs", "b.rs"]),
        ("s1", ["c.rs", "d.rs"]),
        ("s2", ["e.txt", "f.txt"]),
    ] {
        for file in files {
            world.write(&format!("src/{file}"), "TODO\n");
        }
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid}"));
    }
    let history = world.sq_ok("question history q1");
    let said = history
        .lines()
        .find(|line| line.starts_with("versions"))
        .unwrap();
    insta::assert_snapshot!(said, @"versions 2 and 1 in 3 sessions: 2 times both changed or neither did; 2 of 3 answers were the same");
}

#[test]
fn answers_of_a_shape_drift_and_return_within_their_tolerance() {
    let world = World::new();
    let store = json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "How slow is it?", "importance": 2, "severity": "blocking", "expect": "decrease",
         "shape": {"number": {"unit": "ms", "tolerance": 5}}}]});
    world.write("standing_questions.json", store.to_string());
    for (sid, answer) in [("s0", 100), ("s1", 80), ("s2", 120), ("s3", 82)] {
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid} q1={answer}"));
    }
    let said: Vec<String> = fates(&world)
        .into_iter()
        .map(|(sid, _, said)| format!("{sid}: {said}"))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @"
    s1: expected to decrease
    s2: taken-back s3
    s3: taken-back s3
    ");
}

/// Neither a verdict nor an answer that is written by hand, with plain git.
#[test]
fn nobodys_lines_settle_nothing() {
    let world = asking(&json!({"severity": "blocking"}));
    session(&world, "s1", 3);
    assert_eq!(world.check(&[]).1, 1);
    let log = world.sq(&["log", "-n", "1", "--format", "json"]).json();
    let entry = &log["entries"][0]["id"];
    let ts = "2026-01-01T03:00:00.000Z";
    let verdict = json!({"ts": ts, "entry": entry, "q_id": "q1", "q_version": 1, "verdict": "expected", "note": "fine"});
    let again =
        json!({"ts": ts, "results": [{"q_id": "q1", "delta": true, "note": "z", "answer": 1}]});
    let ids = ["01KVDED3Q0P7386KTAVYE700M3", "01KVDED3Q0P7386KTAVYE700M4"];
    world.pass(24 * 3600);
    world.plant_lines(&[
        event_line(&world.head(), "verdict", ids[0], &verdict),
        event_line(&world.head(), "rederive", ids[1], &again),
    ]);
    let (drifts, code) = gate(&world);
    assert_eq!((drifts.len(), code), (1, 1), "{drifts:?}");
    world.sq_ok("record --sid s2");
    let (drifts, code) = gate(&world);
    assert_eq!((drifts.len(), code), (1, 1), "{drifts:?}");
}
