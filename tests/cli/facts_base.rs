//! `git sq facts --base`: what a branch broke, and what it fixed.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;
use serde_json::json;

use crate::facts::{DAY, RUST, facts, world};

/// A repository with a wrong fact, and a branch that mends it and breaks others. `main` went on since.
pub fn branched() -> World {
    let readme = "# tool\n\nYou need Rust 1.75 or later. Run `tools/make.sh` or `tools/test.sh`.\n";
    let patch = "Needs PHP 8.1.3 or later.\n";
    let php = |least: &str| format!("{{\n  \"require\": {{ \"php\": \">={least}\" }}\n}}\n");
    let same = |path: &'static str, text: &'static str| (path, text, text);
    let old = php("8.1.3");
    let world = world(&[
        (RUST.0, RUST.1, RUST.1),
        same("README.md", readme),
        same("CHANGELOG.md", "# Changes\n\n## 1.0.0\n"),
        ("sub/go.mod", "module m\n\ngo 1.24.0\n", "module m\n\ngo 1.25.3\n"),
        same("sub/README.md", "Needs Go 1.24 or later.\n"),
        ("web/composer.json", &old, &old),
        same("web/README.md", patch),
        same("tools/make.sh", "make\n"),
        same("tools/test.sh", "make test\nmake check\n"),
    ]);
    world.git_ok("switch -q -c work");
    world.write(RUST.0, RUST.2);
    world.write("web/composer.json", php("8.1.5"));
    world.git_ok("rm -q tools/make.sh");
    world.commit("raise the minimum");
    world.git_ok("mv tools/test.sh tools/check.sh");
    world.write("sub/README.md", "Needs Go 1.25 or later.\n");
    world.commit("mend");
    world.pass(DAY);
    world.git_ok("switch -q main");
    world.git_ok("rm -q README.md");
    world.commit("go on");
    world.git_ok("switch -q work");
    world
}

