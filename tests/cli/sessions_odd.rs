//! Sessions where things go wrong: crowds, clocks, broken files, odd repositories.

use std::fs;

use git_sq_test_support::World;
use serde_json::json;

use crate::sessions::{HOUR, current, entries, files, world};

#[test]
fn beats_of_many_processes_are_all_counted() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    std::thread::scope(|scope| {
        let at_once = (0..8).map(|process| {
            let commands: Vec<_> = (0..20)
                .map(|beat| {
                    let share = format!("0.{}", 10 + process * 10 + beat % 10);
                    world.sq_command(&["session", "beat", "--context", &share])
                })
                .collect();
            scope.spawn(move || {
                for mut command in commands {
                    assert!(command.output().unwrap().status.success());
                }
            })
        });
        let at_once: Vec<_> = at_once.collect();
        for thread in at_once {
            thread.join().unwrap();
        }
    });
    let now = current(&world);
    assert_eq!(
        (&now["beats"], &now["peak_context"]),
        (&json!(160), &json!(0.89))
    );
}

#[test]
fn a_clock_that_jumps_back_makes_nothing_up() {
    let world = world();
    world.pass(5 * HOUR);
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    world.pass(-4 * HOUR);
    // The last one started is the current one, whatever the clock says.
    world.sq(&["session", "start", "--sid", "s2"]).ok();
    assert_eq!(world.sq(&["session", "current"]).ok(), "s2\n");
    // Nobody knows how long the other one has been silent, and it may go on all the same.
    let ends = entries(&world, "session");
    assert_eq!(
        (&ends[0]["sid"], &ends[0]["how"]),
        (&json!("s1"), &json!("sweep"))
    );
    assert_eq!(ends[0].get("seconds"), None);
    world.sq(&["session", "beat", "--sid", "s1"]).ok();
    world.sq(&["session", "end", "--sid", "s1"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
    // Less than the grace time ahead is no reason to sweep, and still no length of time.
    world.pass(HOUR);
    world.sq(&["session", "start", "--sid", "s3"]).ok();
    world.pass(-HOUR);
    let said = world.sq(&["session", "end", "--sid", "s3"]).ok();
    assert!(
        said.starts_with("Ended s3: an unknown time on main"),
        "{said}"
    );
    world.sq(&["session", "end"]).ok();
}

#[test]
fn a_line_that_a_crash_cut_off_costs_nothing_but_itself() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let file = files(&world.dir.join(".git/sq/sessions")).remove(0);
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, whole + "\n{\"beat\":\"2026-01-0").unwrap();
    world.sq(&["session", "beat"]).ok();
    assert_eq!(current(&world)["beats"], 1);
}

#[test]
fn sessions_work_wherever_git_does() {
    // Before the first commit there is nothing to write on.
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    world.sq(&["session", "start", "--sid", "s0"]).ok();
    assert_eq!(
        world.sq(&["session", "end"]).ok(),
        "Ended; nothing was written, because HEAD has no commit yet.\n"
    );
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    world.write("src/a", "a\n");
    world.commit("One");
    world.commit("Two");
    let deep = world.dir.join("src");
    assert_eq!(world.sq_in(&deep, &["session", "current"]).ok(), "s1\n");
    world.git(&["checkout", "--quiet", "--detach"]).ok();
    world.sq_in(&deep, &["session", "end"]).ok();
    let end = &entries(&world, "session")[0];
    assert_eq!((&end["commits"], end.get("branch")), (&json!(2), None));

    let bare = world.root().join("bare.git");
    world
        .git(&["clone", "--quiet", "--bare", ".", "../bare.git"])
        .ok();
    world.git_in(&bare, &["remote", "remove", "origin"]).ok();
    world
        .sq_in(&bare, &["session", "start", "--sid", "b1"])
        .ok();
    world
        .sq_in(
            &bare,
            &[
                "state",
                "set",
                "--handover",
                "from a bare one",
                "--done",
                "see src/a:1",
            ],
        )
        .ok();
    world.sq_in(&bare, &["session", "end"]).ok();
    let shown = world
        .sq_in(&bare, &["state", "show", "--format", "json"])
        .json();
    assert_eq!(shown["rows"][0]["source"], "merged");
    assert_eq!(shown["rows"][0]["cites"][0]["fate"], "holds");
}

