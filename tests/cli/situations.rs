//! No honest situation ends red without a way out that is printed.

use std::{fs, path::PathBuf, sync::OnceLock};

use git_sq_test_support::{
    Team, Template, World, each, original_line, path_with_program, settle, store_v2,
};

const STORE: &str = "standing_questions.json";

const TOPIC: &str = "switch --quiet -c topic";

/// Each question is a word, and its answer is the lines that have it.
const QUESTIONS: &str = r#"
{"id":"q1","q":"limit","importance":3,"watch":["src/"],"lines":"limit","shape":"list"},
{"id":"q2","q":"port","importance":2,"watch":["docs/"],"shape":"list"}"#;

/// Ada's clone of a remote, in which a session answered.
fn shared() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let team = Team::new();
        let world = team.world.at(team.clone);
        let world = world.env("PATH", path_with_program().into_string().unwrap());
        world.write(STORE, store_v2(QUESTIONS));
        world.write("docs/a.md", "A document\nport 80\n");
        limit(&world, 0);
        session(&world, "s0");
        push(&world, "origin HEAD");
        world
    })
}

/// Goes to somebody's clone of the remote, which is made if it is not there, and brings what others pushed.
fn visit(world: &mut World, name: &str) {
    let (root, dir) = (world.root(), world.root().join(name));
    if !dir.exists() {
        join(world, root.join("remote.git").to_str().unwrap(), name, "");
    }
    world.dir = dir;
    if !["clone", "laptop"].contains(&name) {
        world.git_ok(&format!("config user.email {name}@example.org"));
    }
    world.git_ok("pull --quiet --rebase");
}

/// Clones a repository, and sets the clone up.
fn join(world: &World, from: &str, name: &str, options: &str) -> PathBuf {
    let dir = world.root().join(name);
    world.git_ok(&format!("clone --quiet --no-local {options} {from} {}", dir.display()));
    world.sq_ok_in(&dir, "init");
    dir
}

fn limit(world: &World, limit: usize) {
    world.change("src/a.rs", format!("constant\nlimit {limit}\n"));
}

/// An honest session: it answers what the brief asks, from the files at HEAD, with the lines that show it.
#[track_caller]
fn session(world: &World, sid: &str) {
    answers(world, sid, usize::MAX);
    world.sq_env("session end", &[("SQ_SESSION", sid)]).ok();
}

/// Commits another limit, and a session answers.
#[track_caller]
fn work(world: &World, n: usize) {
    limit(world, n);
    session(world, &format!("s{n}"));
}

/// An honest session that ends after so many answers.
#[track_caller]
fn answers(world: &World, sid: &str, most: usize) {
    let env = [("SQ_SESSION", sid)];
    let brief = world.sq_env("brief --format json", &env).json();
    let asked = each(&brief["questions"]).filter(|row| row["is_due"] == true);
    let mut line = "record".to_owned();
    for row in asked.take(most) {
        let (id, text) = (row["q_id"].as_str().unwrap(), row["q"].as_str().unwrap());
        let grep = format!("grep -n -w {} HEAD -- :!*.json*", text.trim_end_matches('?'));
        let found = world.try_git(&grep).stdout;
        let found: Vec<Vec<&str>> =
            found.lines().map(|line| line.splitn(4, ':').collect()).collect();
        let texts: Vec<&str> = found.iter().map(|line| line[3]).collect();
        line += &format!(" '{id}={}'", texts.join(", "));
        for cite in &found {
            line += &format!(" --cite {id}={}:{}", cite[1], cite[2]);
        }
    }
    if line != "record" {
        world.sq_env(&line, &env).ok();
    }
}

/// Three sessions say the same whatever changed, and cite what shows nothing.
fn flag(world: &World) {
    for n in 1..=3 {
        limit(world, n);
        let cite = "'q1=limit 0' --cite q1=src/a.rs:1";
        world.sq_ok(&format!("record --sure --sid f{n} --same q1 {cite}"));
    }
    says(world, "check", 1, "derive these answers again");
}

/// So many commits that change what is watched, each so many seconds after the one before.
fn commits(world: &World, number: i64, seconds: i64) {
    let mut time: i64 = world.git_ok("log -1 --format=%ct").trim().parse().unwrap();
    let mut stream = "reset refs/heads/main\nfrom refs/heads/main^0\n".to_owned();
    for n in 1..=number {
        time += seconds;
        stream += &format!(
            "commit refs/heads/main\ncommitter A <a@b> {time} +0000\ndata 0\nM 644 inline src/a.rs\ndata 9\nlimit {n:03}\n"
        );
    }
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes()).ok();
    world.git_ok("reset --quiet --hard");
    world.pass(number * seconds);
}

