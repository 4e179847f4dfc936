//! Answers that somebody else derives again.

use std::{fs, path::PathBuf};

use git_sq_test_support::{Ran, World, keyed};
use serde_json::{Value, json};

/// Session s1 answers, the file changes, and s2 answers that nothing did, citing what it should.
fn world(shape: &Value) -> World {
    let world = World::new();
    let mut question = json!({
        "id": "q1", "q": "Which errors are there?", "importance": 2, "watch": ["src/"], "lines": "err",
    });
    if !shape.is_null() {
        question["shape"] = shape.clone();
    }
    world.write("src/a.rs", "err one\n");
    world.ask_json(&question.to_string());
    answer(&world, "s1", "one").ok();
    world.change("src/a.rs", "err one\nerr two\n");
    answer(&world, "s2", "one").ok();
    world
}

fn answer(world: &World, sid: &str, text: &str) -> Ran {
    world.pass(3600);
    let answer = format!("q1={text}");
    let same = ["--same", "q1", "--cite", "q1=src/a.rs:1"];
    let args = ["record", "--sid", sid, &answer];
    world.sq(&[&args[..], &same].concat())
}

fn look(world: &World, sid: &str, entry: &str, words: &[&str]) -> Ran {
    let args = ["record", "--sid", sid, "--second", entry];
    let (question, _) = words[0].split_once('=').unwrap();
    let cite = format!("{question}=src/a.rs:1");
    world.sq(&[&args[..], words, &["--cite", &cite]].concat())
}

/// Another person's clone, which has the log.
pub fn clone_of(world: &World, name: &str) -> PathBuf {
    let dir = world.root().join(name);
    if !dir.exists() {
        let (from, to) = (world.dir.display(), dir.display());
        world.git_ok(&format!("clone --quiet {from} {to}"));
        world.git_ok_in(&dir, &format!("config user.email {name}@example.org"));
    }
    world.git_ok_in(&dir, "fetch --quiet origin +refs/notes/sq:refs/notes/sq");
    dir
}

/// Another person looks, in another clone, with this line as evidence.
fn other(world: &World, name: &str, entry: &str, answer: &str) -> Ran {
    let dir = clone_of(world, name);
    let cite = ["--cite", "q1=src/a.rs:1-2"];
    let args = ["record", "--sid", name, "--second", entry, answer];
    let ran = world.sq_in(&dir, &[&args[..], &cite].concat());
    world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
    ran
}

fn second(world: &World) -> String {
    hidden(world, &world.sq(&["verify", "--second"]))
}

/// A transcript without ids.
fn hidden(world: &World, ran: &Ran) -> String {
    ran.transcript().replace(&world.entry_of("s2"), "ENTRY").replace(&world.head()[..10], "COMMIT")
}

