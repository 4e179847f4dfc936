//! What it costs to read the log: commands of ours against git's, and the memory of the gate.

use std::{
    fs,
    process::{Command, Stdio},
};

use git_sq_test_support::variables;

use crate::{
    contest::{Outcome, alternate, median, run, run_gate},
    fixture::Fixture,
};

/// How git prints the log.
pub const LOG: [&str; 3] = ["log", "--notes=sq", "--format=%N"];

/// A command of ours against one of git's, where nothing is new.
pub fn compare(fixture: &Fixture, rounds: usize, ours: &[&str], gits: &[&str]) -> Outcome {
    fixture.reset();
    again(fixture, rounds, ours, gits, None)
}

/// The same in the repository as it is. With `kept`, each turn begins with that as the small cache.
pub fn again(
    fixture: &Fixture,
    rounds: usize,
    ours: &[&str],
    gits: &[&str],
    kept: Option<&[u8]>,
) -> Outcome {
    alternate(
        rounds,
        |_| {
            if let Some(kept) = kept {
                fs::write(fixture.snapshot(), kept).unwrap();
            }
            run_gate(&mut fixture.sq(ours))
        },
        |_| run(&mut fixture.git(gits)),
    )
}

/// The gate, computed anew; against git printing all notes of the history.
pub fn check(fixture: &Fixture, rounds: usize) -> Outcome {
    compare(fixture, rounds, &["check", "--no-cache"], &LOG)
}

/// The largest resident sets of the gate, and of git printing all notes, in kibibytes, after GNU time.
///
/// # Errors
/// Why they can't be measured here.
pub fn memory(fixture: &Fixture) -> Result<[u32; 2], String> {
    let report = fixture.dir.join(".git/memory");
    let peak = |command: &Command| -> Result<u32, String> {
        let mut time = Command::new("/usr/bin/time");
        time.args(["-f", "%M", "-o"]).arg(&report);
        time.arg(command.get_program()).args(command.get_args());
        time.env_clear().envs(variables(command));
        time.current_dir(&fixture.dir).stdout(Stdio::null());
        let status =
            time.stderr(Stdio::null()).status().map_err(|error| format!("no GNU time: {error}"))?;
        fs::read_to_string(&report)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .filter(|_| matches!(status.code(), Some(0 | 1)))
            .ok_or_else(|| "no GNU time".to_owned())
    };
    let mut peaks = [Vec::new(), Vec::new()];
    for _ in 0..3 {
        peaks[0].push(peak(&fixture.sq(&["check", "--no-cache"]))?);
        peaks[1].push(peak(&fixture.git(&LOG))?);
    }
    Ok(peaks.map(median))
}
