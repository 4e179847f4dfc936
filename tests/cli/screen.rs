//! What fits a terminal of 24 lines and 80 columns.

use std::process::Command;

use git_sq_test_support::{Ran, World, path_with_program};
use insta::assert_snapshot;
use serde_json::json;

use crate::facts::{self, RUST};

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

/// What `git sq` and `git sq facts` show, if a terminal can be made; all of it fits.
fn facts_screens(world: &World) -> Option<[String; 2]> {
    let screens = ["", "facts"].map(|line| screen(world, line));
    let [Some(status), Some(facts)] = screens else { return None };
    for lines in [&status, &facts] {
        assert!(lines.len() < 24, "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    }
    Some([status, facts].map(|lines| lines.join("\n")))
}

#[test]
fn the_first_screen_says_what_to_do_where_nothing_is_set_up() {
    let readme = "Needs Rust 1.75 or later. Run `tools/make.sh`.\n";
    let world = facts::world(&[RUST, ("README.md", readme, readme), ("tools/make.sh", "a", "b")]);
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop it");
    let Some([status, facts]) = facts_screens(&world) else { return };
    assert_snapshot!(status, @"
    Compared 1 document with 1 other file at HEAD (9faf1719e0): 2 facts are wrong.

    ttrx  differs for 30 days: minimum Rust version
    drzv  missing for 0 days: a path named in README.md

    No question is asked here yet.
      git sq facts  show all facts, since when they are wrong, and what fixes them
      git sq init   ask questions, which each session answers anew
      git sq demo   see a false answer being caught, in a repository of its own
    ");
    assert_snapshot!(facts, @r#"
    Compared 1 document with 1 other file at HEAD (9faf1719e0): 2 facts are wrong.

    ttrx  differs for 30 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75 or later. Run `tools/make.sh`.
          767eb40537 2026-01-31 Ada Example changed Cargo.toml; before, both said
            1.75
          Fix: write 1.80 in README.md:1 (git sq facts --fix ttrx)

    drzv  missing for 0 days: a path named in README.md
          README.md:1  tools/make.sh
          9faf1719e0 2026-03-02 Ada Example removed tools/make.sh
          Fix it by hand: git is sure of no rename of tools/make.sh.

      git sq facts --fix      write the right values, and show the diff
      git sq facts ID         one fact, its history, and a question for it
    "#);
    // Programs are not told of facts where they asked for a status.
    assert_eq!(world.try_sq("--format json").code, 128);
}

#[test]
fn the_first_screen_says_what_to_do_about_facts_that_are_asked() {
    let readme = "Needs Rust 1.75 or later. Run `tools/make.sh`.\n";
    let world = facts::world(&[RUST, ("README.md", readme, readme), ("tools/make.sh", "a", "b")]);
    let count = json!({"files": {"paths": ["README.md"], "take": "count"}});
    world.ask_json(&format!(
        r#"{{"id": "pages", "q": "?", "importance": 2, "expect": 1, "probe": {count}}},
        {{"id": "more-pages", "q": "?", "importance": 2, "probe": {count}}}"#
    ));
    world.sq_ok("facts --add");
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop it");
    let Some([status, facts]) = facts_screens(&world) else { return };
    assert_snapshot!(status, @r#"
    On main at bb22f2f831: 3 questions, 0 sessions
    fails: readme-msrv
      ("git sq check" shows details)
    "#);
    assert_snapshot!(facts, @r#"
    Compared 1 document with 1 other file at HEAD (bb22f2f831): 2 facts are wrong.

    Asked
      readme-msrv  fails  differs for 30 days
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75 or later. Run `tools/make.sh`.
          767eb40537 2026-01-31 Ada Example changed Cargo.toml; before, both said
            1.75
          Fix: write 1.80 in README.md:1 (git sq facts --fix readme-msrv)
      pages        holds  1
      more-pages   fresh  1

    Found, not asked
    drzv  missing for 0 days: a path named in README.md
          README.md:1  tools/make.sh
          bb22f2f831 2026-03-02 Ada Example removed tools/make.sh
          Fix it by hand: git is sure of no rename of tools/make.sh.

      git sq facts --fix      write the right values, and show the diff
      git sq facts ID         one fact, its history, and a question for it
    "#);
}

#[test]
fn the_first_screen_says_what_to_do_where_nothing_is_wrong() {
    let readme = "Needs Rust 1.80 or later.\n";
    let world = facts::world(&[(RUST.0, RUST.2, RUST.2), ("README.md", readme, readme)]);
    let Some([status, facts]) = facts_screens(&world) else { return };
    assert_snapshot!(status, @"
    Compared 1 document with 1 other file at HEAD (94dbc26516): no contradictions.

    No question is asked here yet.
      git sq facts  show all facts, since when they are wrong, and what fixes them
      git sq init   ask questions, which each session answers anew
      git sq demo   see a false answer being caught, in a repository of its own
    ");
    assert_snapshot!(facts, @"
    Compared 1 document with 1 other file at HEAD (94dbc26516): no contradictions.

    1 fact holds, and never broke: git sq facts --all

    This looks only for versions, paths and commands. To compare two other places:
      git sq trace README.md:PATTERN package.json:/version
    ");
}

/// It took the newest entries, and ended; git says "cannot run" and exits with 128.
#[test]
fn a_pager_that_can_t_be_started_is_an_error() {
    let world = World::asked();
    world.record("s1");
    for line in ["log", "show q1"] {
        world.git_ok("config core.pager no-such-pager");
        let Some(said) = screen(&world, &format!("{line}; echo exit $?")) else { return };
        let said = said.join("\n");
        assert_has!(said, "fatal: the pager 'no-such-pager' could not be started\n");
        assert!(said.ends_with("exit 128"), "{said}");
        world.git_ok("config core.pager true");
        let said = screen(&world, &format!("{line}; echo exit $?")).unwrap();
        assert_eq!(said, ["exit 0"]);
    }
}
