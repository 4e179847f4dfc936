//! The gate accounts for every session, and is quiet where nothing is wrong.

use std::sync::OnceLock;

use git_sq::question::{loosened, parse};
use git_sq_test_support::{Template, World, each, keyed, original_line, store_v2};
use insta::assert_snapshot;
use serde_json::{Value, json};

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
    world.change("standing_questions.json", store);
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

/// The end of what `check` prints, from its first warning on.
fn from_warnings(world: &World) -> String {
    let check = world.try_sq("check").ok();
    let from = check.find("warning:").unwrap();
    check[from..].replace("\n\n", "\n")
}

const ACTIVE: [&str; 3] = ["active", "active", "retired"];

#[test]
fn sessions_without_an_answer_are_named_and_a_run_of_them_is_an_error() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world.pass(600);
    silent(&world, "s1");
    assert_snapshot!(from_warnings(&world), @"
    warning: session s1 (Ada Example) ended without an answer
      `git sq brief` shows what a session has to answer [unanswered]
    warning: q1 is outdated: src/a.rs changed since 5571e5b0a6, where it was answered
    warning: q2 is outdated: src/a.rs changed since 5571e5b0a6, where it was answered
      record an answer at HEAD: `git sq brief` [outdated]
    clean, 3 warnings: 2 outdated
    ");
    silent(&world, "s2");
    assert_snapshot!(world.sq_ok("status"), @r#"
    On main at 406e8a4ed0: 2 questions, 1 session
    Last session: s0 (46 minutes ago), 0 deltas; 2 commits and 1 changed file since
    outdated: q1, q2
    unanswered: the last 2 sessions ended without an answer
      ("git sq brief" begins a session, "git sq check" checks the log)
    "#);
    silent(&world, "s3");
    assert_eq!(world.verdict(""), "1 unanswered outdated outdated");
    let brief = world.sq_ok("brief");
    let warnings = brief.split("Warnings\n").nth(1).unwrap();
    assert_snapshot!(warnings.split("\n\n").next().unwrap(), @"  the last 3 sessions ended without an answer; no answers since s0 (2026-01-01)");
    // An answer ends the run, and the run stays an error until a person closes it.
    world.sq_ok("record --sid s4 --delta q1=src/a.rs:1 --delta q2=src/a.rs:1");
    assert_eq!(world.check(&[]).1, 1);
    let accepted = format!(r#""quiet":{{"accepted_through":"{}"}}"#, world.now());
    ask(&world, &accepted, ACTIVE);
    assert!(world.sq_ok("check").ends_with("\nclean: 2 fresh\n"));
}

/// The agent writes the files, and a person commits them.
#[test]
fn a_session_that_leaves_the_commit_to_a_person_is_named_too() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for (sid, text) in [("reads", None), ("writes", Some("new"))] {
        world.pass(600);
        world.sq_ok(&format!("session start --sid {sid}"));
        if let Some(text) = text {
            world.write("src/a.rs", text);
        }
        world.sq_ok("session end");
    }
    world.commit("what the agent wrote");
    let said = world.messages("unanswered");
    assert_eq!(said, ["session writes (Ada Example) ended without an answer"]);
}

/// Sessions that were left are told of later, all at once; in between, others answered, and they are no news.
#[test]
fn a_session_that_was_left_ended_at_its_last_sign_of_life() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for number in 1..=3 {
        let dir = world.root().join(format!("left{number}"));
        world.git_ok(&format!("worktree add --quiet {}", dir.display()));
        world.sq_in(&dir, &["session", "start", "--sid", &format!("left{number}")]).ok();
        world.pass(60);
        world.git_ok_in(&dir, "commit --quiet --allow-empty --message left");
        world.git_ok(&format!("merge --quiet --no-edit left{number}"));
        world.pass(600);
        world.sq_ok(&format!("record --sid s{number} --same q1=a --same q2=b"));
    }
    world.pass(3 * 24 * 3600);
    assert_has!(world.sq_ok("session start --sid next"), "Ended left3");
    assert_eq!(world.check(&[]).1, 0);
    let left = world.found("message");
    assert_eq!(left.iter().filter(|said| said.contains("ended without an answer")).count(), 0);
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
    for sid in sids {
        let line = format!("record --sure --sid {sid} --delta q1=src/a.rs:1 --delta q2=src/a.rs:1");
        world.sq_ok(&line);
        world.sq_ok("session end");
    }
    assert!(world.verdict("").starts_with("1 unanswered"));
    let world = asking("", ACTIVE);
    world.sq_ok("record --sid main --same q1=a --same q2=b");
    world.sq_ok("session end");
    for _ in 0..3 {
        world.pass(600);
        world.sq_ok("session start --sid main");
        work(&world, &world.now());
        world.sq_ok("session end");
    }
    assert!(world.verdict("").starts_with("1 unanswered"));
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
    assert_eq!(world.verdict(""), "0");
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
fn a_session_that_reported_a_delta_and_looked_again_is_not_quiet() {
    let world = asking("", ACTIVE);
    let cites = "--cite q1=src/a.rs:1 --cite q2=src/a.rs:1";
    world.sq_ok(&format!("record --sid s0 --same q1=0 --same q2=b {cites}"));
    for number in 1..=3 {
        for word in ["delta", "same"] {
            work(&world, &format!("{word} {number}"));
            let line = format!("record --sure --sid s{number} --{word} q1={number} --same q2=b");
            world.sq_ok(&format!("{line} {cites}"));
        }
    }
    let (check, code) = world.check(&[]);
    assert_eq!((check["quiet"]["longest_run"].as_u64(), code), (Some(0), 0));
    assert_eq!(check["staleness"][0]["recent"], json!(["same", "delta", "delta", "delta"]));
    // At one commit, the last word counts.
    work(&world, "work 4");
    for word in ["delta q1=4", "same q1=3"] {
        world.sq_ok(&format!("record --sure --sid s4 --{word} --same q2=b {cites}"));
    }
    assert_eq!(world.check(&[]).0["quiet"]["longest_run"], 1);
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
    assert_eq!(check["quiet"]["verdicts"][4]["suspicious"], false);
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
    let line =
        original_line("forged", second["ts"].as_str().unwrap(), &heads[1]).replace("false", "true");
    world.write("log.jsonl", format!("{line}\n"));
    world.sq_ok("import log.jsonl");
    let found = world.verdict("");
    assert!(found.starts_with("1 flagged "), "{found}");
    assert!(found.ends_with(" imported-late"), "{found}");
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
        let numbers: Vec<u64> =
            each(&check["staleness"]).map(|row| row["staleness"].as_u64().unwrap()).collect();
        (numbers, code)
    };
    assert_eq!(staleness(&world), (vec![0, 0, 0], 0));
    work(&world, "more");
    world.sq_ok("record --sid s9 --delta q1=src/a.rs:1 --same q3=x");
    assert_eq!(staleness(&world), (vec![0, 1, 0], 0));
}

