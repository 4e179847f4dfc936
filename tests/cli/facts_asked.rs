//! Facts that questions ask, in `git sq facts`.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

use super::facts::{facts, world};

/// Asks whether both documents name one command.
fn one_command(id: &str, expected: bool) -> String {
    format!(
        r#"{{"id": "{id}", "q": "Do both name one command?", "importance": 2, "expect": {expected},
            "probe": {{"agree": [
                {{"text": {{"file": "README.md", "pattern": "(make [a-z-]+)"}}}},
                {{"text": {{"file": "CONTRIBUTING.md", "pattern": "(make [a-z-]+)"}}}}]}}}}"#
    )
}

/// Two documents that name a command and a number, which a question asks.
fn asked_world() -> World {
    let world = World::new();
    world.write("README.md", "# Project\n\nRun make check before a push.\n");
    world.write("CONTRIBUTING.md", "Test it with make check.\n");
    world.write("config.json", "{\n  \"limit\": 30\n}\n");
    world.write("docs.md", "The limit is 30 seconds.\n");
    world.commit("documents");
    let limit = r#"{"id": "limit", "q": "Is the limit that of the configuration?", "importance": 2, "expect": true,
            "probe": {"agree": [
                {"value": {"file": "config.json", "pointer": "/limit"}},
                {"text": {"file": "docs.md", "pattern": "limit is (\\d+)"}}]}}"#;
    world.ask_json(&format!("{},{limit}", one_command("check-command", true)));
    world
}

/// What one asks has lines, a culprit and a fix, as what is found has.
#[test]
fn a_fact_that_is_asked_says_where_since_when_and_what_fixes_it() {
    let world = asked_world();
    world.write("CONTRIBUTING.md", "Test it.\n\nUse make check-all for that.\n");
    world.write("config.json", "{\n  \"limit\": 60\n}\n");
    world.commit("longer");
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 3 documents with 0 other files at HEAD (COMMIT): 2 facts are wrong.

    Asked
      check-command  fails  differs for 0 days
          README.md:3        Run make check before a push.
          CONTRIBUTING.md:3  Use make check-all for that.
          COMMIT 2026-01-01 Ada Example changed CONTRIBUTING.md; before, both said make check
          Fix: write make check-all in README.md:3 (git sq facts --fix check-command)
      limit          fails  differs for 0 days
          config.json:2  "limit": 60
          docs.md:1      The limit is 30 seconds.
          COMMIT 2026-01-01 Ada Example changed config.json; before, both said 30
          Fix: write 60 in docs.md:1 (git sq facts --fix limit)

    --- exit 0
    "#);
    assert_has!(
        world.sq(&["check"]).stdout,
        "README.md:3 make check | CONTRIBUTING.md:3 make check-all"
    );
    world.sq_ok("facts --fix check-command");
    assert_eq!(world.read("README.md"), "# Project\n\nRun make check-all before a push.\n");
    assert_has!(facts(&world, &["check-command"]), "Fixed in the worktree, not committed.");
    world.commit("mend one");
    world.sq_ok("facts --fix");
    assert_eq!(world.read("docs.md"), "The limit is 60 seconds.\n");
    world.commit("mend the other");
    assert_eq!(world.sq(&["facts", "--exit-code"]).code, 0);
}

/// A checkout of one commit is enough, and what the base asks is asked.
#[test]
fn a_branch_that_breaks_what_is_asked_is_told_in_a_shallow_clone() {
    let world = asked_world();
    world.git_ok("switch -q -c work");
    world.change("config.json", "{\n  \"limit\": 60\n}\n");
    let dir = world.cloned("--depth 1 --no-single-branch", "shallow");
    let base = ["facts", "--base", "origin/main", "--exit-code"];
    let ran = world.sq_in(&dir, &base).exits(1);
    assert_has!(ran.stdout, "This branch changed config.json; before, both said 30");
    assert_has!(ran.stdout, "Fix: write 60 in docs.md:1");
    // What is not known is not said.
    let alone = world.sq_in(&dir, &["facts"]);
    assert_has!(alone.ok(), "differ: config.json:2 60 | docs.md:1 30, expected to be true");
    // Nor does it help to ask no more.
    world.git_ok("rm -q standing_questions.json");
    world.commit("ask no more");
    world.sq(&["facts", "--base", "main", "--exit-code"]).exits(1);
}

