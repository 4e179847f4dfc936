//! Whose clone looks changes no verdict: it follows from the tip, the log, the tracked files and the remote's branches.

use std::{fs, path::Path};

use git_sq_test_support::Team;
use proptest::prelude::*;
use serde_json::{Value, json};

const STORE: &str = r#"{"_schema":"standing_questions/v2","questions":[
{"id":"q1","q":"What is the limit?","importance":3,"watch":["src/"],"lines":"limit"},
{"id":"q2","q":"Anything else?","importance":2,"watch":["other"]}]}"#;

/// What people and agents do, with git and the program.
const STEPS: &str = "work honest again lie lie ask reask amend reword branch squash moved merge revert push forced forget forged";

fn steps() -> impl Strategy<Value = Vec<&'static str>> {
    let words: Vec<&str> = STEPS.split_whitespace().collect();
    prop::collection::vec(prop::sample::select(words), 4..20)
}

struct Play {
    team: Team,
    limit: usize,
    sessions: usize,
    topic: Option<String>,
    /// Number of stores that were written.
    stores: usize,
}

impl Play {
    fn new() -> Self {
        let team = Team::new();
        let mut play = Self { team, limit: 0, sessions: 0, topic: None, stores: 0 };
        play.commit("standing_questions.json", STORE);
        play.work();
        play.answer("");
        play.team.push();
        play
    }

    fn commit(&self, file: &str, text: &str) {
        fs::create_dir_all(self.team.clone.join("src")).unwrap();
        fs::write(self.team.clone.join(file), text).unwrap();
        self.team.git_ok("add --all");
        self.team.commit(&self.team.clone, file);
    }

    /// Another store, with a question of its own, in a commit of its own or in the last one.
    fn ask(&mut self, how: &str) {
        self.stores += 1;
        let number = self.stores;
        let more = format!(
            r#"}},{{"id":"x{number}","q":"And {number}?","importance":2,"watch":["src/"]}}]}}"#
        );
        let store = STORE.replace("}]}", &more);
        fs::write(self.team.clone.join("standing_questions.json"), store).unwrap();
        let _ = self.team.try_git(&format!("commit --quiet --all {how}"));
    }

    fn work(&mut self) {
        self.limit += 1;
        let limit = format!("limit {}", self.limit);
        let text = fs::read_to_string(self.team.clone.join("src/a"));
        let text = text.unwrap_or_else(|_| "line\n".repeat(9) + "limit 0\n");
        let lines = text.lines().map(|line| if line.starts_with("limit") { &limit } else { line });
        let lines: Vec<&str> = lines.collect();
        self.commit("src/a", &(lines.join("\n") + "\n"));
    }

    fn record(&mut self, how: &str, said: &str) {
        self.sessions += 1;
        let line = format!("record --sure --sid s{} {how} {said}", self.sessions);
        // Where nothing changed, a delta is refused.
        let _ = self.team.try_sq_in(&self.team.clone, &line);
    }

    fn answer(&mut self, how: &str) {
        let text = fs::read_to_string(self.team.clone.join("src/a")).unwrap_or_default();
        let line = 1 + text.lines().take_while(|line| !line.starts_with("limit")).count();
        let said = format!("'q1=limit {}' --cite q1=src/a:{line}", self.limit);
        self.record(how, &said);
    }

    fn land(&mut self, how: &str) {
        let Some(topic) = self.topic.take() else {
            return;
        };
        self.team.git_ok("switch --quiet main");
        if how == "moved" {
            self.commit("other", &format!("{}\n", self.limit));
            // The lines that are cited are elsewhere then, in a version of the file that only the author has.
            let text = fs::read_to_string(self.team.clone.join("src/a")).unwrap_or_default();
            self.commit("src/a", &format!("head {}\n{text}", self.limit));
        }
        let (kind, message) =
            if how == "merge" { ("--no-ff -m merged", "merged") } else { ("--squash", "squashed") };
        let line = format!("merge --quiet {kind} -X theirs {topic}");
        let conflicts = self.team.try_git(&line).code != 0;
        if conflicts {
            // A file that one side deleted and the other changed: it stays.
            self.team.git_ok("add --all");
        }
        if conflicts || how != "merge" {
            let _ = self.team.try_git(&format!("commit --quiet -m {message}"));
        }
        self.team.git_ok(&format!("branch --quiet -D {topic}"));
        let _ = self.team.try_sq_in(&self.team.clone, "carry");
    }

