//! Hooks whose standard input is left open by the program that runs them: they end without its end.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use git_sq_test_support::{Ran, Team, World, refs, words};
use serde_json::{Value, json};

const AGENTS: [&str; 5] = ["session-start", "stop", "session-end", "pre-compact", "prompt"];

/// Runs a program that gets these parts, one after another, and no end.
fn left_open(mut command: Command, parts: &[&str]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            thread::sleep(Duration::from_millis(200));
        }
        // It may have ended by now.
        let _ = input.write_all(part.as_bytes());
    }
    let ran = receiver.recv_timeout(Duration::from_secs(120));
    ran.expect("it waits for the end of standard input").into()
}

fn hook_left_open(world: &World, hook: &str, parts: &[&str]) -> Ran {
    let line = format!("hook {hook}");
    left_open(world.sq_command(&refs(&words(&line))), parts)
}

#[test]
fn a_hook_of_an_agent_ends_after_the_first_value() {
    let world = World::asked();
    let input = |sid: &str| {
        json!({"session_id": sid, "cwd": world.dir.to_str(), "transcript_path": "/t.jsonl"})
            .to_string()
    };
    for event in AGENTS {
        let ran = hook_left_open(&world, event, &[&input("open")]);
        let whole = world.sq_input(&format!("hook {event}"), &input("closed"));
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{event}: {}", ran.transcript());
        assert_eq!(ran.stdout.replace("open", "closed"), whole.stdout, "{event}");
    }
    // In parts, and with more behind it.
    let whole = input("parts");
    let (one, other) = whole.split_at(whole.len() / 2);
    let ran = hook_left_open(&world, "session-start", &[one, other, "\n{ \"session_id\""]);
    assert_has!(ran.stdout, "# Standing questions");
}

#[test]
fn a_hook_of_an_agent_goes_on_where_no_value_is_whole() {
    let world = World::asked();
    for part in ["", "{\"session_id\":\"s\"", " \n", "{}"] {
        let ran = hook_left_open(&world, "stop", &[part]);
        assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.transcript());
        assert_has!(ran.stderr, "git sq: the hook's input ");
        assert!(!ran.stderr.trim_end().ends_with(';'), "{}", ran.stderr);
    }
    for event in AGENTS {
        assert_eq!(hook_left_open(&world, event, &[]).code, 0);
    }
}

#[test]
fn the_lines_of_rewritten_commits_are_taken_as_they_come() {
    let world = World::answered("s1");
    let old = world.head();
    world.git_ok("-c core.hooksPath=/dev/null commit --quiet --amend --allow-empty -m Two");
    let pair = format!("{old} {}", world.head());
    let (one, other) = pair.split_at(50);
    let ran = hook_left_open(&world, "post-rewrite amend", &[one, other, "\n", "unfinished"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert!(!world.note(&world.head()).is_empty());
}

/// As under pre-commit, which hands nothing to it, and where nothing ever comes.
#[test]
fn rewritten_commits_that_nobody_names_are_found_by_their_content() {
    let says_nothing = |world: &World, command: &str| {
        world.sq_input(&format!("hook post-rewrite {command}"), "").transcript()
    };
    let open = |world: &World, command: &str| {
        hook_left_open(world, &format!("post-rewrite {command}"), &[]).transcript()
    };
    for hook in [&says_nothing as &dyn Fn(&World, &str) -> String, &open] {
        let world = World::asked();
        world.git_ok("config core.hooksPath /dev/null");
        world.record("s1").ok();
        // Also where another branch still has the old commit.
        world.git_ok("branch side");
        world.git_ok("commit --quiet --amend --allow-empty -m Two");
        assert_eq!(hook(&world, "amend"), "--- exit 0\n");
        let note = world.note(&world.head());
        assert!(!note.is_empty());
        // Nothing was rewritten by this.
        world.change("other", "text");
        assert_eq!(hook(&world, "amend"), "--- exit 0\n");
        world.git_ok("reset --quiet --hard HEAD~");
        world.git_ok("rebase --quiet --force-rebase --root");
        assert_eq!(hook(&world, "rebase"), "--- exit 0\n");
        assert_eq!(world.note(&world.head()), note);
    }
}

#[test]
fn the_hook_for_a_push_reads_nothing() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let command = team.command(&team.clone, &["sq", "hook", "pre-push", "origin"]);
    assert_eq!(left_open(command, &[]).transcript(), "--- exit 0\n");
}

/// Gemini CLI and Qwen Code count milliseconds, the others seconds.
#[test]
#[cfg(unix)]
fn every_hook_that_is_planted_has_a_time() {
    let world = World::asked();
    for (agent, file, key, times) in [
        ("claude", ".claude/settings.json", "timeout", [3, 10]),
        ("codex", ".codex/hooks.json", "timeout", [3, 10]),
        ("copilot", ".github/hooks/git-sq.json", "timeoutSec", [10, 10]),
        ("gemini", ".gemini/settings.json", "timeout", [3000, 10000]),
        ("qwen", ".qwen/settings.json", "timeout", [3000, 10000]),
    ] {
        world.sq_ok(&format!("agent install {agent} --project --yes"));
        let text = world.read(file);
        let planted: Value = serde_json::from_str(&text).unwrap();
        let found = handlers(&planted["hooks"]);
        assert!(found.len() > 3, "{text}");
        for handler in found {
            let time = handler[key].as_u64().unwrap_or_default();
            assert!(times.contains(&time), "{agent}: {handler}");
        }
    }
}

fn handlers(hooks: &Value) -> Vec<&Value> {
    match hooks {
        Value::Object(map) if map.contains_key("type") => vec![hooks],
        Value::Object(map) => map.values().flat_map(handlers).collect(),
        Value::Array(list) => list.iter().flat_map(handlers).collect(),
        _ => Vec::new(),
    }
}
