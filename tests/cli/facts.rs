//! `git sq facts`: what it finds, says and adds.

use std::fs;

use git_sq_test_support::{World, each};
use insta::assert_snapshot;
use serde_json::Value;

pub const DAY: i64 = 86_400;

/// Two versions of each file, with a month between them and after them.
pub fn world(files: &[(&str, &str, &str)]) -> World {
    let world = World::new();
    for (path, before, _) in files {
        world.write(path, before);
    }
    world.commit("begin");
    world.pass(30 * DAY);
    for (path, _, now) in files {
        world.write(path, now);
    }
    world.commit("go on");
    world.pass(30 * DAY);
    world
}

/// Without commits' ids and the steps at the end.
pub fn facts(world: &World, args: &[&str]) -> String {
    let text = world.sq(&[&["facts"], args].concat()).transcript();
    let text = world
        .git_ok("log --format=%H")
        .lines()
        .fold(text, |text, id| text.replace(&id[..10], "COMMIT"));
    let is_step = |line: &&str| line.starts_with("  git sq") || line.starts_with("Name two");
    text.lines().filter(|line| !is_step(line)).map(|line| format!("{line}\n")).collect()
}

/// The state of each fact, with what its places say.
fn states(world: &World) -> String {
    let found = world.json("facts --all");
    let text = |found: &Value, key: &str| found[key].as_str().unwrap().to_owned();
    each(&found["facts"])
        .map(|found| {
            let places = each(&found["places"]).map(|place| {
                format!("{}:{} {}", text(place, "file"), place["lines"], text(place, "says"))
            });
            format!("{} {}", text(found, "state"), places.collect::<Vec<_>>().join(" | "))
        })
        .collect::<Vec<_>>()
        .join("\n")
}

pub const RUST: (&str, &str, &str) = (
    "Cargo.toml",
    "[package]\nname = \"tool\"\nversion = \"1.0.0\"\nrust-version = \"1.75\"\n",
    "[package]\nname = \"tool\"\nversion = \"1.1.0\"\nrust-version = \"1.80.0\" # oldest\n",
);

#[test]
fn what_is_contradicted_comes_first_then_what_is_gone_then_what_holds() {
    let readme = "# tool\n\nYou need Rust 1.75 or later. Run `tools/make.sh`.\n";
    let world = world(&[
        RUST,
        ("README.md", readme, readme),
        ("CHANGELOG.md", "# Unreleased\n## [1.0.0]\n", "## [1.1.0] - today\n## 1.0.0\n"),
        ("docs/building.md", "- Rust 1.75+\n", "- Rust 1.80+\n"),
        ("tools/make.sh", "make\n", "make\n"),
    ]);
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop the script");
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 3 documents with 1 other file at HEAD (COMMIT): 2 facts are wrong.

    ttrx  differs for 30 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:3   Rust 1.75 or later. Run `tools/make.sh`.
          COMMIT 2026-01-31 Ada Example changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:3 (git sq facts --fix ttrx)

    drzv  missing for 0 days: a path named in README.md
          README.md:3  tools/make.sh
          COMMIT 2026-03-02 Ada Example removed tools/make.sh
          Fix it by hand: git is sure of no rename of tools/make.sh.

    2 more facts hold, and never broke: git sq facts --all

    --- exit 0
    "#);
    // The same from a subfolder, and in a bare clone.
    let text = world.sq_ok("facts --all");
    assert_has!(text, "git sq facts --fix");
    world.git_ok("clone -q --bare . ../bare.git");
    for dir in [world.dir.join("docs"), world.root().join("bare.git")] {
        assert_eq!(world.sq_ok_in(&dir, "facts --all"), text);
    }
    // Nothing is written but a cache.
    assert_eq!(world.git_ok("status --porcelain --ignored"), "");
    let written = fs::read_dir(world.dir.join(".git/sq")).unwrap();
    assert_eq!(written.map(|file| file.unwrap().file_name()).collect::<Vec<_>>(), ["cache"]);
}

