//! Where a question stands: one word, the same wherever it is printed, and what changes it.

use std::path::Path;

use git_sq_test_support::{Ran, World, each, store_v2};
use serde_json::{Value, json};

#[cfg(unix)]
use crate::commands::approve;
use crate::{openmetrics::samples, second::clone_of};

/// q1, a fact that expects the README to say the version.
fn fact(keys: &Value) -> World {
    let world = World::new();
    let mut question = json!({"id": "q1", "q": "Does the README name the version?", "importance": 2, "expect": true,
        "probe": {"grep": {"text": "1.0", "paths": ["README.md"], "take": "exists"}}});
    question.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    world.write("README.md", "Version 0.9\n");
    world.ask_json(&question.to_string());
    world
}

/// The last line of `check`, and its exit code.
fn verdict(world: &World) -> (String, i32) {
    let ran = world.try_sq("check");
    (ran.stdout.lines().last().unwrap().to_owned(), ran.code)
}

#[test]
fn a_fact_needs_no_session_to_be_red_and_none_to_be_green() {
    let world = fact(&json!({}));
    insta::assert_snapshot!(world.try_sq("check").transcript().replace(&world.head()[..10], "HEAD"), @"
    main at HEAD, 1 question asked
      question  standing
      q1        fails

    error: q1 fails: false at HEAD, expected to be true
      fix the files (see `git sq facts q1` and `git sq trace q1`); if the expectation is wrong, change the `expect` of q1 in the question store [failing]

    not clean: q1 fails
    --- exit 1
    ");
    world.change("README.md", "Version 1.0\n");
    insta::assert_snapshot!(world.try_sq("check").transcript().replace(&world.head()[..10], "HEAD"), @"
    main at HEAD, 1 question asked
      question  standing
      q1        holds

    clean: 1 holds
    --- exit 0
    ");
    assert_eq!(world.lines().len(), 0);
}

#[test]
fn a_mended_fact_waits_for_nobody() {
    let world = fact(&json!({"severity": "blocking"}));
    world.sq_ok("record --sid s1");
    assert_eq!(verdict(&world), ("not clean: q1 fails".into(), 1));
    world.change("README.md", "Version 1.0\n");
    assert_eq!(verdict(&world), ("clean: 1 holds".into(), 0));
    // Nor does a change that nothing expects.
    let world = fact(&json!({"severity": "blocking", "expect": "stable"}));
    world.sq_ok("record --sid s1");
    world.change("README.md", "Version 1.0\n");
    world.sq_ok("record --sid s2");
    assert_eq!(verdict(&world), ("clean: 1 fresh".into(), 0));
}

/// Whatever is expected of it. To find nothing is an answer of those that look for files.
#[test]
fn a_fact_whose_file_is_gone_fails() {
    for expect in ["", r#""expect": "stable","#] {
        let world = World::new();
        world.write("package.json", r#"{"version": "1.2.3"}"#);
        let ask = |id: &str, probe: &str| {
            format!(r#"{{"id": "{id}", "q": "?", "importance": 2, {expect} "probe": {probe}}}"#)
        };
        let probes = [
            ("value", r#"{"value": {"file": "package.json", "pointer": "/version"}}"#),
            ("tree", r#"{"tree": "package.json"}"#),
            ("text", r#"{"text": {"file": "package.json", "pattern": "version"}}"#),
            ("grep", r#"{"grep": {"text": "TODO", "paths": ["package.json"]}}"#),
            ("files", r#"{"files": {"paths": ["package.json"]}}"#),
            ("exist", r#"{"exist": {"pattern": "([a-z]+/)", "paths": ["package.json"]}}"#),
        ];
        world.ask_json(&probes.map(|(id, probe)| ask(id, probe)).join(","));
        assert_eq!(verdict(&world), ("clean: 6 fresh".into(), 0));
        world.git_ok("rm -q package.json");
        world.commit("gone");
        assert_eq!(verdict(&world), ("not clean: value, tree, text fail; 3 fresh".into(), 1));
        assert_has!(
            world.try_sq("check").stdout,
            "error: value fails: missing (there is no file package.json)"
        );
        for line in ["facts --exit-code", "facts --base HEAD~1 --exit-code", "ci"] {
            let ran = world.try_sq(line);
            assert_eq!(ran.code, 1, "{line}\n{}", ran.transcript());
        }
    }
}

/// Nobody has to fetch a log for it, either.
#[test]
fn a_store_of_facts_alone_is_judged_on_them_alone() {
    let world = fact(&json!({}));
    world.git_ok("remote add origin nowhere");
    world.git_ok("config remote.origin.sq true");
    world.change("README.md", "Version 1.0\n");
    let (check, code) = world.check(&[]);
    assert_eq!((&check["findings"], &check["unknown"], code), (&json!([]), &json!([]), 0));
    let brief = world.sq_ok("brief");
    assert_has!(brief, "\nAnswered by the tool\n  holds: q1\n", "No questions to answer.\n");
    let status = world.sq_ok("status");
    assert!(!status.contains("record"), "{status}");
}

#[test]
fn clean_never_stands_beside_fails() {
    let world = fact(&json!({"severity": "informational"}));
    let answered = |keys: &str| {
        let world = World::asking(&[keys, ""]);
        world.sq_ok("record --sid s1 q1=no --same q2=x");
        world
    };
    let session = answered(r#","shape":"boolean","expect":true"#);
    for (world, words) in [(&world, "1 fails (warning)"), (&session, "1 fails (warning), 1 fresh")]
    {
        assert_eq!(verdict(world), (words.into(), 0));
        for line in ["check", "ci", "status", "fleet .", "check --format markdown"] {
            let ran = world.try_sq(line);
            assert!(!ran.stdout.contains("clean"), "{line}\n{}", ran.stdout);
            assert_eq!(ran.code, 0, "{line}");
        }
    }
    let blocking = answered(r#","shape":"boolean","expect":true,"severity":"blocking""#);
    assert_eq!(verdict(&blocking), ("not clean: q1 fails; 1 fresh".into(), 1));
}

/// Facts are recorded with the answers of sessions, and are no part of their figures.
#[test]
fn facts_make_and_break_no_figure_of_sessions() {
    let world = World::new();
    let probe = json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}});
    let todo = json!({"id": "todo", "q": "?", "importance": 2, "probe": probe});
    let store =
        store_v2(&format!(r#"{todo},{{"id":"q1","q":"?","importance":2,"watch":["src/"]}}"#));
    let store = store.replacen('{', r#"{"settings":{"unasked.max":2},"#, 1);
    world.write("standing_questions.json", store);
    world.commit("ask");
    let work = |number: usize| world.change("src/a.rs", "// TODO\n".repeat(number));
    for number in 1..=5 {
        work(number);
        world.sq_ok(&format!("record --sure --sid s{number} --same q1=x"));
    }
    let (check, _) = world.check(&[]);
    let quiet = &check["quiet"];
    assert_eq!((&quiet["longest_run"], &check["sessions"]), (&json!(4), &json!(5)));
    for number in 6..=9 {
        work(number);
        world.sq_ok(&format!("record --sid s{number}"));
    }
    let (check, _) = world.check(&[]);
    assert_eq!(check["sessions"], 5);
    assert_has!(world.messages("unasked")[0], "8 commits in 0 days changed");
    let original = world.check(&["--original"]).0;
    assert_eq!((&original["sessions"], &original["quiet"]["longest_run"]), (&json!(9), &json!(0)));
}

/// An answer, and a correction with the line that stood there already.
fn disputed(keys: &str) -> World {
    let keys = format!(r#","watch":["src/"],"shape":"boolean"{keys}"#);
    let world = World::asking(&[&keys]);
    world.change("src/a.rs", "// done\n");
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    world.commit("elsewhere");
    world.sq_ok("record --sid s2 --wrong q1=no --cite q1=src/a.rs:1");
    world
}

fn look(world: &World, dir: &Path, sid: &str, answer: &str) -> Ran {
    let entry = world.entry_of("s1");
    world.sq_in(
        dir,
        &["record", "--sid", sid, "--second", &entry, answer, "--cite", "q1=src/a.rs:1"],
    )
}

#[test]
fn who_disputes_settles_nothing() {
    let world = disputed("");
    assert!(!world.sq_ok("brief").contains("Second look"));
    for sid in ["s3", "s4", "s5", "s6"] {
        look(&world, &world.dir, sid, "q1=yes").ok();
        world.sq_ok(&format!("record --sure --sid {sid} --same q1"));
    }
    assert_eq!(world.standing("q1"), "disputed");
    // The correction is not blamed, and is what later answers are compared with.
    assert_eq!(world.check(&[]).0["looks"]["flagged"], 0);
    assert_has!(verdict(&world).0, "1 disputed");

    // Two colleagues who looked, with lines, settle it.
    for name in ["bob", "cleo"] {
        let dir = clone_of(&world, name);
        assert_has!(world.sq_ok_in(&dir, "brief"), "Second look");
        assert_eq!(world.standing("q1"), "disputed");
        look(&world, &dir, name, "q1=no").ok();
        world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
    }
    assert_eq!(world.standing("q1"), "fresh");
    assert_has!(world.messages("second-look")[0], "q1 is wrong: 3 other sessions");
}

#[test]
fn an_answer_with_evidence_ends_a_dispute_once_what_it_depends_on_changed() {
    let world = disputed("");
    world.sq_ok("record --sid s3 q1=no --same q1 --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "disputed");
    world.change("src/a.rs", "// really done\n");
    // A party can't.
    world.sq_ok("record --sid s2 q1=yes --delta q1 --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "disputed");
    world.change("src/a.rs", "// really, really done\n");
    world.sq_ok("record --sid s4 q1=yes --same q1 --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "fresh");
}

#[test]
fn a_correction_ends_no_failure_and_no_flag() {
    let world = disputed(r#","expect":false,"severity":"blocking""#);
    // The corrected side fails what must hold.
    assert_eq!(verdict(&world), ("not clean: q1 fails".into(), 1));
}

#[test]
fn a_correction_cites_what_stood_where_the_answer_was_given() {
    let world = World::asking(&[r#","watch":["src/"],"shape":"boolean""#]);
    world.change("src/a.rs", "// done\n");
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    world.change("src/a.rs", "// done\n// not at all\n");
    let refused = world.try_sq("record --sid s2 --wrong q1=no --cite q1=src/a.rs:2");
    assert_has!(refused.stderr, "src/a.rs:2 did not stand at ");
    world.sq_ok("record --sid s2 --wrong q1=no --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "disputed");
}

#[test]
fn within_one_look_a_last_word_replaces_the_earlier_one() {
    let world = World::asking(&[r#","watch":["src/"],"shape":"boolean""#]);
    world.change("src/a.rs", "// done\n");
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    world.sq_ok("record --sid s1 --wrong q1=no --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "fresh");
    // Where it repeats an earlier answer, it corrects that one.
    world.sq_ok("record --sid s2 q1=no");
    world.sq_ok("record --sid s2 --wrong q1=yes --cite q1=src/a.rs:1");
    assert_eq!(world.standing("q1"), "disputed");
    assert_eq!(world.check(&[]).0["looks"]["flagged"], 0);
}

/// Each of these questions stands as the word beside it says, in whatever prints standings.
#[track_caller]
pub fn is_told_everywhere(world: &World, words: &[(&str, &str)]) {
    let is_good = |word: &str| ["holds", "fresh"].contains(&word);
    let repository = world.dir.file_name().unwrap().display();
    // In json.
    let told = |list: &Value, key: &str| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = each(list);
        rows.map(|row| (text(&row[key]), text(&row["standing"]))).collect()
    };
    let fleet = world.sq(&["fleet", ".", "--format", "json"]).json();
    let ci = world.sq(&["ci", "--format", "json"]).json();
    for (name, rows) in [
        ("check", told(&world.check(&[]).0["questions"], "question")),
        ("ci", told(&ci["check"]["questions"], "question")),
        ("status", told(&world.json("status")["standings"], "question")),
        ("brief", told(&world.json("brief")["questions"], "q_id")),
        ("list", told(&world.json("question list")["questions"], "q_id")),
        ("fleet", told(&fleet["repositories"][0]["figures"]["questions"], "question")),
    ] {
        for &(question, word) in words {
            assert!(rows.contains(&(question.into(), word.into())), "{name}: {question} {rows:?}");
        }
    }
    // In text: a line that begins with the question, or that lists it behind the word.
    let brief = world.sq_ok("brief --all");
    let [check, ci, list] = ["check", "ci", "question list"].map(|line| world.try_sq(line).stdout);
    let status = world.sq_ok("status");
    let fleet = world.try_sq("fleet .").stdout;
    let metrics = samples(&world.try_sq("stats --format openmetrics --by-question").stdout);
    world.try_sq("report -o report.html");
    let report = world.read("report.html");
    for &(question, word) in words {
        for text in [&check, &ci, &list] {
            let mut lines = text.lines().map(str::trim_start);
            let row = lines.find(|line| line.starts_with(&format!("{question} ")));
            let row = row.unwrap_or_else(|| panic!("{question}: {text}"));
            let cells: Vec<&str> = row.split("  ").map(str::trim).collect();
            assert!(cells.contains(&word), "{row}");
        }
        let show = world.json(&format!("show {question}"));
        assert_eq!(show["standing"], word, "{question}");
        let show = world.try_sq(&format!("show {question}")).stdout;
        assert!(show.lines().nth(1).unwrap().starts_with(word), "{show}");
        let sample = format!(
            "git_sq_questions{{repository=\"{repository}\",question=\"{question}\",standing=\"{word}\"}}"
        );
        assert_eq!(metrics.get(&sample), Some(&1), "{sample}");
        let [name, chip] = [question, word].map(|text| format!(">{text}<"));
        let rows = report.split("<tr").filter(|row| row.contains("scope=\"row\""));
        // Where no session is known there are only the cards.
        let mut rows = rows.chain(report.split("</summary>"));
        assert!(rows.any(|row| row.contains(&name) && row.contains(&chip)), "{question}");
        if !is_good(word) {
            let mut lists =
                status.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(": "));
            assert!(lists.any(|names| names.split(", ").any(|name| name == question)), "{status}");
            let mut lists =
                fleet.split([':', ';', '\n']).filter_map(|part| part.strip_suffix(word));
            let is_named = |names: &str| names.split([' ', ',']).any(|name| name == question);
            assert!(lists.any(is_named), "{question} {word}\n{fleet}");
        }
        if !["fresh"].contains(&word) {
            let mut lines = brief.lines();
            let found = lines.any(|line| line.contains(question) && line.contains(word))
                || brief.contains(&format!("      {word}: "));
            assert!(found, "{word}\n{brief}");
        }
    }
}

/// The questions of one store, each in the standing that its name says.
#[cfg(unix)]
fn all() -> World {
    let world = World::new();
    let exists = |text: &str| json!({"grep": {"text": text, "paths": ["facts"], "take": "exists"}});
    let run = |script: &str| json!({"run": ["sh", script], "take": "stdout"});
    let questions = [
        ("fails", json!({"expect": true, "severity": "informational", "probe": exists("absent")})),
        ("holds", json!({"expect": true, "probe": exists("present")})),
        ("disputed", json!({"watch": ["disputed"], "shape": "boolean"})),
        ("never-answered", json!({"watch": ["never"]})),
        ("stale", json!({"max_staleness": 1})),
        ("outdated", json!({"watch": ["outdated"]})),
        ("not-run", json!({"probe": run("unapproved.sh")})),
        ("fresh", json!({"watch": ["fresh"]})),
        ("q1", json!({"probe": run("differs.sh")})),
    ]
    .map(|(id, keys)| {
        let mut question = json!({"id": id, "q": "?", "importance": 2});
        question.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        question.to_string()
    });
    world.write("facts", "present\n");
    for file in ["disputed", "never", "outdated", "fresh"] {
        world.write(file, "1\n");
    }
    world.write("unapproved.sh", "true");
    world.write("differs.sh", "date +%N");
    world.ask_json(&questions.join(","));
    approve(&world);
    let others = "outdated=a fresh=a --no-run";
    world.sq_ok(&format!("record --sid s1 disputed=yes stale=a {others}"));
    world.commit("elsewhere");
    world.sq_ok("record --sid s2 --wrong disputed=no --cite disputed=disputed:1 --same fresh");
    world.commit("elsewhere");
    world.sq_ok("record --sid s3 --same fresh,outdated");
    world.change("outdated", "2\n");
    world
}

#[cfg(unix)]
#[test]
fn one_word_says_it_everywhere() {
    let world = all();
    let words = [
        ("fails", "fails"),
        ("disputed", "disputed"),
        ("never-answered", "never answered"),
        ("stale", "stale"),
        ("outdated", "outdated"),
        ("q1", "unstable"),
        ("not-run", "not run"),
        ("holds", "holds"),
        ("fresh", "fresh"),
    ];
    is_told_everywhere(&world, &words);
    insta::assert_snapshot!(verdict(&world).0, @"not clean: stale stale; 1 fails (warning), 1 disputed, 1 never answered, 1 outdated, 1 unstable, 1 not run, 1 holds, 1 fresh");
}