#[test]
fn only_what_a_branch_broke_and_fixed_is_shown() {
    let world = branched();
    assert_snapshot!(facts(&world, &["--base", "main"]), @r#"
    Compared HEAD with main (COMMIT): 2 facts broke, 1 fixed.
    Left out: 1 difference in a patch version or a changelog (git sq facts)

    jhwn  missing since main: 2 paths named in README.md
          README.md:3  tools/make.sh
          README.md:3  tools/test.sh
          This branch removed them
          Fix: write tools/check.sh in README.md:3 (git sq facts --base main --fix jhwn)

    ttrx  differs since main: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:3   Rust 1.75 or later. Run `tools/make.sh` or `tools/test.sh`.
          This branch changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:3 (git sq facts --base main --fix ttrx)

    fixed  minimum Go version (sub/go.mod, sub/README.md)

    --- exit 0
    "#);
    assert_eq!(world.sq(&["facts", "--base", "main", "--exit-code"]).code, 1);
    assert_has!(facts(&world, &[]), "web/README.md:1      PHP 8.1.3 or later.");
    assert_snapshot!(facts(&world, &["--base", "HEAD", "--exit-code"]), @"
    Compared HEAD with HEAD (COMMIT): no fact broke.
    --- exit 0
    ");
    assert_snapshot!(world.json("facts --base main")["fixed"].to_string(), @r#"[{"about":"minimum Go version","files":["sub/go.mod","sub/README.md"],"id":"qfdc"}]"#);
    assert_snapshot!(world.sq_ok("facts --base main --fix"), @"
    diff --git a/README.md b/README.md
    index fea3e71..f8550d0 100644
    --- a/README.md
    +++ b/README.md
    @@ -1,3 +1,3 @@
     # tool
     
    -You need Rust 1.75 or later. Run `tools/make.sh` or `tools/test.sh`.
    +You need Rust 1.80 or later. Run `tools/make.sh` or `tools/check.sh`.
    jhwn  not changed: git is sure of no rename of tools/make.sh
    Nothing was staged.
    ");
    world.git_ok("commit -q -a -m fix");
    assert_snapshot!(facts(&world, &["--base", "main"]), @"
    Compared HEAD with main (COMMIT): 1 fact broke, 1 fixed.
    Left out: 1 difference in a patch version or a changelog (git sq facts)

    drzv  missing since main: a path named in README.md
          README.md:3  tools/make.sh
          This branch removed tools/make.sh
          Fix it by hand: git is sure of no rename of tools/make.sh.

    fixed  minimum Go version (sub/go.mod, sub/README.md)
    --- exit 0
    ");
    assert_snapshot!(world.try_sq("facts --base nowhere").transcript(), @r#"
    --- stderr
    fatal: "nowhere" does not name a commit
    hint: a base is a branch, as in main or origin/main, a commit's id, or the full name of a ref, as in refs/tags/v1
    --- exit 128
    "#);
}

/// A branch does not break a fact and mark its document in one go.
#[test]
fn the_attributes_of_the_base_count() {
    let world = branched();
    world.change(".gitattributes", "README.md sq-ignore\n");
    for args in [&["facts", "--base", "main", "--exit-code"][..], &["ci", "--base", "main"]] {
        assert_has!(world.sq(args).stdout, "2 facts broke");
    }
    world.git_ok("switch -q -C main main~1");
    world.change(".gitattributes", "README.md sq-ignore\n");
    world.git_ok("switch -q work");
    world.git_ok("merge -q main");
    assert_has!(facts(&world, &["--base", "main"]), "no fact broke");
}

/// The commit that moved something need not be the last one of the branch.
#[test]
fn what_moved_on_the_branch_is_followed() {
    let world = World::new();
    let agents = "Read [a](a.md), and `src/lib.rs`.\n";
    for (file, text) in
        [("docs/AGENTS.md", agents), ("docs/a.md", "a\n"), ("src/lib.rs", "one\ntwo\n")]
    {
        world.write(file, text);
    }
    world.commit("begin");
    world.git_ok("switch -q -c work");
    world.git_ok("mv docs/AGENTS.md AGENTS.md");
    world.git_ok("mv src/lib.rs src/main.rs");
    world.commit("move them");
    world.change("src/more.rs", "three\n");
    let said = facts(&world, &["--base", "main"]);
    assert_has!(said, "AGENTS.md:1  a.md\n", "Fix: write src/main.rs in AGENTS.md:1");
}

/// A version that once was the project's may be another project's, by chance.
#[test]
fn one_agreement_of_a_version_breaks_nothing() {
    let world = World::new();
    world.write(RUST.0, RUST.1);
    world.write("README.md", "Install tool 1.0.0 now.\n");
    world.write(".github/workflows/ci.yml", "uses: other/action@v1.0.0\n");
    world.commit("begin");
    world.change(RUST.0, RUST.2);
    assert_has!(facts(&world, &["--base", "HEAD~1"]), "no fact broke");
}

#[test]
fn a_commit_that_breaks_a_fact_is_refused_before_it_is_made() {
    let world = World::new();
    let hook = ["facts", "--cached", "--base", "HEAD", "--exit-code"];
    world.write("README.md", "Run `tools/make.sh` or `tools/old.sh`. Needs Rust 1.75 or later.\n");
    world.write(RUST.0, RUST.1);
    world.write("tools/make.sh", "make\n");
    world.write("tools/old.sh", "old\n");
    world.git_ok("add --all");
    assert_eq!(world.sq(&hook).code, 0);
    world.commit("begin");
    world.git_ok("rm -q tools/old.sh");
    world.commit("break one");
    world.write(RUST.0, RUST.2);
    assert_eq!(world.sq(&hook).code, 0);
    world.git_ok("add --all");
    assert_snapshot!(facts(&world, &hook[1..]), @r#"
    Compared the index with HEAD (COMMIT): 1 fact broke.

    ttrx  differs since HEAD: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75 or later.
          Not committed yet: changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:1 (git sq facts --cached --base HEAD --fix ttrx)

    --- exit 1
    "#);
    world.write("README.md", "Run `tools/make.sh`. Needs Rust 1.80 or later.\n");
    world.git_ok("add --all");
    assert_eq!(world.sq(&hook).code, 0);
}

#[test]
fn a_bare_repository_has_no_index_to_check() {
    let world = World::new();
    world.change("README.md", "x\n");
    let dir = world.root().join("bare");
    world.git_ok(&format!("clone -q --bare . {}", dir.display()));
    let ran = world.sq_in(&dir, &["facts", "--cached", "--exit-code"]);
    assert_snapshot!(ran.transcript(), @"
    --- stderr
    fatal: a bare repository has no index to check
    hint: run it in a clone with a worktree, or leave out --cached
    --- exit 128
    ");
    assert_has!(world.sq_in(&dir, &["facts"]).ok(), "no contradictions");
}

#[test]
fn of_what_is_asked_only_new_failures_are_shown() {
    let world = branched();
    world.git_ok("switch -q main");
    let exists = |path: &str| json!({"files": {"paths": [path], "take": "count"}});
    world.ask_json(&format!(
        r#"{{"id": "old", "q": "?", "importance": 2, "expect": 1, "probe": {}}},
        {{"id": "new", "q": "?", "importance": 2, "expect": 1, "probe": {}}}"#,
        exists("never"),
        exists("tools/make.sh")
    ));
    world.git_ok("rm -q tools/make.sh");
    world.commit("break it");
    assert_snapshot!(facts(&world, &["--base", "HEAD~1"]), @"
    Compared HEAD with HEAD~1 (COMMIT): 1 fact broke.

    Asked
      new  fails  0, expected to be 1
    --- exit 0
    ");
    assert_snapshot!(facts(&world, &["--base", "HEAD"]), @"
    Compared HEAD with HEAD (COMMIT): no fact broke.
    --- exit 0
    ");
}

#[test]
fn a_shallow_clone_gets_what_it_lacks_until_the_merge_base() {
    let world = branched();
    world.git_ok("switch -q main");
    for number in 0..70 {
        world.git_ok(&format!("commit -q --allow-empty -m {number}"));
    }
    world.git_ok("switch -q -c more");
    world.git_ok("merge -q -m merge -X ours work");
    for number in 0..20 {
        world.git_ok(&format!("commit -q --allow-empty -m {number}"));
    }
    world.git_ok("branch -f work main");
    world.git_ok("switch -q work");
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop it");
    let dir = world.cloned("--depth 1 --branch work", "shallow");
    let args = ["facts", "--base", "origin/more", "--exit-code"];
    let ran = world.sq_in(&dir, &args);
    assert_snapshot!(ran.transcript(), @"
    Compared HEAD with origin/more (dfedf1a63a): no fact broke.
    --- exit 0
    ");
    let number = world.git_ok_in(&dir, "rev-list --count HEAD");
    assert_eq!(number, "49\n");
    // Again, nothing is fetched.
    let away = world.dir.with_extension("away");
    fs::rename(&world.dir, &away).unwrap();
    assert_eq!(world.sq_in(&dir, &args).transcript(), ran.transcript());
    fs::rename(&away, &world.dir).unwrap();
    let dir = world.cloned("--depth 1 --branch work", "alone");
    let base = world.git_ok("rev-parse more");
    fs::rename(&world.dir, &away).unwrap();
    let ran = world.sq_in(&dir, &["facts", "--base", base.trim()]);
    let said = ran.transcript().replace(base.trim(), "BASE");
    assert_snapshot!(said.replace(world.root().to_str().unwrap(), "[world]"), @"
    Compared HEAD with nothing: no fact is known to have broken.
    unknown: could not find the merge base with BASE: origin could not be reached: '[world]/repo' does not appear to be a git repository
    --- exit 3
    ");
}

/// What `main` would be blamed for after the merge, the branch hears before.
#[test]
fn a_link_that_a_branch_adds_and_that_leads_nowhere_is_shown() {
    let world = World::new();
    world.write("docs/guide.md", "guide\n");
    world.write("old.md", "See [old](docs/olld.md).\n");
    world.change("README.md", "See [guide](docs/guide.md).\n");
    world.git_ok("switch -q -c work");
    world.git_ok("mv old.md older.md");
    world.change("README.md", "See [guide](docs/guidde.md).\n");
    let text = world.try_sq("facts --base main --exit-code").exits(1);
    assert_has!(text.stdout, "README.md:1  docs/guidde.md");
    assert!(!text.stdout.contains("olld"), "{}", text.stdout);
    world.change("README.md", "See [guide](docs/guide.md).\n");
    assert_eq!(world.try_sq("facts --base main --exit-code").code, 0);
}

/// The base has the sentence in which the path was there.
#[test]
fn a_sentence_that_says_that_a_path_went_breaks_nothing() {
    let told = |a: &str| {
        format!(
            "`{a}` is now `src/b.rs`.\n\n`{a}` is now called [b](src/b.rs).\n\n\
             `{a}` was renamed to `src/b.rs`.\n\nDo not bring back `{a}`.\n\n`{a}` is gone.\n"
        )
    };
    let world = World::new();
    world.write("src/a.rs", "one\ntwo\n");
    world.change("README.md", "The parser is in `src/a.rs`.\n");
    world.git_ok("mv src/a.rs src/b.rs");
    world.change("README.md", told("src/a.rs"));
    assert_has!(facts(&world, &["--base", "HEAD~1"]), "no fact broke");
    // It still says that the new one is there.
    world.git_ok("mv src/b.rs src/c.rs");
    world.commit("go on");
    assert_has!(facts(&world, &["--base", "HEAD~1"]), "README.md:1,3  src/b.rs\n");
}

#[test]
fn a_base_is_named_by_its_short_id() {
    let world = branched();
    let base = world.git_ok("rev-parse HEAD~2").trim().to_owned();
    let said = world.sq_ok(&format!("facts --base {base}"));
    assert_has!(said, &format!("Compared HEAD with {0} ({0}): 2 facts broke", &base[..10]));
    assert_has!(said, &format!("missing since {}: ", &base[..10]));
}
