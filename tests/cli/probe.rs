//! What the tool itself can read: built-in probes on the objects of a commit.

use git_sq_test_support::{Ran, World, each, refs};
use serde_json::{Value, json};

/// A world with one question for each of these probes, q1 on.
fn probing(probes: &[Value]) -> World {
    let world = World::new();
    let questions = (1..).zip(probes).map(|(number, probe)| {
        json!({"id": format!("q{number}"), "q": "?", "importance": 2, "probe": probe}).to_string()
    });
    for (path, text) in [
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.2.0\"\n"),
        ("README.md", "# A\n\nVersion 1.2.0.\n\n## Use\n\nRun it.\n\n## More\n"),
        ("src/a.rs", "fn a() {}\n// TODO: b\n  // TODO: c\n"),
        ("src/b/c.rs", "fn c() {}\n"),
        (
            "ci.yml",
            "on: [push]\njobs:\n  test: {steps: 3}\npython: 3.10\nmatrix: ['3.11', '3.12', 20]\n",
        ),
        ("data.json", r#"{"a":{"b":[1,"x",true]},"n":null,"o":{},"supported":["3.11",20,"20"]}"#),
        ("VERSIONS", "^1.2\nv1.70.1-rc.2+5\nlatest\n"),
        (
            "docs/b.md",
            "`b.md` and `../src/a.rs`, `src/b/`,\n`gone.rs`, `/src`, `./b.md`, `../../out`, `gone.rs`\n",
        ),
        (
            "underlined.md",
            "A\n===\nx\n\nUse\n---\nRun it.\n\n| a |\n|---|\n```\nno\n---\n```\n### C\nz\n## D\n---\nd\n- item\n---\n> said\n---\nmore\nB\n====\nlast\n",
        ),
        (
            "sections.md",
            "# A\nx\n## B\n\ny\n```\n# no heading\n```\n### C #\nz\n## D\n# B\n## C#\n````md\n```\n# E\n```sh\n````\nx\n",
        ),
        (
            "names.md",
            "c.rs lib/*.rs src/*.rs src/**/c.rs src/**/a.rs *.md *.md/x s?c src/**/d.rs b b/ ?.rs [id].rs none\n",
        ),
        ("crlf.md", "# A\r\nversion 1.0\r\n"),
        ("bom.md", "\u{feff}# A\nx\n"),
        ("bom.json", "\u{feff}{\"a\": 1}"),
        ("two.yml", "a: 1\n---\na: 2\n"),
        ("twice.yml", "a: 1\na: 2\n"),
        ("open.toml", "a = [1\n"),
    ] {
        world.write(path, text);
    }
    world.write("utf16.txt", b"\xff\xfea\0\n\0");
    world.write("big-endian.txt", b"\xfe\xff\0a\0\xe9\0\r\0\n\xd8\0");
    world.write("image.png", b"\x89PNG\0TODO\n");
    world.ask_json(&questions.collect::<Vec<_>>().join(","));
    world
}

/// The ids of all questions.
fn asked(world: &World) -> Vec<String> {
    let list = world.json("question list");
    let questions = each(&list["questions"]);
    questions.map(|question| question["q_id"].as_str().unwrap().to_owned()).collect()
}

/// Runs all probes.
fn all(world: &World) -> Ran {
    world.sq(&[&["probe"], &refs(&asked(world))[..]].concat())
}

/// What each probe found: its value, or why there was nothing.
fn found(world: &World, args: &[&str]) -> Vec<Value> {
    let asked = asked(world);
    let args = [&["probe", "--format", "json"], args, &refs(&asked)].concat();
    let answers = world.sq(&args).json()["answers"].clone();
    each(&answers)
        .map(|answer| match &answer["gone"] {
            Value::Null => answer["value"].clone(),
            why => json!({ "gone": why }),
        })
        .collect()
}

