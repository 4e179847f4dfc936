//! `git sq hook session-start` and its like: what coding agents' hooks say, and what they hear.

use std::{fs, path::Path};

use git_sq_test_support::{Ran, World, path_with_program};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::generated::assert_valid;

const HARNESSES: [&str; 6] = ["claude", "codex", "copilot", "gemini", "qwen", "other"];

/// What a harness says as a session starts; these are real inputs, shortened.
fn starting(harness: &str, sid: &str, cwd: &Path) -> Value {
    let mut input = match harness {
        "claude" => {
            json!({"transcript_path": "/home/dev/.claude/projects/p.jsonl", "source": "startup"})
        }
        "codex" => json!({"transcript_path": "/home/dev/.codex/sessions/r.jsonl", "model": "m1",
            "permission_mode": "bypassPermissions", "source": "startup"}),
        "copilot" => {
            json!({"timestamp": "2026-11-22T12:23:58.489Z", "source": "new", "initial_prompt": "hello"})
        }
        "gemini" => json!({"transcript_path": "/home/dev/.gemini/tmp/c.jsonl",
            "timestamp": "2026-11-22T12:06:31.190Z", "source": "startup"}),
        "qwen" => {
            json!({"transcript_path": "/home/dev/.qwen/c.jsonl", "timestamp": "2026-11-22T12:18:22.638Z",
            "permission_mode": "yolo", "source": "startup", "model": "m1"})
        }
        _ => json!({}),
    };
    input["hook_event_name"] = "SessionStart".into();
    input["session_id"] = sid.into();
    input["cwd"] = cwd.to_str().into();
    input
}

/// What a hook says to a harness whose session starts here.
#[track_caller]
fn start(world: &World, harness: &str, sid: &str) -> String {
    said(world, "session-start", &starting(harness, sid, &world.dir))
}

/// What a hook says to a harness whose agent is about to stop.
#[track_caller]
fn stop(world: &World, harness: &str, sid: &str) -> String {
    said(world, "stop", &stopping(harness, sid, &world.dir))
}

/// What a hook says to a harness whose session ends.
#[track_caller]
fn end(world: &World, harness: &str, sid: &str) -> String {
    said(world, "session-end", &stopping(harness, sid, &world.dir))
}

/// What a harness says as its agent is about to stop.
fn stopping(harness: &str, sid: &str, cwd: &Path) -> Value {
    let mut input = starting(harness, sid, cwd);
    let input = input.as_object_mut().unwrap();
    input.remove("source");
    input.insert("stop_hook_active".into(), false.into());
    match harness {
        "codex" => input.insert("turn_id".into(), "t".into()),
        "copilot" => input.insert("stop_reason".into(), "end_turn".into()),
        _ => None,
    };
    Value::Object(input.clone())
}

fn hook(world: &World, event: &str, input: &Value) -> Ran {
    world.sq_with_input(&["hook", event], &input.to_string())
}

/// What a hook says on standard output; it has no trouble.
#[track_caller]
fn said(world: &World, event: &str, input: &Value) -> String {
    let ran = hook(world, event, input);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{}", ran.transcript());
    ran.stdout
}

/// The text for the model in an answer to a start.
#[track_caller]
fn context(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|_| panic!("{answer}"));
    answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

/// The answers in the log: session, and agent by name, model and harness.
fn answers(world: &World) -> Vec<(String, Value)> {
    world
        .lines()
        .into_iter()
        .map(|line| serde_json::from_str::<Value>(&line).unwrap())
        .filter(|line| line["kind"] == "rederive")
        .map(|line| (line["sid"].as_str().unwrap().to_owned(), line["agent"].clone()))
        .collect()
}

