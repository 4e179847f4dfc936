//! Many clones that push to one repository at once: git lets through what it would let through without us, and in the
//! end everybody has every line.

use git_sq_test_support::{
    Team,
    race::{Race, all_have_all},
};

const CROWD: Race = Race {
    clones: 12,
    rounds: 5,
    own_branches: true,
};

fn race(race: Race) {
    let team = Team::new();
    let (raced, dirs) = race.run(&team, None, &[]);
    let lines = all_have_all(&team, &dirs, &raced.sids);
    assert_eq!(raced.sids.len(), race.clones * race.rounds);
    team.git(&team.remote, &["fsck", "--strict"]).ok();
    let plain = Team::new();
    let (without, _) = race.run(&plain, None, &["--no-verify"]);
    println!(
        "{race:?}: {lines} lines, {} inboxes, {:.1} s; without the log {:.1} s; a push took {} ms, without {} ms",
        raced.inboxes,
        raced.took.as_secs_f64(),
        without.took.as_secs_f64(),
        raced.median().as_millis(),
        without.median().as_millis(),
    );
}

/// Git has no reason to reject any of these pushes, so all of them succeed.
#[test]
fn to_branches_of_their_own() {
    race(CROWD);
}

/// Git rejects what is behind; then people pull and push again.
#[test]
fn to_one_branch() {
    race(Race {
        clones: 6,
        rounds: 3,
        own_branches: false,
    });
}
