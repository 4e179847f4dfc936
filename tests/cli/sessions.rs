//! `git sq session`: one current session per worktree, and what becomes of those that end or fall silent.

use std::{fs, thread};

use git_sq_test_support::{Ran, World};
use insta::assert_snapshot;
use serde_json::{Value, json};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// A repository with one commit, and no question store: sessions need none.
fn world() -> World {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.commit("Begin");
    world
}

/// The entries of a kind, oldest first.
pub fn entries(world: &World, kind: &str) -> Vec<Value> {
    let lines = world.lines().into_iter();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    lines.filter(|line| line["kind"] == kind).collect()
}

/// The ends of sessions in the log, oldest first, one line each: what they say, and the commit that they are on.
fn ends(world: &World) -> String {
    let line = |end: &Value| {
        let keys = ["seconds", "branch", "commits", "last_subject", "beats"];
        let figures = keys.map(|key| end.get(key).map_or("-".into(), Value::to_string));
        let commit = end["repo_head_sha"].as_str().unwrap();
        assert!(!world.note(commit).is_empty(), "{end}");
        let subject = world.git_ok(&format!("log -1 --format=%s {commit}"));
        let (sid, how) = (end["sid"].as_str().unwrap(), end["how"].as_str().unwrap());
        format!("{sid} {how}: {} on {subject}", figures.join(" "))
    };
    entries(world, "session").iter().map(line).collect()
}

fn start(world: &World, sid: &str) {
    world.sq_ok(&format!("session start --sid {sid}"));
}

fn sweep(world: &World) -> String {
    world.sq_ok("session sweep")
}

fn current(world: &World) -> Value {
    world.try_sq("session current --format json").json()
}

fn checkout(world: &World, args: &[&str]) {
    world.git(&[&["checkout", "--quiet"], args].concat()).ok();
}

/// Runs `git sq` with more variables in its environment.
fn with(world: &World, env: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = world.sq_command(args);
    command.envs(env.iter().copied()).output().unwrap().into()
}

#[test]
fn a_session_from_start_to_end() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_MODEL", "m1");
    let none = world.try_sq("session current");
    assert_eq!(none.transcript(), "--- exit 1\n");
    let head = world.head();
    let said = world.sq_ok("session start --sid s1");
    assert_eq!(
        said,
        format!("Session s1 began on main at {}.\n", &head[..10])
    );
    for share in ["0.2", "0.62", "0.4"] {
        world.sq_ok(&format!("session beat --context {share}"));
    }
    world.sq_ok("session beat");
    let now = current(&world);
    assert_eq!(
        (&now["beats"], &now["peak_context"], &now["agent"]),
        (&json!(4), &json!(0.62), &json!("ada"))
    );
    world.commit("Two");
    world.commit("Three");
    assert_snapshot!(world.sq_ok("session end"), @"Ended s1: 12 minutes on main, 2 commits, 4 beats, context at most 62 %.");
    assert_snapshot!(ends(&world), @r#"s1 end: 720 "main" 2 - 4 on Three"#);
    let end = &entries(&world, "session")[0];
    assert_eq!(end["agent"], json!({"name": "ada", "model": "m1"}));
    assert_eq!(end["peak_context"], 0.62);
    assert_eq!(end["head"]["branch"], "main");
    assert_eq!(world.try_sq("session current").code, 1);
    // A row that nobody wrote is no state.
    let shown = world.try_sq("state show --format json").json();
    assert_eq!(shown["rows"], json!([]));
}

#[test]
fn a_start_with_the_same_name_goes_on() {
    let world = world();
    start(&world, "s1");
    let before = current(&world);
    world.sq_ok("session beat --context 0.5");
    world.pass(9 * HOUR);
    let said = world.sq_ok("session start --sid s1");
    assert_eq!(said, "Session s1 goes on; it was started 9 hours ago.\n");
    let after = current(&world);
    assert_eq!(after["started"], before["started"]);
    assert_eq!(after["beats"], 1);
    assert_eq!(world.lines().len(), 0);
}

