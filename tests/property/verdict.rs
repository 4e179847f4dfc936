//! The verdict is that of the log and the history alone: the same with cache and without, in a fresh clone and in a
//! mirror.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Team, event_line, original_line};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":3}},"questions":[
{"id":"q1","q":"What does it say?","importance":3,"shape":"text","watch":["a"]},
{"id":"q2","q":"How much is left to do?","importance":2,"probe":{"grep":{"text":"TODO","paths":["a","b"],"take":"count"}}},
{"id":"q3","q":"Is it sound?","importance":2,"watch":["b"],"lines":"TODO","severity":"blocking"},
{"id":"q4","q":"Anything else?","importance":1}]}"#;

#[derive(Debug, Clone)]
enum Step {
    Commit { file: bool, line: u8 },
    Record(Record),
    RecordAtOldCommit(Record),
    OthersRecord(Record),
    Redact(Index),
    Import(Index),
    ByHand { line: u8, at: Index },
    Branch,
    Merge,
    Check,
}

/// What a session says.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "drawn one by one")]
struct Record {
    /// It is that of an earlier session, too.
    is_old_sid: bool,
    delta: bool,
    /// Of `q1`, or of `q3`.
    is_first: bool,
    answer: u8,
    cites: bool,
}

fn record() -> impl Strategy<Value = Record> {
    let flags = (
        prop::bool::weighted(0.2),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.6),
    );
    (flags, 0..3_u8).prop_map(|((is_old_sid, delta, is_first, cites), answer)| Record {
        is_old_sid,
        delta,
        is_first,
        answer,
        cites,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<bool>(), 0..3_u8).prop_map(|(file, line)| Step::Commit { file, line }),
        6 => record().prop_map(Step::Record),
        1 => record().prop_map(Step::RecordAtOldCommit),
        2 => record().prop_map(Step::OthersRecord),
        2 => any::<Index>().prop_map(Step::Redact),
        1 => any::<Index>().prop_map(Step::Import),
        2 => (0..6_u8, any::<Index>()).prop_map(|(line, at)| Step::ByHand { line, at }),
        1 => Just(Step::Branch),
        1 => Just(Step::Merge),
        2 => Just(Step::Check),
    ]
}

struct Place {
    team: Team,
    other: PathBuf,
    number: usize,
}

impl Place {
    fn new() -> Self {
        let team = Team::new();
        fs::write(team.clone.join("standing_questions.json"), STORE).unwrap();
        fs::write(team.clone.join("a"), "0\n").unwrap();
        fs::write(team.clone.join("b"), "0\n").unwrap();
        team.git_ok("add --all");
        team.commit(&team.clone, "ask");
        team.git_ok("push --quiet");
        let other = team.join("other");
        for dir in [&team.clone, &other] {
            team.git_ok_in(dir, "config sq.pushTimeout 0");
        }
        Self {
            team,
            other,
            number: 0,
        }
    }

    fn record(&mut self, dir: &Path, record: &Record) {
        self.number += usize::from(!record.is_old_sid);
        let name = if record.is_first { "q1" } else { "q3" };
        let word = if record.delta { "delta" } else { "same" };
        let (sid, answer) = (self.number, record.answer);
        let mut line =
            format!("record --sure --sid s{sid} --{word} {name}={answer} {name}={answer}");
        if record.cites {
            line += &format!(
                " --cite {name}={}:1",
                if record.is_first { "a" } else { "b" }
            );
        }
        // It may be refused.
        self.team.sq(dir, &line.split(' ').collect::<Vec<_>>());
    }

    /// The commits of the current branch, newest first.
    fn commits(&self) -> Vec<String> {
        let listed = self.team.git_ok("rev-list HEAD");
        listed.lines().map(str::to_owned).collect()
    }

    fn lines(&self) -> Vec<Value> {
        let lines = self.team.lines(&self.team.clone).into_iter();
        lines
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect()
    }

