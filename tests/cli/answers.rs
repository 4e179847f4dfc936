//! Answers that can be compared: shapes, citations, and the word of the session.

use git_sq_test_support::{Ran, World, ended, keyed};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::generated::assert_valid;

/// A world whose questions have these keys, in turn: q1, q2 and so on.
fn asking(keys: &[&str]) -> World {
    let world = World::new();
    world.write("standing_questions.json", keyed(keys));
    world.change("src/a.rs", "fn a() {\n    b();\n}\n");
    world
}

/// Why a line is refused, without the hints that come with each refusal.
#[track_caller]
pub fn refused(ran: &Ran) -> String {
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    let why = ran.stderr.lines().filter(|line| !line.starts_with("hint: "));
    ended(why)
}

/// The results of the newest entry, without their times.
fn results(world: &World) -> Value {
    let mut results = world.newest()["results"].take();
    for result in results.as_array_mut().unwrap() {
        result.as_object_mut().unwrap().remove("q");
    }
    results
}

#[test]
fn the_delta_of_an_answer_with_a_shape_is_computed() {
    let world = asking(&[
        r#","shape":{"number":{"unit":"ms","tolerance":5}}"#,
        r#","shape":"list""#,
        r#","shape":{"list":"order"}"#,
        r#","shape":{"enum":["none","some of it"]}"#,
    ]);
    world.sq_ok("record --sid s1 'q1=100 ms' 'q2=b, a' 'q3=b, a' q4=NONE");
    assert_eq!(
        results(&world),
        json!([
            {"q_id": "q1", "delta": false, "note": "100", "answer": 100},
            {"q_id": "q2", "delta": false, "note": "2: a, b", "answer": ["a", "b"]},
            {"q_id": "q3", "delta": false, "note": "2: b, a", "answer": ["b", "a"]},
            {"q_id": "q4", "delta": false, "note": "none", "answer": "none"},
        ])
    );
    let input = json!({"results": [
        {"q_id": "q1", "answer": 105.0},
        {"q_id": "q2", "answer": ["a", "b", "a"]},
        {"q_id": "q3", "answer": ["a", "b"]},
        {"q_id": "q4", "answer": " some  of it", "delta": false, "note": "see above"},
    ]});
    let said = world.sq_input("record --sid s2 --json -", &input.to_string()).ok();
    assert_snapshot!(said.split("Recorded").next().unwrap(), @"
    same  q1: 105
    same  q2: a, b
    DELTA q3: the same items in another order or number
    DELTA q4: see above
          you recorded `same`, but the answer differs from the last one
    ");
    assert_eq!(
        results(&world),
        json!([
            {"q_id": "q1", "delta": false, "answer": 105},
            {"q_id": "q2", "delta": false, "answer": ["a", "b"]},
            {"q_id": "q3", "delta": true, "note": "the same items in another order or number", "answer": ["a", "b"]},
            {"q_id": "q4", "delta": true, "claim": false, "note": "see above", "answer": "some of it"},
        ])
    );
    // The session that goes on is compared with the one before it.
    world.sq_ok("record --sid s2 q1=106");
    assert_eq!(results(&world)[0]["delta"], true);
    assert_eq!(results(&world)[0]["note"], "was 100, is 106");
    assert_snapshot!(world.json("show s2")["entries"][1]["results"][0]["answer"], @"105");
}

#[test]
fn what_does_not_fit_the_shape_is_refused_with_what_was_expected() {
    let world = asking(&[
        r#","shape":"boolean""#,
        r#","shape":{"number":{"unit":"ms"}}"#,
        r#","shape":{"enum":["a","b"]}"#,
        r#","shape":"list""#,
        "",
        r#","probe":{"lines":{"paths":["src/"]}}"#,
    ]);
    let input = json!({"results": [
        {"q_id": "q1", "answer": "perhaps"},
        {"q_id": "q2", "answer": "3 s"},
        {"q_id": "q3", "answer": "c\u{1b}[1m"},
        {"q_id": "q4", "answer": {"a": 1}},
        {"q_id": "q5", "answer": " "},
        {"q_id": "q6", "answer": 3},
    ]});
    let ran = world.sq_input("record --json -", &input.to_string());
    assert_snapshot!(refused(&ran), @r#"
    fatal: "perhaps" is not an answer to q1: expected true or false
    fatal: "3 s" is not an answer to q2: expected a number, in ms
    fatal: "c\u001b[1m" is not an answer to q3: expected one of: a, b
    fatal: {"a":1} is not an answer to q4: expected a list of texts, as in `a, b`
    fatal: " " is not an answer to q5: expected a text
    fatal: the probe of q6 answers it: leave out its answer and its citations
    "#);
    assert_snapshot!(refused(&world.try_sq("record q1 --cite q1 q1=yes,q3=a")), @"
    fatal: expected 'q1=…'
    fatal: an answer with a note needs an option of its own: write 'q1=yes' 'q3=a'
    fatal: expected --cite q1=q1
    ");
    assert_snapshot!(refused(&world.try_sq("record --cite q1=src/a.rs:1 q3=a q3=b")), @"
    fatal: duplicate answer to q3
    fatal: q1 has no answer: write 'q1=the answer', or --same q1 if nothing changed
    ");
    assert_eq!(world.lines().len(), 0);
}

#[test]
fn large_numbers_are_recorded() {
    let world = asking(&[r#","shape":"number""#, "", r#","shape":"number""#]);
    let input = r#"{"results": [{"q_id": "q1", "answer": 18446744073709551615},
        {"q_id": "q2", "answer": "18446744073709551616"}, {"q_id": "q3", "answer": 6.02e23}]}"#;
    world.sq_input("record --json -", input).ok();
    assert_eq!(results(&world)[0]["answer"], json!(u64::MAX));
    assert_eq!(results(&world)[1]["answer"], "18446744073709551616");
    assert_eq!(results(&world)[2]["answer"], json!(6.02e23));
    world.sq_ok("record --sid s2 q1=18446744073709551615 --same q2 q3=6.02e23");
    assert_eq!(results(&world)[2]["delta"], false);
}

#[test]
fn a_letter_and_its_mark_are_the_letter_with_the_mark() {
    let world = asking(&["", r#","shape":"list""#, r#","shape":{"enum":["été","hiver"]}"#]);
    world.change("src/a.rs", "caf\u{e9}\n");
    world.sq_ok("record --sid s1 q1=caf\u{e9} q2=caf\u{e9} q3=\u{e9}t\u{e9}");
    world.sq_ok(
        "record --sid s2 q1=cafe\u{301} q2=cafe\u{301} --cite q2=src/a.rs:1 q3=e\u{301}te\u{301}",
    );
    let deltas: Vec<Value> = (0..3).map(|place| results(&world)[place]["delta"].clone()).collect();
    assert_eq!(deltas, [false, false, false]);
}

#[test]
fn an_answer_without_a_shape_is_taken_with_a_word_where_it_differs() {
    let world = asking(&["", r#","shape":"number""#]);
    world.sq_ok("record --sid s1 'q1=yes:  each error is returned' --same q2=3");
    world.sq_ok("record --sid s2 'q1= yes: each error is returned' --same q2");
    assert_eq!(
        results(&world),
        json!([
            {"q_id": "q2", "delta": false, "repeats": 3},
            {"q_id": "q1", "delta": false, "answer": "yes: each error is returned"},
        ])
    );
    assert_snapshot!(refused(&world.try_sq("record --sid s3 q1=no q2=3")), @r#"
    fatal: is the answer to q1 the same as the last one?
      old (s2 on 3b72479291): yes: each error is returned
      new: no
      say which it is: add --same q1, or --delta 'q1=what changed' (json: "delta"); if the last answer was wrong, give yours with --wrong
    "#);
    // What has a shape takes its value, whatever the option.
    for how in ["--same", "--delta", "--wrong"] {
        let ran = world.try_sq(&format!("record --sid s3 {how} q2=three"));
        assert_has!(refused(&ran), "fatal: \"three\" is not an answer to q2: expected a number");
    }
    world.sq_ok("record --sid s3 q1=no --delta 'q1=two are swallowed' q2=3 --same q2");
    assert_eq!(
        results(&world),
        json!([
            {"q_id": "q2", "delta": false, "answer": 3},
            {"q_id": "q1", "delta": true, "note": "two are swallowed", "answer": "no"},
        ])
    );
}

#[test]
fn what_cited_lines_that_changed_is_confirmed_by_new_ones_only() {
    let world = asking(&[""]);
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1-2");
    world.change("src/a.rs", "// new\nfn a() {\n    b();\n}\n");
    world.sq_ok("record --sid s2 q1=yes --cite q1=src/a.rs:2-3");
    world.change("src/a.rs", "fn a() {\n    c();\n}\n");
    for given in ["q1=yes", "--same q1"] {
        let why = refused(&world.try_sq(&format!("record --sid s3 {given}")));
        assert_has!(why, "fatal: q1: src/a.rs:2-3, which was cited, changed since s2 answered at ");
    }
    world.sq_ok("record --sid s3 q1=yes --same q1 --cite q1=src/a.rs:1-2");
    assert_eq!(results(&world)[0]["delta"], false);
    world.git_ok("rm --quiet src/a.rs");
    world.commit("remove");
    world.sq_ok("record --sid s4 q1=no --delta 'q1=the file is gone'");
}

#[test]
fn a_citation_that_is_given_has_to_hold_with_its_quote() {
    let world = asking(&[""]);
    let record = |cite: Value| {
        let input = json!({"results": [{"q_id": "q1", "answer": "yes", "cites": [cite]}]});
        world.sq_input("record --sid s1 --json -", &input.to_string())
    };
    let reasons = [
        json!("src/b.rs:1"),
        json!("src/a.rs:2-9"),
        json!("src/a.rs"),
        json!({"at": "src/a.rs:1", "quote": "b();"}),
        json!({"at": "src/a.rs:1", "quote": " "}),
        json!({"at": "src/a.rs:1"}),
    ]
    .map(|cite| record(cite).stderr.lines().next().unwrap().to_owned());
    assert_snapshot!(reasons.join("\n"), @r#"
    fatal: src/b.rs:1 can't be cited: no such file; cite what is committed, by its path from the root of the repository
    fatal: src/a.rs:2-9 can't be cited: the file has only 3 lines; cite what is committed
    fatal: src/a.rs can't be cited: expected `path:line` or `path:from-to`
    fatal: src/a.rs:1 can't be cited: the quote is not in these lines
    fatal: src/a.rs:1 can't be cited: the quote is not in these lines
    fatal: invalid record on standard input: expected a citation such as "src/lib.rs:3-9" or {"at":"src/lib.rs:3-9","quote":"words that stand there"} at line 1 column 57
    "#);
    assert_eq!(world.lines().len(), 0);
    record(json!({"at": "src/a.rs:1-2", "quote": "a() {  \n b"})).ok();
    let blob = world.git_ok("rev-parse HEAD:src/a.rs");
    assert_eq!(
        results(&world)[0]["evidence"],
        json!({"cites": [{"path": "src/a.rs", "lines": [1, 2], "blob": blob.trim(), "sum": "0e9345e4f38392d8", "quote": "a() {  \n b"}]})
    );
}

#[test]
fn what_matters_most_and_says_where_to_look_takes_no_answer_without_a_citation() {
    let world = asking(&[""]);
    let question = r#"{"id":"q1","q":"?","importance":3,"watch":["src/"]}"#;
    world.ask_json(question);
    assert_snapshot!(refused(&world.try_sq("record --same q1=yes")), @"fatal: q1 requires evidence: add the lines that show the answer: --cite q1=path:3-5");
    world.sq_ok("record --sid s1 --same q1=yes --cite q1=src/a.rs:1");
    let less = r#""importance":3,"require_evidence":false"#;
    world.ask_json(&question.replace("\"importance\":3", less));
    world.sq_ok("record --sid s2 --same q1");
}

/// Else the expectation would hold by the answer before.
#[test]
fn a_same_in_words_is_the_answer_where_one_is_expected() {
    let json = r#"{"results":[{"q_id":"q1","delta":false,"note":"red, not green"}]}"#;
    for (options, input) in [("--same 'q1=red, not green'", ""), ("--json -", json)] {
        let world = asking(&[r#","expect":"green""#]);
        world.sq_ok("record --sid s1 q1=green");
        world.commit("work");
        world.sq_input(&format!("record --sid s2 {options}"), input).ok();
        assert_eq!(world.standing("q1"), "fails");
    }
}

#[test]
fn an_answer_is_known_to_be_out_of_date() {
    let world = asking(&[r#","watch":["src/a.rs"],"max_staleness":0"#, "", ""]);
    let standing = |name: &str| {
        let shown = world.sq(&["show", name, "--format", "json"]).json();
        assert_valid("show", &shown);
        shown["standing"].as_str().unwrap().to_owned()
    };
    assert_eq!(standing("q1"), "never answered");
    world.write("src/b.rs", "// b\n");
    world.commit("add b");
    world.sq_ok("record --sid s1 --same q1=yes q2=yes --cite q2=src/b.rs:1 --same q3=yes");
    assert_eq!(standing("q1"), "fresh");
    world.sq_ok("record --sid s2 --same q3");
    assert_eq!(standing("q1"), "stale");
    // It is still in that file.
    world.write("src/b.rs", "// new\n// b\n");
    world.commit("move");
    assert_eq!(standing("q2"), "fresh");
    for number in 1..=5 {
        world.write("src/a.rs", format!("{number}\n"));
        world.write("src/b.rs", format!("// {number}\n"));
        world.commit("change");
    }
    assert_snapshot!(world.try_sq("show q2 --no-pager").transcript(), @"
    q2 ?
    outdated by 6d979908cf, 75046970a7, 710d529b07 and 3 more

    commit fa6cc55d7722e9974b9ae108e719301e1608cdd0 (main)
    Session: s1
    Author:  Ada Example <ada@example.org>
    Date:    Thu Jan 1 00:09:00 2026 +0000

        first q2: yes
              src/b.rs:1 changed since
    --- exit 0
    ");
    assert_eq!(standing("q1"), "stale");
    assert_has!(world.sq_ok("status"), "stale: q1\noutdated: q2\n");
    let brief = world.sq_ok("brief");
    let asked = brief.split("importance 2\n").nth(1).unwrap();
    assert_snapshot!(asked.split("\n\n").next().unwrap(), @"
      q1    ?  [1 session ago, stale, src/a.rs changed]
            cite the lines that show it now; watches src/a.rs
      q2    ?  [1 session ago, outdated, src/b.rs:1, which was cited, changed]
            cite the lines that show it now
      q3    ?
    ");
}

#[test]
fn what_is_refused_is_not_missed() {
    let world = World::asking(&[r#", "shape": {"enum": ["a", "b"]}, "watch": ["src/"]"#]);
    for line in ["record q1=c --cite q1=src/a:1", "record q1=a --wrong q1=b --cite q1=src/a:1"] {
        let said = world.try_sq(line).exits(128).stderr;
        assert_eq!(said.matches("fatal").count(), 1, "{said}");
    }
}
