//! The program works wherever git works.

use std::{fs, path::Path};

use git_sq_test_support::{Ran, World, path_with_program};
use serde_json::{Value, json};

fn sessions((report, code): &(Value, i32)) -> u64 {
    assert_eq!(*code, 0, "{report}");
    report["sessions"].as_u64().unwrap()
}

#[test]
fn a_subfolder_below_a_path_with_spaces_and_letters_of_all_kinds() {
    let world = World::with_repo("Größe und \u{4e2d}\u{6587} 'n'", &[]);
    world.ask(&["q1"]);
    world.change("mit leer/é", "text");
    let deep = world.dir.join("mit leer");
    world.record_in(&deep, "s01").ok();
    assert_eq!(sessions(&world.check_in(&deep)), 1);
    assert_eq!(world.lines().len(), 1);
    assert!(!deep.join(".git").exists());
    world.sq_ok("init");
    world.git_ok("log --oneline");
}

#[test]
fn a_linked_worktree_shares_the_log_and_the_clone_s_id_and_a_detached_head_has_no_branch() {
    let world = World::asked();
    world.git_ok("checkout --quiet --detach");
    world.record("s01").ok();
    let linked = world.beside();
    world.record_in(&linked, "s02").ok();
    let log = world.json("log")["entries"].take();
    let of = |number: usize| (&log[number]["sid"], &log[number]["branch"]);
    assert_eq!(of(0), (&json!("s02"), &json!("side")));
    assert_eq!(of(1), (&json!("s01"), &Value::Null));
    assert_eq!(log[0]["writer"], log[1]["writer"]);
    assert_eq!(log[1]["commit"], world.head());
    assert!(world.lines().iter().any(|line| !line.contains("\"branch\"")));
    assert_eq!(sessions(&world.check_in(&linked)), 2);
    // Where the linked worktree's own git folder is, nothing of ours is.
    assert!(!world.dir.join(".git/worktrees/side/sq").exists());
}

#[test]
fn a_bare_repository_is_read_and_set_up_without_files() {
    let world = World::answered("s01");
    let bare = world.cloned("--bare", "bare.git");
    let (before, code) = world.check_in(&bare);
    assert_eq!(code, 3, "a remote that was never asked: {before}");
    world.git_ok_in(&bare, "fetch --quiet origin refs/notes/sq:refs/notes/sq");
    assert_eq!(sessions(&world.check_in(&bare)), 1);
    let exported = world.sq_ok_in(&bare, "export");
    assert_eq!(exported.trim_end(), world.lines()[0]);
    let folders = || {
        let mut names: Vec<_> =
            fs::read_dir(&bare).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "sq" && name != "FETCH_HEAD");
        names.sort();
        names
    };
    let names = folders();
    world.sq_ok_in(&bare, "init --display");
    assert_eq!(folders(), names);
    let shown = world.git_ok_in(&bare, "config --local notes.displayRef");
    assert_eq!(shown.trim(), "refs/notes/sq*");
    world.record_in(&bare, "s02").ok();
    assert_eq!(sessions(&world.check_in(&bare)), 2);
}

#[test]
fn a_folder_that_git_is_told_to_go_to() {
    let world = World::asked();
    let (place, outside) = (world.dir.to_str().unwrap().to_owned(), world.root());
    let run = |args: &[&str]| -> Ran {
        let mut command = world.command("git");
        command.env("PATH", path_with_program());
        command.current_dir(&outside).args(args).output().unwrap().into()
    };
    run(&["-C", &place, "sq", "record", "--sid", "s01", "--same", "q1=one"]).ok();
    let check = ["sq", "check", "--format", "json"];
    let checked = run(&[&["-C", &place], &check[..]].concat()).json();
    assert_eq!(checked["sessions"], 1);
    // `--git-dir` alone makes the current folder the worktree, for git as for us.
    let git_dir = format!("--git-dir={place}/.git");
    let checked = run(&[&[&*git_dir], &check[..]].concat());
    assert_eq!((checked.code, &checked.json()["sessions"]), (0, &json!(1)));
    assert_eq!(checked.json()["findings"][0]["rule"], "store-differs");
    run(&[&git_dir, "sq", "init"]).ok();
    let has_store = outside.join("context").exists();
    assert!(!has_store, "the committed store is there");
    let work_tree = format!("--work-tree={place}");
    let checked = run(&[&[&*git_dir, &work_tree], &check[..]].concat()).json();
    assert_eq!(checked["findings"], json!([]));
}