#[test]
fn a_new_version_starts_at_none() {
    let question = |more: &str| {
        format!(
            r#"{{"id":"q2","q":"?","importance":2,"watch":["src/"],"require_evidence":false{more}}}"#
        )
    };
    let world = World::new();
    let first = question("").replace("q2", "q1");
    work(&world, "0");
    world.ask_json(&format!("{first},{}", question("")));
    for number in 0..8 {
        let how = if number == 0 { "same" } else { "delta" };
        world.sq_ok(&format!("record --sid s{number} --{how} q1=src/a.rs:1"));
        work(&world, &format!("work {number}"));
    }
    assert_eq!(world.verdict(""), "1 never outdated");
    let [old, new] = [r#","status":"deprecated""#, r#","version":2"#].map(question);
    world.ask_json(&format!("{first},{old},{new}"));
    assert_eq!(world.check(&[]).0["staleness"][1]["staleness"], 0);
    assert_eq!(world.check(&[]).1, 0);
}

/// A world whose questions were landed on main, on a branch of which an agent works.
fn reviewed() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = World::new();
        world.write("standing_questions.json", STORE);
        world.change("src/a.rs", "0");
        world.git_ok("switch --quiet -c work");
        world
    })
}

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":3}},"questions":[
{"id":"q1","q":"one?","importance":3,"watch":["src/"],"require_evidence":true},
{"id":"q2","q":"two?","importance":2,"watch":["src/a.rs"],"max_staleness":2},
{"id":"q3","q":"three?","importance":2}]}"#;