#[test]
fn a_start_with_another_name_sweeps_up_the_current_session() {
    let world = world();
    start(&world, "crashed");
    world.sq_ok("session beat --context 0.3");
    world.commit("The crashed one's\n\nwith a body");
    let said = world.sq_ok("session start");
    let first = said.lines().next().unwrap();
    assert_snapshot!(first, @"Swept up crashed: 1 minute on main, 1 commit, 1 beat, context at most 30 %.");
    assert_snapshot!(ends(&world), @r#"crashed sweep: 60 "main" 1 "The crashed one's" 1 on The crashed one's"#);
    let made = world.sq_ok("session current");
    assert!(made.starts_with("2026"), "{made}");
    assert_eq!(sweep(&world), "Nothing to sweep up.\n");
}

#[test]
fn a_start_goes_on_where_the_sweep_fails() {
    let world = world();
    start(&world, "s1");
    world.git_ok("symbolic-ref refs/notes/sq refs/notes/other");
    let ran = world.try_sq("session start --sid s2");
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
    assert_eq!(current(&world)["sid"], "s2");
}

#[test]
fn entries_belong_to_the_named_session_else_the_current_one() {
    let world = World::asked();
    start(&world, "s1");
    let record = ["record", "--same", "q1=x"];
    world.sq(&record).ok();
    world.sq(&[&record[..], &["--sid", "s2"]].concat()).ok();
    with(&world, &[("SQ_SESSION", "s3")], &record).ok();
    world.sq_ok("session end");
    world.sq(&record).ok();
    let entries = entries(&world, "rederive");
    let sids = entries.iter().map(|entry| entry["sid"].as_str().unwrap());
    let sids: Vec<&str> = sids.collect();
    assert_eq!(sids[..3], ["s1", "s2", "s3"]);
    assert!(sids[3].starts_with("2026"), "{sids:?}");
    let end = &self::entries(&world, "session")[0];
    assert_eq!(
        (&end["sid"], &end["writer"]),
        (&json!("s1"), &entries[0]["writer"])
    );
}

#[test]
fn two_agents_in_one_worktree_take_turns() {
    let world = world();
    let run = |agent: &str, args: &[&str]| {
        with(&world, &[("SQ_SESSION", agent), ("SQ_AGENT", agent)], args)
    };
    run("ada", &["session", "start"]).ok();
    run("bob", &["session", "start"]).ok();
    let late = run("ada", &["session", "beat"]);
    assert_snapshot!(late.transcript(), @r"
    --- stderr
    ada had ended already; nothing was counted.
    --- exit 0
    ");
    run("bob", &["session", "beat"]).ok();
    assert_eq!(run("ada", &["session", "current"]).code, 1);
    assert_eq!(run("bob", &["session", "current"]).ok(), "bob\n");
    // What they write still bears their names.
    run("ada", &["state", "set", "--next", "ada's"]).ok();
    run("bob", &["state", "set", "--next", "bob's"]).ok();
    for (agent, source) in [("ada", "merged"), ("bob", "agent")] {
        let shown = run(agent, &["state", "show", "--format", "json"]).json();
        let rows = shown["rows"].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0]["source"]), (1, &json!(source)));
    }
}

