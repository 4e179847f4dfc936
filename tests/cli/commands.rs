//! Probes that are commands: run only where they are approved, and only by who asks for it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{Ran, World, ended, executable};
use serde_json::{Value, json};

/// A repository that asks q1, whose probe this is, and has a script.
fn asking(probe: &Value, script: &str) -> World {
    let world = World::new();
    let root = world.root().display().to_string();
    world.write("check.sh", script.replace("ROOT", &root));
    ask(&world, probe);
    world
}

fn ask(world: &World, probe: &Value) {
    let question = json!({"id": "q1", "q": "Does it pass?", "importance": 2, "probe": probe});
    world.ask_json(&question.to_string());
}

fn script() -> Value {
    json!({"run": ["sh", "check.sh"]})
}

/// The same, where what it prints is the answer.
fn printing() -> Value {
    json!({"run": ["sh", "check.sh"], "take": "stdout"})
}

/// Approves q1, on a terminal.
#[track_caller]
pub fn approve(world: &World) {
    world.person("question approve q1", "yes\n").ok();
}

/// What `git sq probe q1` says, or why it can't.
fn probed(world: &World) -> String {
    let ran = world.try_sq("probe q1");
    let text = ran.stdout + &ran.stderr;
    let time = text.find(", 0.").map(|at| text[at..at + 7].to_owned());
    time.map_or(text.clone(), |time| text.replace(&time, ""))
}

/// What is said without times, the ids of entries and commits, hints, and the names of commands that run.
fn told(world: &World, line: &str) -> String {
    let words = world.try_sq(line).transcript();
    let words = words
        .split_inclusive(' ')
        .map(|word| if word.starts_with("(01") { "(ID): " } else { word });
    let words: String = words.collect();
    let kept = words.lines().filter(|line| {
        let hidden = ["hint: ", "Running q1: ", "--- stderr"];
        !hidden.iter().any(|hidden| line.starts_with(hidden))
    });
    ended(kept)
}

fn newest(world: &World) -> Value {
    world.newest()["results"][0].take()
}

