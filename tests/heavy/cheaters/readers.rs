//! Readers of other clones, and of the answerer's own.

use std::path::Path;

use git_sq_test_support::{Ran, refs};
use serde_json::Value;

use super::game::{Game, READERS};

impl Game<'_> {
    /// Does something in another clone that has all that this one has, and brings the log back.
    pub fn elsewhere<T>(&self, dir: &Path, act: impl FnOnce(&Path) -> T) -> T {
        let log = self.world.try_git("rev-parse --verify --quiet refs/notes/sq");
        self.world
            .git_ok_in(dir, &format!("update-ref refs/heads/main {}", self.world.head().trim()));
        if log.code == 0 {
            self.world.git_ok_in(dir, &format!("update-ref refs/notes/sq {}", log.stdout.trim()));
        }
        let done = act(dir);
        if self.world.git_in(dir, &["rev-parse", "--verify", "--quiet", "refs/notes/sq"]).code == 0
        {
            let from = dir.display();
            self.world.git_ok(&format!("fetch --quiet {from} refs/notes/sq:refs/notes/sq"));
        }
        done
    }

    /// An honest reader, who derives what the brief asks for again, at its commit; says whether that was anything.
    pub fn read(&mut self, number: usize) -> bool {
        self.world.pass(600);
        let dir = self.readers[number % READERS].clone();
        let sid = format!("r{number}");
        let looks = self.elsewhere(&dir, |dir| self.read_in(dir, &sid));
        self.looks += looks;
        looks > 0
    }

    /// Looks at what the brief asks for; gives how much that was.
    fn read_in(&self, dir: &Path, sid: &str) -> usize {
        let mut brief = self.world.sq_command(&["brief", "--format", "json"]);
        let brief: Ran = brief.current_dir(dir).env("SQ_SESSION", sid).output().unwrap().into();
        let asked = brief.json()["second"].as_array().unwrap().clone();
        for look in &asked {
            let text = |key: &str| look[key].as_str().unwrap();
            let mut commits = self.commits.iter();
            let place = commits.position(|commit| commit == text("commit"));
            let question: usize = text("question")[1..].parse().unwrap();
            let truth = self.history.truth(place.unwrap(), question);
            let answer = format!("q{question}={}", words(&truth));
            let cites = self.history.cites(place.unwrap(), question);
            let cites: Vec<String> =
                cites.iter().map(|cite| format!("--cite=q{question}={cite}")).collect();
            let args = ["record", "--sid", sid, "--second", text("entry"), &answer];
            let args = [&args[..], &refs(&cites)].concat();
            let differs = format!("q{question}=it differs");
            // Answers in a session's own words can't be compared: the program shows both and asks.
            if self.world.sq_in(dir, &args).code != 0 {
                let args = [&args[..], &["--delta", &differs]].concat();
                self.world.sq_in(dir, &args).ok();
            }
        }
        asked.len()
    }

    /// Two sessions of the answerer's own clone say that all that it said is right.
    pub fn agree(&self) {
        let open = self.world.sq(&["verify", "--second", "--format", "json"]).json();
        let sid = self.sid();
        for row in open["open"].as_array().unwrap() {
            let question: usize = row["q_id"].as_str().unwrap()[1..].parse().unwrap();
            let (_, last) = self.before[question].as_ref().unwrap();
            let answer = format!("q{question}={}", words(&last.answer));
            let entry = row["entry"].as_str().unwrap();
            let place = self.commits.iter().position(|commit| row["commit"] == commit.as_str());
            let cites = self.history.cites(place.unwrap(), question);
            let cites: Vec<String> =
                cites.iter().map(|cite| format!("--cite=q{question}={cite}")).collect();
            for reader in ["one", "two"].iter().filter(|_| row["sid"] == sid.as_str()) {
                let reader = format!("{reader}{sid}");
                let args = ["record", "--sid", &reader, "--second", entry, &answer];
                self.world.sq(&[&args[..], &refs(&cites)].concat()).ok();
            }
        }
    }
}

/// An answer as it is written on a command line.
fn words(answer: &Value) -> String {
    let text = |item: &Value| item.as_str().unwrap().to_owned();
    match answer.as_array() {
        Some(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        None => text(answer),
    }
}
