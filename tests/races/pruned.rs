//! Writers beside a `git gc` that prunes everything that no ref leads to.

use std::{
    collections::BTreeSet,
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::crowd::{asked, beside, recorder, repeated, sids};

const WRITERS: usize = 4;
const APPENDS: usize = 12;

#[test]
fn nothing_fails_and_nothing_is_lost_beside_gc_that_prunes_now() {
    let world = asked();
    let git = repeated(&world, "git".into(), &world.dir);
    let rounds = AtomicUsize::new(0);
    let collect = || {
        let mut gc = git(&["gc", "--quiet", "--prune=now"]);
        gc.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        rounds.fetch_add(1, Ordering::Relaxed);
    };
    let sid = |writer: usize, number: usize| format!("w{writer}-{number}");
    beside(&[&collect], || {
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let record = recorder(&world, &world.dir);
                scope.spawn(move || {
                    for number in 0..APPENDS {
                        let ran = record(&sid(writer, number)).output().unwrap();
                        assert!(ran.status.success(), "{writer}-{number}: {ran:?}");
                    }
                });
            }
        });
    });
    let rounds = rounds.into_inner();
    assert!(rounds > 1, "git gc ran {rounds} times");
    let wanted =
        (0..WRITERS).flat_map(|writer| (0..APPENDS).map(move |number| sid(writer, number)));
    let wanted: BTreeSet<String> = wanted.collect();
    let present = sids(&world.lines());
    assert!(wanted.is_subset(&present), "{:?}", wanted.difference(&present));
    world.git_ok("fsck --strict");
}
