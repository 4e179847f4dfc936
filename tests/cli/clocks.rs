//! Times that can't be: entries older than their commit, or younger than the log that holds them.

use git_sq_test_support::{Team, World, original_line};
use serde_json::json;

use crate::tensions::{OPEN, settings};

/// What the gate finds about clocks.
#[track_caller]
fn clock(world: &World, args: &[&str]) -> Vec<String> {
    let (check, _) = world.check(args);
    let findings = check["findings"].as_array().unwrap().iter();
    let clock = findings.filter(|finding| finding["rule"] == "clock");
    clock
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

/// The time of the world, moved.
fn moved(world: &World, seconds: i64) -> String {
    let now: jiff::Timestamp = world.now().parse().unwrap();
    let moved = jiff::Timestamp::from_second(now.as_second() + seconds).unwrap();
    moved.to_string().replace('Z', ".000Z")
}

/// Adds a line with plain git, which dates its commit by the world's clock.
fn append(world: &World, head: &str, line: &str) {
    let append = ["notes", "--ref=sq", "append", "-m", line, head];
    world.git(&append).ok();
}

const AHEAD: &str = "has 1 of its entries with a time that can't be: later than the first notes commit that holds them";

#[test]
fn an_entry_is_not_older_than_its_commit() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s00").ok();
    assert_eq!(clock(&world, &[]), [] as [String; 0]);
    // The tool's clock beside git's, which made the commit a moment before.
    let record = |sid: &str, shift: i64| {
        for args in [
            [&["record", "--same", "q1"][..], &["--sid", sid]].concat(),
            [&OPEN[..], &["--sid", sid]].concat(),
        ] {
            let mut command = world.sq_command(&args);
            command.env("SQ_TEST_NOW", moved(&world, shift));
            assert!(command.output().unwrap().status.success());
        }
    };
    world.commit("One");
    record("slightly-off", -300);
    assert_eq!(clock(&world, &[]), [] as [String; 0]);
    world.commit("Two");
    record("back-dated", -600);
    assert_eq!(
        clock(&world, &[]),
        [
            "session back-dated has 2 of its entries with a time that can't be: earlier than the commit that it names"
        ]
    );
    // What stands elsewhere is not held against that commit.
    let world = World::new();
    let head = world.ask(&["q1"]);
    let elsewhere = original_line("s02", "2020-01-01T00:00:00.000Z", &"0".repeat(40));
    append(&world, &head, &elsewhere);
    assert_eq!(clock(&world, &[]), [] as [String; 0]);
}

#[test]
fn what_was_imported_is_held_against_nobodys_clock() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let old = original_line("s01", "2020-01-01T00:00:00Z", &head);
    let new = original_line("s02", "2040-01-01T00:00:00Z", &head);
    world.write("old.jsonl", old + "\n" + &new);
    world.sq(&["import", "old.jsonl"]).ok();
    let check = world.sq(&["check"]);
    assert!(!check.stdout.contains("can't be"), "{}", check.transcript());
    assert!(
        check.stdout.contains("2 entries are imported"),
        "{}",
        check.transcript()
    );
}

#[test]
fn an_entry_is_not_younger_than_the_first_notes_commit_that_holds_it() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    world.record("s00").ok();
    // Git's date is that of the command that comes next.
    for (sid, ahead) in [("at-the-edge", 60 + 300), ("ahead", 60 + 301)] {
        append(
            &world,
            &head,
            &original_line(sid, &moved(&world, ahead), &head),
        );
    }
    let found = [format!("session ahead {AHEAD}")];
    assert_eq!(clock(&world, &[]), found);
    // That does not pass with time, whatever is written later, kept or not kept.
    world.pass(7 * 24 * 3600);
    world.record("s01").ok();
    for args in [&[][..], &["--no-cache"], &[]] {
        assert_eq!(clock(&world, args), found, "{args:?}");
    }
    let text = world.sq(&["check"]);
    assert!(text.stdout.contains(&found[0]), "{}", text.transcript());
    assert_eq!(world.sq(&["check"]).stdout, text.stdout);
    // Once more on another commit, it is the same line; a second one of that session counts.
    let other = world.commit("Other");
    let all = String::from_utf8(world.note(&head)).unwrap();
    let ahead = all.lines().find(|line| line.contains("\"ahead\"")).unwrap();
    append(&world, &other, ahead);
    assert_eq!(clock(&world, &[]), found);
    append(
        &world,
        &other,
        &original_line("ahead", &moved(&world, 3600), &other),
    );
    let found = found[0].replace("has 1", "has 2");
    assert_eq!(clock(&world, &[]), [found.as_str()]);
    // The tolerance is the store's, and another one is looked for anew.
    settings(&world, &json!({"clock": {"tolerance": "2h"}}));
    assert_eq!(clock(&world, &[]), [] as [String; 0]);
    settings(&world, &json!({"clock": {"tolerance": "1s"}}));
    assert_eq!(clock(&world, &[]).len(), 2);
}

