//! `git sq log` and `show` find everything that was recorded, wherever it is.

use std::sync::OnceLock;

use git_sq_test_support::{Template, World, each};

/// One session on main, then a branch `side` with two more, one of them with a state.
fn world() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = World::asked();
        world.sq_ok("record --sid s1 --same q1=one");
        world.git_ok("switch --quiet -c side");
        world.commit("Go aside");
        world.sq_ok("record --sid s2 --delta q1=two");
        world.sq_ok("state set --sid s2 --status 'half way'");
        world.commit("Go on");
        world.sq_ok("record --sid kqzvwmxtkqzvwmxt --same q1");
        world.git_ok("switch --quiet main");
        world
    })
}

/// Those to q1, on all branches.
const ANSWERS: [&str; 3] = ["rederive kqzv", "rederive s2", "rederive s1"];

fn sids(world: &World, line: &str) -> Vec<String> {
    let document = world.json(line);
    each(&document["entries"])
        .map(|entry| {
            let of = |key: &str| entry[key].as_str().unwrap().to_owned();
            format!("{} {:.4}", of("kind"), of("sid"))
        })
        .collect()
}

#[test]
fn show_finds_a_commit_a_session_an_entry_and_a_question() {
    let world = world();
    let both = ["state s2", "rederive s2"];
    assert_eq!(sids(&world, "show side~1"), both);
    assert_eq!(sids(&world, "show s2"), both);
    assert_eq!(sids(&world, "show kqzv"), ["rederive kqzv"]);
    assert_eq!(sids(&world, "show q1"), ANSWERS);
    // The newest one is not that of this branch.
    let counts = world.entry_of("s1");
    assert_has!(world.sq_ok("show q1"), format!("; the answer of entry {counts} counts\n"));
    let all = world.json("log --all --kind state");
    let id = all["entries"][0]["id"].as_str().unwrap();
    assert_eq!(sids(&world, &format!("show {id}")), ["state s2"]);
    assert_has!(world.sq_ok("show s2 --format markdown"), "# Recorded: s2");
    assert_has!(world.sq_ok("log --format jsonl"), "\"schema\":\"sq.log.entry/v1\"");
    // Also when the commit is gone.
    let gone = world.git_ok("rev-parse side~1").trim().to_owned();
    world.git_ok("branch --quiet -D side");
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --quiet --prune=now");
    assert_eq!(sids(&world, &format!("show {gone}")), both);
    assert_eq!(sids(&world, &format!("show {}", &gone[..8])), both);
    insta::assert_snapshot!(world.try_sq("show s9").transcript(), @r#"
    --- stderr
    fatal: there is no question, entry, session or commit "s9", and HEAD has no such file
    hint: `git sq question list` lists the questions, `git sq log --all` the entries
    --- exit 128
    "#);
}

#[test]
fn show_never_says_that_nothing_was_recorded_where_something_was() {
    let world = world();
    assert_eq!(sids(&world, "show q1@1"), ANSWERS);
    world.git_ok("switch --quiet --orphan aside");
    world.ask(&["q1"]);
    assert_eq!(sids(&world, "show"), ["rederive kqzv"]);
    insta::assert_snapshot!(world.sq_ok("show HEAD"), @"No entries found.");
    world.git_ok("notes --ref=sq append -m 'reviewed by Bob' HEAD");
    assert_eq!(world.sq_ok("show HEAD"), "No entries found.\n");
}

#[test]
fn the_log_takes_revisions_as_git_does() {
    let world = world();
    let of_side = ["rederive kqzv", "rederive s2"];
    let all = ["rederive kqzv", "rederive s2", "rederive s1"];
    assert_eq!(sids(&world, "log"), ["rederive s1"]);
    assert_eq!(sids(&world, "log side"), all);
    assert_eq!(sids(&world, "log main..side"), of_side);
    assert_eq!(sids(&world, "log ..side -n 1"), of_side[..1]);
    assert_eq!(sids(&world, "log side ^main --deltas"), of_side[1..]);
    assert_eq!(sids(&world, "log main...side"), of_side);
    assert_eq!(sids(&world, "log side..main"), [""; 0]);
    assert_eq!(sids(&world, "log --all"), all);
    assert_eq!(sids(&world, "log --all --kind all").len(), 4);
    assert_eq!(sids(&world, "log --all --sid kqzv"), of_side[..1]);
    assert_eq!(world.try_sq("log nowhere..side").code, 128);
}

#[test]
fn the_log_is_narrowed_by_dates_as_git_takes_them() {
    let world = World::asked();
    world.sq_ok("record --sid s1 --same q1=one");
    world.pass(48 * 3600);
    world.sq_ok("record --sid s2 --same q1");
    let until = "--until '2026-01-02 00:00:00 +0000'";
    let since = "--since '2026-01-02 00:00:00 +0000'";
    assert_eq!(sids(&world, &format!("log {until}")), ["rederive s1"]);
    assert_eq!(sids(&world, &format!("log {since}")), ["rederive s2"]);
    assert_eq!(sids(&world, &format!("log {since} {until}")), [""; 0]);
    assert_eq!(sids(&world, "log --since '20 years ago'").len(), 2);
}

#[test]
fn the_log_has_a_line_for_each_entry_when_it_is_asked_to() {
    let world = world();
    let lines = world.sq_ok("log --all --kind all --oneline");
    insta::with_settings!({filters => vec![("(?m)^[0-9a-f]{10}", "[short]")]}, {
        insta::assert_snapshot!(lines, @r"
        [short] kqzvwmxt same q1
        [short] s2 status: half way
        [short] s2 DELTA q1: two
        [short] s1 first q1
        ");
    });
    let lines = world.sq_ok("log --all --format jsonl");
    assert_eq!(lines.lines().count(), 3);
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["sid"], "s1");
}

#[test]
fn a_question_that_nobody_knows_is_an_error() {
    let world = world();
    insta::assert_snapshot!(world.try_sq("log -q typo").transcript(), @r"
    --- stderr
    fatal: there is no question typo in the store or the log
    hint: `git sq question list` lists the questions
    --- exit 128
    ");
    assert_eq!(sids(&world, "log -q q1@1"), ["rederive s1"]);
}

#[test]
fn reading_needs_no_question_store() {
    let world = world();
    world.git_ok("rm --quiet standing_questions.json");
    world.commit("Ask nothing any more");
    assert_eq!(sids(&world, "log -q q1"), ["rederive s1"]);
    assert_eq!(sids(&world, "show q1"), ANSWERS);
    assert_eq!(world.sq_ok("export").lines().count(), 1);
}

#[test]
fn recording_again_in_a_session_says_what_it_replaces() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s1 --same q1=one --same q2=two");
    let said = world.sq_ok("record --sid s1 --delta q2=other");
    assert_has!(said, "replaces what the session had recorded for q2.");
    let said = world.sq_ok("record --sid s2 --same q2");
    assert!(!said.contains("replaces"), "{said}");
}
