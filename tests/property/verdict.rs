//! What is kept never shows, and the verdict is that of the log and the history alone: every command prints the same with
//! its cache and without, whatever happened in between, and the gate in a fresh clone and in a mirror, too.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use git_sq_test_support::{Team, event_line, original_line, refs, words};
use proptest::prelude::*;
use serde_json::{Value, json};

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":3}},"questions":[
{"id":"q1","q":"What does it say?","importance":3,"shape":"text","watch":["a"]},
{"id":"q2","q":"How much is left to do?","importance":2,"probe":{"grep":{"text":"TODO","paths":["a","b"],"take":"count"}}},
{"id":"q3","q":"Is it sound?","importance":2,"watch":["b"],"lines":"TODO","severity":"blocking"},
{"id":"q4","q":"Anything else?","importance":1}]}"#;

/// What is done, and a number for all that is left open.
type Step = (&'static str, usize);

/// What everybody gets to know in the end, so that all clones agree; what stands here twice is done twice as often.
const SHARED: &str = "commit commit commit record record record record record-at-old-commit others-record \
    others-record redact import by-hand branch merge check";

const ANY: &str = "commit commit record record record-at-old-commit others-record by-hand branch merge handover tension \
    amend switch turn-back others-are-ahead others-forge gc remove-cache cut-cache garble-cache two-at-once remove-note";

fn steps(of: &'static str, most: usize) -> impl Strategy<Value = Vec<Step>> {
    let words: Vec<&str> = of.split_whitespace().collect();
    prop::collection::vec((prop::sample::select(words), 0..1000_usize), 4..most)
}

/// What is compared; each command once as it is and once with `--no-cache`.
const LOOKS: &str = "check; check --format json; check --original --format json; brief; brief --format json; log;
    log --format json; show q1; export; state show; state show --format json; tension list --all --format json;
    --format json";

fn looks() -> Vec<&'static str> {
    LOOKS.split(';').map(str::trim).collect()
}

struct Place {
    team: Team,
    other: PathBuf,
    number: usize,
}

impl Place {
    fn new() -> Self {
        let team = Team::new();
        for (file, text) in [("standing_questions.json", STORE), ("a", "0\n"), ("b", "0\n")] {
            fs::write(team.clone.join(file), text).unwrap();
        }
        team.git_ok("add --all");
        team.commit(&team.clone, "ask");
        team.git_ok("push --quiet");
        let other = team.join("other");
        for dir in [&team.clone, &other] {
            // What is published beside would change the log between two looks.
            team.git_ok_in(dir, "config sq.pushTimeout 0");
        }
        Self { team, other, number: 0 }
    }

    fn git(&self, line: &str) -> i32 {
        self.team.try_git(line).code
    }

    /// Runs the program, which may refuse.
    fn sq(&self, dir: &Path, line: &str) {
        self.team.sq(dir, &refs(&words(line)));
    }

    /// Writes a file, whose text `number` chooses, and commits it.
    fn commit(&self, file: &str, number: usize) {
        let text = ["0\n", "TODO 1\n", "1\n2\nTODO\n"][number % 3];
        fs::write(self.team.clone.join(file), text).unwrap();
        self.git("add --all");
        self.team.commit(&self.team.clone, "work");
    }

    /// Records an answer to `q1`, or to `q3`; now and then it is that of an earlier session, too.
    fn record(&mut self, dir: &Path, number: usize) {
        self.number += usize::from(!number.is_multiple_of(5));
        let (name, file) = [("q1", "a"), ("q3", "b")][number % 2];
        let word = ["delta", "same"][number / 2 % 2];
        let (sid, answer) = (self.number, number / 4 % 3);
        let cite = [format!("--cite {name}={file}:1"), String::new()];
        let line = format!("record --sure --sid s{sid} --{word} {name}={answer} {name}={answer}");
        self.sq(dir, &format!("{line} {}", cite[number / 12 % 2]));
    }

    /// One of the commits of the current branch.
    fn some_commit(&self, number: usize) -> String {
        let listed = self.team.git_ok("rev-list HEAD");
        let commits: Vec<&str> = listed.lines().collect();
        commits[number % commits.len()].to_owned()
    }

