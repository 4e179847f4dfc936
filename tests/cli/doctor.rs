//! `git sq doctor`: what is wrong with a clone, its remotes and its hooks, and mending it.

use std::{
    fs::{self, File, FileTimes},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use git_sq_test_support::World;

/// A clone that is set up, of a remote that has its log; commands run in the clone.
fn set_up() -> World {
    let world = World::new();
    world.ask(&["q1"]);
    let git = |args: &[&str]| world.git(args).ok();
    git(&["clone", "--quiet", "--bare", ".", "../origin.git"]);
    git(&["clone", "--quiet", "../origin.git", "../clone"]);
    let clone = world.root().join("clone");
    let world = world.at(clone);
    world.sq(&["init"]).ok();
    world.record("first").ok();
    world.sq(&["sync"]).ok();
    world
}

/// The rules of what doctor finds, and its exit code.
fn rules(world: &World) -> (Vec<String>, i32) {
    let ran = world.sq(&["doctor", "--format", "json"]);
    let found = ran.json();
    let problems = found["problems"].as_array().unwrap();
    let rules = problems.iter().map(|p| p["rule"].as_str().unwrap().into());
    (rules.collect(), ran.code)
}

/// What doctor says, with this world's folder taken out.
fn says(world: &World, args: &[&str]) -> String {
    let said = world.sq(&[&["doctor"], args].concat()).transcript();
    said.replace(&*world.root().to_string_lossy(), "[root]")
}

/// Mends everything, and sees that nothing is left.
#[track_caller]
fn mend(world: &World) {
    world.sq(&["doctor", "--fix"]);
    assert_eq!(rules(world), (vec![], 0), "{}", says(world, &[]));
}

#[test]
fn a_clone_that_is_set_up_has_nothing() {
    let world = set_up();
    insta::assert_snapshot!(says(&world, &[]));
    assert_eq!(rules(&world), (vec![], 0));
}

#[test]
fn a_clone_that_is_not_set_up_is_told_what_to_do() {
    let world = World::new();
    world.ask(&["q1"]);
    world.git(&["clone", "--quiet", ".", "../clone"]).ok();
    let clone = world.root().join("clone");
    let world = world.at(clone);
    insta::assert_snapshot!(says(&world, &[]));
    assert_eq!(rules(&world).1, 0, "nothing is lost");
}

#[test]
fn a_remote_that_was_renamed_gets_its_refspec() {
    let world = set_up();
    world.git(&["remote", "rename", "origin", "up"]).ok();
    insta::assert_snapshot!(says(&world, &[]));
    assert_eq!(rules(&world).1, 1);
    world.sq(&["doctor", "--fix"]).ok();
    let all = world.git(&["config", "--get-all", "remote.up.fetch"]).ok();
    assert_eq!(
        all,
        "+refs/heads/*:refs/remotes/up/*\n+refs/notes/sq*:refs/notes/remotes/up/sq*\n"
    );
    world.git(&["fetch", "--quiet"]).ok();
    assert_eq!(rules(&world), (vec![], 0));
}

#[test]
fn branches_that_were_set_take_the_refspec_away() {
    let world = set_up();
    world
        .git(&["remote", "set-branches", "origin", "main"])
        .ok();
    assert_eq!(rules(&world), (vec!["not-fetched".into()], 1));
    mend(&world);
    // What the fix set is taken back like what init set.
    world.sq(&["init", "--undo"]).ok();
    let all = world.git(&["config", "--get-all", "remote.origin.fetch"]);
    assert_eq!(all.ok(), "+refs/heads/main:refs/remotes/origin/main\n");
}

#[test]
fn a_remote_that_was_added_by_hand_is_fetched_after_the_fix() {
    let world = set_up();
    world
        .git(&["remote", "add", "second", "../origin.git"])
        .ok();
    assert_eq!(rules(&world), (vec![], 0), "it need not share the log");
    world.git(&["config", "remote.second.sq", "true"]).ok();
    let (found, code) = rules(&world);
    assert_eq!(
        (found, code),
        (vec!["not-fetched".into(), "not-pushed".into()], 1)
    );
    world.sq(&["doctor", "--fix"]).ok();
    world.sq(&["sync", "second"]).ok();
    assert_eq!(rules(&world), (vec![], 0));
}

#[test]
fn refspecs_that_overwrite_the_log_are_taken_out() {
    let world = set_up();
    let add = |spec: &str| {
        world
            .git(&["config", "--add", "remote.origin.fetch", spec])
            .ok()
    };
    for spec in [
        "+refs/notes/*:refs/notes/*",
        "refs/notes/sq:refs/notes/sq",
        "+refs/notes/sq*:refs/notes/sq*",
    ] {
        add(spec);
        assert_eq!(
            rules(&world),
            (vec!["dangerous-refspec".into()], 1),
            "{spec}"
        );
        mend(&world);
    }
    add("+refs/notes/other:refs/notes/other");
    assert_eq!(rules(&world), (vec![], 0));
    // A mirror brings more than notes that way, so it is left to a person.
    add("+refs/*:refs/*");
    insta::assert_snapshot!(says(&world, &["--fix"]));
    assert_eq!(rules(&world), (vec!["dangerous-refspec".into()], 1));
}

#[test]
fn settings_that_lose_lines_are_named() {
    let world = set_up();
    for (key, value, rule) in [
        ("core.notesRef", "refs/notes/sq", "notes-ref"),
        ("core.notesRef", "sq", "notes-ref"),
        ("notes.rewriteRef", "refs/notes/*", "rewrite-ref"),
        ("notes.rewriteRef", "refs/notes/sq", "rewrite-ref"),
    ] {
        world.git(&["config", key, value]).ok();
        assert_eq!(rules(&world), (vec![rule.into()], 0), "{key} {value}");
        world.git(&["config", "--unset", key]).ok();
    }
    world.git(&["config", "notes.rewriteRef", "commits"]).ok();
    assert_eq!(rules(&world), (vec![], 0));
    world.git(&["config", "remote.origin.mirror", "true"]).ok();
    world
        .git(&["config", "core.notesRef", "refs/notes/sq"])
        .ok();
    world
        .git(&["config", "notes.rewriteRef", "refs/notes/*"])
        .ok();
    world.git(&["config", "--unset", "notes.displayRef"]).ok();
    insta::assert_snapshot!(says(&world, &[]));
}

#[test]
fn hooks_that_git_does_not_run_are_named() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let world = set_up();
    let hook = |name: &str| world.dir.join(".git/hooks").join(name);
    fs::remove_file(hook("pre-push")).unwrap();
    fs::write(hook("post-rewrite"), "#!/bin/sh\necho mine\n").unwrap();
    insta::assert_snapshot!(says(&world, &[]));
    mend(&world);
    let text = fs::read_to_string(hook("post-rewrite")).unwrap();
    assert!(text.ends_with("echo mine\n") && text.contains("git-sq hook post-rewrite"));
    // Husky and its like.
    world.git(&["config", "core.hooksPath", ".husky/_"]).ok();
    insta::assert_snapshot!("elsewhere", says(&world, &["--fix"]));
    // As it said.
    for name in ["pre-push", "post-rewrite"] {
        let line = format!("git-sq hook {name} \"$@\" || :\n");
        world.write(&format!(".husky/{name}"), &line);
        let wrapper = world.dir.join(".husky/_").join(name);
        fs::create_dir_all(wrapper.parent().unwrap()).unwrap();
        fs::copy(hook("post-rewrite"), &wrapper).unwrap();
        fs::write(wrapper, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n").unwrap();
    }
    assert_eq!(rules(&world), (vec![], 0), "{}", says(&world, &[]));
}

#[test]
fn a_program_that_hooks_would_not_find_is_named() {
    let world = set_up();
    let mut command = world.command(git_sq_test_support::program().to_str().unwrap());
    let ran = command.arg("doctor").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        said.starts_with("warning: git-sq is in no folder of PATH"),
        "{said}"
    );
}