/// Nobody approves without a terminal, and only with a yes.
#[test]
fn approval_is_given_on_a_terminal_and_shows_what_it_is_bound_to() {
    let probe = json!({"run": ["sh", "./check.sh", "a b", "\u{1b}[2J"], "timeout": "90s", "take": "stdout"});
    let world = asking(&probe, "echo \"$1\"\n");
    insta::assert_snapshot!(world.try_sq("question approve q1").transcript(), @"
    --- stderr
    fatal: git sq question approve is for people only, and there is no terminal
    hint: nothing was changed; run it in a terminal, without redirecting it
    --- exit 128
    ");
    let refused = world.person("question approve q1", "y\n");
    let place = world.dir.display().to_string();
    insta::assert_snapshot!(refused.transcript().replace(&place, "[repo]"), @r"
    q1: Does it pass?
      runs     sh ./check.sh 'a b' '\u001b[2J'
      takes    its output, within 90 s
      in       [repo]; with --at COMMIT, in a temporary worktree
      bound to this repository, this question and these words, check.sh as in cf024e95cc
    It runs with your permissions, and is not sandboxed. The approval does not cover files that the command reads itself (Makefile, tests, build scripts): on someone else's branch, that is their code.
    Type yes to approve q1: --- stderr
    fatal: q1 was not approved
    hint: only `yes` approves
    --- exit 128
    ");
    assert!(probed(&world).contains("not approved"));
    approve(&world);
    insta::assert_snapshot!(world.sq_ok("question approve --list"), @r"q1 sh ./check.sh 'a b' '\u001b[2J', check.sh as in cf024e95cc");
    insta::assert_snapshot!(probed(&world), @r"
    q1 a b (exit 0)
    Running q1: sh ./check.sh 'a b' '\u001b[2J'
    ");
    assert_eq!(world.person("question approve q1", "").stdout, "q1 is approved already.\n");
    assert_eq!(world.sq_ok("question approve --revoke q1"), "Revoked q1.\n");
    assert!(probed(&world).contains("not approved"));
    insta::assert_snapshot!(world.try_sq("question approve --revoke q1@1").transcript(), @"
    --- stderr
    fatal: q1@1 is not approved here
    hint: `git sq question approve --list` lists the approvals
    --- exit 128
    ");
    let again = world.person("question approve q1", "yes\n").stdout;
    assert!(again.ends_with("approve q1: Approved q1.\n"), "{again}");
    world.sq_ok("question approve --revoke q1@1");
}

/// The answer of a comparison changes with what it compares, which nobody has to approve each time.
#[test]
fn a_file_that_a_command_only_reads_may_change() {
    let probe = json!({"run": ["git", "diff", "--quiet", "v1.0", "--", "src/api.rs"]});
    let world = World::new();
    world.change("src/api.rs", "1\n");
    world.git_ok("tag v1.0");
    ask(&world, &probe);
    approve(&world);
    assert!(probed(&world).contains("exit 0"));
    world.change("src/api.rs", "2\n");
    assert!(probed(&world).contains("not approved"));
    let asked = world.person("question approve q1", "no\n").stdout;
    assert_has!(
        asked,
        "data?    with `--data src/api.rs`, a change to that file needs no new approval"
    );
    world.person("question approve q1 --data src/api.rs", "yes\n").ok();
    assert!(probed(&world).contains("exit 1"));
    world.change("src/api.rs", "1\n");
    assert!(probed(&world).contains("exit 0"));
    let list = world.sq_ok("question approve --list");
    assert_has!(list, "q1 git diff --quiet v1.0 -- src/api.rs, src/api.rs as data");
    // The words may not.
    ask(&world, &json!({"run": ["git", "diff", "--quiet", "v1.1", "--", "src/api.rs"]}));
    assert!(probed(&world).contains("not approved"));
    let other = world.person("question approve q1 --data src/other.rs", "yes\n");
    insta::assert_snapshot!(other.transcript(), @"
    --- stderr
    fatal: the command of q1 names no file src/other.rs
    hint: give its path from the root, as in --data src/api.rs
    --- exit 128
    ");
}

/// A word that is the same file everywhere is not what was approved at another commit.
#[test]
fn no_word_leads_from_another_commit_into_the_worktree() {
    let world = asking(&script(), "exit 3\n");
    let root = world.dir.display().to_string();
    let link = world.root().join("link");
    std::os::unix::fs::symlink(&world.dir, &link).unwrap();
    for word in [
        format!("{root}/check.sh"),
        format!("--file={root}/./check.sh"),
        "../repo/check.sh".to_owned(),
        root.clone(),
        link.join("check.sh").display().to_string(),
    ] {
        world.write("check.sh", "exit 3\n");
        ask(&world, &json!({"run": ["sh", word]}));
        approve(&world);
        let first = world.head();
        world.change("check.sh", "touch ../marker\n");
        let text = world.try_sq(&format!("probe q1 --at {first}")).transcript();
        assert_has!(text, "by its absolute path: use");
        assert!(!text.contains("Running"), "{text}");
    }
}

#[test]
fn any_change_asks_again() {
    let world = asking(&script(), "exit 3\n");
    approve(&world);
    let runs = |expected: bool| {
        let text = probed(&world);
        assert_eq!(text.contains("exit 3"), expected, "{text}");
    };
    runs(true);
    // A script that is not committed is not what was approved.
    world.write("check.sh", "exit 3 # changed\n");
    insta::assert_snapshot!(probed(&world), @"unknown: q1: check.sh differs from HEAD, where it was approved: commit it");
    // Nor one whose changes git was told to overlook.
    for flag in ["assume-unchanged", "skip-worktree"] {
        world.git_ok(&format!("update-index --{flag} check.sh"));
        let text = probed(&world);
        assert!(text.contains("check.sh differs from HEAD"), "{flag}: {text}");
        world.git_ok(&format!("update-index --no-{flag} check.sh"));
    }
    world.commit("change the script");
    runs(false);
    world.change("check.sh", "exit 3\n");
    runs(true);
    ask(&world, &json!({"run": ["sh", "check.sh", "x"]}));
    runs(false);
    ask(&world, &printing());
    runs(false);
    ask(&world, &script());
    runs(true);
    let reworded = world.read("standing_questions.json").replace("\"Does it", "\"Did it");
    world.change("standing_questions.json", reworded);
    runs(true);
    // However a file is named.
    let top = world.dir.join("check.sh").display().to_string();
    for name in ["../repo/./check.sh", &top, "--file=check.sh"] {
        ask(&world, &json!({"run": ["sh", name]}));
        approve(&world);
    }
    let list = world.sq_ok("question approve --list");
    assert_eq!(list.matches(", check.sh as in").count(), 4, "{list}");
    // A link leads elsewhere.
    fs::remove_file(world.dir.join("check.sh")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", world.dir.join("check.sh")).unwrap();
    world.commit("a link");
    assert_has!(probed(&world), "check.sh is a symbolic link");
}

#[test]
fn an_approval_says_nothing_of_a_copy_of_the_repository() {
    let world = asking(&script(), "exit 3\n");
    approve(&world);
    let copy = world.root().join("copy");
    let copied = Command::new("cp").arg("-a").args([&world.dir, &copy]).status();
    assert!(copied.unwrap().success());
    let there = world.sq_in(&copy, &["probe", "q1"]);
    assert_eq!(there.stderr, "");
    assert_has!(there.stdout, "not approved");
    // Nor does its file under the name that one of the copy would have.
    let folder = world.home().join(".local/state/git-sq/approvals");
    let files = || -> Vec<PathBuf> {
        fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect()
    };
    let [first] = files().try_into().unwrap();
    let copy = World::at(world, copy);
    approve(&copy);
    let second = files().into_iter().find(|file| *file != first).unwrap();
    fs::copy(&first, &second).unwrap();
    assert!(probed(&copy).contains("not approved"));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&first), mode(&folder)), (0o600, 0o700));
}

#[test]
fn record_runs_what_is_approved_and_says_so() {
    let world = asking(&script(), "exit 0\n");
    let next = |script: &str| {
        world.change("check.sh", script);
        approve(&world);
    };
    let filters = [(r"in \d+\.\d s", "in [time]"), ("[0-9a-f]{10}", "[commit]")];
    insta::with_settings!({filters => filters}, {
        // What is not approved is left to the session.
        insta::assert_snapshot!(told(&world, "record --sid s0"), @"
        fatal: nothing to record
        fatal: q1: its command is not approved: see `git sq question approve q1`
        --- exit 128
        ");
        insta::assert_snapshot!(told(&world, "record --sid s0 --same q1=yes"), @"
        first q1 (claimed): yes
        warning: q1: its command is not approved: see `git sq question approve q1`
        Recorded 1 answer on [commit] (session s0).
        --- exit 0
        ");
        approve(&world);
        insta::assert_snapshot!(world.try_sq("record --sid s1").transcript(), @"
        same  q1 (ran in [time]): 0
        Recorded 1 answer on [commit] (session s1).
        --- stderr
        Running q1: sh check.sh
        --- exit 0
        ");
        let answer = newest(&world);
        assert_eq!((&answer["answer"], &answer["evidence"]["run"]["exit"]), (&json!(0), &json!(0)));
        assert_eq!(answer["evidence"]["run"]["sha256"].as_str().unwrap().len(), 64);
        // Once a session and commit.
        insta::assert_snapshot!(told(&world, "record --sid s1"), @"
        Nothing new: session s1 has already recorded what the probes find on [commit].
        --- exit 0
        ");
        world.commit("work");
        assert_has!(world.try_sq("record --sid s2 --no-run").stderr, "fatal: nothing to record\n");
        next("exit 7\n");
        let refuted = world.try_sq("record --sid s2 --same q1");
        // A delta is found by two runs that agree.
        assert_eq!(refuted.stderr, "Running q1: sh check.sh\n".repeat(2));
        insta::assert_snapshot!(refuted.ok(), @"
        DELTA q1 (ran in [time]): was 0, is 7
              you recorded `same`, but its probe finds a change
        Recorded 1 answer on [commit] (session s2).
        ");
        assert_eq!(newest(&world)["claim"], false);
        // The command answers, whatever the session would.
        world.commit("work");
        insta::assert_snapshot!(told(&world, "record --sid s2 q1=0 --delta q1"), @"
        same  q1 (ran in [time]): 7 (claimed: was 7, is 0)
              you recorded a delta, but its probe finds no change
        Recorded 1 answer on [commit] (session s2).
        --- exit 0
        ");
        world.write("check.sh", "exit 7 # not committed\n");
        insta::assert_snapshot!(told(&world, "record --sid s3"), @"
        fatal: nothing to record
        fatal: q1: its command was not run, since there are uncommitted changes: commit or stash them first
        --- exit 128
        ");
    });
}

#[test]
fn a_session_runs_a_command_again_after_it_mended_or_broke_something() {
    let world = World::new();
    world.write("src/a.rs", "bad\n");
    world.write("check.sh", "grep -q good src/a.rs\n");
    let keys = r#""importance": 2, "watch": ["src/"], "expect": 0"#;
    let question = |id: &str, more: &str| {
        let probe = script();
        format!(r#"{{"id": "{id}", "q": "Does it pass?", {keys}, "probe": {probe}{more}}}"#)
    };
    let rare = question("q2", r#", "trigger": {"sessions": 9}"#);
    world.ask_json(&format!("{},\n{rare}", question("q1", "")));
    for id in ["q1", "q2"] {
        world.person(&format!("question approve {id}"), "yes\n").ok();
    }
    let stands = || world.standing("q1");
    for (text, standing, last) in [
        ("bad\n", "fails", "fails"),
        ("good\n", "holds", "holds"),
        ("bad again\n", "fails", "not run"),
    ] {
        world.change("src/a.rs", text);
        let brief = world.sq_ok("brief");
        assert!(brief.contains("Answered by the tool"), "{brief}");
        world.sq_ok("record --sid s1");
        assert_eq!(stands(), standing);
        // What fails is run again when it may be mended, however rarely it is asked.
        assert_eq!(world.check(&[]).0["questions"][1]["standing"], last);
        // Once a session and commit, unless it may be mended outside the repository.
        let again = world.sq_ok("record --sid s1");
        assert_eq!(again.contains("Nothing new"), standing == "holds", "{again}");
    }
}

/// Nobody asks a session for what a command answers: most agents may not run it, and would have to claim something.
#[test]
fn a_session_is_not_asked_for_what_a_command_answers() {
    let world = World::new();
    world.write("check.sh", "exit 1\n");
    world.write("src/a.rs", "1\n");
    let probe = script();
    world.ask_json(&format!(
        r#"{{"id": "q1", "q": "Does it pass?", "importance": 3, "probe": {probe}, "expect": 0}},
        {{"id": "q2", "q": "Which?", "importance": 2, "watch": ["src/"]}}"#
    ));
    world.git_ok("config --global --unset sq.agentCommands");
    let brief = world.sq_ok("brief");
    assert_has!(brief, "Answered by the tool\n  not run: q1\n");
    assert_has!(brief, "Record it: git sq record 'q2=the answer' --cite q2=path:3-5\n");
    let recorded = world.try_sq("record --sid s1 q2=one --cite q2=src/a.rs:1").transcript();
    assert!(!recorded.contains("q1"), "{recorded}");
}

/// Where sessions are asked nothing, no session is missing.
#[test]
fn a_store_of_commands_alone_waits_for_no_session() {
    let world = asking(&script(), "exit 0\n");
    let (check, code) = world.check(&[]);
    assert_eq!((code, &check["questions"][0]["standing"]), (0, &"not run".into()), "{check}");
}

/// An agent that may not run it says what it found; whoever may run it is not told that nothing is new.
#[test]
fn a_claim_is_no_run() {
    let world = World::new();
    world.write("check.sh", "exit 1\n");
    world.write("src/a.rs", "1\n");
    let probe = script();
    world.ask_json(&format!(
        r#"{{"id": "q1", "q": "Does it pass?", "importance": 2, "watch": ["check.sh"], "probe": {probe}, "expect": 0}},
        {{"id": "q2", "q": "Which?", "importance": 2, "watch": ["src/"]}}"#
    ));
    approve(&world);
    world.sq_ok("record --sid s1 q2=one --cite q2=src/a.rs:1");
    world.write("check.sh", "exit 0\n");
    world.change("src/a.rs", "2\n");
    world.sq_ok("record --no-run --sid s2 q1=0 --same q2=one --cite q2=src/a.rs:1");
    assert_eq!(world.standing("q1"), "fails");
    approve(&world);
    assert_has!(world.sq_ok("record --sid s2"), "DELTA q1 (ran ");
    assert_eq!(world.standing("q1"), "holds");
    // Who only runs it leaves no question out.
    world.change("src/a.rs", "3\n");
    world.sq_ok("record --sid s3 --sure");
    assert_eq!(world.verdict(""), "0 outdated");
}

/// It has to continue the log of the clone that it names.
#[test]
fn a_copied_run_is_no_run() {
    let world = World::new();
    world.write("check.sh", "exit 0\n");
    let question =
        json!({"id": "q1", "q": "Does it pass?", "importance": 2, "probe": script(), "expect": 0});
    world.ask_json(&question.to_string());
    approve(&world);
    world.sq_ok("record --sid s1");
    let good = world.git_ok("notes --ref=sq show HEAD");
    let mut copied: Value = serde_json::from_str(&good).unwrap();
    world.change("check.sh", "exit 7\n");
    approve(&world);
    world.sq_ok("record --sid s2");
    assert_eq!(world.check(&[]).1, 1);
    world.pass(3600);
    copied["ts"] = json!(world.now().replace('Z', ".000Z"));
    copied["sid"] = json!("s3");
    copied["repo_head_sha"] = json!(world.head());
    copied["head"]["tree"] = json!(world.git_ok("rev-parse HEAD^{tree}").trim());
    world.git(&["notes", "--ref=sq", "append", "-m", &copied.to_string(), "HEAD"]).ok();
    assert_eq!(world.check(&[]).1, 1);
}

/// What a session says meanwhile hides no change, and is shown as its own word.
#[test]
fn an_answer_is_compared_with_the_last_one_of_the_tool() {
    let world = asking(&printing(), "echo 37\n");
    approve(&world);
    world.sq_ok("record --sid s1");
    world.change("check.sh", "echo 41\n");
    assert_has!(world.sq_ok("record --sid s2 --same q1=37"), "same  q1 (claimed): 37\n");
    for line in ["show q1 --no-pager", "log --no-pager"] {
        assert_has!(world.sq_ok(line), "same  q1 (claimed): 37\n");
    }
    world.commit("more");
    approve(&world);
    assert_has!(world.sq_ok("record --sid s3 --same q1=37"), "): was 37, is 41 (claimed: 37)\n");
    assert_eq!(newest(&world)["delta"], true);
}

#[test]
fn what_is_refused_runs_no_command() {
    let world = asking(&printing(), "echo 37; echo x >> ../runs\n");
    approve(&world);
    let runs = || fs::read_to_string(world.root().join("runs")).unwrap_or_default().lines().count();
    let secret = format!("--same q1=ghp_{}", "aB3dE5fG7h".repeat(4)[..36].to_owned());
    for given in ["--same q9", "--same q1 --cite q1=none:1", &secret] {
        assert_eq!(world.try_sq(&format!("record {given}")).code, 128);
        assert_eq!(runs(), 0, "{given}");
    }
    world.sq_ok("record --sid s1");
    assert_eq!((runs(), newest(&world)["answer"].clone()), (1, json!("37")));
}

#[test]
fn a_command_whose_runs_differ_is_never_a_delta() {
    let text = "echo x >> ../count; grep -c x ../count\n";
    let world = asking(&printing(), text);
    approve(&world);
    world.sq_ok("record --sid s1");
    assert_eq!(newest(&world)["answer"], "1");
    world.commit("work");
    assert_has!(world.sq_ok("record --sid s2"), "q1 (ran in", "unstable: 2 -> 3");
    let told_of = || {
        let answer = newest(&world);
        json!([answer["answer"], answer["delta"]])
    };
    assert_eq!(told_of(), json!([{"unstable": true}, false]));
    // What was stable last is what the next one is held against.
    world.commit("work");
    fs::write(world.root().join("count"), "").unwrap();
    world.sq_ok("record --sid s3");
    assert_eq!(told_of(), json!(["1", false]));
    insta::assert_snapshot!(told(&world, "verify --answers"), @"
    can't tell: q1 of session s3 (ID): its probe is a command: `--run` runs those that are approved
    can't tell: q1 of session s2 (ID): its command gave two answers when it was recorded
    can't tell: q1 of session s1 (ID): its probe is a command: `--run` runs those that are approved
    verified 3 recorded answers: 3 could not be verified
    --- exit 3
    ");
}

#[test]
fn nothing_else_runs_a_command() {
    let world = asking(&script(), "touch ../marker\n");
    approve(&world);
    world.sq_ok("init");
    world.commit("set up");
    world.sq_ok("record --no-run --same q1=yes");
    world.git_ok("clone --quiet --bare . ../bare.git");
    world.git_ok("remote add origin ../bare.git");
    let lines = "status;brief;brief --format markdown;check;log;show;show q1;probe;verify;doctor;\
        question list;question lint;sync;session start;session end;export;question approve --list";
    for line in lines.split(';') {
        world.try_sq(line);
    }
    for line in ["fetch", "push origin main", "commit --amend --quiet -m again"] {
        world.try_git(line);
    }
    assert!(!world.root().join("marker").exists());
    world.sq_ok("probe q1");
    assert!(world.root().join("marker").exists());
}

#[test]
fn a_command_gets_no_more_of_the_environment_than_it_needs() {
    let probe = json!({"run": ["env"], "take": "stdout"});
    let world = asking(&probe, "");
    approve(&world);
    let world = world
        .env("SECRET_TOKEN", "x")
        .env("LC_TIME", "C")
        .env("GIT_EDITOR", "vi")
        .env("PATH_LIKE", "x");
    let found = world.json("probe q1");
    let text = found["answers"][0]["value"].as_str().unwrap();
    let names = text.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.retain(|name| !matches!(*name, "PWD" | "_" | "SHLVL"));
    assert_eq!(names.join(" "), "HOME LC_ALL LC_TIME PATH TEMP TERM TMP TMPDIR");
    let mut lines = text.lines();
    let scratch = lines.find_map(|line| line.strip_prefix("TMPDIR="));
    assert!(!std::path::Path::new(scratch.unwrap()).exists());
    // Nor signals that are blocked here.
    let mask = "/proc/self/status";
    if fs::exists(mask).unwrap() {
        ask(&world, &json!({"run": ["grep", "SigBlk:.0000000000000000", mask]}));
        approve(&world);
        insta::assert_snapshot!(probed(&world), @"
        q1 0 (exit 0)
        Running q1: grep SigBlk:.0000000000000000 /proc/self/status
        ");
    }
}

/// What can't be an answer is none.
#[test]
fn a_command_that_does_not_end_by_itself_answers_nothing() {
    let mut all = String::new();
    let world = asking(&script(), "");
    let version = json!({"run": ["sh", "check.sh"], "take": {"capture": "version (\\d+)"}});
    for (probe, script) in [
        (json!({"run": ["no-such-program"]}), ""),
        (json!({"run": ["./check.sh"]}), "exit 0"),
        (script(), "kill -9 $$"),
        (json!({"run": ["sh", "check.sh"], "timeout": "1s"}), "sleep 60"),
        (printing(), "echo out; echo why >&2; exit 4"),
        (printing(), "head -c 2000000 /dev/zero"),
        (version.clone(), "echo version 12"),
        (version, "echo none"),
        (printing(), "true"),
    ] {
        world.write("check.sh", script);
        ask(&world, &probe);
        approve(&world);
        all += probed(&world).split_inclusive('\n').next().unwrap();
    }
    insta::assert_snapshot!(all, @"
    unknown: q1: no-such-program could not be started: No such file or directory (os error 2)
    unknown: q1: ./check.sh could not be started: Permission denied (os error 13)
    unknown: q1: its command was ended by a signal: 9 (SIGKILL)
    unknown: q1: its command did not end within 1 s
    unknown: q1: its command exited with 4: why
    unknown: q1: its command printed more than 1048576 bytes
    q1 12 (exit 0)
    q1 missing: nothing in the output matches (exit 0)
    q1  (exit 0)
    ");
}

/// Whether the process that a script named in a file is still there.
fn is_alive(world: &World) -> bool {
    let pid = fs::read_to_string(world.root().join("child")).unwrap();
    let mut ps = Command::new("ps");
    let state = ps.args(["-o", "stat=", "-p", pid.trim()]).output().unwrap();
    !state.stdout.is_empty() && !state.stdout.starts_with(b"Z")
}

fn ends(world: &World) {
    let start = Instant::now();
    while is_alive(world) {
        assert!(start.elapsed() < Duration::from_secs(10), "it goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A child that ignores SIGTERM, and names itself in a file.
const CHILD: &str =
    "sh -c 'trap \"\" TERM; echo $$ > ROOT/child; while :; do sleep 0.1; done' >/dev/null 2>&1 &
while ! test -s ROOT/child; do sleep 0.1; done\n";

#[test]
fn nothing_of_a_command_outlives_it() {
    for (end, expected) in [("exit 5\n", "exit 5"), ("trap '' TERM; wait\n", "within 1 s")] {
        let world =
            asking(&json!({"run": ["sh", "check.sh"], "timeout": "1s"}), &(CHILD.to_owned() + end));
        approve(&world);
        assert_has!(probed(&world), expected);
        ends(&world);
    }
}

#[test]
fn nothing_of_a_command_outlives_the_program() {
    let world = asking(&script(), &(CHILD.to_owned() + "test -e ROOT/go && exit 0; wait\n"));
    approve(&world);
    fs::write(world.root().join("go"), "").unwrap();
    world.sq_ok("record --sid s1");
    fs::remove_file(world.root().join("go")).unwrap();
    for args in [&["probe", "q1"][..], &["verify", "--run"]] {
        let _ = fs::remove_file(world.root().join("child"));
        let mut command = world.sq_command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let running = command.spawn().unwrap();
        let start = Instant::now();
        let is_there = |file| fs::read(file).is_ok_and(|text| !text.is_empty());
        while !is_there(world.root().join("child")) {
            assert!(start.elapsed() < Duration::from_secs(20), "it waits");
            thread::sleep(Duration::from_millis(20));
        }
        let killed = Command::new("kill").arg(running.id().to_string()).status();
        assert!(killed.unwrap().success());
        let ran = Ran::from(running.wait_with_output().unwrap());
        let interrupted = "Running q1: sh check.sh\nfatal: interrupted\n";
        assert_eq!((ran.code, &*ran.stderr), (128, interrupted), "{args:?}");
        ends(&world);
        assert_eq!(world.git_ok("worktree list").lines().count(), 1);
    }
}

#[test]
fn verify_runs_approved_commands_in_a_worktree_that_is_gone_afterwards() {
    let world = asking(&script(), "test -e .git && pwd > ROOT/place; exit $(cat code)\n");
    world.write("code", "3\n");
    world.change(".gitattributes", "code filter=planted\n");
    approve(&world);
    world.sq_ok("record --sid s1");
    let first = world.head();
    world.change("code", "4\n");
    world.sq_ok("record --sid s2");
    // Neither hooks nor what else the repository has in its config.
    let marker = world.root().join("marker");
    let touch = format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display());
    for hook in ["post-checkout", "post-index-change", "reference-transaction"] {
        executable(&world.dir.join(".git/hooks").join(hook), &touch);
    }
    assert_eq!(world.sq_ok("verify --answers --run"), "verified 2 recorded answers: all stand\n");
    let place = fs::read_to_string(world.root().join("place")).unwrap();
    assert_ne!(place.trim(), world.dir.to_str().unwrap());
    assert!(!std::path::Path::new(place.trim()).exists(), "{place}");
    assert!(!marker.exists());
    assert_eq!(world.git_ok("worktree list").lines().count(), 1);
    assert!(!world.dir.join(".git/worktrees").exists());
    let probed = world.json(&format!("probe q1 --at {first}"));
    assert_eq!(probed["answers"][0]["value"], 3);
    world.git_ok(&format!("config filter.planted.smudge \"touch '{}'; cat\"", marker.display()));
    insta::assert_snapshot!(told(&world, "verify --answers --run"), @"
    can't tell: q1 of session s2 (ID): the commit has files with a filter, which a temporary worktree does without
    can't tell: q1 of session s1 (ID): the commit has files with a filter, which a temporary worktree does without
    verified 2 recorded answers: 2 could not be verified
    --- exit 3
    ");
    assert!(!marker.exists());
}

#[test]
fn verify_names_what_a_command_contradicts() {
    let world = asking(&script(), "exit 3\n");
    approve(&world);
    world.sq_ok("record --sid s1");
    let forged = world
        .lines()
        .pop()
        .unwrap()
        .replace("\"answer\":3", "\"answer\":0")
        .replace("\"s1\"", "\"s2\"");
    world.plant_lines(&[forged]);
    insta::with_settings!({filters => [("[0-9a-f]{10}", "[commit]")]}, {
        insta::assert_snapshot!(told(&world, "verify --answers --run"), @"
        fails: q1 of session s2 (ID): it recorded 0, and its command gives 3 in a new worktree of [commit]
        verified 2 recorded answers: 1 stands, 1 does not
        --- exit 1
        ");
        ask(&world, &json!({"run": ["sh", "check.sh"], "external": true}));
        approve(&world);
        world.sq_ok("record --sid s3");
        insta::assert_snapshot!(told(&world, "verify --answers --run"), @"
        fails: q1 of session s2 (ID): it recorded 0, and its command gives 3 in a new worktree of [commit]
        can't tell: q1 of session s3 (ID): its command depends on more than the commit
        verified 3 recorded answers: 1 stands, 1 does not, 1 could not be verified
        --- exit 1
        ");
    });
}

/// A harness may let `git sq` out of its sandbox; what it starts would be out, too.
#[test]
fn an_agent_runs_no_command_unless_the_user_s_own_configuration_lets_it() {
    let world = asking(&script(), "echo 1\ntouch ROOT/ran\n");
    approve(&world);
    world.git_ok("config --global --unset sq.agentCommands");
    let ran = world.root().join("ran");
    insta::assert_snapshot!(world.try_sq("probe q1").transcript(), @"
    unknown: q1: its command runs only for a person on a terminal, or, while GIT_CONFIG_GLOBAL and GIT_CONFIG_SYSTEM are unset, after `git config --global sq.agentCommands true`
    --- exit 3
    ");
    let recorded = world.try_sq("record --sid s1 --same 'q1=it passes'");
    assert!(recorded.transcript().contains("q1: its command runs only for a person"));
    world.git_ok("config sq.agentCommands true");
    let config = world.root().join("config");
    fs::write(&config, "[sq]\n\tagentCommands = true\n").unwrap();
    for env in [
        ("GIT_CONFIG_GLOBAL", config.to_str().unwrap()),
        ("GIT_CONFIG_PARAMETERS", "'sq.agentCommands=true'"),
    ] {
        assert_eq!(world.sq_env("probe q1", &[env]).code, 3);
    }
    assert_eq!(world.try_sq("verify --run").code, 0);
    let on_a_terminal = world.env("CLAUDECODE", "1");
    on_a_terminal.person("probe q1", "");
    assert!(!ran.exists());
    let world = on_a_terminal.env("CLAUDECODE", "");
    world.person("probe q1", "").ok();
    assert!(ran.exists());
    fs::remove_file(&ran).unwrap();
    world.git_ok("config --global sq.agentCommands true");
    world.sq_ok("probe q1");
    assert!(ran.exists());
}

#[test]
fn an_empty_output_is_said_to_be_empty() {
    let world = asking(&printing(), "true\n");
    approve(&world);
    assert_has!(told(&world, "record --sid s1"), "(empty)");
}
