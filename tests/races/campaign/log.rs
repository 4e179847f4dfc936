//! The clone on which a campaign works, and what it was told that the log has.

use std::{
    collections::BTreeSet,
    fmt, fs, iter,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use git_sq_test_support::{Team, chains, executable, path_with_program, program, settle};
use serde_json::Value;

use crate::crowd::repeated;

/// What is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Record,
    State,
    Tension,
    End,
    Sync,
    Push,
}

pub const ACTIONS: [Action; 6] =
    [Action::Record, Action::State, Action::Tension, Action::End, Action::Sync, Action::Push];

impl Action {
    /// Its command, without a program.
    pub fn words(self, sid: &str) -> Vec<String> {
        let line = match self {
            Self::Record => format!("record --sid {sid} --same q1=x"),
            Self::State => format!("state set --sid {sid} --status fine"),
            Self::Tension => format!(
                "tension open {sid} --sid {sid} --type gap --source x --curiosity 1 --intrusiveness 1"
            ),
            Self::End => "session end".to_owned(),
            Self::Sync => "sync".to_owned(),
            Self::Push => "push --quiet".to_owned(),
        };
        git_sq_test_support::words(&line)
    }

    /// What kind of line it writes.
    fn kind(self) -> Option<&'static str> {
        match self {
            Self::Record => Some("rederive"),
            Self::State => Some("state"),
            Self::Tension => Some("tension.open"),
            Self::End => Some("session"),
            Self::Sync | Self::Push => None,
        }
    }
}

/// A push as three different things may come of it: it lands, git itself rejects it, or the remote does.
const DESTINATIONS: [&str; 3] =
    ["HEAD:refs/heads/work", "HEAD:refs/heads/diverged", "HEAD:refs/heads/refused"];

const REFUSES: &str = "#!/bin/sh\ncase $1 in */refused) exit 1 ;; esac\n";

pub struct Campaign {
    pub team: Team,
    /// The clone that is worked in.
    pub dir: PathBuf,
    pub acknowledged: usize,
    /// Pushes that ended as the same push does without us.
    pub pushes: usize,
    told: BTreeSet<(&'static str, String)>,
    lines: BTreeSet<String>,
    number: u64,
}

impl fmt::Display for Campaign {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (acknowledged, pushes) = (self.acknowledged, self.pushes);
        write!(
            f,
            "{acknowledged} lines acknowledged, 0 lost; {pushes} pushes, 0 exit codes changed"
        )
    }
}

