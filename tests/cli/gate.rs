//! The gate accounts for every session, and is quiet where nothing is wrong.

use std::sync::OnceLock;

use git_sq_test_support::{Template, World, original_line};
use insta::assert_snapshot;
use serde_json::Value;

/// A world that asks three questions with these statuses; q1 is one for every session.
fn asking(settings: &str, statuses: [&str; 3]) -> World {
    let world = World::new();
    world.write("src/a.rs", "0");
    ask(&world, settings, statuses);
    world
}

fn ask(world: &World, settings: &str, statuses: [&str; 3]) {
    let questions = (1..).zip(statuses).map(|(number, status)| {
        let importance = if number == 1 { 3 } else { 2 };
        format!(
            r#"{{"id":"q{number}","q":"?","importance":{importance},"status":"{status}","watch":["src/"],"require_evidence":false}}"#
        )
    });
    let questions: Vec<String> = questions.collect();
    let store = format!(
        r#"{{"_schema":"standing_questions/v2","settings":{{{settings}}},"questions":[{}]}}"#,
        questions.join(",")
    );
    world.write("standing_questions.json", store);
    world.commit("ask");
}

/// Commits a change of what the questions watch.
fn work(world: &World, text: &str) -> String {
    world.write("src/a.rs", text);
    world.commit(text)
}

/// A session that does all but answer.
fn silent(world: &World, sid: &str) {
    world.sq_ok(&format!("session start --sid {sid}"));
    world.sq_ok("brief");
    work(world, sid);
    world.sq_ok("state set --next more");
    world.sq_ok("session end");
    world.pass(600);
}

fn rules(check: &Value) -> Vec<&str> {
    let findings = check["findings"].as_array().unwrap().iter();
    findings.map(|one| one["rule"].as_str().unwrap()).collect()
}

const ACTIVE: [&str; 3] = ["active", "active", "retired"];

#[test]
fn sessions_without_an_answer_are_named_and_a_run_of_them_is_an_error() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world.pass(600);
    silent(&world, "s1");
    let check = world.try_sq("check");
    assert_snapshot!(check.transcript(), @"
    1 session on main at a7bdb1ac1e, 2 questions asked

      question  staleness  state     sessions  last answered
      q1                0  outdated  ●         s0 (2026-01-01, Ada Example)
      q2                0  outdated  ●         s0 (2026-01-01, Ada Example)
      ● same

    warning: session s1 (Ada Example) ended without an answer
      `git sq brief` shows what a session has to answer
    warning: q1 is outdated: src/a.rs changed since 65c59a3e73, where it was answered
    warning: q2 is outdated: src/a.rs changed since 65c59a3e73, where it was answered
      record an answer at the tip: `git sq brief`

    clean, 3 warnings
    --- exit 0
    ");
    silent(&world, "s2");
    assert_eq!(world.check(&[]).1, 0);
    assert_snapshot!(world.sq_ok("status"), @r#"
    On main at 1e8873bf70: 2 questions, 1 session
    Last session: s0 (47 minutes ago), 0 deltas; 2 commits and 1 changed file since
    outdated: q1, q2
    unanswered: the last 2 sessions ended without an answer
      ("git sq brief" begins a session, "git sq check" checks the log)
    "#);
    silent(&world, "s3");
    let (check, code) = world.check(&[]);
    assert_eq!((rules(&check)[0], code), ("unanswered", 1));
    let brief = world.sq_ok("brief");
    let warnings = brief.split("Warnings\n").nth(1).unwrap();
    assert_snapshot!(warnings.split("\n\n").next().unwrap(), @"  the last 3 sessions ended without an answer; no answers since s0 (2026-01-01)");
    // An answer ends the run, and the run stays an error until a person closes it.
    world.sq_ok("record --sid s4 --delta q1=src/a.rs:1 --delta q2=src/a.rs:1");
    assert_eq!(world.check(&[]).1, 1);
    let accepted = format!(r#""quiet":{{"accepted_through":"{}"}}"#, world.now());
    ask(&world, &accepted, ACTIVE);
    let check = world.try_sq("check");
    assert_snapshot!(check.transcript(), @"
    2 sessions on main at 9172ebd4ce, 2 questions asked

      question  staleness  state  sessions  last answered
      q1                0  fresh  ●▲        s4 (2026-01-01, Ada Example)
      q2                0  fresh  ●▲        s4 (2026-01-01, Ada Example)
      ● same, ▲ delta

    flagged looks: 0 of the last 1 that rules could flag
    quiet sessions: 0 of 2 (longest run 0)

    warning: 3 sessions in a row (s1 to s3, by Ada Example) ended without an answer (limit 2); accepted in the question store
      no action needed: quiet.accepted_through closed it

    clean, 1 warning
    --- exit 0
    ");
}

/// Nor do other answers of its sessions, or one name for all.
#[test]
fn a_run_without_answers_is_not_undone_under_old_names() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    let sids = ["s1", "s2", "s3"];
    for sid in sids {
        silent(&world, sid);
    }
    let (check, code) = world.check(&[]);
    assert_eq!((rules(&check)[0], code), ("unanswered", 1));
    for sid in sids {
        let line = format!("record --sure --sid {sid} --delta q1=src/a.rs:1 --delta q2=src/a.rs:1");
        world.sq_ok(&line);
        world.sq_ok("session end");
    }
    let (check, code) = world.check(&[]);
    assert_eq!((rules(&check)[0], code), ("unanswered", 1));
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid main --same q1=a --same q2=b");
    world.sq_ok("session end");
    for _ in 0..3 {
        world.pass(600);
        world.sq_ok("session start --sid main");
        work(&world, &world.now());
        world.sq_ok("session end");
    }
    let (check, code) = world.check(&[]);
    assert_eq!((rules(&check)[0], code), ("unanswered", 1));
}

#[test]
fn a_session_that_answered_elsewhere_did_answer() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world.git_ok("switch --quiet -c side");
    work(&world, "aside");
    world.sq_ok("session start --sid s1");
    world.sq_ok("record --delta q1=src/a.rs:1 --same q2=src/a.rs:1");
    world.git_ok("switch --quiet main");
    world.sq_ok("session end");
    assert_eq!(rules(&world.check(&[]).0), Vec::<&str>::new());
}

/// One that records twice under two names does not break its run of silence.
#[test]
fn a_session_at_an_unmoved_head_neither_lengthens_nor_breaks_a_run() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for number in 1..=3 {
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid a{number} --same q1,q2"));
        world.pass(60);
        world.sq_ok(&format!("record --sure --sid b{number} --same q1,q2"));
        world.pass(60);
    }
    let (check, code) = world.check(&[]);
    assert_eq!((check["quiet"]["longest_run"].as_u64(), code), (Some(3), 1));
    assert_eq!(world.check(&["--original"]).1, 0);
}