/// As in the check, where neither is an error.
#[test]
fn what_is_informational_or_on_trial_fails_nothing() {
    for (keys, why) in [
        (r#""severity": "informational""#, "informational"),
        (r#""version": 2, "status": "trial""#, "on trial"),
    ] {
        let world = asked_world();
        let probe = r#"{"agree": [{"value": {"file": "config.json", "pointer": "/limit"}},
            {"text": {"file": "docs.md", "pattern": "limit is (\\d+)"}}]}"#;
        world.ask_json(&format!(
            r#"{{"id": "limit", "q": "?", "importance": 2, "expect": true, {keys}, "probe": {probe}}},
            {{"id": "todo", "q": "?", "importance": 2, "expect": true, {keys},
                "probe": {{"grep": {{"text": "60", "paths": ["config.json"], "take": "exists"}}}}}}"#
        ));
        let one = world.sq(&["facts", "--exit-code"]);
        assert_has!(one.ok(), &format!(": 1 fact fails ({why}).\n"));
        world.change("config.json", "{\n  \"limit\": 50\n}\n");
        assert_eq!(world.try_sq("check").code, 0);
        for args in [&["facts", "--exit-code"][..], &["facts", "--base", "HEAD~1", "--exit-code"]] {
            let ran = world.sq(args).exits(0);
            assert_has!(ran.stdout, &format!("({why})"));
            let ran = world.sq(&[args, &["--format", "junit"]].concat());
            assert_has!(ran.ok(), r#"failures="0""#);
        }
    }
}

/// Both are wrong.
#[test]
fn a_path_that_is_missing_in_a_line_that_is_asked_is_another_fact() {
    let world = World::new();
    world.write("src/a.rs", "x\n");
    world.write("config.json", "{ \"limit\": 30 }\n");
    world.write("README.md", "The limit is 30, see `src/a.rs`.\n");
    world.ask_json(
        r#"{"id": "limit", "q": "?", "importance": 2, "expect": true, "probe": {"agree": [
            {"value": {"file": "config.json", "pointer": "/limit"}},
            {"text": {"file": "README.md", "pattern": "limit is (\\d+)"}}]}}"#,
    );
    world.git_ok("rm -q src/a.rs");
    world.write("config.json", "{ \"limit\": 60 }\n");
    world.commit("both");
    assert_has!(facts(&world, &[]), ": 2 facts are wrong.");
    assert_has!(facts(&world, &["--base", "HEAD~1"]), ": 2 facts broke.");
}

#[test]
fn a_review_says_what_fails() {
    let world = asked_world();
    world.change("config.json", "{\n  \"limit\": 60\n}\n");
    let review = world.try_sq("ci --base HEAD~1 --format markdown").stdout;
    assert_has!(review, "; 0 sessions answered; not clean: limit fails; 1 holds.\n");
    assert_has!(review, "\nerror: limit fails: differ: ");
    assert!(!review.contains("\nlimit fails"), "{review}");
}

/// Only what has to agree is fixed by making it agree.
#[test]
fn places_that_have_to_differ_have_no_fix() {
    let world = asked_world();
    world.ask_json(&one_command("two-words", false));
    world.write("README.md", "# Project\n\nRun make all before a push.\n");
    world.commit("two");
    world.git_ok("switch -q -c work");
    world.write("README.md", "# Project\n\nRun make check before a push.\n");
    world.commit("one");
    for args in [&[][..], &["--base", "main"]] {
        assert_has!(
            facts(&world, args),
            "two-words  fails  agree: make check, expected to be false"
        );
    }
    world.write("CONTRIBUTING.md", "Test it with make test.\n");
    world.ask_json(&one_command("one-word", true));
    let refused = world.person("facts --dismiss one-word --reason x", "");
    assert_has!(
        refused.stderr + &refused.stdout,
        "one-word is a question, and no fact that was found"
    );
}

