//! `git sq facts` answers from what it kept as from nothing.

use std::fs;

use git_sq_test_support::World;

use crate::facts::{DAY, RUST, world};

/// A repository in which most kinds of facts are wrong, or were.
fn begun() -> World {
    let readme =
        "# tool\n\nRust 1.75 or later. Version v1.0.0. Run `tools/make.sh` and `make all`.\n";
    let world = world(&[
        RUST,
        ("README.md", readme, readme),
        ("AGENTS.md", "See `helper.rs`.\n", "See `helper.rs` and `docs/how.md`.\n"),
        ("docs/guide.md", "- Rust 1.75+\n", "- Rust 1.80+\n"),
        ("docs/how.md", "how\n", "how\n"),
        ("src/helper.rs", "fn help() {}\n", "fn help() {}\n"),
        ("tools/make.sh", "make\n", "make\n"),
        ("Makefile", "all:\n\ttrue\n", "all:\n\ttrue\n"),
    ]);
    world.git_ok("mv tools/make.sh tools/build.sh");
    world.git_ok("rm -q src/helper.rs docs/how.md");
    world.commit("move the tools");
    world.pass(DAY);
    world
}

/// Runs it with the cache, twice, and without.
fn assert_same(world: &World) {
    for line in ["facts", "facts --all", "facts --all --cached"] {
        let from_nothing = world.json(&format!("{line} --no-cache"));
        for _ in 0..2 {
            assert_eq!(world.json(line), from_nothing, "{line}");
        }
    }
}

#[test]
fn commits_amends_and_switches_of_branches_change_no_answer() {
    let world = begun();
    assert_same(&world);
    world.git_ok("mv docs guide");
    world.commit("rename the documents");
    assert_same(&world);

    world.write("Makefile", "every:\n\ttrue\n");
    world.write("Cargo.toml", RUST.2.replace("1.1.0", "1.2.0"));
    world.commit("rename a target");
    assert_same(&world);
    let version = |version| RUST.2.replace("1.1.0", version);
    let readme = world.read("README.md");
    for next in ["2.0.0", "3.0.0"] {
        world.write("Cargo.toml", version(next));
        world.write("README.md", readme.replace("1.0.0", next));
        world.commit("release");
        world.pass(DAY);
    }
    world.change("Cargo.toml", version("4.0.0"));
    assert_same(&world);

    world.write("README.md", "Nothing.\n");
    world.git_ok("commit -qa --amend -m other");
    assert_same(&world);
    world.git_ok("checkout -q -b side HEAD~3");
    world.change("AGENTS.md", "See `helper.rs`, and `guide/how.md`.\n");
    assert_same(&world);
    world.git_ok("checkout -q -");
    world.git_ok("merge -q --no-edit side");
    assert_same(&world);
    world.write("README.md", readme);
    world.git_ok("add README.md");
    assert_same(&world);
}

#[test]
fn a_second_run_compares_no_commit_again() {
    let world = begun();
    let trace = world.root().join("trace");
    let env = [("GIT_TRACE", trace.to_str().unwrap())];
    let compared = |line: &str| {
        let _ = fs::remove_file(&trace);
        world.sq_env(line, &env).ok();
        let traced = fs::read_to_string(&trace).unwrap();
        traced
            .lines()
            .filter(|line| line.contains("diff-tree") || line.contains("rev-list"))
            .count()
    };
    assert!(compared("facts --all") > 0);
    assert_eq!(compared("facts --all"), 0);
    world.change("other.txt", "other\n");
    assert_eq!(compared("facts --all"), 1);
    assert!(compared("facts --all --no-cache") > 1);
}

#[test]
fn a_kept_file_that_is_damaged_is_written_anew() {
    let world = begun();
    let said = world.sq_ok("facts --all");
    let kept = world.dir.join(".git/sq/cache/facts");
    let whole = fs::read(&kept).unwrap();
    fs::write(&kept, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(world.sq_ok("facts --all"), said);
    assert_eq!(fs::read(&kept).unwrap().len(), whole.len());
}

#[test]
fn nothing_is_kept_of_a_shallow_clone() {
    let world = begun();
    let shallow = world.cloned("--depth 2 --no-local", "shallow");
    world.sq_ok_in(&shallow, "facts --all");
    assert!(!shallow.join(".git/sq/cache/facts").exists());
}