#[test]
fn nothing_that_is_added_to_an_old_session_undoes_an_alarm() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for number in 1..=3 {
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1,q2"));
    }
    assert_eq!(world.check(&[]).1, 1);
    world.sq_ok("record --sure --sid s2 --same q1,q2");
    assert_eq!(world.check(&[]).1, 1, "it moved to the next one's HEAD");
    world.sq_ok("record --sure --sid s2 --delta q1=invented");
    assert_eq!(world.check(&[]).1, 1, "it reports a delta");
    let dir = world.beside();
    world.sq_ok_in(&dir, "record --sure --sid s1 --delta q1=invented");
    assert_eq!(world.check(&[]).1, 1, "in another worktree");
    assert_eq!(world.check(&["--original"]).1, 0);
    // What comes on time counts.
    work(&world, "work 4");
    world.sq_ok("record --sid s4 --same q1=src/a.rs:1 --same q2=src/a.rs:1");
    world.sq_ok("record --sid s4 --delta 'q1=b, src/a.rs:1'");
    let (check, _) = world.check(&[]);
    assert_eq!(
        check["quiet"]["verdicts"][4]["suspicious"], false,
        "{check}"
    );
}

/// Neither by an import nor by hand.
#[test]
fn an_entry_that_no_clone_wrote_undoes_no_alarm() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    let mut heads = Vec::new();
    for number in 1..=3 {
        heads.push(work(&world, &format!("work {number}")));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1,q2"));
    }
    let second: Value = serde_json::from_str(&world.lines()[2]).unwrap();
    let line = original_line("forged", second["ts"].as_str().unwrap(), &heads[1]);
    let line = line.replace("false", "true");
    world.write("log.jsonl", format!("{line}\n"));
    world.sq_ok("import log.jsonl");
    let (check, code) = world.check(&[]);
    let mut rules = rules(&check);
    rules.dedup();
    let expected = vec!["flagged", "no-evidence", "outdated", "imported-late"];
    assert_eq!((rules, code), (expected, 1));
    world.git_ok(&format!("notes --ref=sq append -m '{line}' {}", heads[1]));
    assert_eq!(world.check(&[]).1, 1);
    assert_eq!(world.check(&["--original"]).1, 0);
}

