//! `git sq session`: one current session per worktree, and what becomes of those that end or fall silent.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

/// A repository with one commit, and no question store: sessions need none.
pub fn world() -> World {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.commit("Begin");
    world
}

pub const HOUR: i64 = 3600;

/// The entries of a kind, oldest first.
pub fn entries(world: &World, kind: &str) -> Vec<Value> {
    let lines = world.lines().into_iter();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    lines.filter(|line| line["kind"] == kind).collect()
}

pub fn current(world: &World) -> Value {
    world.sq(&["session", "current", "--format", "json"]).json()
}

/// The files of sessions that have not ended, in a folder of ours.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let found = found.map(|entry| entry.unwrap().path());
    found
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect()
}

#[test]
fn a_session_from_start_to_end() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_MODEL", "m1");
    let none = world.sq(&["session", "current"]);
    assert_eq!(none.transcript(), "--- exit 1\n");
    let head = world.head();
    let said = world.sq(&["session", "start", "--sid", "s1"]).ok();
    assert_eq!(
        said,
        format!("Session s1 began on main at {}.\n", &head[..10])
    );
    assert_eq!(world.sq(&["session", "current"]).ok(), "s1\n");
    for share in ["0.2", "0.62", "0.4"] {
        world.sq(&["session", "beat", "--context", share]).ok();
    }
    world.sq(&["session", "beat"]).ok();
    let now = current(&world);
    assert_eq!(
        (&now["beats"], &now["peak_context"], &now["agent"]),
        (&json!(4), &json!(0.62), &json!("ada"))
    );
    world.commit("Two");
    world.commit("Three");
    let said = world.sq(&["session", "end"]).ok();
    assert_eq!(
        said,
        "Ended s1: 13 minutes on main, 2 commits, 4 beats, context at most 62 %.\n"
    );
    let ends = entries(&world, "session");
    assert_eq!(ends.len(), 1);
    let end = &ends[0];
    for (key, value) in [
        ("sid", json!("s1")),
        ("event", json!("end")),
        ("how", json!("end")),
        ("branch", json!("main")),
        ("commits", json!(2)),
        ("beats", json!(4)),
        ("peak_context", json!(0.62)),
        ("seconds", json!(780)),
        ("agent", json!({"name": "ada", "model": "m1"})),
        ("repo_head_sha", json!(world.head())),
    ] {
        assert_eq!(end[key], value, "{key}: {end}");
    }
    assert_eq!(world.sq(&["session", "current"]).code, 1);
    assert_eq!(world.sq(&["session", "end"]).code, 128);
    assert_eq!(world.sq(&["session", "beat"]).code, 128);
    // A row that nobody wrote is no state.
    let shown = world.sq(&["state", "show", "--format", "json"]).json();
    assert_eq!(shown["rows"], json!([]));
}

#[test]
fn starting_again_goes_on() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let before = current(&world);
    world.sq(&["session", "beat", "--context", "0.5"]).ok();
    let said = world.sq(&["session", "start", "--sid", "s1"]).ok();
    assert_eq!(said, "Session s1 goes on; it was started 3 minutes ago.\n");
    let after = current(&world);
    assert_eq!(after["started"], before["started"]);
    assert_eq!(after["beats"], 1);
    assert_eq!(world.lines().len(), 0);
}

