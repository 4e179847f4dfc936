//! What documents name and is gone: paths, links, imports, URLs of the repository, commands.

use git_sq_test_support::{World, each};
use insta::assert_snapshot;
use serde_json::Value;

use crate::facts_versions::python;

const DAY: i64 = 86_400;

/// A repository of these files, a month before what comes next.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text);
    }
    world.commit("begin");
    world.pass(30 * DAY);
    world
}

/// Runs git commands, commits, and lets a month pass.
fn go_on(world: &World, commands: &[&str]) {
    for command in commands {
        world.git_ok(command);
    }
    world.commit("go on");
    world.pass(30 * DAY);
}

/// What is wrong, sorted: state, place and words; `?` stands before what only `--all` shows.
fn wrong(world: &World) -> String {
    let found = world.json("facts --all");
    let suggestions = each(&found["facts"]);
    let mut wrong: Vec<String> = suggestions
        .filter(|suggestion| suggestion["state"] != "holds")
        .flat_map(|suggestion| {
            let mark = if suggestion["is_likely"] == true { "" } else { "? " };
            let state = suggestion["state"].as_str().unwrap().to_owned();
            each(&suggestion["places"]).map(move |place| {
                let [file, says] = ["file", "says"].map(|key| place[key].as_str().unwrap());
                let lines: Vec<String> = each(&place["lines"]).map(Value::to_string).collect();
                format!("{mark}{state} {file}:{} {says}", lines.join(","))
            })
        })
        .collect();
    wrong.sort();
    wrong.join("\n")
}

#[test]
fn what_git_ignores_at_head_is_made_and_not_gone() {
    let text = "`web/static`, `po/kiosk.pot`, `.libs/ui`, `build/out/a.js` and [b](made/b.md)\n";
    let world = world(&[
        ("AGENTS.md", text),
        ("web/static/app.css", "a"),
        ("po/kiosk.pot", "x"),
        (".libs/ui/a.lua", "x"),
        ("build/out/a.js", "x"),
    ]);
    world.write(".gitignore", "/web/static\n/.libs/**\nbuild/*\n!build/keep\nmade/\n");
    world.write("po/.gitignore", "/kiosk.pot\n");
    go_on(&world, &["rm -qr web po/kiosk.pot .libs build"]);
    assert_eq!(wrong(&world), "");
    // What this clone alone ignores is not made by the project.
    world.write(".gitignore", "");
    world.write(".git/info/exclude", "/web/static\n");
    go_on(&world, &[]);
    let left = ["AGENTS.md:1 web/static", "AGENTS.md:1 .libs/ui", "AGENTS.md:1 build/out/a.js"];
    let wrong = wrong(&world);
    for path in left {
        assert!(wrong.lines().any(|line| line == format!("missing {path}")), "{wrong}");
    }
}

#[test]
fn what_attributes_mark_is_left_out() {
    let text = "Read `src/a.c` and `gen/b.c`.\n";
    let world = world(&[
        ("README.md", text),
        ("docs/README.md", text),
        ("lib/README.md", text),
        ("src/a.c", "x"),
        ("gen/b.c", "x"),
    ]);
    world.write(".gitattributes", "gen/** linguist-generated=true\n/docs/** sq-ignore\n");
    world.write("lib/.gitattributes", "*.md linguist-vendored\n");
    go_on(&world, &["rm -qr src gen"]);
    assert_snapshot!(wrong(&world), @"missing README.md:1 src/a.c");
    world.write("lib/.gitattributes", "*.md -linguist-vendored\n");
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"
    missing README.md:1 src/a.c
    missing lib/README.md:1 src/a.c
    ");
}

/// It is in the tree, though nobody here wrote it.
#[test]
fn what_is_vendored_can_be_missing() {
    let world = world(&[
        ("README.md", "Improve [the syntax](assets/a.syntax).\n"),
        (".gitattributes", "assets/** linguist-vendored\n"),
        ("assets/a.syntax", "x"),
    ]);
    go_on(&world, &["mv assets/a.syntax assets/b.syntax"]);
    assert_snapshot!(wrong(&world), @"missing README.md:1 assets/a.syntax");
}

