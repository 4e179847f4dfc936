//! Two ways to do one thing, measured in turns, so that whatever else the machine does falls on both alike.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The medians of both sides.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    pub ours: Duration,
    pub gits: Duration,
}

impl Outcome {
    /// Our cost as a multiple of git's.
    pub fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.gits.as_secs_f64()
    }
}

/// After this long a contest ends, if each side had [`ENOUGH`] turns.
const PATIENCE: Duration = Duration::from_secs(20);
const ENOUGH: usize = 3;

/// Lets both sides take `rounds` turns, after one that does not count; fewer where a turn takes long.
///
/// Each side is told the number of its turn and says how long the part took that counts.
pub fn alternate(
    rounds: usize,
    mut ours: impl FnMut(usize) -> Duration,
    mut gits: impl FnMut(usize) -> Duration,
) -> Outcome {
    let start = Instant::now();
    let mut times = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        if round > ENOUGH && start.elapsed() > PATIENCE {
            break;
        }
        let turn = (ours(round), gits(round));
        if round > 0 {
            times.0.push(turn.0);
            times.1.push(turn.1);
        }
    }
    Outcome { ours: median(times.0), gits: median(times.1) }
}

/// The middle value; of an even number the upper one of the two.
pub fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// How long `act` takes, and what it gives.
pub fn timed<T>(act: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let given = act();
    (start.elapsed(), given)
}

/// How long a command takes, from its start to its end, its output thrown away.
///
/// # Panics
/// When it can't be started or fails: a failure is no measurement.
pub fn run(command: &mut Command) -> Duration {
    run_to(command, &[0])
}

/// The same for a gate, which may say no.
///
/// # Panics
/// As [`run`].
pub fn run_gate(command: &mut Command) -> Duration {
    run_to(command, &[0, 1])
}

fn run_to(command: &mut Command, codes: &[i32]) -> Duration {
    command.stdout(Stdio::null());
    let (time, output) = timed(|| command.output());
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().unwrap_or(-1);
    assert!(codes.contains(&code), "{command:?}: {said}");
    time
}
