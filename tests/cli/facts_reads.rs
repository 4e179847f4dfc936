//! `git sq facts`: what it reads (HEAD, the index, the worktree, clones that lack something), and how it exits.

use std::fs;

use git_sq_test_support::{World, program};
use insta::assert_snapshot;

use crate::facts::{DAY, RUST, facts, world};

const README: &str = "Needs Rust 1.75+\n";

fn stale() -> World {
    world(&[RUST, ("README.md", README, README)])
}

#[test]
fn what_the_worktree_says_is_shown_beside() {
    let world = stale();
    world.write("README.md", "Needs Rust 1.80+\n");
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 1 document with 1 other file at HEAD (COMMIT): 1 fact is wrong.

    ttrx  differs for 30 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75+
            in the worktree  Needs Rust 1.80+
          COMMIT 2026-01-31 Ada Example changed Cargo.toml; before, both said 1.75
          Fixed in the worktree, not committed.

    --- exit 0
    "#);
    world.write("README.md", "Needs Rust 1.78+\n");
    let said = facts(&world, &[]);
    assert_has!(said, "  in the worktree  Needs Rust 1.78+\n");
    assert_lacks(&said, "Fixed in");
    world.write("README.md", "It needs nothing.\n");
    assert_has!(facts(&world, &[]), "  in the worktree  (no longer stated)\n");
    // Another change of the file says nothing of the fact.
    world.write("README.md", format!("{README}\nMore.\n"));
    assert_lacks(&facts(&world, &[]), "worktree");
    fs::remove_file(world.dir.join("README.md")).unwrap();
    assert_lacks(&facts(&world, &[]), "worktree");
}

fn assert_lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "{part:?} is in:\n{text}");
}

