//! What a writer that was killed leaves behind.

use std::{fs, thread};

use git_sq_test_support::World;

#[test]
fn a_lock_that_was_left_behind_is_named_with_its_remedy() {
    // The command waits for a while and comes to an end by itself, so both do it at once.
    thread::scope(|scope| {
        for lock in ["refs/notes/sq.lock", "refs/sq/kept.lock", "packed-refs.lock"] {
            scope.spawn(move || left_behind(lock));
        }
    });
}

fn left_behind(name: &str) {
    let world = World::answered("first");
    let lock = world.dir.join(".git").join(name);
    let state = || {
        let tip = world.git_ok("rev-parse refs/notes/sq");
        (tip, world.lines(), fs::read(&lock).ok())
    };
    fs::write(&lock, "").unwrap();
    let before = state();
    let refused = world.record("s01").exits(128);
    assert_eq!(refused.stdout, "");
    for word in [name, "is in the way", "remove that file"] {
        assert!(refused.stderr.contains(word), "{}", refused.transcript());
    }
    assert_eq!(state(), before);
    // Reading goes on meanwhile.
    assert_eq!(world.check(&[]).0["sessions"], 1);
    fs::remove_file(&lock).unwrap();
    world.record("s01").ok();
    assert_eq!(world.check(&[]).0["sessions"], 2);
}