#[test]
fn a_repository_with_sha_256() {
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    world.ask(&["q1"]);
    world.record("s01").ok();
    world.commit("Go on");
    world.record("s02").ok();
    assert_eq!(sessions(&world.check(&[])), 2);
    let line: Value = serde_json::from_str(&world.lines()[1]).unwrap();
    assert_eq!(line["repo_head_sha"].as_str().unwrap().len(), 64);
    world.git_ok("fsck --strict");
}

#[test]
fn a_submodule_has_a_log_of_its_own() {
    let world = World::asked();
    let outer = world.root().join("outer");
    world.git_ok("init --quiet --initial-branch=main ../outer");
    world.git_ok_in(&outer, "submodule --quiet add ../repo inner");
    world.git_ok_in(&outer, "commit --quiet -m 'Take it in'");
    let inner = outer.join("inner");
    world.record_in(&inner, "s01").ok();
    assert_eq!(world.check_in(&inner).0["sessions"], 1);
    let refs = |dir: &Path| world.git_ok_in(dir, "for-each-ref refs/notes");
    assert_ne!(refs(&inner), "");
    assert_eq!((refs(&outer), refs(&world.dir)), (String::new(), String::new()));
}

#[test]
fn a_clone_that_borrows_its_objects() {
    let world = World::answered("s01");
    let shared = world.cloned("--shared", "shared");
    world.sq_ok_in(&shared, "init");
    assert_eq!(sessions(&world.check_in(&shared)), 1);
    // So that nothing is published.
    world.git_ok_in(&shared, "config sq.pushTimeout 0");
    world.record_in(&shared, "s02").ok();
    assert_eq!(sessions(&world.check_in(&shared)), 2);
    // The lender is left alone.
    assert_eq!(world.lines().len(), 1);
}

#[test]
fn a_partial_clone_reads_notes_that_it_did_not_fetch() {
    let world = World::asked();
    world.git_ok("config uploadpack.allowFilter true");
    world.record("s01").ok();
    world.commit("Go on");
    world.record("s02").ok();
    let partial = world.cloned("--filter=blob:none", "partial");
    world.sq_ok_in(&partial, "init");
    assert_eq!(sessions(&world.check_in(&partial)), 2);
    world.record_in(&partial, "s03").ok();
    assert_eq!(sessions(&world.check_in(&partial)), 3);
    assert_eq!(world.sq_ok_in(&partial, "export").lines().count(), 3);
}

#[test]
fn packed_refs_and_objects_and_a_commit_graph() {
    let world = World::asked();
    for sid in ["s01", "s02"] {
        world.record(sid).ok();
        world.commit("Go on");
    }
    let before = world.try_sq("check --no-cache").transcript();
    world.git_ok("gc --quiet --prune=now");
    world.git_ok("commit-graph write --reachable");
    assert!(!world.dir.join(".git/refs/notes/sq").exists());
    assert_eq!(world.try_sq("check --no-cache").transcript(), before);
    world.record("s03").ok();
    world.git_ok("pack-refs --all --prune");
    world.record("s04").ok();
    assert_eq!(sessions(&world.check(&[])), 4);
}

#[test]
fn replaced_objects_are_not_believed() {
    let world = World::asked();
    for sid in ["s01", "s02", "s03"] {
        world.commit("Go on");
        world.record(sid).ok();
    }
    let shown = || ["check", "check --no-cache"].map(|line| world.try_sq(line).transcript());
    let (before, log) = (shown(), world.json("log"));
    let note = world.git_ok("notes --ref=sq list HEAD");
    let nothing = world.blob(b"");
    world.git_ok(&format!("replace {} {nothing}", note.trim()));
    world.git_ok("replace --graft HEAD~1");
    let notes = world.git_ok("log --notes=sq --format=%N");
    assert_eq!(notes.matches("\"sid\"").count(), 1, "git believes them");
    assert_eq!((shown(), world.json("log")), (before, log));
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_folder_is_in_nobody_s_way_who_sets_another() {
    let world = World::new();
    world.write("notes/a.md", "Version 1.0\n");
    std::os::unix::fs::symlink("notes", world.dir.join("context")).unwrap();
    world.commit("begin");
    assert_has!(world.try_sq("facts").exits(128).stderr, "context is a symbolic link");
    world.git_ok("config sq.questions standing_questions.json");
    world.sq_ok("facts");
    assert_has!(world.sq_ok("init"), "created standing_questions.json");
}
