//! What the figures were taken on, in words that name no machine.

use std::{env::consts, process::Command, thread::available_parallelism};

/// Cores, system, git and the profile of this build.
pub fn kind() -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    let git = Command::new("git").arg("--version").output().map_or_else(
        |error| format!("git that can't be started: {error}"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    let profile = if cfg!(debug_assertions) {
        "a DEBUG build, which says nothing about cost"
    } else {
        "release build"
    };
    format!("{cores} cores, {} {}, {git}, {profile}", consts::OS, consts::ARCH)
}
