//! Impossible times: entries older than their commit, or later than now.

use git_sq_test_support::{World, original_line};

use crate::tensions::OPEN;

/// What the gate finds about clocks.
#[track_caller]
fn clock(world: &World) -> Vec<String> {
    world.messages("clock")
}

/// The time of the world, moved.
fn moved(world: &World, seconds: i64) -> String {
    let now: jiff::Timestamp = world.now().parse().unwrap();
    jiff::Timestamp::from_second(now.as_second() + seconds)
        .unwrap()
        .to_string()
        .replace('Z', ".000Z")
}

/// Adds a line with plain git, which dates its commit by the world's clock.
fn append(world: &World, head: &str, line: &str) {
    world.git_ok(&format!("notes --ref=sq append -m '{line}' {head}"));
}

#[test]
fn an_entry_is_not_older_than_its_commit() {
    let world = World::answered("s00");
    assert_eq!(clock(&world), [] as [String; 0]);
    // The tool's clock beside git's, which made the commit a moment before.
    let record = |sid: &str, shift: i64| {
        for line in ["record --same q1", OPEN] {
            let now = [("SQ_TEST_NOW", &*moved(&world, shift))];
            world.sq_env(&format!("{line} --sid {sid}"), &now).ok();
        }
    };
    world.commit("One");
    record("slightly-off", -300);
    assert_eq!(clock(&world), [] as [String; 0]);
    world.commit("Two");
    record("back-dated", -600);
    let back = "session back-dated (Ada Example) has 2 entries dated before their commits";
    assert_eq!(clock(&world), [back]);
    // What stands elsewhere is not held against that commit.
    let world = World::new();
    let head = world.ask(&["q1"]);
    let elsewhere = original_line("s02", "2020-01-01T00:00:00.000Z", &"0".repeat(40));
    append(&world, &head, &elsewhere);
    assert_eq!(clock(&world), [] as [String; 0]);
}

#[test]
fn what_was_imported_is_held_against_nobodys_clock() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let old = original_line("s01", "2020-01-01T00:00:00Z", &head);
    let new = original_line("s02", "2040-01-01T00:00:00Z", &head);
    world.write("old.jsonl", old + "\n" + &new);
    world.sq_ok("import old.jsonl");
    let check = world.try_sq("check");
    assert!(!check.stdout.contains("can't be"), "{}", check.transcript());
    assert_has!(check.stdout, "2 entries are imported");
}

#[test]
fn the_environment_does_not_date_the_log() {
    let world = World::asked();
    let dates =
        ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"].map(|name| (name, "2001-01-01T00:00:00Z"));
    world.sq_env("record --sid s01 --same q1=x", &dates).ok();
    let dates = world.git_ok("log '--format=%ct %at' refs/notes/sq");
    assert!(!dates.contains("978307200"), "{dates}");
    assert_eq!(clock(&world), [] as [String; 0]);
}

/// What two commands say, which is the same without what was kept.
#[track_caller]
fn said(world: &World, line: &str) -> String {
    let now = world.now();
    let [kept, anew] = ["", " --no-cache"].map(|more| {
        let line = format!("{line}{more}");
        world.sq_env(&line, &[("SQ_TEST_NOW", &now)]).transcript()
    });
    assert_eq!(kept, anew);
    kept
}

const AHEAD: &str = "session planted has 1 entry dated in the future: it does not count until then";

#[test]
fn an_answer_of_the_far_future_keeps_no_question_fresh() {
    for more in ["", r#","origin":{}"#] {
        let world = World::new();
        let head = world.ask(&["q1", "q2"]);
        let planted = original_line("planted", "9999-12-30T00:00:00.000Z", &head);
        let results = format!(r#"{more},"results""#);
        append(&world, &head, &planted.replace(r#","results""#, &results));
        for n in 0..3 {
            world.sq_ok(&format!("record --sid s{n} --same q2=x"));
        }
        let check = said(&world, "check --staleness 2");
        assert_has!(check, "q1: 3 sessions were asked, and no answer counts");
        assert_eq!(clock(&world), [AHEAD]);
        assert!(said(&world, "log -n 1").contains("Session: s2"));
    }
}

#[test]
fn a_clock_that_was_a_year_ahead_leaves_the_newest_session_the_newest() {
    let world = World::new();
    let head = world.ask(&["q1", "q2"]);
    world.record("s1").ok();
    // The commit of that session is dated as its entry is.
    let later = moved(&world, 365 * 24 * 3600);
    let mut commit = world.command("git");
    commit.args(["commit", "--quiet", "--allow-empty", "-m", "ahead"]);
    commit.env("GIT_COMMITTER_DATE", &later);
    assert!(commit.status().unwrap().success());
    let later = [("SQ_TEST_NOW", &*later)];
    world.sq_env("record --sid planted --same q2=x", &later).ok();
    assert_ne!(world.head(), head);
    world.record("s2").ok();
    // That commit is later than the next session, too.
    let by = AHEAD.replace("planted", "planted (Ada Example)");
    assert_eq!(clock(&world)[0], by);
    assert!(said(&world, "log -n 1").contains("Session: s2"));
    // It counts for nothing until its time has come.
    let check = said(&world, "check --staleness 0");
    assert_has!(check, "q2: 2 sessions were asked, and no answer counts");
    world.pass(365 * 24 * 3600);
    assert!(!said(&world, "check").contains(AHEAD));
}

#[test]
fn what_was_kept_is_not_used_once_a_time_has_come() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    world.record("s1").ok();
    let planted = original_line("planted", &moved(&world, 3600), &head);
    append(&world, &head, &planted);
    assert!(said(&world, "check").contains(AHEAD));
    assert!(said(&world, "check").contains(AHEAD));
    world.pass(7200);
    assert!(!said(&world, "check").contains(AHEAD));
    assert!(said(&world, "log -n 1").contains("Session: planted"));
    world.pass(-7200);
    assert!(said(&world, "check").contains(AHEAD));
}

/// Nobody can write the answer that later ones repeat by dating it ahead.
#[test]
fn an_entry_dated_ahead_is_no_earlier_answer() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    append(&world, &head, &original_line("planted", "2040-01-01T00:00:00.000Z", &head));
    let said = world.try_sq("record --sid s1 --same q1").transcript();
    assert_has!(said, "q1 has no earlier answer: write 'q1=the answer'");
}

#[test]
fn a_commit_older_than_its_parent_has_the_same_place_with_a_cache() {
    let world = World::asking(&[
        r#", "watch": ["a"], "shape": "number", "severity": "blocking", "expect": {"at_most": 500}"#,
    ]);
    world.change("a", "250");
    world.sq_ok("record --sid s0 q1=250 --cite q1=a:1");
    world.git_ok("switch --quiet --create topic");
    world.change("b", "one");
    world.git_ok("switch --quiet -");
    world.pass(-3600);
    world.change("a", "900");
    let old = world.now();
    world.pass(2 * 3600);
    world.sq_ok("record --sid s1 --delta q1=900 --cite q1=a:1");
    world.write("a", "250");
    world.git_ok("add a");
    let mut commit = world.command("git");
    commit.args(["commit", "--quiet", "-m", "250"]).env("GIT_COMMITTER_DATE", old);
    assert!(commit.status().unwrap().success());
    std::fs::remove_dir_all(world.dir.join(".git/sq/cache")).unwrap();
    said(&world, "check");
    world.git_ok("merge --quiet --no-edit --no-ff topic");
    assert_has!(said(&world, "check"), "q1 fails: 900");
}
