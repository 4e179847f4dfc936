//! Pure cores against slow oracles, and the whole program against an independent one.

mod agents;
mod agree;
mod ancestry;
mod answers;
mod base;
mod checkpoint;
mod ci;
mod clones;
mod drifts;
mod entry;
mod facts;
mod figures;
mod files;
mod flags;
mod harness;
#[cfg(unix)]
mod hostile;
mod lines;
mod predecessors;
#[cfg(unix)]
mod processes;
mod questions;
mod report;
mod rooms;
mod secrets;
mod share;
mod states;
mod tables;
mod tensions;
mod traces;
mod verdict;
mod versions;

use proptest::prelude::ProptestConfig;

/// How many random cases to run the program on: so many, times `SQ_CASES`.
fn cases(usual: u32) -> u32 {
    let times = std::env::var("SQ_CASES");
    usual * times.map_or(1, |times| times.parse().unwrap())
}

/// So many cases, each of which takes long, and so many tries to shrink one that fails.
fn slow(usual: u32, max_shrink_iters: u32) -> ProptestConfig {
    let cases = cases(usual);
    ProptestConfig {
        cases,
        max_shrink_iters,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