#[test]
fn a_new_question_starts_at_none_and_a_trial_ages_nothing() {
    let world = asking("", ["active", "retired", "trial"]);
    for number in 0..8 {
        let how = if number == 0 { "same" } else { "delta" };
        world.sq_ok(&format!("record --sid s{number} --{how} q1=src/a.rs:1"));
        work(&world, &format!("work {number}"));
    }
    ask(&world, "", ["active", "active", "active"]);
    let staleness = |world: &World| {
        let (check, code) = world.check(&[]);
        let rows = check["staleness"].as_array().unwrap().iter();
        let numbers: Vec<u64> = rows.map(|row| row["staleness"].as_u64().unwrap()).collect();
        (numbers, code)
    };
    assert_eq!(staleness(&world), (vec![0, 0, 0], 0));
    work(&world, "more");
    world.sq_ok("record --sid s9 --delta q1=src/a.rs:1 --same q3=x");
    assert_eq!(staleness(&world), (vec![0, 1, 0], 0));
}

#[test]
fn a_new_version_starts_at_none() {
    let world = asking("", ACTIVE);
    for number in 0..8 {
        let how = if number == 0 { "same" } else { "delta" };
        world.sq_ok(&format!(
            "record --sid s{number} --{how} q1=src/a.rs:1 --{how} q2=src/a.rs:1"
        ));
        work(&world, &format!("work {number}"));
    }
    let path = world.dir.join("standing_questions.json");
    let store = std::fs::read_to_string(&path).unwrap();
    let (before, q2) = store.split_once(r#"{"id":"q2""#).unwrap();
    let (q2, after) = q2.split_once('}').unwrap();
    let old = q2.replace("active", "deprecated");
    let both = format!(r#"{before}{{"id":"q2"{old}}},{{"id":"q2","version":2{q2}}}{after}"#);
    std::fs::write(path, both).unwrap();
    world.commit("ask q2 otherwise");
    let (check, code) = world.check(&[]);
    assert_eq!(
        (&check["staleness"][1]["staleness"], code),
        (&Value::from(0), 0),
        "{check}"
    );
}

#[test]
fn what_every_session_has_to_answer_is_missed_when_left_out() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world.sq_ok("record --sid s1 --same q2");
    let check = world.try_sq("check");
    let warnings: Vec<&str> = check
        .stdout
        .lines()
        .filter(|line| line.contains("left out"))
        .collect();
    assert_snapshot!(warnings.join("\n"), @"");
    world.sq_ok("record --sid s1 --same q1");
    assert_eq!(rules(&world.check(&[]).0), Vec::<&str>::new());
}

/// A world whose questions were landed on main, on a branch of which an agent works.
fn reviewed() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = World::new();
        world.write("standing_questions.json", STORE);
        world.write("src/a.rs", "0");
        world.commit("ask");
        world.git_ok("switch --quiet -c work");
        world
    })
}

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":3}},"questions":[
{"id":"q1","q":"one?","importance":3,"watch":["src/"],"require_evidence":true},
{"id":"q2","q":"two?","importance":2,"watch":["src/a.rs"],"max_staleness":2},
{"id":"q3","q":"three?","importance":2}]}"#;

/// What `check --base main` finds when the branch has this store in place of the one on main.
fn against(store: &str) -> Vec<String> {
    let world = reviewed();
    world.write("standing_questions.json", store);
    world.commit("change the questions");
    loosenings(&world)
}

fn loosenings(world: &World) -> Vec<String> {
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1");
    let (check, code) = world.check(&["--base", "main"]);
    let found = check["findings"].as_array().unwrap().iter();
    let found = found.filter(|one| one["severity"] == "error");
    let found: Vec<String> = found
        .map(|one| {
            let text = one["message"].as_str().unwrap();
            format!(
                "{} {}",
                one["rule"].as_str().unwrap(),
                text.split(" (in ").next().unwrap()
            )
        })
        .collect();
    assert_eq!(code, i32::from(!found.is_empty()), "{check}");
    found
}