#[test]
fn entries_belong_to_the_current_session() {
    let world = World::new();
    world.ask(&["q1"]);
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let record = |args: &[&str]| {
        world
            .sq(&[&["record", "--same", "q1=x"], args].concat())
            .ok()
    };
    record(&[]);
    record(&["--sid", "s2"]);
    let mut command = world.sq_command(&["record", "--same", "q1=x"]);
    let ran: Ran = command.env("SQ_SESSION", "s3").output().unwrap().into();
    ran.ok();
    world.sq(&["state", "set", "--status", "x"]).ok();
    world.sq(&["session", "end"]).ok();
    record(&[]);
    let entries = entries(&world, "rederive");
    let sids: Vec<&str> = entries
        .iter()
        .map(|entry| entry["sid"].as_str().unwrap())
        .collect();
    assert_eq!(sids[..3], ["s1", "s2", "s3"]);
    assert!(sids[3].starts_with("2026"), "{sids:?}");
    let state = &self::entries(&world, "state")[0];
    assert_eq!(
        (&state["sid"], &state["writer"]),
        (&json!("s1"), &entries[0]["writer"])
    );
    // The end is the same session's.
    assert_eq!(
        self::entries(&world, "session")[0]["writer"],
        state["writer"]
    );
}

#[test]
fn a_crash_does_not_block_the_next_session_and_is_swept_up_later() {
    let world = world();
    world.sq(&["session", "start", "--sid", "crashed"]).ok();
    world.sq(&["session", "beat", "--context", "0.3"]).ok();
    let mine = world.commit("The crashed one's work\n\nwith a body");
    // Within the grace time.
    world.sq(&["session", "start", "--sid", "next"]).ok();
    assert_eq!(world.sq(&["session", "current"]).ok(), "next\n");
    assert_eq!(entries(&world, "session").len(), 0);
    world.commit("The next one's work");
    world.pass(3 * HOUR);
    world.sq(&["session", "beat"]).ok();
    let said = world.sq(&["session", "sweep"]).ok();
    assert_eq!(
        said,
        "Swept up crashed: 3 minutes on main, 1 commit, 1 beat, context at most 30 %.\n"
    );
    let end = &entries(&world, "session")[0];
    // Nothing of the next one's is taken for its own.
    assert_eq!(end["repo_head_sha"], mine);
    assert_eq!(end["commits"], 1);
    assert_eq!(end["last_subject"], "The crashed one's work");
    assert_eq!(end["how"], "sweep");
    assert_eq!(
        world.sq(&["session", "sweep"]).ok(),
        "Nothing to sweep up.\n"
    );
    // The one that beats is alive.
    assert_eq!(world.sq(&["session", "current"]).ok(), "next\n");
    let shown = world.sq(&["state", "show"]).ok();
    assert!(shown.starts_with("No state was written so far."), "{shown}");
}

#[test]
fn the_next_start_sweeps_and_entries_are_signs_of_life() {
    let world = World::new();
    world.ask(&["q1"]);
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    world.pass(HOUR + HOUR / 2);
    world.record("s1").ok();
    world.pass(HOUR);
    world.sq(&["session", "start", "--sid", "s2"]).ok();
    assert_eq!(
        entries(&world, "session").len(),
        0,
        "its entry was within the grace time"
    );
    world.pass(2 * HOUR);
    let said = world.sq(&["session", "start", "--sid", "s3"]).ok();
    assert_eq!(said.matches("Swept up").count(), 2, "{said}");
    let ends = entries(&world, "session");
    let mut sids: Vec<&Value> = ends.iter().map(|end| &end["sid"]).collect();
    sids.sort_by_key(ToString::to_string);
    assert_eq!(sids, ["s1", "s2"]);
    let first = ends.iter().find(|end| end["sid"] == "s1").unwrap();
    assert_eq!(
        first["seconds"],
        HOUR + HOUR / 2 + 60,
        "until its last entry"
    );
    // The same name again, long after, goes on and is not swept.
    world.pass(9 * HOUR);
    let said = world.sq(&["session", "start", "--sid", "s3"]).ok();
    assert!(said.starts_with("Session s3 goes on"), "{said}");
}

