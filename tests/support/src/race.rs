//! Clones of one repository that commit, record, pull and push at once.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::{Ran, Team, path_with_program, settle};

/// How often a push that git itself rejected is tried again before the test gives up.
const PATIENCE: usize = 200;

/// A race of pushes.
#[derive(Debug, Clone, Copy)]
pub struct Race {
    pub clones: usize,
    /// How often each pushes at most.
    pub rounds: usize,
    /// After this time nobody begins another round.
    pub lasts: Duration,
    /// Whether each clone pushes to a branch of its own, so that git has no reason to reject any push.
    pub own_branches: bool,
}

/// What came of a race.
#[derive(Debug)]
pub struct Raced {
    /// How long each push took that git let through.
    pub pushes: Vec<Duration>,
    /// From the first commit to the last push.
    pub took: Duration,
    /// Sessions that were recorded.
    pub sids: BTreeSet<String>,
    /// From the last push until the last publisher had ended.
    pub settled: Duration,
}

/// Git in a team's world, on any thread and by the real clock.
struct Racer {
    env: Vec<(OsString, OsString)>,
    dir: PathBuf,
}

impl Racer {
    fn git(&self, args: &[&str]) -> Ran {
        let mut git = Command::new("git");
        git.env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .current_dir(&self.dir)
            .args(args);
        git.output().unwrap().into()
    }
}

impl Race {
    /// Runs it with `git push` and these options.
    ///
    /// # Panics
    /// When a push fails that git itself would let through.
    pub fn run(self, team: &Team, url: Option<&str>, options: &[&str]) -> (Raced, Vec<PathBuf>) {
        let dirs: Vec<PathBuf> =
            (0..self.clones).map(|number| self.clone_of(team, url, number)).collect();
        let together = Barrier::new(self.clones);
        let start = Instant::now();
        let pushes: Vec<Vec<Duration>> = thread::scope(|scope| {
            let racers: Vec<_> = dirs
                .iter()
                .enumerate()
                .map(|(number, dir)| {
                    let racer = racer(team, dir);
                    let together = &together;
                    scope.spawn(move || {
                        together.wait();
                        let rounds = 0..self.rounds;
                        rounds
                            .take_while(|_| start.elapsed() < self.lasts)
                            .map(|round| self.round(&racer, number, round, options))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        let took = start.elapsed();
        for dir in &dirs {
            settle(&dir.join(".git"));
        }
        let sid = |clone: usize, round: usize| format!("c{clone}-{round}");
        let clones = pushes.iter().enumerate();
        let raced = Raced {
            sids: clones
                .flat_map(|(clone, pushes)| (0..pushes.len()).map(move |round| sid(clone, round)))
                .collect(),
            pushes: pushes.into_iter().flatten().collect(),
            took,
            settled: start.elapsed() - took,
        };
        (raced, dirs)
    }

    fn clone_of(self, team: &Team, url: Option<&str>, number: usize) -> PathBuf {
        let dir = team.join(&format!("clone-{number}"));
        // What is not pushed is nobody else's.
        team.git_ok_in(&dir, "checkout --quiet -b private");
        team.work(&dir, &format!("private-{number}"));
        team.git_ok_in(&dir, "checkout --quiet main");
        if let Some(url) = url {
            team.git(&dir, &["remote", "set-url", "origin", url]).ok();
        }
        if self.own_branches {
            let branch = format!("branch-{number}");
            team.git(&dir, &["checkout", "--quiet", "-b", &branch]).ok();
            let push = ["push", "--quiet", "--no-verify", "-u", "origin", &branch];
            team.git(&dir, &push).ok();
        }
        dir
    }

    fn round(self, racer: &Racer, clone: usize, round: usize, options: &[&str]) -> Duration {
        let sid = format!("c{clone}-{round}");
        racer.git(&["commit", "--quiet", "--allow-empty", "-m", &sid]).ok();
        racer.git(&["sq", "record", "--sid", &sid, "--same", "q1=as it was"]).ok();
        let push = [&["push"], options].concat();
        for _ in 0..PATIENCE {
            // Never fails because of us.
            racer.git(&["pull", "--quiet", "--rebase"]).ok();
            let start = Instant::now();
            let ran = racer.git(&push);
            if ran.code == 0 {
                // What a publisher could not do is said once, and goes with this push.
                let said = ran.stderr.contains("git sq: ");
                assert!(
                    !said || ran.stderr.contains("others kept updating the log"),
                    "{}",
                    ran.transcript()
                );
                return start.elapsed();
            }
            // Git itself: somebody else's commits are there already.
            let rejected = ran.stderr.contains("rejected]") && ran.code == 1;
            assert!(rejected && !self.own_branches, "{}", ran.transcript());
        }
        panic!("others always came first");
    }
}

impl Raced {
    /// The push that half of the others were faster than.
    pub fn median(&self) -> Duration {
        median(&self.pushes)
    }
}

/// The middle one.
///
/// # Panics
/// When there is none.
pub fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Lets every clone pull and sync once, and sees that the remote has all lines but the private ones, that every clone has
/// them, and that the log on the remote is one line of at most `most` commits.
///
/// # Panics
/// When they don't.
pub fn all_have_all(team: &Team, dirs: &[PathBuf], sids: &BTreeSet<String>, most: usize) -> usize {
    let [commits, merges] = team.log_on_remote();
    assert_eq!(merges, 0);
    assert!(commits <= most, "{commits} commits of the log");
    for dir in dirs.iter().chain(dirs) {
        team.git(dir, &["pull", "--quiet", "--rebase"]).ok();
        team.sq(dir, &["sync"]).ok();
    }
    let there = team.lines_on_remote();
    let sessions: BTreeSet<String> = there
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["sid"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(&sessions, sids);
    for dir in dirs {
        let here = team.lines(dir);
        assert!(here.is_superset(&there), "{}", dir.display());
        assert_eq!(here.len(), there.len() + 1, "{}", dir.display());
    }
    there.len()
}

/// Pushes alone, one time with us and one time without, again and again; gives the two medians.
///
/// # Panics
/// When a push fails.
pub fn uncontended(team: &Team, dir: &Path, times: usize) -> [Duration; 2] {
    let racer = racer(team, dir);
    let mut took = [Vec::new(), Vec::new()];
    for number in 0..times {
        for (which, options) in [&[][..], &["--no-verify"]].into_iter().enumerate() {
            let sid = format!("alone-{number}-{which}");
            racer.git(&["commit", "--quiet", "--allow-empty", "-m", &sid]).ok();
            racer.git(&["sq", "record", "--sid", &sid, "--same", "q1=as it was"]).ok();
            let start = Instant::now();
            racer.git(&[&["push", "--quiet"], options].concat()).ok();
            took[which].push(start.elapsed());
            settle(&dir.join(".git"));
        }
    }
    took.map(|times| median(&times))
}

fn racer(team: &Team, dir: &Path) -> Racer {
    let template = team.world.command("git");
    let of_the_real_clock = |name: &&OsString| {
        !["SQ_TEST_NOW", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "PATH"]
            .iter()
            .any(|ticks| *name == *ticks)
    };
    let env = template.get_envs().filter_map(|(name, value)| {
        let (name, value) = (name.to_owned(), value?.to_owned());
        Some(&name).filter(of_the_real_clock)?;
        Some((name, value))
    });
    let path = (OsString::from("PATH"), path_with_program());
    Racer { env: env.chain([path]).collect(), dir: dir.to_owned() }
}
