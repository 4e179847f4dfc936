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

/// What the gate says, kept and not kept: always the same.
#[track_caller]
fn clock_both(world: &World) -> Vec<String> {
    let kept = world.sq(&["check"]);
    let anew = world.sq(&["check", "--no-cache"]);
    assert_eq!(kept.transcript(), anew.transcript());
    clock(world, &[])
}

/// A tension that somebody opens by hand.
fn opening(sid: &str, ts: &str, more: &str) -> String {
    format!(
        r#"{{"ts":"{ts}","kind":"tension.open","id":"X-{sid}","sid":"{sid}","repo_head_sha":"x","v":1,"topic":"t","type":"gap","source":"x","curiosity":0.5,"intrusiveness":0.5{more}}}"#
    )
}

#[test]
fn what_is_missing_for_a_while_is_not_forgotten() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s01").ok();
    let head = world.commit("Two");
    append(&world, &head, &opening("ahead", &moved(&world, 3600), ""));
    let note = world.git(&["notes", "--ref=sq", "list", &head]).ok();
    let (folder, file) = note.trim().split_at(2);
    let path = world.dir.join(".git/objects").join(folder).join(file);
    let text = std::fs::read(&path).unwrap();
    world.lose(note.trim());
    let check = world.sq(&["check"]);
    assert_eq!(check.code, 3, "{}", check.transcript());
    std::fs::write(&path, text).unwrap();
    assert_eq!(clock_both(&world), [format!("session ahead {AHEAD}")]);
}

#[test]
fn nobody_is_accused_because_something_is_missing() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    world.pass(3600);
    append(&world, &head, &opening("honest", &moved(&world, 60), ""));
    let before = world.git(&["notes", "--ref=sq", "list", &head]).ok();
    // By a machine whose clock is an hour behind.
    world.pass(-3600);
    append(&world, &head, &opening("other", &moved(&world, 60), ""));
    assert_eq!(clock_both(&world), [] as [String; 0]);
    world.lose(before.trim());
    let kept = world.dir.join(".git/sq/cache");
    std::fs::remove_dir_all(kept).unwrap();
    let check = world.sq(&["check"]);
    assert!(check.stdout.contains(NOT_WHOLE), "{}", check.transcript());
    assert!(!check.stdout.contains("honest"), "{}", check.transcript());
}

#[test]
fn what_was_taken_out_and_put_back_is_judged_the_same_kept_or_not() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    world.record("s01").ok();
    let honest = world.note(&head);
    let ahead = opening("ahead", &moved(&world, 3600), "");
    let found = [format!("session ahead {AHEAD}")];
    let put = |text: &[u8]| {
        world.write("../note", text);
        let add = ["notes", "--ref=sq", "add", "-f", "-F", "../note", &head];
        world.git(&add).ok();
    };
    append(&world, &head, &ahead);
    assert_eq!(clock_both(&world), found);
    put(&honest);
    assert_eq!(clock_both(&world), [] as [String; 0]);
    world.pass(24 * 3600);
    append(&world, &head, &ahead);
    assert_eq!(clock_both(&world), found);
    // Moved to another commit, where it is as late as it was.
    let other = world.commit("Other");
    append(&world, &other, &ahead);
    put(&honest);
    assert_eq!(clock_both(&world), found);
}

#[test]
fn a_notes_commit_without_a_date_tells_nothing_about_clocks() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s01").ok();
    let commit = world.git(&["cat-file", "commit", "refs/notes/sq"]).ok();
    let lines = commit.lines().map(|line| {
        let is_date = line.starts_with("committer ");
        let line = if is_date { "committer nobody" } else { line };
        format!("{line}\n")
    });
    let commit: String = lines.collect();
    let write = [
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--stdin",
        "--literally",
    ];
    let commit = world.git_with_input(&write, commit.as_bytes()).ok();
    world
        .git(&["update-ref", "refs/notes/sq", commit.trim()])
        .ok();
    let check = world.sq(&["check"]);
    assert!(check.stdout.contains(NOT_WHOLE), "{}", check.transcript());
    assert_eq!(check.code, 3);
}

#[test]
fn what_says_that_it_was_imported_is_counted() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    world.record("s01").ok();
    let late = moved(&world, 3600);
    append(&world, &head, &opening("planted", &late, r#","origin":{}"#));
    let check = world.sq(&["check"]);
    assert!(
        check
            .stdout
            .contains("1 entry is imported: nobody here vouches"),
        "{}",
        check.transcript()
    );
}

#[test]
fn replaced_notes_do_not_reach_the_cache() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    append(&world, &head, &opening("s01", &world.now(), ""));
    let list = || world.sq(&["tension", "list"]).ok();
    let before = list();
    let note = world.git(&["notes", "--ref=sq", "list", &head]).ok();
    let other = String::from_utf8(world.note(&head)).unwrap();
    let other = world.blob(other.replace("\"t\"", "\"replaced\"").as_bytes());
    world.git(&["replace", note.trim(), &other]).ok();
    assert!(list().contains("replaced"));
    world.git(&["replace", "-d", note.trim()]).ok();
    assert_eq!(list(), before);
}
