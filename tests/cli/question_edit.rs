//! `git sq question add`, `reword`, `retire` and `history`: the store is changed, and keeps its formatting.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

const STORE: &str = "standing_questions.json";

const TEXT: &str = r#"{
  "_schema": "standing_questions/v2",
  "settings": { "staleness.max":   7 },
  "questions": [
    {
        "id" : "q1",
        "q" : "Where does \u0041 run?",
        "importance" : 2,
        "watch" : ["deploy/",
                   "ci/"],
        "x-mine" : null
    },
    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" }
  ]
}
"#;

fn world(text: &str) -> World {
    let world = World::new();
    world.write(STORE, text);
    world.write("src/a.rs", "// TODO\n");
    world.write("docs/a.md", "Version 1.0.\n");
    world.write("package.json", r#"{"version": "1.1"}"#);
    world.commit("Ask standing questions");
    world
}

fn text(world: &World) -> String {
    world.read(STORE)
}

/// What a line changes in the store, as `git diff` has it.
fn changes(world: &World, line: &str) -> String {
    let said = world.sq_ok(line);
    let diff = world.git_ok("diff -U0");
    world.git_ok("add --all");
    diff.lines()
        .skip(4)
        .filter(|line| !line.starts_with("@@"))
        .map(|line| format!("{line}\n"))
        .collect::<String>()
        + &said
}

#[test]
fn a_new_wording_is_a_new_version_beside_the_old_one() {
    assert_snapshot!(changes(&world(TEXT), "question reword q1 'Where does \"A\" run now?' --reason 'it moved'"), @r#"
    -        "x-mine" : null
    +        "x-mine" : null,
    +        "status" : "deprecated"
    +    },
    +    {
    +        "id" : "q1",
    +        "version" : 2,
    +        "q" : "Where does \"A\" run now?",
    +        "importance" : 2,
    +        "watch" : ["deploy/",
    +                   "ci/"],
    +        "x-mine" : null,
    +        "created" : "2026-01-01",
    +        "reason" : "it moved"
    standing_questions.json: added q1@2, deprecated the old version
    Commit it: only HEAD's questions count.
    "#);
    let other =
        "question reword q1 --watch docs/ new/ --lines Version --shape text --reason narrower";
    assert_snapshot!(changes(&world(TEXT), other), @r#"
    -        "x-mine" : null
    +        "x-mine" : null,
    +        "status" : "deprecated"
    +    },
    +    {
    +        "id" : "q1",
    +        "version" : 2,
    +        "q" : "Where does A run?",
    +        "importance" : 2,
    +        "watch" : ["docs/", "new/"],
    +        "x-mine" : null,
    +        "lines" : "Version",
    +        "shape" : "text",
    +        "created" : "2026-01-01",
    +        "reason" : "narrower"
    standing_questions.json: added q1@2, deprecated the old version
    new/ matches no file in HEAD yet.
    Commit it: only HEAD's questions count.
    "#);
    let probe = "question reword q1 --watch docs/ --agree docs/a.md:Version package.json:/version";
    assert_snapshot!(changes(&world(TEXT), probe), @r#"
    -        "x-mine" : null
    +        "x-mine" : null,
    +        "status" : "deprecated"
    +    },
    +    {
    +        "id" : "q1",
    +        "version" : 2,
    +        "q" : "Where does A run?",
    +        "importance" : 2,
    +        "watch" : ["docs/"],
    +        "x-mine" : null,
    +        "probe" : {"agree": [{"text": {"file": "docs/a.md", "pattern": "Version"}}, {"value": {"file": "package.json", "pointer": "/version"}}]},
    +        "created" : "2026-01-01"
    standing_questions.json: added q1@2, deprecated the old version
    q1@2 false: Version | 1.1
    Commit it: only HEAD's questions count.
    "#);
    assert_snapshot!(changes(&world(TEXT), "question reword q2 'Who owns it?'"), @r#"
    -    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" }
    +    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS", "status": "deprecated" },
    +    { "id": "q2", "version": 2, "q": "Who owns it?", "importance": 3, "evidence_hint": "OWNERS", "created": "2026-01-01" }
    standing_questions.json: added q2@2, deprecated the old version
    Commit it: only HEAD's questions count.
    "#);
    let world = world(TEXT);
    for wording in ["One?", "Two?", "Three?"] {
        world.sq(&["question", "reword", "q1", wording]).ok();
    }
    world.commit("Reword q1");
    assert_snapshot!(world.sq_ok("question list --all"), @"
    question  standing        importance  text
    q1                        2           [deprecated] Where does A run?
    q1@2                      2           [deprecated] One?
    q1@3                      2           [deprecated] Two?
    q1@4      never answered  2           Three?
    q2        never answered  3           Who?
    ");
    world.sq_ok("question lint");
}

#[test]
fn a_question_is_added_beside_the_others() {
    assert_snapshot!(changes(&world(TEXT), "question add q3 'What broke?' --importance 1 --hint CHANGELOG --watch src/ --watch 'docs/*.md'"), @r#"
    -    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" }
    +    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" },
    +    { "id": "q3", "q": "What broke?", "importance": 1, "evidence_hint": "CHANGELOG", "watch": ["src/", "docs/*.md"], "created": "2026-01-01" }
    standing_questions.json: added q3
    Commit it: only HEAD's questions count.
    "#);
    let one =
        r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":1}]}"#;
    let world = world(one);
    world.sq_ok("question add q2 Why?");
    assert_snapshot!(text(&world), @r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":1},{"id":"q2","q":"Why?","importance":3,"created":"2026-01-01"}]}"#);
}

#[test]
fn a_retired_question_stays_with_its_reason() {
    assert_snapshot!(changes(&world(TEXT), "question retire q2 --reason 'nobody asks'"), @r#"
    -    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" }
    +    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS", "status": "retired", "reason": "nobody asks" }
    standing_questions.json: retired q2
    Commit it: only HEAD's questions count.
    "#);
    let world = world(TEXT);
    world.sq_ok("question retire q1");
    let again = world.try_sq("question retire q1");
    let reworded = world.sq(&["question", "reword", "q1", "What else?"]);
    assert_eq!(reworded.stderr, again.stderr);
    assert_snapshot!(again.transcript(), @"
    --- stderr
    fatal: q1 is retired: delete its `status` in the question store to ask it again
    hint: nothing was changed; `git sq question list --all` lists the questions
    --- exit 128
    ");
}

#[test]
fn a_store_of_the_first_format_is_brought_to_the_second_where_that_is_needed() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("question add q3 What?");
    world.sq_ok("question retire q2");
    assert!(text(&world).contains("standing_questions/v1"));
    assert_snapshot!(changes(&world, "question reword q1 'What about it?'"), @r#"
    -  "_schema": "standing_questions/v1",
    +  "_schema": "standing_questions/v2",
    -    { "id": "q1", "q": "What about q1?", "importance": 3 },
    -    { "id": "q2", "q": "What about q2?", "importance": 3 }
    +    { "id": "q1", "q": "What about q1?", "importance": 3, "status": "deprecated" },
    +    { "id": "q1", "version": 2, "q": "What about it?", "importance": 3 },
    +    { "id": "q2", "q": "What about q2?", "importance": 3, "status": "retired" },
    +    { "id": "q3", "q": "What?", "importance": 3 }
    standing_questions.json: added q1@2, deprecated the old version
    The store now has the format standing_questions/v2, which this change needs.
    Commit it: only HEAD's questions count.
    "#);
}

#[test]
fn line_endings_stay() {
    let world = world(&TEXT.replace('\n', "\r\n"));
    world.sq_ok("question add q3 What?");
    world.sq_ok("question reword q1 Where?");
    let text = text(&world);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(!text.contains("\r\r"));
}

#[test]
fn the_history_says_how_a_question_came_to_its_wording() {
    let world = world(TEXT);
    world.commit("Something else");
    world.sq_ok("question reword q1 'Where does it run?' --reason 'it has a name now'");
    world.commit("Reword q1");
    world.write(STORE, text(&world).replace("\"importance\" : 2", "\"importance\" : 1"));
    world.commit("Care less");
    world.change(STORE, "{");
    world.git_ok("checkout --quiet HEAD~ -- .");
    world.commit("Mend it");
    world.sq_ok("question retire q1");
    world.commit("Retire q1");
    insta::with_settings!({filters => vec![("[0-9a-f]{10}", "[commit]")]}, {
        assert_snapshot!(world.sq_ok("question history q1 --date iso"), @"
        question  importance  text
        q1        1           [deprecated] Where does A run?
        q1@2      1           [retired] Where does it run?

        [commit] 2026-01-01 00:24:00 +0000, Ada Example: Retire q1
            q1@2 was retired

        [commit] 2026-01-01 00:13:00 +0000, Ada Example: Care less
            q1 went from importance 2 to 1
            q1@2 went from importance 2 to 1

        [commit] 2026-01-01 00:10:00 +0000, Ada Example: Reword q1
            q1 was deprecated
            q1@2 was added (it has a name now): Where does it run?

        [commit] 2026-01-01 00:03:00 +0000, Ada Example: Ask standing questions
            q1 was added: Where does A run?
        ");
    });
    let json = world.json("question history q1");
    assert_eq!(json["changes"][0]["what"][0], "q1@2 was retired");
    assert_snapshot!(world.try_sq("question history q9").transcript(), @"
    --- stderr
    fatal: there is no question q9 in the store or its history
    hint: `git sq question list --all` lists the questions
    --- exit 128
    ");
}

#[test]
fn a_question_is_tried_when_it_is_added() {
    let world = world(TEXT);
    world.write("docs/a.md", "Version 1.1.\n");
    world.commit("release");
    world.change("package.json", r#"{"version": "1.2"}"#);
    assert_snapshot!(changes(&world, "question add version 'Does the page name the version?' --agree 'docs/a.md:Version (.*)[.]' package.json:/version --expect true --severity blocking"), @r#"
    -    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" }
    +    { "id": "q2", "q": "Who?", "importance": 3, "evidence_hint": "OWNERS" },
    +    { "id": "version", "q": "Does the page name the version?", "importance": 3, "severity": "blocking", "expect": true, "probe": {"agree": [{"text": {"as": "version", "file": "docs/a.md", "pattern": "Version (.*)[.]"}}, {"value": {"as": "version", "file": "package.json", "pointer": "/version"}}]}, "created": "2026-01-01" }
    standing_questions.json: added version
    version false: 1.1 | 1.2
    This fails today: it is expected to be true.
    2 commits changed a file it depends on
    2 commits (100 %) changed the probe's answer
    Commit it: only HEAD's questions count.
    "#);
    assert_snapshot!(changes(&world, "question add state 'How far is it?' --importance 2 --watch src/ --lines 'todo|done' --shape begun,done --hint src"), @r#"
    -    { "id": "version", "q": "Does the page name the version?", "importance": 3, "severity": "blocking", "expect": true, "probe": {"agree": [{"text": {"as": "version", "file": "docs/a.md", "pattern": "Version (.*)[.]"}}, {"value": {"as": "version", "file": "package.json", "pointer": "/version"}}]}, "created": "2026-01-01" }
    +    { "id": "version", "q": "Does the page name the version?", "importance": 3, "severity": "blocking", "expect": true, "probe": {"agree": [{"text": {"as": "version", "file": "docs/a.md", "pattern": "Version (.*)[.]"}}, {"value": {"as": "version", "file": "package.json", "pointer": "/version"}}]}, "created": "2026-01-01" },
    +    { "id": "state", "q": "How far is it?", "importance": 2, "evidence_hint": "src", "watch": ["src/"], "lines": "todo|done", "shape": {"enum": ["begun", "done"]}, "created": "2026-01-01" }
    standing_questions.json: added state
    Commit it: only HEAD's questions count.
    "#);
    assert_snapshot!(changes(&world, r#"question add n 'How many notes?' --probe '{"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}' --shape number --expect '{"at_most": 0}'"#), @r#"
    -    { "id": "state", "q": "How far is it?", "importance": 2, "evidence_hint": "src", "watch": ["src/"], "lines": "todo|done", "shape": {"enum": ["begun", "done"]}, "created": "2026-01-01" }
    +    { "id": "state", "q": "How far is it?", "importance": 2, "evidence_hint": "src", "watch": ["src/"], "lines": "todo|done", "shape": {"enum": ["begun", "done"]}, "created": "2026-01-01" },
    +    { "id": "n", "q": "How many notes?", "importance": 3, "shape": "number", "expect": {"at_most": 0}, "probe": {"grep": {"paths": ["src/"], "take": "count", "text": "TODO"}}, "created": "2026-01-01" }
    standing_questions.json: added n
    n 1
    This fails today: it is expected to be at most 0.
    Commit it: only HEAD's questions count.
    "#);
    assert_snapshot!(changes(&world, r#"question add tests 'Do the tests pass?' --probe '{"run": ["make", "test"]}'"#), @r#"
    -    { "id": "n", "q": "How many notes?", "importance": 3, "shape": "number", "expect": {"at_most": 0}, "probe": {"grep": {"paths": ["src/"], "take": "count", "text": "TODO"}}, "created": "2026-01-01" }
    +    { "id": "n", "q": "How many notes?", "importance": 3, "shape": "number", "expect": {"at_most": 0}, "probe": {"grep": {"paths": ["src/"], "take": "count", "text": "TODO"}}, "created": "2026-01-01" },
    +    { "id": "tests", "q": "Do the tests pass?", "importance": 3, "probe": {"external": false, "run": ["make", "test"], "take": "exit"}, "created": "2026-01-01" }
    standing_questions.json: added tests
    Its command runs once you approve it: git sq question approve tests
    Commit it: only HEAD's questions count.
    "#);
    world.commit("ask more");
    world.sq_ok("question lint");
    // Begins with no questions at all.
    let empty = World::new();
    empty.commit("begin");
    empty.sq_ok("init --empty");
    empty.sq_ok("question lint");
    empty.commit("ask nothing yet");
    assert_eq!(empty.check(&[]).1, 0);
    empty.sq_ok("question add why 'Why?' --importance 1");
    assert_snapshot!(fs::read_to_string(empty.dir.join("context/standing_questions.json")).unwrap(), @r#"
    {
      "_schema": "standing_questions/v2",
      "_note": "These are durable questions, not answers, and people own their wording: a question is never edited in place, a new version of it is added instead (`git sq question add` and `reword`). The answers are derived afresh from the repository in each session, as `git sq brief` asks, and recorded with `git sq record`.",
      "questions": [
        {
          "id": "why",
          "q": "Why?",
          "importance": 1,
          "created": "2026-01-01"
        }
      ]
    }
    "#);
}

/// What a line is refused with, without what clap says each time.
fn refused(world: &World, line: &str) -> String {
    let said = world.try_sq(line).transcript();
    let always = ["--- stderr", "hint: nothing was changed", "Usage: ", "For more information"];
    let lines = said
        .lines()
        .filter(|line| !line.is_empty() && !always.iter().any(|part| line.starts_with(part)));
    format!("$ {line}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_version_with_nothing_new_or_nothing_to_see_is_refused() {
    let world = world(TEXT);
    let said = [
        "reword q1",
        "reword q1 --watch srcs/",
        "reword q1 --watch src/ 'Where is it?'",
        "reword q1 --watch src/ --lines '('",
    ]
    .map(|line| refused(&world, &format!("question {line}")));
    assert_snapshot!(said.concat(), @r#"
    $ question reword q1
    fatal: nothing is new about q1
    --- exit 128
    $ question reword q1 --watch srcs/
    fatal: srcs/ matches no file in HEAD, so that no change would ever count
    hint: commit the file first, or watch another one
    --- exit 128
    $ question reword q1 --watch src/ 'Where is it?'
    fatal: no file matches 'Where is it?': `--watch` takes all that follows it
    hint: put the wording first: `git sq question reword q1 'Where is it?' --watch PATH`
    --- exit 128
    $ question reword q1 --watch src/ --lines '('
      × invalid question store standing_questions.json with this change
        ╭─[standing_questions.json with this change:21:19]
     21 │         "lines" : "(",
        ·                   ─┬─
        ·                    ╰── "(" is no regular expression: unclosed group
        ╰────
    --- exit 128
    "#);
    assert_eq!(text(&world), TEXT);
}

/// Its answers would count for another question.
#[test]
fn the_name_of_a_question_that_was_deleted_is_not_given_again() {
    let world = world(TEXT);
    world.change(STORE, TEXT.replace("\"q1\"", "\"other\""));
    assert_has!(world.sq_ok("question add q1 What?"), "added q1");
    world.git_ok("checkout -q .");
    world.sq_ok("record --sid s1 --same q2=Ada");
    let asked = world.head();
    world.change(STORE, TEXT.replace("\"q2\"", "\"another\""));
    let said = world.try_sq("question add q2 What?").transcript().replace(&asked[..10], "[asked]");
    assert_snapshot!(said, @r"
    --- stderr
    fatal: q2 was asked at [asked], and answered
    hint: nothing was changed; those answers would count for this question: choose another name
    --- exit 128
    ");
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let world = world(TEXT);
    let said = [
        "add q1 What?",
        "add Q3 What?",
        "add q3 ''",
        "reword q9 What?",
        "reword q1 'Where does A run?'",
        "retire q9",
        "add x What? --watch srcs/",
        "add x What? --probe '{\"tree\": \"lib\"}'",
        "add x What? --agree docs/a.md:Version package.json:/name",
        "add x What? --watch src/ --lines '('",
        "add x What? --lines a",
        "add x What? --shape bolean",
        "add x What? --severity error",
        "add x What? --agree docs/a.md:Version",
        "add x What? --agree docs/a.md:Version package.json:/version --probe '{\"tree\": \"src\"}'",
        "add x What? --probe '{\"value\": {\"file\": \"package.json\", \"pointer\": \"/version\", \"as\": \"version\", \"precision\": 5}}'",
        "add x What? --watch src/ --expect '{\"at_most\": 5'",
    ].map(|line| refused(&world, &format!("question {line}")));
    assert_snapshot!(said.concat(), @r#"
    $ question add q1 What?
    fatal: question q1 already exists
    --- exit 128
    $ question add Q3 What?
    fatal: invalid question name "Q3": expected a lowercase letter, then up to 63 lowercase letters, digits, `_` or `-`
    --- exit 128
    $ question add q3 ''
    fatal: the question is empty
    --- exit 128
    $ question reword q9 What?
    fatal: there is no question q9 in the store
    --- exit 128
    $ question reword q1 'Where does A run?'
    fatal: q1 already says that
    --- exit 128
    $ question retire q9
    fatal: there is no question q9 in the store
    --- exit 128
    $ question add x What? --watch srcs/
    fatal: srcs/ matches no file in HEAD, so that no change would ever count
    hint: commit the file first, or watch another one
    --- exit 128
    $ question add x What? --probe '{"tree": "lib"}'
    fatal: the probe finds nothing at HEAD: there is no lib
    hint: `git sq probe JSON` tries a probe without a question
    --- exit 128
    $ question add x What? --agree docs/a.md:Version package.json:/name
    fatal: the probe finds nothing at HEAD: package.json has no /name
    hint: `git sq probe JSON` tries a probe without a question
    --- exit 128
    $ question add x What? --watch src/ --lines '('
      × invalid question store standing_questions.json with this change
        ╭─[standing_questions.json with this change:14:77]
     14 │     { "id": "x", "q": "What?", "importance": 3, "watch": ["src/"], "lines": "(", "created": "2026-01-01" }
        ·                                                                             ─┬─
        ·                                                                              ╰── "(" is no regular expression: unclosed group
        ╰────
    --- exit 128
    $ question add x What? --lines a
    fatal: `--lines` is about the files of `--watch`, and none is given
    --- exit 128
    $ question add x What? --shape bolean
      × invalid question store standing_questions.json with this change
        ╭─[standing_questions.json with this change:14:58]
     14 │     { "id": "x", "q": "What?", "importance": 3, "shape": "bolean", "created": "2026-01-01" }
        ·                                                          ────┬───
        ·                                                              ╰── expected "boolean", "number", "text", "list", {"enum": [words]}, {"number": {"unit": "ms", "tolerance": 5}} or {"list": "order"}
        ╰────
    --- exit 128
    $ question add x What? --severity error
      × invalid question store standing_questions.json with this change
        ╭─[standing_questions.json with this change:14:61]
     14 │     { "id": "x", "q": "What?", "importance": 3, "severity": "error", "created": "2026-01-01" }
        ·                                                             ───┬───
        ·                                                                ╰── expected `informational` or `blocking`
        ╰────
    --- exit 128
    $ question add x What? --agree docs/a.md:Version
    error: 2 values required by '--agree <PLACE> <PLACE>...'; only 1 was provided
    --- exit 129
    $ question add x What? --agree docs/a.md:Version package.json:/version --probe '{"tree": "src"}'
    error: the argument '--agree <PLACE> <PLACE>...' cannot be used with '--probe <JSON>'
    --- exit 129
    $ question add x What? --probe '{"value": {"file": "package.json", "pointer": "/version", "as": "version", "precision": 5}}'
    error: invalid value '{"value": {"file": "package.json", "pointer": "/version", "as": "version", "precision": 5}}' for '--probe <JSON>': expected a precision from 1 to 4
    --- exit 129
    $ question add x What? --watch src/ --expect '{"at_most": 5'
    error: invalid value '{"at_most": 5' for '--expect <ANSWER>': EOF while parsing an object at line 1 column 13
    --- exit 129
    "#);
    assert_eq!(world.git_ok("status --porcelain"), "");
}

#[test]
fn a_wording_is_tried_beside_the_old_one_and_promoted() {
    let world = world(TEXT);
    world.sq_ok("question trial q2 'Who owns it?'");
    let again = world.try_sq("question trial q2 'Who owns it?'").exits(128);
    assert_has!(again.stderr, "fatal: q2@2 already says that");
    world.commit("Try q2");
    let state = || {
        let brief = world.sq_ok("brief --all");
        let mut lines = brief.lines();
        lines.find(|line| line.trim_start().starts_with("q2@2")).unwrap().trim().to_owned()
    };
    assert_snapshot!(state(), @"q2@2  Who owns it?  [never answered, on trial]");
    for (sid, said) in [("s1", "1 session: 1 time both"), ("s2", "2 sessions: 2 times both")] {
        world.sq_ok(&format!("record --sid {sid} --same q2=Ada --same q2@2=Ada"));
        assert_has!(world.sq_ok("question history q2"), &format!("versions 2 and 1 in {said} "));
    }
    assert_snapshot!(state(), @"q2@2  Who owns it?  [on trial, answered in 2 sessions]");
    // Who retires it tries no other wording of it.
    assert_has!(world.sq_ok("question retire q2"), "retired q2");
    assert_eq!(world.read("standing_questions.json").matches("\"retired\"").count(), 2);
    world.git_ok("checkout -q standing_questions.json");
    assert_has!(world.sq_ok("question promote q2"), "promoted q2@2");
    world.commit("Promote q2");
    assert_snapshot!(world.sq_ok("question list --all"), @"
    question  standing        importance  text
    q1        never answered  2           Where does A run?
    q2                        3           [deprecated] Who?
    q2@2      fresh           3           Who owns it?
    ");
    assert_has!(world.try_sq("question promote q2").stderr, "q2 is not on trial");
}

#[test]
fn questions_that_are_added_at_once_all_stay() {
    let world = world(TEXT);
    let ids = ["one", "two", "three", "four"];
    std::thread::scope(|scope| {
        for id in ids {
            let mut add = world.sq_command(&["question", "add", id, "What?"]);
            scope.spawn(move || assert!(add.output().unwrap().status.success()));
        }
    });
    let text = text(&world);
    assert!(ids.iter().all(|id| text.contains(&format!("\"{id}\""))), "{text}");
}

#[test]
fn what_is_watched_is_given_from_the_current_folder() {
    let world = world(TEXT);
    let docs = world.dir.join("docs");
    for (given, stored) in
        [("a.md", "docs/a.md"), ("../src", "src"), (".", "docs"), ("..", "."), (":/src", ":/src")]
    {
        world.sq_ok_in(&docs, &format!("question add x What? --watch {given}"));
        assert_has!(text(&world), format!(r#""watch": ["{stored}"]"#));
        world.write(STORE, TEXT);
    }
    let ran = world.sq_in(&docs, &["question", "add", "x", "What?", "--watch", "../.."]).exits(128);
    assert_has!(ran.stderr, "../.. is outside the repository");
}