impl Campaign {
    pub fn new() -> Self {
        let team = Team::new();
        let dir = team.clone.clone();
        let store = r#"{"_schema":"standing_questions/v2","settings":{"tension":{"cap":100000}},
            "questions":[{"id":"q1","q":"What about q1?","importance":3}]}"#;
        fs::write(dir.join("standing_questions.json"), store).unwrap();
        team.git_ok("commit --quiet --all -m Ask");
        let other = team.git_ok("commit-tree -m Diverged HEAD^{tree}");
        let diverged = format!("{}:refs/heads/diverged", other.trim());
        team.git_ok(&format!("push --quiet origin HEAD HEAD:refs/heads/work {diverged}"));
        executable(&team.remote.join("hooks/update"), REFUSES);
        team.world.git_ok("clone --quiet --bare remote.git twin.git");
        executable(&team.world.root().join("twin.git/hooks/update"), REFUSES);
        let twin = team.world.root().join("twin.git");
        team.git_ok(&format!("remote add twin '{}'", twin.display()));
        settle(&dir.join(".git"));
        Self {
            team,
            dir,
            acknowledged: 0,
            pushes: 0,
            told: BTreeSet::new(),
            lines: BTreeSet::new(),
            number: 0,
        }
    }

    /// The program, in the clone.
    pub fn program(&self, words: &[String]) -> Command {
        self.run(program(), words)
    }

    /// Some program in the clone, which finds ours.
    pub fn run(&self, program: PathBuf, words: &[String]) -> Command {
        let run = repeated(&self.team.world, program, &self.dir);
        let mut command = run(&git_sq_test_support::refs(words));
        command.env("PATH", path_with_program());
        command
    }

    /// A session of its own for what is done next, and all that has to be there before.
    pub fn prepare(&mut self, action: Action) -> String {
        self.number += 1;
        let sid = format!("c{}", self.number);
        match action {
            Action::End => {
                let start = ["session", "start", "--sid", &sid].map(str::to_owned);
                assert!(self.program(&start).output().unwrap().status.success());
            }
            Action::Push => {
                let line = format!("commit --quiet --allow-empty -m {sid}");
                self.team.git_ok_in(&self.dir, &line);
                self.team.world.record_in(&self.dir, &format!("p{sid}")).ok();
            }
            _ => {}
        }
        sid
    }

    /// Where the push goes that comes next.
    pub fn destination(&self) -> String {
        let turn = usize::try_from(self.number).unwrap() / ACTIONS.len();
        DESTINATIONS[turn % DESTINATIONS.len()].to_owned()
    }

    /// What the same push comes to without us, to a remote that is alike.
    pub fn twin(&self) -> Option<i32> {
        let push =
            ["push", "--quiet", "--no-verify", "twin", &self.destination()].map(str::to_owned);
        self.run("git".into(), &push).output().unwrap().status.code()
    }

    /// Compares how a push ended with how it ends without us.
    #[track_caller]
    pub fn compare(&mut self, code: Option<i32>, without: Option<i32>, said: &str) {
        self.pushes += 1;
        assert!(matches!(without, Some(0 | 1)), "{without:?}");
        assert_eq!(code, without, "the push ended otherwise: {said}");
    }

    /// What has been told: success, or anything on the standard output of a command that was ended in the middle.
    pub fn tell(&mut self, action: Action, sid: &str, code: Option<i32>, printed: &str) {
        if let Some(kind) = action.kind()
            && (code == Some(0) || !printed.is_empty())
        {
            self.acknowledged += usize::from(self.told.insert((kind, sid.to_owned())));
        }
    }

    /// Looks for every line that was there before, and for every line that was acknowledged.
    #[track_caller]
    pub fn look(&mut self) {
        self.unlock();
        let lines = self.team.lines(&self.dir);
        let lost: Vec<_> = self.lines.difference(&lines).collect();
        assert!(lost.is_empty(), "lines were lost: {lost:?}");
        let new = lines.difference(&self.lines);
        let new: BTreeSet<_> = new.map(|line| kind_and_sid(line)).collect();
        for (kind, sid) in &self.told {
            assert!(new.contains(&(kind.to_string(), sid.clone())), "{kind} of {sid} was lost");
        }
        self.told.clear();
        self.lines = lines;
    }

    /// Takes away the locks on refs that the killed left behind, as the user is told to.
    fn unlock(&self) {
        let locks = locks(&self.dir.join(".git/refs"));
        if !locks.is_empty() {
            // Those of a publisher that is at work go by themselves.
            thread::sleep(Duration::from_millis(200));
        }
        for lock in locks {
            let _ = fs::remove_file(lock);
        }
    }

    /// In the end the remote and every new clone have all lines, in chains without gaps, and all objects are well.
    #[track_caller]
    pub fn everybody_has_all(&mut self) {
        let (dir, team) = (self.dir.clone(), &self.team);
        team.git_ok_in(&dir, "push --quiet origin +HEAD:refs/heads/work HEAD:refs/heads/main");
        // Begins a publisher where a request was left whose own was killed.
        team.world.sq_in(&dir, &["sync"]).ok();
        settle(&dir.join(".git"));
        self.look();
        let lines: Vec<String> = self.lines.iter().cloned().collect();
        chains(&lines).unwrap();
        assert_eq!(self.team.lines_on_remote(), self.lines);
        for dir in [&dir, &self.team.remote] {
            self.team.git_ok_in(dir, "fsck --strict --no-dangling --no-progress");
        }
    }
}

fn kind_and_sid(line: &str) -> (String, String) {
    let line: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| line[key].as_str().unwrap().to_owned();
    (text("kind"), text("sid"))
}

fn locks(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = iter::once(folder.to_owned()).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                found.push(path);
            }
        }
    }
    found
}