/// A file that is none any more hides no other fact.
#[cfg(unix)]
#[test]
fn a_fact_whose_file_became_something_else_fails() {
    use std::os::unix::fs::symlink;
    type Change<'c> = &'c dyn Fn(&World);
    let put = |world: &World| fs::create_dir(world.dir.join("README.md")).unwrap();
    let changes: [(&str, Change); 4] = [
        ("is a symbolic link", &|world| {
            symlink("CONTRIBUTING.md", world.dir.join("README.md")).unwrap();
        }),
        ("is a submodule", &|world| {
            put(world);
            world.git_ok_in(&world.dir.join("README.md"), "init -q");
            let commit = "-c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
            world.git_ok_in(&world.dir.join("README.md"), commit);
        }),
        ("there is no file README.md", &|world| {
            put(world);
            world.write("README.md/README.md", "make check\n");
        }),
        ("there is no file README.md", &|_| {}),
    ];
    for (why, change) in changes {
        let world = asked_world();
        fs::remove_file(world.dir.join("README.md")).unwrap();
        change(&world);
        world.commit("no file");
        for args in [&[][..], &["--base", "HEAD~1"], &["check-command"], &["--exit-code"]] {
            assert_has!(facts(&world, args), "check-command  fails  missing (", why);
        }
        assert_has!(facts(&world, &[]), "limit          holds  agree: 30");
        assert_eq!(world.sq(&["facts", "--exit-code"]).code, 1);
        assert_has!(world.sq_ok("facts --fix check-command"), "Nothing");
    }
}

#[test]
fn a_changelog_is_not_rewritten() {
    let world = World::new();
    let version = |version: &str| {
        world.write("package.json", format!("{{\n  \"version\": \"{version}\"\n}}\n"));
    };
    version("1.0.0");
    world.change("CHANGELOG.md", "# Changes\n\n## 1.0.0\n");
    world.sq_ok("init --empty");
    world.sq_ok(
        "question add released 'Is it?' --agree 'CHANGELOG.md:## (\\S+)' package.json:/version",
    );
    world.commit("ask");
    let asked = facts(&world, &[]);
    assert_has!(asked, "released  holds");
    // It is one fact, and not one more.
    assert!(!asked.contains("never broke"), "{asked}");
    let found = world.sq_ok("facts released");
    assert!(!found.contains("To keep track") && !found.contains("--dismiss"), "{found}");
    version("1.1.0");
    world.commit("next");
    assert_has!(world.sq_ok("facts --fix"), "CHANGELOG.md has no entry for 1.1.0 yet");
}

#[test]
fn where_all_places_of_an_asked_fact_moved_a_person_decides() {
    let world = asked_world();
    world.write("README.md", "# Project\n\nRun make all before a push.\n");
    world.write("CONTRIBUTING.md", "Test it with make check-all.\n");
    world.commit("both");
    assert_has!(facts(&world, &["check-command"]), "all changed since they said make check");
    assert_has!(world.sq_ok("facts --fix check-command"), "all changed");
}

#[test]
fn a_file_that_contradicts_itself_needs_a_person() {
    let world = World::new();
    world.write("README.md", "get demo/1.1.1\nunpack demo-1.1.1\n");
    world.ask_json(
        r#"{"id": "v", "q": "?", "importance": 2, "expect": true, "probe": {"agree": [
            {"text": {"file": "README.md", "pattern": "demo/([0-9.]+)"}},
            {"text": {"file": "README.md", "pattern": "demo-([0-9.]+)"}}]}}"#,
    );
    world.change("README.md", "get demo/1.1.0\nunpack demo-1.1.1\n");
    assert_has!(world.sq_ok("facts --fix v"), "README.md says both: only you know which is right");
    assert_has!(world.read("README.md"), "demo-1.1.1");
}

/// A question of one's own about what is found, too, is one fact.
#[test]
fn what_is_asked_and_found_counts_once() {
    let world = world(&[
        (
            "Cargo.toml",
            "[package]\nrust-version = \"1.75\"\n",
            "[package]\nrust-version = \"1.80\"\n",
        ),
        ("README.md", "Needs Rust 1.75.\n", "Needs Rust 1.75.\n"),
    ]);
    world.ask_json(
        r#"{"id": "rust", "q": "Does README state the Rust version?", "importance": 2, "expect": true,
            "probe": {"agree": [
                {"value": {"file": "Cargo.toml", "pointer": "/package/rust-version", "as": "version"}},
                {"text": {"file": "README.md", "pattern": "Rust ([0-9.]+)", "as": "version"}}]}}"#,
    );
    let found = facts(&world, &[]);
    assert_has!(found, "1 fact is wrong");
    assert_has!(found, "Fix: write 1.80 in README.md:1 (git sq facts --fix rust)");
    assert!(!found.contains("Found, not asked"), "{found}");
}

#[test]
fn the_number_of_an_item_is_no_version() {
    let world = World::new();
    world.write("package.json", "{\n  \"engines\": { \"node\": \">=18\" }\n}\n");
    world.write("README.md", "# demo\n\nThis needs Node.js 18 or newer.\n");
    world.commit("begin");
    world.sq_ok("init");
    let page = "# demo\n\n1. Install Node.js\n2. Run it\n\nThis needs Node.js 18 or newer.\n";
    world.change("README.md", page);
    assert_has!(facts(&world, &[]), "readme-node  holds");
    assert_eq!(world.sq(&["facts", "--base", "HEAD~1", "--exit-code"]).code, 0);
}

