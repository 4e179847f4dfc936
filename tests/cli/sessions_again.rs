//! Sessions that go on after they ended: stretches, and what beats and ends find.

use std::fs;

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

use crate::sessions::{HOUR, current, entries, files, world};

fn start(world: &World, sid: &str) {
    world.sq(&["session", "start", "--sid", sid]).ok();
}

/// What the only row says of how its session ended.
fn figures(world: &World) -> Value {
    let shown = world.sq(&["state", "show", "--format", "json"]).json();
    let rows = shown["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{shown}");
    rows[0]["session"].clone()
}

#[test]
fn a_session_that_was_resumed_is_the_sum_of_its_stretches() {
    let world = world();
    start(&world, "s1");
    let began = current(&world)["started"].clone();
    world.sq(&["state", "set", "--next", "go on"]).ok();
    world.sq(&["session", "beat", "--context", "0.9"]).ok();
    world.commit("One");
    world.sq(&["session", "end"]).ok();
    world.pass(HOUR);
    start(&world, "s1");
    world.git(&["checkout", "--quiet", "-b", "topic"]).ok();
    world.commit("Two");
    world.commit("Three");
    world.sq(&["session", "beat", "--context", "0.1"]).ok();
    world.sq(&["session", "beat"]).ok();
    world.sq(&["session", "end"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
    let row = figures(&world);
    for (key, value) in [
        ("started", began),
        ("commits", json!(3)),
        ("beats", json!(3)),
        ("peak_context", json!(0.9)),
        ("branch", json!("topic")),
        ("how", json!("end")),
    ] {
        assert_eq!(row[key], value, "{key}: {row}");
    }
    let each: i64 = entries(&world, "session")
        .iter()
        .map(|end| end["seconds"].as_i64().unwrap())
        .sum();
    assert_eq!(row["seconds"], each, "the hour between does not count");
}

#[test]
fn an_end_that_was_written_twice_counts_once() {
    let world = world();
    start(&world, "s1");
    world.sq(&["state", "set", "--next", "go on"]).ok();
    world.commit("One");
    let file = files(&world.dir.join(".git/sq/sessions")).remove(0);
    let text = fs::read(&file).unwrap();
    world.sq(&["session", "end"]).ok();
    // The program was killed between writing the entry and removing the file.
    fs::write(&file, text).unwrap();
    world.sq(&["session", "end"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
    assert_eq!(figures(&world)["commits"], 1);
}

#[test]
fn a_session_in_two_worktrees_lived_once() {
    let world = world();
    let side = world.beside();
    start(&world, "s1");
    world.sq(&["state", "set", "--next", "go on"]).ok();
    world
        .sq_in(&side, &["session", "start", "--sid", "s1"])
        .ok();
    world.pass(HOUR);
    world.sq_in(&side, &["session", "end"]).ok();
    world.sq(&["session", "end"]).ok();
    let row = figures(&world);
    assert_eq!(row["seconds"], HOUR + 4 * 60);
}

#[test]
fn a_beat_brings_back_what_was_swept_alive() {
    let world = world();
    start(&world, "s1");
    world.sq(&["state", "set", "--next", "go on"]).ok();
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let run = |args: &[&str]| -> Ran {
        let mut command = world.sq_command(args);
        command.env("SQ_SESSION", "s1").output().unwrap().into()
    };
    // Without a name nobody knows which one is meant.
    assert_eq!(world.sq(&["session", "beat"]).code, 128);
    let said = run(&["session", "beat", "--context", "0.5"]);
    assert_eq!(said.transcript(), "--- exit 0\n");
    let now = current(&world);
    assert_eq!(
        (&now["sid"], &now["beats"], &now["peak_context"]),
        (&json!("s1"), &json!(1), &json!(0.5))
    );
    run(&["session", "end"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
    assert_eq!(figures(&world)["how"], "end");
}

#[test]
fn an_end_of_what_was_swept_says_so() {
    let world = world();
    start(&world, "s1");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let said = world.sq(&["session", "end", "--sid", "s1"]);
    assert_eq!(
        said.transcript(),
        "s1 had ended already; nothing was added.\n--- exit 0\n"
    );
    assert_eq!(entries(&world, "session").len(), 1);
    // What only wrote something has no end, and what nobody knows has nothing.
    world
        .sq(&["state", "set", "--sid", "s2", "--next", "x"])
        .ok();
    for sid in ["s2", "s3"] {
        let ran = world.sq(&["session", "end", "--sid", sid]);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
    }
    assert_eq!(world.sq(&["session", "beat", "--sid", "s3"]).code, 128);
    // Another clone's session of that name is another one.
    world.git(&["clone", "--quiet", ".", "../clone"]).ok();
    let clone = world.root().join("clone");
    world
        .git_in(
            &clone,
            &["fetch", "--quiet", "origin", "refs/notes/sq:refs/notes/sq"],
        )
        .ok();
    for act in ["beat", "end"] {
        let ran = world.sq_in(&clone, &["session", act, "--sid", "s1"]);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
    }
    assert!(!clone.join(".git/sq/sessions").exists());
}

/// A session that wrote a state, before another one.
fn old_and_newer() -> World {
    let world = world();
    start(&world, "old");
    world
        .sq(&["state", "set", "--sid", "old", "--next", "old's"])
        .ok();
    world
}

#[test]
fn a_late_beat_of_an_ended_session_counts_nothing() {
    let world = old_and_newer();
    world.sq(&["session", "end"]).ok();
    start(&world, "newer");
    let late = world.sq(&["session", "beat", "--sid", "old", "--context", "0.9"]);
    assert_eq!(
        late.transcript(),
        "--- stderr\nold had ended already; nothing was counted.\n--- exit 0\n"
    );
    assert_eq!(current(&world)["sid"], "newer");
    assert_eq!(files(&world.dir.join(".git/sq/sessions")).len(), 1);
    world.commit("Newer's");
    world.sq(&["state", "set", "--next", "newer's"]).ok();
    assert_eq!(entries(&world, "state")[1]["sid"], "newer");
    world.sq(&["session", "end"]).ok();
    let ends = entries(&world, "session");
    assert_eq!(
        (ends.len(), &ends[1]["sid"], &ends[1]["commits"]),
        (2, &json!("newer"), &json!(1))
    );
    // With a start it goes on.
    start(&world, "old");
    world.sq(&["session", "beat", "--sid", "old"]).ok();
    assert_eq!(current(&world)["beats"], 1);
}

#[test]
fn a_beat_of_what_was_swept_takes_nobody_s_place() {
    let world = old_and_newer();
    world.pass(3 * HOUR);
    start(&world, "newer");
    assert_eq!(entries(&world, "session")[0]["how"], "sweep");
    let back = world.sq(&["session", "beat", "--sid", "old"]);
    assert_eq!(back.transcript(), "--- exit 0\n");
    world.sq(&["session", "beat", "--sid", "old"]).ok();
    assert_eq!(current(&world)["sid"], "newer");
    world.sq(&["state", "set", "--next", "newer's"]).ok();
    assert_eq!(entries(&world, "state")[1]["sid"], "newer");
    let mine = world.commit("Newer's");
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    let of = |sid: &str| ends.iter().rfind(|end| end["sid"] == sid).unwrap();
    assert_eq!(
        (&of("old")["commits"], &of("old")["beats"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(
        (&of("newer")["commits"], &of("newer")["repo_head_sha"]),
        (&json!(1), &json!(mine))
    );
    // Alone in the worktree, it is the current one.
    world.sq(&["session", "beat", "--sid", "old"]).ok();
    assert_eq!(current(&world)["sid"], "old");
}

#[test]
fn an_end_after_a_sweep_is_the_last_one() {
    let world = old_and_newer();
    world.pass(3 * HOUR);
    world.sq(&["session", "sweep"]).ok();
    world.sq(&["session", "beat", "--sid", "old"]).ok();
    world.sq(&["session", "end", "--sid", "old"]).ok();
    let late = world.sq(&["session", "beat", "--sid", "old"]);
    assert_eq!(late.stderr, "old had ended already; nothing was counted.\n");
    assert_eq!(world.sq(&["session", "current"]).code, 1);
}

#[test]
fn a_beat_in_a_worktree_where_it_was_never_started_is_refused() {
    let world = old_and_newer();
    let side = world.beside();
    let ran = world.sq_in(&side, &["session", "beat", "--sid", "old"]);
    assert_eq!(
        ran.transcript(),
        "--- stderr\nfatal: the session old was not started in this worktree, or has ended\nhint: `git sq session start` starts one\n--- exit 128\n"
    );
    assert!(!world.dir.join(".git/sq/sessions/worktrees").exists());
}
