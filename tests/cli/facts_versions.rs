//! Versions and minimums that stand in two places of a repository.

use git_sq_test_support::{World, each};
use insta::assert_snapshot;
use serde_json::Value;

const DAY: i64 = 86_400;

/// Each step writes these files, and commits them a month after the last one.
fn world(steps: &[&[(&str, &str)]]) -> World {
    let world = World::new();
    for step in steps {
        for (path, text) in *step {
            world.write(path, text);
        }
        world.commit("step");
        world.pass(30 * DAY);
    }
    world
}

fn found(world: &World, args: &str) -> Vec<Value> {
    let found = world.json(&format!("facts{args}"));
    found["facts"].as_array().unwrap().clone()
}

/// The fact, its state and the days since, and what its places say.
fn shown(found: &[Value]) -> String {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let place = |place: &Value| {
        format!("{}:{} {}", text(&place["file"]), place["lines"], text(&place["says"]))
    };
    found
        .iter()
        .map(|found| {
            let places = each(&found["places"]).map(place);
            let days = found["since"]["days"].as_i64();
            let days = days.map(|days| format!(" for {days} days")).unwrap_or_default();
            let (about, state) = (text(&found["about"]), text(&found["state"]));
            format!("{about} {state}{days}: {}", places.collect::<Vec<_>>().join(" | "))
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is likely to be wrong.
fn wrong(world: &World) -> String {
    let found = found(world, "");
    let wrong = found.into_iter().filter(|found| found["state"] == "differs");
    shown(&wrong.collect::<Vec<_>>())
}

pub fn python(least: &str) -> String {
    format!("[project]\nrequires-python = \">={least}\"\n")
}

fn package(version: &str) -> String {
    format!("{{\n  \"name\": \"kiosk\",\n  \"version\": \"{version}\"\n}}\n")
}

#[test]
fn a_version_file_is_the_minimum_of_a_document_where_no_manifest_states_one() {
    let readme = "# Kiosk\n\n* NodeJS [version 16 or greater](https://nodejs.org/).\n";
    let world =
        world(&[&[(".nvmrc", "v16.3.0\n"), ("README.md", readme)], &[(".nvmrc", "v20.5.1\n")]]);
    assert_snapshot!(wrong(&world), @"minimum Node version differs for 30 days: .nvmrc:[1] v20.5.1 | README.md:[3] NodeJS [version 16 or greater](https://nodejs.org/).");
}

#[test]
fn a_document_of_a_site_states_what_the_project_needs() {
    let manifest = |least: &str, more: &str| {
        format!("{{\n  {more}\"engines\": {{ \"node\": \">={least}\" }}\n}}\n")
    };
    let site = |least| manifest(least, "\"private\": true,\n  ");
    let start = "To use it, you need Node 20.19 or newer.\n";
    let world = world(&[
        &[
            ("package.json", &manifest("20.19", "")),
            ("docs/package.json", &site("20.19")),
            ("docs/src/start.md", start),
            ("lib/package.json", &manifest("20.19", "")),
            ("lib/README.md", start),
        ],
        &[("docs/package.json", &site("24")), ("lib/package.json", &manifest("24", ""))],
    ]);
    // What is published needs what its own manifest says.
    assert_snapshot!(wrong(&world), @r#"minimum Node version differs for 30 days: lib/package.json:[2] "engines": { "node": ">=24" } | lib/README.md:[1] Node 20.19 or newer."#);
    world.write("package.json", manifest("22", ""));
    world.commit("step");
    assert_eq!(wrong(&world).lines().count(), 2, "{}", wrong(&world));
}

#[test]
fn what_a_workflow_still_tests_is_the_minimum_although_developers_use_another() {
    let ci = "matrix:\n  node-version:\n    - 16\n    - 20\n";
    let readme = "You need Node 16 or later.\n";
    let world = world(&[
        &[(".nvmrc", "v16.3.0\n"), ("README.md", readme), (".github/workflows/ci.yml", ci)],
        &[(".nvmrc", "v20.5.1\n")],
    ]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn a_minimum_is_found_in_the_manifests_of_other_languages() {
    let composer = |php: &str| format!("{{\"require\": {{\"php\": \"{php}\"}}}}\n");
    let terraform =
        |least: &str| format!("terraform {{\n  required_version = \">= {least}\"\n}}\n");
    let gem = |least: &str| format!("  spec.required_ruby_version = \">= {least}\"\n");
    let pom = |java: &str| format!("<maven.compiler.release>{java}</maven.compiler.release>\n");
    let node = |least: &str| {
        format!("{{ \"name\": \"web\", \"engines\": {{ \"node\": \"{least}\" }} }}\n")
    };
    let world = world(&[
        &[
            ("composer.json", &composer(">=7.2.5")),
            ("doc/00-intro.md", "The kiosk requires PHP 7.2.5+ to run.\n"),
            ("infra/versions.tf", &terraform("0.12")),
            ("infra/README.md", "- [Terraform](https://example.org/tf) 0.12\n"),
            ("gem/kiosk.gemspec", &gem("2.6.0")),
            ("gem/README.md", "Requires Ruby\n2.6 or newer.\n"),
            ("jvm/pom.xml", &pom("1.8")),
            ("jvm/README.md", "You need Java 8 or later.\n"),
            ("web/package.json", &node("^8.1 || >=10")),
            ("web/README.md", "- Node 8\n"),
        ],
        &[
            ("composer.json", &composer("^8.1.2 || ^9.0")),
            ("infra/versions.tf", &terraform("0.13")),
            ("gem/kiosk.gemspec", &gem("3.0.0")),
            ("jvm/pom.xml", &pom("17")),
            ("web/package.json", &node("^18.18 || >=20")),
        ],
    ]);
    assert_snapshot!(wrong(&world), @r#"
    minimum PHP version differs for 30 days: composer.json:[1] "require": {"php": "^8.1.2 || ^9.0"}} | doc/00-intro.md:[1] PHP 7.2.5+ to run.
    minimum Ruby version differs for 30 days: gem/kiosk.gemspec:[1] .required_ruby_version = ">= 3.0.0" | gem/README.md:[2] 2.6 or newer.
    minimum Terraform version differs for 30 days: infra/versions.tf:[2] required_version = ">= 0.13" | infra/README.md:[1] Terraform](https://example.org/tf) 0.12
    minimum Java version differs for 30 days: jvm/pom.xml:[1] <maven.compiler.release>17</maven.compiler.release> | jvm/README.md:[1] Java 8 or later.
    minimum Node version differs for 30 days: web/package.json:[1] "engines": { "node": "^18.18 || >=20" } } | web/README.md:[1] Node 8
    "#);
}

#[test]
fn a_tool_that_is_older_than_the_manifest_was_left_behind_and_a_newer_one_is_right() {
    let go = |least: &str| format!("module m\n\ngo {least}\n");
    let python = |least: &str| {
        format!(
            "[project]\nrequires-python = \">={least}\"\n\n[tool.mypy]\npython_version = \"3.9\"\n"
        )
    };
    let world = world(&[
        &[
            ("go.mod", &go("1.23.3")),
            ("Dockerfile", "FROM --platform=linux/amd64 golang:1.23.3-alpine AS builder\n"),
            ("dev/Dockerfile", "FROM golang:1.23.3\n"),
            ("py/pyproject.toml", &python("3.9")),
            ("py/.python-version", "3.9\n"),
        ],
        &[
            ("go.mod", &go("1.23.4")),
            ("dev/Dockerfile", "FROM golang:1.24\n"),
            ("py/pyproject.toml", &python("3.10")),
            ("py/.python-version", "3.13\n"),
        ],
    ]);
    assert_snapshot!(wrong(&world), @r#"
    minimum Go version differs for 30 days: go.mod:[3] go 1.23.4 | Dockerfile:[1] FROM --platform=linux/amd64 golang:1.23.3-alpine AS builder
    minimum Python version differs for 30 days: py/pyproject.toml:[2] requires-python = ">=3.10" | py/pyproject.toml:[5] python_version = "3.9"
    "#);
    let facts = &world.json("facts")["facts"];
    let asks = each(facts).map(|fact| fact["question"]["q"].as_str().unwrap());
    assert_eq!(
        asks.collect::<Vec<_>>(),
        [
            "Does Dockerfile state the minimum Go version of go.mod?",
            "Is the minimum Python version the same everywhere in py/pyproject.toml?",
        ]
    );
}

#[test]
fn the_only_version_of_a_job_is_no_minimum() {
    let ci = |versions: &str| format!("matrix:\n  python-version: [ {versions} ]\n");
    let block =
        |least: &str| format!("matrix:\n  python-version:\n    - '{least}'\n    - '3.13'\n");
    let world = world(&[
        &[
            ("pyproject.toml", &python("3.12")),
            (".github/workflows/lint.yml", &ci("\"3.12\"")),
            (".github/workflows/test.yml", &ci("\"3.12\", \"3.13\"")),
            (".github/workflows/more.yml", &block("3.12")),
        ],
        &[
            ("pyproject.toml", &python("3.10")),
            (".github/workflows/test.yml", &ci("\"3.10\", \"3.12\"")),
        ],
        &[("pyproject.toml", &python("3.11"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"minimum Python version differs for 30 days: pyproject.toml:[2] requires-python = ">=3.11" | .github/workflows/test.yml:[2] python-version: [ "3.10", "3.12" ]"#);
}

#[test]
fn one_fact_in_many_documents_is_one_suggestion_with_the_readme_first() {
    let node = |least: u8| format!("{{\"engines\": {{\"node\": \">={least}\"}}}}\n");
    let world = world(&[
        &[
            ("package.json", &node(18)),
            ("docs/i18n/README.ar.md", "- Node.js 18 ...\n"),
            ("docs/i18n/README.zh.md", "- Node.js 18 ...\n"),
            ("INSTALL.md", "- Node.js 18\n"),
            ("README.md", "- Node.js 18\n"),
        ],
        &[("package.json", &node(20))],
    ]);
    assert_snapshot!(wrong(&world), @r#"minimum Node version differs for 30 days: package.json:[1] "engines": {"node": ">=20"}} | README.md:[1] Node.js 18 | INSTALL.md:[1] Node.js 18 | docs/i18n/README.ar.md:[1] Node.js 18 ... | docs/i18n/README.zh.md:[1] Node.js 18 ..."#);
}

#[test]
fn pairs_that_never_differed_are_one_line() {
    let files = |version: &str| {
        ["a", "b", "c"].map(|name| {
            [
                (format!("packages/{name}/package.json"), package(version)),
                (format!("packages/{name}/CHANGELOG.md"), format!("## {version}\n")),
            ]
        })
    };
    let world = World::new();
    for version in ["1.0.0", "1.1.0"] {
        for (path, text) in files(version).as_flattened() {
            world.write(path, text);
        }
        world.commit(version);
        world.pass(30 * DAY);
    }
    assert_snapshot!(shown(&found(&world, " --all")), @r#"version, and 2 more that never differed holds: packages/a/package.json:[3] "version": "1.1.0" | packages/a/CHANGELOG.md:[1] ## 1.1.0"#);
}

#[test]
fn what_followed_the_version_twice_and_then_stayed_is_found_without_a_pattern() {
    let plugin = |version: &str| {
        format!("{{\n  \"name\": \"kiosk-memory\",\n  \"version\": \"{version}\"\n}}\n")
    };
    let badge = |version: &str| {
        format!("[![Version](https://img.shields.io/badge/v-{version}-orange)](x)\n")
    };
    let ruby = |version: &str| format!("module Kiosk\n  VERSION = '{version}'\nend\n");
    let sample =
        |version: &str| format!("# Contributing\n\n```\n{version} (using Widget 3.1)\n```\n");
    let pom =
        |version: &str| format!("<artifactId>kiosk</artifactId>\n<version>{version}</version>\n");
    let link =
        |version: &str| format!("[Javadoc](https://example.org/kiosk/{version}/index.html)\n");
    let world = world(&[
        &[
            (".claude-plugin/plugin.json", &plugin("0.1.0")),
            ("README.md", &badge("0.1.0")),
            ("gem/lib/kiosk/version.rb", &ruby("1.2.0")),
            ("gem/CONTRIBUTING.md", &sample("1.2.0")),
            ("jvm/pom.xml", &pom("0.9.5")),
            ("jvm/README.md", &link("0.9")),
        ],
        &[
            (".claude-plugin/plugin.json", &plugin("0.2.0")),
            ("README.md", &badge("0.2.0")),
            ("gem/lib/kiosk/version.rb", &ruby("1.3.0")),
            ("gem/CONTRIBUTING.md", &sample("1.3.0")),
            ("jvm/pom.xml", &pom("0.10.0")),
            ("jvm/README.md", &link("0.10")),
        ],
        &[
            (".claude-plugin/plugin.json", &plugin("0.3.0")),
            ("gem/lib/kiosk/version.rb", &ruby("1.4.0")),
            ("jvm/pom.xml", &pom("0.11.0-SNAPSHOT")),
        ],
        &[("jvm/pom.xml", &pom("0.11.0"))],
        &[("jvm/pom.xml", &pom("0.12.0-SNAPSHOT"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"
    version differs for 90 days: gem/lib/kiosk/version.rb:[2] VERSION = '1.4.0' | gem/CONTRIBUTING.md:[4] 1.3.0 (using Widget 3.1)
    version differs for 90 days: .claude-plugin/plugin.json:[3] "version": "0.3.0" | README.md:[1] [Version](https://img.shields.io/badge/v-0.2.0-orange)](x)
    version differs for 60 days: jvm/pom.xml:[2] <version>0.12.0-SNAPSHOT</version> | jvm/README.md:[1] [Javadoc](https://example.org/kiosk/0.10/index.html)
    "#);
}

#[test]
fn an_added_question_is_false_until_the_document_is_right() {
    let line = |version: &str| {
        format!("# Kiosk 3.1\n\ncurl https://x.org/dl/{version}/kiosk_{version}_amd64.deb\n")
    };
    let world = world(&[
        &[("package.json", &package("1.0.0")), ("README.md", &line("1.0.0"))],
        &[("package.json", &package("1.1.0")), ("README.md", &line("1.1.0"))],
        &[("package.json", &package("1.2.0"))],
    ]);
    world.ask(&["q1"]);
    world.sq_ok("facts --add");
    world.commit("ask");
    assert_eq!(world.sq_ok("probe readme-version"), "readme-version false: 1.2.0 | 1.1.0\n");
    world.write("README.md", line("1.2.0"));
    world.commit("fix");
    assert_eq!(world.sq_ok("probe readme-version"), "readme-version true: 1.2.0 | 1.2.0\n");
}

#[test]
fn a_version_that_is_not_that_of_today_is_left_out() {
    let readme = |version: &str| {
        format!(
            "It exists since {version}.\n\n## What's new in {version}\n\n- {version}: new\n- 0.1.0: new\n\nAn older kiosk {version}.\n\n| Booth | 2.3.4 | 77 |\n| Kiosk | {version} | 99 |\n\n{{:kiosk, \"~> {version}\"}} or kiosk=^{version}\n\nMeasured on 2026-01-02 with {version}.\n"
        )
    };
    let sample = |version: &str| format!("curl kiosk_{version}.deb  # adapt the version\n");
    let translated = |version: &str| format!("curl kiosk_{version}.deb  # Version anpassen\n");
    // It is raised after each release, and the document follows with the next one.
    let ahead = |version: &str| format!("Install kiosk {version} now.\n");
    let world = world(&[
        &[
            ("package.json", &package("1.0.0")),
            ("README.md", &readme("1.0.0")),
            ("INSTALL.md", &ahead("1.0.0")),
            ("docs/install.md", &sample("1.0.0")),
            ("docs/install.de.md", &translated("1.0.0")),
        ],
        &[
            ("package.json", &package("1.1.0")),
            ("README.md", &readme("1.1.0")),
            ("docs/install.md", &sample("1.1.0")),
            ("docs/install.de.md", &translated("1.1.0")),
        ],
        &[("INSTALL.md", &ahead("1.1.0"))],
        &[("package.json", &package("1.1.5"))],
    ]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn a_changelog_counts_if_it_followed_and_does_not_go_on_elsewhere() {
    let log =
        |version: &str| format!("# Changes\n\n## v{version} - today\n\nLamps.\n\n## [0.1.0]\n");
    let moved = |version: &str| format!("See the releases page.\n\n## {version}\n");
    let world = world(&[
        &[
            ("a/package.json", &package("1.0.0")),
            ("a/CHANGELOG.md", &log("1.0.0")),
            ("component/package.json", &package("1.0.0")),
            ("component/CHANGELOG.md", &log("1.0.0")),
            ("moved/package.json", &package("1.0.0")),
            ("moved/CHANGELOG.md", &moved("1.0.0")),
        ],
        &[
            ("a/package.json", &package("1.1.0")),
            ("a/CHANGELOG.md", &log("1.1.0")),
            ("component/package.json", &package("4.1.0")),
            ("moved/package.json", &package("1.1.0")),
            ("moved/CHANGELOG.md", &moved("1.1.0")),
        ],
        &[
            ("a/package.json", &package("1.2.0")),
            ("component/package.json", &package("4.2.0")),
            ("moved/package.json", &package("1.2.0")),
        ],
    ]);
    assert_snapshot!(wrong(&world), @r#"version differs for 30 days: a/package.json:[3] "version": "1.2.0" | a/CHANGELOG.md:[3] ## v1.1.0 - today"#);
}

#[test]
fn files_that_repeat_the_version_are_compared_with_the_manifest() {
    let code = |version: &str| format!("const VERSION = '{version}'\n");
    let world = world(&[
        &[
            ("package.json", &package("1.0.0")),
            ("jsr.json", &package("1.0.0")),
            ("kiosk.js", &code("1.0.0")),
        ],
        &[
            ("package.json", &package("1.1.0")),
            ("jsr.json", &package("1.1.0")),
            ("kiosk.js", &code("1.1.0")),
        ],
        &[("package.json", &package("1.2.0"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"version differs for 30 days: package.json:[3] "version": "1.2.0" | jsr.json:[3] "version": "1.1.0" | kiosk.js:[1] VERSION = '1.1.0'"#);
}

#[test]
fn a_chosen_version_may_be_above_what_a_document_needs() {
    let of = |choice: [&str; 2], said: [&str; 2]| {
        let manifest = choice.map(|it| format!("{{\n  \"packageManager\": \"pnpm@{it}\"\n}}\n"));
        let step = |at: usize| [("package.json", &*manifest[at]), ("CONTRIBUTING.md", said[at])];
        let all = found(&world(&[&step(0), &step(1)]), " --all").into_iter();
        all.filter(|found| found["state"] == "differs").count()
    };
    let raised = ["10.5.0", "10.34.5"];
    for (said, wrong) in [
        ("In pnpm v10.5+, `overrides` go elsewhere.\n", 0),
        ("You need pnpm 10.5 or newer.\n", 0),
        ("- pnpm >=10.5\n", 0),
        ("- pnpm 10.5\n", 1),
        ("- pnpm 10.5. It needs Node 18+.\n", 1),
    ] {
        assert_eq!(of(raised, [said, said]), wrong, "{said}");
    }
    assert_eq!(of(["10.5.0", "10.5.0"], ["- pnpm 10.5+\n", "- pnpm 10.6+\n"]), 1);
}

#[test]
fn a_frozen_hook_is_compared_with_the_lock() {
    let hooks = "repos:\n- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: 0123456789abcdef0123456789abcdef01234567  # frozen: v0.5.0\n";
    let lock = |version: &str| format!("[[package]]\nname = \"ruff\"\nversion = \"{version}\"\n");
    let world = world(&[
        &[("uv.lock", &lock("0.5.0")), (".pre-commit-config.yaml", hooks)],
        &[("uv.lock", &lock("0.6.1"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"ruff version differs for 30 days: uv.lock:[3] version = "0.6.1" | .pre-commit-config.yaml:[3] rev: 0123456789abcdef0123456789abcdef01234567  # frozen: v0.5.0"#);
    // The mirror of the project itself follows after a release.
    world.change("uv.lock", lock("0.6.1") + "source = { editable = \".\" }\n");
    assert_eq!(wrong(&world), "");
}

#[test]
fn each_hook_of_one_repository_is_compared_with_the_lock() {
    let config = ".pre-commit-config.yaml";
    let hooks = |versions: [&str; 2]| {
        let repo = "- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: v";
        versions.map(|version| format!("{repo}{version}\n  hooks:\n  - id: ruff\n")).concat()
    };
    let lock = |version: &str| format!("ruff=={version}\n");
    let world = world(&[
        &[("requirements-dev.txt", &lock("0.5.0")), (config, &hooks(["0.5.0", "0.5.0"]))],
        &[("requirements-dev.txt", &lock("0.6.1"))],
    ]);
    assert_snapshot!(wrong(&world), @"ruff version differs for 30 days: requirements-dev.txt:[1] ruff==0.6.1 | .pre-commit-config.yaml:[2] rev: v0.5.0 | .pre-commit-config.yaml:[6] rev: v0.5.0");
    // Who mended the first one only.
    world.change(config, hooks(["0.6.1", "0.5.0"]));
    assert_snapshot!(wrong(&world), @"ruff version differs for 30 days: requirements-dev.txt:[1] ruff==0.6.1 | .pre-commit-config.yaml:[6] rev: v0.5.0");
    world.sq_ok("facts --fix");
    assert_eq!(world.read(config), hooks(["0.6.1", "0.6.1"]));
}

#[test]
fn what_a_command_printed_and_what_is_an_example_states_nothing() {
    let page = |version: &str| {
        format!(
            "# Kiosk\n\n    $ kiosk version\n    kiosk {version} (linux)\n\n    $ kiosk self-update \\\n          --quiet\n    got kiosk_{version}.bz2\n\nRun it:\n\n```console\n> version\nversion: {version}\n\ndone {version} now\n```\n\nPin it, for example in a file of\nyours:\n\n```\nkiosk == {version}\n```\n\nIn the following example, we use ``kiosk-{version}``:\n\n.. code::\n\n    tar xf kiosk-{version}.tar\n\nAnd so on.\n\n    kiosk run {version}\n"
        )
    };
    let install = |version: &str| {
        format!(
            "```console\n$ curl kiosk_{version}.deb\n> unpack {version} \\\n  --from {version}.deb\n```\n"
        )
    };
    let world = world(&[
        &[("VERSION", "1.0.0\n"), ("INSTALL.md", &page("1.0.0")), ("README.md", &install("1.0.0"))],
        &[("VERSION", "1.1.0\n"), ("INSTALL.md", &page("1.1.0")), ("README.md", &install("1.1.0"))],
        &[("VERSION", "1.2.0\n")],
    ]);
    assert_snapshot!(wrong(&world), @r"version differs for 30 days: VERSION:[1] 1.2.0 | README.md:[2] $ curl kiosk_1.1.0.deb | README.md:[3] > unpack 1.1.0 \ | README.md:[4] --from 1.1.0.deb");
}

#[test]
fn a_minimum_of_a_tool_is_no_version_of_the_project() {
    let mix = |version: &str, elixir: &str| {
        format!("  @version \"{version}\"\n  version: @version,\n  elixir: \"~> {elixir}\",\n")
    };
    let readme = |version: &str| {
        format!(
            "Kiosk requires [Elixir](https://x.org/) version {version} or higher.\n\n- Erlang/OTP {version}+\n"
        )
    };
    let world = world(&[
        &[("mix.exs", &mix("1.8.0", "1.8")), ("README.md", &readme("1.8"))],
        &[("mix.exs", &mix("1.10.0", "1.10")), ("README.md", &readme("1.10"))],
        &[("mix.exs", &mix("1.11.0", "1.17"))],
    ]);
    let all = found(&world, " --all");
    let wrong = all.into_iter().filter(|found| found["state"] == "differs").collect::<Vec<_>>();
    assert_snapshot!(shown(&wrong), @r#"minimum Elixir version differs for 30 days: mix.exs:[3] elixir: "~> 1.17", | README.md:[1] Elixir](https://x.org/) version 1.10 or higher."#);
}

#[test]
fn a_label_between_two_versions_is_not_the_end_of_a_statement() {
    // The last line begins with a word that would be a label beside a version.
    let readme =
        |version: &str| format!("{{:kiosk, \"{version}\"}}\n\nImage kiosk:{version}.\nrc files\n");
    let world = world(&[
        &[("package.json", &package("0.4.0")), ("README.md", &readme("0.4.0"))],
        &[("package.json", &package("1.0.0-alpha1")), ("README.md", &readme("1.0.0-alpha1"))],
        &[("package.json", &package("1.0.0")), ("README.md", &readme("1.0.0"))],
        &[("package.json", &package("1.1.0"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"version differs for 30 days: package.json:[3] "version": "1.1.0" | README.md:[1] {:kiosk, "1.0.0"} | README.md:[3] Image kiosk:1.0.0."#);
}

#[test]
fn the_same_sentence_in_another_document_is_the_same_fact() {
    let page = "# Kiosk\n\nKiosk requires Python 3.6+\n\nThe lamp needs Python 3.6 or later.\n";
    let world = world(&[
        &[
            ("pyproject.toml", &python("3.6")),
            ("README.md", "Kiosk requires Python 3.6+.\n"),
            ("docs/index.md", page),
            ("docs/news.md", page),
        ],
        &[("pyproject.toml", &python("3.7"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"minimum Python version differs for 30 days: pyproject.toml:[2] requires-python = ">=3.7" | README.md:[1] Python 3.6+. | docs/index.md:[3] Python 3.6+"#);
}

#[test]
fn two_files_that_choose_a_version_and_a_lock_are_compared_if_they_agreed() {
    let lock = |version: &str| {
        format!(
            "{{\n  \"name\": \"kiosk\",\n  \"version\": \"{version}\",\n  \"lockfileVersion\": 3,\n  \"packages\": {{\n    \"\": {{\n      \"version\": \"{version}\"\n    }}\n  }}\n}}\n"
        )
    };
    let world = world(&[
        &[
            (".nvmrc", "v22.1.0\n"),
            (".node-version", "22.1.0\n"),
            ("once/.nvmrc", "22\n"),
            ("once/.node-version", "22\n"),
            ("package.json", &package("1.0.0")),
            ("package-lock.json", &lock("1.0.0")),
        ],
        &[
            (".nvmrc", "v23.0.0\n"),
            (".node-version", "23.0.0\n"),
            ("once/.nvmrc", "24\n"),
            ("package.json", &package("1.1.0")),
            ("package-lock.json", &lock("1.1.0")),
        ],
        &[(".nvmrc", "v24.0.0\n"), ("package.json", &package("1.2.0"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"
    Node version differs for 30 days: .nvmrc:[1] v24.0.0 | .node-version:[1] 23.0.0
    version differs for 30 days: package.json:[3] "version": "1.2.0" | package-lock.json:[3] "version": "1.1.0",
    "#);
    assert_has!(world.sq_ok("facts --fix"), "  not changed: npm writes package-lock.json\n");
}

#[test]
fn a_document_that_followed_late_once_is_behind_if_it_is_later_still() {
    let readme = |version: &str| format!("Install kiosk {version} now.\n");
    let world = world(&[
        &[("package.json", &package("1.0.0")), ("README.md", &readme("1.0.0"))],
        &[("package.json", &package("1.1.0"))],
        &[("README.md", &readme("1.1.0"))],
        &[("package.json", &package("1.2.0"))],
        &[("src/a", "x")],
    ]);
    assert_eq!(wrong(&world), "");
    world.pass(30 * DAY);
    assert_snapshot!(wrong(&world), @r#"version differs for 90 days: package.json:[3] "version": "1.2.0" | README.md:[1] Install kiosk 1.1.0 now."#);
}

/// What agreed, what moved then, and what was left behind.
type Report<'r> = (&'r [(&'r str, &'r str)], (&'r str, &'r str), &'r str);

/// Public reports: places that agreed once, and say what their number is.
#[test]
fn what_is_labelled_with_the_version_has_to_agree_once() {
    let lock = |version: &str| {
        let root = package(version).trim_end().trim_end_matches('}').trim_end().to_owned();
        format!("{root},\n  \"lockfileVersion\": 3\n}}\n")
    };
    let table = "# b\n\n| Key | Value |\n|---|---|\n| Version | 1.4.0 |\n";
    let reports: [Report; 5] = [
        (
            &[("package.json", &package("1.4.0")), ("README.md", table)],
            ("package.json", &package("1.5.0")),
            "README.md:[5] | Version | 1.4.0",
        ),
        (
            &[("VERSION", "2.11.9\n"), ("README.md", "Use:\n\n    - uses: acme/ftp@v2.11.9\n")],
            ("VERSION", "2.11.12\n"),
            "README.md:[3] uses: acme/ftp@v2.11.9",
        ),
        (
            &[
                ("Cargo.toml", "[workspace.package]\nversion = \"0.12.2\"\n"),
                ("README.md", "# x\n\n**Current release: v0.12.2**\n"),
            ],
            ("Cargo.toml", "[workspace.package]\nversion = \"0.15.0\"\n"),
            "README.md:[3] **Current release: v0.12.2",
        ),
        (
            &[(".nvmrc", "22.1.0\n"), (".node-version", "22.1.0\n")],
            (".nvmrc", "24.0.0\n"),
            ".node-version:[1] 22.1.0",
        ),
        (
            &[("package.json", &package("3.0.0")), ("package-lock.json", &lock("3.0.0"))],
            ("package.json", &package("3.1.0")),
            "package-lock.json:[3] \"version\": \"3.0.0\"",
        ),
    ];
    for (agreed, moved, says) in reports {
        let wrong = wrong(&world(&[agreed, &[moved]]));
        assert_eq!(wrong.lines().count(), 1, "{wrong}");
        assert_has!(wrong, says);
    }
    // A list of releases has no label of today's.
    let releases = "# Kiosk\n\nVersion: 1.1.0\n\nFaster.\n\nVersion: 1.0.0\n\nFirst.\n";
    let world = world(&[
        &[("package.json", &package("1.1.0")), ("README.md", releases)],
        &[("package.json", &package("1.2.0"))],
    ]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn the_minimum_of_a_range_is_its_lowest_bound() {
    let node = |range: &str| format!("{{\n  \"engines\": {{ \"node\": \"{range}\" }}\n}}\n");
    let readme = "You need Node.js 18 or newer.\n";
    let world = world(&[
        &[("package.json", &node(">=18")), ("README.md", readme)],
        &[("package.json", &node("^20.9.0 || ^18.18.0"))],
    ]);
    assert_eq!(wrong(&world), "");
    world.sq_ok("init");
    world.commit("ask");
    assert_has!(world.sq_ok("facts"), "readme-node  holds");
    world.write("package.json", node("^22 || ^20.10.0"));
    world.commit("drop 18");
    assert_has!(world.sq_ok("facts --fix"), "+You need Node.js 20 or newer.\n");
    world.git_ok("checkout -q README.md");
    world.git_ok("rm -q --cached context/standing_questions.json");
    std::fs::remove_dir_all(world.dir.join("context")).unwrap();
    world.commit("ask no more");
    assert_has!(world.sq_ok("facts --fix"), "+You need Node.js 20 or newer.\n");
}

#[test]
fn a_changelog_that_has_an_entry_of_the_version_is_right() {
    let cargo = |version: &str| format!("[package]\nname = \"x\"\nversion = \"{version}\"\n");
    let world = world(&[
        &[("Cargo.toml", &cargo("0.10.2")), ("CHANGELOG.md", "# 0.10.2\n")],
        &[("Cargo.toml", &cargo("0.11.0")), ("CHANGELOG.md", "# 0.11.0\n\n# 0.10.2\n")],
        &[
            ("Cargo.toml", &cargo("0.10.3")),
            ("CHANGELOG.md", "# 0.11.0\n\nYanked\n\n# 0.10.3\n\n# 0.10.2\n"),
        ],
    ]);
    assert_eq!(wrong(&world), "");
    world.write("Cargo.toml", cargo("0.10.4"));
    world.commit("no entry");
    assert_eq!(wrong(&world).lines().count(), 1);
    assert_has!(world.sq_ok("facts"), "CHANGELOG.md has no entry for 0.10.4 yet");
}

#[test]
fn what_was_so_as_of_a_version_and_what_a_picture_shows_are_no_statements() {
    let readme = |version: &str| {
        format!(
            "As of kiosk {version} it logs. See [how fast][perf] and ![it](doc/{version}.gif).\n\n\
             [perf]: https://example.com/images/kiosk-{version}.png\n"
        )
    };
    let world = world(&[
        &[("package.json", &package("1.0.0")), ("README.md", &readme("1.0.0"))],
        &[("package.json", &package("1.1.0")), ("README.md", &readme("1.1.0"))],
        &[("package.json", &package("1.2.0"))],
    ]);
    assert_eq!(wrong(&world), "");
    let go = |go: &str| format!("module m\n\ngo {go}\n");
    let readme = "- As of 2.0, it needs Go 1.21 or later.\n- Starting with Go 1.21 or later\n";
    let world = self::world(&[
        &[("go.mod", &go("1.21")), ("README.md", readme)],
        &[("go.mod", &go("1.25"))],
    ]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn words_of_another_time_in_the_sentence_of_a_minimum_make_it_none() {
    let readme = "It needs Python 3.9 or newer. The next version will require Python 3.11.\n\n\
                  This is the last version of kiosk which will support Python 3.9.\n\
                  From the next major version (2.x), Python\n3.9 or newer is required.\n\n\
                  The last two releases support Python 3.9.\n\n\
                  We recommend the latest Python. It runs on Python 3.9 or newer. It fixes bugs.\n";
    let world = world(&[
        &[("pyproject.toml", &python("3.9")), ("README.md", readme)],
        &[("pyproject.toml", &python("3.10"))],
    ]);
    assert_snapshot!(wrong(&world), @r#"minimum Python version differs for 30 days: pyproject.toml:[2] requires-python = ">=3.10" | README.md:[1,7] Python 3.9 or newer. The next version will require Python 3.11. | README.md:[9] Python. It runs on Python 3.9 or newer. It fixes bugs."#);
}

/// As Ruby has it: all but the last number stay.
#[test]
fn a_pessimistic_range_holds_later_versions() {
    let differ = |of: [&str; 3]| {
        let gem = of.map(|version| format!("gem 'kiosk', '~> {version}'\n"));
        let package = ["1.1.0", "1.2.0", "1.9.0"].map(package);
        let step = |at: usize| [("package.json", &*package[at]), ("README.md", &*gem[at])];
        let world = world(&[&step(0), &step(1), &step(2)]);
        let all = found(&world, " --all").into_iter();
        all.filter(|found| found["state"] == "differs").count()
    };
    assert_eq!(differ(["1.1", "1.2", "1.2"]), 0);
    assert_eq!(differ(["1.1.0", "1.2.0", "1.2.0"]), 1);
}

#[test]
fn a_statement_is_not_compared_with_itself() {
    let world = World::new();
    let setup = |version: &str| format!("setup(\n    name=\"x\",\n    version=\"{version}\",\n)\n");
    for version in ["1.0.0", "1.1.0"] {
        world.write("setup.py", setup(version));
        world.commit("release");
    }
    assert!(found(&world, " --all").is_empty());
    for version in ["1.1.0", "1.2.0"] {
        world.write("setup.py", setup(version));
        world.write("src/__init__.py", format!("__version__ = \"{version}\"\n"));
        world.commit("release");
    }
    assert_eq!(found(&world, " --all").len(), 1);
}