#[test]
fn each_probe_takes_what_it_says() {
    let table = r##"
{"grep": {"text": "TODO", "paths": ["src/"]}} => ["// TODO: b", "// TODO: c"]
{"grep": {"pattern": "^fn (\\w+)", "paths": ["*.rs"], "capture": 1}} => ["a", "c"]
{"grep": {"text": "TODO", "paths": ["."], "take": "count"}} => 4
{"grep": {"pattern": "panic!", "paths": ["src"], "take": "exists"}} => false
{"grep": {"pattern": "TODO: (.)", "paths": ["src"], "take": "first", "capture": 1}} => "b"
{"files": {"paths": ["src/"]}} => ["src/a.rs", "src/b/c.rs"]
{"files": {"paths": ["src/", ":!src/b"], "take": "count"}} => 1
{"files": {"paths": ["migrations/"], "take": "exists"}} => false
{"grep": {"pattern": "`([^`]+)`", "paths": ["docs/"], "capture": 1}} => ["b.md", "../src/a.rs", "src/b/", "gone.rs", "/src", "./b.md", "../../out", "gone.rs"]
{"grep": {"pattern": "`([^`]+)`", "paths": ["docs/"], "capture": 1, "take": "first"}} => "b.md"
{"lines": {"paths": ["src/"]}} => 4
{"value": {"file": "Cargo.toml", "pointer": "/package/version"}} => "1.2.0"
{"value": {"file": "ci.yml", "pointer": "/jobs/test/steps"}} => 3
{"value": {"file": "data.json", "pointer": "/a/b"}} => [1, "x", true]
{"value": {"file": "data.json", "pointer": "/a", "take": "keys"}} => ["b"]
{"value": {"file": "ci.yml", "pointer": "/jobs", "take": "keys"}} => ["test"]
{"value": {"file": "Cargo.toml", "pointer": "", "take": "keys"}} => ["package"]
{"value": {"file": "data.json", "pointer": "/o", "take": "keys"}} => []
{"value": {"file": "data.json", "pointer": "/a/b", "take": "keys"}} => {"gone": "/a/b has no keys in data.json"}
{"subset": [{"grep": {"pattern": "^(\\w+):", "paths": ["ci.yml"], "capture": 1}}, {"value": {"file": "ci.yml", "pointer": "", "take": "keys"}}]} => []
{"text": {"file": "README.md", "pattern": "^#+ (\\w+)"}} => "A"
{"text": {"file": "README.md", "pattern": "^#+ (\\w+)", "take": "every"}} => ["A", "Use", "More"]
{"text": {"file": "README.md", "pattern": "^(#)", "take": "every"}} => "#"
{"agree": [{"text": {"file": "README.md", "pattern": "^(#)", "take": "every"}}, {"text": {"file": "bom.md", "pattern": "#"}}]} => true
{"agree": [{"text": {"file": "README.md", "pattern": "^(#+)", "take": "every"}}, {"text": {"file": "bom.md", "pattern": "#"}}]} => false
{"text": {"file": "README.md", "section": "Use"}} => "Run it."
{"text": {"file": "README.md", "lines": [1, 1]}} => "# A"
{"text": {"file": "README.md", "pattern": "Version (\\S+)\\."}} => "1.2.0"
{"log": {"paths": ["src/"], "take": "count"}} => 1
{"log": {"paths": ["."], "take": "authors"}} => ["Ada Example"]
{"agree": [{"value": {"file": "Cargo.toml", "pointer": "/package/version"}}, {"text": {"file": "README.md", "pattern": "Version (\\S+)\\."}}]} => true
{"agree": [{"files": {"paths": ["src/"], "take": "count"}}, {"text": {"file": "README.md", "pattern": "Version 1\\.(\\d)"}}]} => true
{"agree": [{"value": {"file": "Cargo.toml", "pointer": "/package/version"}}, {"text": {"file": "NEWS.md", "lines": [1, 1]}}]} => {"gone": "there is no file NEWS.md"}
{"agree": [{"value": {"file": "Cargo.toml", "pointer": "/package/version", "as": "version", "precision": 2}}, {"text": {"file": "VERSIONS", "lines": [1, 1], "as": "version", "precision": 2}}]} => true
{"text": {"file": "VERSIONS", "lines": [1, 1], "as": "version"}} => "1.2.0"
{"text": {"file": "VERSIONS", "lines": [2, 2], "as": "version"}} => "1.70.1-rc.2"
{"text": {"file": "VERSIONS", "lines": [2, 2], "as": "version", "precision": 1}} => "1"
{"text": {"file": "VERSIONS", "lines": [3, 3], "as": "version"}} => {"gone": "there is no version in \"latest\""}
{"value": {"file": "ci.yml", "pointer": "/python", "as": "version"}} => {"gone": "3.1 is not a version: quote it, or read it as `text`"}
{"value": {"file": "ci.yml", "pointer": "/matrix", "as": "version", "precision": 2}} => ["3.11", "3.12", "20.0"]
{"subset": [{"value": {"file": "ci.yml", "pointer": "/matrix"}}, {"value": {"file": "data.json", "pointer": "/supported"}}]} => ["3.12"]
{"subset": [{"value": {"file": "data.json", "pointer": "/supported/2"}}, {"value": {"file": "ci.yml", "pointer": "/matrix"}}]} => []
{"subset": [{"value": {"file": "ci.yml", "pointer": "/matrix"}}, {"files": {"paths": ["none"]}}]} => ["3.11", "3.12", 20]
{"exist": {"pattern": "`([^`]+)`", "paths": ["docs/"]}} => ["gone.rs", "../../out"]
{"exist": {"pattern": "`([^`]+)`", "paths": ["docs/"], "anywhere": true}} => ["gone.rs", "../../out"]
{"exist": {"pattern": "\\S+", "paths": ["names.md"]}} => ["c.rs", "lib/*.rs", "*.md/x", "src/**/d.rs", "b", "b/", "?.rs", "[id].rs", "none"]
{"exist": {"pattern": "\\S+", "paths": ["names.md"], "anywhere": true}} => ["lib/*.rs", "*.md/x", "src/**/d.rs", "[id].rs", "none"]
{"exist": {"pattern": "`", "paths": ["nothing.md"]}} => {"gone": "no file matches nothing.md"}
{"text": {"file": "sections.md", "section": "B"}} => "y\n```\n# no heading\n```\n### C #\nz"
{"text": {"file": "sections.md", "section": "C"}} => "z"
{"text": {"file": "sections.md", "section": "D"}} => ""
{"text": {"file": "sections.md", "section": "no heading"}} => {"gone": "sections.md has no heading \"no heading\""}
{"text": {"file": "sections.md", "section": "C#"}} => "````md\n```\n# E\n```sh\n````\nx"
{"text": {"file": "sections.md", "section": "E"}} => {"gone": "sections.md has no heading \"E\""}
{"text": {"file": "crlf.md", "pattern": "^version (.+)$"}} => "1.0"
{"text": {"file": "crlf.md", "pattern": "version (.+)"}} => "1.0"
{"text": {"file": "bom.md", "section": "A"}} => "x"
{"text": {"file": "underlined.md", "section": "A"}} => "x\n\nUse\n---\nRun it.\n\n| a |\n|---|\n```\nno\n---\n```\n### C\nz\n## D\n---\nd\n- item\n---\n> said\n---\nmore"
{"text": {"file": "underlined.md", "section": "Use"}} => "Run it.\n\n| a |\n|---|\n```\nno\n---\n```\n### C\nz"
{"text": {"file": "underlined.md", "section": "B"}} => "last"
{"text": {"file": "underlined.md", "section": "D"}} => "---\nd\n- item\n---\n> said\n---\nmore"
{"text": {"file": "underlined.md", "section": "no"}} => {"gone": "underlined.md has no heading \"no\""}
{"grep": {"pattern": "^# (.)", "paths": ["bom.md"], "capture": 1}} => ["A"]
{"value": {"file": "bom.json", "pointer": "/a"}} => 1
{"text": {"file": "utf16.txt", "lines": [1, 1]}} => "a"
{"grep": {"pattern": "^..$", "paths": ["utf16.txt", "big-endian.txt"]}} => ["aé"]
{"lines": {"paths": ["utf16.txt", "big-endian.txt"]}} => 3
{"text": {"file": "image.png", "lines": [1, 1]}} => {"gone": "image.png is not text"}
"##;
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (probes, expected): (Vec<Value>, Vec<Value>) = table
        .trim()
        .lines()
        .map(|row| row.split_once(" => ").unwrap())
        .map(|(probe, value)| (parse(probe), parse(value)))
        .unzip();
    assert_eq!(found(&probing(&probes), &[]), expected);
}