#[test]
fn the_environment_does_not_date_the_log() {
    let world = World::new();
    world.ask(&["q1"]);
    let mut record = world.sq_command(&["record", "--sid", "s01", "--same", "q1=x"]);
    record.env("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z");
    record.env("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z");
    assert!(record.output().unwrap().status.success());
    let dates = world
        .git(&["log", "--format=%ct %at", "refs/notes/sq"])
        .ok();
    assert!(!dates.contains("978307200"), "{dates}");
    assert_eq!(clock(&world, &[]), [] as [String; 0]);
}

#[test]
fn what_another_clone_held_first_counts_here() {
    let team = Team::new();
    let world = &team.world;
    let two = team.join("two");
    let head = team.git(&team.clone, &["rev-parse", "HEAD"]).ok();
    let head = head.trim();
    let ahead = original_line("ahead", &moved(world, 24 * 3600), head);
    let append = ["notes", "--ref=sq", "append", "-m", &ahead, head];
    team.git(&team.clone, &append).ok();
    team.sq(&team.clone, &["sync"]).ok();
    // It gets here when its time has come.
    world.pass(2 * 24 * 3600);
    world.record_in(&two, "s01").ok();
    team.sq(&two, &["sync"]).ok();
    let check = team.sq(&two, &["check"]);
    assert!(check.stdout.contains(AHEAD), "{}", check.transcript());
}

const NOT_WHOLE: &str = "the log's own history is not whole (a shallow fetch, or something is missing): whether entries are older than the times they name can't be found out";

#[test]
fn a_log_whose_history_is_cut_off_tells_nothing_about_clocks() {
    let team = Team::new();
    let world = &team.world;
    world.record_in(&team.clone, "s01").ok();
    world.record_in(&team.clone, "s02").ok();
    team.sq(&team.clone, &["sync"]).ok();
    let fresh = world.root().join("fresh");
    let remote = format!("file://{}", team.remote.display());
    let clone = ["clone", "--quiet", &remote, fresh.to_str().unwrap()];
    world.git(&clone).ok();
    let fetch = |more: &str| {
        let refs = ["origin", "refs/notes/sq:refs/notes/sq"];
        let args = [&["fetch", "--quiet", more][..], &refs].concat();
        team.git(&fresh, &args).ok();
    };
    fetch("--depth=1");
    let check = team.sq(&fresh, &["check"]);
    assert!(check.stdout.contains(NOT_WHOLE), "{}", check.transcript());
    assert_eq!(check.code, 3);
    fetch("--unshallow");
    let check = team.sq(&fresh, &["check"]);
    assert!(!check.stdout.contains(NOT_WHOLE), "{}", check.transcript());
}

#[test]
fn a_log_whose_history_has_a_hole_tells_nothing_about_clocks() {
    for of in ["", "^{tree}"] {
        let world = World::new();
        world.ask(&["q1"]);
        for sid in ["s01", "s02", "s03"] {
            world.record(sid).ok();
            world.pass(3600);
        }
        let lost = format!("refs/notes/sq~1{of}");
        let lost = world.git(&["rev-parse", &lost]).ok();
        world.lose(lost.trim());
        let check = world.sq(&["check"]);
        assert!(check.stdout.contains(NOT_WHOLE), "{}", check.transcript());
        assert_eq!((check.code, clock(&world, &[]).len()), (3, 0));
    }
}
