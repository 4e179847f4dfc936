//! `record` and `check` judge alike: what is recorded without `--sure` is not flagged, whatever the sessions before did.

use git_sq_test_support::{World, refs, words};
use proptest::prelude::*;
use serde_json::Value;

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"flagged":{"max":20}},"questions":[
{"id":"q1","q":"What does it say?","importance":3,"shape":"text","watch":["a"]},
{"id":"q2","q":"How much is left to do?","importance":2,"shape":"number","watch":["b"],"lines":"TODO"},
{"id":"q3","q":"Is it sound?","importance":2,"watch":["a","b"]}]}"#;

/// What is done, and a number for all that is left open.
type Step = (&'static str, usize);

const STEPS: &str =
    "commit commit commit record record record record record wrong sure branch merge back";

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let words: Vec<&str> = STEPS.split_whitespace().collect();
    prop::collection::vec((prop::sample::select(words), 0..10_000_usize), 6..18)
}

struct Place {
    world: World,
    number: usize,
}

impl Place {
    fn new() -> Self {
        let world = World::new();
        for (file, text) in [("standing_questions.json", STORE), ("a", "one\n"), ("b", "TODO\n")] {
            world.write(file, text);
        }
        world.git_ok("add --all");
        world.commit("ask");
        Self { world, number: 0 }
    }

    fn commit(&self, number: usize) {
        let (file, text) = match number % 6 {
            0 => ("a", "one\n"),
            1 => ("a", "two\none\n"),
            2 => ("a", "two\n"),
            3 => ("b", "TODO\n"),
            4 => ("b", "TODO\nTODO again\n"),
            _ => ("b", "nothing\n"),
        };
        self.world.write(file, text);
        self.world.git_ok("add --all");
        self.world.git_ok("commit --quiet --allow-empty --message work");
    }

    /// An answer to one question, in one of many forms; returns true if it was recorded.
    fn record(&mut self, number: usize, option: &str) -> bool {
        self.number += usize::from(!number.is_multiple_of(4));
        let (name, answers, file) = [
            ("q1", ["one", "two", "three"], "a"),
            ("q2", ["1", "2", "0"], "b"),
            ("q3", ["yes", "no", "perhaps"], "b"),
        ][number / 4 % 3];
        let answer = answers[number / 12 % 3];
        let form = match number / 36 % 4 {
            _ if option == "--wrong" => format!("--wrong {name}={answer}"),
            0 => format!("--same {name}"),
            1 => format!("--same {name} {name}={answer}"),
            2 => format!("--delta {name}={answer}"),
            _ => format!("{name}={answer}"),
        };
        let cite = [format!("--cite {name}={file}:1"), String::new()];
        let sure = if option == "--sure" { option } else { "" };
        let line =
            format!("record --sid s{} {form} {} {sure}", self.number, cite[number / 144 % 2]);
        self.world.sq(&refs(&words(&line))).code == 0
    }

    fn part(&mut self, act: &str, number: usize) {
        match act {
            "sure" => drop(self.record(number, "--sure")),
            "commit" => self.commit(number),
            "branch" => drop(self.world.try_git("switch --quiet --force-create side")),
            "back" => drop(self.world.try_git("switch --quiet main")),
            _ => {
                self.world.try_git("switch --quiet main");
                self.world.try_git("merge --quiet --no-edit -X ours side");
                self.world.try_git("merge --abort");
            }
        }
    }

    /// Number of answers that are flagged for what they say.
    fn flagged(&self) -> usize {
        let check = self.world.sq(&["check", "--format", "json"]);
        let check: Value = serde_json::from_str(&check.stdout).unwrap();
        let findings = check["findings"].as_array().unwrap().iter();
        let rules = ["no-evidence", "not-shown", "nothing-changed"];
        findings.filter(|finding| rules.iter().any(|rule| finding["rule"] == *rule)).count()
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
    fn what_is_recorded_without_force_is_not_flagged(steps in steps()) {
        let mut place = Place::new();
        for (act, number) in steps {
            let before = place.flagged();
            let recorded = match act {
                "record" => place.record(number, ""),
                "wrong" => place.record(number, "--wrong"),
                act => {
                    place.part(act, number);
                    false
                }
            };
            prop_assert!(!recorded || place.flagged() <= before, "{} {}", act, number);
        }
    }
}