/// As reStructuredText has it, and whoever names a backtick.
#[test]
fn code_between_two_backticks_is_read() {
    let text = "See ``src/a.c`` and `src/b.c`, not ``a ` in src/c.c``.\n";
    let world = world(&[("README.rst", text), ("src/a.c", "x"), ("src/b.c", "x")]);
    go_on(&world, &["rm -qr src"]);
    assert_snapshot!(wrong(&world), @"
    missing README.rst:1 src/a.c
    missing README.rst:1 src/b.c
    ");
}

#[test]
fn an_underlined_heading_opens_no_block_of_code() {
    let text = |mark: &str| {
        let marks = mark.repeat(6);
        format!("Labels\n{marks}\n\nText.\n\nSee ``docs/a.c``. It needs Python 3.9 or newer.\n")
    };
    let (tildes, ticks) = (text("~"), text("`"));
    let world = world(&[
        ("CONTRIBUTING.rst", &tildes),
        ("README.txt", &ticks),
        ("README.adoc", &tildes),
        // Here it does.
        ("README.md", &tildes),
        ("README", &ticks),
        ("docs/README.adoc", &ticks),
        ("docs/a.c", "x"),
        ("pyproject.toml", &python("3.9")),
    ]);
    world.write("pyproject.toml", python("3.11"));
    go_on(&world, &["rm -q docs/a.c"]);
    assert_snapshot!(wrong(&world), @r#"
    differs CONTRIBUTING.rst:6 Python 3.9 or newer.
    differs README.adoc:6 Python 3.9 or newer.
    differs README.txt:6 Python 3.9 or newer.
    differs pyproject.toml:2 requires-python = ">=3.11"
    missing CONTRIBUTING.rst:6 docs/a.c
    missing README.adoc:6 docs/a.c
    missing README.txt:6 docs/a.c
    "#);
}

#[test]
fn release_notes_are_news_however_their_folder_is_written() {
    let note = "Now [see it](https://github.com/tiny/kiosk/tree/main/events).\n";
    let world = world(&[
        ("release notes/v1.md", note),
        ("release-notes/v1.md", note),
        ("release_notes/v1.md", note),
        ("whats new/v1.md", note),
        ("notes/v1.md", note),
        ("events/a.go", "x"),
    ]);
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    go_on(&world, &["rm -qr events"]);
    assert_snapshot!(wrong(&world), @"missing notes/v1.md:1 events");
}

#[test]
fn yarn_runs_scripts_without_a_word() {
    let scripts = |lines: &str| format!("{{\n  \"scripts\": {{{lines}}}\n}}\n");
    let world = world(&[
        (
            "CONTRIBUTING.md",
            "1. `yarn install`\n1. `yarn lint`\n1. `yarn never`\n1. `pnpm i`\n1. `pnpm lint`\n",
        ),
        ("package.json", &scripts(r#""lint": "eslint .", "install": "x""#)),
    ]);
    world.write("package.json", scripts(r#""fix": "eslint .""#));
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"
    missing CONTRIBUTING.md:2 yarn lint
    missing CONTRIBUTING.md:5 pnpm lint
    ");
}

#[test]
fn what_is_told_as_history_as_a_sample_or_by_a_payload_is_left_out() {
    let told = [
        "- Move package from `old/quote` to `new/quote`",
        "(A name of its own instead, `old/hooks.json`, breaks discovery.)",
        "The parser was `old/parse.c`.",
        "It used to be\nin `old/parse.c`.",
        "| `old/parse.c` | removed |",
        "Some paths, e.g. `old/parse.c`, are long.",
        "Examples:\n\n- `old/parse.c`",
        "Credits to `old/parse.c` of that project.",
        "| `evil.zip` | `../../old/parse.c` |",
        "## History\n\nThe `old/parse.c`.",
        "<!--\n`old/parse.c`\n-->",
        "```\nold/parse.c\n```",
        "See [`old/parse.c`](new/quote).",
        "Ask: `Can you read my text at old/parse.c?`",
        "Names follow conventions: `old/parse.c`, not `1.md`.",
    ];
    let mut files =
        vec![("old/quote", "x"), ("old/hooks.json", "x"), ("old/parse.c", "x"), ("new/quote", "x")];
    let text = told.map(|told| format!("{told}\n\n# Next\n\n")).concat();
    files.push(("a/b/README.md", &text));
    // The next sentence is another matter.
    files.push(("README.md", "It was slow. See `old/parse.c` for more.\n"));
    let world = world(&files);
    go_on(&world, &["rm -qr old"]);
    assert_snapshot!(wrong(&world), @"missing README.md:1 old/parse.c");
}

#[test]
fn a_path_counts_only_if_the_document_named_it_while_it_was_there() {
    let world = world(&[("src/hammer.ts", "x"), ("src/early.ts", "x"), ("README.md", "# Tools\n")]);
    go_on(&world, &["rm -q src/early.ts"]);
    let agents = "1. The file `src/tools/my-tool.ts`\n2. `po/XX.po`\n3. `src/early.ts`\n";
    world.write("AGENTS.md", agents);
    go_on(&world, &[]);
    assert_eq!(wrong(&world), "");
    // A version of the document named it before the path was gone, and this one names it again.
    world.write("src/later.ts", "x");
    world.write("README.md", "# Tools\n\n`src/later.ts`\n");
    go_on(&world, &[]);
    world.write("README.md", "# Tools\n");
    go_on(&world, &["rm -q src/later.ts"]);
    world.write("README.md", "# Tools\n\n`src/later.ts`\n");
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"missing README.md:3 src/later.ts");
}

#[test]
fn a_document_that_was_renamed_is_followed() {
    let agents = "# For agents\n\nRead `src/lamp.c` and `heat.c`, then [the rules](rules.md).\n";
    let world = world(&[
        ("notes/CLAUDE.md", agents),
        ("notes/rules.md", "x"),
        ("src/lamp.c", "x"),
        ("src/heat.c", "x"),
    ]);
    go_on(&world, &["rm -q src/lamp.c src/heat.c"]);
    go_on(&world, &["mv notes/CLAUDE.md AGENTS.md"]);
    assert_snapshot!(wrong(&world), @"
    missing AGENTS.md:3 heat.c
    missing AGENTS.md:3 rules.md
    missing AGENTS.md:3 src/lamp.c
    ");
}

#[test]
fn a_document_that_moved_away_from_what_it_names_is_what_changed() {
    let world = world(&[
        ("docs/dev.md", "x"),
        ("pkg/a/README.md", "Read [the guide](../../docs/dev.md), then [b](../b) and [c](c.md).\n"),
        ("pkg/a/c.md", "x"),
        ("pkg/b/b.rs", "x"),
    ]);
    go_on(&world, &["rm -q pkg/a/c.md"]);
    // One of the targets moves along.
    go_on(&world, &["mv pkg pkgs", "mv pkgs/b pkgs/n-b", "mv pkgs/a n-a"]);
    let said = world.sq_ok("facts");
    assert_has!(said, "missing for 30 days: 2 paths named in n-a/README.md\n");
    assert_has!(said, "moved pkg/a/README.md to n-a/README.md\n", "removed pkg/a/c.md\n");
    assert_has!(
        said,
        "Fix it by hand: ../../docs/dev.md was written for pkg/a/README.md: is ../docs/dev.md meant?\n"
    );
    let said = world.sq_ok("facts --fix");
    let commit = &world.head()[..10];
    assert_has!(said, &format!("../b was written for pkg/a/README.md; {commit} moved it\n"));
}

#[test]
fn a_folder_and_a_merged_branch_are_named_as_what_they_are() {
    let world = world(&[("tools/a.sh", "x"), ("b.sh", "x"), ("README.md", "See [a](tools).\n")]);
    world.write("CONTRIBUTING.md", "See [b](b.sh).\n");
    go_on(&world, &["rm -qr tools"]);
    assert_has!(world.sq_ok("facts"), "Ada Example removed tools\n");
    world.git_ok("switch -q -c work");
    go_on(&world, &["rm -q b.sh"]);
    world.git_ok("switch -q main");
    world.git_ok("merge -q --no-ff -m merge work");
    assert_has!(world.sq_ok("facts"), "Ada Example merged a branch that removed b.sh\n");
}

#[test]
fn what_only_a_merged_branch_had_is_not_said_to_have_never_existed() {
    let world = world(&[("README.md", "# Tools\n")]);
    world.git_ok("switch -q -c work");
    world.write("AGENTS.md", "See [c](c.sh).\n");
    world.change("c.sh", "x");
    go_on(&world, &["rm -q c.sh"]);
    world.git_ok("switch -q main");
    world.git_ok("merge -q --no-ff -m merge work");
    let said = world.sq_ok("facts");
    assert_has!(said, "leads nowhere: a path named in AGENTS.md\n");
    assert_has!(said, "Fix it by hand: c.sh does not exist.\n");
}

#[test]
fn a_path_is_dated_by_its_own_file() {
    let world = world(&[("a/lamp.c", "x"), ("a/door.c", "x"), ("b/lamp.c", "x")]);
    world.write("README.md", "Read `a` and `a/lamp.c`, and `a/` again.\n\nThen `a/lamp.c`.\n");
    go_on(&world, &[]);
    go_on(&world, &["rm -q b/lamp.c"]);
    go_on(&world, &["rm -q a/lamp.c"]);
    world.write("a/door.c", "y");
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"missing README.md:1,3 a/lamp.c");
    let found = world.json("facts");
    let since = &found["facts"][0]["since"];
    assert_eq!((&since["path"], &since["days"]), (&"a/lamp.c".into(), &60.into()));
}

#[test]
fn links_of_entrances_need_never_have_resolved() {
    let text = "[layout](../layout.md#top) [issues](../../issues) [up](../other/x.md)\n[url](your/url) <img src=\"no.png\"> [a]: x\n\n[ref]: ../docs/none.md\n`[x](code.md)` [page](../docs/layout.html) [web](https://x.org/a.md) [there](../docs/layout)\n\n[^1]: CI fails.\n";
    let world = world(&[
        ("docs/layout.md", "[gone](gone.md) [never](never.md)\n"),
        ("docs/gone.md", "x"),
        (".github/CONTRIBUTING.md", text),
        ("AGENT.md", "x"),
        ("CONTRIBUTING.md", "Read [AGENT.md](../AGENT.md) and [that](../../that/x.md).\n"),
    ]);
    go_on(&world, &["rm -q docs/gone.md"]);
    assert_snapshot!(wrong(&world), @"
    ? missing docs/layout.md:1 gone.md
    never-there .github/CONTRIBUTING.md:1 ../layout.md
    never-there .github/CONTRIBUTING.md:1 ../other/x.md
    never-there .github/CONTRIBUTING.md:2 no.png
    never-there .github/CONTRIBUTING.md:4 ../docs/none.md
    never-there CONTRIBUTING.md:1 ../AGENT.md
    ");
}

#[test]
fn imports_of_agents_are_links() {
    let text = "# For agents\n\n@.notes/style.md\n@.notes/planner.md\nAsk @ada or @types/node, `@none.md`.\n";
    let world = world(&[("CLAUDE.md", text), ("README.md", text), (".notes/style.md", "x")]);
    assert_snapshot!(wrong(&world), @"never-there CLAUDE.md:4 .notes/planner.md");
}

#[test]
fn urls_of_the_repository_itself_are_paths() {
    let url = |path: &str| format!("https://github.com/tiny/kiosk/{path}\n");
    let text = [
        "tree/master/tests/lamp",
        "blob/main/a%20b/%C3%BC.txt#L3",
        "blob/v1.0/tests/lamp",
        "blob/main/never.c",
        "blob/main/README.md",
    ];
    let text = text.map(url).concat() + "https://github.com/other/kiosk/blob/main/hooks.d.ts\n";
    let raw = "```\ncurl https://raw.githubusercontent.com/tiny/kiosk/main/hooks.d.ts | sh\n```\n";
    let world = world(&[
        ("docs/compute.md", &text),
        ("docs/install.md", raw),
        ("CHANGELOG.md", &text),
        ("README.md", "# Kiosk\n"),
        ("tests/lamp/main.tf", "x"),
        ("a b/ü.txt", "x"),
        ("hooks.d.ts", "x"),
    ]);
    go_on(&world, &["mv tests/lamp tests/other", "rm -q hooks.d.ts", "rm -qr a*"]);
    assert_eq!(wrong(&world), "");
    world.git_ok("remote add origin git@github.com:tiny/kiosk.git");
    let expected = [
        "missing docs/compute.md:1 tests/lamp",
        "missing docs/compute.md:2 a%20b/%C3%BC.txt",
        "missing docs/install.md:2 hooks.d.ts",
    ];
    assert_eq!(wrong(&world), expected.join("\n"));
    world.git_ok("remote remove origin");
    world.write(
        "package.json",
        "{\n  \"repository\": {\"url\": \"git+https://github.com/tiny/kiosk.git\"}\n}\n",
    );
    go_on(&world, &[]);
    assert_eq!(wrong(&world), expected.join("\n"));
}

#[test]
fn commands_count_if_a_manifest_defined_them_once() {
    let scripts = |more: &str| format!("{{\n  \"scripts\": {{ \"build\": \"tsc\"{more} }}\n}}\n");
    let text = "1. `npm run build`\n1. Then:\n    ```bash\n    $ npm run test:pixels && pnpm run lint\n    $ make old all\n    $ make kept-by-pattern\n    $ just shine\n    $ task polish\n    $ cd other && npm run lint\n    $ npm run never\n    ```\n1. `npm test`, `npm run other`, make sure, `make old`\n";
    let world = world(&[
        ("package.json", &scripts(", \"test:pixels\": \"x\", \"lint\": \"x\", \"other\": \"x\"")),
        ("Makefile", "CC := cc\nall old: x\n\techo old: x\nkept-by-pattern:\n\ttrue\n"),
        ("justfile", "shine target='a':\n    true\n"),
        ("Taskfile.yml", "tasks:\n  polish:\n    cmds: [x]\n"),
        ("CONTRIBUTING.md", text),
        ("docs/page.md", text),
    ]);
    assert_eq!(wrong(&world), "");
    world.write("package.json", scripts(""));
    world.write("packages/a/package.json", "{\"scripts\":{\"other\":\"x\"}}");
    world.write("Makefile", "CC := cc\nall: x\n\techo old: x\nkept-%:\n\ttrue\n");
    world.write("justfile", "default:\n    true\n");
    world.write("Taskfile.yml", "tasks:\n  shine:\n    cmds: [x]\n");
    go_on(&world, &[]);
    let expected = [
        "missing CONTRIBUTING.md:4 npm run test:pixels",
        "missing CONTRIBUTING.md:4 pnpm run lint",
        "missing CONTRIBUTING.md:5,12 make old",
        "missing CONTRIBUTING.md:7 just shine",
        "missing CONTRIBUTING.md:8 task polish",
    ];
    assert_eq!(wrong(&world), expected.join("\n"));
    let said = world.sq_ok("facts");
    assert_has!(said, " removed the recipe shine from justfile\n");
    assert_has!(said, " removed them from package.json\n");
    for more in ["%: x\n", "include $(TOP)/rules.mk\n", "$(eval $(call rules,a))\n"] {
        world.write("Makefile", format!("all: x\n{more}"));
        go_on(&world, &[]);
        assert!(!wrong(&world).contains("make"), "{more}");
    }
    world.write("Makefile", "all: x\n-include local.mk\n");
    go_on(&world, &[]);
    assert!(wrong(&world).contains("make old"));
    world.write("CMakeLists.txt", "project(x)\n");
    go_on(&world, &[]);
    assert!(!wrong(&world).contains("make"));
}

#[test]
fn a_task_of_a_tool_that_is_not_read_is_left_out() {
    let world = world(&[
        ("Rakefile", "Dir['tasks/*.rake'].each { |f| load f }\n"),
        ("tasks/check.rake", "task :check_last do\nend\n"),
        ("CONTRIBUTING.md", "Use `rake check_last`.\n"),
    ]);
    go_on(&world, &["rm -q tasks/check.rake"]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn bare_names_count_for_agents_anywhere_and_for_a_readme_in_its_folder() {
    let world = world(&[
        ("CLAUDE.md", "- `driver.py`: runs\n- `heat_parser.py`: reads\n- `helpers.ts`\n"),
        ("src/list/CLAUDE.md", "- `gather.rs`: see its docs\n"),
        ("support/README.md", "Copy `BUILD.txt` and `.buildrc` from this folder.\n"),
        ("README.md", "Check `data/<lang>/` for `rules.toml`, and `heat_parser.py`.\n"),
        ("kiosk/README.md", "Put it into your `settings.json`.\n"),
        ("kiosk/settings.json", "x"),
        ("kiosk/driver.py", "x"),
        ("kiosk/heat_parser.py", "x"),
        ("src/list/gather.rs", "x"),
        ("support/BUILD.txt", "x"),
        ("support/.buildrc", "x"),
        ("data/ant/rules.toml", "x"),
    ]);
    world.write("kiosk/list/mod.rs", "x");
    let moves = [
        "mv kiosk/heat_parser.py kiosk/heat.py",
        "mv src/list/gather.rs src/list/other.rs",
        "rm -q support/.buildrc kiosk/settings.json",
        "mv data/ant/rules.toml data/ant/rules.scm",
    ];
    go_on(&world, &moves);
    assert_snapshot!(wrong(&world), @"
    ? missing README.md:1 heat_parser.py
    ? missing README.md:1 rules.toml
    missing CLAUDE.md:2 heat_parser.py
    missing src/list/CLAUDE.md:1 gather.rs
    missing support/README.md:1 .buildrc
    ");
}

#[test]
fn letters_outside_of_ascii_are_letters() {
    let world = world(&[
        ("dökumente/anleitung.md", "x"),
        ("docs/übersicht.md", "x"),
        ("README.md", "# Größe\n\nSiehe `dökumente/anleitung.md` und [hier](docs/übersicht.md).\n"),
    ]);
    go_on(&world, &["rm -qr docs dökumente"]);
    assert_snapshot!(wrong(&world), @"
    missing README.md:3 docs/übersicht.md
    missing README.md:3 dökumente/anleitung.md
    ");
}

#[test]
fn what_is_beyond_the_text_is_left_out() {
    let url = "https://github.com/tiny/kiosk/tree/main/packages/door-tools";
    let world = world(&[
        ("README.md", &format!("| [`lamp`]({url}) | a |\n\n```\ncd docs\nnpx site dev\n```\n")),
        ("docs/format.md", "Parts lie in the folder `store/parts/` of the data.\n"),
        ("src/head.go", "const dir = \"store/parts\"\n"),
        ("packages/door-tools/a", "x"),
        ("packages/lamp/a", "x"),
        ("docs/site.json", "{}"),
    ]);
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    world.write("src/head.go", "const dir = \"parts_head\"\n");
    world.write("docs/public/b", "x");
    go_on(&world, &["mv docs/site.json docs/public/site.json"]);
    assert_eq!(wrong(&world), "");
}

#[test]
fn a_question_says_what_is_absent_until_it_is_mended() {
    let world = world(&[
        ("src/lamp.c", "x"),
        ("docs/x.md", "x"),
        ("package.json", "{\n  \"scripts\": {\n    \"pixels\": \"x\"\n  }\n}\n"),
        ("CLAUDE.md", "Run `npm run pixels`, read `src/lamp.c`, `lamp.c` and [x](docs/x.md).\n"),
    ]);
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    world.write("docs/page.md", "https://github.com/tiny/kiosk/blob/main/src/lamp.c\n");
    go_on(&world, &[]);
    world.write("package.json", "{\n  \"scripts\": {\n    \"build\": \"x\"\n  }\n}\n");
    go_on(&world, &["rm -q src/lamp.c docs/x.md"]);
    world.ask(&["q1"]);
    world.sq_ok("facts --add");
    world.commit("ask");
    let probes = "probe claude-paths docs-page-urls claude-scripts";
    assert_snapshot!(world.sq_ok(probes), @r"
    claude-paths   src/lamp.c
                   lamp.c
                   docs/x.md
    docs-page-urls src/lamp.c
    claude-scripts pixels: pixels | none
    ");
    world.write("CLAUDE.md", "Run `npm run build`.\n");
    world.write("docs/page.md", "https://github.com/tiny/kiosk/blob/main/CLAUDE.md\n");
    world.commit("mend");
    assert_snapshot!(world.sq_ok(probes), @r"
    claude-paths   none
    docs-page-urls none
    claude-scripts none: none | none
    ");
    assert_eq!(wrong(&world), "");
}

#[test]
fn a_link_to_what_the_reader_makes_and_a_host_without_a_scheme_are_no_paths() {
    let world = world(&[
        (
            "README.md",
            "| [a](words.txt) | creating this file replaces the words |\n\nAdd a [list](list.md).\n\n[web](kiosk.com), [more](www.example.org/x) and [gone](notes.org).\n\nRead [it](never.md).\n\nAdd a word to [the rules](rules.md).\n\n[More](more.md) will be written.\n\nIt will be under the [license](LICENSE.md).\n",
        ),
        ("notes.org", "x"),
    ]);
    go_on(&world, &["rm -q notes.org"]);
    assert_snapshot!(wrong(&world), @"
    missing README.md:5 notes.org
    never-there README.md:13 LICENSE.md
    never-there README.md:7 never.md
    never-there README.md:9 rules.md
    ");
}

#[test]
fn a_link_from_the_root_of_a_site_is_left_to_a_person() {
    let world = world(&[
        ("docs/page.md", "[a](/assets/one.svg) [b](/assets/two.svg) [c](/assets/none.svg)\n"),
        ("assets/one.svg", "1\n"),
        ("assets/two.svg", "2\n"),
    ]);
    go_on(&world, &["mv assets/one.svg assets/new.svg"]);
    world.write("site/README.md", "x");
    go_on(&world, &["mv assets site"]);
    assert_snapshot!(wrong(&world), @"? missing docs/page.md:1 /assets/one.svg");
    assert_has!(
        world.sq_ok("facts --all --fix"),
        "not changed: /assets/one.svg may begin at the root of a site; "
    );
}

#[test]
fn what_a_command_printed_is_no_command() {
    let text = "```\n$ kiosk help\nmake old\n$ make old2\n```\n";
    let world = world(&[("Makefile", "old:\n\ttrue\nold2:\n\ttrue\n"), ("README.md", text)]);
    world.write("Makefile", "new:\n\ttrue\n");
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"missing README.md:4 make old2");
}

#[test]
fn the_readme_of_a_folder_of_examples_is_read_and_its_other_documents_are_not() {
    let text = "Run `lamp.c`, see [all](lamp).\n";
    let world = world(&[
        ("examples/README.md", text),
        ("examples/guide/CONTRIBUTING.md", text),
        ("vendor/kit/README.md", text),
        ("examples/lamp/a", "x"),
    ]);
    go_on(&world, &["rm -qr examples/lamp"]);
    assert_snapshot!(wrong(&world), @"missing examples/README.md:1 lamp");
}

#[test]
fn links_of_restructured_text_and_markdown_by_its_other_names_are_read() {
    let world = world(&[
        (
            "README.rst",
            "See `the protocol <docs/rest.rst>`__ and `it <https://x.org>`_.\n\n`x <name_>`__ `y <docs/none.rst>`_\n\n.. _rules: docs/rules.rst\n",
        ),
        ("lib/README.mdown", "[rest](../docs/rest.rst)\n"),
        ("CONTRIBUTING.mkd", "[rest](docs/rest.rst)\n"),
        ("docs/rest.rst", "x"),
        ("docs/rules.rst", "x"),
    ]);
    go_on(&world, &["rm -q docs/rest.rst docs/rules.rst"]);
    assert_snapshot!(wrong(&world), @"
    missing CONTRIBUTING.mkd:1 docs/rest.rst
    missing README.rst:1 docs/rest.rst
    missing README.rst:5 docs/rules.rst
    missing lib/README.mdown:1 ../docs/rest.rst
    never-there README.rst:3 docs/none.rst
    ");
}

#[test]
fn a_url_of_the_repository_counts_if_its_path_was_there_before_the_document_named_it() {
    let world = world(&[("port.h", "x"), ("README.md", "# Kiosk\n"), ("CHANGELOG.md", "x")]);
    world.git_ok("remote add origin https://github.com/tiny/kiosk.git");
    world.write("lib/a", "x");
    go_on(&world, &["mv port.h lib/port.h"]);
    let text = "https://github.com/tiny/kiosk/blob/main/port.h `port.h`\nhttps://github.com/tiny/kiosk/blob/main/never.h\n";
    world.write("README.md", text);
    world.write("CHANGELOG.md", text);
    go_on(&world, &[]);
    assert_snapshot!(wrong(&world), @"missing README.md:1 port.h");
}

#[test]
fn the_target_of_a_link_is_read_as_commonmark_says() {
    let world = World::new();
    world.write("docs/my guide.md", "x");
    world.write("docs/guide(1).md", "x");
    let page = r#"[b](<docs/my guide.md>) [f](docs/guide(1).md 'one') [![x](docs/guide(1).md)](docs/guide(1).md)

\[a](docs/no.md) [a\](docs/no.md) \[not [a](docs/my guide.md)] [a](docs/no(.md) [a](docs/no\_.md)
[a](<the docs>) [a](<docs/no.md) [a](docs/<name>.md)

[c]: <docs/my guide.md>
[d]: docs/guide(1).md "one"
[e]: docs/my guide.md
"#;
    world.write("README.md", page);
    world.commit("begin");
    assert_has!(world.sq_ok("facts"), ": no contradictions.");
    let dead = "[a](<docs/no guide.md>) [![b](docs/no(1).md)](docs/no.md) [c \\[x\\]](docs/c.md \"c\")\n\
                [d](docs/d.md\n'd')\n\n[e]: <docs/e e.md>\n";
    world.write("README.md", dead);
    world.commit("dead");
    let found = world.json("facts");
    let places = each(&found["facts"][0]["places"]);
    let mut says: Vec<&str> = places.map(|place| place["says"].as_str().unwrap()).collect();
    says.sort_unstable();
    let expected = [
        "docs/c.md",
        "docs/d.md",
        "docs/e e.md",
        "docs/no guide.md",
        "docs/no(1).md",
        "docs/no.md",
    ];
    assert_eq!(says, expected);
}

/// A paragraph of thousands of links is read in seconds, not in minutes.
#[test]
fn many_links_in_one_paragraph_take_no_time_for_each_pair() {
    let world = World::new();
    let links: String = (0..5000).map(|link| format!("[l{link}](docs/f{link}.md)\n")).collect();
    world.write("README.md", links);
    world.commit("links");
    let start = std::time::Instant::now();
    assert_has!(world.sq_ok("facts"), "5000 paths named in README.md");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
