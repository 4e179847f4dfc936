//! What `git sq ci` says of facts that a proposal broke, in checkouts of one commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    ci::{Env, Forge},
    facts::RUST,
    facts_base::branched,
};

const GITHUB: Env =
    &[("GITHUB_ACTIONS", "true"), ("GITHUB_RUN_ID", "1"), ("GITHUB_BASE_REF", "main")];

/// A bare repository without questions, whose branch breaks facts and mends one; with GitHub's merge.
pub fn forge() -> World {
    let world = branched();
    world.git_ok("switch -q -C main main~1");
    world.change("more", "of it\n");
    push(&world);
    world
}

/// Pushes `main` and `work`, and the merge that GitHub makes of them.
fn push(world: &World) {
    world.git_ok("switch -q --detach main");
    world.git_ok("merge -q --no-ff -m Merge work");
    world.git_ok("init -q --bare ../remote.git");
    world.git_ok("push -q ../remote.git main work HEAD:refs/pull/7/merge");
}

/// One commit of a ref, detached, in a repository that knows nothing else.
pub fn checkout(world: &World, from: &str) -> PathBuf {
    let dir = world.root().join("checkout");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir(&dir).unwrap();
    let git = |line: &str| world.git_ok_in(&dir, line);
    git("init -q");
    git(&format!("remote add origin 'file://{}'", world.root().join("remote.git").display()));
    git(&format!("fetch -q --no-tags --depth=1 origin +{from}:refs/remotes/pull/7/merge"));
    git("checkout -q --detach refs/remotes/pull/7/merge");
    dir
}

fn run(world: &World, dir: &Path, env: Env, args: &[&str]) -> Ran {
    let mut command = world.sq_command(&[&["ci"], args].concat());
    command.envs(env.iter().copied()).current_dir(dir);
    command.output().unwrap().into()
}