#[test]
fn the_grace_time_is_a_setting() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    world.git(&["config", "sq.grace", "10m"]).ok();
    world.pass(9 * 60);
    world.sq(&["session", "sweep", "--all"]).ok();
    assert_eq!(entries(&world, "session").len(), 1, "all means all");
    world.sq(&["session", "start", "--sid", "s2"]).ok();
    world.pass(8 * 60);
    assert_eq!(
        world.sq(&["session", "sweep"]).ok(),
        "Nothing to sweep up.\n"
    );
    world.pass(2 * 60);
    world.sq(&["session", "sweep"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
}

#[test]
fn two_worktrees_have_a_session_each() {
    let world = world();
    let side = world.beside();
    world.sq(&["session", "start", "--sid", "main-one"]).ok();
    world
        .sq_in(&side, &["session", "start", "--sid", "side-one"])
        .ok();
    assert_eq!(world.sq(&["session", "current"]).ok(), "main-one\n");
    assert_eq!(
        world.sq_in(&side, &["session", "current"]).ok(),
        "side-one\n"
    );
    // What is written in a worktree is its own session's.
    world
        .sq_in(&side, &["state", "set", "--next", "on the side"])
        .ok();
    assert_eq!(entries(&world, "state")[0]["sid"], "side-one");
    assert_eq!(files(&world.dir.join(".git/sq/sessions")).len(), 1);
    let linked = fs::read_dir(world.dir.join(".git/sq/sessions/worktrees")).unwrap();
    let linked: Vec<PathBuf> = linked.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(linked.len(), 1, "{linked:?}");
    assert!(linked[0].to_string_lossy().contains("side."), "{linked:?}");
    assert_eq!(files(&linked[0]).len(), 1);
    fs::write(side.join("b"), "b").unwrap();
    world.git_in(&side, &["add", "b"]).ok();
    world
        .git_in(&side, &["commit", "--quiet", "-m", "On the side"])
        .ok();
    world.sq(&["session", "beat"]).ok();
    world.pass(3 * HOUR);
    world.sq(&["session", "beat"]).ok();
    // A sweep from one worktree finds the other's, with the other's HEAD.
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    assert_eq!(ends.len(), 1);
    assert_eq!(
        (&ends[0]["sid"], &ends[0]["branch"]),
        (&json!("side-one"), &json!("side"))
    );
    assert_eq!(
        (&ends[0]["commits"], &ends[0]["last_subject"]),
        (&json!(1), &json!("On the side"))
    );
    world.pass(3 * HOUR);
    world.sq_in(&side, &["session", "sweep"]).ok();
    assert_eq!(entries(&world, "session").len(), 2);
    assert_eq!(files(&world.dir.join(".git/sq/sessions")).len(), 0);
}

#[test]
fn two_agents_in_one_worktree_go_by_their_names() {
    let world = world();
    let run = |sid: &str, args: &[&str]| -> Ran {
        let mut command = world.sq_command(args);
        command
            .env("SQ_SESSION", sid)
            .env("SQ_AGENT", sid)
            .output()
            .unwrap()
            .into()
    };
    run("ada", &["session", "start"]).ok();
    run("bob", &["session", "start"]).ok();
    run("ada", &["session", "beat", "--context", "0.9"]).ok();
    run("bob", &["session", "beat", "--context", "0.1"]).ok();
    assert_eq!(run("ada", &["session", "current"]).ok(), "ada\n");
    assert_eq!(world.sq(&["session", "current"]).ok(), "bob\n");
    run("ada", &["state", "set", "--handover", "ada's"]).ok();
    run("bob", &["state", "set", "--handover", "bob's"]).ok();
    run("ada", &["session", "end"]).ok();
    let shown =
        |agent: &str| run(agent, &["state", "show", "--format", "json"]).json()["rows"].clone();
    for (agent, source, peak) in [("ada", "merged", json!(0.9)), ("bob", "agent", Value::Null)] {
        let rows = shown(agent);
        assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
        assert_eq!(rows[0]["handover"], format!("{agent}'s"));
        assert_eq!(rows[0]["source"], source);
        assert_eq!(rows[0]["session"]["peak_context"], peak);
    }
    assert_eq!(shown("eve"), json!([]));
}