#[test]
fn a_wrong_answer_is_found_by_two_others() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    insta::assert_snapshot!(second(&world), @"
    q1 of s2 (Ada Example) at COMMIT: open, entry ENTRY
    1 answer open, 0 wrong
    --- exit 0
    ");
    assert_has!(
        world.sq_ok("verify --second --format markdown"),
        "```text\nq1 of s2 (Ada Example)"
    );
    world.try_sq("verify --second --format junit").exits(128);
    // Who answered is not asked, and settles nothing, however often.
    assert!(!world.sq_ok("brief").contains("Second look"));
    let found = "q1=one, two";
    for sid in ["s3", "s4", "s5"] {
        look(&world, sid, &entry, &[found, "--cite", "q1=src/a.rs:1-2"]).ok();
    }
    assert_has!(second(&world), "COMMIT: open, entry ENTRY");
    let bob = clone_of(&world, "bob");
    let brief = hidden(&world, &world.sq_in(&bob, &["brief"]));
    let asks = "read `git show COMMIT:PATH`, then git sq record --second ENTRY 'q1=the answer' --cite q1=path:3-5";
    assert_has!(brief, asks);
    assert!(!brief.contains("q1=one"), "{brief}");
    insta::assert_snapshot!(hidden(&world, &other(&world, "bob", &entry, found)), @"
    second look at q1 of entry ENTRY: the answer is not the recorded one
    Still to answer in this session: q1.
    --- exit 0
    ");
    insta::assert_snapshot!(second(&world), @"
    q1 of s2 (Ada Example) at COMMIT: disputed, 1 session found another answer, entry ENTRY
    1 answer open, 0 wrong
    --- exit 0
    ");
    // Both sides are there before a person says which is right.
    let side = "another answer: one, two\n    cites src/a.rs:1-2\n";
    for shows in [format!("show {entry}"), "show q1".into(), "log --kind all".into()] {
        assert_has!(world.sq_ok(&shows), side);
    }
    other(&world, "cleo", &entry, found).ok();
    // A look without lines settles nothing.
    let without = world.sq(&["record", "--sid", "s9", "--second", &entry, found]).exits(128);
    assert_has!(without.stderr, "needs the lines that show it");
    assert_has!(second(&world), "disputed, 2 sessions found");
    other(&world, "eve", &entry, found).ok();
    insta::assert_snapshot!(second(&world), @"
    wrong: q1 of s2 (Ada Example) at COMMIT: 3 sessions found another answer, entry ENTRY
    0 answers open, 1 wrong
    --- exit 1
    ");
    let (check, code) = world.check(&[]);
    assert_eq!((code, check["looks"]["flagged"].as_u64()), (0, Some(1)));
    assert!(world.found("rule").contains(&"second-look".into()));
}

/// A person who closes what a rule flags has not seen what others find later.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_closed_flag_hides_no_answer_that_others_find_wrong() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    let closings = world.dir.join("standing_questions.closed.jsonl");
    let line = json!({
        "closes": {"kind": "look", "id": entry}, "by": "Ada <ada@example.org>", "date": "2026-11-28",
    });
    fs::write(&closings, line.to_string() + "\n").unwrap();
    world.commit("Close");
    for name in ["bob", "cleo", "eve"] {
        other(&world, name, &entry, "q1=one, two").ok();
    }
    assert!(world.found("rule").contains(&"second-look".into()));
    let said = world.person_ok(&format!("check --accept {entry} --because 'I answered it anew'"));
    assert_has!(said, &format!("  q1 {entry}  q1 of session s2\n"));
    world.git_ok("add --all");
    world.commit("Close that, too");
    assert!(!world.found("rule").contains(&"second-look".into()));
}

/// Where the entry was carried, the brief and the look are about the commit that everybody has.
#[test]
fn a_look_is_taken_at_the_commit_that_the_brief_names() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    let old = world.head();
    let mut number = 0;
    while world.head() <= old {
        world.git_ok(&format!("commit --quiet --amend -m {number}"));
        number += 1;
    }
    world.sq_ok("carry");
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --quiet --prune=now");
    let bob = clone_of(&world, "bob");
    assert_ne!(world.git_in(&bob, &["cat-file", "-e", &old]).code, 0);
    let asks = format!("read `git show {}:PATH`", &world.head()[..10]);
    assert_has!(world.sq_in(&bob, &["brief"]).ok(), asks);
    other(&world, "bob", &entry, "q1=one, two").ok();
}

/// The answer that counts was right; what a reader disputes is false.
#[test]
fn a_correction_is_of_the_answer_that_a_reader_disputes() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    other(&world, "bob", &entry, "q1=one, two").ok();
    world.pass(3600);
    let args = ["record", "--sid", "s3", "--wrong", "q1=one, two", "--cite", "q1=src/a.rs:1-2"];
    world.sq(&args).ok();
    let log = world.json("log");
    assert_eq!(log["entries"][0]["results"][0]["corrects"], entry.as_str(), "{log}");
    let (check, code) = world.check(&[]);
    assert_eq!((code, check["looks"]["flagged"].as_u64()), (0, Some(0)), "{check}");
}