#[test]
fn without_questions_a_pull_request_is_told_what_it_broke() {
    let world = forge();
    let dir = checkout(&world, "refs/pull/7/merge");
    let config = fs::read(dir.join(".git/config")).unwrap();
    let summary = world.root().join("summary.md");
    let env = [GITHUB, &[("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())]].concat();
    let base = world.git_ok("rev-parse --short=10 main");
    let said = run(&world, &dir, &env, &[]).transcript();
    assert_snapshot!(said.replace(base.trim(), "BASE"), @r#"
    ::warning file=README.md,line=3,title=facts/missing::2 paths named in README.md, missing: README.md:3 says tools/make.sh; README.md:3 says tools/test.sh%0AThis branch removed them%0AFix: write tools/check.sh in README.md:3 (git sq facts --base origin/main --fix jhwn)
    ::warning file=README.md,line=3,title=facts/differs::minimum Rust version differs: Cargo.toml:4 says rust-version = "1.80.0"; README.md:3 says Rust 1.75 or later. Run `tools/make.sh` or `tools/test.sh`.%0AThis branch changed Cargo.toml; before, both said 1.75%0AFix: write 1.80 in README.md:3 (git sq facts --base origin/main --fix ttrx)
    Compared HEAD with origin/main (BASE): 2 facts broke, 1 fixed.
    --- exit 0
    "#);
    let summary = fs::read_to_string(summary).unwrap();
    // Nothing is written but what was fetched.
    let refs = world.git_ok_in(&dir, "for-each-ref --format=%(refname)");
    assert_eq!(refs, "refs/remotes/origin/main\nrefs/remotes/pull/7/merge\n");
    assert_eq!(fs::read(dir.join(".git/config")).unwrap(), config);
    assert!(!dir.join(".git/sq").exists());
    assert_eq!(world.sq_ok_in(&dir, "facts --base origin/main --format markdown"), summary);
    // The diff is one that git takes.
    let diff = summary.split("```diff\n").nth(1).unwrap().split("```").next().unwrap();
    let path = world.root().join("fix.diff");
    fs::write(&path, diff).unwrap();
    world.git_ok_in(&dir, &format!("apply --unidiff-zero {}", path.display()));
    let readme = fs::read_to_string(dir.join("README.md")).unwrap();
    assert_has!(readme, "You need Rust 1.80 or later. Run `tools/make.sh` or `tools/check.sh`.");
}

/// Of a fork, the forge has only the merge.
#[test]
fn a_fork_s_pull_request_is_told_the_same() {
    let world = forge();
    let own = run(&world, &checkout(&world, "refs/pull/7/merge"), GITHUB, &[]).transcript();
    world.git_ok("-C ../remote.git update-ref -d refs/heads/work");
    world.git_ok("-C ../remote.git gc -q --prune=now");
    let fork = run(&world, &checkout(&world, "refs/pull/7/merge"), GITHUB, &[]).transcript();
    assert_eq!(fork, own);
    assert_has!(fork, "2 facts broke, 1 fixed");
}

#[test]
fn every_format_has_what_broke_as_warnings() {
    let world = forge();
    let dir = checkout(&world, "refs/pull/7/merge");
    let print = |format: &str| {
        let ran = run(&world, &dir, GITHUB, &["--format", format]).exits(0);
        ran.stdout
    };
    let gitlab: Value = serde_json::from_str(&print("gitlab")).unwrap();
    assert_eq!(gitlab[1]["severity"], "minor", "{gitlab}");
    assert_eq!(gitlab[1]["location"], json!({"path": "README.md", "lines": {"begin": 3}}));
    let sarif: Value = serde_json::from_str(&print("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][1];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("facts/differs"), &json!("warning")));
    assert_has!(print("junit"), "Cargo.toml:4 says rust-version");
    assert_has!(print("markdown"), "```diff\n--- a/README.md\n+++ b/README.md\n@@ -3 +3 @@\n");
    let found: Value = serde_json::from_str(&print("json")).unwrap();
    assert_eq!(
        (&found["schema"], &found["base"]["name"]),
        (&json!("sq.facts/v1"), &json!("origin/main"))
    );
}

/// What is asked is an error, as in the check; what is found, where it fails the command.
#[test]
fn every_format_has_what_fails_the_command_as_errors() {
    let world = forge();
    world.git_ok("switch -q main");
    world.write("a", "1\n");
    world.write("b", "1\n");
    world.ask_json(
        r#"{"id": "same", "q": "?", "importance": 2, "expect": true, "probe": {"agree": [
            {"text": {"file": "a", "lines": [1, 1]}}, {"text": {"file": "b", "lines": [1, 1]}}]}}"#,
    );
    world.git_ok("switch -q work");
    world.git_ok("merge -q main");
    world.change("a", "2\n");
    let print = |format: &str, code: i32| {
        let all = ["facts", "--base", "main", "--exit-code", "--format", format];
        let args = if code == 0 { [&all[..3], &all[4..]].concat() } else { all.to_vec() };
        let ran = world.sq(&args);
        assert_eq!(ran.code, code, "{}", ran.transcript());
        ran.stdout
    };
    assert_has!(print("junit", 1), r#"failures="3""#);
    assert_has!(print("junit", 0), r#"failures="1""#);
    assert_eq!(print("github", 1).matches("::error ").count(), 3);
    assert_eq!(print("github", 0).matches("::error ").count(), 1);
    assert_eq!(print("gitlab", 1).matches("\"major\"").count(), 3);
    assert_eq!(print("sarif", 1).matches("\"error\"").count(), 3);
}

#[test]
fn of_many_facts_ten_are_shown_and_the_rest_counted() {
    let world = World::new();
    world.write("tools/make.sh", "make\n");
    for number in 0..12 {
        world.write(&format!("part{number}/README.md"), "Run `tools/make.sh`.\n");
    }
    world.commit("begin");
    world.git_ok("switch -q -c work");
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop it");
    push(&world);
    let dir = checkout(&world, "refs/pull/7/merge");
    let said = run(&world, &dir, GITHUB, &[]).ok();
    assert_eq!(said.matches("title=facts/missing").count(), 10, "{said}");
    assert_has!(
        said,
        "::warning title=facts/more::2 more facts broke%0A`git sq facts --base origin/main` shows all\n"
    );
    assert_has!(said, ": 12 facts broke.\n");
}

#[test]
fn a_base_that_can_t_be_had_is_unknown_without_questions_too() {
    let world = forge();
    let dir = checkout(&world, "refs/pull/7/merge");
    let gone = [("GITHUB_ACTIONS", "true"), ("GITHUB_BASE_REF", "gone")];
    assert_snapshot!(run(&world, &dir, &gone, &["--format", "text"]).transcript(), @"
    Compared HEAD with nothing: no fact is known to have broken.
    unknown: could not find the base to compare with: origin has no refs/heads/gone; name it with --base
    --- exit 3
    ");
    assert_snapshot!(run(&world, &dir, &[], &[]).transcript(), @"
    Compared HEAD with nothing: no fact is known to have broken.
    unknown: no base branch known: pass --base origin/main
    --- exit 3
    ");
    // The first push of a repository breaks nothing.
    let first = [
        ("GITLAB_CI", "true"),
        ("CI_COMMIT_BRANCH", "main"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_BEFORE_SHA", "0000000000000000000000000000000000000000"),
    ];
    assert_snapshot!(run(&world, &dir, &first, &["--format", "text"]).transcript(), @"
    Compared HEAD with nothing: no fact is known to have broken.
    --- exit 0
    ");
    // A fork's pipeline is told a commit.
    let base = world.git_ok("rev-parse main");
    let fork = [
        ("GITLAB_CI", "true"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.trim()),
        ("CI_PROJECT_ID", "2"),
        ("CI_MERGE_REQUEST_PROJECT_ID", "1"),
    ];
    let said = run(&world, &dir, &fork, &["--format", "text"]).ok();
    assert!(
        said.starts_with(&format!("Compared HEAD with {0} ({0}): 2 facts broke", &base[..10])),
        "{said}"
    );
}

#[test]
fn with_questions_what_broke_stands_beside_the_verdict() {
    let forge = Forge::new();
    let clone = forge.team.clone.clone();
    fs::write(clone.join("README.md"), "Run `tools`, then `lib/make.sh`.\n").unwrap();
    fs::create_dir(clone.join("lib")).unwrap();
    fs::write(clone.join("lib/make.sh"), "make\n").unwrap();
    forge.work("s3", "three\n");
    forge.push("main");
    forge.team.git_ok("switch -q -c more");
    forge.team.git_ok("rm -q lib/make.sh");
    forge.work("s4", "four\n");
    forge.push("more");
    let dir = forge.checkout("refs/heads/more", "refs/remotes/origin/more");
    let base = forge.team.git_ok("rev-parse --short=10 main");
    let ran = forge.run(&dir, GITHUB, &[]);
    assert_snapshot!(ran.transcript().replace(base.trim(), "BASE"), @"
    ::warning file=README.md,line=1,title=facts/missing::a path named in README.md, missing: README.md:1 says lib/make.sh%0AThis branch removed lib/make.sh%0AFix it by hand: git is sure of no rename of lib/make.sh.
    Compared HEAD with origin/main (BASE): 1 fact broke.
    verified 3 recorded answers: all stand
    clean: 1 fresh
    --- exit 0
    ");
    let comment = forge.run(&dir, GITHUB, &["--format", "markdown"]).ok();
    assert_snapshot!(comment.replace(base.trim(), "BASE"), @"
    ### Standing questions

    1 commit; 1 session answered; verified 3 recorded answers: all stand; clean: 1 fresh.

    ```text
    q1 changed: four (file:1)
    ```

    ```text
    Compared HEAD with origin/main (BASE): 1 fact broke.

    xmdn  missing since origin/main: a path named in README.md
          README.md:1  lib/make.sh
          This branch removed lib/make.sh
          Fix it by hand: git is sure of no rename of lib/make.sh.
    ```
    ");
    // A branch can't do away with the questions.
    forge.team.git_ok("rm -q standing_questions.json");
    forge.team.commit(&clone, "ask nothing");
    forge.push("more");
    let dir = forge.checkout("refs/heads/more", "refs/remotes/origin/more");
    let ran = forge.run(&dir, GITHUB, &[]).exits(1);
    assert_has!(ran.stdout, "title=loosened::", "title=facts/missing::");
}

/// The check judges what is asked, and once is enough.
#[test]
fn a_fact_that_is_asked_is_an_error_and_no_warning() {
    let forge = Forge::new();
    let clone = forge.team.clone.clone();
    fs::write(clone.join("README.md"), "Needs Rust 1.75 or later.\n").unwrap();
    fs::write(clone.join(RUST.0), RUST.1).unwrap();
    forge.work("s3", "three\n");
    forge.team.sq_ok_in(&clone, "facts --add ttrx");
    forge.work("s4", "four\n");
    forge.push("main");
    forge.team.git_ok("switch -q -c more");
    fs::write(clone.join(RUST.0), RUST.2).unwrap();
    forge.work("s5", "five\n");
    forge.push("more");
    let dir = forge.checkout("refs/heads/more", "refs/remotes/origin/more");
    let ran = forge.run(&dir, GITHUB, &[]).exits(1);
    assert_has!(ran.stdout, "::error file=README.md,line=1,title=failing::readme-msrv fails");
    assert!(!ran.stdout.contains("title=facts/"), "{}", ran.stdout);
    // Its diff is there, too.
    let summary = forge.team.world.root().join("summary.md");
    let env = [GITHUB, &[("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())]].concat();
    forge.run(&dir, &env, &[]);
    let comment = forge.run(&dir, GITHUB, &["--format", "markdown"]).stdout;
    for text in [comment, fs::read_to_string(summary).unwrap()] {
        let diff = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-Needs Rust 1.75 or later.\n+Needs Rust 1.80 or later.\n";
        assert_has!(text, diff);
    }
}

/// Tabs, the carriage returns of a file and a last line without an end are parts of its lines.
#[test]
fn the_diff_applies_whatever_ends_a_line() {
    for text in ["{\n\t\"v\": \"1.0\"\n}\n", "{\r\n\"v\":\"1.0\"\r\n}\r\n", r#"{"v":"1.0"}"#] {
        let world = World::new();
        world.write("my a.json", text);
        world.write("b.json", "{\"v\":\"1.0\"}\n");
        let part = |file: &str| json!({"value": {"as": "version", "file": file, "pointer": "/v"}});
        let probe = json!({"agree": [part("my a.json"), part("b.json")]});
        let question =
            json!({"id": "v", "q": "Same?", "importance": 2, "expect": true, "probe": probe});
        world.ask_json(&question.to_string());
        world.change("b.json", "{\"v\":\"2.0\"}\n");
        let comment = world.try_sq("ci --base HEAD~1 --format markdown").stdout;
        let diff = comment.split("```diff\n").nth(1).unwrap().split("```").next().unwrap();
        let path = world.root().join("fix.diff");
        fs::write(&path, diff).unwrap();
        world.git_ok(&format!("apply --unidiff-zero {}", path.display()));
        let right = text.replace("1.0", "2.0");
        assert_eq!(world.read("my a.json"), right);
        world.git_ok("checkout -q .");
        let said = world.try_sq("facts --base HEAD~1 --fix v").stdout;
        assert_has!(said, "--- a/my a.json\t\n");
        assert!(!said.contains("u0009"), "{said}");
    }
}
