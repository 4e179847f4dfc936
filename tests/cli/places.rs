//! The program works wherever git works.

use std::path::Path;

use git_sq_test_support::{Ran, World};
use serde_json::Value;

fn sessions(check: &(Value, i32)) -> u64 {
    let (report, code) = check;
    assert_eq!(*code, 0, "{report}");
    report["sessions"].as_u64().unwrap()
}

/// The entries of a `log --format json`.
#[track_caller]
fn entries(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    ran.json()["entries"].as_array().unwrap().clone()
}

fn file_url(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[test]
fn a_subfolder() {
    let world = World::asked();
    world.write("src/deep/er/file", "text");
    world.commit("Go deep");
    let deep = world.dir.join("src/deep/er");
    world.record_in(&deep, "s01").ok();
    assert_eq!(sessions(&world.check_in(&deep)), 1);
    assert_eq!(world.lines().len(), 1);
    assert!(!deep.join(".git").exists());
}

#[test]
fn a_linked_worktree_shares_the_log_and_the_clone_s_id() {
    let world = World::asked();
    world.record("s01").ok();
    let linked = world.root().join("linked");
    world.git_ok("worktree add --quiet -b side ../linked");
    world.record_in(&linked, "s02").ok();
    let log = entries(&world.sq(&["log", "--format", "json"]));
    assert_eq!(log.len(), 2);
    assert_eq!(log[0]["sid"], "s02");
    assert_eq!(log[0]["branch"], "side");
    assert_eq!(log[0]["writer"], log[1]["writer"]);
    assert_eq!(sessions(&world.check_in(&linked)), 2);
    // Where the linked worktree's own git folder is, nothing of ours is.
    assert!(!world.dir.join(".git/worktrees/linked/sq").exists());
}

#[test]
fn a_bare_repository_is_read_and_set_up_without_files() {
    let world = World::asked();
    world.record("s01").ok();
    let bare = world.root().join("bare.git");
    world.git_ok("clone --quiet --bare . ../bare.git");
    let (before, code) = world.check_in(&bare);
    assert_eq!(code, 3, "a remote that was never asked: {before}");
    world.git_ok_in(&bare, "fetch --quiet origin refs/notes/sq:refs/notes/sq");
    assert_eq!(sessions(&world.check_in(&bare)), 1);
    assert_eq!(
        entries(&world.sq_in(&bare, &["log", "--format", "json"])).len(),
        1
    );
    let exported = world.sq_in(&bare, &["export"]).ok();
    assert_eq!(exported.trim_end(), world.lines()[0]);

    let folders = |dir: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names.retain(|name| name != "sq" && name != "FETCH_HEAD");
        names
    };
    let names = folders(&bare);
    world.sq_in(&bare, &["init", "--display"]).ok();
    assert_eq!(folders(&bare), names);
    let shown = world.git_ok_in(&bare, "config --local notes.displayRef");
    assert_eq!(shown.trim(), "refs/notes/sq*");
    world.record_in(&bare, "s02").ok();
    assert_eq!(sessions(&world.check_in(&bare)), 2);
}

