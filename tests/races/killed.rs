//! Writers that are killed, and what they leave behind.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Stdio,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::crowd::{asked, recorder, sids};

const WRITERS: usize = 4;
const APPENDS: usize = 16;

/// Numbers that look random and are the same in every run.
pub fn noise(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

#[test]
fn nothing_acknowledged_is_lost_when_writers_are_killed() {
    let world = asked();
    let lock = world.dir.join(".git/refs/notes/sq.lock");
    let acknowledged = Mutex::new(BTreeSet::new());
    let stop = AtomicBool::new(false);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let record = recorder(&world, &world.dir);
            let (acknowledged, stop) = (&acknowledged, &stop);
            let (complaints, lock) = (&complaints, &lock);
            scope.spawn(move || {
                for number in 0..APPENDS {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let session = format!("w{writer}-{number}");
                    let mut command = record(&session);
                    command.stdout(Stdio::null()).stderr(Stdio::piped());
                    let mut child = command.spawn().unwrap();
                    let seed = (writer * APPENDS + number) as u64;
                    if number % 4 == 3 {
                        live_for_a_while(&mut child, seed, lock);
                        let _ = child.kill();
                    }
                    let ran = child.wait_with_output().unwrap();
                    match ran.status.code() {
                        Some(0) => {
                            acknowledged.lock().unwrap().insert(session);
                        }
                        // A lock was left behind: nobody can go on before it is taken away.
                        Some(code) => {
                            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
                            complaints.lock().unwrap().push((code, said));
                            stop.store(true, Ordering::Relaxed);
                        }
                        None => {}
                    }
                }
            });
        }
    });
    for (code, said) in complaints.into_inner().unwrap() {
        assert_eq!(code, 128, "{said}");
        assert!(
            said.contains("sq.lock") && said.contains("remove"),
            "{said}"
        );
    }
    // Whether one of them left its lock behind or not: without it, writing works.
    let _ = fs::remove_file(&lock);
    world.record("after").ok();
    let present = sids(&world.lines());
    let acknowledged = acknowledged.into_inner().unwrap();
    let lost: Vec<_> = acknowledged.difference(&present).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(present.contains("after"));
    assert!(!acknowledged.is_empty());
    world.git_ok("fsck --strict");
}

/// Looks at a process again and again: some number of times, or until it holds the ref's lock.
fn live_for_a_while(child: &mut std::process::Child, seed: u64, lock: &Path) {
    let looks = noise(seed) % 20_000;
    let until_lock = seed % 8 == 7;
    for look in 0.. {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        if (until_lock && lock.exists()) || (!until_lock && look > looks) {
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn a_lock_that_was_left_behind_is_named_with_its_remedy() {
    // The command waits for a while and comes to an end by itself, so both do it at once.
    thread::scope(|scope| {
        for lock in ["refs/notes/sq.lock", "packed-refs.lock"] {
            scope.spawn(move || left_behind(lock));
        }
    });
}

fn left_behind(name: &str) {
    let world = asked();
    let lock = world.dir.join(".git").join(name);
    let state = || {
        let tip = world.git_ok("rev-parse refs/notes/sq");
        (tip, world.lines(), fs::read(&lock).ok())
    };
    fs::write(&lock, "").unwrap();
    let before = state();
    let refused = world.record("s01");
    assert_eq!(refused.code, 128, "{}", refused.transcript());
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
