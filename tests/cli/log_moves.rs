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
    assert!(code == 0 && found.values().all(|[fails, _]| *fails == 0), "{said}");
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
    let begins = team.cloned("", "begins");
    set(&team, &begins);
    team.sq_ok_in(&begins, "init");
    team.work(&begins, "begins");
    team.push_from(&begins);
    assert_eq!(team.lines_at(&team.remote, BRANCH).len(), 5);
    let other = team.world.root().join("other");
    team.git_ok_in(&other, "pull --quiet --rebase");
    team.work(&other, "late");
    team.push_from(&other);
    // It has fetched what only the old ref has, and its next entry says so.
    team.git_ok_in(&auditor, "pull --quiet --rebase");
    team.work(&auditor, "later");
    for dir in [&auditor, &other] {
        set(&team, dir);
        if *dir == auditor {
            team.sq_ok_in(dir, "doctor --fix");
        }
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.push_from(dir);
        sync(&team, dir);
        holds(&team, dir);
        team.sq_ok_in(dir, "doctor --fix");
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

#[test]
fn clones_that_are_set_to_different_refs_hear_of_it() {
    let (team, auditor) = team();
    let other = team.world.root().join("other");
    let stays = team.join("stays");
    for dir in [&team.clone, &other] {
        set(&team, dir);
        team.sq_ok_in(dir, "doctor --fix");
        sync(&team, dir);
    }
    let told = |dir: &Path, name: &str, other: &str| {
        team.git_ok_in(dir, "pull --quiet --rebase");
        let said = team.sq_ok_in(dir, "doctor");
        let why = format!(
            "origin also has a log at {name}, with entries that are not here: sq.logRef must be the same in all clones, and is {other} here"
        );
        assert!(said.contains(&why), "{said}");
        let check = team.try_sq_in(dir, "check");
        assert_has!(
            check.stdout,
            &format!("\nunknown: origin {}", if name == BRANCH { "has" } else { "also has" })
        );
        if name != BRANCH {
            assert_has!(check.stdout, "`git -c remote.origin.sqRef=refs/notes/sq sq sync origin`");
        }
        for line in said.lines().filter(|line| line.starts_with("  git ")) {
            team.git_ok_in(dir, line[6..].split("   ").next().unwrap());
        }
        assert_eq!(team.sq_ok_in(dir, "doctor"), "No problems found.\n");
    };
    let work = |dir: &Path, sid: &str| {
        team.git_ok_in(dir, "pull --quiet --rebase");
        assert_eq!(team.sq_ok_in(dir, "doctor"), "No problems found.\n");
        team.work(dir, sid);
        team.push_from(dir);
    };
    work(&team.clone, "moved");
    told(&auditor, BRANCH, "refs/notes/sq");
    // Who stays at the old ref takes the entries in.
    for line in ["-c remote.origin.sqRef=refs/heads/sq/log sq sync origin", "sq sync origin"] {
        team.git_ok_in(&stays, line);
    }
    work(&stays, "stayed");
    team.git_ok_in(&other, "pull --quiet --rebase");
    team.sq_ok_in(&other, "sync");
    told(&other, "refs/notes/sq", BRANCH);
    assert_eq!(team.lines(&other).len(), 6);
}

/// A clone that is not set to the branch says that it misses what is there; to a bare repository it is a ref of its own.
#[test]
fn a_log_that_moved_to_a_branch_is_read_or_missed_by_whoever_comes_later() {
    let team = Team::new();
    let late = |sid: &str| {
        team.work(&team.clone, sid);
        team.git_ok("push --quiet");
        team.sq_ok("sync");
    };
    for sid in ["s1", "s2"] {
        // At first on the branch alone, then at the old ref, too, with less.
        if sid == "s2" {
            team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {BRANCH}"));
        }
        set(&team, &team.clone);
        late(sid);
        let verdict = team.world.verdict_in(&team.clone, "");
        let mirror = team.cloned("--mirror", &format!("mirror-{sid}"));
        for dir in [&team.remote, &mirror] {
            assert_eq!(team.world.verdict_in(dir, ""), verdict, "{}", dir.display());
        }
        for (kind, line) in [("", "check"), ("--single-branch", "ci")] {
            let dir = team.cloned(kind, &format!("{line}-{sid}"));
            if line == "check" {
                team.sq(&dir, &["init", "--no-hooks"]);
            }
            let ran = team.try_sq_in(&dir, line).exits(3);
            assert_has!(
                ran.stdout,
                &format!("origin has a log at {BRANCH}, which this clone does not read")
            );
        }
    }
}

/// One repository may have the logs of several projects.
#[test]
fn the_log_of_another_project_is_neither_joined_nor_reported() {
    let (team, _) = team();
    let ours = Team::new();
    ours.git_ok(&format!("remote add audit '{}'", team.remote.display()));
    ours.git_ok(&format!("config sq.logRef {BRANCH}"));
    ours.git_ok("config sq.logRemote audit");
    ours.sq_ok("init");
    ours.publish("ours");
    ours.sq_ok("sync");
    assert_eq!(ours.lines_at(&team.remote, BRANCH).len(), 1);
    assert_eq!(ours.lines(&ours.clone).len(), 1);
    assert_eq!(ours.sq_ok("doctor"), "No problems found.\n");
}

/// As the documentation says.
fn moves(team: &Team, dir: &Path, log_ref: &str) {
    team.git_ok_in(dir, &format!("config sq.logRef {log_ref}"));
    team.sq_ok_in(dir, "doctor --fix");
    sync(team, dir);
}

fn works(team: &Team, dir: &Path, sids: [&str; 2]) {
    for sid in sids {
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.work(dir, sid);
        team.push_from(dir);
    }
}

/// Its entries name states of the old ref that came after the others had moved.
#[test]
fn a_clone_that_moves_late_is_no_trouble_for_those_that_moved() {
    let (team, _) = team();
    let other = team.world.root().join("other");
    moves(&team, &team.clone, BRANCH);
    works(&team, &other, ["late-1", "late-2"]);
    moves(&team, &other, BRANCH);
    for dir in [&team.clone, &other] {
        sync(&team, dir);
        holds(&team, dir);
    }
    team.git_ok_in(&team.remote, "update-ref -d refs/notes/sq");
    sync(&team, &team.clone);
    holds(&team, &team.clone);
}

#[test]
fn a_log_that_moved_there_and_back_holds_for_whoever_comes_later() {
    let (team, _) = team();
    works(&team, &team.clone, ["before-1", "before-2"]);
    moves(&team, &team.clone, BRANCH);
    works(&team, &team.clone, ["there-1", "there-2"]);
    moves(&team, &team.clone, "refs/notes/sq");
    works(&team, &team.clone, ["back-1", "back-2"]);
    let fresh = team.cloned("", "fresh");
    team.sq_ok_in(&fresh, "init --no-hooks");
    holds(&team, &fresh);
}

#[test]
fn what_a_clone_saw_at_an_earlier_host_is_no_trouble_at_the_new_one() {
    let (team, _) = team();
    let root = team.world.root();
    let other = root.join("other");
    team.git_ok_in(&root, "clone --quiet --mirror remote.git new.git");
    works(&team, &team.clone, ["late-1", "late-2"]);
    team.git_ok_in(&other, "pull --quiet --rebase");
    sync(&team, &other);
    for dir in [&team.clone, &other] {
        team.git_ok_in(dir, "remote set-url origin ../new.git");
        team.push_from(dir);
        sync(&team, dir);
        fetch(&team, dir);
        holds(&team, dir);
    }
}

/// The same log, by another address, or at the ref that the others left.
#[test]
fn what_was_fetched_is_the_log_whatever_was_seen_elsewhere() {
    let (team, auditor) = team();
    fetch(&team, &team.clone);
    for dir in [&team.clone, &auditor] {
        team.work(dir, "private");
    }
    let before = team.sq_ok_in(&team.clone, "verify --log");
    let url = format!("file://{}", team.remote.display());
    team.git_ok(&format!("remote set-url origin {url}"));
    assert_eq!(team.sq_ok_in(&team.clone, "verify --log"), before);
    moves(&team, &team.clone, BRANCH);
    fetch(&team, &auditor);
    let rows = |said: &str| said.lines().next().unwrap().to_owned();
    let after = team.sq_ok_in(&auditor, "verify --log");
    assert_eq!(rows(&after), rows(&before));
}