#[test]
fn lines_that_plain_git_took_out_come_back() {
    let world = set_up();
    world.record("second").ok();
    let lines = world.lines();
    world.git(&["notes", "--ref=sq", "remove", "HEAD"]).ok();
    world.sq(&["sync"]).ok();
    // The first came back by the union with what was fetched; the second was never pushed.
    assert_eq!(world.lines().len(), 1);
    insta::assert_snapshot!(says(&world, &[]));
    world.sq(&["doctor", "--fix"]).ok();
    assert_eq!(world.lines(), lines);
    assert_eq!(rules(&world), (vec!["not-pushed".into()], 0));
}

#[test]
fn what_git_s_own_copying_overwrote_comes_back() {
    let world = set_up();
    world
        .git(&["config", "notes.rewriteRef", "refs/notes/sq"])
        .ok();
    world
        .git(&["config", "notes.rewriteMode", "overwrite"])
        .ok();
    world.commit("Next");
    world.record("second").ok();
    let lines = world.lines();
    world
        .git(&["update-ref", "refs/notes/sq", "refs/notes/sq~"])
        .ok();
    assert_ne!(world.lines(), lines);
    let (found, code) = rules(&world);
    assert_eq!(code, 1);
    assert_eq!(found, ["lost-lines", "rewrite-ref"]);
    world.sq(&["doctor", "--fix"]).ok();
    assert_eq!(world.lines(), lines);
}

