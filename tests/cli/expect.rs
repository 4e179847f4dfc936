//! Answers that must hold, from the first day on.

use git_sq_test_support::{Team, World, each, keyed};
use serde_json::{Value, json};

#[cfg(unix)]
use crate::commands::approve;
use crate::generated::assert_valid;

/// q1 asks this; the marker files of its probe are under src.
fn asking(keys: &Value) -> World {
    let world = World::new();
    ask(&world, keys);
    world
}

fn ask(world: &World, keys: &Value) {
    let mut question =
        json!({"id": "q1", "q": "Is it done?", "importance": 3, "severity": "blocking"});
    question.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    world.ask_json(&question.to_string());
}

fn exists() -> Value {
    json!({"grep": {"text": "done", "paths": ["src/"], "take": "exists"}})
}

fn count() -> Value {
    json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}})
}

/// A commit with this file.
fn change(world: &World, text: &str) {
    world.change("src/a.rs", text);
}

/// The messages of one rule, each with its severity, and the exit code.
fn gate(world: &World, rule: &str) -> (Vec<String>, i32) {
    let (check, code) = world.check(&[]);
    let found = each(&check["findings"]).filter(|finding| finding["rule"] == rule).map(|finding| {
        let text = |key: &str| finding[key].as_str().unwrap().to_owned();
        text("severity") + ": " + &text("message")
    });
    (found.collect(), code)
}

fn failing(world: &World) -> (Vec<String>, i32) {
    gate(world, "failing")
}

/// What fails is said so, and this is the exit code.
#[track_caller]
fn fails_as(world: &World, said: &str, code: i32) {
    let found = failing(world);
    assert!(found.0[0].starts_with(said) && found.1 == code, "{found:?}");
}

#[test]
fn an_answer_that_must_hold_fails_from_the_first_day_until_it_is_mended() {
    let world = asking(&json!({"expect": true, "probe": exists()}));
    change(&world, "not yet\n");
    let first = world.head();
    insta::assert_snapshot!(failing(&world).0.join("\n").replace(&first[..10], "HEAD"),
        @"error: q1 fails: false at HEAD, expected to be true");
    assert_eq!(failing(&world).1, 1);

    let brief = world.sq_ok("brief");
    assert_has!(brief, "fails: false, expected to be true");
    assert!(!brief.contains("holds"), "{brief}");
    let status = world.sq_ok("status");
    assert_has!(status, "fails: q1\n");
    let brief = world.json("brief");
    assert_valid("brief", &brief);
    assert_eq!(brief["questions"][0]["standing"], "fails");
    let status = world.json("status");
    assert_valid("status", &status);
    assert_eq!(json!([status["standings"][0]["standing"], status["drifts"]]), json!(["fails", []]));

    // It is said of the tip, whoever recorded what, and mending it waits for nobody.
    change(&world, "done\n");
    assert_eq!(failing(&world), (vec![], 0));
    assert_has!(world.sq_ok("brief"), "holds: q1");

    // Nor is it missed where nobody recorded that it broke.
    change(&world, "broken\n");
    assert_eq!(failing(&world).1, 1);
    // What does not block is a warning.
    ask(&world, &json!({"severity": "informational", "expect": true, "probe": exists()}));
    fails_as(&world, "warning: q1 fails: false at ", 0);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn no_verdict_makes_it_green_and_an_error_stays_open_until_it_is_mended() {
    let world = asking(&json!({"expect": {"at_most": 1}, "shape": "number"}));
    for (sid, answer) in [("s1", 1), ("s2", 2)] {
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid} q1={answer}"));
    }
    let both = |world: &World| (failing(world).0.len(), gate(world, "drift").0.len());
    assert_eq!(both(&world), (1, 1));
    world.person_ok("triage q1 --error --because 'one too many'");
    assert_eq!(both(&world), (1, 1));
    assert_has!(world.sq_ok("triage"), "1 open drift, 1 blocking");
    for shown in ["brief", "status"] {
        let shown = world.sq_ok(shown);
        assert_has!(shown, "fails");
        assert!(
            shown.contains("blocking drift: q1\n")
                || shown.contains("q1 changed, and Ada Example called it an error: one too many"),
            "{shown}"
        );
    }
    world.person_ok("triage q1 --expected --because 'so be it'");
    world.commit("so be it");
    assert_eq!(both(&world), (1, 0));
    world.person_ok("triage q1 --error --because 'no, it is one'");

    // Another answer than before, and one that holds.
    world.commit("mend");
    assert_eq!(both(&world), (1, 1));
    world.sq_ok("record --sid s3 q1=0");
    assert_eq!((both(&world), failing(&world).1), ((0, 0), 0));
    let triage = world.json("triage --all");
    assert_eq!(triage["drifts"][1]["mended"], "s3");
    assert_has!(world.sq_ok("triage --all"), "no, it is one; fixed in session s3");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn an_error_of_a_question_without_an_expected_answer_is_mended_when_it_is_what_it_was() {
    let world = asking(&json!({"shape": "number"}));
    let session = |sid: &str, answer: usize| {
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid} q1={answer}"));
    };
    session("s1", 0);
    session("s2", 1);
    world.person_ok("triage q1 --error --because no");
    assert_eq!(gate(&world, "drift").1, 1);
    session("s3", 2);
    world.person_ok("triage s3 --bad-question --because no");
    assert_eq!(gate(&world, "drift").1, 1);
    session("s4", 0);
    assert_eq!(gate(&world, "drift"), (vec![], 0));
}

