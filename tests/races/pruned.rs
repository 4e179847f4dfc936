//! Writers beside a `git gc` that prunes everything that no ref leads to.

use std::{
    collections::BTreeSet,
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::crowd::{asked, beside, recorder, repeated, sids};

const APPENDS: usize = 60;

#[test]
fn nothing_acknowledged_is_lost_beside_gc_that_prunes_now() {
    let world = asked();
    let record = recorder(&world, &world.dir);
    let git = repeated(&world, "git".into(), &world.dir);
    let rounds = AtomicUsize::new(0);
    let collect = || {
        let mut gc = git(&["gc", "--quiet", "--prune=now"]);
        let gc = gc.stdout(Stdio::null()).stderr(Stdio::null());
        gc.status().unwrap();
        rounds.fetch_add(1, Ordering::Relaxed);
    };
    let wanted: BTreeSet<String> = (0..APPENDS).map(|number| format!("s{number}")).collect();
    beside(&[&collect], || {
        for sid in &wanted {
            let ran = record(sid).output().unwrap();
            assert!(ran.status.success(), "{sid}: {ran:?}");
        }
    });
    let rounds = rounds.into_inner();
    assert!(rounds > 1, "git gc ran {rounds} times");
    let present = sids(&world.lines());
    assert!(
        wanted.is_subset(&present),
        "{:?}",
        wanted.difference(&present)
    );
    world.git_ok("fsck --strict");
}