#[test]
fn a_hook_judges_the_commit_that_is_being_made() {
    let world = World::new();
    let hook = format!("#!/bin/sh\n'{}' facts --cached --exit-code\n", program().display());
    world.write(".git/hooks/pre-commit", hook);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let hook = world.dir.join(".git/hooks/pre-commit");
        fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Before the first commit, nothing ever agreed.
    assert_has!(world.sq_ok("facts --cached"), "in the index: no contradictions.");
    world.write("Cargo.toml", RUST.1);
    world.write("README.md", format!("{README}See `src/a.rs`.\n"));
    world.write("src/a.rs", "1\n2\n3\n");
    world.commit("begin");
    world.pass(DAY);
    world.write("Cargo.toml", RUST.2);
    // What is not staged is not judged.
    assert_eq!(world.try_sq("facts --cached --exit-code").code, 0);
    world.git_ok("add Cargo.toml");
    world.git_ok("mv src/a.rs src/b.rs");
    assert_snapshot!(facts(&world, &["--cached", "--exit-code"]), @r#"
    Compared 1 document with 2 other files in the index: 2 facts are wrong.

    tmgv  missing for 0 days: a path named in README.md
          README.md:2  src/a.rs
          Not committed yet: removed src/a.rs
          Fix: write src/b.rs in README.md:2 (git sq facts --cached --fix tmgv)

    ttrx  differs for 0 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75+
          Not committed yet: changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:1 (git sq facts --cached --fix ttrx)

    --- exit 1
    "#);
    // No object is written for it.
    let objects = world.git_ok("count-objects");
    world.sq_ok("facts --cached");
    assert_eq!(world.git_ok("count-objects"), objects);
    world.try_git("commit -qm raise").exits(1);
    assert_has!(
        world.sq_ok("facts --cached ttrx"),
        "intentional, commit this first:\n  git sq facts --dismiss ttrx\n"
    );
    world.write("README.md", "Needs Rust 1.75+. Really.\n");
    assert_snapshot!(world.try_sq("facts --cached --fix ttrx").transcript(), @r"
    --- stderr
    fatal: README.md has changes that are not staged
    hint: nothing was changed; stage or stash them, and run it again
    --- exit 128
    ");
    world.git_ok("checkout -q README.md");
    assert_has!(world.sq_ok("facts --cached --fix"), "\n+Needs Rust 1.80+");
    // `commit -a` has an index of its own.
    world.git_ok("stash --quiet");
    assert_eq!(world.sq_ok("facts --cached --fix"), "Nothing that is staged is wrong.\n");
    world.git_ok("stash pop --quiet --index");
    assert_has!(facts(&world, &["--cached"]), "Fixed in the worktree, not staged.");
    world.git_ok("commit -qam raise");
    assert_eq!(world.try_sq("facts --exit-code").code, 0);
}

#[test]
fn an_index_with_conflicts_is_refused() {
    let world = stale();
    world.git_ok("checkout -q -b other");
    world.change("README.md", "Needs Rust 1.76+\n");
    world.git_ok("checkout -q -");
    world.change("README.md", "Needs Rust 1.77+\n");
    world.try_git("merge -q other");
    assert_snapshot!(world.try_sq("facts --cached").transcript(), @r"
    --- stderr
    fatal: README.md is not merged yet
    hint: resolve the conflict and `git add` the file
    --- exit 128
    ");
}

#[test]
fn the_exit_code_says_what_was_found_if_it_is_asked_for() {
    let world = stale();
    assert_eq!(world.try_sq("facts").code, 0);
    assert_eq!(world.try_sq("facts --exit-code").code, 1);
    let shallow = world.cloned("--depth 1", "shallow");
    assert!(!world.sq_in(&shallow, &["facts"]).ok().contains("never broke"));
    let ran = world.sq_in(&shallow, &["facts", "--exit-code"]).exits(3);
    assert_has!(ran.stdout, ": nothing is known to be wrong.\n");
    assert_has!(
        ran.stdout,
        "\nunknown: history is cut off: 1 place that differs may have agreed before; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0\n"
    );
}

#[test]
fn a_shallow_clone_names_what_needs_no_history() {
    let world = World::new();
    world.write("src/a.rs", "1\n");
    world.write("src/b.rs", "1\n");
    world.write("docs/x.md", "1\n");
    world.write("AGENTS.md", "See [a](src/a.rs), `src/b.rs` and `other/x`.\n");
    world.commit("begin");
    world.git_ok("rm -q src/a.rs");
    world.commit("one");
    world.git_ok("rm -q src/b.rs");
    world.write("src/c.rs", "1\n");
    world.commit("two");
    world.cloned("--depth 2", "shallow");
    let text = world.sq_ok_in(&world.root().join("shallow"), "facts");
    assert_has!(
        text,
        "missing for 0 days: a path named in AGENTS.md\n      AGENTS.md:1  src/b.rs\n"
    );
    assert_has!(
        text,
        "missing, could not tell since when: a path named in AGENTS.md\n      AGENTS.md:1  src/a.rs\n"
    );
}

#[test]
fn a_partial_clone_fetches_what_it_lacks_in_one_go() {
    let world = stale();
    for rust in ["1.81", "1.82", "1.83"] {
        world.change(
            "Cargo.toml",
            format!("[package]\nname = \"tool\"\nrust-version = \"{rust}\"\n"),
        );
    }
    world.git_ok("config uploadpack.allowFilter true");
    world.git_ok("config uploadpack.allowAnySHA1InWant true");
    for (name, option, batches) in [("out", "", 1), ("bare", "--bare", 2)] {
        let dir = world.cloned(&format!("--filter=blob:none {option}"), name);
        let trace = world.root().join(format!("{name}.trace"));
        let mut command = world.sq_command(&["facts"]);
        let ran = command.current_dir(&dir).env("GIT_TRACE", &trace).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_has!(text, "differs for 30 days: minimum Rust version\n");
        let trace = fs::read_to_string(trace).unwrap();
        let fetches = trace.lines().filter(|line| line.contains("built-in: git fetch")).count();
        assert_eq!(fetches, batches, "{trace}");
    }
    // Where nothing may be fetched, it says so.
    let alone = world.cloned("--filter=blob:none --bare", "alone");
    let mut command = world.sq_command(&["facts", "--exit-code"]);
    let ran = command.current_dir(alone).env("GIT_NO_LAZY_FETCH", "1").output().unwrap();
    assert_eq!(ran.status.code(), Some(3), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_has!(
        String::from_utf8_lossy(&ran.stdout),
        "2 files of this partial clone could not be fetched"
    );
}

#[test]
fn where_nothing_is_wrong_it_says_what_was_compared_and_what_broke_before() {
    let world = stale();
    world.change("README.md", "Needs Rust 1.80+\n");
    world.write("docs/build.md", "- Rust 1.80+\n");
    world.commit("more");
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 2 documents with 1 other file at HEAD (COMMIT): no contradictions.

    lbdw  holds, broke 1 time: minimum Rust version
          Cargo.toml:4     rust-version = "1.80.0"
          README.md:1      Rust 1.80+
          docs/build.md:1  Rust 1.80+

    This looks only for versions, paths and commands. To compare two other places:
    --- exit 0
    "#);
    let empty = World::new();
    empty.change("src/a.rs", "x");
    assert_snapshot!(empty.sq_ok("facts").replace(&empty.git_ok("rev-parse HEAD")[..10], "COMMIT"), @"
    Compared 0 documents with 1 other file at HEAD (COMMIT): no contradictions.

    This looks only for versions, paths and commands. To compare two other places:
      git sq trace README.md:PATTERN package.json:/version
    ");
}

#[test]
fn an_id_stays_while_other_facts_come_and_go() {
    let world = stale();
    let id = |world: &World| world.json("facts")["facts"][0]["id"].clone();
    let before = id(&world);
    world.write("docs/install.md", "Needs Rust 1.75+\n");
    world.write("AGENTS.md", "See `src/x.rs`.\n");
    world.write("README.md", format!("# A title\n\n{README}"));
    world.commit("more");
    assert_eq!(id(&world), before);
}

#[test]
fn each_format_of_ci_names_the_place_that_was_left_behind() {
    let world = stale();
    let commit = world.git_ok("rev-parse HEAD");
    let print = |format: &str| {
        world.sq_ok(&format!("facts --format {format}")).replace(&commit[..10], "COMMIT")
    };
    assert_snapshot!(print("github"), @r#"
        ::error file=README.md,line=1,title=facts/differs::minimum Rust version differs: Cargo.toml:4 says rust-version = "1.80.0"; README.md:1 says Rust 1.75+%0ACOMMIT 2026-01-31 Ada Example changed Cargo.toml; before, both said 1.75%0AFix: write 1.80 in README.md:1 (git sq facts --fix ttrx)
        Compared 1 document with 1 other file at HEAD (COMMIT): 1 fact is wrong.
        "#);
    assert_snapshot!(print("markdown"), @r#"
    ## Facts

    ```text
    Compared 1 document with 1 other file at HEAD (COMMIT): 1 fact is wrong.

    ttrx  differs for 30 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75+
          COMMIT 2026-01-31 Ada Example changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:1 (git sq facts --fix ttrx)

      git sq facts --fix      write the right values, and show the diff
      git sq facts ID         one fact, its history, and a question for it
    ```

    This diff fixes it (`git apply --unidiff-zero`):

    ```diff
    --- a/README.md
    +++ b/README.md
    @@ -1 +1 @@
    -Needs Rust 1.75+
    +Needs Rust 1.80+
    ```
    "#);
    let sarif: serde_json::Value = serde_json::from_str(&print("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "facts/differs");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "README.md");
    assert_eq!(place["region"]["startLine"], 1);
}

#[test]
fn a_damaged_history_is_read_as_far_as_it_goes() {
    let world = World::new();
    world.write("Cargo.toml", RUST.1);
    world.write("README.md", format!("{README}\nSee `src/a.rs`.\n"));
    world.write("docs/build.md", "- Rust 1.60\n");
    world.write("src/a.rs", "1\n2\n3\n");
    world.commit("begin");
    world.pass(DAY);
    world.git_ok("rm -q src/a.rs");
    world.write("src/b.rs", "1\n2\n3\n4\n");
    world.write("docs/build.md", "- Rust 1.75\n");
    world.commit("move");
    for path in ["src/a.rs", "docs/build.md"] {
        world.lose(world.git_ok(&format!("rev-parse HEAD^:{path}")).trim());
    }
    let ran = world.sq(&["facts", "--exit-code"]);
    assert_has!(ran.stdout, "missing for 0 days: a path named in README.md\n");
    assert_has!(
        ran.stdout,
        "\nunknown: some of the history could not be read, so that more may be wrong; `git fsck` says what is lost\n"
    );
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    world.change("README.md", README);
    assert_eq!(world.try_sq("facts --exit-code").code, 3);
}
