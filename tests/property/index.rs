//! What the index kept never shows: every command prints the same with and without it, whatever happened in between.

use std::fs;

use git_sq_test_support::Team;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy)]
enum Step {
    Commit,
    Record,
    RecordAgain,
    RecordOnOlderCommit,
    Handover,
    Tension,
    Amend,
    Branch,
    Switch,
    Merge,
    Fetch,
    OthersRecord,
    OthersAreAhead,
    OthersForge,
    Gc,
    RemoveIndex,
    CutIndex,
    GarbleIndex,
    TwoAtOnce,
    RemoveNote,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::{
        Amend, Branch, Commit, CutIndex, Fetch, GarbleIndex, Gc, Handover, Merge, OthersAreAhead,
        OthersForge, OthersRecord, Record, RecordAgain, RecordOnOlderCommit, RemoveIndex,
        RemoveNote, Switch, Tension, TwoAtOnce,
    };
    prop_oneof![
        4 => Just(Commit),
        4 => Just(Record),
        2 => Just(RecordAgain),
        1 => Just(RecordOnOlderCommit),
        1 => Just(Handover),
        1 => Just(Tension),
        1 => Just(Amend),
        1 => Just(Branch),
        2 => Just(Switch),
        2 => Just(Merge),
        1 => Just(Fetch),
        2 => Just(OthersRecord),
        1 => Just(OthersAreAhead),
        1 => Just(OthersForge),
        1 => Just(Gc),
        1 => Just(RemoveIndex),
        1 => Just(CutIndex),
        1 => Just(GarbleIndex),
        1 => Just(TwoAtOnce),
        1 => Just(RemoveNote),
    ]
}

/// What is compared; each command once as it is and once with `--no-cache`.
const LOOKS: [&[&str]; 13] = [
    &["check"],
    &["check", "--format", "json"],
    &["check", "--original", "--format", "json"],
    &["brief"],
    &["brief", "--format", "json"],
    &["log"],
    &["log", "--format", "json"],
    &["show", "q1"],
    &["export"],
    &["state", "show"],
    &["state", "show", "--format", "json"],
    &["tension", "list", "--all", "--format", "json"],
    &["--format", "json"],
];

struct Place {
    team: Team,
    other: std::path::PathBuf,
    number: usize,
}