/// An answer that a blocking expectation fails, and a correction that meets it.
fn corrected_world() -> World {
    corrected(r#""expect": {"at_most": 3}, "#)
}

fn corrected(expect: &str) -> World {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n5\n");
    world.ask_json(&format!(
        r#"{{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number",
            {expect}"severity": "blocking"}}"#
    ));
    world.sq(&["record", "--sid", "s1", "q1=5", "--cite", "q1=src/a.rs:3"]).ok();
    world.pass(3600);
    world.sq(&["record", "--sid", "s2", "--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]).ok();
    assert_eq!(world.check(&[]).1, 1);
    world
}

/// Another person finds the first answer in place of the correction.
fn against(world: &World, name: &str) {
    let (correction, dir) = (world.entry_of("s2"), clone_of(world, name));
    let look =
        ["record", "--sid", name, "--second", &correction, "q1=5", "--cite", "q1=src/a.rs:3"];
    world.sq_in(&dir, &look).ok();
    world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
}

/// Whoever disputes a correction does not close what the corrected answer failed.
#[test]
fn either_side_of_a_dispute_fails_whatever_is_said_of_the_other() {
    let world = corrected_world();
    against(&world, "bob");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 1, "{check}");
    assert_eq!(check["questions"][0]["standing"], "fails");
    // A correction that was found false corrects nothing.
    for name in ["cleo", "eve"] {
        against(&world, name);
    }
    let (check, code) = world.check(&[]);
    assert_eq!(code, 1, "{check}");
    let question = &check["questions"][0];
    assert_eq!(
        (&question["standing"], &question["entry"]),
        (&json!("fails"), &json!(world.entry_of("s1"))),
        "{check}"
    );
    assert!(!world.found("rule").contains(&"disputed".into()), "{check}");
}

#[test]
fn a_reader_who_agrees_settles_it() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    look(&world, "s3", &entry, &["q1=one"]).ok();
    assert_has!(second(&world), "COMMIT: open, entry ENTRY");
    other(&world, "bob", &entry, "q1=one").ok();
    insta::assert_snapshot!(second(&world), @"
    No answer waits for a second look.
    --- exit 0
    ");
    assert!(!world.sq_ok("brief").contains("Second look"));
}

