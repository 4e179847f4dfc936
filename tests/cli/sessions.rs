//! `git sq session`: one current session per worktree, and what becomes of those that end or fall silent.

use std::{fs, process::Stdio};

use git_sq_test_support::{Team, World, event_line, refs, words};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::tensions::OPEN;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// A repository with one commit, and no question store: sessions need none.
fn world() -> World {
    let world = World::new();
    world.change("a.txt", "one\n");
    world
}

/// The entries of a kind, oldest first.
pub fn entries(world: &World, kind: &str) -> Vec<Value> {
    world
        .lines()
        .into_iter()
        .map(|line| serde_json::from_str::<Value>(&line).unwrap())
        .filter(|line| line["kind"] == kind)
        .collect()
}

/// The ends of sessions in the log, oldest first, one line each: what they say, and the commit that they are on.
fn ends(world: &World) -> String {
    entries(world, "session")
        .iter()
        .map(|end| {
            let figures = ["seconds", "branch", "commits", "last_subject"]
                .map(|key| end.get(key).map_or("-".into(), Value::to_string));
            let commit = end["repo_head_sha"].as_str().unwrap();
            assert!(!world.note(commit).is_empty(), "{end}");
            let subject = world.git_ok(&format!("log -1 --format=%s {commit}"));
            let (sid, how) = (end["sid"].as_str().unwrap(), end["how"].as_str().unwrap());
            format!("{sid} {how}: {} on {subject}", figures.join(" "))
        })
        .collect()
}

fn start(world: &World, sid: &str) {
    world.sq_ok(&format!("session start --sid {sid}"));
}