#[test]
fn each_form_is_held_against_what_the_probe_finds() {
    let world = World::new();
    world.write("src/a.rs", "TODO\nTODO\nTODO\nversion 41\nlicense MIT\nrelease 3.10\n");
    let first = |pattern: &str| {
        let grep = json!({"pattern": pattern, "paths": ["src/"], "take": "first", "capture": 1});
        json!({"probe": {"grep": grep}})
    };
    // The last two are about changes alone.
    let table = r#"
holds COUNT 3
fails COUNT 0
holds COUNT {"at_most": 3}
fails COUNT {"at_most": 2.5}
holds COUNT {"at_least": 3}
fails COUNT {"at_least": 4}
holds COUNT {"pattern": "^[0-9]$"}
fails COUNT {"pattern": "^[0-2]$"}
holds LICENSE "MIT"
fails LICENSE "Apache-2.0"
fails LICENSE {"at_most": 3}
holds VERSION 41
holds VERSION {"at_least": 41}
fails VERSION {"at_least": 41.5}
holds RELEASE {"at_least": "3.10.0"}
holds RELEASE {"at_least": "3.9"}
fails RELEASE {"at_least": "3.11"}
fails RELEASE {"at_most": "3.9.9"}
holds COUNT {"at_least": "1"}
fails LICENSE {"at_most": "3"}
fails NOTHING {"pattern": "."}
holds ABSENT []
holds ABSENT "none"
fails FILES []
fails FILES "none"
holds COUNT "increase"
holds COUNT {"when": ["src/"]}
"#;
    for row in table.trim().lines() {
        let words: Vec<&str> = row.splitn(3, ' ').collect();
        let mut keys = match words[1] {
            "COUNT" => json!({ "probe": count() }),
            "LICENSE" => first("license (.*)"),
            "VERSION" => first("version (.*)"),
            "RELEASE" => first("release (.*)"),
            "ABSENT" => json!({"probe": {"files": {"paths": ["absent/"]}}}),
            "FILES" => json!({"probe": {"files": {"paths": ["src/"]}}}),
            _ => first("no such (line)"),
        };
        if words[1] == "VERSION" {
            keys["shape"] = "number".into();
        }
        keys["expect"] = serde_json::from_str(words[2]).unwrap();
        let holds = words[0] == "holds";
        ask(&world, &keys);
        let found = failing(&world).0;
        assert_eq!(found.is_empty(), holds, "{keys} {found:?}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn the_newest_recorded_answer_counts_where_no_probe_gives_it() {
    let world = asking(&json!({"shape": "boolean", "expect": true}));
    assert_eq!(failing(&world).0.len(), 0);
    world.sq_ok("record --sid s1 q1=no");
    fails_as(&world, "error: q1 fails: false at ", 1);
    // What must be said is not said beforehand.
    let brief = world.sq_ok("brief");
    assert!(brief.contains(", fails]") || brief.contains("[fails]"), "{brief}");
    let brief = brief.replace("answer: true or false", "");
    assert!(!brief.contains("true"), "{brief}");
    world.commit("work");
    world.sq_ok("record --sid s2 --same q1");
    assert_eq!(failing(&world).1, 1);
    world.commit("mend");
    world.sq_ok("record --sid s3 q1=yes --delta q1=mended");
    assert_eq!(world.check(&[]).1, 0);

    world.commit("break");
    world.sq_ok("record --sid s4 q1=no");
    let wrong = world.json("log -n 1");
    let id = wrong["entries"][0]["id"].as_str().unwrap();
    world.person_ok(&format!("redact {id} --because secret"));
    fails_as(&world, "error: q1 fails: redacted at ", 1);
}

/// In free text, too: else the expectation would hold by the answer before.
#[test]
fn a_delta_says_the_answer_where_one_is_expected() {
    let world = asking(&json!({"expect": "green"}));
    world.sq_ok("record --sid s1 q1=green");
    world.commit("work");
    insta::assert_snapshot!(world.try_sq("record --sid s2 --delta 'q1=it broke'").stderr, @"
    fatal: q1 expects an answer beside what changed: add 'q1=the answer'
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
    world.sq_ok("record --sid s2 q1=red --delta 'q1=it broke'");
    fails_as(&world, "error: q1 fails: red at ", 1);
}

/// Neither another layout of a line nor one's own correction ends what fails.
#[test]
fn only_evidence_ends_what_fails() {
    let world = asked_by_lines();
    change(&world, "first\nretry:  no \n");
    world.sq_ok("record --sure --sid s2 q1=true --delta q1=now --cite q1=src/a.rs:2");
    assert_eq!(failing(&world).1, 1);
    world.sq_ok("record --sure --sid s3 --wrong q1=true --cite q1=src/a.rs:2");
    assert_eq!(failing(&world).1, 1);
    change(&world, "first\nretry: yes\n");
    world.sq_ok("record --sid s4 q1=true --delta q1=now --cite q1=src/a.rs:2");
    assert_eq!(failing(&world), (vec![], 0));
}

fn asked_by_lines() -> World {
    let world = World::new();
    world.write("src/a.rs", "first\nretry: no\n");
    ask(&world, &json!({"shape": "boolean", "expect": true, "watch": ["src/"], "lines": "retry"}));
    world.sq_ok("record --sid s1 q1=false --cite q1=src/a.rs:2");
    world
}

/// A flagged answer excuses no other one: what counts, counts until something changed.
#[test]
fn a_false_answer_is_not_confirmed_by_saying_it_again() {
    let world = asked_by_lines();
    world.sq_ok("record --sure --sid s2 q1=true --cite q1=src/a.rs:2");
    let said = world.try_sq("record --sid s3 q1=true --cite q1=src/a.rs:2").transcript();
    assert_has!(said, "q1: nothing changed since ");
    assert_has!(said, "if the last answer was wrong, --wrong 'q1=what is true'");
    world.sq_ok("record --sure --sid s3 q1=true --cite q1=src/a.rs:2");
    assert_eq!(failing(&world).1, 1);
    change(&world, "first\nretry: yes\n");
    world.sq_ok("record --sid s4 q1=true --delta q1=now --cite q1=src/a.rs:2");
    assert_eq!(failing(&world), (vec![], 0));
}

/// Whoever has not seen the answer that counts does not replace it, and nobody is blamed.
#[test]
fn an_answer_that_knew_of_no_other_replaces_none() {
    let team = Team::new();
    team.write("a", "first\nretry: no\n");
    let keys =
        r#","shape":"boolean","expect":true,"severity":"blocking","watch":["a"],"lines":"retry""#;
    team.change("standing_questions.json", keyed(&[keys]));
    team.push();
    team.sq_ok("record --sid s0 q1=false --cite q1=a:2");
    team.sq_ok("sync");
    team.sq_ok("record --sid s1 q1=false --cite q1=a:2");
    team.sq_ok("sync");
    let blind = team.cloned("", "blind");
    team.world.pass(60);
    team.sq_ok_in(&blind, "record --sid s2 q1=true --cite q1=a:2");
    team.sq_ok_in(&blind, "init --no-hooks");
    team.sq_ok_in(&blind, "sync");
    let (check, code) = team.world.check_in(&blind);
    assert_eq!((code, &check["looks"]["open"]), (1, &json!(0)), "{check}");
    assert_eq!(check["questions"][0]["standing"], "fails");
}

#[test]
fn what_blocks_watches_something() {
    let world = asking(&json!({"shape": "boolean", "expect": true}));
    assert_has!(world.try_sq("question lint").transcript(), "q1 is blocking but watches nothing");
}

#[cfg(unix)]
#[test]
fn of_a_command_only_a_run_counts() {
    let world = World::new();
    world.write("check.sh", "cat src/state\n");
    world.write("src/state", "wrong\n");
    let probe = json!({"run": ["sh", "check.sh"], "take": "stdout"});
    ask(&world, &json!({"expect": "right", "probe": probe, "watch": ["src/", "check.sh"]}));
    let stands = |word: &str| {
        let at_tip = world.check(&[]).0["questions"][0].take();
        assert_eq!(at_tip["standing"], word, "{at_tip}");
        at_tip["found"].as_str().unwrap_or_default().to_owned()
    };
    // A session's word does not take the place of a run.
    world.sq_ok("record --sid s1 q1=right");
    assert_eq!(stands("not run"), "no run of its command is recorded");
    approve(&world);
    world.sq_ok("record --sid s2");
    fails_as(&world, "error: q1 fails: wrong at ", 1);
    // A run that failed fails until another one holds, whatever changed since.
    for text in ["right\n", "still right\n", "right\n"] {
        world.write("src/state", text);
        world.commit("mend");
        stands("fails");
        assert_eq!(failing(&world).1, 1);
    }
    world.sq_ok("record --sid s3");
    stands("holds");
    assert_eq!(failing(&world), (vec![], 0));

    // One that held is asked for again only after as many sessions as an answer may miss.
    world.change("src/state", "wrong\n");
    for session in 0..=6 {
        assert_eq!(stands("not run"), "src/state changed since its command ran");
        let found = gate(&world, "not-run").0;
        assert_eq!(found.len(), usize::from(session == 6), "{session} {found:?}");
        world.sq_ok(&format!("record --sid t{session} --no-run --sure --same q1=right"));
    }
    assert_eq!(failing(&world).0.len(), 0);
    world.git_ok("reset --quiet --hard HEAD~");
    // The same content under another message is what it ran on.
    world.git_ok("commit --quiet --amend -m reworded");
    world.try_sq("carry");
    stands("holds");
}

/// As `check` advises where the expectation was wrong.
#[test]
fn an_expectation_changes_without_a_new_version() {
    let world = World::new();
    world.write("a.txt", "v 2\n");
    let ask = |expect: &str| {
        world.ask_json(&format!(
            r#"{{"id": "q1", "q": "Which?", "importance": 2, "expect": "{expect}",
                "probe": {{"text": {{"file": "a.txt", "pattern": "v (\\d)"}}}}}},
               {{"id": "q2", "q": "How many?", "importance": 2, "watch": ["a.txt"], "shape": "number",
                "severity": "blocking", "expect": {expect}}}"#
        ));
    };
    ask("1");
    world.sq_ok("record --sid s1 q2=2 --cite q2=a.txt:1");
    let help = world.found("help");
    assert!(help.iter().all(|help| help.contains("change the `expect`")), "{help:?}");
    assert_eq!((help.len(), world.check(&[]).1), (2, 1));
    ask("2");
    world.sq_ok("check");
}

/// What no answer of a probe can ever be is refused before it fails for ever.
#[test]
fn what_can_never_hold_is_refused() {
    let world = World::new();
    world.change("a.txt", "x\n");
    world.sq_ok("init --empty");
    let grep = |take: &str| format!(r#"{{"grep": {{"text": "x", "paths": ["a.txt"]{take}}}}}"#);
    let (lines, count) = (grep(""), grep(r#", "take": "count""#));
    let agree = r#"{"agree": [{"tree": "a.txt"}, {"tree": "a.txt"}]}"#;
    let refused = [
        (
            &*lines,
            "0",
            r#"is expected to be 0, and its probe gives a list, never a number: use `"take": "count"`"#,
        ),
        (&lines, r#"{"at_most": 5}"#, r#"never a number: use `"take": "count"`"#),
        (&lines, "decrease", "never a number"),
        (&lines, "true", r#"never true or false: use `"take": "exists"`"#),
        (&count, "true", r#"gives a number, never true or false: use `"take": "exists"`"#),
        (
            r#"{"value": {"file": "a.json", "pointer": "/v", "as": "version"}}"#,
            r#"{"at_least": 3.10}"#,
            "expected to be at least 3.1, a number, and its probe gives a version: put the limit in quotes",
        ),
        (agree, "1", "gives true or false, never a number: expect true or false"),
        (r#"{"exist": {"pattern": "q", "paths": ["a.txt"]}}"#, "0", "expect a list"),
        (r#"{"tree": "a.txt"}"#, "increase", "gives an id"),
    ];
    for (probe, expect, why) in refused {
        let add = ["question", "add", "one", "?", "--probe", probe, "--expect", expect];
        assert_has!(world.sq(&add).exits(128).stderr, why);
    }
    for (id, probe, expect) in [
        ("none", &lines, "none"),
        ("stable", &lines, "stable"),
        ("few", &count, r#"{"at_most": 5}"#),
        ("first", &grep(r#", "take": "first""#), "increase"),
        ("release", &grep(r#", "take": "first""#), "3.10"),
    ] {
        world.sq(&["question", "add", id, "?", "--probe", probe, "--expect", expect]).ok();
    }
    assert_eq!(world.try_sq("question lint").code, 0);
    let store = "context/standing_questions.json";
    let text = world.read(store);
    assert_has!(text, r#""expect": "3.10""#);
    world.write(store, text.replace(r#""expect": "stable""#, r#""expect": 7"#));
    let ran = world.try_sq("question lint").exits(1);
    assert_has!(ran.stdout, "stable is expected to be 7, and its probe gives a list");
}

/// No verdict closes what fails.
#[test]
fn a_recorded_answer_that_fails_says_so() {
    let world = World::asking(&[r#", "shape": "boolean", "expect": true"#]);
    assert_has!(world.sq_ok("record q1=no"), "first q1: false\n      fails: expected to be true\n");
    let same = world.sq_ok("record --sid s2 --same q1");
    assert_has!(same, "same  q1\n      fails: expected to be true\n");
    assert!(!world.sq_ok("record --delta q1=yes").contains("fails"));
}