#[test]
fn each_harness_hears_the_brief_in_its_own_shape() {
    for harness in HARNESSES {
        let world = World::asked();
        let answer = start(&world, harness, "s1");
        let text = match harness {
            "other" => answer,
            "copilot" => {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
                answer["additionalContext"].as_str().unwrap().to_owned()
            }
            _ => {
                assert_has!(answer, r#""hookEventName":"SessionStart""#);
                context(&answer)
            }
        };
        let brief = world.sq_ok("brief --format markdown");
        assert_eq!(text.trim_end(), brief.trim_end(), "{harness}");
        // The session is named and described by the hook, and ended by one that is of it.
        world.sq_ok("record --same q1=x");
        let agent = match harness {
            "other" => Value::Null,
            "codex" | "qwen" => json!({"name": harness, "model": "m1", "harness": harness}),
            name => json!({"name": name, "harness": name}),
        };
        assert_eq!(answers(&world), [("s1".to_owned(), agent.clone())]);
        end(&world, harness, "s2");
        assert_eq!(world.sq_ok("session current"), "s1\n");
        end(&world, harness, "s1");
        let ended = world.newest();
        assert_eq!((&ended["sid"], &ended["how"]), (&json!("s1"), &json!("end")));
        assert_eq!(ended["agent"], agent);
    }
}

#[test]
fn copilot_hears_the_brief_again_with_the_prompt_after_a_compaction() {
    let world = World::asked();
    let input = json!({"sessionId": "s1", "timestamp": 1_795_349_642_086_i64, "cwd": world.dir});
    assert_has!(said(&world, "session-start", &input), "additionalContext");
    assert_eq!(said(&world, "prompt", &input), "");
    said(&world, "pre-compact", &input);
    assert_has!(said(&world, "prompt", &input), "additionalContext");
    assert_eq!(said(&world, "prompt", &input), "");
    // The others start the session again.
    let claude = starting("claude", "s2", &world.dir);
    said(&world, "session-start", &claude);
    said(&world, "pre-compact", &claude);
    assert_eq!(said(&world, "prompt", &claude), "");
}

/// Copilot gives a subagent an id in its shell that no hook hears, and another one in the hook at its end.
#[test]
fn a_subagent_of_copilot_has_no_session_of_its_own() {
    let world = World::asked();
    let input = json!({"sessionId": "s1", "timestamp": 1_795_349_642_086_i64, "cwd": world.dir});
    said(&world, "session-start", &input);
    world.git_ok("config sq.enforce true");
    let sub = [("COPILOT_AGENT_SESSION_ID", "sub")];
    world.sq_env("record --same q1=x", &sub).ok();
    let agent = json!({"name": "copilot", "harness": "copilot"});
    assert_eq!(answers(&world), [("s1".to_owned(), agent)]);
    let end = json!({"sessionId": "a", "timestamp": 1, "cwd": world.dir, "stopReason": "end_turn",
        "agentId": "a", "agentType": "task", "parentAgentId": "s1"});
    for event in ["session-start", "stop", "session-end"] {
        assert_eq!(said(&world, event, &end), "");
    }
    assert_eq!(world.sq_ok("session current"), "s1\n");
}

#[test]
fn two_configurations_that_call_for_one_start_are_answered_once() {
    let world = World::asked();
    assert_ne!(start(&world, "claude", "s1"), "");
    world.pass(-60);
    assert_eq!(start(&world, "claude", "s1"), "");
    // Another event is not the same.
    let mut compact = starting("claude", "s1", &world.dir);
    compact["source"] = "compact".into();
    world.pass(-60);
    assert_ne!(said(&world, "session-start", &compact), "");
    for _ in 0..2 {
        assert_ne!(start(&world, "claude", "s2"), "");
    }
}

/// As in the shell of Gemini CLI, which hides the user's configuration of git.
#[test]
fn where_git_knows_nobody_the_author_is_the_one_that_the_hook_saw() {
    let world = World::asked();
    start(&world, "gemini", "s1");
    let nobody = [("GIT_CONFIG_GLOBAL", "/dev/null")];
    let record = || world.sq_env("record --same q1=x --sure", &nobody);
    record().ok();
    record().ok();
    let message = world.git_ok("log -1 --format=%an%n%B refs/notes/sq");
    let message = message.split_once("\nSq-Chain: ").unwrap().0;
    assert_snapshot!(message, @"
    Ada Example
    Notes added by 'git sq record'

    Git knew no author here: this one was seen when the session started.
    ");
    let lines = world.lines();
    assert_has!(lines[1], r#""by":{"name":"Ada Example","#);
    assert_has!(lines[1], r#""n":2,"#);
    end(&world, "gemini", "s1");
    assert_has!(record().stderr, "git does not know who you are");
}

#[test]
fn a_resumed_session_is_asked_for_the_rest() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    let start = starting("claude", "s1", &world.dir);
    said(&world, "session-start", &start);
    world.sq_ok("record --same q1=x --sid s1");
    said(&world, "session-end", &start);
    for source in ["resume", "compact"] {
        let mut again = start.clone();
        again["source"] = source.into();
        let brief = context(&said(&world, "session-start", &again));
        assert_has!(brief, "already answered in this session: q1\n");
        assert_has!(brief, "git sq record 'q2=the answer'");
        assert!(!brief.contains("'q1=the answer'"), "{brief}");
    }
}

#[test]
fn an_agent_that_answered_nothing_is_asked_once_where_that_is_wanted() {
    for harness in ["claude", "copilot", "other"] {
        let world = World::asked();
        start(&world, harness, "s1");
        assert_eq!(stop(&world, harness, "s1"), "");
        world.git_ok("config sq.enforce true");
        assert_eq!(stop(&world, harness, "s1"), "");
        world.commit("Work");
        let asked = stop(&world, harness, "s1");
        if harness == "other" {
            assert_snapshot!(asked, @"Still to answer in this session: q1. Derive each answer anew from the repository, then run, for each: git sq record 'q1=the answer' --cite q1=path:3-5. The questions: git sq brief --format markdown. This is asked once.");
        } else {
            let answer: Value = serde_json::from_str(&asked).unwrap();
            assert_eq!(answer.as_object().unwrap().len(), 2);
            assert_eq!(answer["decision"], "block");
            assert_has!(answer["reason"].as_str().unwrap(), "git sq record 'q1=the answer'");
        }
        assert_eq!(stop(&world, harness, "s1"), "");
        // Not even after a resumption.
        end(&world, harness, "s1");
        start(&world, harness, "s1");
        world.commit("More work");
        assert_eq!(stop(&world, harness, "s1"), "");
    }
}

#[test]
fn nobody_is_asked_who_owes_nothing() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.git_ok("config sq.enforce true");
    start(&world, "claude", "s1");
    world.sq_ok("record --same q1=x --same q2=x");
    assert_eq!(stop(&world, "claude", "s1"), "");
    // Others committed before it, and it reads, asks and opens a tension.
    world.commit("Work");
    start(&world, "claude", "s2");
    world.sq_ok("brief");
    world.sq_ok(crate::tensions::OPEN);
    assert_eq!(stop(&world, "claude", "s2"), "");
    end(&world, "claude", "s2");
    // One that leaves without an answer frees nobody.
    start(&world, "claude", "s3");
    world.commit("More work");
    end(&world, "claude", "s3");
    start(&world, "claude", "s4");
    world.commit("Even more work");
    world.sq_ok("record --same q1");
    let asked = stop(&world, "claude", "s4");
    assert_has!(asked, "q2");
    assert!(!asked.contains(r#"\"q1\""#), "{asked}");
}

#[test]
fn an_agent_is_asked_for_what_its_own_commit_made_outdated() {
    let world = World::asking(&[r#","watch":["conf"]"#]);
    world.git_ok("config sq.enforce true");
    start(&world, "other", "s1");
    world.sq_ok("record --same q1=none");
    assert_eq!(stop(&world, "other", "s1"), "");
    world.change("conf", "limit = 5\n");
    assert_has!(stop(&world, "other", "s1"), "Still to answer in this session: q1. ");
}

#[test]
fn an_agent_that_changed_files_is_asked_and_one_that_only_talked_is_not() {
    let world = World::asked();
    world.git_ok("config sq.enforce true");
    let write = |path: &str, seconds: i64| {
        world.write(path, "x");
        let file = fs::File::options().append(true).open(world.dir.join(path));
        let time = world.now().parse::<jiff::Timestamp>().unwrap();
        let time = time + jiff::SignedDuration::from_secs(seconds);
        file.unwrap().set_modified(time.into()).unwrap();
    };
    let stop = |sid: &str| stop(&world, "claude", sid);
    // A person's own changes from before, and what the harness writes into its settings.
    write("notes", 0);
    start(&world, "claude", "s1");
    write(".claude/settings.json", 120);
    assert_eq!(stop("s1"), "");
    write("notes", 120);
    assert_has!(stop("s1"), "git sq record 'q1=the answer'");
    world.commit("Work");
    world.pass(600);
    start(&world, "claude", "s2");
    assert_eq!(stop("s2"), "");
    fs::remove_file(world.dir.join("notes")).unwrap();
    assert_has!(stop("s2"), "git sq record 'q1=the answer'");
}

#[test]
fn what_goes_wrong_is_one_line_that_the_harness_takes() {
    let world = World::asked();
    world.change("standing_questions.json", "{");
    world.git_ok("config sq.enforce true");
    let all = HARNESSES.map(|harness| {
        let starting = starting(harness, "s1", &world.dir);
        let start = hook(&world, "session-start", &starting).transcript();
        let stop = hook(&world, "stop", &stopping(harness, "s1", &world.dir));
        format!("{harness}\n{start}{}", stop.transcript())
    });
    insta::with_settings!({filters => vec![("\\b[0-9a-f]{10}\\b", "[short]")]}, {
        assert_snapshot!(all.concat());
    });
}

#[test]
fn without_questions_nothing_is_said_and_nothing_is_kept() {
    let world = World::without_repo();
    let outside = world.root().join("outside");
    fs::create_dir(&outside).unwrap();
    world.git_ok("init --quiet unborn");
    world.git_ok("init --quiet bare-of-questions");
    let asks_nothing = world.root().join("bare-of-questions");
    world.git_ok_in(&asks_nothing, "commit --quiet --allow-empty -m One");
    let gone = world.root().join("gone");
    let unread = world.root().join("unread");
    world.git_ok("init --quiet unread");
    world.git_ok_in(&unread, "config core.repositoryFormatVersion 99");
    for dir in [outside, world.root().join("unborn"), asks_nothing, gone, unread] {
        for event in ["session-start", "stop", "session-end", "pre-compact", "prompt"] {
            let said = said(&world, event, &starting("claude", "s1", &dir));
            assert_eq!(said, "", "{event}");
        }
        assert!(!dir.join(".git/sq").exists());
    }
}

#[test]
fn the_session_is_that_of_the_folder_in_which_the_agent_works() {
    let world = World::asked();
    let side = world.beside();
    world.write("deep/er/file", "x");
    let deep = world.dir.join("deep/er");
    for (sid, dir) in [("s1", &deep), ("s2", &side)] {
        said(&world, "session-start", &starting("claude", sid, dir));
    }
    assert_eq!(world.sq_ok("session current"), "s1\n");
    assert_eq!(world.sq_ok_in(&side, "session current"), "s2\n");
    said(&world, "session-end", &starting("claude", "s2", &side));
    assert_eq!(world.sq_in(&side, &["session", "current"]).code, 1);
    assert_eq!(world.sq_ok("session current"), "s1\n");
}

#[test]
fn an_end_has_a_receipt_of_the_transcript_and_show_says_if_it_is_still_that_one() {
    let world = World::asked();
    let file = world.root().join("transcript.jsonl");
    let mut start = starting("claude", "s1", &world.dir);
    start["transcript_path"] = file.to_str().into();
    fs::write(&file, "abc").unwrap();
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    said(&world, "session-start", &start);
    end(&world, "claude", "s1");
    let ended = world.newest();
    assert_eq!(ended["transcript"], json!({"sha256": sha256, "bytes": 3}));
    assert!(!ended.to_string().contains("transcript.jsonl"), "{ended}");
    let shown = |what: &str| {
        let shown = world.sq_ok("show s1");
        let path = file.to_str().unwrap();
        assert_has!(shown, format!("transcript: {what}: {path}\n"));
    };
    shown("still the same");
    fs::write(&file, "abcdef").unwrap();
    shown("unchanged, and 3 bytes longer");
    fs::write(&file, "abd").unwrap();
    shown("changed since the session ended");
    fs::write(&file, "ab").unwrap();
    shown("changed since the session ended");
    fs::remove_file(&file).unwrap();
    shown("not found");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("elsewhere", &file).unwrap();
        shown("transcript.jsonl is a symbolic link, which git sq does not follow");
    }
    // A copy of the clone knows the receipt, and not the file.
    let copy = world.root().join("copy");
    world.git_ok(&format!("clone --quiet . {}", copy.display()));
    world.git_ok_in(&copy, "fetch --quiet origin +refs/notes/sq:refs/notes/sq");
    assert_has!(
        world.sq_ok_in(&copy, "show s1"),
        "transcript: 3 bytes, sha256 ba7816bf8f…, known only where the session ran\n"
    );
}

#[test]
fn what_cannot_be_a_transcript_has_no_receipt() {
    let world = World::asked();
    let folder = world.dir.to_str().unwrap();
    let sparse = world.root().join("sparse");
    fs::File::create(&sparse).unwrap().set_len((256 << 20) + 1).unwrap();
    for path in [sparse.to_str().unwrap(), folder, "/nonexistent/x", "/dev/zero", ""] {
        let mut start = starting("claude", "s1", &world.dir);
        start["transcript_path"] = path.into();
        said(&world, "session-start", &start);
        end(&world, "claude", "s1");
        assert!(!world.lines().concat().contains("sha256"), "{path}");
    }
    assert_has!(world.sq_ok("show s1"), "transcript: not found: \n");
}

#[test]
fn a_hook_outranks_what_is_inherited() {
    let world = World::asked();
    let record = |variables: &[(&str, &str)]| {
        world.sq_env("record --same q1=x --sure", variables).ok();
        let (sid, agent) = answers(&world).pop().unwrap();
        format!("{sid} {}", agent["harness"].as_str().unwrap_or_default())
    };
    let inherited = ("CLAUDE_CODE_SESSION_ID", "parent");
    assert_eq!(record(&[inherited]), "parent claude");
    // Gemini names no session, but itself; Codex names its session.
    start(&world, "gemini", "g");
    assert_eq!(record(&[inherited, ("GEMINI_CLI", "1")]), "g gemini");
    assert_eq!(record(&[inherited]), "parent claude");
    start(&world, "codex", "c");
    let codex = ("CODEX_SESSION_ID", "c");
    assert_eq!(record(&[inherited, codex]), "c codex");
    // This is another agent in the same worktree.
    assert_eq!(record(&[inherited]), "parent claude");
    let mine = record(&[inherited, ("SQ_SESSION", "mine")]);
    assert!(mine.starts_with("mine "), "{mine}");
    start(&world, "gemini", "g2");
    end(&world, "gemini", "g2");
    assert_eq!(record(&[inherited]), "parent claude");
    // Of a program alone that calls no hooks.
    start(&world, "gemini", "g3");
    assert!(!record(&[("PI_CODING_AGENT", "true")]).starts_with("g3 "));
}

#[test]
fn a_brief_stays_under_8000_bytes_whatever_is_asked() {
    let world = World::new();
    let id = |n: usize| format!("{}-{n}", "q".repeat(60));
    let questions: Vec<Value> = (1..=60)
        .map(|n| json!({"id": id(n), "q": "なぜ ".repeat(200), "importance": 3, "evidence_hint": "ど".repeat(300)}))
        .collect();
    let store = json!({"_schema": "standing_questions/v1", "questions": questions});
    world.change("standing_questions.json", store.to_string());
    world.git_ok("config sq.enforce true");
    let handover = "நி".repeat(495);
    world.sq_ok(&format!("state set --sid s0 --handover '{handover}'"));
    let text = context(&start(&world, "claude", "s1"));
    assert!(text.len() < 8000, "{}", text.len());
    assert_has!(text, "git sq question list");

    world.commit("Work");
    let reason = stop(&world, "other", "s1");
    let length = reason.trim_end().chars().count();
    assert!((300..=400).contains(&length), "{length}: {reason}");
    assert_has!(reason, format!("git sq record '{}=the answer'", id(1)));
}

#[test]
fn a_null_in_the_form_is_no_answer() {
    let world = World::new();
    world.ask_json(
        r#"{"id":"q1","q":"Why?","importance":3},{"id":"q2","version":2,"q":"How many?","importance":3,"shape":"number"}"#,
    );
    let form = world.sq_ok("brief --form");
    assert_valid("record-input", &serde_json::from_str(&form).unwrap());
    let record = |form: &str| world.sq_input("record --json -", form);
    assert_has!(record(&form).stderr, "fatal: nothing to record\n");
    let cited = form.replacen(r#""cites":[]"#, r#""cites":["a:1"]"#, 1);
    assert_has!(record(&cited).stderr, "fatal: q1 has no answer");
    let filled = form.replace(r#""q2@2","answer":null"#, r#""q2@2","answer":3"#);
    world.write("answers.json", &filled);
    world.sq_ok("record --file answers.json");
    assert_has!(world.sq_ok("show q2"), "3");
    assert_has!(world.sq_ok("show q1"), "No entries found");
}

#[test]
fn hostile_input_is_refused_in_one_line() {
    let world = World::asked();
    let mut odd = starting("claude", "s1", &world.dir);
    odd["transcript_path"] = json!({"a": "b".repeat(10 << 20)});
    odd["source"] = "x".repeat(2 << 20).into();
    odd["model"] = "x\u{1b}".repeat(1000).into();
    let ran = hook(&world, "session-start", &odd);
    assert_has!(ran.ok(), "Standing questions");
    let with = |sid: Value| {
        let mut input = starting("claude", "", &world.dir);
        input["session_id"] = sid;
        input.to_string()
    };
    let huge = "[".repeat(20 << 20);
    for (input, event) in [
        ("", "session-start"),
        ("{", "stop"),
        (&huge, "session-start"),
        (&with("x".repeat(10_000).into()), "stop"),
        (&with("".into()), "prompt"),
        (&with("a\u{1b}[2J\n".into()), "session-start"),
        (&with(json!(7)), "stop"),
        (&with(Value::Null), "prompt"),
        (&with("`x` $(touch pwned)".into()), "session-start"),
        ("{\"session_id\":\"a\",\"session_id\":\"b\"}", "stop"),
        ("{\"session_id\":\"a\",\"cwd\":7}", "session-start"),
    ] {
        let ran = world.sq_with_input(&["hook", event], input);
        let shown = &input[..input.len().min(80)];
        assert_eq!((ran.code, &*ran.stdout), (0, ""), "{shown}: {}", ran.stderr);
        let line = ran.stderr.strip_suffix('\n').unwrap();
        assert!(line.starts_with("git sq: ") && line.len() < 1000, "{line}");
        assert!(!line.contains(char::is_control), "{line}");
    }
    assert_eq!(world.sq_ok("session current"), "s1\n");
    assert!(!world.dir.join("pwned").exists());
    let mut bytes = world.sq_command(&["hook", "stop"]);
    world.write("bytes", b"{\"session_id\":\"\xff\xfe\"}");
    bytes.stdin(fs::File::open(world.dir.join("bytes")).unwrap());
    assert_eq!(Ran::from(bytes.output().unwrap()).code, 0);
}

#[cfg(unix)]
#[test]
fn the_plugin_s_hooks_run_and_are_silent_where_the_program_is_missing() {
    let world = World::asked();
    let hooks = fs::read_to_string("seeds/plugin/hooks/hooks.json").unwrap();
    let hooks: Value = serde_json::from_str(&hooks).unwrap();
    let events = ["SessionStart", "PreCompact", "Stop", "SessionEnd"];
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), events.len());
    for event in events {
        let command = &hooks["hooks"][event][0]["hooks"][0]["command"];
        let input = world.root().join("in");
        fs::write(&input, starting("claude", "s1", &world.dir).to_string()).unwrap();
        let run = |path| {
            let mut shell = world.command("/bin/sh");
            shell.env("PATH", path).args(["-c", command.as_str().unwrap()]);
            shell.stdin(fs::File::open(&input).unwrap());
            Ran::from(shell.output().unwrap())
        };
        let ran = run(path_with_program());
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{event}");
        let has_brief = ran.stdout.contains("additionalContext");
        assert_eq!(has_brief, event == "SessionStart", "{event}");
        let missing = run("/nonexistent".into());
        assert_eq!(missing.transcript(), "--- exit 0\n", "{event}");
    }
    assert_eq!(world.lines().len(), 1, "the end of s1");
}

#[test]
fn the_plugin_is_of_this_version_and_its_skill_is_what_brief_prints() {
    let read = |path: &str| fs::read_to_string(path).unwrap();
    let plugin: Value =
        serde_json::from_str(&read("seeds/plugin/.claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let market: Value = serde_json::from_str(&read(".claude-plugin/marketplace.json")).unwrap();
    let source = market["plugins"][0]["source"].as_str().unwrap();
    assert!(Path::new(source).join(".claude-plugin/plugin.json").exists());
    let skill = read("seeds/plugin/skills/git-sq/SKILL.md");
    assert!(skill.starts_with("---\nname: git-sq\ndescription: "));
    assert_eq!(World::without_repo().sq_ok("brief --help-agent"), skill);

    // Agent Plugins 1.0.0 allows no other keys, no file outside of its folder, and knows no hooks.
    let mut portable: Value =
        serde_json::from_str(&read("seeds/agent-plugin/plugin.json")).unwrap();
    let schema = portable.as_object_mut().unwrap().remove("$schema").unwrap();
    assert_eq!(schema, "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json");
    portable["description"] = plugin["description"].clone();
    assert_eq!(portable, plugin);
    assert_eq!(read("seeds/agent-plugin/skills/git-sq/SKILL.md"), skill);
    // Codex 0.169 runs no hook of a plugin that has this file (openai/codex#39895).
    assert!(!Path::new(source).join("plugin.json").exists());
}
