//! A log that moves to another ref of the same remote: nobody tampered with it, and whoever does is found out.

use std::path::Path;

use git_sq_test_support::Team;

use super::proofs::{fetch, proofs, team, trouble};

const BRANCH: &str = "refs/heads/sq/log";

fn set(team: &Team, dir: &Path) {
    team.git_ok_in(dir, &format!("config sq.logRef {BRANCH}"));
}

/// What `git sq sync` says of tampering, which is nothing.
#[track_caller]
fn sync(team: &Team, dir: &Path) {
    let said = team.sq_ok_in(dir, "sync");
    assert!(said.starts_with("origin: "), "{said}");
    assert_eq!(said.matches("log").count(), 0, "{said}");
}

/// No proof has anything to say against the log, nor does doctor.
#[track_caller]
fn holds(team: &Team, dir: &Path) {
    let (found, code) = trouble(team, dir, &[]);
    let said = team.sq(dir, &["verify", "--log"]).transcript();
    assert!(
        code == 0 && found.values().all(|[fails, _]| *fails == 0),
        "{said}"
    );
}

#[test]
fn a_log_that_moves_to_another_ref_goes_on_there() {
    let (team, auditor) = team();
    let other = team.world.root().join("other");
    let before = team.lines_on_remote();
    set(&team, &team.clone);
    sync(&team, &team.clone);
    assert_eq!(team.lines_at(&team.remote, BRANCH), before);
    holds(&team, &team.clone);
    for dir in [&other, &auditor] {
        // An entry that the old ref does not have.
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.work(dir, "late");
        team.git_ok_in(dir, "push --quiet --no-verify");
        set(&team, dir);
        sync(&team, dir);
        holds(&team, dir);
    }
    for dir in [&team.clone, &other, &auditor] {
        team.sq_ok_in(dir, "doctor --fix");
        holds(&team, dir);
        team.git_ok_in(dir, "pull --quiet --rebase");
        sync(&team, dir);
        assert_eq!(trouble(&team, dir, &[]), (proofs(&[]), 0));
    }
    assert!(team.lines_at(&team.remote, BRANCH).is_superset(&before));
    assert_eq!(team.lines_at(&team.remote, BRANCH).len(), before.len() + 2);
}

/// Whoever begins the new ref knows nothing of the old one, to which others still publish.
#[test]
fn a_ref_that_another_clone_began_is_joined() {
    let (team, auditor) = team();
    let root = team.world.root();
    team.git_ok_in(&root, "clone --quiet remote.git begins");
    let begins = root.join("begins");
    set(&team, &begins);
    team.sq_ok_in(&begins, "init");
    team.work(&begins, "begins");
    team.git_ok_in(&begins, "push --quiet");
    team.settle(&begins);
    assert_eq!(team.lines_at(&team.remote, BRANCH).len(), 5);
    let other = root.join("other");
    team.git_ok_in(&other, "pull --quiet --rebase");
    team.work(&other, "late");
    team.git_ok_in(&other, "push --quiet");
    team.settle(&other);
    // It has fetched what only the old ref has, and its next entry says so.
    team.git_ok_in(&auditor, "pull --quiet --rebase");
    team.work(&auditor, "later");
    for dir in [&auditor, &other] {
        set(&team, dir);
        team.sq_ok_in(dir, "doctor --fix");
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.git_ok_in(dir, "push --quiet");
        team.settle(dir);
        sync(&team, dir);
        holds(&team, dir);
        fetch(&team, dir);
        holds(&team, dir);
    }
    assert_eq!(team.lines_at(&team.remote, BRANCH).len(), 7);
    holds(&team, &begins);
}

#[test]
fn a_log_that_was_set_back_where_it_moved_to_is_found() {
    let (team, auditor) = team();
    for dir in [&team.clone, &auditor] {
        set(&team, dir);
        sync(&team, dir);
        team.sq_ok_in(dir, "doctor --fix");
        fetch(&team, dir);
        holds(&team, dir);
    }
    let full = team.lines_at(&team.remote, BRANCH);
    team.git_ok_in(&team.remote, &format!("update-ref {BRANCH} {BRANCH}~2"));
    fetch(&team, &auditor);
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found["anchored"][0], code), (1, 1));
    let said = team.sq_ok_in(&team.clone, "sync");
    assert!(said.contains("was set back"), "{said}");
    assert_eq!(team.lines_at(&team.remote, BRANCH), full);
}