impl Place {
    fn new() -> Self {
        let team = Team::new();
        let store = r#"{"_schema":"standing_questions/v2","questions":[
            {"id":"q1","q":"One?","importance":3,"watch":["a*"]},
            {"id":"q2","q":"Two?","importance":2}]}"#;
        fs::create_dir_all(team.clone.join("context")).unwrap();
        fs::write(team.clone.join("context/standing_questions.json"), store).unwrap();
        team.git_ok("add --all");
        team.commit(&team.clone, "ask");
        team.git_ok("push --quiet");
        let other = team.join("other");
        for dir in [&team.clone, &other] {
            // What is published beside would change the log between two looks.
            team.git(dir, &["config", "sq.pushTimeout", "0"]).ok();
        }
        Self {
            team,
            other,
            number: 0,
        }
    }

    fn git(&self, args: &[&str]) -> i32 {
        self.team.git(&self.team.clone, args).code
    }

    fn commit(&mut self, file: &str) {
        self.number += 1;
        let text = self.number.to_string();
        fs::write(self.team.clone.join(file), text).unwrap();
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", &self.number.to_string()]);
    }

    fn record(&self, dir: &std::path::Path, sid: &str, same: &str) {
        self.team.sq(dir, &["record", "--sid", sid, "--same", same]);
    }

    fn others_are_ahead(&mut self) {
        self.number += 1;
        let sid = format!("s{}", self.number);
        let args = ["sq", "record", "--sid", &sid, "--same", "q1=seen there"];
        let mut command = self.team.command(&self.other, &args);
        command.env("SQ_TEST_NOW", "2026-02-01T00:06:00Z");
        self.team.anywhere(command);
        self.team.sq(&self.other, &["sync"]);
    }

    /// The other clone writes a line of this one's writer anew.
    fn forge(&self) {
        self.team.sq(&self.other, &["sync"]);
        let lines = self.team.lines(&self.other);
        if let Some(line) = lines.iter().find(|line| line.contains("as it was")) {
            let forged = line.replace("as it was", "forged");
            let append = ["notes", "--ref=sq", "append", "-m", &forged];
            self.team.git(&self.other, &append);
            self.team.sq(&self.other, &["sync"]);
        }
    }

    fn take(&mut self, step: Step) {
        let first = self.team.clone.clone();
        let cache = first.join(".git/sq/cache");
        let kept = ["index", "snapshot"].map(|name| cache.join(name));
        let sid = format!("s{}", self.number);
        match step {
            Step::Commit if self.number.is_multiple_of(2) => self.commit("a1"),
            Step::Commit => self.commit("b1"),
            Step::Record => {
                self.number += 1;
                let sid = format!("s{}", self.number);
                self.record(&first, &sid, "q1=as it was");
            }
            Step::RecordAgain => self.record(&first, &sid, "q2=as it was"),
            Step::RecordOnOlderCommit => {
                if self.git(&["checkout", "--quiet", "--detach", "HEAD~1"]) == 0 {
                    self.number += 1;
                    let sid = format!("s{}", self.number);
                    self.record(&first, &sid, "q1=as it was");
                    self.git(&["checkout", "--quiet", "-"]);
                }
            }
            Step::Handover => {
                let handover = format!("state {}", self.number);
                self.team.sq(
                    &first,
                    &["state", "set", "--sid", &sid, "--handover", &handover],
                );
            }
            Step::Tension => {
                let args =
                    "tension open why --type gap --source x --curiosity 0.5 --intrusiveness 0.5";
                let args: Vec<&str> = args.split(' ').collect();
                self.team.sq(&first, &args);
            }
            Step::Amend => {
                self.git(&["commit", "--quiet", "--amend", "--message", "again"]);
            }
            Step::Branch => {
                let name = format!("side{}", self.number);
                self.git(&["switch", "--quiet", "--create", &name]);
                self.commit("c1");
            }
            Step::Switch => {
                self.git(&["switch", "--quiet", "-"]);
            }
            Step::Merge => {
                self.git(&["merge", "--quiet", "--no-ff", "--no-edit", "-"]);
                self.git(&["merge", "--abort"]);
            }
            Step::Fetch => {
                self.git(&["fetch", "--quiet"]);
            }
            Step::OthersRecord => {
                self.number += 1;
                let sid = format!("s{}", self.number);
                self.record(&self.other, &sid, "q1=seen there");
                self.team.sq(&self.other, &["sync"]);
            }
            Step::OthersAreAhead => self.others_are_ahead(),
            Step::OthersForge => self.forge(),
            Step::Gc => {
                self.git(&["reflog", "expire", "--expire=now", "--all"]);
                self.git(&["gc", "--quiet", "--prune=now"]);
            }
            Step::RemoveIndex => {
                // There may be none.
                let _ = fs::remove_dir_all(&cache);
            }
            Step::CutIndex => {
                for file in &kept {
                    if let Ok(bytes) = fs::read(file) {
                        fs::write(file, &bytes[..bytes.len() * 2 / 3]).unwrap();
                    }
                }
            }
            Step::GarbleIndex => {
                for file in &kept {
                    if let Ok(mut bytes) = fs::read(file) {
                        let middle = bytes.len() / 2;
                        bytes[middle] ^= 0x55;
                        fs::write(file, bytes).unwrap();
                    }
                }
            }
            Step::TwoAtOnce => {
                let start = || self.team.command(&first, &["sq", "check"]).spawn().unwrap();
                let (mut one, mut two) = (start(), start());
                one.wait().unwrap();
                two.wait().unwrap();
            }
            Step::RemoveNote => {
                self.git(&["notes", "--ref=sq", "remove", "HEAD~1"]);
            }
        }
    }

    fn look(&self, args: &[&str]) -> String {
        let run = |args: &[&str]| {
            let args = [&["sq"], args].concat();
            let mut command = self.team.command(&self.team.clone, &args);
            command.env("SQ_TEST_NOW", "2026-02-01T00:00:00Z");
            self.team.anywhere(command).transcript()
        };
        let kept = run(args);
        let anew = run(&[&["--no-cache"], args].concat());
        assert_eq!(kept, anew, "{args:?}");
        kept
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::cases(4),
        max_shrink_iters: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_was_kept_never_shows(
        steps in prop::collection::vec((step(), prop::sample::select(&LOOKS[..])), 4..14),
    ) {
        let mut place = Place::new();
        for (step, look) in steps {
            place.take(step);
            place.look(look);
        }
        for look in LOOKS {
            place.look(look);
        }
    }
}
