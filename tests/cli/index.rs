//! What was parsed before is brought up to date: with it and without it, a command prints the same.

use git_sq_test_support::{World, event_line};
use serde_json::json;

/// A session that answered q1 and q2, at the commit before HEAD; the index knows it.
fn world() -> World {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s1 --same q1=x --same q2=y");
    world.commit("more");
    world.sq_ok("check");
    world
}

/// What a command prints with the index, which is the same without.
fn printed(world: &World, line: &str) -> String {
    let kept = world.try_sq(line).transcript();
    assert_eq!(kept, world.try_sq(&format!("{line} --no-cache")).transcript());
    kept
}

#[test]
fn a_note_that_stood_twice_is_kept_when_one_of_the_two_goes() {
    let world = world();
    let anchor = world.git_ok("rev-parse HEAD~1").trim().to_owned();
    let blob = world.git_ok(&format!("notes --ref=sq list {anchor}"));
    let blob = blob.trim();
    let folder = world.tree(&[format!("100644 blob {blob}\t{}", &anchor[2..])]);
    world.plant_tree(&[
        format!("040000 tree {folder}\t{}", &anchor[..2]),
        format!("100644 blob {blob}\t{anchor}"),
    ]);
    assert!(printed(&world, "check").contains("1 session on"));
    // Git makes one note of the two.
    world.git_ok("notes --ref=sq add -m x");
    assert!(printed(&world, "check").contains("1 session on"));
}

#[test]
fn the_log_goes_on_behind_its_newest_entries() {
    let world = world();
    let body = json!({"results": [{"q_id": "q1", "delta": false}]});
    let lines = (0..150).map(|n| event_line(&world.head(), "rederive", &format!("{n:026}"), &body));
    world.plant_lines(&lines.collect::<Vec<_>>());
    world.sq_ok("record --sid s2 --same q1");
    assert_eq!(printed(&world, "log").matches("Session:").count(), 151);
    assert_eq!(printed(&world, "log -n 120").matches("Session:").count(), 120);
    assert!(printed(&world, "log -n 1 --session s2").contains("Session: s2"));
}

#[test]
fn what_changes_the_figures_is_not_taken_for_what_was_kept() {
    let world = world();
    for sid in ["s2", "s3"] {
        world.sq_ok(&format!("record --sid {sid} --same q1=x"));
        world.commit("more");
    }
    assert!(printed(&world, "check").contains("\nclean: "));
    assert!(printed(&world, "check --staleness 1").contains("limit 1"));
    assert!(printed(&world, "check --max-consecutive 0").contains("limit 0"));
    assert!(printed(&world, "check --tip HEAD~2").contains("2 sessions"));
    assert!(printed(&world, "check").contains("\nclean: "));
    world.git_ok("remote add origin nowhere");
    world.git_ok("config remote.origin.sq true");
    assert!(printed(&world, "check").contains("never fetched"));
}

#[test]
fn a_log_whose_older_entries_can_t_be_read_is_an_error() {
    let world = world();
    let body = json!({"results": [{"q_id": "q1", "delta": false}]});
    let (head, before) = (world.head(), world.git_ok("rev-parse HEAD~1"));
    let lines = (0..150).map(|n| event_line(&head, "rederive", &format!("{n:026}"), &body));
    world.plant_lines(&lines.collect::<Vec<_>>());
    let blob = world.git_ok("notes --ref=sq list HEAD");
    let (blob, before) = (blob.trim(), before.trim());
    let folder = world.tree(&[format!("100644 blob {blob}\t{}", &before[2..])]);
    world.plant_tree(&[
        format!("040000 tree {folder}\t{}", &before[..2]),
        format!("100644 blob {blob}\t{head}"),
    ]);
    world.sq_ok("log -n 1");
    std::fs::remove_file(world.dir.join(".git/sq/cache/index")).unwrap();
    world.lose(&folder);
    assert_eq!(world.try_sq("log -n 1").code, 0);
    for line in ["log", "log --format json"] {
        world.try_sq(line).exits(128);
    }
}
