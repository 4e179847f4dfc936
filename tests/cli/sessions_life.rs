//! How long a session lived that nobody ended, and whose HEAD a sweep takes for it.

use std::fs;

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::sessions::{HOUR, entries, files, world};

const DAY: i64 = 24 * HOUR;

/// The only end that the log has.
fn end(world: &World) -> Value {
    let mut ends = entries(world, "session");
    assert_eq!(ends.len(), 1, "{ends:?}");
    ends.remove(0)
}

fn start(world: &World, sid: &str) {
    world.sq(&["session", "start", "--sid", sid]).ok();
}

fn nothing_to_sweep(world: &World) {
    let said = world.sq(&["session", "sweep"]).ok();
    assert_eq!(said, "Nothing to sweep up.\n");
}

/// Adds a linked worktree on a branch of its own.
fn add_worktree(world: &World, name: &str, branch: &str) -> std::path::PathBuf {
    let path = format!("../{name}");
    world
        .git(&["worktree", "add", "--quiet", "-b", branch, &path])
        .ok();
    world.root().join(name)
}

#[test]
fn what_was_committed_days_later_is_not_its_own() {
    for sweep in [&["session", "sweep"][..], &["session", "sweep", "--all"]] {
        let world = world();
        start(&world, "s1");
        world.sq(&["session", "beat"]).ok();
        let mine = world.commit("Mine");
        world.pass(2 * DAY);
        world.commit("A person's");
        world.pass(3 * HOUR);
        let said = world.sq(sweep).ok();
        assert_eq!(
            said, "Swept up s1: 3 minutes on main, 1 commit, 1 beat.\n",
            "{sweep:?}"
        );
        let end = end(&world);
        assert_eq!(end["last_subject"], "Mine");
        assert_eq!(end["repo_head_sha"], mine);
        assert!(!world.note(&mine).is_empty(), "{end}");
    }
}

#[test]
fn commits_one_after_another_are_life() {
    let world = world();
    start(&world, "s1");
    for number in 0..4 {
        world.pass(HOUR);
        world.commit(&format!("Step {number}"));
    }
    // Three hours without a beat, but the last commit is not an hour old.
    world.pass(HOUR / 2);
    nothing_to_sweep(&world);
    world.pass(3 * HOUR);
    world.commit("Somebody else's");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!(end["commits"], 4);
    assert_eq!(end["last_subject"], "Step 3");
    assert_eq!(end["seconds"], 4 * HOUR + 11 * 60);
}