#[test]
fn rewritten_history_is_counted_as_it_is() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    world.commit("Two");
    world
        .git(&[
            "commit",
            "--quiet",
            "--amend",
            "--allow-empty",
            "-m",
            "Two again",
        ])
        .ok();
    world.sq(&["session", "end"]).ok();
    assert_eq!(entries(&world, "session")[0]["commits"], 1);
}

#[test]
fn a_worktree_that_was_deleted_does_not_stop_a_sweep() {
    let world = world();
    for name in ["one", "two"] {
        let path = format!("../{name}");
        world
            .git(&["worktree", "add", "--quiet", "-b", name, &path])
            .ok();
        let dir = world.root().join(name);
        world.sq_in(&dir, &["session", "start", "--sid", name]).ok();
    }
    fs::remove_dir_all(world.root().join("one")).unwrap();
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]);
    let ends = entries(&world, "session");
    assert!(ends.iter().any(|end| end["sid"] == "two"), "{ends:?}");
}

#[test]
fn a_removed_worktree_leaves_its_sessions_to_a_sweep() {
    let world = world();
    for (name, keeps_branch) in [("kept", true), ("dropped", false)] {
        let path = format!("../{name}");
        world
            .git(&["worktree", "add", "--quiet", "-b", name, &path])
            .ok();
        let dir = world.root().join(name);
        world.sq_in(&dir, &["session", "start", "--sid", name]).ok();
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "Last words"];
        world.git_in(&dir, &commit).ok();
        world.git(&["worktree", "remove", &path]).ok();
        if !keeps_branch {
            world.git(&["branch", "--quiet", "-D", name]).ok();
        }
    }
    // Nobody takes them for the main worktree's.
    assert_eq!(world.sq(&["session", "current"]).code, 1);
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    let end = |sid: &str| ends.iter().find(|end| end["sid"] == sid).unwrap();
    assert_eq!(end("kept")["commits"], 1);
    assert_eq!(end("kept")["last_subject"], "Last words");
    assert_eq!(end("dropped").get("commits"), None);
    assert_eq!(end("dropped")["repo_head_sha"], world.head());
    assert_eq!(
        world.sq(&["session", "sweep", "--all"]).ok(),
        "Nothing to sweep up.\n"
    );
}

#[test]
fn a_session_that_ended_without_being_forgotten_ends_once() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let file = files(&world.dir.join(".git/sq/sessions")).remove(0);
    let text = fs::read(&file).unwrap();
    world.sq(&["session", "end"]).ok();
    fs::write(&file, text).unwrap();
    world.pass(3 * HOUR);
    assert_eq!(
        world.sq(&["session", "sweep"]).ok(),
        "Nothing to sweep up.\n"
    );
    assert_eq!(entries(&world, "session").len(), 1);
    assert!(!file.exists());
}

#[test]
fn undo_forgets_sessions_in_every_worktree() {
    let world = world();
    world.sq(&["init"]).ok();
    let side = world.beside();
    world.sq(&["session", "start"]).ok();
    world.sq_in(&side, &["session", "start"]).ok();
    world.sq_in(&side, &["init", "--undo"]).ok();
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn an_end_that_is_a_moment_before_its_start_took_no_time() {
    for (back, seconds) in [(30, Some(0)), (59, Some(0)), (60, None)] {
        let world = world();
        world.sq(&["session", "start", "--sid", "s1"]).ok();
        world.pass(-60 - back);
        world.sq(&["session", "end"]).ok();
        let end = &entries(&world, "session")[0];
        let found = end.get("seconds").and_then(serde_json::Value::as_i64);
        assert_eq!(found, seconds, "{back}");
    }
}