    fn lines(&self) -> Vec<Value> {
        self.team
            .lines(&self.team.clone)
            .into_iter()
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect()
    }

    /// A line as somebody may write it without the program.
    fn by_hand(&self, number: usize, at: &str) -> String {
        let id = format!("01HAND{:020}", self.number);
        let last = self.lines().pop().unwrap_or_default();
        let mut body =
            json!({"results": [{"q_id": "q1", "delta": false, "answer": "1", "note": "same"}]});
        match number % 6 {
            0 => {}
            1 => body["results"][0]["evidence"] = json!({"probe": "000"}),
            2 => body["origin"] = json!({"file": "f", "line": 1, "at": "2026-01-01T00:00:00Z"}),
            3 => {
                for key in ["writer", "n", "prev"] {
                    body[key] = last[key].clone();
                }
            }
            4 => body["ts"] = "2026-12-01T00:00:00.000Z".into(),
            _ => {
                let body = json!({"entry": last["id"], "line": "0".repeat(32), "because": "malice",
                    "writer": last["writer"], "n": 1});
                return event_line(at, "redact", &id, &body);
            }
        }
        event_line(at, "rederive", &id, &body)
    }

    fn append(&self, dir: &Path, line: &str, at: &str) {
        let append = ["notes", "--ref=sq", "append", "-m", line.trim_end(), at];
        self.team.git(dir, &append);
    }

    /// Changes what the caches are, where there are any.
    fn damage(&self, change: impl Fn(&mut Vec<u8>)) {
        for name in ["index", "snapshot"] {
            let file = self.team.clone.join(".git/sq/cache").join(name);
            if let Ok(mut bytes) = fs::read(&file) {
                change(&mut bytes);
                fs::write(file, bytes).unwrap();
            }
        }
    }

    fn take(&mut self, (act, number): Step) {
        let (clone, other) = (self.team.clone.clone(), self.other.clone());
        match act {
            "commit" => self.commit(["a", "b"][number / 3 % 2], number),
            "record" => self.record(&clone, number),
            "record-at-old-commit" => {
                if self.git("checkout --quiet --detach HEAD~1") == 0 {
                    self.record(&clone, number);
                    self.git("switch --quiet -");
                }
            }
            "others-record" => {
                self.git("push --quiet origin main");
                self.team.git(&other, &["pull", "--quiet"]);
                self.record(&other, number);
                self.sq(&other, "sync");
                self.git("fetch --quiet");
            }
            "redact" => {
                let lines = self.lines();
                if !lines.is_empty()
                    && let Some(id) = lines[number % lines.len()]["id"].as_str()
                {
                    let line = format!("redact {id} --because why");
                    self.team.world.person_in(&clone, &line);
                }
            }
            "import" => {
                let file = self.team.world.root().join("original.jsonl");
                let at = self.some_commit(number);
                let line = original_line("before", "2025-12-01T00:00:00Z", &at);
                fs::write(&file, line + "\n").unwrap();
                self.sq(&clone, &format!("import {}", file.display()));
            }
            "by-hand" => {
                self.number += 1;
                let at = self.some_commit(number / 6);
                self.append(&clone, &self.by_hand(number, &at), &at);
            }
            "branch" => {
                self.git("switch --quiet --force-create side");
                self.commit("a", number);
                let sid = format!("side{number}");
                self.sq(&clone, &format!("record --sure --sid {sid} --delta q1=1"));
                self.git("push --quiet --force origin side");
                self.git("switch --quiet main");
            }
            "merge" => {
                self.git("merge --quiet --no-ff --no-edit -X ours side");
                self.git("merge --abort");
            }
            "check" => self.sq(&clone, "check"),
            other => self.part(other, number),
        }
    }