#[test]
fn a_past_that_git_has_cleared_away_is_unknown() {
    let world = set_up();
    world.record("second").ok();
    world
        .git(&["update-ref", "refs/notes/sq", "refs/notes/sq~"])
        .ok();
    world
        .git(&["update-ref", "-d", "refs/notes/remotes/origin/sq"])
        .ok();
    let log = world.dir.join(".git/logs/refs/notes/sq");
    let kept = fs::read(&log).unwrap();
    world
        .git(&["reflog", "expire", "--expire=now", "--all"])
        .ok();
    world.git(&["gc", "--quiet", "--prune=now"]).ok();
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    fs::write(&log, kept).unwrap();
    world.sq(&["sync"]).ok();
    let ran = world.sq(&["doctor"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(
        ran.stdout.contains("git has cleared away"),
        "{}",
        ran.stdout
    );
}

#[test]
fn lines_of_a_remote_that_is_no_more_are_read_again() {
    let world = set_up();
    world.pass(60);
    // Somebody else records, this clone fetches and loses the remote before it writes anything.
    world
        .git(&["clone", "--quiet", "../origin.git", "../other"])
        .ok();
    let other = world.root().join("other");
    world.sq_in(&other, &["init"]).ok();
    world.record_in(&other, "theirs").ok();
    world.sq_in(&other, &["sync"]).ok();
    world.git(&["fetch", "--quiet"]).ok();
    let tracking = "refs/notes/remotes/origin/sq";
    let tip = world.git(&["rev-parse", tracking]).ok();
    world.git(&["remote", "remove", "origin"]).ok();
    // Git 2.47 leaves other tracking refs where they are; where it does not, it is as if it had.
    world.git(&["update-ref", tracking, tip.trim()]).ok();
    insta::assert_snapshot!(says(&world, &[]));
    mend(&world);
    assert_eq!(world.check(&[]).0["sessions"], 2);
}

#[test]
fn a_stranger_s_log_is_not_taken_in() {
    let world = set_up();
    let tip = world.git(&["rev-parse", "refs/notes/sq"]).ok();
    world.git(&["remote", "add", "fork", "../origin.git"]).ok();
    world
        .git(&["update-ref", "refs/notes/remotes/fork/sq", tip.trim()])
        .ok();
    world.git(&["update-ref", "-d", "refs/notes/sq"]).ok();
    world
        .git(&["update-ref", "-d", "refs/notes/remotes/origin/sq"])
        .ok();
    let (found, _) = rules(&world);
    assert!(!found.contains(&"unread-lines".to_owned()), "{found:?}");
}

#[test]
fn a_lock_that_was_left_is_removed_when_nobody_can_be_at_work() {
    let world = set_up();
    let lock: PathBuf = world.dir.join(".git/refs/notes/sq.lock");
    let age = |seconds: u64| {
        let file = File::create(&lock).unwrap();
        let then = SystemTime::now() - Duration::from_secs(seconds);
        file.set_times(FileTimes::new().set_modified(then)).unwrap();
    };
    age(5);
    assert_eq!(rules(&world), (vec![], 0), "git may be at work");
    age(90);
    assert_eq!(rules(&world), (vec!["stale-lock".into()], 1));
    world.sq(&["doctor", "--fix"]);
    assert!(lock.exists());
    age(3600);
    insta::assert_snapshot!(says(&world, &[]));
    mend(&world);
    assert!(!lock.exists());
    world.record("second").ok();
}

#[test]
fn odd_notes_trees_and_symbolic_refs_are_named() {
    let world = set_up();
    let head = world.head();
    let blob = world.blob(b"{}\n");
    let (first, rest) = head.split_at(2);
    let inner = world.tree(&[format!("100644 blob {blob}\t{rest}")]);
    world.plant_tree(&[
        format!("100644 blob {blob}\t{head}"),
        format!("040000 tree {inner}\t{first}"),
        format!("100644 blob {blob}\treadme\u{1b}[31m"),
        format!("120000 blob {blob}\t{}", "1".repeat(40)),
    ]);
    let said = says(&world, &[]);
    assert!(!said.contains('\u{1b}'));
    assert!(said.contains("what is no note, or one twice: "), "{said}");
    assert!(said.contains(&head) && said.contains("readme"), "{said}");

    world
        .git(&["update-ref", "refs/notes/real", "refs/notes/sq"])
        .ok();
    world
        .git(&["symbolic-ref", "refs/notes/sq", "refs/notes/real"])
        .ok();
    insta::assert_snapshot!("symbolic", says(&world, &[]));
    assert_eq!(rules(&world), (vec!["bad-ref".into()], 1));
}

#[test]
fn a_log_whose_history_is_cut_off_is_named() {
    let world = set_up();
    world.record("second").ok();
    world.sq(&["sync"]).ok();
    let from = format!("file://{}", world.root().join("origin.git").display());
    world
        .git(&["clone", "--quiet", "--depth=1", &from, "../shallow"])
        .ok();
    let shallow = world.root().join("shallow");
    world.sq_in(&shallow, &["init"]).ok();
    world
        .git_in(&shallow, &["fetch", "--quiet", "--depth=1"])
        .ok();
    let ran = world.sq_in(&shallow, &["doctor", "--format", "json"]);
    let rules: Vec<_> = ran.json()["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["rule"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(rules, ["truncated-log"], "{}", ran.transcript());
}

#[cfg(unix)]
#[test]
fn a_remote_that_refuses_notes_is_offered_a_branch() {
    use std::os::unix::fs::PermissionsExt;
    let world = set_up();
    let hook = world.root().join("origin.git/hooks/update");
    fs::write(&hook, "#!/bin/sh\ncase $1 in refs/notes/*) exit 1;; esac\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    world.record("second").ok();
    assert_eq!(world.sq(&["sync"]).code, 128);
    insta::assert_snapshot!(says(&world, &[]));
    assert_eq!(rules(&world).1, 1);
    world
        .git(&["config", "remote.origin.sqRef", "refs/heads/sq/log"])
        .ok();
    world.sq(&["doctor", "--fix"]);
    world.sq(&["sync", "origin"]).ok();
    assert_eq!(rules(&world), (vec![], 0));
    world.git(&["fetch", "--quiet", "--prune"]).ok();
    assert_eq!(rules(&world), (vec![], 0));
}

#[test]
fn entries_that_no_branch_has_are_listed() {
    let world = set_up();
    let amend = |world: &World, message: &str| {
        let hooks = ["-c", "core.hooksPath=/dev/null"];
        let args = [
            "commit",
            "--quiet",
            "--amend",
            "--allow-empty",
            "-m",
            message,
        ];
        world.git(&[&hooks[..], &args].concat()).ok();
    };
    world.write("one.txt", "one\n");
    world.commit("One");
    world.record("second").ok();
    world.sq(&["sync"]).ok();
    amend(&world, "Two");
    insta::assert_snapshot!(says(&world, &[]));
    assert_eq!(rules(&world), (vec!["orphans".into()], 0));
    world
        .git(&["reflog", "expire", "--expire=now", "--all"])
        .ok();
    world.git(&["gc", "--quiet", "--prune=now"]).ok();
    assert!(
        says(&world, &[]).contains("(1 line, gone)"),
        "{}",
        says(&world, &[])
    );
    world.sq(&["carry"]).ok();
    assert_eq!(rules(&world), (vec!["not-pushed".into()], 0));
    // In a shallow clone they may be below.
    let from = format!("file://{}", world.root().join("origin.git").display());
    world
        .git(&["clone", "--quiet", "--depth=1", &from, "../shallow"])
        .ok();
    let shallow = world.root().join("shallow");
    world.sq_in(&shallow, &["init"]).ok();
    let ran = world.sq_in(&shallow, &["doctor"]);
    assert_eq!(ran.code, 3, "{}", ran.transcript());
}