    fn step(&mut self, step: &str) {
        match step {
            "work" => self.work(),
            "honest" => self.answer("--delta q1=more"),
            "again" => self.record("", "--same q1"),
            "lie" => {
                self.work();
                let said = format!("'q1=limit {}' --cite q1=src/a:1", self.limit - 1);
                self.record("--same q1", &said);
            }
            "ask" => self.ask("-m asked"),
            "reask" => self.ask("--amend -m asked"),
            "amend" => {
                let text = self.team.world.now();
                fs::write(self.team.clone.join("new"), text).unwrap();
                self.team.git_ok("add --all");
                let _ = self.team.try_git("commit --quiet --amend -m amended");
            }
            "reword" => drop(self.team.try_git("commit --quiet --amend -m reworded")),
            "branch" if self.topic.is_none() => {
                let topic = format!("topic{}", self.limit);
                self.team.git_ok(&format!("switch --quiet -c {topic}"));
                self.topic = Some(topic);
            }
            "squash" | "moved" | "merge" => self.land(step),
            "revert" if self.team.try_git("revert --no-edit HEAD").code != 0 => {
                let _ = self.team.try_git("revert --abort");
            }
            "push" => {
                let _ = self.team.try_git("push --quiet origin main");
            }
            "forced" => drop(self.team.git_ok("push --quiet --force origin main")),
            "forget" => {
                self.team.settle(&self.team.clone);
                let _ = fs::remove_dir_all(self.team.clone.join(".git/sq"));
            }
            "forged" => {
                let line = self.team.git_ok("log -1 --format=%N --notes=sq HEAD");
                for line in line.lines().filter(|line| line.starts_with('{')) {
                    let line = line.replacen('{', r#"{"unflagged":true,"#, 1);
                    let note = ["notes", "--ref=sq", "append", "-m", &line, "HEAD~1"];
                    self.team.git(&self.team.clone, &note);
                }
            }
            _ => {}
        }
        self.team.world.pass(60);
    }

    fn publish(&mut self) {
        self.land("squash");
        self.team.git_ok("push --quiet --force origin main");
        self.team.settle(&self.team.clone);
        let _ = self.team.try_sq_in(&self.team.clone, "sync");
    }

    /// The exit code, where each question stands, and what was found. Of a writer's chain, the clone knows lines that it
    /// never published.
    fn verdict(&self, dir: &Path) -> Value {
        let (check, code) = self.team.world.check_in(dir);
        let of = |list: &str, keys: &[&str]| -> Vec<Value> {
            let all = check[list].as_array().into_iter().flatten();
            let all = all.filter(|one| one["rule"] != "broken-chain");
            all.map(|one| keys.iter().map(|key| one[*key].clone()).collect()).collect()
        };
        json!([
            code,
            of("questions", &["question", "standing"]),
            check["looks"]["open"],
            of("findings", &["rule", "severity", "message"]),
            check["unknown"],
        ])
    }
}

/// Plays the steps, and holds what the author's clone says against what others say.
fn play(steps: &[&str]) -> Result<(), TestCaseError> {
    let mut play = Play::new();
    for step in steps {
        play.step(step);
    }
    play.publish();
    let team = &play.team;
    let own = play.verdict(&team.clone);
    let fresh = team.join("fresh");
    team.sq_ok_in(&fresh, "sync");
    prop_assert_eq!(&own, &play.verdict(&fresh));
    let url = team.remote.display();
    let root = &team.world.root();
    team.git_ok_in(root, &format!("clone --quiet --mirror 'file://{url}' mirror"));
    prop_assert_eq!(&own, &play.verdict(&root.join("mirror")));
    team.git_ok_in(root, &format!("clone --quiet --depth=1 'file://{url}' shallow"));
    let shallow = root.join("shallow");
    team.sq_ok_in(&shallow, "init --no-hooks");
    team.git_ok_in(&shallow, "fetch --quiet --unshallow");
    prop_assert_eq!(&own, &play.verdict(&shallow));
    Ok(())
}

/// What was once seen differently.
#[test]
fn every_clone_says_the_same_of_a_squash() {
    for steps in [
        "branch work honest moved",
        "branch lie moved work",
        "honest amend work lie",
        "branch revert moved",
        "branch revert lie moved merge",
        "honest branch forged reword",
        "branch work ask honest again again again again again reask squash",
    ] {
        play(&steps.split(' ').collect::<Vec<_>>()).unwrap();
    }
}

proptest! {
    #![proptest_config(crate::slow(4, 40))]

    #[test]
    fn every_clone_says_the_same(steps in steps()) {
        play(&steps)?;
    }
}
