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
    race(Race {
        clones: 6,
        rounds: 3,
        lasts: Duration::MAX,
        own_branches: true,
    });
}

/// Git rejects what is behind; then people pull and push again.
#[test]
fn to_one_branch() {
    race(Race {
        clones: 4,
        rounds: 2,
        lasts: Duration::MAX,
        own_branches: false,
    });
}
