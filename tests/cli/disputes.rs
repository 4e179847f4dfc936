//! What does not end a dispute, or an answer that fails: whatever is merely written.

use std::path::Path;

use git_sq_test_support::{Team, World, event_line};
use serde_json::json;

use super::second::clone_of;

const BLOCKING: &str = r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number",
    "expect": {"at_most": 3}, "severity": "blocking"}"#;

/// A blocking answer that fails, at the second commit.
fn failing() -> World {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n5\n");
    world.ask_json(BLOCKING);
    world.change("other", "");
    say(&world, "s1", &["q1=5", "--cite", "q1=src/a.rs:3"]);
    assert_fails(&world);
    world
}

fn asking(text: &str) -> World {
    asking_with(text, "")
}

/// The question blocks.
fn blocking(text: &str) -> World {
    asking_with(text, r#", "severity": "blocking""#)
}

fn asking_with(text: &str, keys: &str) -> World {
    let world = World::new();
    world.write("src/a.rs", text);
    world.ask_json(&format!(
        r#"{{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number"{keys}}}"#
    ));
    world
}

/// The first line was given as the answer, and the second one as its correction.
fn disputed(text: &str) -> World {
    let world = asking(text);
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    world
}

fn say(world: &World, sid: &str, words: &[&str]) {
    world.pass(3600);
    world.sq(&[&["record", "--sid", sid], words].concat()).ok();
}

#[track_caller]
fn assert_fails(world: &World) {
    let (check, code) = world.check(&[]);
    assert_eq!((code, &check["questions"][0]["standing"]), (1, &json!("fails")), "{check}");
}

#[test]
fn a_newer_answer_hides_no_side_of_a_dispute() {
    let [two, three] = ["q1=2", "q1=1"];
    for words in [
        &[two, "--same", "q1", "--cite", "q1=src/a.rs:2"][..],
        &["--wrong", three, "--cite", "q1=src/a.rs:1"],
    ] {
        let world = failing();
        say(&world, "s2", &["--wrong", two, "--cite", "q1=src/a.rs:2"]);
        say(&world, "s3", words);
        assert_fails(&world);
    }
}

/// What changed before a dispute began ends none: a correction without evidence makes the older answer count.
#[test]
fn a_change_from_before_a_dispute_does_not_end_it() {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n");
    world.ask_json(BLOCKING);
    say(&world, "s0", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    world.write("src/a.rs", "1\n2\n5\n");
    world.commit("more");
    say(&world, "s1", &["q1=5", "--cite", "q1=src/a.rs:3"]);
    assert_fails(&world);
    world.change("other", "7\n");
    say(&world, "s2", &["--sure", "--wrong", "q1=7", "--cite", "q1=other:1"]);
    say(&world, "s3", &["q1=1", "--cite", "q1=src/a.rs:1-3"]);
    assert_fails(&world);
    let (check, _) = world.check(&[]);
    assert!(check["findings"].to_string().contains("drift"), "{check}");
}

/// However late it is said: also on a side branch that is merged.
#[test]
fn what_is_said_of_an_older_commit_replaces_no_answer_of_a_newer_one() {
    let world = failing();
    world.git_ok("checkout -q HEAD~1");
    say(&world, "s2", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    world.git_ok("checkout -q main");
    assert_fails(&world);
    let world = failing();
    world.git_ok("checkout -q -b side HEAD~1");
    world.change("side", "");
    say(&world, "s2", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    world.git_ok("checkout -q main");
    world.git_ok("merge -q --no-ff -m merge side");
    assert_fails(&world);
}

#[test]
fn a_run_on_an_older_commit_replaces_none_of_a_newer_one() {
    let world = World::new();
    world.git_ok("config --global sq.agentCommands true");
    world.write("state", "0\n");
    world.ask_json(
        r#"{"id": "q1", "q": "Does it pass?", "importance": 2, "expect": "0", "watch": ["state"],
            "severity": "blocking", "probe": {"run": ["cat", "state"], "take": "stdout"}}"#,
    );
    world.person("question approve q1", "yes\n").ok();
    world.change("state", "1\n");
    world.person("question approve q1", "yes\n").ok();
    say(&world, "s1", &[]);
    assert_fails(&world);
    world.git_ok("checkout -q HEAD~1");
    say(&world, "s2", &[]);
    world.git_ok("checkout -q main");
    assert_fails(&world);
}

/// Free text is compared as far as the expectation goes.
#[test]
fn an_answer_that_is_suddenly_as_expected_is_not_the_same() {
    let world = World::new();
    world.write("src/a.rs", "3\n5\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "expect": {"pattern": "^3"},
            "severity": "blocking"}"#,
    );
    say(&world, "s1", &["q1=5 lines", "--cite", "q1=src/a.rs:2"]);
    world.pass(3600);
    let words = ["record", "--sid", "s2", "q1=3 lines", "--same", "q1", "--cite", "q1=src/a.rs:1"];
    assert_eq!(world.sq(&words).code, 128);
    say(&world, "s2", &["--sure", "q1=3 lines", "--same", "q1", "--cite", "q1=src/a.rs:1"]);
    assert_fails(&world);
}

#[test]
fn another_line_with_the_id_of_an_answer_is_not_that_answer() {
    let world = failing();
    let body = json!({"id": world.entry_of("s1"), "sid": "zz", "ts": "2026-01-01T12:00:00.000Z", "writer": "ZZ", "n": 1,
        "results": [{"q_id": "q1", "delta": false, "answer": 2}]});
    let line = event_line(&world.head(), "rederive", "", &body);
    world.git(&["notes", "--ref=sq", "append", "-m", line.trim(), "HEAD"]).ok();
    assert_fails(&world);
}

/// One clone is one reader, whatever its sessions are called.
#[test]
fn two_sessions_of_one_clone_are_one_look() {
    let world = failing();
    say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    let (first, dir) = (world.entry_of("s1"), clone_of(&world, "bob"));
    for sid in ["b1", "b2"] {
        let look = ["record", "--sid", sid, "--second", &first, "q1=5", "--cite", "q1=src/a.rs:3"];
        world.sq_in(&dir, &look).ok();
    }
    world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["flagged"], json!(0), "{check}");
    assert!(world.found("rule").contains(&"disputed".into()), "{check}");
}

/// A question that fails and is disputed counts beside a flagged look, too.
#[test]
fn a_dispute_counts_although_its_question_fails() {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n9\n");
    let question = |id: &str| {
        format!(
            r#"{{"id": "{id}", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number"}}"#
        )
    };
    let expects = question("q1").replace("\"shape\"", "\"expect\": {\"at_most\": 3}, \"shape\"");
    let store = format!(
        r#"{{"_schema": "standing_questions/v2", "settings": {{"flagged": {{"max": 1}}}}, "questions": [{expects}, {}]}}"#,
        question("q2")
    );
    world.write("standing_questions.json", store);
    world.commit("ask");
    say(&world, "s1", &["q1=2", "--cite", "q1=src/a.rs:2", "q2=2", "--cite", "q2=src/a.rs:2"]);
    say(&world, "s2", &["--wrong", "q1=9", "--cite", "q1=src/a.rs:3"]);
    assert_eq!(world.check(&[]).1, 0);
    say(&world, "s3", &["--sure", "q2=1", "--cite", "q2=src/a.rs:1"]);
    let (check, code) = world.check(&[]);
    assert_eq!(code, 1, "{check}");
    assert!(check["findings"].to_string().contains("1 question is disputed"), "{check}");
}

/// Whoever corrected an answer and fixed what it found has a way out that is printed.
#[test]
fn a_person_agrees_with_a_correction_after_its_session_went_on() {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n5\n");
    world.ask_json(BLOCKING);
    say(&world, "s1", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    say(&world, "s2", &["--wrong", "q1=5", "--cite", "q1=src/a.rs:3"]);
    let correction = world.entry_of("s2");
    world.write("src/a.rs", "1\n2\n3\n");
    world.commit("fix");
    say(&world, "s2", &["q1=3", "--cite", "q1=src/a.rs:3"]);
    assert_fails(&world);
    let agree = format!("triage {correction} q1 --agree --because 'read it'");
    assert_has!(world.person_ok(&agree), "the answer of session s2 is right");
    world.person_ok("triage q1 --expected --because 'it was fixed'");
    world.commit("close it");
    world.sq_ok("check");
}

/// Who answers after a person did is compared with what the person said is right.
#[test]
fn what_a_person_said_is_right_is_what_later_answers_are_compared_with() {
    let world = disputed("1\n2\n");
    world.person_ok(&format!("triage {} q1 --agree --because 'read it'", world.entry_of("s1")));
    world.commit("close it");
    say(&world, "s3", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    let (check, _) = world.check(&[]);
    assert_eq!(check["questions"][0]["standing"], "fresh", "{check}");
    assert_eq!(check["looks"]["open"], 0, "{check}");
}

/// What a person decided is no session's to correct.
#[test]
fn what_a_person_found_right_is_not_corrected_unasked() {
    let world = disputed("1\n2\n");
    let right = world.entry_of("s2");
    world.person_ok(&format!("triage {right} q1 --agree --because 'read it'"));
    world.commit("close it");
    let again = "record --sid s4 --wrong q1=1 --cite q1=src/a.rs:1";
    insta::assert_snapshot!(world.try_sq(again).stderr.replace(&right, "[ID]"), @"
    fatal: q1: a person found entry [ID] right
      if the answer changed since then, --delta 'q1=what is true' --cite q1=path:3-5; if it never was, ask that person
    hint: nothing was written; if this is right, repeat the command with --sure (json: \"sure\": true)
    ");
    world.sq_ok(&format!("{again} --sure"));
    assert_has!(world.try_sq("check").stdout, "the answer that it corrects was found right");
}

/// Of a correction of a correction, too; and it is closed once.
#[test]
fn who_agrees_with_an_answer_settles_every_dispute_about_it() {
    // The last word of s3 is flagged where it is wrong.
    for (right, standing) in [("s2", "outdated"), ("s3", "holds")] {
        let world = failing();
        say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
        say(&world, "s3", &["--wrong", "q1=1", "--cite", "q1=src/a.rs:1"]);
        let agree = format!("triage {} q1 --agree --because 'read it'", world.entry_of(right));
        let said = world.person_ok(&agree);
        let line = format!("the answer of session {right} is right");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
        world.commit("close it");
        let (check, code) = world.check(&[]);
        assert_eq!((code, &check["questions"][0]["standing"]), (0, &json!(standing)), "{check}");
        assert!(!world.found("rule").contains(&"disputed".into()), "{check}");
    }
}

#[test]
fn a_dispute_that_an_answer_ended_is_not_open_where_its_question_fails() {
    let world = failing();
    say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    assert_eq!(world.check(&[]).0["questions"][0]["disputed"], json!([world.entry_of("s1")]));
    world.change("src/a.rs", "1\n2\n5\n6\n");
    say(&world, "s3", &["q1=6", "--cite", "q1=src/a.rs:4"]);
    assert_fails(&world);
    assert!(!world.found("rule").contains(&"disputed".into()));
}

#[test]
fn a_look_alone_makes_a_dispute_that_is_told_and_that_a_person_ends() {
    let world = failing();
    let (first, dir) = (world.entry_of("s1"), clone_of(&world, "bob"));
    let look = ["record", "--sid", "b1", "--second", &first, "q1=2", "--cite", "q1=src/a.rs:2"];
    world.sq_in(&dir, &look).ok();
    world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
    let check = world.sq(&["check"]).stdout;
    assert_has!(check, "q1: a reader disputes the answer of session s1");
    assert_has!(world.sq_ok("triage q1"), "disputed by a reader");
    world.person_ok(&format!("triage {first} q1 --agree --because 'read it'"));
    world.commit("close it");
    assert!(!world.found("rule").contains(&"disputed".into()));
}

/// A file that returns to what it was opens no dispute again.
#[test]
fn a_dispute_that_was_settled_stays_settled() {
    let world = disputed("1\n2\n");
    world.change("src/a.rs", "1\n2\n3\n");
    say(&world, "s3", &["q1=3", "--cite", "q1=src/a.rs:3"]);
    assert_eq!(world.standing("q1"), "fresh");
    world.git_ok("revert --no-edit HEAD");
    say(&world, "s4", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    assert_eq!(world.standing("q1"), "fresh");
}

/// Its party repeats there what it said, and others have the last word.
#[test]
fn a_party_does_not_win_by_a_file_that_returns() {
    let world = disputed("1\n2\n");
    world.change("src/a.rs", "1\n2\n3\n");
    say(&world, "s3", &["q1=3", "--cite", "q1=src/a.rs:3"]);
    world.git_ok("revert --no-edit HEAD");
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    assert_eq!(world.standing("q1"), "outdated");
}

/// A dispute is no ban: what it was about has gone.
#[test]
fn a_party_of_a_settled_dispute_answers_what_is_new() {
    let world = disputed("1\n2\n");
    for (sid, answer) in [("s3", 3), ("s1", 4), ("s2", 5)] {
        let lines: Vec<String> = (1..=answer).map(|line| format!("{line}\n")).collect();
        world.change("src/a.rs", lines.concat());
        let (words, cite) = (format!("q1={answer}"), format!("q1=src/a.rs:{answer}"));
        say(&world, sid, &[&words, "--cite", &cite]);
        assert_eq!(world.standing("q1"), "fresh", "{sid}");
    }
}

/// What the session corrected at once, a person can settle by its last word.
#[test]
fn a_correction_that_is_corrected_at_once_is_one_dispute() {
    let world = disputed("1\n2\n3\n");
    say(&world, "s2", &["--wrong", "q1=3", "--cite", "q1=src/a.rs:3"]);
    let last = world.newest()["id"].as_str().unwrap().to_owned();
    let check = world.sq(&["check"]).stdout;
    assert_has!(check, format!("`git sq triage {last} q1 --agree"));
    world.person_ok(&format!("triage {last} q1 --agree --because 'read it'"));
    world.commit("close it");
    assert!(!world.found("rule").contains(&"disputed".into()));
}

/// What a person rejected waits for no other verdict, nor does what a person agreed with.
#[test]
fn a_verdict_on_a_correction_is_one_on_its_drift() {
    let wrong = "          looked at again, ";
    for (side, found) in
        [("s1", "the answer that it corrects was found right"), ("s2", "it was found wrong")]
    {
        let world = blocking("1\n2\n");
        say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
        say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
        assert!(world.found("rule").contains(&"drift".into()));
        assert_has!(world.sq_ok("show q1"), "          disputed, and not settled\n");
        let agree = format!("triage {} q1 --agree --because 'read it'", world.entry_of(side));
        world.person_ok(&agree);
        world.commit("close it");
        let (check, code) = world.check(&[]);
        assert_eq!(code, 0, "{side}: {check}");
        assert_eq!(world.sq_ok("show q1").matches(&format!("{wrong}{found}\n")).count(), 1);
        assert_has!(world.sq_ok("triage --all"), "    closed by a person\n");
        assert_eq!(world.json("stats")["fates"], json!({ "closed": 1 }));
    }
}

/// A change to what a person found wrong waits for no other verdict.
#[test]
fn who_rejects_an_answer_closes_the_drift_to_it() {
    let world = blocking("1\n2\n3\n");
    say(&world, "s1", &["q1=3", "--cite", "q1=src/a.rs:3"]);
    world.change("src/b.rs", "1\n");
    say(&world, "s2", &["--delta", "q1=1", "--cite", "q1=src/b.rs:1"]);
    world.change("src/c.rs", "");
    say(&world, "s3", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    assert!(world.found("rule").contains(&"drift".into()));
    world.person_ok(&format!("triage {} q1 --agree --because 'read it'", world.entry_of("s3")));
    world.commit("close it");
    assert!(!world.found("rule").contains(&"drift".into()), "{}", world.sq_ok("triage"));
    assert_eq!(world.sq_ok("triage"), "No open drifts.\n");
}

#[test]
fn a_person_counts_more_than_readers() {
    let world = disputed("1\n2\n");
    let [first, correction] = ["s1", "s2"].map(|sid| world.entry_of(sid));
    for name in ["bob", "cleo"] {
        let dir = clone_of(&world, name);
        let look = ["record", "--sid", name, "--second", &first, "q1=1", "--cite", "q1=src/a.rs:1"];
        world.sq_in(&dir, &look).ok();
        world.git_ok_in(&dir, "push --quiet origin refs/notes/sq");
    }
    assert_has!(world.found("message")[0], "q1 of session s2");
    world.person_ok(&format!("triage {correction} q1 --agree --because 'read it'"));
    world.commit("close it");
    let messages = world.found("message");
    assert_has!(messages[0], "the answer of session s1 (Ada Example) to q1 is wrong");
    assert_eq!(messages.len(), 1, "{messages:?}");
}

/// Nothing that a person said is silently without effect.
#[test]
fn a_second_verdict_on_a_dispute_is_refused() {
    let world = disputed("1\n2\n");
    let [first, correction] = ["s1", "s2"].map(|sid| world.entry_of(sid));
    let agree = |entry: &str| format!("triage {entry} q1 --agree --because 'read it'");
    world.person_ok(&agree(&correction));
    let refused = world.person(&agree(&first), "").transcript();
    insta::assert_snapshot!(refused.replace(&correction, "CORRECTION"), @r"
    --- stderr
    warning: standing_questions.closed.jsonl has closings that are not committed: commit it: only what HEAD has is closed
    fatal: q1: that dispute is settled, and the answer of entry CORRECTION is right
    hint: nothing was changed; whoever closed it by mistake removes its line from standing_questions.closed.jsonl and commits that first
    --- exit 128
    ");
    // Two people may write at once.
    let file = "standing_questions.closed.jsonl";
    let closed = world.read(file);
    world.change(file, closed.clone() + &closed.replace(&correction, &first));
    assert_eq!(world.standing("q1"), "disputed");
    let refused = world.person(&agree(&first), "").transcript();
    insta::assert_snapshot!(refused.replace(&correction, "CORRECTION").replace(&first, "FIRST"), @r"
    --- stderr
    fatal: q1: people found both sides right, entries FIRST and CORRECTION
    hint: nothing was changed; whoever closed it by mistake removes its line from standing_questions.closed.jsonl and commits that first
    --- exit 128
    ");
}

/// What ended it may repeat the lie, and nobody knows who is right.
#[test]
fn others_are_asked_of_a_dispute_that_an_answer_ended() {
    let world = disputed("1\n2\n");
    world.change("src/a.rs", "1\n2\n3\n");
    say(&world, "s3", &["q1=1", "--cite", "q1=src/a.rs:1-3"]);
    let bob = clone_of(&world, "bob");
    assert_has!(world.sq_in(&bob, &["brief"]).stdout, world.entry_of("s1"));
    // Nobody has to decide it.
    assert_eq!(world.standing("q1"), "fresh");
    assert_eq!(world.sq_ok("triage"), "No open drifts.\n");
    assert_has!(world.sq_ok("triage --all"), "q1 disputed until a later answer\n");
    assert_has!(world.sq_ok("show q1"), "    disputed until a later answer\n");
    assert_has!(world.sq_ok("verify --second"), ": disputed until a later answer, 1 session found");
    // Nobody is asked of what is asked no more.
    world.sq_ok("question retire q1 --reason noise");
    world.commit("retire");
    world.git_ok_in(&bob, "pull --quiet");
    let brief = world.sq_in(&bob, &["brief"]).stdout;
    assert!(!brief.contains("Second look"), "{brief}");
    assert_eq!(world.sq_ok("verify --second"), "No answer waits for a second look.\n");
}

/// What later answers were compared with meanwhile is the correction.
#[test]
fn an_answer_that_ended_a_dispute_changed_as_expected() {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number", "severity": "blocking", "expect": "increase"}"#,
    );
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    world.change("src/a.rs", "1\n2\n3\n");
    say(&world, "s3", &["q1=3", "--cite", "q1=src/a.rs:3"]);
    assert_eq!((world.verdict("").as_str(), world.standing("q1").as_str()), ("0", "fresh"));
}

/// Who had not heard of the correction says what was so before, and that ends the dispute: nothing changed.
#[test]
fn what_a_later_answer_took_back_is_no_drift_though_it_ended_the_dispute() {
    let team = Team::new();
    let (clone, other) = (&team.clone, team.join("other"));
    let question = r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["a.rs"], "shape": "number", "severity": "blocking"}"#;
    team.write("standing_questions.json", git_sq_test_support::store_v2(question));
    team.change("a.rs", "1\n2\n3\n4\n");
    let say = |dir: &Path, line: &str| {
        team.world.pass(1800);
        team.sq_ok_in(dir, line)
    };
    team.push();
    say(clone, "record --sid s1 q1=3 --cite q1=a.rs:1-3");
    say(clone, "sync");
    say(&other, "sync");
    team.git_ok_in(&other, "pull --quiet");
    say(clone, "record --sid s2 --wrong q1=4 --cite q1=a.rs:1-4");
    std::fs::write(other.join("a.rs"), "1\n2\n3\n4\n5\n").unwrap();
    team.git_ok_in(&other, "commit --quiet --all --message more");
    say(&other, "record --sid b1 q1=3 --same q1 --cite q1=a.rs:1-5");
    team.git_ok_in(&other, "push --quiet");
    for dir in [&other, clone] {
        say(dir, "sync");
    }
    team.git_ok("pull --quiet");
    let check = team.sq(clone, &["check", "--format", "json"]).json();
    assert_eq!(
        (&check["findings"], &check["questions"][0]["standing"]),
        (&json!([]), &json!("fresh"))
    );
}

/// What the tool answers by itself makes no session leave the rest out.
#[test]
fn a_correction_beside_a_fact_leaves_nothing_out() {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n");
    world.write("docs.md", "one\n");
    let sessions = r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number"},
        {"id": "q2", "q": "What?", "importance": 2, "watch": ["docs.md"]}"#;
    let fact = r#"{"id": "q3", "q": "Which?", "importance": 2, "probe": {"text": {"file": "src/a.rs", "pattern": "(2)"}}}"#;
    world.ask_json(&format!("{sessions}, {fact}"));
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1", "q2=one"]);
    world.change("docs.md", "two\n");
    say(&world, "s2", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["open"], 0, "{check}");
    // Nor does a version of the fact that a proposal brings.
    world.git_ok("switch --quiet -c proposal");
    let retired = fact.replace("\"q\"", "\"status\": \"retired\", \"q\"");
    let newer = fact.replace("\"q\"", "\"version\": 2, \"q\"").replace("(2)", "([2])");
    world.ask_json(&format!("{sessions}, {retired}, {newer}"));
    say(&world, "s3", &["--wrong", "q1=1", "--cite", "q1=src/a.rs:1"]);
    let (check, _) = world.check(&["--base", "main"]);
    assert_eq!(check["looks"]["open"], 0, "{check}");
}

/// What a rule flagged in between was carried on by nobody.
#[test]
fn a_dispute_names_who_said_it_first_and_what_was_built_since() {
    let world = asking("1\n2\n");
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    world.commit("built on it");
    say(&world, "s2", &["--sure", "--delta", "q1=2", "q1=2", "--cite", "q1=src/a.rs:2"]);
    say(&world, "s3", &["q1=1", "--same", "q1", "--cite", "q1=src/a.rs:1"]);
    world.commit("more");
    say(&world, "s4", &["--wrong", "q1=2", "--cite", "q1=src/a.rs:2"]);
    let check = world.sq(&["check"]).stdout;
    assert_has!(check, "which session s1 (Ada Example) said first, and the dispute is open");
    let [first, entry, last] = ["s1", "s3", "s4"].map(|sid| world.entry_of(sid));
    let told = format!("Entry {first} said it first. Until entry {last} corrected it: 2 commits");
    assert_has!(world.sq_ok(&format!("show {entry}")), told);
}

/// The answer that fails is named with its own commit, whichever counts.
#[test]
fn a_side_that_fails_is_named_where_it_was_given() {
    let world = World::new();
    world.write("src/a.rs", "1\n");
    world.ask_json(&BLOCKING.replace(r#", "severity": "blocking""#, ""));
    say(&world, "s1", &["q1=1", "--cite", "q1=src/a.rs:1"]);
    world.change("src/a.rs", "1\n2\n3\n4\n");
    say(&world, "s2", &["q1=4", "--cite", "q1=src/a.rs:1-4"]);
    let at = world.head();
    let entry = world.entry_of("s2");
    let bob = clone_of(&world, "bob");
    let look = ["record", "--sid", "b", "--second", &entry, "q1=2", "--cite", "q1=src/a.rs:1-2"];
    world.sq_in(&bob, &look).ok();
    world.git_ok_in(&bob, "push --quiet origin refs/notes/sq");
    let said = world.try_sq("check").stdout;
    assert_has!(said, format!("q1 fails: 4 at {}, expected to be at most 3", &at[..10]));
}

#[test]
fn a_dispute_that_a_newer_answer_ended_is_not_counted() {
    let world =
        World::asking(&[r#", "watch": ["a"]"#, r#", "watch": ["b"]"#, r#", "watch": ["c"]"#]);
    for path in ["a", "b", "c"] {
        world.write(path, "1");
    }
    world.commit("begin");
    let cites = "--cite q1=a:1 --cite q2=b:1";
    world.sq_ok(&format!("record --sid s1 q1=1 q2=1 q3=1 {cites} --cite q3=c:1"));
    world.pass(3600);
    world.commit("two");
    world.sq_ok(&format!("record --sid s2 --wrong q1=2 --wrong q2=2 {cites}"));
    world.pass(3600);
    world.write("c", "3");
    world.change("a", "3");
    world.sq_ok("record --sid s3 --delta q1=3 --cite q1=a:1");
    assert_eq!([world.standing("q1"), world.standing("q2")], ["fresh", "disputed"]);
    // One flag and one dispute are not over the limit of two.
    assert_eq!(world.messages("flagged"), [""; 0]);
}