#[test]
fn what_cannot_be_compared_is_asked() {
    let world = world(&Value::Null);
    let entry = world.entry_of("s2");
    let said = look(&world, "s3", &entry, &["q1=two of them"]);
    insta::assert_snapshot!(hidden(&world, &said), @"
    --- stderr
    fatal: is that the same answer?
      recorded at COMMIT: one
      yours: two of them
    hint: nothing was written yet, and your answer is final: repeat the command with --same q1, or --delta 'q1=how it differs'
    --- exit 128
    ");
    let words = ["q1=two of them", "--delta", "q1=there is another one"];
    assert_has!(look(&world, "s3", &entry, &words).ok(), "the answer is not the recorded one");
}

/// Who saw the recorded answer can't take it over.
#[test]
fn an_answer_that_was_shown_both_stands() {
    let world = world(&Value::Null);
    let entry = world.entry_of("s2");
    assert_eq!(look(&world, "s3", &entry, &["q1=two of them"]).code, 128);
    let copied = look(&world, "s3", &entry, &["q1=one"]);
    let why = "session s3 answered \"two of them\" before it saw the recorded answer";
    assert!(copied.stderr.contains(why), "{}", copied.transcript());
    look(&world, "s3", &entry, &["q1=two of them", "--same", "q1"]).ok();
    look(&world, "s4", &entry, &["q1=one"]).ok();
    let mut left = std::fs::read_dir(world.dir.join(".git/sq"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(left.all(|name| !name.starts_with("second-")));
}

#[test]
fn a_bare_same_is_looked_at_as_what_it_stands_for() {
    let world = world(&json!("list"));
    world.pass(3600);
    world.sq_ok("record --sid s5 --same q1");
    let entry = world.entry_of("s5");
    let said = look(&world, "s6", &entry, &["q1=one"]).ok();
    assert!(said.contains("the answer is the recorded one"), "{said}");
    let said = other(&world, "bob", &entry, "q1=one, two").ok();
    assert_has!(said, "the answer is not the recorded one");
    // Another one settles nothing.
    world.pass(3600);
    world.sq_ok("record --sid s8 --same q1 --sure");
    assert_eq!(world.standing("q1"), "disputed");
}

#[test]
fn what_is_no_second_look_is_refused() {
    let world = world(&json!("list"));
    let entry = world.entry_of("s2");
    let answer = ["q1=one"];
    look(&world, "s4", &entry, &answer).ok();
    let said = [
        look(&world, "s2", &entry, &answer),
        look(&world, "s3", "01NOTHING", &answer),
        look(&world, "s3", &entry, &["q2=one"]),
        look(&world, "s4", &entry, &answer),
    ];
    let first: String = said[..3]
        .iter()
        .map(|ran| ran.stderr.lines().next().unwrap().replace(&entry, "ENTRY") + "\n")
        .collect();
    insta::assert_snapshot!(first + &hidden(&world, &said[3]), @"
    fatal: session s2 gave that answer itself
    fatal: there is no entry 01NOTHING with answers
    fatal: entry ENTRY has no answer to q2
    --- stderr
    fatal: session s4 has already taken a second look at it
    hint: nothing was written; usage: git sq record --second ENTRY 'q4=the answer', where `git sq brief` names the entry
    --- exit 128
    ");
}

/// An id may be any text where another program wrote the line.
#[test]
fn nobody_is_asked_for_an_entry_whose_id_is_none() {
    let world = world(&json!("list"));
    let lines = world.lines();
    let last = lines.last().unwrap();
    let entry = world.entry_of("s2");
    let planted = last.replace(&entry, "$(touch pwned)");
    assert_ne!(&planted, last);
    world.plant(&[(&world.head(), format!("{planted}\n").as_bytes())]);
    assert!(!world.sq_ok("brief").contains("pwned"));
    assert!(!world.sq(&["verify", "--second"]).stdout.contains("pwned"));
}

/// Who answered could say that there is nothing; so can who looks again.
#[test]
fn a_reader_may_find_nothing() {
    for shape in [Value::Null, json!("text"), json!("list")] {
        let world = world(&shape);
        world.change("src/a.rs", "fine\n");
        world.sq_ok("record --sid s3 --sure --delta q1=gone q1=none");
        let entry = world.entry_of("s3");
        look(&world, "s4", &entry, &["q1=none"]).ok();
    }
}

#[test]
fn show_says_what_was_built_on_an_answer_until_it_was_corrected() {
    let world = World::new();
    world.write("standing_questions.json", keyed(&[r#","watch":["src/"],"shape":"boolean""#]));
    world.change("src/a.rs", "// TODO: the exporter\n");
    world.sq_ok("record --sid s1 q1=yes");
    let entry = world.entry_of("s1");
    assert!(!world.sq_ok(&format!("show {entry}")).contains("corrected it"));
    for text in ["one\n", "two\n"] {
        world.change("docs.md", text);
        world.pass(60);
    }
    world.sq_ok("state set --sid s2 --status 'the exporter is done, docs follow'");
    world.pass(60);
    world.sq_ok("record --sid s3 --wrong q1=no --cite q1=src/a.rs:1");
    let correction = world.entry_of("s3");
    let shown = world.sq_ok(&format!("show {entry}"));
    let expected = format!("Until entry {correction} corrected it: 2 commits (");
    assert!(shown.contains(&expected), "{shown}");
    assert!(shown.contains("; session s2 set its state\n"), "{shown}");
}

/// The answer is what it was.
#[test]
fn a_correction_that_was_found_false_is_no_drift() {
    let world = corrected("");
    assert!(world.found("rule").contains(&"drift".into()));
    for name in ["bob", "cleo", "eve"] {
        against(&world, name);
    }
    assert!(!world.found("rule").contains(&"drift".into()));
}

/// That there is nothing has no lines.
#[test]
fn a_look_that_finds_nothing_needs_none() {
    let world = World::new();
    world.ask_json(
        r#"{"id": "q1", "q": "Which?", "importance": 2, "watch": ["src/"], "shape": "list"}"#,
    );
    world.sq_ok("record --sid s1 q1=none");
    let entry = world.entry_of("s1");
    let bob = clone_of(&world, "bob");
    world.sq_in(&bob, &["record", "--sid", "b", "--second", &entry, "q1=none"]).ok();
}

/// Others settle it; a side of it is asked.
#[test]
fn who_answered_in_a_dispute_is_not_asked_again() {
    let world = World::new();
    world.write("src/a.rs", "err one\n");
    let asked = r#""q": "Which?", "importance": 2, "watch": ["src/"], "shape": "list"}"#;
    world.ask_json(&format!(r#"{{"id": "q1", {asked}, {{"id": "q2", {asked}"#));
    answer(&world, "s1", "one").ok();
    world.sq_ok("record --sid s1 q2=one --cite q2=src/a.rs:1");
    world.change("src/a.rs", "err one\nerr two\n");
    answer(&world, "s2", "one").ok();
    let entry = world.entry_of("s2");
    world.sq_ok("record --sid s2 q2=one,two --cite q2=src/a.rs:1-2 --delta q2=two");
    let still = "Still to answer in this session: q1.\n";
    assert_has!(other(&world, "bob", &entry, "q1=one, two").ok(), still);
    let again = "record --sid s2 q2=one,two --cite q2=src/a.rs:1-2 --delta q2=two";
    assert_has!(world.sq_ok(again), still);

    world.pass(3600);
    let answer = ["record", "--sid", "s4", "q1=one, two", "--delta", "q1=two", "--cite"];
    world.sq(&[&answer[..], &["q1=src/a.rs:1-2"]].concat()).ok();
    world.change("README.md", "More.\n");
    let said = world.sq_ok("record --sid s4 --same q2");
    assert!(!said.contains("Still to answer"), "{said}");
    assert_eq!(world.found("rule"), ["disputed"]);
    assert_has!(world.sq_ok("record --sid s5 --same q2"), still);
    world.change("src/a.rs", "err one\nerr two\nerr three\n");
    let said =
        world.sq_ok("record --sid s4 q2=one,two,three --cite q2=src/a.rs:1-3 --delta q2=three");
    assert_has!(said, still);
}

/// A judge who is the author is worse than none; of the others, the most important question comes first.
#[test]
fn who_looks_at_an_own_answer_is_told_that_it_settles_nothing() {
    let world = World::new();
    world.write("src/a.rs", "err one\n");
    let question = |id: &str, importance: u8| {
        json!({"id": id, "q": "Which?", "importance": importance, "watch": ["src/"], "lines": "err"})
            .to_string()
    };
    world.ask_json(&[question("q1", 1), question("q2", 2), question("q3", 1)].join(","));
    let all = |sid: &str| {
        world.pass(3600);
        let cited =
            ["q1", "q2", "q3"].map(|id| format!("{id}=one --same {id} --cite {id}=src/a.rs:1"));
        world.sq_ok(&format!("record --sid {sid} {}", cited.join(" ")));
    };
    all("s1");
    world.change("src/a.rs", "err one\nerr two\n");
    all("s2");
    let entry = world.entry_of("s2");
    let said = look(&world, "s3", &entry, &["q1=one"]).ok();
    assert_has!(
        said,
        "It settles nothing: only another author in another clone, or a person, does."
    );
    let dir = clone_of(&world, "bob");
    let brief = world.sq_in(&dir, &["brief"]).ok();
    assert_has!(brief, format!("--second {entry} 'q2="));
}