#[test]
fn a_folder_that_git_is_told_to_go_to() {
    let world = World::asked();
    let dir = world.dir.clone();
    let outside = world.root();
    let path = git_sq_test_support::path_with_program();
    let run = |args: &[&str]| -> Ran {
        let mut command = world.command("git");
        command.env("PATH", &path).current_dir(&outside).args(args);
        command.output().unwrap().into()
    };
    let place = dir.to_str().unwrap();
    run(&[
        "-C", place, "sq", "record", "--sid", "s01", "--same", "q1=one",
    ])
    .ok();
    assert_eq!(
        run(&["-C", place, "sq", "check", "--format", "json"]).json()["sessions"],
        1
    );
    // `--git-dir` alone makes the current folder the worktree, for git as for us.
    let git_dir = format!("--git-dir={place}/.git");
    let checked = run(&[&git_dir, "sq", "check", "--format", "json"]);
    assert_eq!(checked.code, 0, "{}", checked.transcript());
    assert_eq!(checked.json()["sessions"], 1);
    assert_eq!(checked.json()["findings"][0]["rule"], "store-differs");
    run(&[&git_dir, "sq", "init"]).ok();
    assert!(
        !outside.join("context").exists(),
        "the committed store is there"
    );
    let work_tree = format!("--work-tree={place}");
    let checked = run(&[&git_dir, &work_tree, "sq", "check", "--format", "json"]);
    assert_eq!(checked.json()["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn a_detached_head_is_recorded_without_a_branch() {
    let world = World::asked();
    let commit = world.head();
    world.git_ok("checkout --quiet --detach");
    world.record("s01").ok();
    let log = entries(&world.sq(&["log", "--format", "json"]));
    assert_eq!(log[0]["branch"], Value::Null);
    assert_eq!(log[0]["commit"], commit.as_str());
    let line: Value = serde_json::from_str(&world.lines()[0]).unwrap();
    assert_eq!(line["head"].get("branch"), None, "{line}");
}

#[test]
fn a_repository_with_sha_256() {
    let world = World::with_repo("repo", &["--object-format=sha256"]);
    world.ask(&["q1"]);
    world.record("s01").ok();
    world.commit("Go on");
    world.record("s02").ok();
    assert_eq!(sessions(&world.check(&[])), 2);
    assert_eq!(world.lines().len(), 2);
    let line: Value = serde_json::from_str(&world.lines()[1]).unwrap();
    assert_eq!(line["repo_head_sha"].as_str().unwrap().len(), 64);
    world.git_ok("fsck --strict");
}

#[test]
fn a_path_with_spaces_and_letters_of_all_kinds() {
    let world = World::with_repo("Größe und \u{4e2d}\u{6587} 'n'", &[]);
    world.ask(&["q1"]);
    world.write("mit leer/é", "text");
    world.commit("Go on");
    world.record("s01").ok();
    let deep = world.dir.join("mit leer");
    assert_eq!(sessions(&world.check_in(&deep)), 1);
    world.sq_ok("init");
    world.git_ok("log --oneline");
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
    assert_eq!(sessions(&world.check_in(&inner)), 1);
    let refs = ["for-each-ref", "refs/notes"];
    assert_eq!(world.git_in(&outer, &refs).ok(), "");
    assert_ne!(world.git_in(&inner, &refs).ok(), "");
    assert_eq!(world.git(&refs).ok(), "");
}

#[test]
fn a_clone_that_borrows_its_objects() {
    let world = World::asked();
    world.record("s01").ok();
    let shared = world.root().join("shared");
    world.git_ok("clone --quiet --shared . ../shared");
    world.sq_in(&shared, &["init"]).ok();
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
    let partial = world.root().join("partial");
    let url = file_url(&world.dir);
    world.git_ok(&format!(
        "clone --quiet --filter=blob:none '{url}' ../partial"
    ));
    world.sq_in(&partial, &["init"]).ok();
    assert_eq!(sessions(&world.check_in(&partial)), 2);
    world.record_in(&partial, "s03").ok();
    assert_eq!(sessions(&world.check_in(&partial)), 3);
    let exported = world.sq_in(&partial, &["export"]).ok();
    assert_eq!(exported.lines().count(), 3);
}

#[test]
fn packed_refs() {
    let world = World::asked();
    world.record("s01").ok();
    world.git_ok("pack-refs --all --prune");
    assert!(!world.dir.join(".git/refs/notes/sq").exists());
    assert_eq!(sessions(&world.check(&[])), 1);
    world.record("s02").ok();
    world.git_ok("pack-refs --all --prune");
    world.record("s03").ok();
    assert_eq!(sessions(&world.check(&[])), 3);
    assert_eq!(world.lines().len(), 3);
}

#[test]
fn packed_objects_and_a_commit_graph() {
    let world = World::asked();
    for sid in ["s01", "s02"] {
        world.record(sid).ok();
        world.commit("Go on");
    }
    let before = world.sq(&["check", "--no-cache"]);
    world.git_ok("gc --quiet --prune=now");
    world.git_ok("commit-graph write --reachable");
    let after = world.sq(&["check", "--no-cache"]);
    assert_eq!(before.transcript(), after.transcript());
    world.record("s03").ok();
    assert_eq!(sessions(&world.check(&[])), 3);
}

#[test]
fn replaced_objects_are_not_believed() {
    let world = World::asked();
    for sid in ["s01", "s02", "s03"] {
        world.commit("Go on");
        world.record(sid).ok();
    }
    let before = world.sq(&["check"]).transcript();
    let log = world.sq_ok("log --format json");
    let note = world.git_ok("notes --ref=sq list HEAD");
    let nothing = world.blob(b"");
    world.git_ok(&format!("replace {} {nothing}", note.trim()));
    world.git_ok("replace --graft HEAD~1");
    let shown = world.git_ok("log --notes=sq --format=%N");
    assert_eq!(shown.matches("\"sid\"").count(), 1, "git believes them");
    for line in ["check", "check --no-cache"] {
        assert_eq!(world.try_sq(line).transcript(), before);
    }
    assert_eq!(world.sq_ok("log --format json"), log);
}
