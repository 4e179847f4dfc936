//! Drifts: which fail the gate, what settles them, and what people say of them.

use git_sq_test_support::{Team, World, each, event_line, store_v2};
use serde_json::{Value, json};

use crate::generated::assert_valid;

/// q1 is the number of to-do notes, with these keys besides; q2 has no shape.
fn asking(keys: &Value) -> World {
    let world = World::new();
    let mut question = json!({"id": "q1", "q": "How much is left to do?", "importance": 3,
        "shape": "number"});
    question.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let q2 = json!({"id": "q2", "q": "Is the design sound?", "importance": 2});
    world.write("standing_questions.json", store_v2(&format!("{question},{q2}")));
    session(&world, "s0", 1);
    world
}

fn blocking() -> World {
    asking(&json!({"severity": "blocking"}))
}

/// A commit with so many to-do notes, and a session that records their number.
fn session(world: &World, sid: &str, todos: usize) {
    world.write("src/a.rs", "// TODO\n".repeat(todos));
    world.commit(&format!("{todos} to do"));
    world.sq_ok(&format!("record --sid {sid} q1={todos}"));
}

/// What `check` says of drifts, and its exit code.
fn gate(world: &World) -> (Vec<String>, i32) {
    (world.messages("drift"), world.check(&[]).1)
}

/// Of each drift, oldest first: session, whether it is open, and what settled it.
fn fates(world: &World) -> Vec<(String, bool, String)> {
    let triage = world.json("triage --all");
    each(&triage["drifts"])
        .rev()
        .map(|row| {
            let told: Vec<&str> = ["fate", "verdict", "why", "session"]
                .iter()
                .filter_map(|key| row[key].as_str())
                .collect();
            let sid = row["sid"].as_str().unwrap().to_owned();
            (sid, row["fate"] == "open", told.join(" "))
        })
        .collect()
}

/// The same as text.
fn settled(world: &World) -> String {
    let said = fates(world).into_iter();
    said.map(|(sid, _, said)| format!("{sid}: {said}\n")).collect()
}

#[test]
fn a_session_that_records_again_closes_no_drift() {
    let world = blocking();
    session(&world, "s1", 2);
    let open = gate(&world);
    assert_eq!((open.0.len(), open.1), (1, 1));
    world.change("README.md", "more");
    world.sq_ok("record --sid s1 --same q1");
    assert_eq!(gate(&world), open);
    session(&world, "s1", 1);
    assert_eq!(gate(&world), (vec![], 0));
    let shown = world.sq_ok("triage --all");
    assert_has!(shown, "    again what it was before this session changed it\n");
    assert_has!(shown, "    taken back in the same session\n");
}