/// An earlier sentence may match a pattern, too.
#[test]
fn what_programs_read_is_not_written_from_the_words_of_a_document() {
    let world = World::new();
    let manifest = "[package]\nname = \"demo\"\nrust-version = \"1.70\"\n";
    world.write("Cargo.toml", manifest);
    world.write("README.md", "# demo\n\nYou need Rust 1.70 or newer.\n");
    world.write("INSTALL.md", "You need Rust 1.70 or newer.\n");
    world.commit("begin");
    world.sq_ok("init");
    let page = "# demo\n\nBefore 1.0 it worked with Rust 1.56.\n\nYou need Rust 1.70 or newer.\n";
    world.change("README.md", page);
    assert_has!(
        world.sq_ok("facts --fix"),
        "not changed: programs read Cargo.toml: it is not written from the words of README.md\nNothing was changed.\n"
    );
    assert_eq!(world.read("Cargo.toml"), manifest);
}

#[test]
fn where_a_manifest_moved_too_what_programs_read_is_written() {
    let world = World::new();
    let manifest = "[package]\nname = \"demo\"\nrust-version = \"1.70\"\n";
    world.write("Cargo.toml", manifest);
    world.write("Dockerfile", "FROM rust:1.70\n");
    world.write("README.md", "# demo\n\nYou need Rust 1.70 or newer.\n");
    world.commit("an image");
    world.ask_json(
        r#"{"id": "rust", "q": "?", "importance": 2, "expect": true,
            "probe": {"agree": [
                {"text": {"file": "README.md", "pattern": "Rust ([0-9.]+)"}},
                {"text": {"file": "Cargo.toml", "pattern": "rust-version = \"(.*)\""}},
                {"text": {"file": "Dockerfile", "pattern": "rust:(.*)"}}]}}"#,
    );
    world.write("Cargo.toml", manifest.replace("1.70", "1.80"));
    world.write("README.md", "# demo\n\nYou need Rust 1.80 or newer.\n");
    world.commit("both");
    world.sq_ok("facts --fix rust");
    assert_eq!(world.read("Dockerfile"), "FROM rust:1.80\n");
}

#[test]
fn a_label_that_all_state_is_compared() {
    let world = World::new();
    let write = |manifest: &str, page: &str| {
        world.write("package.json", format!("{{\n  \"version\": \"{manifest}\"\n}}\n"));
        world.write("README.md", format!("# demo\n\nVersion: {page}\n"));
        world.commit("release");
    };
    write("1.2.3", "1.2.3");
    world.sq_ok("init");
    write("2.0.0-beta.1", "2.0.0-beta.1");
    assert_has!(facts(&world, &[]), "readme-version  holds  agree: 2.0.0-beta.1");
    write("2.0.0-beta.2", "2.0.0-beta.1");
    assert_has!(facts(&world, &[]), "readme-version  fails");
    let unreleased = "package.json states no released version\nNothing was changed.";
    assert_has!(world.sq_ok("facts --fix"), unreleased);
    write("2.0.0rc1", "2.0.0-beta.1");
    assert_has!(world.sq_ok("facts --fix"), unreleased);
    write("2.0.0", "2.0.0");
    assert_has!(facts(&world, &[]), "readme-version  holds  agree: 2.0.0");
}

/// The page names the last release, as it should.
#[test]
fn a_manifest_that_is_ahead_of_the_last_release_fails_nothing() {
    let manifests = [
        ("package.json", "{\n  \"version\": \"X\"\n}\n", "1.4.0-dev"),
        ("pyproject.toml", "[project]\nversion = \"X\"\n", "1.4.0.dev0"),
        ("pom.xml", "<artifactId>demo</artifactId>\n<version>X</version>\n", "2.0.0-SNAPSHOT"),
    ];
    for (file, text, next) in manifests {
        let world = World::new();
        let write = |manifest: &str, page: &str| {
            world.write(file, text.replace('X', manifest));
            world.write("README.md", format!("# demo\n\nVersion: {page}\n"));
            world.commit("release");
            world.try_sq("check").code
        };
        write("1.2.0", "1.2.0");
        world.sq_ok("init");
        assert_eq!(write("1.3.0", "1.3.0"), 0);
        assert_eq!(write(next, "1.3.0"), 0, "{}", facts(&world, &[]));
        assert_has!(facts(&world, &["--base", "HEAD~1", "--exit-code"]), "no fact broke");
        // What is not out yet is promised, and what comes after it, is not this project's.
        assert_eq!((write(next, "3.0.0"), write("1.3.0", "1.3.0")), (1, 0));
        let out = next.split(['-', 'd']).next().unwrap().trim_end_matches('.');
        assert_eq!((write(out, "1.3.0"), write(out, out)), (1, 0));
    }
}

