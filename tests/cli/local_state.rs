//! This clone's own state, `sq/state.json` in the git folder: one writer, and damage that costs no more than it must.

use std::{collections::BTreeSet, fs, path::PathBuf, thread};

use git_sq_test_support::World;
use serde_json::Value;

fn world() -> World {
    let world = World::new();
    world.ask(&["q1"]);
    world
}

fn state(world: &World) -> Value {
    let bytes = fs::read(world.dir.join(".git/sq/state.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// The writers of all entries.
fn writers(world: &World) -> BTreeSet<String> {
    let lines = world.lines().into_iter();
    let entries = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    entries
        .map(|entry| entry["writer"].as_str().unwrap().to_owned())
        .collect()
}

/// What lies beside the state because it was damaged.
fn damaged(world: &World) -> Vec<PathBuf> {
    let files = fs::read_dir(world.dir.join(".git/sq")).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "damaged"))
        .collect()
}

#[test]
fn all_writers_of_a_clone_that_begin_at_once_have_one_id() {
    let world = world();
    thread::scope(|scope| {
        for number in 0..8 {
            let sid = format!("s{number}");
            let args = ["record", "--sid", &sid, "--same", "q1=as it was"];
            let mut command = world.sq_command(&args);
            scope.spawn(move || assert!(command.output().unwrap().status.success()));
        }
    });
    assert_eq!(world.lines().len(), 8);
    let writers = writers(&world);
    assert_eq!(writers.len(), 1, "{writers:?}");
    assert_eq!(
        state(&world)["writer"].as_str(),
        writers.first().map(String::as_str)
    );
}

#[test]
fn a_damaged_state_is_kept_aside_and_a_new_writer_begins() {
    for text in ["", "{\"writer\":\"01M7", "{\"writer\":1}"] {
        let world = world();
        world.record("s1").ok();
        let before = writers(&world);
        world.write(".git/sq/state.json", text);
        // Reading changes nothing.
        assert_eq!(
            world.sq(&["session", "current"]).transcript(),
            "--- exit 1\n"
        );
        world.sq(&["check"]);
        assert!(damaged(&world).is_empty());
        world.record("s2").ok();
        world.record("s3").ok();
        assert_eq!(writers(&world).difference(&before).count(), 1);
        let aside = damaged(&world);
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(fs::read_to_string(&aside[0]).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_neither_followed_nor_waited_for() {
    let elsewhere = "{\"writer\":\"elsewhere\"}";
    for is_pipe in [true, false] {
        let world = world();
        fs::create_dir_all(world.dir.join(".git/sq")).unwrap();
        let path = world.dir.join(".git/sq/state.json");
        let target = world.root().join("elsewhere.json");
        fs::write(&target, elsewhere).unwrap();
        if is_pipe {
            assert!(
                world
                    .command("mkfifo")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            );
        } else {
            std::os::unix::fs::symlink(&target, &path).unwrap();
        }
        assert_eq!(world.sq(&["session", "current"]).code, 1);
        world.record("s1").ok();
        assert!(!writers(&world).contains("elsewhere"));
        assert_eq!(damaged(&world).len(), 1);
        assert_eq!(fs::read_to_string(&target).unwrap(), elsewhere);
    }
}