/// Merges the topic, as a forge does, onto a branch that went on.
fn land(world: &World) {
    world.git_ok("switch --quiet main");
    world.change("other", "other\n");
    world.git_ok("merge --quiet --no-ff -m merge topic");
}

/// Pushes, and waits until the log is published.
fn push(world: &World, line: &str) {
    world.git_ok(&format!("push --quiet {line}"));
    settle(&world.dir.join(".git"));
}

/// A command that does not end well says what to do.
#[track_caller]
fn says(world: &World, line: &str, code: i32, what: &str) {
    let ran = world.try_sq(line);
    assert_eq!(ran.code, code, "{}", ran.transcript());
    assert_has!(ran.stdout, what);
}

/// The gate is green here, and in a new clone of what is published.
#[track_caller]
fn ends_well(world: &World) {
    push(world, "origin HEAD");
    world.sq_ok("sync");
    world.sq_ok("check");
    let branch = format!("--branch {}", world.git_ok("branch --show-current").trim());
    let fresh = join(world, world.git_ok("remote get-url origin").trim(), "fresh", &branch);
    world.sq_ok_in(&fresh, "check");
    fs::remove_dir_all(fresh).unwrap();
}

#[track_caller]
fn lands_well(world: &World) {
    land(world);
    ends_well(world);
}

#[test]
fn somebody_alone() {
    let world = shared();
    for n in 1..=20 {
        limit(&world, n);
        world.change("docs/a.md", format!("A document\nport {}\n", n / 3));
        session(&world, &format!("s{n}"));
    }
    ends_well(&world);
}

#[test]
fn a_team_of_two() {
    let mut world = shared();
    for n in 1..=4 {
        visit(&mut world, ["bob", "clone"][n % 2]);
        work(&world, n);
        push(&world, "origin HEAD");
    }
    ends_well(&world);
}

#[test]
fn a_team_of_five_at_once() {
    let mut world = shared();
    let people = ["bob", "cid", "dan", "eve", "clone"];
    for name in people {
        visit(&mut world, name);
        world.git_ok(TOPIC);
        world.change(&format!("src/{name}.rs"), format!("limit of {name}\n"));
        session(&world, name);
        world.git_ok("switch --quiet main");
    }
    for name in people {
        visit(&mut world, name);
        world.git_ok("merge --quiet --no-ff -m merge topic");
        push(&world, "origin HEAD");
    }
    session(&world, "last");
    assert_has!(world.sq_ok("check"), "clean: 2 fresh");
    ends_well(&world);
}

#[test]
fn a_new_question_in_a_pull_request() {
    let world = shared();
    world.git_ok(TOPIC);
    world.change("LICENSE", "The licence is free.\n");
    world.sq_ok("question add q3 licence --watch LICENSE --importance 3");
    world.commit("ask");
    world.sq_ok("check --base main");
    session(&world, "s1");
    world.sq_ok("check --base main");
    lands_well(&world);
    session(&world, "s2");
    assert_has!(world.sq_ok("check"), "clean: 3 fresh");
}

