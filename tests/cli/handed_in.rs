//! Answers that are handed in: with what they rest on where that changed, as corrections, and beside probes.

use git_sq_test_support::{World, store_v2};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::answers::refused;

fn asking(keys: &str) -> World {
    let world = World::new();
    let q1 = format!(
        r#"{{"id":"q1","q":"What is the limit?","importance":2,"watch":["src/"],"lines":"limit"{keys}}}"#
    );
    world.write(
        "standing_questions.json",
        store_v2(&(q1 + r#",{"id":"q2","q":"?","importance":2}"#)),
    );
    limit(&world, "limit 3");
    world
}

/// Commits a line that matters.
fn limit(world: &World, line: &str) {
    world.write("src/a.rs", format!("fn a() {{\n{line}\n}}\n"));
    world.commit(line);
}

/// Of the newest entry's first question, its answer and whether it is a delta.
fn told(world: &World) -> Value {
    let result = newest(world);
    json!([result["answer"], result["delta"]])
}

/// What the newest entry says of its first question.
fn newest(world: &World) -> Value {
    let mut result = world.newest()["results"][0].take();
    result.as_object_mut().unwrap().remove("q");
    result
}

#[test]
fn the_tool_says_whether_an_answer_is_the_same() {
    let world = asking(r#","shape":"number""#);
    world.sq_ok("record --sid s1 q1=3 'q2=the answer' --cite q1=src/a.rs:2");
    assert_eq!(newest(&world)["note"], "3");
    limit(&world, "limit 4");
    world.sq_ok("record --sid s2 q1=4 q2=the\u{a0}answer --cite q1=src/a.rs:2");
    assert_eq!(newest(&world)["note"], "was 3, is 4");
    let second = world.newest()["results"][1].take();
    assert_eq!(json!([second["delta"], second["answer"]]), json!([false, "the answer"]));
    // Where sessions only said `same`, what that stands for counts.
    world.sq_ok("record --sid s3 --same q1,q2");
    world.sq_ok("record --sid s4 q1=4 'q2=the answer'");
    assert_has!(world.try_sq("record --sid s5 q2=another").stderr, "old (s4 on", ": the answer");
}

#[test]
fn of_many_equal_lines_the_one_that_came_is_named() {
    let world = asking("");
    let twice = "fn a() {\nlimit\n}\nfn b() {\nlimit\n}\n";
    world.change("src/a.rs", twice);
    world.sq_ok("record --sid s1 'q1=twice' q2=yes --cite q1=src/a.rs:2 --cite q1=src/a.rs:5");
    world.change("src/a.rs", twice.replace("fn b", "fn c() {\nlimit\n}\nfn b"));
    assert_has!(world.try_sq("record --sid s2 --same q1,q2").stderr, "q1: src/a.rs:5 changed");
    world.sq_ok("record --sid s2 'q1=thrice' --delta q1 --cite q1=src/a.rs:5 --same q2");
    world.sq_ok("check");
}

#[test]
fn an_exposed_answer_is_given_again() {
    let world = asking("");
    world.sq_ok("record --sid s1 'q1=it is 3' q2=yes");
    // What is not exposed needs neither answer nor citation.
    world.change("docs/a.md", "words\n");
    world.sq_ok("record --sid s2 --same q1,q2");
    limit(&world, "limit 3 // as before");
    let again = "give the answer again, and the lines that show it now\n  git sq record 'q1=the answer' --same q1 --cite q1=path:3-5\n";
    let cite = "add the lines that show the answer now: --cite q1=path:3-5\n";
    for (given, remedy) in [("--same q1,q2", again), ("'q1=it is 3'", cite)] {
        let why = refused(&world.try_sq(&format!("record --sid s3 {given}")));
        assert_has!(why, "fatal: q1: src/a.rs:2 changed since s2 answered at ");
        assert_has!(why, &format!(": {remedy}"));
    }
    world.sq_ok("record --sid s3 'q1=it is 3' --cite q1=src/a.rs:2");
    assert_eq!(told(&world), json!(["it is 3", false]));
    // The session's own answer counts where HEAD has moved.
    limit(&world, "limit 5");
    assert_has!(world.try_sq("record --sid s3 --same q1").stderr, "since s3 answered at");
}

#[test]
fn all_that_is_missing_or_doubted_is_told_at_once() {
    let world = asking(r#","require_evidence":true"#);
    world.sq_ok("record --sid s1 'q1=it is 3, src/a.rs:2' q2=yes --cite q2=src/a.rs:1");
    world.write("docs/a.md", "words\n");
    world.commit("write");
    let line = "record --sid s2 --delta 'q1=4 now' q2=no q3=x --cite q1=src/a.rs:9";
    assert_snapshot!(refused(&world.try_sq(line)), @r#"
    fatal: there is no question q3 in the store
    fatal: src/a.rs:9 can't be cited: the file has only 3 lines; cite what is committed
    fatal: is the answer to q2 the same as the last one?
      old (s1 on 34a2d0ba4d): yes
      new: no
      say which it is: add --same q2, or --delta 'q2=what changed' (json: "delta"); if the last answer was wrong, give yours with --wrong
    "#);
}

#[test]
fn where_no_line_matters_there_may_be_no_answer() {
    for (shape, answer) in [("\"text\"", json!("")), ("\"list\"", json!([]))] {
        let world = asking(&format!(r#","shape":{shape},"require_evidence":true"#));
        world.try_sq("record --sid s1 q1=none").exits(128);
        world.sq_ok("record --sid s1 q1=3 --cite q1=src/a.rs:2");
        limit(&world, "nothing");
        world.sq_ok("record --sid s2 q1=");
        assert_eq!(told(&world), json!([answer, true]));
        world.sq_ok("record --sid s3 q1=None");
        assert_eq!(told(&world), json!([answer, false]));
        let (check, code) = world.check(&[]);
        assert_eq!((&check["looks"]["flagged"], code), (&json!(0), 0));
    }
}

/// What both answers cite still stands; what changed stands between.
#[test]
fn a_delta_is_shown_by_lines_that_changed() {
    let world = World::new();
    world.write("CHANGES.md", "# Unreleased\n\n- breaks\n");
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":2,"watch":["CHANGES.md"],"shape":{"enum":["none","some"]}}"#,
    );
    world.sq_ok("record --sid s1 q1=some --cite q1=CHANGES.md:3");
    world.change("CHANGES.md", "# Unreleased\n\n# 1.0\n\n- breaks\n");
    assert_snapshot!(refused(&world.try_sq("record --sid s2 q1=none --cite q1=CHANGES.md:1")), @"
    fatal: q1: all that it and the answer before it cite stands both at 00ce411b77 and at e23408e942
      if it changed, cite lines that changed, too: --cite q1=path:3-5; if the last answer was wrong, --wrong 'q1=what is true' --cite q1=path:3-5
    ");
    world.sq_ok("record --sid s2 q1=none --cite q1=CHANGES.md:1-3");
}

#[test]
fn a_correction_names_the_entry_that_it_disputes() {
    let world = asking(r#","shape":"number""#);
    let refused = |line: &str| refused(&world.try_sq(line));
    assert_snapshot!(refused("record --sid s1 --wrong q1=3 --cite q1=src/a.rs:2"), @"fatal: q1 has no earlier answer to correct: write 'q1=the answer'");
    world.sq_ok("record --sid s1 q1=7 --cite q1=src/a.rs:1 --sure");
    let first = world.newest()["id"].take();
    // A delta has no change behind it.
    assert_snapshot!(world.try_sq("record --sid s2 q1=3 --cite q1=src/a.rs:2").transcript(), @r#"
    --- stderr
    fatal: q1: nothing changed since 80443346ae, where src/a.rs:2 stood, too
      if the last answer was wrong, --wrong 'q1=what is true' --cite q1=path:3-5; if it is the same, --same q1
    hint: nothing was written; if this is right, repeat the command with --sure (json: "sure": true)
    --- exit 128
    "#);
    assert_snapshot!(refused("record --sid s2 --wrong q1=3"), @"fatal: a correction of q1 needs the lines that show it: add --cite q1=path:3-5");
    assert_snapshot!(refused("record --sid s2 --wrong q1=7 --cite q1=src/a.rs:2"), @"fatal: q1: s1 said the same on 80443346ae: record it with --same q1, and with the lines that show it");
    let said = world.sq_ok("record --sid s2 --wrong q1=3 --cite q1=src/a.rs:2");
    assert_snapshot!(said.replace(first.as_str().unwrap(), "ID"), @"
    DELTA q1: was 7, is 3
          corrects entry ID
          cites src/a.rs:2
    Still to answer in this session: q2.
    Recorded 1 answer on 80443346ae (session s2).
    ");
    let blob = world.git_ok("rev-parse HEAD:src/a.rs");
    assert_eq!(
        newest(&world),
        json!({"q_id": "q1", "delta": true, "note": "was 7, is 3", "answer": 3,
            "evidence": {"cites": [{"path": "src/a.rs", "lines": [2, 2], "blob": blob.trim(), "sum": "1f3b12b1ae984f17"}]}, "corrects": first})
    );
    let shown = world.sq_ok("show q1 --no-pager");
    let corrects = format!("corrects entry {}", first.as_str().unwrap());
    assert_has!(shown, corrects);
}

#[test]
fn a_correction_disputes_the_newest_answer_that_it_does_not_replace() {
    let world = asking("");
    world.sq_ok("record --sid s1 q2=yes");
    world.sq_ok("record --sid s2 --same q2");
    let last = world.newest()["id"].take();
    let wrong = |answer: &str| {
        let result =
            json!({"q_id": "q2", "wrong": true, "answer": answer, "cites": ["src/a.rs:2"]});
        let input = json!({"results": [result]}).to_string();
        world.sq_input("record --sid s3 --json -", &input)
    };
    let same = wrong("yes");
    assert_has!(same.stderr, "said the same");
    wrong("no").ok();
    assert_eq!(newest(&world)["corrects"], last);
    // Its own one is replaced, so the next word disputes the same answer.
    wrong("perhaps").ok();
    assert_eq!(newest(&world)["corrects"], last);
    assert_eq!(newest(&world)["note"], "was yes, is perhaps");
}

#[test]
fn a_misspelled_question_is_guessed() {
    let world = World::new();
    world.ask(&["msrv", "licence", "q1", "q2"]);
    for (given, guess) in [("msvr", "msrv"), ("Licence", "licence"), ("license@2", "licence")] {
        let said = world.try_sq(&format!("record {given}=x")).stderr;
        assert_has!(said, format!("did you mean {guess}?"));
    }
    for given in ["q3", "zebra", "licence@2"] {
        let said = world.try_sq(&format!("record {given}=x")).stderr;
        assert!(!said.contains("did you mean"), "{said}");
    }
}

#[test]
fn who_records_behind_others_is_told() {
    let world = asking("");
    let url = format!("file://{}", world.dir.display());
    let clone = world.beside().join("clone");
    world.git_ok(&format!("clone -q {url} {}", clone.display()));
    let old = world.head();
    world.change("docs/a.md", "words\n");
    limit(&world, "limit 4");
    world.git_ok_in(&clone, "fetch -q");
    let ran = world.sq_ok_in(&clone, "record --sid s1 'q1=it is 3'");
    assert_has!(
        ran,
        "warning: HEAD is 2 commits behind origin/main, where src/a.rs:2 changed, which q1 depends on"
    );
    world.git_ok(&format!("switch -q --detach {old}"));
    assert_has!(world.sq_ok("record --sid s1 q2=yes"), "warning: HEAD is 2 commits behind main\n");
    world.git_ok("switch -q -c hotfix");
    world.commit("mend");
    assert!(!world.sq_ok("record --sid s1 q2=yes").contains("behind"));
    world.git_ok("switch -q main");
    assert!(!world.sq_ok("record --sid s1 q2=yes").contains("behind"));
}