#[test]
fn objects_and_commits_are_named_by_their_ids() {
    let world = probing(&[json!({"tree": "src"}), json!({"log": {"paths": ["src/"]}})]);
    let tree = world.git_ok("rev-parse HEAD:src");
    assert_eq!(found(&world, &[]), [json!(tree.trim()), json!(world.head())]);
}

/// A partial clone asks its remote once for what a probe reads, not for each file.
#[test]
fn what_a_partial_clone_lacks_is_fetched_at_once() {
    let world = probing(&[json!({"grep": {"text": "x", "paths": ["many/"], "take": "count"}})]);
    for number in 0..5 {
        world.write(&format!("many/{number}"), format!("x{number}\n"));
    }
    world.commit("many");
    world.git_ok("config uploadpack.allowFilter true");
    world.git_ok("config uploadpack.allowAnySHA1InWant true");
    let partial = world.cloned("--bare --filter=blob:none", "partial");
    let ran = world.sq_in(&partial, &["probe", "--format", "json", "q1"]);
    assert_eq!(ran.json()["answers"][0]["value"], 5, "{}", ran.transcript());
    let packs = std::fs::read_dir(partial.join("objects/pack"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".pack"))
        .count();
    assert!(packs <= 3, "the clone, the store, and the files");
}

#[test]
fn where_there_is_nothing_to_read_the_answer_is_gone() {
    let world = probing(&[
        json!({"grep": {"text": "x", "paths": ["lib/"]}}),
        json!({"grep": {"text": "no such", "paths": ["src/"], "take": "first"}}),
        json!({"tree": "lib"}),
        json!({"value": {"file": "Cargo.toml", "pointer": "/package/licence"}}),
        json!({"value": {"file": "README.md", "pointer": "/a"}}),
        json!({"value": {"file": "data.json", "pointer": "/n"}}),
        json!({"value": {"file": "data.json", "pointer": "/o"}}),
        json!({"text": {"file": "README.md", "section": "Install"}}),
        json!({"text": {"file": "README.md", "lines": [90, 91]}}),
        json!({"text": {"file": "src", "lines": [1, 1]}}),
        json!({"log": {"paths": ["lib/"]}}),
        json!({"agree": [{"tree": "lib"}, {"tree": "bin"}]}),
        json!({"value": {"file": "two.yml", "pointer": "/a"}}),
        json!({"value": {"file": "twice.yml", "pointer": "/a"}}),
        json!({"value": {"file": "open.toml", "pointer": "/a"}}),
    ]);
    insta::assert_snapshot!(all(&world).transcript(), @r#"
    q1  missing: no file matches lib/
    q2  missing: no line matches
    q3  missing: there is no lib
    q4  missing: Cargo.toml has no /package/licence
    q5  missing: README.md is not valid JSON: expected value at line 1 column 1
    q6  missing: /n is null in data.json
    q7  missing: /o is not a single value in data.json: "take": "keys" takes its keys
    q8  missing: README.md has no heading "Install"
    q9  missing: README.md has no lines 90 to 91
    q10 missing: there is no file src
    q11 missing: no commit touches lib/
    q12 missing: there is no lib, there is no bin
    q13 missing: two.yml is not valid YAML: line 3 column 1: multiple YAML documents detected
    q14 missing: twice.yml is not valid YAML: line 2 column 1: duplicate mapping key: a
    q15 missing: open.toml is not valid TOML: unclosed array, expected `]` at line 1, column 7
    --- exit 0
    "#);
}

#[test]
fn another_commit_is_read_without_a_checkout() {
    let world = probing(&[json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}})]);
    world.change("src/a.rs", "fn a() {}\n");
    assert_eq!(found(&world, &[]), [json!(0)]);
    assert_eq!(found(&world, &["--at", "HEAD~1"]), [json!(2)]);
    let bare = world.cloned("--bare", "bare.git");
    let there = world.sq_in(&bare, &["probe", "--format", "json", "q1"]).json();
    assert_eq!(there["answers"][0]["value"], 0);
    let digest = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9";
    assert_eq!(there["answers"][0]["digest"], digest, "that of `0`");
    assert_eq!(there["answers"][0]["reads"][0]["path"], "src/a.rs");
}

