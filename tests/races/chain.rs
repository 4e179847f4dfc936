//! Writers that are killed at any moment, and the numbers of their lines.

use std::{
    collections::BTreeMap,
    env, fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{Team, chains, program};

use super::{crowd::repeated, killed::noise};

const KILLS: u64 = 60;

/// What is killed.
const COMMANDS: [&[&str]; 6] = [
    &["record", "--sid", "SID", "--same", "q1=as it was"],
    &["state", "set", "--sid", "SID", "--status", "fine"],
    &[
        "tension",
        "open",
        "SID",
        "--sid",
        "SID",
        "--type",
        "gap",
        "--source",
        "x",
        "--curiosity",
        "1",
        "--intrusiveness",
        "1",
    ],
    &["session", "start", "--sid", "SID"],
    &["session", "end"],
    &["sync"],
];

/// `SQ_KILLS` says how many, in place of 60.
#[test]
fn kills_neither_repeat_nor_skip_a_number() {
    let kills = env::var("SQ_KILLS").map_or(KILLS, |number| number.parse().unwrap());
    let team = Team::new();
    let run = repeated(&team.world, program(), &team.clone);
    let command = |number: u64| {
        let sid = format!("s{number}");
        let words = COMMANDS[usize::try_from(number).unwrap() % COMMANDS.len()];
        let words: Vec<&str> = words
            .iter()
            .map(|word| if *word == "SID" { &sid } else { *word })
            .collect();
        run(&words)
    };
    // How long each takes when it is left alone.
    let mut times = BTreeMap::new();
    for number in 0..COMMANDS.len() as u64 {
        let start = Instant::now();
        assert!(command(number).output().unwrap().status.success());
        times.insert(number, start.elapsed());
    }
    let (mut midway, mut before) = (0, 0);
    let mut last = BTreeMap::new();
    for number in 0..kills {
        let mut child = command(number)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let whole = times[&(number % COMMANDS.len() as u64)];
        let micros = u64::try_from(whole.as_micros()).unwrap();
        let lock = team.clone.join(".git/refs/notes/sq.lock");
        // Around the moment at which the line lands, or at any other.
        let (deadline, rest) = if noise(number + kills).is_multiple_of(2) {
            (whole * 3, noise(number) % 4_000)
        } else {
            (Duration::ZERO, noise(number) % (micros * 2))
        };
        let start = Instant::now();
        while start.elapsed() < deadline && !lock.exists() {
            thread::yield_now();
        }
        thread::sleep(Duration::from_micros(rest));
        let was_alive = matches!(child.try_wait(), Ok(None));
        let _ = child.kill();
        child.wait().unwrap();
        midway += u64::from(was_alive);
        let _ = fs::remove_file(lock);
        let lines: Vec<String> = team.lines(&team.clone).into_iter().collect();
        last = chains(&lines).unwrap_or_else(|why| panic!("after {} kills: {why}", number + 1));
        assert!(lines.len() >= before, "lines were lost");
        before = lines.len();
    }
    team.world.record_in(&team.clone, "after").ok();
    team.git(&team.clone, &["fsck", "--strict"]).ok();
    assert!(midway > kills / 4, "{midway} of {kills} were at work");
    println!("{kills} kills, {midway} of them at work; lines of each writer: {last:?}");
}
