//! The places that release tools are told to update.

use git_sq_test_support::World;
use insta::assert_snapshot;
use serde_json::json;

use crate::facts::{DAY, facts};

/// Two releases with a month before, between and after them; `now` is written with the second one.
fn released(files: &[(&str, &str)], now: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text.replace("VERSION", "1.0.0"));
    }
    world.commit("1.0.0");
    world.pass(30 * DAY);
    for (path, text) in files {
        world.write(path, text.replace("VERSION", "1.1.0"));
    }
    for (path, text) in now {
        world.write(path, text);
    }
    world.commit("1.1.0");
    world.pass(30 * DAY);
    world
}

const CONFIG: &str = r#"[tool.bumpversion]
current_version = "VERSION"

[[tool.bumpversion.files]]
filename = "README.md"
search = "release {current_version} of it"

[[tool.bumpversion.files]]
filename = "docs/index.md"
search = "tool=={current_version}"

[[tool.bumpversion.files]]
filename = "docs/old.md"
search = "tool=={current_version}"

[[tool.bumpversion.files]]
filename = "free.md"
search = "tool {current_version}"
ignore_missing_version = true

[[tool.bumpversion.files]]
filename = "any.md"
"#;

#[test]
fn what_bump_my_version_skips_in_silence_is_named() {
    let pages = [
        ("README.md", "This is release VERSION of it.\n"),
        ("docs/index.md", "pip install tool==VERSION\n"),
        ("docs/old.md", "pip install tool==VERSION\n"),
        ("free.md", "tool VERSION\n"),
        ("any.md", "VERSION\n"),
    ];
    let now = [
        ("README.md", "This is 1.0.0, a release of it.\n"),
        ("docs/index.md", "pip install tool==1.0.0\n"),
        ("free.md", "the tool\n"),
        ("any.md", "1.0.0\n"),
    ];
    for (config, before) in
        [(".bumpversion.toml", ""), ("pyproject.toml", "[project]\nname = 'a'\n")]
    {
        let config = (config, &*format!("{before}{CONFIG}"));
        let world = released(&[&pages[..], &[config]].concat(), &now);
        world.git_ok("mv docs/old.md docs/new.md");
        world.commit("move it");
        let said = facts(&world, &[]).replace(config.0, "CONFIG");
        assert_has!(said, "version in README.md, which CONFIG has to update\n");
        if before.is_empty() {
            assert_snapshot!(said, @r#"
            Compared 5 documents with 1 other file at HEAD (COMMIT): 3 facts are wrong.

            scrp  differs for 30 days: version
                  CONFIG:2  current_version = "1.1.0"
                  docs/index.md:1      pip install tool==1.0.0
                  COMMIT 2026-01-31 Ada Example changed CONFIG; before, both said 1.0.0
                  Fix: write 1.1.0 in docs/index.md:1 (git sq facts --fix scrp)

            cpkp  missing for 30 days: the version in README.md, which CONFIG has to update
                  CONFIG:5  README.md
                  COMMIT 2026-01-31 Ada Example changed README.md
                  Fix it by hand: nothing in README.md matches any more.

            hhxr  missing for 0 days: the version in docs/old.md, which CONFIG has to update
                  CONFIG:13  docs/old.md
                  COMMIT 2026-03-02 Ada Example removed docs/old.md
                  Fix: write docs/new.md in CONFIG:13 (git sq facts --fix hhxr)

            --- exit 0
            "#);
            assert_snapshot!(facts(&world, &["--base", "HEAD~1"]), @"
            Compared HEAD with HEAD~1 (COMMIT): 1 fact broke.

            hhxr  missing since HEAD~1: the version in docs/old.md, which .bumpversion.toml has to update
                  .bumpversion.toml:13  docs/old.md
                  This branch removed docs/old.md
                  Fix: write docs/new.md in .bumpversion.toml:13 (git sq facts --base 'HEAD~1' --fix hhxr)

            --- exit 0
            ");
            world.sq_ok("facts --fix");
            assert_has!(world.git_ok("diff docs"), "+pip install tool==1.1.0\n");
            assert_has!(world.git_ok("diff .bumpversion.toml"), "+filename = \"docs/new.md\"\n");
            world.git_ok("commit -q -a -m fix");
            let left = world.json("facts")["facts"].clone();
            assert_eq!((&left[0]["kind"], &left[1]["state"]), (&json!("place"), &json!("holds")));
            world.sq_ok("init --empty");
            world.sq_ok(&format!("facts --add {}", left[0]["id"].as_str().unwrap()));
            world.commit("ask");
            assert_has!(facts(&world, &[]), "\n  readme-version  fails  ");
        }
    }
}

#[test]
fn what_release_please_skips_in_silence_is_named() {
    let config = r#"{"packages": {
  "lib": { "extra-files": [
    "a.md",
    { "type": "generic", "path": "/b.md" },
    "c.md",
    { "type": "json", "path": "d.json", "jsonpath": "$.v" }
  ] }
}}"#;
    let world = released(
        &[
            ("release-please-config.json", config),
            (".release-please-manifest.json", "{\n  \"lib\": \"VERSION\"\n}\n"),
            ("lib/a.md", "Use VERSION. <!-- x-release-please-version -->\n"),
            (
                "b.md",
                "<!-- x-release-please-start-version -->\nUse VERSION.\n<!-- x-release-please-end -->\n",
            ),
            ("lib/c.md", "Use VERSION. <!-- x-release-please-version -->\n"),
            ("d.json", "{}"),
        ],
        &[("lib/a.md", "Use 1.0.0. <!-- x-release-please-version -->\n"), ("b.md", "Use 1.0.0.\n")],
    );
    assert_snapshot!(facts(&world, &[]), @r#"
    Compared 3 documents with 2 other files at HEAD (COMMIT): 2 facts are wrong.

    nqvx  differs for 30 days: version
          .release-please-manifest.json:2  "lib": "1.1.0"
          lib/a.md:1                       Use 1.0.0. <!-- x-release-please-version -->
          COMMIT 2026-01-31 Ada Example changed .release-please-manifest.json; before, both said 1.0.0
          Fix: write 1.1.0 in lib/a.md:1 (git sq facts --fix nqvx)

    hmwq  missing for 30 days: the version in b.md, which release-please-config.json has to update
          release-please-config.json:4  b.md
          COMMIT 2026-01-31 Ada Example changed b.md
          Fix it by hand: nothing in b.md matches any more.

    1 more fact holds, and never broke: git sq facts --all

    --- exit 0
    "#);
}