    /// A line as somebody may write it without the program.
    fn by_hand(&self, line: u8, at: &str) -> String {
        let id = format!("01HAND{:020}", self.number);
        let answer = json!({"q_id": "q1", "delta": false, "answer": "1", "note": "same"});
        let last = self.lines().pop().unwrap_or_default();
        let body = match line {
            0 => json!({"results": [answer]}),
            1 => {
                json!({"results": [{"q_id": "q1", "delta": true, "answer": 1, "evidence": {"probe": "000"}}]})
            }
            2 => {
                json!({"results": [answer], "origin": {"file": "f", "line": 1, "at": "2026-01-01T00:00:00Z"}})
            }
            3 => {
                json!({"results": [answer], "writer": last["writer"], "n": last["n"], "prev": last["prev"]})
            }
            4 => json!({"results": [answer], "ts": "2026-12-01T00:00:00.000Z"}),
            _ => {
                let body = json!({"entry": last["id"], "line": "0".repeat(32), "because": "malice",
                    "writer": last["writer"], "n": 1});
                return event_line(at, "redact", &id, &body);
            }
        };
        event_line(at, "rederive", &id, &body)
    }

    fn take(&mut self, step: &Step) {
        let clone = self.team.clone.clone();
        match step {
            Step::Commit { file, line } => {
                let file = if *file { "a" } else { "b" };
                let text = ["0\n", "TODO 1\n", "1\n2\nTODO\n"][usize::from(*line)];
                fs::write(clone.join(file), text).unwrap();
                self.team.git_ok("add --all");
                self.team.commit(&clone, "work");
            }
            Step::Record(record) => self.record(&clone, record),
            Step::RecordAtOldCommit(record) => {
                self.team.try_git("checkout --quiet --detach HEAD~1");
                self.record(&clone, record);
                self.team.git_ok("switch --quiet main");
            }
            Step::OthersRecord(record) => {
                self.team.git_ok("push --quiet");
                let other = self.other.clone();
                self.team.git_ok_in(&other, "pull --quiet");
                self.record(&other, record);
                self.team.sq(&other, &["sync"]).ok();
                self.team.git_ok("fetch --quiet");
            }
            Step::Redact(entry) => {
                let lines = self.lines();
                if !lines.is_empty()
                    && let Some(id) = lines[entry.index(lines.len())]["id"].as_str()
                {
                    self.team.sq(&clone, &["redact", id, "--because", "why"]);
                }
            }
            Step::Import(at) => {
                let commits = self.commits();
                let at = &commits[at.index(commits.len())];
                let file = self.team.world.root().join("original.jsonl");
                let line = original_line("before", "2025-12-01T00:00:00Z", at);
                fs::write(&file, line + "\n").unwrap();
                self.team.sq(&clone, &["import", file.to_str().unwrap()]);
            }
            Step::ByHand { line, at } => {
                self.number += 1;
                let commits = self.commits();
                let at = &commits[at.index(commits.len())];
                let line = self.by_hand(*line, at);
                let append = ["notes", "--ref=sq", "append", "-m", line.trim_end(), at];
                self.team.git(&clone, &append).ok();
            }
            Step::Branch => {
                self.team.git_ok("switch --quiet --force-create side");
                let sid = format!("side{}", self.number);
                fs::write(clone.join("a"), &sid).unwrap();
                self.team.git_ok("add --all");
                self.team.commit(&clone, "work beside");
                let line = ["record", "--sure", "--sid", &sid, "--delta", "q1=1"];
                self.team.sq(&clone, &line);
                self.team.git_ok("push --quiet --force origin side");
                self.team.git_ok("switch --quiet main");
            }
            Step::Merge => {
                self.team
                    .try_git("merge --quiet --no-ff --no-edit -X ours side");
                self.team.try_git("merge --abort");
            }
            Step::Check => {
                self.look(&clone, &[]);
            }
        }
    }

    /// The exit code, findings and figures.
    fn look(&self, dir: &Path, options: &[&str]) -> (i32, Value) {
        let args = [&["sq", "check", "--format", "json"], options].concat();
        let mut command = self.team.command(dir, &args);
        command.env("SQ_TEST_NOW", "2026-02-01T00:00:00Z");
        let ran = self.team.anywhere(command);
        (ran.code, ran.json())
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::cases(6),
        max_shrink_iters: 25,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_verdict_is_the_same_everywhere(steps in prop::collection::vec(step(), 4..16)) {
        let mut place = Place::new();
        for step in &steps {
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
        let kept = place.look(&clone, &[]);
        for (name, found) in [
            ("without cache", place.look(&clone, &["--no-cache"])),
            ("in a fresh clone", place.look(&fresh, &[])),
            ("in a fresh clone, from its cache", place.look(&fresh, &[])),
            ("in a mirror", place.look(&root.join("mirror.git"), &["--no-cache"])),
        ] {
            prop_assert_eq!(&kept, &found, "{}", name);
        }
    }
}