#[test]
fn a_commit_after_a_long_silence_keeps_it_and_is_not_counted() {
    let world = world();
    let before = world.head();
    start(&world, "s1");
    world.pass(3 * HOUR);
    world.commit("Late");
    world.pass(20 * 60);
    nothing_to_sweep(&world);
    world.pass(2 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!((&end["commits"], &end["seconds"]), (&json!(0), &json!(0)));
    assert_eq!(end.get("last_subject"), None);
    assert_eq!(end["repo_head_sha"], before, "where it began");
}

#[test]
fn a_beat_after_a_long_pause_is_life_and_so_is_what_was_before() {
    let world = world();
    start(&world, "s1");
    world.pass(5 * HOUR);
    world.commit("In between");
    world.sq(&["session", "beat"]).ok();
    world.commit("Right after");
    world.pass(DAY);
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!(end["commits"], 2);
    assert_eq!(end["last_subject"], "Right after");
    assert_eq!(end["seconds"], 5 * HOUR + 6 * 60);
}

#[test]
fn commits_that_were_pulled_are_neither_counted_nor_life() {
    let world = world();
    world.git(&["checkout", "--quiet", "-b", "theirs"]).ok();
    world.commit("Theirs");
    world.git(&["checkout", "--quiet", "main"]).ok();
    world.pass(DAY);
    start(&world, "s1");
    world.git(&["merge", "--quiet", "--ff-only", "theirs"]).ok();
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!((&end["commits"], &end["seconds"]), (&json!(0), &json!(0)));
}

#[test]
fn a_start_in_the_future_is_swept() {
    let world = world();
    world.pass(30 * DAY);
    start(&world, "ahead");
    world.pass(-30 * DAY);
    let said = world.sq(&["session", "sweep"]).ok();
    assert_eq!(
        said,
        "Swept up ahead: an unknown time on main, 0 commits, 0 beats.\n"
    );
    assert_eq!(end(&world).get("seconds"), None);
}

#[test]
fn signs_that_can_be_keep_one_that_began_in_the_future() {
    let world = world();
    world.pass(30 * DAY);
    start(&world, "ahead");
    world.pass(-30 * DAY);
    world.sq(&["session", "beat"]).ok();
    world.pass(HOUR);
    nothing_to_sweep(&world);
    world.commit("Mine");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!((end.get("seconds"), &end["commits"]), (None, &json!(1)));
}

#[test]
fn a_worktree_made_again_does_not_inherit() {
    let world = world();
    let side = add_worktree(&world, "side", "one");
    world
        .sq_in(&side, &["session", "start", "--sid", "first"])
        .ok();
    let last = ["commit", "--quiet", "--allow-empty", "-m", "Last words"];
    world.git_in(&side, &last).ok();
    world
        .git(&["worktree", "remove", "--force", "../side"])
        .ok();
    add_worktree(&world, "side", "two");
    // Reading makes nothing.
    let own = world.dir.join(".git/worktrees/side/sq");
    for args in [&["session", "current"][..], &["state", "show"], &["doctor"]] {
        world.sq_in(&side, args);
        assert!(!own.exists(), "{args:?}");
    }
    assert_eq!(world.sq_in(&side, &["session", "current"]).code, 1);
    world.sq_in(&side, &["state", "set", "--next", "mine"]).ok();
    assert_ne!(entries(&world, "state")[0]["sid"], "first");
    world
        .sq_in(&side, &["session", "start", "--sid", "second"])
        .ok();
    world.pass(3 * HOUR);
    world
        .sq_in(&side, &["session", "beat", "--sid", "second"])
        .ok();
    world.sq(&["session", "sweep"]).ok();
    let end = end(&world);
    assert_eq!(end["sid"], "first");
    assert_eq!(end["branch"], "one");
    assert_eq!(end["last_subject"], "Last words");
    // Nothing is left of the first one.
    let folders: Vec<_> = fs::read_dir(world.dir.join(".git/sq/sessions/worktrees"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    assert_eq!(files(&folders[0]).len(), 1);
}

#[test]
fn undo_takes_a_worktree_s_id_out_too() {
    let world = world();
    let side = add_worktree(&world, "side", "side");
    world.sq_in(&side, &["session", "start"]).ok();
    assert!(world.dir.join(".git/worktrees/side/sq").exists());
    world.sq(&["init", "--undo"]).ok();
    assert!(!world.dir.join(".git/worktrees/side/sq").exists());
    assert_eq!(world.sq_in(&side, &["session", "current"]).code, 1);
}

#[test]
fn one_that_became_current_again_is_swept_with_head() {
    let world = world();
    start(&world, "a");
    world.commit("Before");
    start(&world, "b");
    world.commit("The other's");
    world.sq(&["session", "end"]).ok();
    assert_eq!(world.sq(&["session", "current"]).ok(), "a\n");
    let mine = world.commit("After");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    let end = ends.iter().find(|end| end["sid"] == "a").unwrap();
    assert_eq!(end["last_subject"], "After");
    assert_eq!(end["commits"], 3);
    assert_eq!(end["repo_head_sha"], mine);
    assert_eq!(end["seconds"], 11 * 60);
}

#[test]
fn in_a_shallow_clone_commits_are_life_and_are_not_counted() {
    let world = world();
    world.commit("Two");
    let url = format!("file://{}", world.dir.display());
    world
        .git(&["clone", "--quiet", "--depth=1", &url, "../shallow"])
        .ok();
    let shallow = world.root().join("shallow");
    let world = world.at(shallow);
    start(&world, "s1");
    world.pass(3 * HOUR);
    world.commit("Mine");
    world.pass(20 * 60);
    nothing_to_sweep(&world);
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    assert_eq!(end(&world).get("commits"), None);
}

#[test]
fn what_left_before_the_first_commit_committed_nothing() {
    let world = World::new();
    start(&world, "a");
    start(&world, "b");
    let first = world.commit("The other's");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    let of = |sid: &str| ends.iter().find(|end| end["sid"] == sid).unwrap();
    assert_eq!(
        (&of("a")["commits"], &of("b")["commits"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(of("a")["repo_head_sha"], first);
    assert_eq!(of("b")["last_subject"], "The other's");
}

#[test]
fn a_sweep_of_the_current_one_gives_head_back_to_the_one_before() {
    let world = world();
    start(&world, "a");
    start(&world, "b");
    world.commit("The other's");
    world.pass(3 * HOUR);
    world.sq(&["session", "beat", "--sid", "a"]).ok();
    let said = world.sq(&["session", "sweep"]).ok();
    assert!(said.starts_with("Swept up b:"), "{said}");
    world.commit("After");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    let end = ends.iter().find(|end| end["sid"] == "a").unwrap();
    assert_eq!(end["last_subject"], "After");
}

#[test]
fn the_end_of_one_stretch_is_no_life_of_another() {
    let world = world();
    let side = add_worktree(&world, "side", "side");
    start(&world, "s1");
    world.pass(HOUR);
    world
        .sq_in(&side, &["session", "start", "--sid", "s1"])
        .ok();
    for swept in 1..=2 {
        world.pass(HOUR + HOUR / 4);
        world.sq(&["session", "sweep"]).ok();
        assert_eq!(entries(&world, "session").len(), swept);
    }
    assert_eq!(entries(&world, "session")[1]["seconds"], 0);
}