#[test]
fn each_toolchain_is_found_in_documents_in_ci_and_in_pre_commit() {
    let copilot = "- **Language:** Go 1.24+\n\nIt needs Go (at least 1.24.0).\n";
    let python = |least: &str| format!("[project]\nrequires-python = \">={least},<4\"\n");
    let node =
        |least: u8| format!("{{\n  \"engines\": {{\n    \"node\": \">={least}\"\n  }}\n}}\n");
    let ci = "test:\n  node-version: [18, 20]\n";
    let hooks = "repos:\n- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: v0.5.0\n  hooks: []\n";
    let lock = |version: &str| format!("[[package]]\nname = \"ruff\"\nversion = \"{version}\"\n");
    let world = world(&[
        ("go.mod", "module m\n\ngo 1.24.0\n", "module m\n\ngo 1.25.3\n"),
        (".github/copilot-instructions.md", copilot, copilot),
        ("py/pyproject.toml", &python("3.9"), &python("3.10")),
        ("py/README.md", "Requires Python 3.9 or newer\n", "Requires Python 3.9 or newer\n"),
        ("package.json", &node(18), &node(20)),
        (".github/workflows/ci.yml", ci, &format!("lint: {{ node-version: [22] }}\n{ci}")),
        (".pre-commit-config.yaml", hooks, hooks),
        ("uv.lock", &lock("0.5.0"), &lock("0.6.1")),
    ]);
    assert_snapshot!(states(&world), @r#"
    differs go.mod:[3] go 1.25.3 | .github/copilot-instructions.md:[1] Go 1.24+ | .github/copilot-instructions.md:[3] Go (at least 1.24.0).
    differs uv.lock:[3] version = "0.6.1" | .pre-commit-config.yaml:[3] rev: v0.5.0
    differs py/pyproject.toml:[2] requires-python = ">=3.10,<4" | py/README.md:[1] Python 3.9 or newer
    differs package.json:[3] "node": ">=20" | .github/workflows/ci.yml:[3] node-version: [18, 20]
    "#);
}

#[test]
fn what_is_no_statement_of_a_minimum_is_left_out() {
    let fenced = "```toml\n# requires Rust 1.75\n```\n````md\n```\nneeds Rust 1.75\n```\n````\n";
    let words =
        "Since Rust 1.75 it is supported.\nWe like Rust 1.75.\nRequires Rust 2021 edition.\n";
    // Places that never agreed.
    let other = "Needs Rust 1.60+\n";
    let world = world(&[
        RUST,
        ("README.md", fenced, fenced),
        ("INSTALL.md", words, words),
        ("docs/build.md", other, other),
    ]);
    assert_eq!(states(&world), "");
}

#[test]
fn a_contradiction_is_less_certain_if_it_is_young_or_the_document_moved() {
    let readme = "Needs Rust 1.75+\n";
    let young = world(&[RUST, ("README.md", readme, readme)]);
    young.pass(-25 * DAY);
    assert_has!(facts(&young, &[]), "\nttrx  differs for 5 days: minimum Rust version\n");
    let ahead = world(&[(RUST.0, RUST.1, RUST.1), ("README.md", readme, "Needs Rust 1.90+\n")]);
    assert_snapshot!(facts(&ahead, &["--all"]), @r#"
    Compared 1 document with 1 other file at HEAD (COMMIT): 1 fact may be wrong.

    ttrx  differs for 30 days: minimum Rust version
          Cargo.toml:4  rust-version = "1.75"
          README.md:1   Rust 1.90+
          COMMIT 2026-01-31 Ada Example changed README.md; before, both said 1.75
          Fix it by hand: Cargo.toml has not changed since both said 1.75: only you know which is right.

    --- exit 0
    "#);
}

#[test]
fn paths_that_are_told_to_be_absent_or_never_were_are_left_out() {
    let agents = "Read `src/old.rs:3`, [it](notes.md#top) and `./src/lib.rs`.\n\n\n\n`src/gone.rs` was removed.\n\n\n\n`dist/out` `owner/name` <https://x.org/a/b>\n```\nsrc/old2.rs\n```\n`src/never.rs` and `lib.rs`\n";
    let world = World::new();
    for file in [
        "src/old.rs",
        "src/old2.rs",
        "src/gone.rs",
        "src/lib.rs",
        "docs/notes.md",
        "dist/out",
        "up.md",
    ] {
        world.write(file, "1\n");
    }
    world.write("docs/AGENTS.md", agents);
    world.write("README.md", "[notes](docs/notes.md) `.github/x.yml` and `src/old.rs`\n");
    world.commit("begin");
    world.write(".gitignore", "/dist/\n*.log\n");
    world.git_ok("rm -q src/old.rs src/old2.rs src/gone.rs docs/notes.md dist/out");
    world.commit("drop");
    assert_snapshot!(states(&world), @"
    missing docs/AGENTS.md:[1] src/old.rs | docs/AGENTS.md:[1] notes.md
    missing README.md:[1] docs/notes.md | README.md:[1] src/old.rs
    ");
}

#[test]
fn a_fact_is_shown_with_its_question_and_added_to_the_store() {
    let readme = "Needs Rust 1.75+, and `src/old.rs`\n";
    let world = world(&[RUST, ("README.md", readme, readme), ("src/old.rs", "1", "2")]);
    world.git_ok("rm -q src/old.rs");
    assert_has!(world.sq_ok("facts ttrx"), " (git sq init, then git sq facts --add ttrx):\n");
    world.ask(&["q1", "readme-msrv"]);
    let shown = world.json("facts ttrx");
    let question = &shown["facts"][0]["question"];
    assert_snapshot!(serde_json::to_string(question).unwrap(), @r#"{"expect":true,"id":"readme-msrv-2","importance":2,"probe":{"agree":[{"text":{"as":"version","file":"Cargo.toml","pattern":"^rust-version\\s*=\\s*\"(\\d+(?:\\.\\d+)+)"}},{"text":{"as":"version","file":"README.md","pattern":"(?i-u)\\b(?:rust|rustc|msrv|cargo)\\b(?:[^\\d\\n;]|%3[DE]){0,40}?(?:\\n[ \\t>*]*)?\\bv?(1\\.\\d{2,3}(?:\\.\\d+)?)\\b"}}]},"q":"Does README.md state the minimum Rust version of Cargo.toml?"}"#);
    let shown = world.sq_ok("facts ttrx");
    assert!(shown.contains("\"id\": \"readme-msrv-2\""), "{shown}");
    assert_has!(shown, "To keep track of it (git sq facts --add ttrx):\n");
    let (_, trace) = shown.split_once("Its history:\n  git sq ").unwrap();
    let trace = trace.lines().next().unwrap();
    assert!(world.sq_ok(trace.trim()).contains("differ: "));
    world.sq_ok("facts --add");
    world.sq_ok("question lint");
    assert_snapshot!(world.git_ok("diff -U0").lines().skip(4).collect::<Vec<_>>().join("\n"), @r#"
    @@ -2 +2 @@
    -  "_schema": "standing_questions/v1",
    +  "_schema": "standing_questions/v2",
    @@ -5 +5,3 @@
    -    { "id": "readme-msrv", "q": "What about readme-msrv?", "importance": 3 }
    +    { "id": "readme-msrv", "q": "What about readme-msrv?", "importance": 3 },
    +    { "id": "readme-msrv-2", "q": "Does README.md state the minimum Rust version of Cargo.toml?", "importance": 2, "expect": true, "probe": {"agree": [{"text": {"as": "version", "file": "Cargo.toml", "pattern": "^rust-version\\s*=\\s*\"(\\d+(?:\\.\\d+)+)"}}, {"text": {"as": "version", "file": "README.md", "pattern": "(?i-u)\\b(?:rust|rustc|msrv|cargo)\\b(?:[^\\d\\n;]|%3[DE]){0,40}?(?:\\n[ \\t>*]*)?\\bv?(1\\.\\d{2,3}(?:\\.\\d+)?)\\b"}}]}, "created": "2026-03-02" },
    +    { "id": "readme-paths", "q": "Is `src/old.rs`, which README.md names, missing?", "importance": 2, "expect": "none", "probe": {"exist": {"paths": ["README.md"], "pattern": "(?:^|[^\\w./-])(?:\\./)?(src/old\\.rs)/?(?:[^\\w/.-]|\\.(?:\\W|$)|$)"}}, "created": "2026-03-02" }
    "#);
    world.commit("ask");
    assert_snapshot!(world.sq_ok("probe readme-msrv-2 readme-paths"), @r"
    readme-msrv-2 false: 1.80.0 | 1.75
    readme-paths  src/old.rs
    ");
    let traced = world.json("trace readme-msrv-2");
    let values = each(&traced["changes"]);
    let values: Vec<&Value> = values.map(|change| &change["value"]).collect();
    assert_eq!(values, [true, false]);
    let said = world.try_sq("check").stdout;
    for name in ["readme-msrv-2", "readme-paths"] {
        assert_has!(said, &format!("\nerror: {name} fails: "));
    }
    // It is named by its question.
    let again = facts(&world, &[]);
    assert_has!(again, "\n  readme-msrv-2  fails  differs for 30 days\n");
    assert_has!(again, "(git sq facts --fix readme-msrv-2)\n");
    assert_has!(again, "\n  readme-paths   fails  missing for 0 days\n");
    assert_snapshot!(world.try_sq("facts --add ttrx").transcript(), @r"
    --- stderr
    fatal: fact ttrx is already question readme-msrv-2
    hint: nothing was changed; `git sq question list --all` lists the questions
    --- exit 128
    ");
    assert_snapshot!(world.try_sq("facts zzzz").transcript(), @r"
    --- stderr
    fatal: there is no fact zzzz
    hint: `git sq facts --all` lists them
    --- exit 128
    ");
}

#[test]
fn odd_repositories_are_no_trouble() {
    let world = World::new();
    world.write("README.md", b"\xff\xfe Needs Rust 1.75+ `src/\x1b[31m/x.rs`\n`a/../../../b`\n");
    world.write("docs/setup.md", "Nécessite — Rust — 1.75+ « `é/ü.rs` » [ñ](ñ/ñ.md) `src/ü`\n");
    world.write("Cargo.toml", b"\0rust-version = \"\xff\"\n");
    world.write("package.json", "{\"node\": ");
    world.write("pyproject.toml", "python = \"^3.99999999999999999999999\"\n");
    world.write("docs/install.md", vec![b'`'; 5 << 20]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("README.md", world.dir.join("CONTRIBUTING.md")).unwrap();
    world.commit("odd");
    assert_snapshot!(facts(&world, &[]), @"
    Compared 2 documents with 3 other files at HEAD (COMMIT): no contradictions.

    This looks only for versions, paths and commands. To compare two other places:
    --- exit 0
    ");
}

/// A commit that changes both files, and the version in one, changed that one.
#[test]
fn the_file_that_moved_is_named() {
    let readme = "Needs Rust 1.75.\nMore to come.\n";
    let world = world(&[RUST, ("README.md", readme, "Needs Rust 1.75.\nMore.\n")]);
    let found = facts(&world, &[]);
    assert!(found.contains("changed Cargo.toml; before, both said 1.75"), "{found}");
}

/// What is asked comes first, each with its standing and what is wrong with it; no session has to record anything.
#[test]
fn the_facts_that_are_asked_come_first() {
    let world = world(&[
        RUST,
        ("README.md", "Needs Rust 1.75.\nVersion 1.0.0\n", "Needs Rust 1.75.\nVersion 1.0.0\n"),
    ]);
    let files = serde_json::json!({"files": {"paths": ["README.md"], "take": "count"}});
    world.ask_json(&format!(
        r#"{{"id": "pages", "q": "How many pages?", "importance": 2, "probe": {files}}},
        {{"id": "gone", "q": "Is it gone?", "importance": 2, "expect": 0, "probe": {files}}}"#
    ));
    world.sq_ok("facts --add");
    world.commit("ask more");
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 1 document with 1 other file at HEAD (COMMIT): 2 facts are wrong.

    Asked
      gone         fails  1, expected to be 0
      readme-msrv  fails  differs for 30 days
          Cargo.toml:4  rust-version = "1.80.0"
          README.md:1   Rust 1.75.
          COMMIT 2026-01-31 Ada Example changed Cargo.toml; before, both said 1.75
          Fix: write 1.80 in README.md:1 (git sq facts --fix readme-msrv)
      pages        fresh  1

    --- exit 0
    "#);
    assert_eq!(world.sq(&["facts", "--exit-code"]).code, 1);
    assert_eq!(facts(&world, &["pages"]), "  pages  fresh  1\n--- exit 0\n");
    // A question comes before a fact of the same letters.
    world.ask_json(&format!(r#"{{"id": "ttrx", "q": "?", "importance": 2, "probe": {files}}}"#));
    assert_eq!(facts(&world, &["ttrx"]), "  ttrx  fresh  1\n--- exit 0\n");
    world.git_ok("revert --no-edit HEAD");
    let asked = &world.json("facts")["asked"];
    assert_eq!(asked[0]["standing"], "fails", "{asked}");
    assert!(world.sq_ok("facts --format github").contains("gone fails: 1%0Aexpected"));
}