#[test]
fn flagged_answers_that_were_given_anew_before_a_squash() {
    let world = shared();
    world.git_ok(TOPIC);
    flag(&world);
    work(&world, 4);
    push(&world, "origin HEAD");
    world.git_ok("switch --quiet main");
    world.change("other", "other\n");
    world.git_ok("merge --quiet --squash topic");
    world.commit("squashed");
    world.git_ok("branch --quiet -D topic");
    world.git_ok("push --quiet origin :topic");
    world.sq_ok("carry");
    ends_well(&world);
    let ci =
        join(&world, &format!("file://{}/remote.git", world.root().display()), "ci", "--depth 1");
    world.sq_ok_in(&ci, "ci");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn flags_that_a_pull_request_closes() {
    let world = shared();
    world.git_ok(TOPIC);
    flag(&world);
    world.person_ok("check --accept --because 'looked at all three'");
    world.commit("close");
    world.sq_ok("check --base main");
    lands_well(&world);
}

#[test]
fn an_amended_commit_that_was_pushed() {
    let world = shared();
    work(&world, 1);
    push(&world, "origin HEAD");
    world.git_ok("-c core.hooksPath=/dev/null commit --quiet --amend -m reworded");
    push(&world, "--force origin HEAD");
    let old = world.git_ok("rev-parse --short=10 HEAD@{1}");
    let carry = format!("carry {}", old.trim());
    says(&world, "check", 3, &format!("`git sq {carry}` copies the entry"));
    world.sq_ok(&carry);
    ends_well(&world);
}

#[test]
fn a_release_branch_with_many_backports_and_a_hotfix() {
    let world = shared();
    world.git_ok("branch release");
    commits(&world, 61, 6 * 3600);
    session(&world, "s1");
    ends_well(&world);
    world.git_ok("switch --quiet release");
    world.git_ok("cherry-pick release..main");
    world.pass(15 * 24 * 3600);
    world.sq_ok("check");
    world.git_ok("switch --quiet -c hotfix");
    work(&world, 99);
    world.sq_ok("check --base release");
    world.git_ok("switch --quiet release");
    world.git_ok("merge --quiet --ff-only hotfix");
    ends_well(&world);
}

#[test]
fn a_vacation_and_a_day_of_five_hundred_commits() {
    let world = shared();
    commits(&world, 80, 6 * 3600);
    says(&world, "check", 1, "record the answers at HEAD: `git sq brief`");
    session(&world, "s1");
    ends_well(&world);
    commits(&world, 500, 120);
    world.sq_ok("check");
    session(&world, "s2");
    ends_well(&world);
}

#[test]
fn two_remotes() {
    let mut world = shared();
    world.git_ok("init --quiet --bare --initial-branch=main ../second.git");
    world.git_ok("remote add second ../second.git");
    world.git_ok("config remote.second.sq true");
    world.sq_ok("init");
    push(&world, "second main");
    work(&world, 1);
    ends_well(&world);
    push(&world, "second main");
    let ada = world.dir.clone();
    world.dir = join(&world, "../second.git", "bob", "");
    work(&world, 2);
    ends_well(&world);
    world.dir = ada;
    world.git_ok("pull --quiet --rebase second main");
    ends_well(&world);
}

#[test]
fn a_second_laptop_at_the_same_commit() {
    let mut world = shared();
    limit(&world, 1);
    push(&world, "origin HEAD");
    // Neither knows of the other.
    visit(&mut world, "laptop");
    for name in ["clone", "laptop"] {
        world.dir = world.root().join(name);
        session(&world, name);
    }
    for name in ["clone", "laptop"] {
        visit(&mut world, name);
        ends_well(&world);
    }
}

#[test]
fn an_agent_that_crashed_amid_its_answers() {
    let world = shared();
    let question = |n| {
        format!(r#"{{"id":"w{n}","q":"w{n}","importance":3,"watch":["f/{n}"],"shape":"list"}}"#)
    };
    let change = |text: &str| {
        (1..=12).for_each(|n| world.write(&format!("f/{n}"), format!("w{n} {text}\n")));
        world.commit(text);
    };
    world.write(STORE, store_v2(&(1..=12).map(question).collect::<Vec<_>>().join(",")));
    change("one");
    session(&world, "s1");
    change("two");
    answers(&world, "s2", 2);
    world.pass(3 * 3600);
    world.sq_ok("check");
    session(&world, "s3");
    assert_has!(world.sq_ok("check"), "clean: 12 fresh");
    ends_well(&world);
}

#[test]
fn a_bot_and_a_person_in_one_clone() {
    let world = shared();
    for (n, bot) in [(1, "bot1"), (2, "bot2")] {
        world.sq_env("session start", &[("SQ_SESSION", bot), ("SQ_AGENT", "bot")]).ok();
        work(&world, n);
        session(&world, bot);
    }
    ends_well(&world);
}

#[test]
fn a_question_with_open_flags_is_retired() {
    let world = shared();
    flag(&world);
    world.git_ok(TOPIC);
    world.sq_ok("question retire q1");
    world.commit("retire");
    says(&world, "check --base main", 1, "if it is intended, merge it into the base branch first");
    lands_well(&world);
}

/// The new version lands first, and then the move.
#[test]
fn a_watched_folder_is_renamed() {
    for watch in ["", "--watch src/ lib/"] {
        let world = shared();
        world.git_ok(TOPIC);
        world.git_ok("mv src lib");
        world.commit("rename");
        let way = "give the question a new version (`git sq question reword`)";
        says(&world, "check --base main", 1, way);
        world.git_ok("switch --quiet main");
        world.sq_ok(&format!("question reword q1 limit? {watch}"));
        if watch.is_empty() {
            // By hand, the version before keeps what it watched.
            let store = world.read(STORE);
            let (before, after) = store.rsplit_once("src/").unwrap();
            world.write(STORE, format!("{before}lib/{after}"));
        }
        world.commit("ask where it goes");
        world.git_ok("switch --quiet topic");
        world.git_ok("merge --quiet --no-edit main");
        session(&world, "s1");
        world.sq_ok("check --base main");
        lands_well(&world);
    }
}

#[test]
fn reverts() {
    let world = shared();
    for n in 1..=2 {
        work(&world, n);
    }
    world.git_ok("revert --no-edit HEAD");
    session(&world, "s3");
    ends_well(&world);
    world.git_ok(TOPIC);
    work(&world, 4);
    land(&world);
    world.git_ok("revert --no-edit -m 1 HEAD");
    session(&world, "s5");
    assert_has!(world.sq_ok("check"), "clean: 2 fresh");
    ends_well(&world);
}

#[test]
fn a_fork_with_many_commits_that_is_merged() {
    let mut world = shared();
    world.git_ok("clone --quiet --bare ../remote.git ../fork.git");
    let ada = world.dir.clone();
    world.dir = join(&world, "../fork.git", "fork", "");
    commits(&world, 61, 6 * 3600);
    says(&world, "check", 1, "start with `git sq brief`, then `git sq record`");
    session(&world, "f1");
    ends_well(&world);
    world.dir = ada;
    world.git_ok("pull --quiet ../fork.git main");
    says(&world, "check", 1, "record the answers at HEAD: `git sq brief`");
    session(&world, "s1");
    ends_well(&world);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_store_of_the_first_format_with_an_imported_log() {
    let team = Team::new();
    let world = team.world.at(team.clone);
    let lines = (1..=4).map(|n| {
        let head = world.commit("work");
        original_line(&format!("o{n}"), &world.now(), &head)
    });
    world.write("../log.jsonl", lines.collect::<Vec<_>>().join("\n"));
    world.sq_ok("import ../log.jsonl");
    says(&world, "check", 1, "closes it: `git sq check --accept ");
    world.person_ok("check --accept");
    world.commit("close");
    world.sq_ok("record --sid s1 --delta q1=more 'q1=it is more'");
    ends_well(&world);
    world.sq_ok("import ../log.jsonl");
    ends_well(&world);
}

#[test]
fn an_honest_no() {
    let world = shared();
    let keys = r#""shape":"text","severity":"blocking","expect":"limit 0","version":2"#;
    let (first, _) = QUESTIONS.rsplit_once(",\n").unwrap();
    let second = first.replace(r#""shape":"list""#, keys);
    let first = first.replace(r#""shape""#, r#""status":"deprecated","shape""#);
    world.write(STORE, store_v2(&format!("{first},{second}")));
    world.commit("expect");
    session(&world, "s1");
    work(&world, 2);
    says(&world, "check", 1, "fix it and record the new answer with `git sq record`");
    limit(&world, 0);
    session(&world, "s3");
    ends_well(&world);
}

#[test]
fn a_shallow_checkout() {
    let mut world = shared();
    world.git_ok(TOPIC);
    work(&world, 1);
    push(&world, "origin HEAD");
    let remote = format!("file://{}/remote.git", world.root().display());
    world.git_ok(&format!("clone --quiet --depth 1 --no-single-branch -b topic {remote} ../ci"));
    world.dir = world.root().join("ci");
    says(&world, "check --base origin/main", 3, "`git fetch --unshallow`");
    says(&world, "check --base origin/main", 3, "run `git sq init`");
    world.git_ok("fetch --quiet --unshallow");
    world.sq_ok("init");
    world.sq_ok("check --base origin/main");
    world.git_ok(&format!("clone --quiet --depth 1 -b topic {remote} ../again"));
    world.dir = world.root().join("again");
    world.sq_ok("ci --base origin/main");
}

#[test]
fn a_base_that_was_not_fetched() {
    let world = shared();
    let remote = world.git_ok("remote get-url origin");
    let dir = join(&world, remote.trim(), "one", "--single-branch");
    world.git_ok("push --quiet origin main:other");
    let check = ["check", "--base", "origin/other"];
    let said = world.sq_in(&dir, &check).transcript();
    let fetch = "git fetch origin +refs/heads/other:refs/remotes/origin/other";
    assert_has!(said, format!("fetch it: `{fetch}`"));
    world.git_in(&dir, &fetch.split(' ').skip(1).collect::<Vec<_>>()).ok();
    world.sq_in(&dir, &check).ok();
}

/// The brief asks the new version, which its base does not know.
#[test]
fn a_question_is_reworded_while_its_files_change() {
    let world = shared();
    world.git_ok(TOPIC);
    world.sq_ok("question reword q1 limit?");
    for n in 5..=7 {
        work(&world, n);
    }
    world.sq_ok("check --base main");
}

/// A branch goes on after a run that was closed on its base, and is no part of it.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_branch_after_a_closed_run() {
    let world = World::asked();
    let quiet = |n: usize| {
        world.commit("work");
        world.sq_ok(&format!("record --sid quiet{n} --same q1=a"));
        world.pass(600);
    };
    (1..=4).for_each(quiet);
    says(&world, "check", 1, "sessions in a row");
    world.person_ok("check --accept");
    world.commit("close");
    world.git_ok(TOPIC);
    quiet(5);
    world.sq_ok("check --base main");
}
