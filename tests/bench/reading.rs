//! What it costs to read the log: the gate with and without its cache, the brief, and the memory of the gate.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    contest::{Outcome, alternate, median, run},
    fixture::Fixture,
};

/// What git prints of the log.
const LOG: [&str; 3] = ["log", "--notes=sq", "--format=%N"];

/// The gate, computed anew; against git printing all notes of the history.
pub fn check(fixture: &Fixture, rounds: usize) -> Outcome {
    fixture.reset();
    alternate(
        rounds,
        |_| run(&mut fixture.sq(&["check", "--no-cache"])),
        |_| run(&mut fixture.git(&LOG)),
    )
}

/// The gate when nothing is new; against the least that git can do.
pub fn check_cached(fixture: &Fixture, rounds: usize) -> Outcome {
    fixture.reset();
    alternate(
        rounds,
        |_| run(&mut fixture.sq(&["check"])),
        |_| run(&mut fixture.git(&["rev-parse", "HEAD"])),
    )
}

/// The gate as json when nothing is new; against the gate as text.
pub fn check_json(fixture: &Fixture, rounds: usize) -> Outcome {
    fixture.reset();
    alternate(
        rounds,
        |_| run(&mut fixture.sq(&["check", "--format", "json"])),
        |_| run(&mut fixture.sq(&["check"])),
    )
}

/// A command in a repository that has one commit and one record since the caches were written; against `git status`.
/// `kept` is what the last run before these kept; each turn begins with it.
pub fn after_one_more(fixture: &Fixture, args: &[&str], kept: &[u8], rounds: usize) -> Outcome {
    alternate(
        rounds,
        |_| {
            fs::write(fixture.snapshot(), kept).unwrap();
            run(&mut fixture.sq(args))
        },
        |_| run(&mut fixture.git(&["status"])),
    )
}

/// The newest five entries; against git's newest five commits. With `kept`, each turn begins with that.
pub fn log(fixture: &Fixture, kept: Option<&[u8]>, rounds: usize) -> Outcome {
    alternate(
        rounds,
        |_| {
            if let Some(kept) = kept {
                fs::write(fixture.snapshot(), kept).unwrap();
            }
            run(&mut fixture.sq(&["log", "-n", "5"]))
        },
        |_| run(&mut fixture.git(&["log", "-n", "5", "--notes=sq"])),
    )
}

/// What a session is told when nothing is new; against `git status`.
pub fn brief(fixture: &Fixture, rounds: usize) -> Outcome {
    fixture.reset();
    alternate(
        rounds,
        |_| run(&mut fixture.sq(&["brief"])),
        |_| run(&mut fixture.git(&["status"])),
    )
}

/// The largest resident sets, in kibibytes: of the gate, and of git printing all notes.
pub struct Memory {
    pub ours: u32,
    pub gits: u32,
}

/// Measures both with GNU time.
///
/// # Errors
/// Why it can't be measured here.
pub fn memory(fixture: &Fixture) -> Result<Memory, String> {
    let report = fixture.dir.join(".git/memory");
    let peak = |command: &Command| -> Result<u32, String> {
        let mut time = Command::new("/usr/bin/time");
        time.args(["-f", "%M", "-o"]).arg(&report);
        time.arg(command.get_program()).args(command.get_args());
        time.env_clear()
            .current_dir(&fixture.dir)
            .stdout(Stdio::null());
        time.envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let status = time.stderr(Stdio::null()).status();
        let status = status.map_err(|error| format!("no GNU time: {error}"))?;
        let read = read_number(&report);
        read.filter(|_| status.success())
            .ok_or_else(|| "no GNU time".to_owned())
    };
    let mut peaks = (Vec::new(), Vec::new());
    for _ in 0..3 {
        peaks.0.push(peak(&fixture.sq(&["check", "--no-cache"]))?);
        peaks.1.push(peak(&fixture.git(&LOG))?);
    }
    Ok(Memory {
        ours: median(peaks.0),
        gits: median(peaks.1),
    })
}

fn read_number(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}