fn loosenings(world: &World) -> String {
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1");
    world.verdict("--base main")
}

#[test]
fn what_a_store_loosens_is_found() {
    let before = parse("before", STORE.as_bytes()).unwrap();
    let with = |from: &str, to: &str| {
        assert_has!(STORE, from);
        let now = parse("now", STORE.replace(from, to).as_bytes()).unwrap();
        loosened(&before, &now)
            .into_iter()
            .map(|loosening| format!("{} {}", loosening.about, loosening.what))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let watch = "[\"src/\"],\"require";
    let version = r#""importance":2,"status":"deprecated"},{"id":"q3","version":2,"q":"3?","importance":2MORE}]}"#;
    for (from, to, expected) in [
        (r#""max":3"#, r#""max":1000"#, "staleness.max may be laxer"),
        (
            r#""staleness":{"max":3}"#,
            r#""quiet":{"accepted_through":"2099-01-01T00:00:00Z"}"#,
            "quiet.accepted_through may be laxer; staleness.max may be laxer",
        ),
        (
            r#""staleness":{"max":3}"#,
            r#""staleness":{"max":3},"clock":{"tolerance":"10m"}"#,
            "clock.tolerance may be laxer",
        ),
        (r#""staleness":{"max":3}"#, r#""staleness":{"max":3},"clock":{"tolerance":"1m"}"#, ""),
        (r#""importance":3"#, r#""importance":1"#, "q1 may ask less"),
        (r#"evidence":true"#, r#"evidence":false"#, "q1 may ask less"),
        (watch, "[\"src/b.rs\"],\"require", "q1 may ask less"),
        (watch, "[\"src/\",\":!src/a.rs\"],\"require", "q1 may ask less"),
        (watch, "[],\"require", "q1 may ask less"),
        ("staleness\":2", "staleness\":9", "q2 may ask less"),
        ("\"importance\":2}]", "\"importance\":2,\"watch\":[\"docs/\"]}]", "q3 may ask less"),
        ("three?\"", "three?\",\"status\":\"retired\"", "q3 is no longer asked"),
        ("three?\"", "three?\",\"status\":\"trial\"", "q3 is no longer asked"),
        (",\n{\"id\":\"q3\",\"q\":\"three?\",\"importance\":2}", "", "q3 is no longer asked"),
        ("three?", "is it three?", "q3 was changed in place"),
        // What asks more, or the same in other words, is not laxer.
        ("[\"src/a.rs\"]", "[\"src/a.rs\",\"docs\"]", ""),
        (r#""max":3"#, r#""max":2"#, ""),
        ("\"importance\":2}]}", &version.replace("MORE", ""), ""),
        (
            "\"importance\":2}]}",
            &version.replace("MORE", r#","lines":"nothing""#),
            "q3 may ask less",
        ),
    ] {
        assert_eq!(with(from, to), expected, "{to}");
    }
}

#[test]
fn what_is_expected_is_for_the_base_to_change() {
    let with = |expect: &str| {
        let staleness = format!("\"max_staleness\":2{expect}");
        parse("store", STORE.replace("\"max_staleness\":2", &staleness).as_bytes()).unwrap()
    };
    let (none, yes, no) = (with(""), with(r#","expect":"yes""#), with(r#","expect":"no""#));
    assert_eq!(loosened(&none, &yes), []);
    let blocking = r#","severity":"blocking""#;
    let [blocks, allows] = [blocking.to_owned(), format!(r#"{blocking},"expect":"yes""#)];
    let [blocks, allows] = [with(&blocks), with(&allows)];
    for (old, new) in [(&yes, &no), (&yes, &none), (&blocks, &allows)] {
        let [loosening] = loosened(old, new).try_into().unwrap();
        assert_eq!((&*loosening.about, loosening.what), ("q2", "may ask less"));
    }
}

#[test]
fn what_is_due_more_often_is_not_laxer() {
    let every = |time: &str| {
        let trigger = format!(r#""importance":2,"trigger":{{"every":"{time}"}}}}]"#);
        parse("store", STORE.replace("\"importance\":2}]", &trigger).as_bytes()).unwrap()
    };
    assert_eq!(loosened(&every("7d"), &every("1d")), []);
    assert_eq!(loosened(&every("1d"), &every("7d")).len(), 1);
}

#[test]
fn a_commit_that_silences_the_gate_does_not_silence_its_base() {
    let world = asking("", ACTIVE);
    world.sq_ok("record --sure --sid s0 --same q1=standing_questions.json:1 --same q2=b");
    for number in 1..7 {
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1"));
    }
    let errors = "1 stale flagged outdated";
    assert!(world.verdict("").starts_with(errors));
    world.git_ok("switch --quiet -c work");
    let silence = r#""quiet":{"accepted_through":"2099-01-01T00:00:00Z"},"staleness":{"max":1000},"flagged":{"max":1000}"#;
    ask(&world, silence, ACTIVE);
    assert!(world.verdict("").starts_with("0 "));
    let found = world.verdict("--base main");
    assert!(found.starts_with(&format!("{errors} loosened loosened loosened")), "{found}");
    // Nor does a tag that is called like the branch of a remote take its place.
    world.git_ok("update-ref refs/remotes/origin/main main");
    world.git_ok("tag origin/main HEAD");
    assert_eq!(world.check(&["--base", "origin/main"]).1, 1);
}

#[test]
fn what_the_base_changed_since_is_not_the_branchs() {
    let world = reviewed();
    work(&world, "1");
    let laxer = STORE.replace("\"importance\":3", "\"importance\":2");
    world.change("standing_questions.json", laxer);
    work(&world, "2");
    world.git_ok("switch --quiet main");
    let q4 = r#""importance":2},{"id":"q4","q":"four?","importance":1}]"#;
    world.change("standing_questions.json", STORE.replace("\"importance\":2}]", q4));
    world.git_ok("switch --quiet work");
    assert!(loosenings(&world).starts_with("1 loosened"));
    let fork = world.git_ok("merge-base main work");
    let diff = format!("`git diff {} -- standing_questions.json`", &fork[..10]);
    assert_has!(world.check(&["--base", "main"]).0["findings"][0]["help"].as_str().unwrap(), diff);
    let below = world.sq_in(&world.dir.join("src"), &["check", "--base", "main"]).stdout;
    assert_has!(below, &diff.replace("-- standing", "-- :/standing"));
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet --no-edit work");
    assert_eq!(world.check(&["--base", "main"]).1, 0);
}

/// A branch could begin there to hide what it loosens.
#[test]
fn a_branch_from_where_the_questions_could_not_be_read_is_compared_with_its_base() {
    let world = World::new();
    world.write("src/a.rs", "0");
    world.change("standing_questions.json", STORE);
    world.change("standing_questions.json", "{\n");
    world.git_ok("switch --quiet -c work");
    let laxer = STORE.replace("\"importance\":3", "\"importance\":2");
    world.change("standing_questions.json", laxer);
    world.git_ok("switch --quiet main");
    world.change("standing_questions.json", STORE);
    world.git_ok("switch --quiet work");
    assert_has!(loosenings(&world), "1 loosened");
}

/// What the branch made of the questions does not excuse what the base asks.
#[test]
fn sessions_of_a_branch_were_asked_what_its_base_asks() {
    let world = reviewed();
    let reworded = STORE.replace("\"importance\":2}]}", r#""importance":2,"status":"deprecated"},{"id":"q3","version":2,"q":"3?","importance":2}]}"#);
    world.change("standing_questions.json", reworded);
    for number in 0..5 {
        work(&world, &format!("work {number}"));
        let how = if number == 0 { "same" } else { "delta" };
        world.sq_ok(&format!(
            "record --sid s{number} --{how} q1=src/a.rs:1 --{how} q2=src/a.rs:1 --{how} q3=x"
        ));
    }
    assert_eq!(world.check(&[]).1, 0);
    let (check, code) = world.check(&["--base", "main"]);
    assert_eq!((check["staleness"][2]["staleness"].as_u64(), code), (Some(5), 1));
    let way_out = "this branch asks it in other words: merge the new wording into the base first, or revert it";
    assert_has!(check["findings"].to_string(), way_out);
}

#[test]
fn a_question_that_was_changed_in_place_is_found_without_a_base() {
    let world = reviewed();
    world.sq_ok("record --sid s1 --same q1=src/a.rs:1 --same q2=b --same q3=c");
    world.change("standing_questions.json", STORE.replace("one?", "uno?"));
    assert_eq!(world.verdict(""), "1 version-changed-in-place outdated");
    // Two branches may word one version differently, and a merge keeps one text.
    let question = world.check(&[]).0["questions"][0].clone();
    assert_eq!([&question["standing"], &question["changed"]], ["outdated", "its text changed"]);
    assert_snapshot!(world.messages("version-changed-in-place")[0], @"q1 was changed in place since session s1 answered it");
    assert_has!(world.sq_ok("status"), "\nerrors: version-changed-in-place\n");
    world.sq_ok("record --sid s2 --same q1=src/a.rs:1");
    world.write("standing_questions.json", STORE.replace("three?", "drei?"));
    assert_snapshot!(world.try_sq("question lint").transcript(), @"
    error: q1 was changed in place: undo the edit, then run `git sq question reword q1 'the new wording'`, which adds a version, with `--lines`, `--shape` or `--probe` where these change
    error: q3 was changed in place: undo the edit, then run `git sq question reword q3 'the new wording'`, which adds a version, with `--lines`, `--shape` or `--probe` where these change
    standing_questions.json: not OK, 3 questions, 3 active
    --- exit 1
    ");
}

#[test]
fn alarms_are_accepted_up_to_the_tips_own_time_at_most() {
    let world = World::asking(&["", ""]);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    let forever = r#""settings":{"quiet":{"accepted_through":"2099-01-01T00:00:00Z"}},"questions""#;
    world.change("standing_questions.json", keyed(&["", ""]).replace("\"questions\"", forever));
    for number in 1..4 {
        world.pass(600);
        work(&world, &format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1,q2"));
    }
    assert_eq!(world.verdict(""), "1 quiet-run");
    assert_snapshot!(world.try_sq("question lint").transcript(), @"
    error: quiet.accepted_through is in the future: 2099-01-01T00:00:00Z
    standing_questions.json: not OK, 2 questions, 2 active
    --- exit 1
    ");
    world.pass(600);
    work(&world, "later");
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn a_rule_is_explained() {
    let world = World::without_repo();
    let told = world.sq_ok("check --explain quiet-run");
    assert_eq!(world.sq_ok("help quiet-run"), told);
    assert!(told.starts_with("quiet-run\n\nMore than `quiet.max_run` sessions in a row"));
    assert_has!(told, "\n\nWhy. ", "\n\nWhat to do. ", "\n\nWhat it cannot tell. ");
    assert_eq!(world.try_sq("check --explain nonsense").code, 129);
}

#[test]
fn what_fails_no_more_is_for_the_base_to_say() {
    let with = |keys: &str| {
        let question = format!(r#"{{"id":"q1","q":"?","importance":2{keys}}}"#);
        parse("store", store_v2(&question).as_bytes()).unwrap()
    };
    let probe = r#","probe":{"value":{"file":"a.json","pointer":"/a"}}"#;
    for (keys, asks_less) in [
        (format!(r#"{probe},"expect":60"#), true),
        (probe.to_owned(), false),
        (r#","expect":"yes""#.to_owned(), false),
    ] {
        let now = with(&format!(r#"{keys},"severity":"informational""#));
        assert_eq!(!loosened(&with(&keys), &now).is_empty(), asks_less, "{keys}");
    }
}