#[test]
fn what_a_branch_loosens_is_found_by_its_base() {
    let with = |from: &str, to: &str| {
        assert!(STORE.contains(from), "{from}");
        against(&STORE.replace(from, to)).join("; ")
    };
    assert_snapshot!(with(r#""max":3"#, r#""max":1000"#), @"loosened staleness.max may be laxer");
    assert_snapshot!(with(r#""staleness":{"max":3}"#, r#""quiet":{"accepted_through":"2099-01-01T00:00:00Z"}"#), @"loosened quiet.accepted_through may be laxer; loosened staleness.max may be laxer");
    for (from, to) in [
        (r#""importance":3"#, r#""importance":1"#),
        (r#""require_evidence":true"#, r#""require_evidence":false"#),
        ("[\"src/\"],\"require", "[\"src/b.rs\"],\"require"),
        (
            "[\"src/\"],\"require",
            "[\"src/\",\":!src/a.rs\"],\"require",
        ),
        ("[\"src/\"],\"require", "[],\"require"),
    ] {
        assert_eq!(with(from, to), "loosened q1 may ask less", "{to}");
    }
    assert_snapshot!(with("\"max_staleness\":2", "\"max_staleness\":9"), @"loosened q2 may ask less");
    assert_snapshot!(with("\"importance\":2}]", "\"importance\":2,\"watch\":[\"docs/\"]}]"), @"loosened q3 may ask less");
    for status in ["retired", "deprecated", "trial"] {
        let status = format!("three?\",\"status\":\"{status}\"");
        assert_eq!(with("three?\"", &status), "loosened q3 is no longer asked");
    }
    assert_snapshot!(with(",\n{\"id\":\"q3\",\"q\":\"three?\",\"importance\":2}", ""), @"loosened q3 is no longer asked");
    assert_snapshot!(with("three?", "is it three?"), @"version-changed-in-place q3 was changed in place");
    // What asks more, or the same in other words, is not laxer.
    assert_snapshot!(with("[\"src/a.rs\"]", "[\"src/a.rs\",\"docs\"]"), @"");
    assert_snapshot!(with(r#""max":3"#, r#""max":2"#), @"");
    let version = |more: &str| {
        let new = r#""importance":2,"status":"deprecated"},{"id":"q3","version":2,"q":"3?","importance":2MORE}]}"#;
        with("\"importance\":2}]}", &new.replace("MORE", more))
    };
    assert_snapshot!(version(""), @"");
    assert_snapshot!(version(r#","lines":"nothing""#), @"loosened q3 may ask less");
}

#[test]
fn a_commit_that_silences_the_gate_does_not_silence_its_base() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sure --sid s0 --same q1=standing_questions.json:1 --same q2=b");
    for number in 1..7 {
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1"));
    }
    let alarms = |check: &Value| {
        let errors = check["findings"].as_array().unwrap().iter();
        let errors = errors.filter(|one| one["severity"] == "error");
        let rules: Vec<&str> = errors.map(|one| one["rule"].as_str().unwrap()).collect();
        rules.join(" ")
    };
    assert_eq!(
        alarms(&world.check(&[]).0),
        "stale flagged outdated outdated"
    );
    world.git_ok("switch --quiet -c work");
    let silence = r#""quiet":{"accepted_through":"2099-01-01T00:00:00Z"},"staleness":{"max":1000},"flagged":{"max":1000}"#;
    ask(&world, silence, ACTIVE);
    assert_eq!(alarms(&world.check(&[]).0), "");
    let (check, code) = world.check(&["--base", "main"]);
    assert_eq!(
        (&*alarms(&check), code),
        (
            "stale flagged outdated outdated loosened loosened loosened",
            1
        )
    );
    // Nor does a tag that is called like the branch of a remote take its place.
    world.git_ok("update-ref refs/remotes/origin/main main");
    world.git_ok("tag origin/main HEAD");
    assert_eq!(world.check(&["--base", "origin/main"]).1, 1);
}

#[test]
fn what_the_base_changed_since_is_not_the_branchs() {
    let world = reviewed();
    work(&world, "1");
    world.write(
        "standing_questions.json",
        STORE.replace("\"importance\":3", "\"importance\":2"),
    );
    world.commit("tidy up");
    work(&world, "2");
    world.git_ok("switch --quiet main");
    let more = STORE.replace(
        "\"importance\":2}]",
        "\"importance\":2},{\"id\":\"q4\",\"q\":\"four?\",\"importance\":1}]",
    );
    world.write("standing_questions.json", more);
    world.commit("ask more");
    world.git_ok("switch --quiet work");
    assert_eq!(loosenings(&world), ["loosened q1 may ask less"]);
    let (check, _) = world.check(&["--base", "main"]);
    let help = check["findings"][0]["help"].as_str().unwrap();
    let fork = world.git_ok("merge-base main work");
    let diff = format!("`git diff {} -- standing_questions.json`", &fork[..10]);
    assert!(help.starts_with(&diff), "{help}");
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet --no-edit work");
    assert_eq!(world.check(&["--base", "main"]).1, 0);
}

/// What the branch made of the questions does not excuse what the base asks.
#[test]
fn sessions_of_a_branch_were_asked_what_its_base_asks() {
    let world = reviewed();
    let reworded = STORE.replace("\"importance\":2}]}", r#""importance":2,"status":"deprecated"},{"id":"q3","version":2,"q":"3?","importance":2}]}"#);
    world.write("standing_questions.json", reworded);
    world.commit("ask q3 otherwise");
    for number in 0..5 {
        work(&world, &format!("work {number}"));
        let how = if number == 0 { "same" } else { "delta" };
        world.sq_ok(&format!(
            "record --sid s{number} --{how} q1=src/a.rs:1 --{how} q2=src/a.rs:1 --{how} q3=x"
        ));
    }
    assert_eq!(world.check(&[]).1, 0);
    let (check, code) = world.check(&["--base", "main"]);
    assert_eq!(
        (check["staleness"][2]["staleness"].as_u64(), code),
        (Some(5), 1)
    );
}

#[test]
fn a_question_that_was_changed_in_place_is_found_without_a_base() {
    let world = reviewed();
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1 --same q2=b --same q3=c");
    world.write("standing_questions.json", STORE.replace("one?", "uno?"));
    world.commit("translate");
    let (check, code) = world.check(&[]);
    assert_eq!((rules(&check), code), (vec!["version-changed-in-place"], 1));
    assert_snapshot!(check["findings"][0]["message"].as_str().unwrap(), @"q1 was changed in place since session s1 answered it");
    world.sq_ok("record --sid s2 --same q1=src/a.rs:1");
    world.write("standing_questions.json", STORE.replace("three?", "drei?"));
    assert_snapshot!(world.try_sq("question lint").transcript(), @"
    error: q1 was changed in place: put the old text back and add a new version
    error: q3 was changed in place: put the old text back and add a new version
    standing_questions.json: not OK, 3 questions, 3 active
    --- exit 1
    ");
}

#[test]
fn alarms_are_accepted_up_to_the_tips_own_time_at_most() {
    let world = asking("", ACTIVE);
    let say_nothing = || {
        let path = world.dir.join("standing_questions.json");
        let store = std::fs::read_to_string(path).unwrap();
        let watch = r#","watch":["src/"],"require_evidence":false"#;
        world.write("standing_questions.json", store.replace(watch, ""));
        world.commit("watch nothing");
    };
    say_nothing();
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    let forever = r#""quiet":{"accepted_through":"2099-01-01T00:00:00Z"}"#;
    ask(&world, forever, ACTIVE);
    say_nothing();
    for number in 1..4 {
        world.pass(600);
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1,q2"));
    }
    assert_eq!(world.check(&[]).1, 1);
    assert_snapshot!(world.try_sq("question lint").transcript(), @"
    error: quiet.accepted_through is in the future: 2099-01-01T00:00:00Z
    standing_questions.json: not OK, 3 questions, 2 active
    --- exit 1
    ");
    world.pass(600);
    work(&world, "later");
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn one_of_several_pathspecs_may_match_nothing() {
    let world = reviewed();
    let some = STORE.replace("\"src/a.rs\"", "\"src/a.rs\", \"source/\"");
    world.write("standing_questions.json", some);
    world.commit("watch a folder that is not there yet");
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1 --same q2=b --same q3=c");
    assert_eq!(rules(&world.check(&[]).0), [""; 0]);
}

#[test]
fn a_question_that_watches_no_file_is_named() {
    let world = reviewed();
    world.write(
        "standing_questions.json",
        STORE.replace("src/a.rs", "source/"),
    );
    world.commit("move the sources");
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1 --same q2=b --same q3=c");
    let (check, _) = world.check(&[]);
    assert_eq!(rules(&check), ["watches-nothing"]);
    assert_snapshot!(check["findings"][0]["message"].as_str().unwrap(), @"q2 watches source/, which matches no file");
}

#[test]
fn a_rule_is_explained() {
    let world = World::without_repo();
    assert_snapshot!(world.sq_ok("check --explain quiet-run"), @"
    quiet-run

    More than `quiet.max_run` sessions in a row reported no change although HEAD
    moved. It fails the gate only for questions that do not say what they depend on.

    Why. Answers that never change may be copied instead of derived.

    What to do. Derive two or three answers by hand and compare. Then set
    `settings.quiet.accepted_through` in the question store to the time that the
    finding prints.

    What it cannot tell. It misses a session that invents one delta. Give the
    question a `watch`, `lines` or a probe: then other rules judge it.
    ");
    let all = World::without_repo().try_sq("check --explain nonsense");
    assert_eq!(all.code, 129);
}