/// The last release, which the page missed, is known to the history alone.
#[test]
fn what_is_asked_is_judged_by_the_question() {
    let world = World::new();
    for (manifest, page) in
        [("1.0.0", "1.0.0"), ("1.1.0", "1.1.0"), ("1.2.0", "1.1.0"), ("1.3.0-dev", "1.1.0")]
    {
        world.write("package.json", format!("{{\n  \"version\": \"{manifest}\"\n}}\n"));
        world.change("README.md", format!("curl <https://x.org/v{page}/tool.deb>\n"));
    }
    assert_has!(world.sq(&["facts", "--exit-code"]).exits(1).stdout, "differs for 0 days");
    world.sq_ok("init --empty");
    world.sq_ok("facts --add");
    world.commit("ask");
    assert_has!(
        world.sq_ok("facts --exit-code"),
        ": no contradictions.",
        "readme-version  holds  agree: 1.3.0-dev | 1.1.0\n"
    );
    assert_eq!(world.sq_ok("facts --fix"), "Nothing is wrong here.\n");
}

/// One command asks it there, and what was asked before stays in the past of the question.
#[test]
fn where_a_manifest_moved_the_question_moves_along() {
    let page = "# demo\n\nNeeds Rust 1.80 or newer.\n\nNeeds Python 3.9 or newer.\n";
    let member = "[package]\nname = \"demo\"\nrust-version = \"1.80\"\n";
    let world = World::new();
    world.write("README.md", page);
    world.write("tool/Cargo.toml", member);
    world.write("Cargo.toml", "[workspace]\nmembers = [\"tool\"]\n");
    world.write("setup.py", "setup(name=\"demo\", python_requires=\">=3.9\")\n");
    world.commit("begin");
    world.sq_ok("init");
    world.commit("ask");
    assert_has!(facts(&world, &[]), "no contradictions");
    let inherited = "rust-version.workspace = true";
    world.write("tool/Cargo.toml", member.replace("rust-version = \"1.80\"", inherited));
    let root = "[workspace]\nmembers = [\"tool\"]\n\n[workspace.package]\n";
    world.write("Cargo.toml", format!("{root}rust-version = \"1.80\"\n"));
    world.git_ok("rm -q setup.py");
    world.write("pyproject.toml", "[project]\nrequires-python = \">=3.9\"\n");
    world.commit("move");
    for args in [&[][..], &["readme-msrv", "readme-python"]] {
        let said = facts(&world, args);
        assert_has!(
            said,
            "fails  missing (nothing in tool/Cargo.toml matches), expected to be true
      Cargo.toml:5 states it now: git sq facts --add readme-msrv asks it there
"
        );
        assert_has!(
            said,
            "fails  missing (there is no file setup.py), expected to be true
      pyproject.toml:2 states it now: git sq facts --add readme-python asks it there
"
        );
    }
    let added = world.sq_ok("facts --add readme-msrv readme-python");
    assert_has!(added, "added readme-msrv@2, readme-python@2\n");
    world.commit("ask there");
    assert_eq!(world.try_sq("check").code, 0);
    assert_has!(facts(&world, &[]), "readme-python@2  holds  agree: 3.9");
    assert_has!(world.sq_ok("question history readme-python"), "readme-python was deprecated");
    // What is gone for good is offered nowhere.
    world.git_ok("rm -q pyproject.toml");
    world.commit("no manifest");
    assert!(!facts(&world, &[]).contains("states it now"));
}

/// The number in parentheses is none that the question reads.
#[test]
fn a_question_of_a_version_beside_a_number_in_parentheses_is_read() {
    let world = World::new();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        world.write("package.json", format!("{{\n  \"version\": \"{version}\"\n}}\n"));
        world.write("README.md", format!("Install tool(2)-{version}.deb\n"));
        world.commit("release");
    }
    world.sq_ok("init");
    world.commit("ask");
    assert_has!(facts(&world, &[]), "readme-version  holds  agree: 1.2.0");
}

