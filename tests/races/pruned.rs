//! Writers beside a `git gc` that prunes everything that no ref leads to.

use std::{
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use git_sq_test_support::{Team, World, path_with_program};

use super::crowd::{crowd, repeated};

#[test]
fn nothing_fails_and_nothing_is_lost_beside_gc_that_prunes_now() {
    let world = World::answered("first");
    let git = repeated(&world, "git".into(), &world.dir);
    let rounds = AtomicUsize::new(0);
    let collect = || {
        let mut gc = git(&["gc", "--quiet", "--prune=now"]);
        gc.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        rounds.fetch_add(1, Ordering::Relaxed);
    };
    crowd(&world, &vec![world.dir.clone(); 4], 12, &[&collect]);
    let rounds = rounds.into_inner();
    assert!(rounds > 1, "git gc ran {rounds} times");
}

/// The user's pushes and `git gc`, one after the other: only our publisher is beside them.
#[test]
fn a_publisher_beside_gc_leaves_no_ref_over_a_missing_object() {
    const CLONES: usize = 6;
    const ROUNDS: usize = 8;
    let team = Team::new();
    let dirs: Vec<_> = (0..CLONES).map(|number| team.join(&format!("clone-{number}"))).collect();
    thread::scope(|scope| {
        for (number, dir) in dirs.iter().enumerate() {
            let run = repeated(&team.world, "git".into(), dir);
            scope.spawn(move || {
                let git = |line: &str| {
                    let args: Vec<&str> = line.split(' ').collect();
                    let ran = run(&args).env("PATH", path_with_program()).output().unwrap();
                    assert!(ran.status.success(), "{line}: {ran:?}");
                };
                git(&format!("switch --quiet -c branch-{number}"));
                git(&format!("push --quiet -u origin branch-{number}"));
                for round in 0..ROUNDS {
                    let sid = format!("c{number}-{round}");
                    git(&format!("commit --quiet --allow-empty -m {sid}"));
                    git(&format!("sq record --sid {sid} --same q1=same"));
                    git("push --quiet");
                    let requests = || dir.join(".git/sq/publish").read_dir().unwrap();
                    while requests().next().is_some() {
                        // It fails where it meets a ref before the objects that it pruned are written again.
                        run(&["gc", "--quiet", "--prune=now"]).output().unwrap();
                    }
                    git("gc --quiet --prune=now");
                    git("rev-list --objects --all --quiet");
                }
            });
        }
    });
    for dir in dirs.iter().chain(&dirs) {
        team.sq_ok_in(dir, "sync");
    }
    let there = team.lines_on_remote();
    assert_eq!(there.len(), CLONES * ROUNDS);
    for dir in &dirs {
        assert_eq!(team.lines(dir), there);
        team.git_ok_in(dir, "rev-list --objects --all --quiet");
    }
}
