//! Kills, full disks and a crowd of clones, counted: what was acknowledged is in the log, and a push ends as it would
//! have ended without us. `SQ_CAMPAIGN=full` runs it in full.

mod calls;
mod disks;
mod log;
mod signals;

use std::{env, time::Duration};

use git_sq_test_support::{
    Team,
    race::{Race, all_have_all},
};

use log::Campaign;

/// How often what is tried.
struct Size {
    kills: u64,
    calls: u64,
    disks: u64,
    clones: usize,
    seconds: u64,
}

const SMALL: Size = Size { kills: 18, calls: 6, disks: 6, clones: 2, seconds: 1 };

const FULL: Size = Size { kills: 510, calls: 510, disks: 204, clones: 20, seconds: 60 };

/// Numbers that look random and are the same in every run.
fn noise(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

#[test]
fn campaign() {
    let is_full = env::var("SQ_CAMPAIGN").is_ok_and(|size| size == "full");
    let size = if is_full { FULL } else { SMALL };
    let mut campaign = Campaign::new();
    let kills = signals::kill(&mut campaign, size.kills);
    println!("{kills} kills by signal: {campaign}");
    let calls = calls::kill(&mut campaign, size.calls);
    println!("{calls}: {campaign}");
    campaign.everybody_has_all();
    let disks = disks::fill(&mut campaign, size.disks);
    println!("{disks}: {campaign}");
    campaign.everybody_has_all();

    let race = Race {
        clones: size.clones,
        rounds: usize::MAX,
        lasts: Duration::from_secs(size.seconds),
        own_branches: true,
    };
    let team = Team::new();
    let (raced, dirs) = race.run(&team, None, &[]);
    all_have_all(&team, &dirs, &raced.sids, raced.sids.len());
    campaign.pushes += raced.pushes.len();
    campaign.acknowledged += raced.sids.len();
    println!(
        "campaign: {kills} kills by signal, {calls}, {disks}, {} clones {} s ({} pushes): {campaign}",
        size.clones,
        raced.took.as_secs(),
        raced.pushes.len(),
    );
}