    /// What makes clones differ, or touches what is kept.
    fn part(&self, act: &str, number: usize) {
        let (clone, other) = (&self.team.clone, &self.other);
        match act {
            "handover" => {
                let sid = self.number;
                self.sq(clone, &format!("state set --sid s{sid} --handover h{number}"));
            }
            "tension" => self.sq(
                clone,
                "tension open why --type gap --source x --curiosity 0.5 --intrusiveness 0.5",
            ),
            "amend" => drop(self.git("commit --quiet --amend --allow-empty -m again")),
            "switch" => drop(self.git("switch --quiet -")),
            "turn-back" => self.team.world.pass(-60 * i64::try_from(number).unwrap()),
            "others-are-ahead" => {
                let line = "record --sid ahead --same 'q1=seen there'";
                let mut command = self.team.world.sq_command(&refs(&words(line)));
                command.env("SQ_TEST_NOW", "2026-02-01T00:06:00Z");
                command.current_dir(other);
                self.team.anywhere(command);
                self.sq(other, "sync");
                self.git("fetch --quiet");
            }
            "others-forge" => {
                // A line of this clone's writer, anew.
                self.sq(clone, "sync");
                self.sq(other, "sync");
                if let Some(line) =
                    self.team.lines(other).iter().find(|line| line.contains("\"delta\":true"))
                {
                    self.append(other, &line.replace("\"delta\":true", "\"delta\":false"), "HEAD");
                    self.sq(other, "sync");
                    self.git("fetch --quiet");
                }
            }
            "gc" => {
                self.git("reflog expire --expire=now --all");
                self.git("gc --quiet --prune=now");
            }
            "remove-cache" => drop(fs::remove_dir_all(clone.join(".git/sq/cache"))),
            "cut-cache" => self.damage(|bytes| bytes.truncate(bytes.len() * 2 / 3)),
            "garble-cache" => self.damage(|bytes| {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0x55;
            }),
            "two-at-once" => {
                let start = || {
                    let mut check = self.team.world.sq_command(&["check"]);
                    check.current_dir(clone).stdout(Stdio::null());
                    check.spawn().unwrap()
                };
                for mut check in [start(), start()] {
                    check.wait().unwrap();
                }
            }
            "remove-note" => drop(self.git("notes --ref=sq remove HEAD~1")),
            other => panic!("{other}"),
        }
    }

    /// What a command prints at one moment.
    fn look(&self, dir: &Path, line: &str) -> String {
        let mut command = self.team.world.sq_command(&refs(&words(line)));
        command.env("SQ_TEST_NOW", "2026-02-01T00:00:00Z");
        command.current_dir(dir);
        self.team.anywhere(command).transcript()
    }

    /// The same with what is kept and without.
    fn compare(&self, line: &str) {
        let dir = &self.team.clone;
        let anew = format!("--no-cache {line}");
        assert_eq!(self.look(dir, line), self.look(dir, &anew), "{line}");
    }
}

proptest! {
    #![proptest_config(crate::slow(3, 40))]

    #[test]
    fn what_was_kept_never_shows(steps in steps(ANY, 14), looks in prop::collection::vec(prop::sample::select(looks()), 14)) {
        let mut place = Place::new();
        for (step, look) in steps.into_iter().zip(looks) {
            place.take(step);
            place.compare(look);
        }
        for look in self::looks() {
            place.compare(look);
        }
    }

    #[test]
    fn the_verdict_is_the_same_everywhere(steps in steps(SHARED, 16)) {
        let mut place = Place::new();
        for step in steps {
            place.take(step);
        }
        let clone = place.team.clone.clone();
        place.team.git_ok("push --quiet");
        place.team.sq(&clone, &["sync"]).ok();
        // `git notes append` parts what it appends by an empty line.
        let lines = [&clone, &place.team.remote].map(|dir| {
            let mut lines = place.team.lines(dir);
            lines.remove("");
            lines
        });
        prop_assert_eq!(&lines[0], &lines[1]);
        let fresh = place.team.join("fresh");
        let root = place.team.world.root();
        place.team.git_ok_in(&root, "clone --quiet --mirror remote.git mirror.git");
        let check = "check --format json";
        let kept = place.look(&clone, check);
        for (name, found) in [
            ("without cache", place.look(&clone, &format!("--no-cache {check}"))),
            ("in a fresh clone", place.look(&fresh, check)),
            ("in a fresh clone, from its cache", place.look(&fresh, check)),
            ("in a mirror", place.look(&root.join("mirror.git"), check)),
        ] {
            prop_assert_eq!(&kept, &found, "{}", name);
        }
    }
}