/// What another session's start says of those that it sweeps up.
fn sweep(world: &World) -> String {
    world
        .sq_ok("session start --sid next")
        .lines()
        .filter(|line| line.starts_with("Ended"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn current(world: &World) -> Value {
    world.json("session current")
}

fn checkout(world: &World, args: &[&str]) {
    world.git(&[&["checkout", "--quiet"], args].concat()).ok();
}

/// Whether a session's name is one that the program makes.
fn is_made(sid: &str) -> bool {
    sid.len() == 16 && sid.chars().all(|c| matches!(c, 'k'..='z'))
}

#[test]
fn a_session_from_start_to_end() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_MODEL", "m1");
    let none = world.try_sq("session current");
    assert_eq!(none.transcript(), "--- exit 1\n");
    let head = world.head();
    let said = world.sq_ok("session start --sid s1");
    assert_eq!(said, format!("Started session s1 on main at {}.\n", &head[..10]));
    assert_eq!(current(&world)["agent"]["name"], "ada");
    world.commit("Two");
    world.commit("Three");
    assert_snapshot!(world.sq_ok("session end"), @r#"Ended s1: 8 minutes on main, 2 commits (last: "Three")."#);
    assert_snapshot!(ends(&world), @r#"s1 end: 480 "main" 2 "Three" on Three"#);
    let end = &entries(&world, "session")[0];
    assert_eq!(end["agent"], json!({"name": "ada", "model": "m1"}));
    assert_eq!(end["head"]["branch"], "main");
    assert_eq!(world.try_sq("session current").code, 1);
    // A row that nobody wrote is no state.
    assert_eq!(world.json("state show")["rows"], json!([]));
}

#[test]
fn a_start_with_the_same_name_goes_on_and_another_one_sweeps() {
    let world = world();
    start(&world, "crashed");
    let before = current(&world);
    world.pass(9 * HOUR);
    let said = world.sq_ok("session start --sid crashed");
    assert_eq!(said, "Resumed session crashed, started 9 hours ago.\n");
    assert_eq!(current(&world)["started"], before["started"]);
    assert_eq!(world.lines().len(), 0);
    world.commit("The crashed one's\n\nwith a body");
    let said = world.sq_ok("session start");
    let first = said.lines().next().unwrap();
    assert_snapshot!(first, @r#"Ended crashed: 9 hours on main, 1 commit (last: "The crashed one's")."#);
    assert_snapshot!(ends(&world), @r#"crashed sweep: 32760 "main" 1 "The crashed one's" on The crashed one's"#);
    let made = world.sq_ok("session current");
    assert!(is_made(made.trim()), "{made}");
}

#[test]
fn ends_of_what_is_not_running_say_so() {
    let world = world();
    assert_snapshot!(world.sq_ok("session end"), @"No session is running in this worktree; nothing was added.");
    assert!(!world.dir.join(".git/sq").exists(), "nothing was made");
    start(&world, "s1");
    world.sq_ok("session end");
    start(&world, "s2");
    let said = world.sq_ok("session end --sid s1");
    assert_eq!(said, "s1 is not running in this worktree; nothing was added.\n");
    // Neither has this worktree another one's.
    let side = world.beside();
    let said = world.sq_ok_in(&side, "session end --sid s2");
    assert!(said.starts_with("s2 is not running"), "{said}");
    assert_eq!(entries(&world, "session").len(), 1);
}

#[test]
fn what_was_silent_for_longer_than_the_grace_time_has_ended() {
    let world = world();
    let side = world.beside();
    let start_aside = |sid: &str| world.sq_in(&side, &["session", "start", "--sid", sid]);
    start(&world, "s1");
    world.pass(2 * HOUR - 2 * 60);
    assert!(start_aside("s2").ok().starts_with("Started session s2"));
    world.pass(2 * 60);
    // A start sweeps up the silent ones of other worktrees.
    assert_snapshot!(start_aside("s2").ok(), @r"
    Ended s1: 0 seconds on main, 0 commits.
    Resumed session s2, started 3 minutes ago.
    ");
    assert_eq!(world.try_sq("session current").code, 1);
    world.git_ok("config sq.grace 10m");
    world.pass(10 * 60);
    assert!(sweep(&world).starts_with("Ended s2"));
}

#[test]
fn a_sweep_counts_no_commits_that_came_much_later() {
    let world = world();
    start(&world, "s1");
    world.pass(HOUR);
    world.commit("Mine");
    world.pass(2 * DAY);
    world.commit("A person's");
    assert_snapshot!(sweep(&world), @r#"Ended s1: 1 hour on main, 1 commit (last: "Mine")."#);
    start(&world, "s2");
    world.pass(DAY);
    world.commit("Somebody else's");
    sweep(&world);
    assert_snapshot!(ends(&world), @r#"
    s1 sweep: 3720 "main" 1 "Mine" on Mine
    next sweep: 0 "main" 0 - on A person's
    s2 sweep: 0 "main" 0 - on A person's
    "#);
}

#[test]
fn each_worktree_has_a_session_of_its_own() {
    let world = world();
    let side = world.beside();
    start(&world, "main-one");
    let in_side = |args: &[&str]| world.sq_in(&side, args).ok();
    in_side(&["session", "start", "--sid", "side-one"]);
    assert_eq!(world.sq_ok("session current"), "main-one\n");
    assert_eq!(in_side(&["session", "current"]), "side-one\n");
    in_side(&["state", "set", "--next", "on the side"]);
    assert_eq!(entries(&world, "state")[0]["sid"], "side-one");
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "On the side"];
    world.git_in(&side, &commit).ok();
    world.pass(3 * HOUR);
    // A start in one worktree finds the other's, with the other's HEAD.
    start(&world, "main-one");
    assert_snapshot!(ends(&world), @r#"side-one sweep: 360 - 1 "On the side" on On the side"#);
    // A removed worktree leaves its session to a sweep.
    in_side(&["session", "start", "--sid", "gone"]);
    world.git_in(&side, &commit).ok();
    world.git_ok("worktree remove ../side");
    world.pass(3 * HOUR);
    sweep(&world);
    let gone = entries(&world, "session").into_iter().find(|end| end["sid"] == "gone");
    assert_eq!(gone.unwrap()["commits"], Value::Null);
    assert_eq!(sweep(&world), "");
}

#[test]
fn a_worktree_that_is_made_again_begins_a_new_session() {
    let world = world().env("SQ_AGENT", "ada");
    let side = world.beside();
    let in_side = |line: &str| world.sq_in(&side, &refs(&words(line))).ok();
    in_side("state set --status one --handover first");
    let first = in_side("session current");
    world.git_in(&side, &["commit", "--quiet", "--allow-empty", "-m", "Before"]).ok();
    world.git_ok("worktree move ../side ../moved");
    world.git_ok("worktree move ../moved ../side");
    assert_eq!(in_side("session current"), first);
    world.git_ok("worktree remove ../side");
    world.git_ok("worktree add --quiet -b again ../side");
    assert_eq!(world.sq_in(&side, &["session", "current"]).code, 1);
    in_side("state set --status two");
    let second = entries(&world, "state").pop().unwrap();
    assert_ne!(second["sid"], first.trim());
    assert_eq!(second["handover"], Value::Null);
    // The first one ends as any that fell silent, without the commits of the second.
    world.git_in(&side, &["commit", "--quiet", "--allow-empty", "-m", "After"]).ok();
    world.pass(3 * HOUR);
    sweep(&world);
    let commits = |sid: &Value| {
        let end = entries(&world, "session").into_iter().find(|end| end["sid"] == *sid);
        end.map(|end| end["commits"].clone())
    };
    assert_eq!(commits(&json!(first.trim())), Some(Value::Null));
    assert_eq!(commits(&second["sid"]), Some(json!(1)));
}

#[test]
fn a_clock_that_jumps_makes_nothing_up() {
    let world = world();
    world.pass(30 * DAY);
    start(&world, "ahead");
    world.pass(-30 * DAY);
    assert_snapshot!(world.sq_ok("session end"), @"Ended ahead: 0 seconds on main, 0 commits.");
    // Less than the grace time ahead is no silence, and still no length of time.
    world.pass(HOUR);
    start(&world, "s1");
    world.pass(-HOUR);
    assert_has!(world.sq_ok("session end"), "Ended s1: unknown duration on main");
}

/// What an end and a sweep say of a session's commits, after something was done to the history.
fn commits_after(change: impl Fn(&World)) -> Value {
    let world = world();
    world.commit("Two");
    start(&world, "s1");
    change(&world);
    let state = fs::read(world.dir.join(".git/sq/state.json")).unwrap();
    world.sq_ok("session end");
    world.write(".git/sq/state.json", state);
    start(&world, "s2");
    let ends = entries(&world, "session");
    assert_eq!(ends.len(), 2);
    assert_eq!(ends[0]["commits"], ends[1]["commits"]);
    ends[0]["commits"].clone()
}

#[test]
fn commits_are_those_that_head_gained_since_the_start() {
    let amend = ["commit", "--quiet", "--amend", "--allow-empty", "-m", "New"];
    let amend = |world: &World| drop(world.git(&amend).ok());
    let gained = commits_after(|world| {
        world.commit("Three");
        amend(world);
    });
    assert_eq!(gained, 1);
    let gained = commits_after(|world| {
        checkout(world, &["-b", "topic"]);
        world.commit("Three");
    });
    assert_eq!(gained, 1, "on a branch of its own");
    assert_eq!(commits_after(amend), 1, "amended");
    let with = |variables: &[(&str, &str)]| {
        commits_after(|world| {
            let mut commit = world.command("git");
            commit.envs(variables.iter().copied());
            commit.args(["commit", "--quiet", "--allow-empty", "-m", "Older"]);
            assert!(commit.status().unwrap().success());
        })
    };
    let old = ("GIT_COMMITTER_DATE", "2025-12-31T00:00:00Z");
    assert_eq!(with(&[old]), 1, "whatever the date");
    let email = "bob@example.org";
    let of_bob = [("GIT_AUTHOR_EMAIL", email), ("GIT_COMMITTER_EMAIL", email)];
    assert_eq!(with(&of_bob), 0, "pulled");
    assert_eq!(with(&of_bob[..1]), 1, "applied for somebody else");
    let gone = |world: &World| {
        amend(world);
        world.git_ok("reflog expire --expire=now --all");
        world.git_ok("gc --quiet --prune=now");
    };
    assert_eq!(commits_after(gone), Value::Null, "the start is gone");
    let gained = commits_after(|world| checkout(world, &["-b", "older", "HEAD~1"]));
    assert_eq!(gained, 0, "an older branch");
}

#[test]
fn who_only_looks_at_older_work_made_no_commit() {
    let world = world();
    checkout(&world, &["-b", "topic"]);
    world.commit("Old");
    checkout(&world, &["main"]);
    world.pass(30 * DAY);
    start(&world, "s1");
    checkout(&world, &["topic"]);
    assert_has!(world.sq_ok("session end"), "0 commits");
}

/// Readers who pull what their own colleague, or another clone of theirs, made.
#[test]
fn who_only_pulls_owes_no_answer() {
    let team = Team::new();
    let [ann, bob] = ["ann", "bob"].map(|name| team.join(name));
    for sid in ["r1", "r2", "r3"] {
        team.commit(&ann, "work");
        team.push_from(&ann);
        team.sq(&bob, &["session", "start", "--sid", sid]).ok();
        team.git_ok_in(&bob, "pull --quiet");
        assert_has!(team.sq(&bob, &["session", "end"]).ok(), "0 commits");
    }
}

#[test]
fn sessions_work_wherever_git_does() {
    // Before the first commit there is nothing to write on.
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    start(&world, "s0");
    assert_snapshot!(world.sq_ok("session end"), @"Ended; no entry was written, because HEAD has no commit yet.");
    start(&world, "s1");
    world.change("src/a", "a\n");
    world.commit("Two");
    let deep = world.dir.join("src");
    assert_eq!(world.sq_in(&deep, &["session", "current"]).ok(), "s1\n");
    checkout(&world, &["--detach"]);
    world.sq_in(&deep, &["session", "end"]).ok();
    assert_snapshot!(ends(&world), @r#"s1 end: 540 - 2 "Two" on Two"#);

    let bare = world.cloned("--bare", "bare.git");
    world.git_in(&bare, &["remote", "remove", "origin"]).ok();
    let run = |args: &[&str]| world.sq_in(&bare, args).ok();
    for end in [&["session", "end"][..], &["session", "start"]] {
        run(&["session", "start", "--sid", end[1]]);
        run(&["state", "set", "--next", "from a bare one"]);
        run(end);
        let row = &world.sq_in(&bare, &["state", "show", "--format", "json"]).json()["rows"][0];
        assert_eq!(row["source"], "merged");
        assert_eq!(row["session"]["commits"], 0);
    }
}

#[test]
fn an_entry_is_by_the_agent_that_is_named_else_that_of_the_session() {
    let world = World::asked();
    let ada = [("SQ_AGENT", "ada"), ("SQ_MODEL", "m1")];
    world.sq_env("session start --sid s1", &ada).ok();
    world.sq_ok("record --same q1=x");
    let agent = &entries(&world, "rederive")[0]["agent"];
    assert_eq!(*agent, json!({"name": "ada", "model": "m1"}));
    let set = "state set --next x";
    // Nothing says that an agent writes: the row is not ada's.
    world.sq_ok(set);
    world.sq_env(set, &[("SQ_MODEL", "m2")]).ok();
    world.sq_env(set, &[("SQ_AGENT", "bob")]).ok();
    world.sq_ok("state set --next x --agent eve");
    // Another session's entry is not hers, and a row keeps its agent.
    let other = "state set --sid s2 --next x";
    world.sq_ok(other);
    world.sq_env(other, &[("SQ_AGENT", "cy")]).ok();
    world.sq_ok(other);
    let agents = entries(&world, "state").into_iter().map(|mut state| state["agent"].take());
    let expected = json!([null, {"name": "ada", "model": "m2"},
        {"name": "bob"}, {"name": "eve"}, null, {"name": "cy"}, {"name": "cy"}]);
    assert_eq!(agents.collect::<Value>(), expected);
}

#[test]
fn names_have_limits() {
    let world = world();
    let long = "ä".repeat(129);
    let control = "contains a control character";
    for (name, why) in [
        ("", "is empty"),
        ("a\tb", control),
        ("a\u{1b}[31mb", control),
        (&long, "has 129 characters, more than 128"),
    ] {
        let ran = world.sq(&["state", "set", "--next", "x", "--agent", name]);
        let expected = format!("fatal: --agent {why}\n");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.transcript());
        // In the environment, empty is as good as not set.
        for variable in ["SQ_AGENT", "SQ_MODEL", "SQ_HARNESS"] {
            let ran = world.sq_env("session start", &[(variable, name)]);
            if name.is_empty() {
                ran.ok();
                continue;
            }
            let expected = format!("fatal: {variable} {why}\n");
            assert!(ran.stderr.starts_with(&expected), "{}", ran.transcript());
            assert_eq!(ran.code, 128);
        }
    }
    let longest = "ä".repeat(128);
    let begin = format!("session start --sid {longest}");
    world.sq_env(&begin, &[("SQ_AGENT", &longest)]).ok();
    let now = current(&world);
    assert_eq!([&now["sid"], &now["agent"]["name"]], [&longest, &longest]);
    for sid in [&long, "a b", ""] {
        world.sq(&["session", "start", "--sid", sid]).exits(128);
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_names_the_sessions_that_it_forgets() {
    let world = world();
    world.sq_ok("init");
    let side = world.beside();
    start(&world, "s2");
    world.sq_ok_in(&side, "session start --sid s1");
    let sessions = "sessions that have not ended: s2, s1\n";
    assert_has!(world.sq_ok("init --undo --dry-run"), &format!("state:  would forget {sessions}"));
    assert_eq!(current(&world)["sid"], "s2");
    assert_has!(world.person_ok_in(&side, "init --undo"), &format!("state:  forgot {sessions}"));
    assert!(!world.dir.join(".git/sq").exists());
}

/// Runs these at once.
fn at_once(world: &World, lines: &[String]) {
    for mut child in lines
        .iter()
        .map(|line| {
            let mut command = world.sq_command(&refs(&words(line)));
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect::<Vec<_>>()
    {
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn of_sessions_that_start_at_once_each_ends_once_and_entries_at_once_begin_one() {
    let world = World::asked();
    let starts: Vec<String> =
        (0..8).map(|number| format!("session start --sid s{number}")).collect();
    at_once(&world, &starts);
    world.sq_ok("session end");
    let mut ends = sids(&entries(&world, "session"));
    ends.sort();
    assert_eq!(ends, ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]);
    at_once(&world, &vec!["record --same q1=x".to_owned(); 8]);
    let mut sids = sids(&entries(&world, "rederive"));
    assert_eq!(sids.len(), 8);
    sids.dedup();
    assert_eq!(sids.len(), 1, "{sids:?}");
    assert_eq!(entries(&world, "session").len(), 8);
}

fn sids(entries: &[Value]) -> Vec<String> {
    entries.iter().map(|entry| entry["sid"].as_str().unwrap()).map(str::to_owned).collect()
}

#[test]
fn the_first_entry_begins_a_session_and_an_end_needs_no_start() {
    let world = World::asked();
    world.sq_ok("record --same q1=x");
    world.sq_ok("state set --next x");
    world.sq_ok(OPEN);
    let sid = current(&world)["sid"].as_str().unwrap().to_owned();
    assert!(is_made(&sid), "{sid}");
    for kind in ["rederive", "state", "tension.open"] {
        assert_eq!(sids(&entries(&world, kind)), [&*sid], "{kind}");
    }
    world.commit("Two");
    let ended = world.sq_ok("session end");
    let end = &entries(&world, "session")[0];
    assert_eq!(end["writer"], entries(&world, "rederive")[0]["writer"]);
    assert_snapshot!(ended.replace(&sid[..8], "[sid]"), @r#"Ended [sid]: 13 minutes on main, 1 commit (last: "Two")."#);
    world.sq_ok("record --same q1");
    assert_ne!(sids(&entries(&world, "rederive"))[1], sid);
}

#[test]
fn an_option_outranks_the_environment_and_that_the_agents_own_variable() {
    let world = World::asked();
    let uuid = "3f9a61c2-d07b-4e15-9a61-c2d07b4e15aa";
    let harness = [("CODEX_SESSION_ID", uuid)];
    let named = [("SQ_SESSION", "mine"), ("CODEX_SESSION_ID", uuid)];
    let record = "record --same q1=x";
    let option = "record --same q1=x --sid given";
    world.sq_ok(option);
    // An option names the session of one entry, and of nothing else.
    assert_eq!(world.try_sq("session current").code, 1);
    world.sq_env(option, &named).ok();
    world.sq_env(record, &harness).ok();
    assert_eq!(current(&world)["sid"], uuid);
    world.sq_env(record, &named).ok();
    world.sq_ok(record);
    let expected = ["given", "given", uuid, "mine", uuid];
    assert_eq!(sids(&entries(&world, "rederive")), expected);
    for variable in ["CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "QWEN_CODE_SESSION_ID"] {
        world.sq_env(record, &[(variable, variable)]).ok();
        assert_eq!(sids(&entries(&world, "rederive")).last().unwrap(), variable);
    }
    let said = world.sq_env("session end", &harness).ok();
    assert!(said.starts_with("Ended 3f9a61c2: "), "{said}");
}

#[test]
fn the_next_write_sweeps_what_was_silent_whichever_command_that_is() {
    let world = World::asked();
    let opened = world.json(OPEN);
    let id = opened["tensions"][0]["id"].as_str().unwrap();
    world.sq_ok("session end");
    world.git_ok("switch --quiet -c topic");
    world.change("a", "a");
    world.record("s0").ok();
    world.git_ok("switch --quiet main");
    world.commit("Elsewhere");
    world.git_ok("merge --quiet --squash topic");
    world.commit("Squashed");
    world.git_ok("branch --quiet -D topic");
    let close = format!("tension close {id} --as withdrawn --note x");
    for (number, write) in [
        "record --same q1=x",
        "state set --next x",
        OPEN,
        &close,
        "carry",
        "session start",
        "session end",
    ]
    .into_iter()
    .enumerate()
    {
        let forgotten = format!("forgotten{number}");
        start(&world, &forgotten);
        world.pass(3 * HOUR);
        world.sq_ok(write);
        let ends = entries(&world, "session");
        let last = ends
            .iter()
            .rfind(|end| end["sid"] == forgotten)
            .unwrap_or_else(|| panic!("{write} {ends:#?}"));
        assert_eq!((&last["how"], &last["seconds"]), (&json!("sweep"), &json!(0)));
        world.sq_ok("session end");
    }
    let lines = world.lines().concat();
    assert_eq!(lines.matches("\"sid\":\"forgotten").count(), 7, "no entry but the ends");
    // Who speaks by its name was not silent.
    start(&world, "s1");
    world.pass(3 * HOUR);
    let said = world.sq_ok("session end --sid s1");
    assert!(said.starts_with("Ended s1: 3 hours"), "{said}");
}

#[test]
fn another_agent_begins_a_session_of_its_own() {
    let world = World::asked();
    let opened = world.json(OPEN);
    let id = opened["tensions"][0]["id"].as_str().unwrap();
    let close = format!("tension close {id} --as withdrawn --note x");
    let by = |agent: &str, line: &str| {
        world.sq_env(line, &[("SQ_AGENT", agent)]).ok();
        let mut now = current(&world);
        (now["sid"].take(), now["agent"]["name"].take())
    };
    for line in ["record --same q1=x", "state set --next x", OPEN, &close] {
        let (ada, _) = by("ada", "record --same q1=x");
        assert_eq!(by("ada", "record --same q1=x").0, ada);
        let (bob, agent) = by("bob", line);
        assert_ne!(ada, bob, "{line}");
        assert_eq!(agent, "bob");
        // Who says no name goes on.
        world.sq_ok("record --same q1");
        assert_eq!(current(&world)["sid"], bob);
        let ends = sids(&entries(&world, "session"));
        assert_eq!(json!(ends.last()), ada);
    }
}

#[test]
fn a_made_name_is_shown_in_short_and_may_be_given_so() {
    let world = World::asked();
    world.sq_ok("record --same q1=x");
    let sid = current(&world)["sid"].as_str().unwrap().to_owned();
    let short = &sid[..8];
    for line in
        ["record --same q1", "state set --next x", "state show", "log", "check", "brief", ""]
    {
        let text = world.sq_ok(line);
        assert!(text.contains(short) && !text.contains(&sid), "{line}: {text}");
    }
    world.sq_ok("session end");
    world.sq_ok(&format!("session start --sid {short}"));
    assert_eq!(current(&world)["sid"], *sid);
    world.sq_ok("session end");
    world.sq_ok(&format!("record --same q1 --sid {}", &sid[..4]));
    assert_eq!(sids(&entries(&world, "rederive")), [&*sid, &sid, &sid]);
    let of = |name: &str| {
        sids(world.json(&format!("log --session {name}"))["entries"].as_array().unwrap())
    };
    assert_eq!(of(short).len(), 3);
    // What could mean two is refused, and another name is a name.
    let twin = format!("{}kkkkkkkk", &sid[..8]);
    let line = event_line(&world.head(), "state", "1", &json!({"sid": twin}));
    world.plant_lines(&[line]);
    let refused = world.try_sq(&format!("record --same q1 --sid {short}")).stderr;
    let mut names = [&*sid, &*twin];
    names.sort_unstable();
    let names = names.join(", ");
    assert_has!(refused, &format!("fatal: session \"{short}\" is ambiguous: {names}\n"));
    world.sq_ok("record --same q1 --sid most");
}

#[test]
fn names_that_begin_with_the_time_are_told_apart() {
    let world = World::asked();
    // Two that Codex started half a minute apart.
    let names = ["01a2031f-e141-7b13-afc5-5bc913ea2b5e", "01a2031f-fb7f-7800-8a71-86093c43001b"];
    for sid in names {
        world.sq_ok(&format!("record --sid {sid} --same q1=x --sure"));
    }
    let log = world.sq_ok("log");
    for (sid, part) in [(names[0], "5bc913ea2b5e"), (names[1], "fb7f-7800")] {
        let short = &sid[..13];
        assert_has!(log, &format!("Session: {short}\n"));
        for part in [short, part] {
            let shown = world.json(&format!("log --session {part}"));
            assert_eq!(sids(shown["entries"].as_array().unwrap()), [sid], "{part}");
        }
    }
    assert_has!(world.try_sq("log --session 01a2031f").stderr, "is ambiguous");
}

#[test]
fn a_session_that_began_long_ago_answers_a_stale_question() {
    let world = World::asking(&[r#", "watch": ["a"], "max_staleness": 2"#, r#", "watch": ["b"]"#]);
    world.write("a", "1");
    world.change("b", "1");
    world.sq_ok("record --sid s1 q1=1 q2=1 --cite q1=a:1 --cite q2=b:1");
    world.pass(3600);
    world.sq_ok("record --sid long --same q2");
    for sid in ["s3", "s4", "s5"] {
        world.pass(3600);
        world.change("b", sid);
        world.sq_ok(&format!("record --sid {sid} --delta q2={sid} --cite q2=b:1"));
    }
    assert_eq!(world.standing("q1"), "stale");
    world.pass(3600);
    world.sq_ok("record --sid long --same q1");
    assert_eq!(world.standing("q1"), "fresh");
    // Sessions that begin after it count again.
    for sid in ["s6", "s7", "s8"] {
        world.pass(3600);
        world.sq_ok(&format!("record --sid {sid} --same q2"));
    }
    assert_eq!(world.standing("q1"), "stale");
}
