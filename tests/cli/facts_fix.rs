//! `git sq facts --fix`: what it writes, and what it leaves to a person.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

use crate::facts::{DAY, RUST, world};

/// What `--fix` prints, without the ids of objects.
fn fixed(world: &World, args: &str) -> String {
    let text = world.try_sq(&format!("facts --fix {args}")).transcript();
    let lines = text.lines().filter(|line| !line.starts_with("index "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_value_of_the_side_that_moved_is_written_as_precisely_as_the_old_one() {
    let readme = "# tool\r\n\r\nNeeds Rust 1.75+, not 1.750.\r\n\r\ncurl -LO <https://x.org/releases/download/v1.0.0/tool_1.0.0.deb>.\r\ninstall tool_1.0.0.deb";
    let install = "Requires Rust 1.75+.\n\nNot 1.75 alone: minimum Rust 1.75+.\n";
    let world = world(&[
        RUST,
        ("README.md", readme, readme),
        ("docs/build.md", "- Rust 1.75.0 or later\n", "- Rust 1.75.0 or later\n"),
        ("docs/install.md", install, install),
    ]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let page = world.dir.join("docs/build.md");
        fs::set_permissions(&page, fs::Permissions::from_mode(0o755)).unwrap();
        world.commit("a mode");
    }
    assert_snapshot!(fixed(&world, ""), @r"
    diff --git a/README.md b/README.md
    --- a/README.md
    +++ b/README.md
    @@ -1,6 +1,6 @@
     # tool
     
    -Needs Rust 1.75+, not 1.750.
    +Needs Rust 1.80+, not 1.750.
     
     curl -LO <https://x.org/releases/download/v1.0.0/tool_1.0.0.deb>.
     install tool_1.0.0.deb
    \ No newline at end of file
    diff --git a/docs/build.md b/docs/build.md
    --- a/docs/build.md
    +++ b/docs/build.md
    @@ -1 +1 @@
    -- Rust 1.75.0 or later
    +- Rust 1.80.0 or later
    diff --git a/docs/install.md b/docs/install.md
    --- a/docs/install.md
    +++ b/docs/install.md
    @@ -1,3 +1,3 @@
    -Requires Rust 1.75+.
    +Requires Rust 1.80+.
     
    -Not 1.75 alone: minimum Rust 1.75+.
    +Not 1.75 alone: minimum Rust 1.80+.
    Nothing was staged.
    --- exit 0
    ");
    let written = readme.replace("1.75+", "1.80+");
    assert_eq!(fs::read_to_string(world.dir.join("README.md")).unwrap(), written);
    assert_eq!(
        world.git_ok("status --porcelain"),
        " M README.md\n M docs/build.md\n M docs/install.md\n"
    );
    // The modes are as they were.
    assert_eq!(world.git_ok("diff --summary"), "");
    assert_has!(world.sq_ok("facts"), "Fixed in the worktree, not committed.");
    // A file with changes is refused, and nothing is written.
    assert_snapshot!(fixed(&world, ""), @r"
    --- stderr
    fatal: README.md has changes that are not committed
    hint: nothing was changed; commit or stash them, and run it again
    --- exit 128
    ");
    world.commit("fix");
    assert_has!(world.sq_ok("facts"), ": nothing contradicts.");
    assert_eq!(fixed(&world, ""), "Nothing is wrong here.\n--- exit 0\n");
}

#[test]
fn only_the_named_facts_are_fixed() {
    let world = World::new();
    let write = |version: &str, page: &str, rust: &str| {
        let manifest = format!(
            "[package]\nname = \"tool\"\nversion = \"{version}\"\nrust-version = \"{rust}\"\n"
        );
        world.write("Cargo.toml", manifest);
        let page = format!("Needs Rust 1.75+\ncurl <https://x.org/v{page}/tool.deb>\n");
        world.write("README.md", page);
        world.commit("release");
        world.pass(30 * DAY);
    };
    write("1.0.0", "1.0.0", "1.75");
    write("1.1.0", "1.1.0", "1.75");
    write("1.2.0", "1.1.0", "1.80");
    let found = world.json("facts");
    let facts = found["facts"].as_array().unwrap();
    assert_eq!(facts.len(), 2, "{facts:?}");
    let version = facts.iter().find(|found| found["kind"] == "version").unwrap();
    let said = world.sq_ok(&format!("facts --fix {}", version["id"].as_str().unwrap()));
    assert_has!(said, "not tried: https://x.org/v1.2.0/tool.deb");
    assert_eq!(
        fs::read_to_string(world.dir.join("README.md")).unwrap(),
        "Needs Rust 1.75+\ncurl <https://x.org/v1.2.0/tool.deb>\n"
    );
}

#[test]
fn nothing_is_guessed() {
    let ci = |least: u8| format!("test:\n  node-version: [{least}, 22]\n");
    let node =
        |least: u8| format!("{{\n  \"engines\": {{\n    \"node\": \">={least}\"\n  }}\n}}\n");
    let world = world(&[
        RUST,
        // Both moved.
        ("README.md", "Needs Rust 1.75+\n", "Needs Rust 1.78+\n"),
        // The document moved alone.
        ("go.mod", "module m\n\ngo 1.24.0\n", "module m\n\ngo 1.24.0\n"),
        ("docs/build.md", "Needs Go 1.24+\n", "Needs Go 1.25+\n"),
        ("CHANGELOG.md", "## 1.0.0\n", "## 1.0.0\n"),
        ("package.json", &node(18), &node(20)),
        (".github/workflows/ci.yml", &ci(18), &ci(18)),
    ]);
    assert_snapshot!(fixed(&world, "--all"), @r"
    lnqs  minimum Node version: .github/workflows/ci.yml:2 is a list
    vbdb  minimum Go version: go.mod did not move since both said 1.24: only you know which is right
    ttrx  minimum Rust version: both moved since they said 1.75: only you know which is right
    Nothing was changed.
    --- exit 0
    ");
    assert_eq!(world.git_ok("status --porcelain"), "");
}

#[test]
fn a_missing_path_becomes_what_git_renamed_it_to() {
    let world = World::new();
    let lines = |seed: u32| (0..40).map(|line| format!("{}\n", line * seed)).collect::<String>();
    world.write("src/old.rs", lines(3));
    world.write("lib/a/one.rs", lines(5));
    world.write("lib/a/two.rs", lines(7));
    world.write("tools/make.sh", "make\n");
    world.write(
        "docs/README.md",
        "See `src/old.rs`, [it](../src/old.rs),\n`lib/a/` and `tools/make.sh`.\n\n    src/old.rs\n",
    );
    world.commit("begin");
    world.git_ok("mv src/old.rs src/mid.rs");
    world.git_ok("mv lib/a lib/b");
    world.git_ok("rm -q tools/make.sh");
    world.commit("move");
    world.git_ok("mv src/mid.rs src/new.rs");
    world.commit("move again");
    world.pass(30 * DAY);
    assert_has!(world.sq_ok("facts"), "Fix: write src/new.rs in docs/README.md:1 and 3 more lines");
    assert_snapshot!(fixed(&world, ""), @r"
    diff --git a/docs/README.md b/docs/README.md
    --- a/docs/README.md
    +++ b/docs/README.md
    @@ -1,4 +1,4 @@
    -See `src/old.rs`, [it](../src/old.rs),
    -`lib/a/` and `tools/make.sh`.
    +See `src/new.rs`, [it](../src/new.rs),
    +`lib/b/` and `tools/make.sh`.
     
    -    src/old.rs
    +    src/new.rs
    jzvt  4 paths named in docs/README.md: git knows no rename of tools/make.sh
    Nothing was staged.
    --- exit 0
    ");
}
