//! Many clones that push to one repository at once: git lets through what it would let through without us, and in the
//! end everybody has every line.

use std::time::Duration;

use git_sq_test_support::{
    Team,
    race::{Race, all_have_all},
};

fn race(race: Race) {
    let team = Team::new();
    let (raced, dirs) = race.run(&team, None, &[]);
    all_have_all(&team, &dirs, &raced.sids, raced.sids.len());
    assert_eq!(raced.sids.len(), race.clones * race.rounds);
    team.git(&team.remote, &["fsck", "--strict"]).ok();
}

/// Git has no reason to reject any of these pushes, so all of them succeed.
#[test]
fn to_branches_of_their_own() {
    race(Race { clones: 6, rounds: 3, lasts: Duration::MAX, own_branches: true });
}

/// Git rejects what is behind; then people pull and push again.
#[test]
fn to_one_branch() {
    race(Race { clones: 4, rounds: 2, lasts: Duration::MAX, own_branches: false });
}

/// The log is a branch of another repository than the code's: its rules would protect it.
#[test]
fn to_a_log_with_a_home_of_its_own() {
    let team = Team::unprepared();
    let root = team.world.root();
    team.git_ok_in(&root, "clone --quiet --mirror remote.git code.git");
    let url = root.join("remote.git");
    for (key, value) in [
        ("sq.logRemote", "audit"),
        ("sq.logRef", "refs/heads/sq/log"),
        ("remote.audit.url", url.to_str().unwrap()),
        ("remote.audit.fetch", "+refs/heads/*:refs/remotes/audit/*"),
    ] {
        team.git_ok(&format!("config --global {key} {value}"));
    }
    let race = Race { clones: 12, rounds: 1, lasts: Duration::MAX, own_branches: true };
    let code = root.join("code.git");
    let (raced, dirs) = race.run(&team, code.to_str(), &[]);
    all_have_all(&team, &dirs, &raced.sids, raced.sids.len());
    assert_eq!(raced.sids.len(), race.clones);
    assert!(team.lines(&code).is_empty());
}
