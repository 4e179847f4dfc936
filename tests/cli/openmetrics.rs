//! The figures as metrics, held against those of the gate.

use std::collections::BTreeMap;

use git_sq_test_support::{Team, World};
use serde_json::{Value, json};

/// The samples: name and labels, and the value. Sees to the rules that both readers share.
pub fn samples(text: &str) -> BTreeMap<String, i64> {
    assert!(text.ends_with("\n# EOF\n"), "{text}");
    let mut family = "";
    let mut samples = BTreeMap::new();
    for line in text.lines().take_while(|line| *line != "# EOF") {
        if let Some(help) = line.strip_prefix("# HELP ") {
            family = help.split(' ').next().unwrap();
        } else if line.starts_with('#') {
            assert_eq!(line, format!("# TYPE {family} gauge"));
        } else {
            // A label may hold blanks; a time would be one more word behind the value.
            let (name, value) = line.rsplit_once("} ").unwrap();
            assert!(name.starts_with(&format!("{family}{{")), "{line}");
            let again = samples.insert(format!("{name}}}"), value.parse().unwrap());
            assert_eq!(again, None, "{line}");
        }
    }
    samples
}

/// The sum of a metric's samples, whatever their labels but one.
fn sum(samples: &BTreeMap<String, i64>, name: &str, label: &str) -> i64 {
    let is_it = |key: &String| key.starts_with(&format!("git_sq_{name}{{")) && key.contains(label);
    samples.iter().filter(|(key, _)| is_it(key)).map(|(_, value)| value).sum()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// A log in which each figure is another one than 0.
fn world() -> World {
    let world = World::new();
    let mut questions = ["outdated", "disputed", "stale", "never", "fresh"]
        .map(|id| json!({"id": id, "q": "?", "importance": 2, "watch": [format!("docs/{id}")]}))
        .to_vec();
    questions[2]["max_staleness"] = json!(1);
    questions.push(
        json!({"id": "failing", "q": "?", "importance": 3, "severity": "blocking", "expect": 1,
        "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}}),
    );
    let store = json!({"_schema": "standing_questions/v2", "settings": {"unasked.max": 0}, "questions": questions});
    world.write("standing_questions.json", store.to_string());
    for id in ["outdated", "disputed", "stale", "never", "fresh"] {
        world.write(&format!("docs/{id}"), "1");
    }
    world.write("src/a.rs", "// TODO\n");
    world.commit("ask");
    world.sq_ok("record --sure --sid s1 outdated=a disputed=a stale=a fresh=a");
    world.pass(90);
    world.sq_ok("record --sure --sid s1 outdated=b");
    world.write("docs/fresh", "2");
    world.write("src/a.rs", "// TODO\n// TODO\n");
    world.commit("work");
    world.sq_ok("record --sure --sid s2 --delta fresh=b --same outdated");
    world.commit("more");
    world.sq_ok("record --sure --sid s3 --same fresh --same outdated --wrong disputed=z --cite disputed=docs/disputed:1");
    world.write("docs/outdated", "2");
    world.write("docs/fresh", "3");
    world.commit("work");
    world.sq_ok("record --sure --sid s4 --same fresh");
    world.write("docs/outdated", "3");
    world.commit("work");
    world
}

#[test]
fn figures_equal_those_of_the_gate() {
    let world = world();
    let ran = world.try_sq("stats --format openmetrics").exits(0);
    let found = samples(&ran.stdout);
    let (check, _) = world.check(&[]);
    let questions = check["questions"].as_array().unwrap();
    let standing =
        |word: &str| questions.iter().filter(|question| question["standing"] == word).count();
    let rows = check["staleness"].as_array().unwrap();
    let answers = rows
        .iter()
        .flat_map(|row| row["recent"].as_array().unwrap())
        .filter(|mark| **mark != "none")
        .count();
    let findings = check["findings"].as_array().unwrap();
    let of_severity =
        |word: &str| findings.iter().filter(|finding| finding["severity"] == word).count();
    let expected = [
        ("sessions", "", number(&check["sessions"])),
        ("questions", "", questions.len()),
        ("questions", "\"stale\"", standing("stale")),
        ("questions", "\"outdated\"", standing("outdated")),
        ("questions", "\"disputed\"", standing("disputed")),
        ("questions", "\"fails\"", standing("fails")),
        ("questions", "\"never answered\"", standing("never answered")),
        ("flagged_looks", "", number(&check["looks"]["flagged"])),
        ("findings", "error", of_severity("error")),
        ("findings", "warning", of_severity("warning")),
        ("answers", "", answers),
    ];
    for (name, label, number) in expected {
        let number = i64::try_from(number).unwrap();
        assert!(number > 0, "{name} is 0: {}\n{}", ran.stdout, check);
        assert_eq!(sum(&found, name, label), number, "{name}\n{}", ran.stdout);
    }
    let message = |rule: &str| {
        findings.iter().find(|finding| finding["rule"] == rule).unwrap()["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_has!(message("unasked"), &format!("{} commits in", sum(&found, "unasked_commits", "")));
    assert_eq!(sum(&found, "deltas", "judgement"), 2);
    // A fact has no deltas.
    assert_eq!(sum(&found, "deltas", "probe"), 0);
    let stalest = rows.iter().map(|row| row["since"].as_i64().unwrap()).max().unwrap();
    assert!(sum(&found, "staleness_sessions", "") <= stalest);
    let newest = rows.iter().filter_map(|row| row["last_rederived_ts"].as_str()).max().unwrap();
    let newest: jiff::Timestamp = newest.parse().unwrap();
    assert_eq!(sum(&found, "newest_answer_timestamp_seconds", ""), newest.as_second());
    assert_eq!(sum(&found, "session_seconds", ""), 150);
    assert_eq!(sum(&found, "unknown_facts", ""), 0);

    let by_question = world.sq_ok("stats --format openmetrics --by-question");
    let by_question = samples(&by_question);
    for (name, label, _) in expected {
        assert_eq!(sum(&by_question, name, label), sum(&found, name, label), "{name}");
    }
    let stale = "git_sq_questions{repository=\"repo\",question=\"stale\",standing=\"stale\"}";
    assert_eq!(by_question[stale], 1);
}

#[test]
fn what_only_metrics_have_is_refused_elsewhere() {
    let world = World::asked();
    for line in ["stats", "stats --format json", "fleet . --format text", "fleet . -o fleet.html"] {
        let ran = world.try_sq(&format!("{line} --by-question"));
        assert_eq!((ran.code, &*ran.stdout), (128, ""), "{line}");
        assert_has!(ran.stderr, "--by-question is for metrics");
    }
}

#[test]
fn names_can_not_leave_their_label() {
    let world = World::answered("s1");
    let name = "a\"} 1\n# EOF\n\\\u{1b}[31m{x=\"";
    let text = world.sq(&["stats", "--format", "openmetrics", "--repository", name]).stdout;
    assert!(!text.contains('\u{1b}'), "{text}");
    let label = r#"{repository="a\"} 1\\u000a# EOF\\u000a\\\\u001b[31m{x=\""}"#;
    let found = samples(&text);
    assert_eq!(found[&format!("git_sq_sessions{label}")], 1, "{text}");
}

#[test]
fn unknown_figures_are_left_out_and_never_0() {
    let team = Team::new();
    for sid in ["s1", "s2"] {
        team.work(&team.clone, sid);
    }
    team.push();
    let shallow = team.cloned("--depth=1", "shallow");
    let ran = team.world.sq_in(&shallow, &["stats", "--format", "openmetrics"]).exits(3);
    let found = samples(&ran.stdout);
    assert!(sum(&found, "unknown_facts", "") > 0);
    assert_eq!(found.get("git_sq_sessions{repository=\"shallow\"}"), None);
    assert_eq!(sum(&found, "questions", "\"unknown\""), 1);
    assert_eq!(sum(&found, "questions", ""), 1);
}

#[test]
fn entries_that_wait_are_counted_from_the_oldest_on() {
    let team = Team::without_hooks();
    let export = || samples(&team.world.sq_ok_in(&team.clone, "stats --format openmetrics"));
    team.work(&team.clone, "s1");
    let first = team.world.now();
    team.work(&team.clone, "s2");
    let found = export();
    assert_eq!(sum(&found, "unpublished_entries", ""), 2);
    let first: jiff::Timestamp = first.parse().unwrap();
    assert_eq!(sum(&found, "oldest_unpublished_timestamp_seconds", ""), first.as_second());
    team.git_ok("push --quiet");
    team.world.sq_ok_in(&team.clone, "sync");
    let found = export();
    assert_eq!(sum(&found, "unpublished_entries", ""), 0);
    assert!(!found.keys().any(|key| key.contains("oldest_unpublished")));
}

#[test]
fn json_names_the_repository_as_open_telemetry_does() {
    let world = World::asked();
    let stats: Value = world.sq(&["stats", "--format", "json"]).json();
    assert_eq!(stats["vcs.repository.name"], "repo");
    assert_eq!(stats["vcs.ref.head.revision"], world.head());
}
