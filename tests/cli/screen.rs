//! What fits a terminal of 24 lines and 80 columns.

use std::process::Command;

use git_sq_test_support::{Ran, World, path_with_program};
use serde_json::json;

/// 12 questions and 20 sessions, which report no change of the first question and one of another each time.
fn world() -> World {
    let world = World::new().env("SQ_AGENT", "claude-opus-4-5");
    let names = [
        "default-branch",
        "test-command",
        "release-version",
        "license-kind",
        "api-surface",
        "schema-version",
        "feature-flags",
        "retry-policy",
        "open-migrations",
        "error-budget",
        "todo-count",
        "deploy-target",
    ];
    let questions = names.map(|name| {
        let mut question =
            json!({"id": name, "q": "?", "importance": 2, "watch": [format!("src/{name}")]});
        if name == names[0] {
            question.as_object_mut().unwrap().remove("watch");
        }
        world.write(&format!("src/{name}"), "1\n");
        question
    });
    let store = json!({"_schema": "standing_questions/v2", "questions": questions});
    world.write("standing_questions.json", store.to_string());
    world.commit("Ask standing questions");
    let first = names.map(|name| format!("{name}=a")).join(" ");
    world.sq_ok(&format!("record --sure --sid kxyzabc0 {first}"));
    for session in 1..20 {
        let changed = names[1 + session % 11];
        // One of them reports no change at all.
        let is_quiet = session == 10;
        if !is_quiet {
            world.write(&format!("src/{changed}"), format!("1\n{session}\n"));
        }
        world.commit("Change what the release of the next version needs, as agreed with the team");
        let same = names.iter().filter(|name| is_quiet || **name != changed);
        let same: Vec<String> = same.map(|name| format!("--same {name}")).collect();
        let delta = if is_quiet {
            String::new()
        } else {
            format!("--delta {changed}={session} --cite {changed}=src/{changed}:1-2")
        };
        let sid = format!("kxyzabc{session}");
        world.sq_ok(&format!("record --sure --sid {sid} {} {delta}", same.join(" ")));
    }
    world
}

/// The lines that a command prints on such a terminal; `None` where there is no program that makes one.
fn screen(world: &World, line: &str) -> Option<Vec<String>> {
    let mut command: Command = world.command("script");
    let script = format!("stty cols 80 rows 24; git-sq --color never {line}");
    command.env("PATH", path_with_program()).env("TERM", "xterm").args([
        "-qec",
        &script,
        "/dev/null",
    ]);
    let Ok(ran) = command.output() else {
        println!("skipped: the program script is not installed");
        return None;
    };
    let ran: Ran = ran.into();
    Some(ran.stdout.lines().map(|line| line.trim_end().to_owned()).collect())
}

#[test]
fn check_and_status_fit_a_small_terminal() {
    let world = world();
    for line in ["check", "status"] {
        let Some(lines) = screen(&world, line) else {
            return;
        };
        let text = lines.join("\n");
        assert!(lines.len() <= 24, "{} lines: {text}", lines.len());
        for line in &lines {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let rows = lines.iter().filter(|line| line.ends_with("  2026-01-01"));
        assert!(rows.clone().count() == 12 || line == "status", "{text}");
        assert!(!text.contains('…'), "{text}");
        // The run of the one question that says nothing of what it depends on.
        assert_has!(text, "19 sessions in a row");
        assert!(!text.contains("kxyzabc10 ("), "{text}");
    }
}