/// The flagged answer counts for nothing, so that an honest one is no delta.
#[test]
fn a_drift_that_was_no_answer_is_taken_back_by_the_old_one() {
    for verdict in ["", "--error"] {
        let world = World::asking(&[r#","watch":["conf"],"shape":"number","severity":"blocking""#]);
        world.change("conf", "limit = 5\n");
        world.sq_ok("record --sid s1 q1=5 --cite q1=conf:1");
        world.commit("Other work");
        world.sq_ok("record --sid s2 q1=7 --cite q1=conf:1 --sure");
        assert_eq!(gate(&world).0.len(), 1);
        if !verdict.is_empty() {
            world.person_ok(&format!("triage q1 {verdict} --because 'conf says 5'"));
            world.commit("Verdict");
        }
        world.sq_ok("record --sid s3 q1=5 --cite q1=conf:1");
        assert_eq!(gate(&world), (vec![], 0), "{verdict}");
    }
}

/// A branch with a drift, whose session says the same again at its next commit; and one line to cite at each.
fn confirmed_on_a_branch() -> World {
    let world = World::new();
    let q1 = json!({"id": "q1", "q": "Is it so?", "importance": 3, "severity": "blocking",
        "watch": ["src"], "shape": "boolean"});
    world.write("standing_questions.json", store_v2(&q1.to_string()));
    world.change("src/a.rs", "one\n");
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet -c topic");
    world.change("src/b.rs", "two\n");
    world.sq_ok("record --sid s2 q1=no --cite q1=src/b.rs:1");
    world.change("src/c.rs", "three\n");
    world.sq_ok("record --sid s2 q1=no --cite q1=src/c.rs:1");
    world
}

#[test]
fn a_squash_closes_no_drift_that_its_session_confirmed() {
    for merge in ["merge --quiet --no-ff -m Merged topic", "merge --quiet --squash topic"] {
        let world = confirmed_on_a_branch();
        world.git_ok("switch --quiet main");
        world.git_ok(merge);
        world.git(&["commit", "--quiet", "-m", "Squashed"]);
        world.git_ok("branch --quiet -D topic");
        world.sq(&["carry"]);
        assert_eq!(gate(&world).1, 1, "{merge}");
        assert_eq!(fates(&world), [("s2".to_owned(), true, "open".to_owned())], "{merge}");
    }
}

#[test]
fn a_session_replaces_no_answer_that_was_carried_to_a_squash() {
    let world = confirmed_on_a_branch();
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet --squash topic~");
    world.commit("Squashed");
    world.git_ok("branch --quiet -D topic");
    world.sq(&["carry"]);
    world.sq_ok("record --sid s2 q1=no --cite q1=src/b.rs:1");
    let newest = &world.json("log -n 1")["entries"][0]["results"][0];
    assert_eq!(newest["delta"], false, "{newest}");
    assert_eq!(fates(&world), [("s2".to_owned(), true, "open".to_owned())]);
}

#[test]
fn a_session_that_says_a_flagged_delta_again_adds_no_drift() {
    let world = confirmed_on_a_branch();
    world.git_ok("switch --quiet main");
    world.change("README.md", "more");
    world.sq_ok("record --sid s3 q1=no --delta q1=no --cite q1=src/a.rs:1 --sure");
    world.change("src/d.rs", "four\n");
    world.sq_ok("record --sid s3 q1=no --cite q1=src/d.rs:1");
    assert_eq!(fates(&world), [("s3".to_owned(), true, "open".to_owned())]);
}

#[test]
fn two_clones_that_report_one_change_make_one_drift() {
    let team = Team::new();
    let q1 = r#"{"id":"q1","q":"Which?","importance":3,"watch":["a"],"severity":"blocking","shape":"text"}"#;
    team.write("standing_questions.json", store_v2(q1));
    team.change("a", "1\n");
    team.git_ok("push --quiet");
    team.sq_ok("record --sid s1 q1=1 --cite q1=a:1");
    team.sq_ok("sync");
    let bob = team.join("bob");
    team.change("a", "2\n");
    team.git_ok("push --quiet");
    team.git_ok_in(&bob, "pull --quiet");
    for (dir, sid) in [(&team.clone, "s2"), (&bob, "s3")] {
        team.sq_ok_in(dir, &format!("record --sid {sid} q1=2 --cite q1=a:1"));
    }
    team.sq_ok_in(&bob, "sync");
    team.sq_ok("sync");
    let check = team.world.check_in(&team.clone).0;
    let drifts = each(&check["findings"]);
    let drifts = drifts.filter(|finding| finding["rule"] == "drift");
    let said: Vec<&str> = drifts.map(|drift| drift["message"].as_str().unwrap()).collect();
    assert_eq!(said, ["q1 changed in session s2 (Ada Example): 1 -> 2"]);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_drift_of_a_blocking_question_fails_the_gate_until_a_person_judged_it() {
    let world = blocking();
    assert_eq!(gate(&world), (vec![], 0));
    session(&world, "s1", 3);
    world.commit("nothing that matters");
    world.sq_ok("record --sid s2 --same q2=yes");
    let check = world.try_sq("check").transcript();
    insta::assert_snapshot!(&check[check.find("error:").unwrap()..], @"
    error: q1 changed in session s1 (Ada Example): 1 -> 3
      `git sq triage q1` shows it, and takes a person's verdict [drift]

    not clean: 1 error (drift); 2 fresh
    --- exit 1
    ");
    let judged = world.person("triage q1 --error --because 'nobody does them'", "");
    assert_eq!(judged.ok(), "Recorded: q1 in session s1: error\n");
    // Somebody has seen it; it is as wrong as before, and the next agent hears why.
    let help = "Ada Example called it an error: nobody does them; fix it, and answer q1 anew";
    assert_eq!((world.found("help")[0].as_str(), gate(&world).1), (help, 1));
    let why = "q1 changed, and Ada Example called it an error: nobody does them; fix it";
    assert_has!(world.sq_ok("brief"), why);
    insta::assert_snapshot!(world.sq_ok("triage"), @"
    q1 1 -> 3 (blocking)
        session s1, Thu Jan 1 00:11:00 2026 +0000, Ada Example
        e52b1c3586 3 to do
        verdict: error (Ada Example): nobody does them
    1 open drift, 1 blocking
    ");
    assert_has!(
        world.sq_ok("show s1"),
        "    DELTA q1: was 1, is 3\n          verdict: error (Ada Example): nobody does them\n"
    );
    let line = world.sq_ok("log --kind verdict --oneline");
    assert!(line.ends_with(" verdict on q1: error: nobody does them\n"), "{line}");

    // The last word counts.
    world.person_ok("triage s1 q1 --expected --because 'they are planned'");
    world.git_ok("add --all");
    world.commit("close");
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
    insta::assert_snapshot!(world.try_sq("triage").transcript(), @"
    q2 no: there are two parsers
        session s2, Thu Jan 1 00:14:00 2026 +0000, Ada Example
        fabaeec092 redesign
    q1 1 -> 2
        session s1, Thu Jan 1 00:09:00 2026 +0000, Ada Example
        ade0f5dd52 2 to do
    2 open drifts
    --- exit 0
    ");
    world.commit("rewrite");
    let long = "the same beginning of a long answer ".repeat(4);
    world.sq_ok(&format!("record --sid s3 'q2={long}1' --delta q2=more"));
    world.sq_ok(&format!("record --sid s4 'q2={long}2' --delta q2=more"));
    assert_has!(world.sq_ok("triage q2 s4"), "long answer 1\" -> …");
    let found = world.json("triage q2 s2");
    assert_eq!(found["drifts"].as_array().unwrap().len(), 1);
    assert_eq!(found["drifts"][0]["old"], Value::Null);
    assert_eq!(world.sq_ok("triage s0"), "No open drifts.\n");
    assert_eq!(world.try_sq("triage q9").code, 128);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_drift_is_settled_when_the_answer_is_again_what_it_was() {
    let world = blocking();
    for (sid, todos) in [("s1", 2), ("s2", 3), ("s3", 2)] {
        session(&world, sid, todos);
    }
    assert_eq!(gate(&world).0, ["q1 changed in session s1 (Ada Example): 1 -> 2"]);
    session(&world, "s4", 1);
    assert_eq!(gate(&world).1, 0);
    insta::assert_snapshot!(settled(&world), @"
    s1: taken-back s4
    s2: taken-back s3
    s3: taken-back s3
    s4: taken-back s4
    ");
    assert_has!(world.sq_ok("show s3"), "          again what it was before session s2\n");
    assert_has!(world.sq_ok("show s4"), "          again what it was before session s1\n");
    assert_has!(world.sq_ok("show s2"), "          taken back in session s3\n");

    // What a person found to be right is no state to return from in silence.
    session(&world, "s5", 2);
    world.person_ok("triage s5 --expected --because planned");
    session(&world, "s6", 1);
    assert_eq!(gate(&world).1, 1);
}

#[test]
fn a_return_on_another_branch_settles_nothing() {
    let world = blocking();
    world.git_ok("branch topic");
    session(&world, "s1", 2);
    world.git_ok("checkout --quiet topic");
    session(&world, "s2", 3);
    session(&world, "s3", 1);
    world.git_ok("merge --quiet -s ours -m merge main");
    let open: Vec<String> =
        fates(&world).into_iter().filter(|drift| drift.1).map(|drift| drift.0).collect();
    assert_eq!(open, ["s1"]);
}

#[test]
fn what_a_question_expects_is_settled_by_the_tool() {
    for (expect, todos, said) in [
        (json!("increase"), 3, "expected to increase"),
        (json!("increase"), 0, "open"),
        (json!({"pattern": "^[34]$"}), 3, "expected to match ^[34]$"),
        (json!({"when": ["docs/"]}), 3, "expected to change with docs/"),
        (json!({"when": ["README.md"]}), 3, "open"),
    ] {
        let world = asking(&json!({"severity": "blocking", "expect": expect}));
        world.write("docs/plan", todos.to_string());
        session(&world, "s1", todos);
        assert_eq!(fates(&world)[0].2, said);
        assert_eq!(gate(&world).1, i32::from(said == "open"), "{expect}");
    }
}

#[test]
fn what_settles_a_drift_is_told_wherever_it_is_shown() {
    let world = asking(&json!({"severity": "blocking", "expect": "increase"}));
    world.write("src/a.rs", "// TODO\n".repeat(2));
    world.commit("more");
    insta::assert_snapshot!(world.try_sq("record --sid s1 q1=2").transcript(), @"
    DELTA q1: was 1, is 2
          expected to increase
    Still to answer in this session: q2.
    Recorded 1 answer on 7be812c47b (session s1).
    --- exit 0
    ");
    insta::assert_snapshot!(world.try_sq("log -n 1").transcript(), @"
    commit 7be812c47b1342556c8c08a3001ad9216177f00c (main)
    Session: s1
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:09:00 2026 +0000

        DELTA q1: was 1, is 2
              expected to increase
    --- exit 0
    ");
    world.write("src/a.rs", "");
    world.commit("all done");
    insta::assert_snapshot!(world.try_sq("record --sid s2 q1=0").transcript(), @"
    DELTA q1: was 2, is 0
          waits for a person's verdict: git sq triage q1
    Still to answer in this session: q2.
    Recorded 1 answer on 9e36747c99 (session s2).
    --- exit 0
    ");
}

#[test]
fn lowering_a_severity_is_named() {
    let question = r#"{"id":"q1","q":"?","importance":3,"severity":"blocking"}"#;
    let world = World::new();
    let base = world.ask_json(question);
    world.ask_json(&question.replace(r#","severity":"blocking""#, ""));
    let found = world.check(&["--base", &base]).0;
    assert_eq!(found["findings"][1]["message"], "q1 may ask less");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn the_judged_settle_nothing_themselves() {
    let world = blocking();
    session(&world, "s1", 2);
    let refused = |world: &World| {
        let said = world.person("triage q1 --expected --because sure", "").exits(128);
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
    let entry = world.json("triage")["drifts"][0]["entry"].clone();
    let line = |sid: &str, id: &str| {
        let mut body = json!({"entry": entry, "q_id": "q1", "q_version": 1, "verdict": "expected", "note": "sure"});
        body["sid"] = sid.into();
        body["writer"] = format!("clone of {sid}").into();
        body["n"] = 1.into();
        event_line(&world.head(), "verdict", id, &body)
    };
    for sid in ["s1", "other"] {
        let note = [world.note(&world.head()), line(sid, sid).into_bytes()].concat();
        let blob = world.blob(&note);
        world.git_ok(&format!("notes --ref=sq add -f -C {blob} HEAD"));
        assert_eq!(gate(&world).1, 1, "{sid}");
    }
}

#[test]
fn a_session_that_is_over_takes_no_delta_back() {
    let world = World::asking(&[r#","severity":"blocking""#]);
    for line in ["s1 --same q1=yes", "s2 --delta q1=no", "s3 --same q1=no", "s2 --same q1=yes"] {
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
    let agree = "triage s0 --agree q2 --because 're-derived it myself'";
    assert_eq!(world.person_ok(agree), "Recorded: q2 in session s0: agrees\n");
    let shown = world.sq_ok("show q2");
    assert_has!(shown, "        verdict: agrees (Ada Example): re-derived it myself\n");
    for line in [
        "q2 --agree --because so",
        "s0 --expected --because so",
        "--expected --because so",
        "q2 --agree",
    ] {
        let ran = world.person(&format!("triage {line}"), "");
        assert!(ran.code >= 128, "{line}");
    }
    let entry = world.newest();
    assert_valid("verdict", &entry);
    assert_eq!(entry["by"]["name"], "Ada Example");
    assert_ne!(entry["sid"], "s0");
}

#[test]
fn a_version_on_trial_is_compared_with_the_active_one() {
    let world = World::new();
    let version = |path: &str, keys: &str| {
        format!(
            r#"{{"id":"q1","q":"?","importance":3{keys},"probe":{{"grep":{{"text":"TODO","paths":["{path}"],"take":"count"}}}}}}"#
        )
    };
    let trial = version("src/*.rs", r#","version":2,"status":"trial""#);
    world.write("standing_questions.json", store_v2(&format!("{},{trial}", version("src/", ""))));
    for (sid, files) in
        [("s0", ["a.rs", "b.rs"]), ("s1", ["c.rs", "d.rs"]), ("s2", ["e.txt", "f.txt"])]
    {
        for file in files {
            world.write(&format!("src/{file}"), "TODO\n");
        }
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid}"));
    }
    let history = world.sq_ok("question history q1");
    let said = history.lines().find(|line| line.starts_with("versions")).unwrap();
    insta::assert_snapshot!(said, @"versions 2 and 1 in 3 sessions: 2 times both changed or neither did; 2 of 3 answers were the same");
}

#[test]
fn answers_of_a_shape_drift_and_return_within_their_tolerance() {
    let world = World::asking(&[
        r#","severity":"blocking","expect":"decrease","shape":{"number":{"unit":"ms","tolerance":5}}"#,
    ]);
    for (sid, answer) in [("s0", 100), ("s1", 80), ("s2", 120), ("s3", 82)] {
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid} q1={answer}"));
    }
    insta::assert_snapshot!(settled(&world), @"
    s1: expected to decrease
    s2: taken-back s3
    s3: taken-back s3
    ");
}

/// Neither a verdict nor an answer that is written by hand, with plain git.
#[test]
fn nobodys_lines_settle_nothing() {
    let world = blocking();
    session(&world, "s1", 3);
    let entry = world.entry_of("s1");
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
    assert_eq!((gate(&world).0.len(), gate(&world).1), (1, 1));
    world.sq_ok("record --sid s2 --same q1");
    assert_eq!((gate(&world).0.len(), gate(&world).1), (1, 1));
}

#[test]
fn a_flagged_answer_takes_no_drift_back() {
    let world = World::new();
    let todos = |number: usize| {
        world.write("src/a.rs", "// TODO\n".repeat(number));
        world.commit("work");
    };
    world.write("src/a.rs", "// TODO\n");
    world.ask_json(
        r#"{"id":"q1","q":"How much?","importance":3,"shape":"number","severity":"blocking","watch":["src/"],"lines":"TODO"}"#,
    );
    world.sq_ok("record --sid s0 q1=1 --cite q1=src/a.rs:1");
    todos(2);
    world.sq_ok("record --sid s1 q1=2 --delta q1=more --cite q1=src/a.rs:1-2");
    assert_eq!(gate(&world).0.len(), 1);
    world.sq_ok("record --sure --sid s2 q1=1 --cite q1=src/a.rs:1");
    assert_eq!(gate(&world).0.len(), 1);
    todos(3);
    world.sq_ok("record --sid s3 q1=3 --delta q1=more --cite q1=src/a.rs:1-3");
    todos(1);
    world.sq_ok("record --sid s4 q1=1 --delta q1=less --cite q1=src/a.rs:1");
    assert_eq!(gate(&world), (vec![], 0));
}
