//! `git sq facts --fix`: what it writes, and what it leaves to a person.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

use crate::{
    facts::{DAY, RUST, world},
    facts_versions::python,
};

/// What `--fix` prints, without the ids of objects.
fn fixed(world: &World, args: &str) -> String {
    let text = world.try_sq(&format!("facts --fix {args}")).transcript();
    let lines = text.lines().filter(|line| !line.starts_with("index "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// So many lines, others for each seed.
fn lines(seed: u32) -> String {
    (0..40).map(|line| format!("{}\n", line * seed)).collect()
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
    assert_eq!(world.read("README.md"), written);
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
    assert_has!(world.sq_ok("facts"), ": no contradictions.");
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
    assert_eq!(world.read("README.md"), "Needs Rust 1.75+\ncurl <https://x.org/v1.2.0/tool.deb>\n");
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
    lnqs  not changed: .github/workflows/ci.yml:2 is a list
    vbdb  not changed: go.mod has not changed since both said 1.24: only you know which is right
    ttrx  not changed: both changed since they said 1.75: only you know which is right
    Nothing was changed.
    --- exit 0
    ");
    assert_eq!(world.git_ok("status --porcelain"), "");
}

#[test]
fn a_missing_path_becomes_what_git_renamed_it_to() {
    let world = World::new();
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
    let moved = world.commit("move");
    world.git_ok("mv src/mid.rs src/new.rs");
    world.commit("move again");
    world.pass(30 * DAY);
    assert_has!(world.sq_ok("facts"), "Fix: write src/new.rs in docs/README.md:1 and 1 more line");
    assert_snapshot!(fixed(&world, "").replace(&moved[..10], "COMMIT"), @r"
    diff --git a/docs/README.md b/docs/README.md
    --- a/docs/README.md
    +++ b/docs/README.md
    @@ -1,4 +1,4 @@
    -See `src/old.rs`, [it](../src/old.rs),
    -`lib/a/` and `tools/make.sh`.
    +See `src/new.rs`, [it](../src/new.rs),
    +`lib/b/` and `tools/make.sh`.
     
         src/old.rs
    jzvt  not changed: git is sure of no rename of tools/make.sh; COMMIT removed it
    Nothing was staged.
    --- exit 0
    ");
}

/// A folder is often named like a word.
#[test]
fn a_rename_is_written_where_the_path_is_claimed_and_nowhere_else() {
    let world = World::new();
    world.write("pkg/dev/a.ts", lines(3));
    world.write("pkg/dev/b.ts", lines(5));
    world.write("src/old.rs", lines(7));
    let page = "# n\n\nEvery app (dev and prod) has one. In dev, `npm run dev` is \"dev\".\n\n\
        The flow is under [dev/](./dev/), [`dev`](dev) or [dev](dev).\n\n\
        <!-- é --> See `src/old.rs`, `./src/old.rs#L3` and [it](../src/old.rs).\n\n\
        Or [`src/old.rs`](../src/old.rs), [the old.rs](../src/old.rs).\n\n\
        In version 1.0, `src/old.rs` was removed.\n\n\
        For example, `wc src/old.rs` of yours.\n\n\
        ```console\n$ ls src/old.rs\nsrc/old.rs\n```\n\n\
        The file src/old.rs panics.\n\n\
        ## History\n\nIt is `src/old.rs`.\n";
    world.change("pkg/README.md", page);
    world.git_ok("mv pkg/dev server");
    world.git_ok("mv src/old.rs src/new.rs");
    world.commit("move");
    assert_has!(world.sq_ok("facts"), " in pkg/README.md:5 and 2 more lines (");
    world.sq_ok("facts --fix");
    let expected = page
        .replace("[dev/](./dev/)", "[../server/](../server/)")
        .replace("[`dev`](dev)", "[`../server`](../server)")
        .replace("[dev](dev)", "[dev](../server)")
        .replace("See `src/old.rs`, `./src/old.rs#L3`", "See `src/new.rs`, `./src/new.rs#L3`")
        .replace("[`src/old.rs`](", "[`src/new.rs`](")
        .replace("(../src/old.rs)", "(../src/new.rs)");
    assert_eq!(world.read("pkg/README.md"), expected);
}

#[test]
fn a_name_without_a_folder_becomes_no_path() {
    let world = World::new();
    world.write("src/lamp.c", lines(3));
    world.write("src/door.c", lines(5));
    world.write("heat.c", lines(7));
    world.write("templates/app.exs", lines(11));
    world.write("AGENTS.md", "Read `lamp.c`, `door.c` and `heat.c`.\n");
    world.write("guides/deploy.md", "```\n└── app.exs\n```\n\nOpen `app.exs`, set the host.\n");
    world.commit("begin");
    world.git_ok("mv src/lamp.c src/light.c");
    world.git_ok("mv src/door.c gate.c");
    world.git_ok("mv heat.c src/warmth.c");
    world.git_ok("mv templates/app.exs templates/app.exs.eex");
    let moved = world.commit("move");
    assert_snapshot!(fixed(&world, "--all").replace(&moved[..10], "COMMIT"), @r"
    diff --git a/AGENTS.md b/AGENTS.md
    --- a/AGENTS.md
    +++ b/AGENTS.md
    @@ -1 +1 @@
    -Read `lamp.c`, `door.c` and `heat.c`.
    +Read `light.c`, `door.c` and `heat.c`.
    nrjq  not changed: src/door.c is gate.c now: only you know what becomes of door.c; COMMIT removed it
    nrjq  not changed: heat.c is src/warmth.c now: only you know what becomes of heat.c; COMMIT removed it
    nqsk  not changed: templates/app.exs is templates/app.exs.eex now: only you know what becomes of app.exs; COMMIT removed it
    Nothing was staged.
    --- exit 0
    ");
}

/// What `--fix` makes of a document, when the manifest moves; and what it says of facts that it leaves.
fn written(files: &[(&str, &str, &str)], document: &str) -> (String, Vec<String>) {
    let world = world(files);
    let said = fixed(&world, "");
    let left = said.lines().filter(|line| line.contains("not changed: "));
    let left = left.map(|line| line.split_once("  ").unwrap().1.to_owned()).collect();
    (world.read(document), left)
}

#[test]
fn the_whole_version_is_replaced() {
    let of_python = |least: &str, now: &str, said: &str| {
        let (before, now) = (python(least), python(now));
        written(&[("pyproject.toml", &before, &now), ("README.md", said, said)], "README.md").0
    };
    let said = "Needs Python 3.6.3 or later.\n";
    assert_eq!(of_python("3.6", "3.8", said), "Needs Python 3.8 or later.\n");
    assert_eq!(of_python("3.6", "3.8.1", said), "Needs Python 3.8.1 or later.\n");
    let said = "Needs Python 3.6 or later.\n";
    assert_eq!(of_python("3.6.0", "3.8.1", said), "Needs Python 3.8 or later.\n");
    let pom = |java: &str| format!("<java.version>{java}</java.version>\n");
    let (before, now) = (pom("1.8"), pom("17"));
    let said = "You need Java 1.8 or later.\n";
    let (text, _) = written(&[("pom.xml", &before, &now), ("README.md", said, said)], "README.md");
    assert_eq!(text, "You need Java 17 or later.\n");
}

#[test]
fn a_list_of_versions_is_left_to_a_person() {
    for said in [
        "Supports Python 3.9, 3.10 and 3.11.\n",
        "Supports Python 3.9 - 3.13.\n",
        "Supports Python 3.9/3.11.\n",
        "Needs Python 3.9 or later, and 3.10 for the pages.\n",
    ] {
        let (before, now) = (python("3.9"), python("3.10"));
        let files = [
            ("pyproject.toml", &*before, &*now),
            ("README.md", said, said),
            ("AGENTS.md", "x", "y"),
        ];
        let (text, left) = written(&files, "README.md");
        assert_eq!(text, said);
        assert_eq!(left, ["not changed: README.md:1 is a list"]);
    }
    // Another line of the same fact is no list.
    let said = "Supports Python 3.9, 3.10.\n\nUse Python 3.9 or later.\n";
    let (before, now) = (python("3.9"), python("3.10"));
    let files = [("pyproject.toml", &*before, &*now), ("README.md", said, said)];
    let (text, left) = written(&files, "README.md");
    assert_eq!(text, said.replace("Use Python 3.9", "Use Python 3.10"));
    assert_eq!(left, ["not changed: README.md:1 is a list"]);
}

/// Programs go by it, whatever version stands beside it.
#[test]
fn a_version_beside_a_hash_is_left_to_a_person() {
    let hash = "0123456789abcdef".repeat(4);
    let lock = |version: &str| format!("[[package]]\nname = \"ruff\"\nversion = \"{version}\"\n");
    let hooks = "repos:\n- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: ";
    for (file, before, now, pinning, said) in [
        (
            "uv.lock",
            lock("0.5.0"),
            lock("0.6.1"),
            ".pre-commit-config.yaml",
            format!("{hooks}{}  # frozen: v0.5.0\n", &hash[..40]),
        ),
        (
            "go.mod",
            "module m\n\ngo 1.24\n".into(),
            "module m\n\ngo 1.25\n".into(),
            "Dockerfile",
            format!("\n\nFROM golang:1.24@sha256:{hash} AS build\n"),
        ),
    ] {
        let (text, left) = written(&[(file, &before, &now), (pinning, &said, &said)], pinning);
        assert_eq!(text, said);
        let why = "is pinned to a hash, which has to change along";
        assert_eq!(left, [format!("not changed: {pinning}:3 {why}")]);
    }
}

#[test]
fn a_version_and_the_address_beside_it_change_together() {
    let said = "It needs [Go](https://go.dev/) [1.24](https://go.dev/doc#go1.24.0) or above.\n";
    let of_go = |now: &str| {
        let now = format!("module m\n\ngo {now}\n");
        written(
            &[("go.mod", "module m\n\ngo 1.24\n", &now), ("README.md", said, said)],
            "README.md",
        )
    };
    let (text, left) = of_go("1.25.0");
    assert_eq!((text, left), (said.replace("1.24", "1.25"), vec![]));
    // Which patch release the address shows is not known.
    let (text, left) = of_go("1.25");
    assert_eq!(text, said);
    assert_eq!(left, ["not changed: README.md:1 says 1.24.0, too"]);
}

#[test]
fn a_version_that_is_not_out_yet_is_not_written() {
    let manifest = |version: &str| format!("{{\n  \"version\": \"{version}\"\n}}\n");
    let world = World::new();
    for (version, page) in
        [("1.0.0", "1.0.0"), ("1.1.0", "1.1.0"), ("1.2.0", "1.1.0"), ("1.3.0-dev", "1.1.0")]
    {
        world.write("package.json", manifest(version));
        world.write("README.md", format!("curl <https://x.org/v{page}/tool.deb>\n"));
        world.commit("step");
        world.pass(30 * DAY);
    }
    assert_has!(
        fixed(&world, ""),
        "  not changed: package.json:2 states no released version\nNothing was changed.\n"
    );
}

/// Its lines are those of that version.
#[test]
fn a_permalink_stays() {
    let url = "https://github.com/tiny/kiosk/blob";
    let world = World::new();
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    for (version, page) in [("1.0.0", "1.0.0"), ("1.1.0", "1.1.0"), ("1.2.0", "1.1.0")] {
        world.write("package.json", format!("{{\n  \"version\": \"{version}\"\n}}\n"));
        let page = format!(
            "See [it]({url}/v{page}/a.ts#L3).\n\nSee [all]({url}/v{page}/a.ts) and [one]({url}/v{page}/b.ts#L4-L7).\n"
        );
        world.change("CONTRIBUTING.md", page);
        world.pass(30 * DAY);
    }
    assert_has!(world.sq_ok("facts"), "Fix: write 1.2.0 in CONTRIBUTING.md:3 (");
    world.sq_ok("facts --fix");
    assert_eq!(
        world.read("CONTRIBUTING.md"),
        format!(
            "See [it]({url}/v1.1.0/a.ts#L3).\n\nSee [all]({url}/v1.2.0/a.ts) and [one]({url}/v1.1.0/b.ts#L4-L7).\n"
        )
    );
}

#[test]
fn a_rename_is_written_only_if_git_is_sure() {
    let world = World::new();
    let lines =
        |from: u32| (from..from + 40).map(|line| format!("{}\n", line * 31)).collect::<String>();
    world.write("src/a.rs", lines(0));
    world.write("src/b.rs", lines(100));
    world.write("src/c.rs", lines(200));
    world.write("README.md", "See `src/a.rs`, `src/b.rs` and `src/c.rs`.\n");
    world.commit("begin");
    world.pass(30 * DAY);
    world.git_ok("mv src/a.rs src/one.rs");
    world.git_ok("mv src/b.rs src/two.rs");
    world.git_ok("rm -q src/c.rs");
    // Four of five lines are the same.
    world.write("src/two.rs", lines(108));
    // It is two files now.
    world.write("src/three.rs", lines(200));
    world.write("src/four.rs", lines(200));
    let commit = world.commit("move");
    let said = fixed(&world, "");
    assert_has!(said, "+See `src/one.rs`, `src/b.rs` and `src/c.rs`.\n");
    let short = &commit[..10];
    for path in ["src/b.rs", "src/c.rs"] {
        assert_has!(
            said,
            &format!("  not changed: git is sure of no rename of {path}; {short} removed it\n")
        );
    }
}

#[test]
fn the_path_in_an_address_of_the_repository_is_mended_like_a_link() {
    let world = World::new();
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    world.write("docs/old page.md", "1\n2\n3\n");
    world.write("tests/lamp/main.tf", "x\ny\n");
    let url = "https://github.com/tiny/kiosk";
    world.write(
        "docs/use.md",
        format!("[a]({url}/blob/main/docs/old%20page.md#x) {url}/tree/main/tests/lamp\n"),
    );
    world.change("README.md", "[a](docs/old%20page.md)\n");
    world.pass(30 * DAY);
    fs::rename(world.dir.join("docs/old page.md"), world.dir.join("docs/new%page.md")).unwrap();
    world.git_ok("mv tests/lamp tests/door");
    world.commit("move");
    let said = fixed(&world, "");
    assert_has!(
        said,
        &format!("+[a]({url}/blob/main/docs/new%25page.md#x) {url}/tree/main/tests/door\n")
    );
    assert_has!(said, &format!("not tried: {url}/tree/main/tests/door\n"));
    assert_has!(said, "+[a](docs/new%25page.md)\n");
}

#[test]
fn what_was_never_there_is_no_rename() {
    let world = World::new();
    world.write("docs/ARCHITECTURE.md", "x");
    world.write("a/TWICE.md", "x");
    world.write("b/TWICE.md", "x");
    world.write("docs/api/README.md", "[a](./ARCHITECTURE.md)\n[b](TWICE.md)\n[c](NONE.md)\n");
    world.commit("begin");
    let said = fixed(&world, "");
    for why in [
        "ARCHITECTURE.md does not exist: is ../ARCHITECTURE.md meant?",
        "TWICE.md does not exist",
        "NONE.md does not exist",
    ] {
        assert_has!(said, &format!("  not changed: {why}\n"));
    }
    assert_has!(said, "Nothing was changed.\n");
    assert_has!(
        world.sq_ok("facts"),
        "Fix it by hand: ARCHITECTURE.md does not exist: is ../ARCHITECTURE.md meant?\n"
    );
}

/// A line that names several paths, one of them twice, and a version of another fact.
#[test]
fn each_part_of_a_line_is_replaced_once() {
    let world = World::new();
    world.write("src/parser.rs", lines(3));
    world.write("src/lexer.rs", lines(5));
    world.write("docs/idx/index.md", "index\n");
    world.write("src/parser/mod.rs", lines(7));
    let manifest = |rust: &str| format!("[package]\nname = \"x\"\nrust-version = \"{rust}\"\n");
    world.write("Cargo.toml", manifest("1.75"));
    let page = "At least Rust 1.75: [src/parser.rs](src/parser.rs), `src/lexer.rs src/lexer.rs`\n\
                \n\
                `docs/idx` and `docs/idx/`, [a](docs/idx/) [b](docs/idx), `src/parser`\n";
    world.change("README.md", page);
    world.git_ok("mv src/parser src/tree");
    world.git_ok("mv src/parser.rs src/grammar.rs");
    world.git_ok("mv src/lexer.rs src/tokens.rs");
    world.git_ok("mv docs/idx docs/index");
    world.write("Cargo.toml", manifest("1.80"));
    world.commit("move");
    let expected = page
        .replace("parser.rs", "grammar.rs")
        .replace("lexer.rs", "tokens.rs")
        .replace("idx", "index")
        .replace("src/parser", "src/tree")
        .replace("1.75", "1.80");
    let diff = world.sq_ok("facts --base HEAD~1 --format markdown");
    assert_has!(diff, &format!("+{}\n", expected.lines().next().unwrap()));
    world.sq_ok("facts --fix");
    assert_eq!(world.read("README.md"), expected);
    world.commit("as advised");
    assert_has!(world.sq_ok("facts"), ": no contradictions.");
}

#[test]
fn a_link_is_mended_as_its_reader_follows_it() {
    let world = World::new();
    let lines = (0..40).map(|line| format!("{line}\n")).collect::<String>();
    world.write("assets/old.txt", lines);
    // From the root, it never led anywhere.
    let page = "[a](assets/old.txt), `assets/old.txt`\n\n[b]: assets/old.txt\n";
    world.change("docs/README.md", page);
    world.git_ok("mv assets/old.txt assets/new.txt");
    world.commit("move");
    world.sq_ok("facts --fix");
    assert_eq!(
        world.read("docs/README.md"),
        "[a](../assets/new.txt), `assets/new.txt`\n\n[b]: ../assets/new.txt\n"
    );
    world.commit("mend");
    fs::rename(world.dir.join("assets/new.txt"), world.dir.join("assets/a (new) one.txt")).unwrap();
    world.commit("move again");
    world.sq_ok("facts --fix");
    let mended = world.read("docs/README.md");
    assert_has!(mended, "[a](../assets/a%20%28new%29%20one.txt), `assets/a (new) one.txt`\n");
}

#[test]
fn a_file_that_is_not_utf_8_is_left_and_others_are_fixed() {
    let world = World::new();
    let manifest = |rust: &str| format!("[package]\nname = \"x\"\nrust-version = \"{rust}\"\n");
    world.write("Cargo.toml", manifest("1.70"));
    let page = b"# d\xe9mo\n\nYou need Rust 1.70 or newer: `src/a.rs`.\n";
    fs::write(world.dir.join("README.md"), page).unwrap();
    world.write("CONTRIBUTING.md", "You need Rust 1.70 or newer.\n");
    world.write("src/a.rs", "1\n2\n3\n");
    world.commit("begin");
    world.write("Cargo.toml", manifest("1.75"));
    world.git_ok("mv src/a.rs src/b.rs");
    world.commit("go on");
    let said = world.sq_ok("facts");
    assert_has!(said, "Fix: write 1.75 in CONTRIBUTING.md:1 (");
    assert_has!(said, "Fix it by hand: README.md has bytes that are not UTF-8, or");
    let said = fixed(&world, "");
    assert_has!(
        said,
        "+You need Rust 1.75 or newer.\n",
        "  not changed: README.md has bytes that are not UTF-8"
    );
    assert_eq!(fs::read(world.dir.join("README.md")).unwrap(), page);
}