#[test]
fn the_entry_of_what_is_not_out_yet_is_not_the_one_that_a_question_reads() {
    let world = World::new();
    let write = |version: &str, changes: &str| {
        world.write("package.json", format!("{{\n  \"version\": \"{version}\"\n}}\n"));
        world.write("CHANGELOG.md", format!("# Changes\n\n{changes}"));
        world.commit("release");
    };
    write("1.0.0", "## 1.0.0\n");
    write("1.1.0", "## 1.1.0\n\n## 1.0.0\n");
    write("1.1.0", "## 1.2.0-dev\n\n## 1.1.0\n\n## 1.0.0\n");
    world.sq_ok("init --empty");
    let found = world.json("facts --all");
    world.sq_ok(&format!("facts --add {}", found["facts"][0]["id"].as_str().unwrap()));
    world.commit("ask");
    assert_has!(facts(&world, &[]), "changelog-version  holds  agree: 1.1.0");
    write("1.2.0", "## 1.3.0-rc.1\n\n## 1.2.0\n\n## 1.1.0\n");
    assert_has!(facts(&world, &[]), "changelog-version  holds  agree: 1.2.0");
}

#[test]
fn what_was_retired_is_asked_no_more_and_what_is_asked_is_not_dismissed() {
    let rust = |version| {
        format!("[package]\nname = \"x\"\nversion = \"0.1.0\"\nrust-version = \"{version}\"\n")
    };
    let world = World::new();
    world.write("README.md", "Needs Rust 1.88 or newer.\n");
    world.change("Cargo.toml", rust("1.88.0"));
    world.sq_ok("init --empty --no-hooks");
    world.sq_ok("facts --add ttrx");
    world.commit("ask");
    world.change("Cargo.toml", rust("1.90.0"));
    let intended =
        "intentional, change the `expect` of readme-msrv in the question store, or retire it.\n";
    assert_has!(world.sq_ok("facts ttrx"), intended);
    world.sq_ok("question retire readme-msrv --reason noise");
    world.commit("retire");
    assert_has!(world.try_sq("facts --exit-code").exits(1).stdout, "\nttrx  differs");
    assert_has!(world.sq_ok("facts --add"), "added readme-msrv-2");
}

/// The pattern of its question has all paths that were missing when it was asked.
#[test]
fn a_list_of_missing_paths_asks_of_those_that_are_left() {
    let world = World::new();
    world.write("src/a.py", "x\n");
    world.write("src/b.py", "y\n");
    world.change("AGENTS.md", "See `src/a.py` and `src/b.py`.\n");
    world.git_ok("rm -q -r src");
    world.sq_ok("init --empty --no-hooks");
    world.commit("gone");
    world.sq_ok("facts --add");
    assert_has!(world.read("context/standing_questions.json"), "`src/a.py` and 1 other path that");
    world.commit("ask");
    world.change("AGENTS.md", "See `src/b.py`.\n");
    assert_has!(
        world.sq_ok("facts"),
        ": 1 fact is wrong.",
        "agents-paths  fails  missing for 0 days"
    );
    assert_has!(world.sq_ok("facts --add"), "no wrong facts to add");
    let said = world.try_sq("check").exits(1).stdout;
    assert_has!(said, "agents-paths fails: 1: src/b.py at ", ", expected to be none\n");
}

#[test]
fn what_is_asked_of_a_less_certain_fact_has_its_place_and_its_fix() {
    let world = World::new();
    world.write("js/testing.md", "Run them all with care.\n");
    world.change("deps.md", "[tests](js/testing.md), [more](js/testing.md)\n");
    world.git_ok("mv js src");
    world.sq_ok("init --empty --no-hooks");
    world.commit("move");
    assert_has!(world.sq_ok("facts"), ": no contradictions.");
    let found = world.json("facts --all");
    world.sq_ok(&format!("facts --add {}", found["facts"][0]["id"].as_str().unwrap()));
    world.commit("ask");
    assert_has!(
        world.sq_ok("facts"),
        "deps-paths  fails  missing for 0 days\n      deps.md:1  js/testing.md\n",
        "Fix: write src/testing.md in deps.md:1 (git sq facts --fix deps-paths)\n"
    );
    world.sq_ok("facts --fix");
    assert_eq!(world.read("deps.md"), "[tests](src/testing.md), [more](src/testing.md)\n");
}