#[test]
fn people_see_values_and_what_differs() {
    let world = probing(&[
        json!({"grep": {"text": "TODO", "paths": ["src/"]}}),
        json!({"agree": [
            {"value": {"file": "Cargo.toml", "pointer": "/package/version"}},
            {"text": {"file": "README.md", "pattern": "Version (\\S+)\\."}},
        ]}),
        json!({"grep": {"text": "none", "paths": ["src/"]}}),
    ]);
    world.write("README.md", "Version \u{1b}[31m1.1.");
    world.write("src/many.rs", "// TODO\n".repeat(20));
    world.commit("release");
    insta::assert_snapshot!(all(&world).transcript(), @r"
    q1 // TODO: b
       // TODO: c
       // TODO
       // TODO
       // TODO
       // TODO
       // TODO
       // TODO
       // TODO
       // TODO
       and 12 more
    q2 false: 1.2.0 | \u001b[31m1.1
    q3 none
    --- exit 0
    ");
}

/// What an attacker may put where a probe looks.
#[test]
fn hostile_files_are_read_within_bounds() {
    let world = probing(&[
        json!({"grep": {"pattern": "(a*)*b", "paths": ["evil.txt"], "take": "exists"}}),
        json!({"value": {"file": "bomb.yml", "pointer": "/z"}}),
        json!({"value": {"file": "deep.json", "pointer": "/a"}}),
        json!({"text": {"file": "link", "lines": [1, 1]}}),
        json!({"files": {"paths": ["link", "sub"]}}),
        json!({"grep": {"text": "x", "paths": ["latin.txt"]}}),
    ]);
    world.write("evil.txt", "a".repeat(100_000));
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (one, two) in "abcdefghijklmnopqrstuvwxy".chars().zip("bcdefghijklmnopqrstuvwxyz".chars()) {
        bomb += &format!("{two}: &{two} [{}]\n", format!("*{one}, ").repeat(9));
    }
    world.write("bomb.yml", bomb);
    world.write("deep.json", "[".repeat(100_000));
    world.write("latin.txt", b"x\xe9\n");
    std::os::unix::fs::symlink("/etc/passwd", world.dir.join("link")).unwrap();
    world.commit("attack");
    let found = found(&world, &[]);
    assert_eq!(
        [&found[0], &found[4], &found[5]],
        [&json!(false), &json!([]), &json!(["x\u{fffd}"])]
    );
    for (answer, why) in found[1..4].iter().zip([
        "bomb.yml is not valid YAML",
        "deep.json is not valid JSON",
        "link is a symbolic link",
    ]) {
        assert_has!(answer.to_string(), why);
    }
}

#[test]
fn what_is_too_large_or_cut_off_is_unknown() {
    let world = probing(&[
        json!({"lines": {"paths": ["big/"]}}),
        json!({"log": {"paths": ["src/"]}}),
        json!({"tree": "src"}),
    ]);
    for number in 0..5 {
        world.write(&format!("big/{number}"), vec![b'\n'; 15 << 20]);
    }
    world.commit("grow");
    let shallow = world.cloned("--depth 1", "shallow");
    let ran = world.sq_in(&shallow, &["probe", "q1", "q2", "q3"]);
    insta::assert_snapshot!(ran.transcript().replace(world.git_ok("rev-parse HEAD:src").trim(), "TREE"), @"
    q3 TREE
    unknown: q1: big/4 and what was read before it have more than 64 MiB
    unknown: q2: the history is cut off here, and older commits may have changed these files
    --- exit 3
    ");
}

#[test]
fn questions_without_a_probe_are_named() {
    let world = World::asked();
    insta::assert_snapshot!(world.sq(&["probe", "q1"]).transcript(), @"
    --- stderr
    fatal: q1 has no probe
    hint: `git sq question list` lists the questions
    --- exit 128
    ");
    insta::assert_snapshot!(world.sq(&["probe", "q99"]).transcript(), @"
    --- stderr
    fatal: there is no question q99 in the store
    hint: `git sq question list` lists the questions
    --- exit 128
    ");
}

/// What lies below a submodule or behind a symbolic link is elsewhere, so that `exist` takes it to be there.
#[cfg(unix)]
#[test]
fn what_may_be_elsewhere_is_not_missing() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.write(
        "docs/README.md",
        "`old/x.md`, `lib/a.c`, `lib/b/*.c`, `docs/README.md/x` and `gone/x`\n",
    );
    world.write("new/x.md", "x\n");
    symlink("new", world.dir.join("old")).unwrap();
    symlink("docs/README.md", world.dir.join("README.md")).unwrap();
    symlink("nowhere", world.dir.join("CLAUDE.md")).unwrap();
    world.git_ok("init -q lib");
    world.git_ok_in(
        &world.dir.join("lib"),
        "-c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
    );
    world.commit("elsewhere");
    let answer =
        |probe: &str| world.sq(&["probe", "--format", "json", probe]).json()["answers"][0].clone();
    for path in ["docs/README.md", "README.md", "*.md"] {
        let probe = format!(r#"{{"exist": {{"pattern": "`([^`]+)`", "paths": ["{path}"]}}}}"#);
        assert_eq!(answer(&probe)["value"], json!(["docs/README.md/x", "gone/x"]), "{path}");
    }
    let probe = r#"{"exist": {"pattern": "x", "paths": ["CLAUDE.md"]}}"#;
    assert_eq!(answer(probe)["gone"], "no file matches CLAUDE.md");
    // The other probes say of one and the same place that nobody looks there.
    let part = r#""file": "lib/a.c", "pattern": "x""#;
    let probes = [r#"{"tree": "lib/a.c"}"#.to_owned(), format!(r#"{{"text": {{{part}}}}}"#)];
    for probe in probes {
        let why = answer(&probe)["gone"].as_str().unwrap().to_owned();
        assert!(why.starts_with("lib is a submodule in "), "{why}");
    }
    let lib = world.git_ok("rev-parse HEAD:lib");
    assert_eq!(answer(r#"{"tree": "lib"}"#)["value"], lib.trim());
}