#[test]
fn beats_and_ends_of_what_is_not_running_say_so() {
    let world = world();
    let none = world.try_sq("session beat").transcript();
    assert_snapshot!(none, @r"
    --- stderr
    fatal: no session is running in this worktree
    hint: `git sq session start` starts one
    --- exit 128
    ");
    assert_eq!(world.try_sq("session end").transcript(), none);
    assert!(!world.dir.join(".git/sq").exists(), "nothing was made");
    start(&world, "s1");
    world.sq_ok("session end");
    start(&world, "s2");
    let again = |act: &str| world.sq(&["session", act, "--sid", "s1"]).transcript();
    assert_eq!(
        again("beat"),
        "--- stderr\ns1 had ended already; nothing was counted.\n--- exit 0\n"
    );
    assert_eq!(
        again("end"),
        "s1 had ended already; nothing was added.\n--- exit 0\n"
    );
    assert_eq!(entries(&world, "session").len(), 1);
    assert_eq!(current(&world)["beats"], 0);
    // One that only wrote something has no end, and neither has this worktree another one's.
    world.sq_ok("state set --sid s3 --next x");
    let side = world.beside();
    for (dir, sid) in [(&world.dir, "s3"), (&side, "s2")] {
        let ran = world.sq_in(dir, &["session", "end", "--sid", sid]);
        let expected = format!("fatal: the session {sid} is not running in this worktree\n");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.transcript());
        assert_eq!(ran.code, 128);
    }
    // Another clone's session of that name is another one.
    world.git_ok("clone --quiet . ../clone");
    let clone = world.root().join("clone");
    let fetch = ["fetch", "--quiet", "origin", "refs/notes/sq:refs/notes/sq"];
    world.git_in(&clone, &fetch).ok();
    let ran = world.sq_in(&clone, &["session", "beat", "--sid", "s1"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
}

#[test]
fn of_several_ends_the_last_counts() {
    let world = world();
    start(&world, "s1");
    world.sq_ok("state set --next 'go on'");
    world.sq_ok("session beat --context 0.9");
    world.sq_ok("session end");
    start(&world, "s1");
    world.commit("Two");
    world.sq_ok("session end");
    assert_eq!(entries(&world, "session").len(), 2);
    let shown = world.try_sq("state show --format json").json();
    let row = &shown["rows"][0]["session"];
    assert_eq!((&row["beats"], &row["commits"]), (&json!(0), &json!(1)));
    assert_eq!(row.get("peak_context"), None);
}

#[test]
fn what_was_silent_for_longer_than_the_grace_time_is_swept_up() {
    let world = world();
    let side = world.beside();
    start(&world, "s1");
    world.pass(2 * HOUR - 2 * 60);
    assert_eq!(sweep(&world), "Nothing to sweep up.\n");
    world.pass(2 * 60);
    assert_snapshot!(sweep(&world), @"Swept up s1: 0 seconds on main, 0 commits, 0 beats.");
    assert_eq!(world.try_sq("session current").code, 1);
    // A start sweeps up the silent ones of other worktrees.
    start(&world, "s2");
    world.git_ok("config sq.grace 10m");
    let began = world.sq_in(&side, &["session", "start", "--sid", "s3"]);
    assert!(began.ok().starts_with("Session s3 began"));
    world.pass(10 * 60);
    let began = world.sq_in(&side, &["session", "start", "--sid", "s3"]);
    assert!(began.ok().starts_with("Swept up s2"));
    // All means all.
    let said = world.sq_ok("session sweep --all");
    assert!(said.starts_with("Swept up s3"), "{said}");
    world.git_ok("config sq.grace soon");
    assert_eq!(world.try_sq("session sweep").code, 128);
}

#[test]
fn every_entry_of_the_current_session_is_a_sign_of_life() {
    let open = "tension open Why? --type unknown --source x --curiosity 0.5 --intrusiveness 0.5";
    let world = World::asked();
    let opened = world.try_sq(&format!("{open} --format json")).json();
    let id = opened["tensions"][0]["id"].as_str().unwrap();
    let close = format!("tension close {id} --as resolved --note x");
    let record = "record --same q1=x";
    for sign in ["session beat", record, "state set --next x", open, &close] {
        start(&world, "s1");
        world.pass(HOUR);
        world.sq_ok(&format!("{sign} --sid s1"));
        world.pass(HOUR + HOUR / 2);
        assert_eq!(sweep(&world), "Nothing to sweep up.\n", "{sign}");
        world.pass(HOUR);
        let said = sweep(&world);
        assert!(said.starts_with("Swept up s1: 1 hour"), "{sign} {said}");
    }
    // Another session's entry is not.
    start(&world, "s1");
    world.pass(2 * HOUR);
    world.record("s2").ok();
    assert!(sweep(&world).starts_with("Swept up s1: 0 seconds"));
}

#[test]
fn a_sweep_counts_no_commits_that_came_much_later() {
    let world = world();
    start(&world, "s1");
    world.sq_ok("session beat");
    world.pass(HOUR);
    world.commit("Mine");
    world.pass(2 * DAY);
    world.commit("A person's");
    assert_snapshot!(sweep(&world), @"Swept up s1: 1 minute on main, 1 commit, 1 beat.");
    start(&world, "s2");
    world.pass(DAY);
    world.commit("Somebody else's");
    sweep(&world);
    assert_snapshot!(ends(&world), @r#"
    s1 sweep: 60 "main" 1 "Mine" 1 on Mine
    s2 sweep: 0 "main" 0 - 0 on A person's
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
    world.sq_ok("session beat");
    // A sweep from one worktree finds the other's, with the other's HEAD.
    sweep(&world);
    world.pass(3 * HOUR);
    in_side(&["session", "sweep"]);
    assert_snapshot!(ends(&world), @r#"
    side-one sweep: 180 "side" 1 "On the side" 0 on On the side
    main-one sweep: 11280 "main" 0 - 1 on Begin
    "#);
}

#[test]
fn a_removed_worktree_leaves_its_session_to_a_sweep() {
    let world = world();
    let side = world.beside();
    world.sq_ok_in(&side, "session start --sid s1");
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "Last words"];
    world.git_in(&side, &commit).ok();
    world.git_ok("worktree remove ../side");
    assert_eq!(world.try_sq("session current").code, 1);
    world.pass(3 * HOUR);
    sweep(&world);
    assert_snapshot!(ends(&world), @r#"s1 sweep: 0 "side" - - 0 on Begin"#);
    let again = world.sq_ok("session sweep --all");
    assert_eq!(again, "Nothing to sweep up.\n");
}

#[test]
fn a_clock_that_jumps_makes_nothing_up() {
    let world = world();
    world.pass(30 * DAY);
    start(&world, "ahead");
    world.pass(-30 * DAY);
    assert_snapshot!(sweep(&world), @"Swept up ahead: 0 seconds on main, 0 commits, 0 beats.");
    // Less than the grace time ahead is no silence, and still no length of time.
    world.pass(HOUR);
    start(&world, "s1");
    world.pass(-HOUR);
    assert_eq!(sweep(&world), "Nothing to sweep up.\n");
    let said = world.sq_ok("session end");
    assert!(
        said.starts_with("Ended s1: an unknown time on main"),
        "{said}"
    );
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
    world.sq_ok("session sweep --all");
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
    // Where the start is not in HEAD's history any more, nobody knows.
    assert_eq!(commits_after(amend), Value::Null, "amended");
    let gone = |world: &World| {
        amend(world);
        world.git_ok("reflog expire --expire=now --all");
        world.git_ok("gc --quiet --prune=now");
    };
    assert_eq!(commits_after(gone), Value::Null, "the start is gone");
    for branch in [&["-b", "older", "HEAD~1"][..], &["--orphan", "fresh"]] {
        let unknown = commits_after(|world| checkout(world, branch));
        assert_eq!(unknown, Value::Null, "{branch:?}");
    }
}

#[test]
fn in_a_shallow_clone_the_number_of_commits_is_unknown() {
    let world = world();
    world.commit("Two");
    let url = format!("file://{}", world.dir.display());
    world.git_ok(&format!("clone --quiet --depth=1 '{url}' ../shallow"));
    let shallow = world.root().join("shallow");
    let world = world.at(shallow);
    start(&world, "s1");
    world.commit("Mine");
    assert_snapshot!(world.sq_ok("session end"), @"Ended s1: 4 minutes on main, an unknown number of commits, 0 beats.");
}

#[test]
fn sessions_work_wherever_git_does() {
    // Before the first commit there is nothing to write on.
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    start(&world, "s0");
    assert_snapshot!(world.sq_ok("session end"), @"Ended; nothing was written, because HEAD has no commit yet.");
    start(&world, "s1");
    world.write("src/a", "a\n");
    world.commit("One");
    world.commit("Two");
    let deep = world.dir.join("src");
    assert_eq!(world.sq_in(&deep, &["session", "current"]).ok(), "s1\n");
    checkout(&world, &["--detach"]);
    world.sq_in(&deep, &["session", "end"]).ok();
    assert_snapshot!(ends(&world), @"s1 end: 540 - 2 - 0 on Two");

    let bare = world.root().join("bare.git");
    world.git_ok("clone --quiet --bare . ../bare.git");
    world.git_in(&bare, &["remote", "remove", "origin"]).ok();
    let run = |args: &[&str]| world.sq_in(&bare, args).ok();
    for end in [&["session", "end"][..], &["session", "sweep", "--all"]] {
        run(&["session", "start", "--sid", end[1]]);
        run(&["state", "set", "--next", "from a bare one"]);
        run(end);
        let shown = world.sq_in(&bare, &["state", "show", "--format", "json"]);
        let row = &shown.json()["rows"][0];
        assert_eq!(row["source"], "merged");
        assert_eq!(row["session"]["commits"], 0);
    }
}

#[test]
fn beats_of_many_processes_are_all_counted() {
    let world = world();
    start(&world, "s1");
    thread::scope(|scope| {
        for process in 0..8 {
            let beat = |beat: usize| {
                let share = format!("0.{}", 10 + process * 10 + beat);
                world.sq_command(&["session", "beat", "--context", &share])
            };
            let commands: Vec<_> = (0..10).map(beat).collect();
            scope.spawn(move || {
                for mut command in commands {
                    assert!(command.output().unwrap().status.success());
                }
            });
        }
    });
    let now = current(&world);
    let expected = (&json!(80), &json!(0.89));
    assert_eq!((&now["beats"], &now["peak_context"]), expected);
}

#[test]
fn an_entry_is_by_the_agent_that_is_named_else_that_of_the_session() {
    let world = World::asked();
    let ada = [("SQ_AGENT", "ada"), ("SQ_MODEL", "m1")];
    with(&world, &ada, &["session", "start", "--sid", "s1"]).ok();
    world.sq_ok("record --same q1=x");
    let agent = &entries(&world, "rederive")[0]["agent"];
    assert_eq!(*agent, json!({"name": "ada", "model": "m1"}));
    let set = ["state", "set", "--next", "x"];
    world.sq(&set).ok();
    with(&world, &[("SQ_MODEL", "m2")], &set).ok();
    with(&world, &[("SQ_AGENT", "bob")], &set).ok();
    world.sq(&[&set[..], &["--agent", "eve"]].concat()).ok();
    // Another session's entry is not hers, and a row keeps its agent.
    let other = ["state", "set", "--sid", "s2", "--next", "x"];
    world.sq(&other).ok();
    with(&world, &[("SQ_AGENT", "cy")], &other).ok();
    world.sq(&other).ok();
    let states = entries(&world, "state");
    let agents: Vec<&Value> = states.iter().map(|state| &state["agent"]).collect();
    assert_eq!(
        agents,
        [
            &json!({"name": "ada", "model": "m1"}),
            &json!({"name": "ada", "model": "m2"}),
            &json!({"name": "bob"}),
            &json!({"name": "eve"}),
            &Value::Null,
            &json!({"name": "cy"}),
            &json!({"name": "cy"}),
        ]
    );
}

#[test]
fn names_have_limits() {
    let world = world();
    let long = "ä".repeat(129);
    let control = "has a control character, and a name has none";
    for (name, why) in [
        ("", "is empty, and a name is not"),
        ("a\tb", control),
        ("a\u{1b}[31mb", control),
        (&long, "has 129 characters, and a name has at most 128"),
    ] {
        let ran = world.sq(&["state", "set", "--next", "x", "--agent", name]);
        let expected = format!("fatal: --agent {why}\n");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.transcript());
        // In the environment, empty is as good as not set.
        for variable in ["SQ_AGENT", "SQ_MODEL", "SQ_HARNESS"] {
            let ran = with(&world, &[(variable, name)], &["session", "start"]);
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
    let begin = ["session", "start", "--sid", &longest];
    with(&world, &[("SQ_AGENT", &longest)], &begin).ok();
    let now = current(&world);
    assert_eq!(
        (&now["sid"], &now["agent"]),
        (&json!(longest), &json!(longest))
    );
    for sid in [&long, "a b", ""] {
        let ran = world.sq(&["session", "start", "--sid", sid]);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
    }
}

#[test]
fn undo_names_the_sessions_that_it_forgets() {
    let world = world();
    world.sq_ok("init");
    let side = world.beside();
    start(&world, "s2");
    world.sq_ok_in(&side, "session start --sid s1");
    let sessions =
        "sessions that have not ended: s2, s1 (`git sq session sweep --all` records them)\n";
    let said = world.sq_ok("init --undo --dry-run");
    assert!(
        said.contains(&format!("state:  would forget {sessions}")),
        "{said}"
    );
    assert_eq!(current(&world)["sid"], "s2");
    let said = world.sq_in(&side, &["init", "--undo"]).ok();
    assert!(
        said.contains(&format!("state:  forgot {sessions}")),
        "{said}"
    );
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn of_sessions_that_start_at_once_each_ends_once() {
    let world = world();
    world.sq_ok("init");
    let starts: Vec<_> = (0..8)
        .map(|number| {
            let args = ["session", "start", "--sid", &format!("s{number}")];
            let mut start = world.sq_command(&args);
            start.stdout(std::process::Stdio::null());
            start.spawn().unwrap()
        })
        .collect();
    for mut start in starts {
        assert!(start.wait().unwrap().success());
    }
    world.sq_ok("session end");
    let ends = world.lines().into_iter();
    let mut ends: Vec<_> = ends
        .filter_map(|line| Some(line.split_once("\"sid\":")?.1[..4].to_owned()))
        .collect();
    ends.sort();
    let expected: Vec<String> = (0..8).map(|number| format!("\"s{number}\"")).collect();
    assert_eq!(ends, expected);
}
