//! What the tool itself can read: built-in probes on the objects of a commit.

use git_sq_test_support::World;
use serde_json::{Value, json};

/// A world with one question for each of these probes, q1 on.
fn probing(probes: &[Value]) -> World {
    let world = World::new();
    ask(&world, probes);
    world
}

fn ask(world: &World, probes: &[Value]) {
    let questions = (1..).zip(probes).map(|(number, probe)| {
        json!({"id": format!("q{number}"), "q": "?", "importance": 2, "probe": probe})
    });
    let questions: Vec<Value> = questions.collect();
    let store = json!({"_schema": "standing_questions/v2", "questions": questions});
    world.write("standing_questions.json", store.to_string());
    world.write(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"1.2.0\"\n",
    );
    world.write(
        "README.md",
        "# A\n\nVersion 1.2.0.\n\n## Use\n\nRun it.\n\n## More\n",
    );
    world.write("src/a.rs", "fn a() {}\n// TODO: b\n  // TODO: c\n");
    world.write("src/b/c.rs", "fn c() {}\n");
    world.write(
        "ci.yml",
        "on: [push]\njobs:\n  test: {steps: 3}\npython: 3.10\nmatrix: ['3.11', '3.12', 20]\n",
    );
    world.write(
        "data.json",
        r#"{"a":{"b":[1,"x",true]},"n":null,"o":{},"supported":["3.11",20,"20"]}"#,
    );
    world.write("VERSIONS", "^1.2\nv1.70.1-rc.2+5\nlatest\n");
    world.write("docs/b.md", "`b.md` and `../src/a.rs`, `src/b/`,\n`gone.rs`, `/src`, `./b.md`, `../../out`, `gone.rs`\n");
    world.write("image.png", b"\x89PNG\0TODO\n");
    world.commit("begin");
}

/// What each probe found: its value, or why there was nothing.
fn found(world: &World, args: &[&str]) -> Vec<Value> {
    let args = [&["probe", "--format", "json"], args].concat();
    let answers = world.sq(&args).json()["answers"].clone();
    let answers = answers.as_array().unwrap().iter();
    answers
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
{"lines": {"paths": ["src/"]}} => 4
{"value": {"file": "Cargo.toml", "pointer": "/package/version"}} => "1.2.0"
{"value": {"file": "ci.yml", "pointer": "/jobs/test/steps"}} => 3
{"value": {"file": "data.json", "pointer": "/a/b"}} => [1, "x", true]
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
{"exist": {"pattern": "`", "paths": ["nothing.md"]}} => {"gone": "no file matches nothing.md"}
"##;
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let rows = table
        .trim()
        .lines()
        .map(|row| row.split_once(" => ").unwrap());
    let (probes, expected): (Vec<Value>, Vec<Value>) = rows
        .map(|(probe, value)| (parse(probe), parse(value)))
        .unzip();
    assert_eq!(found(&probing(&probes), &[]), expected);
}

#[test]
fn a_section_ends_at_the_next_heading_that_is_not_below_it() {
    let text = "# A\nx\n## B\n\ny\n```\n# no heading\n```\n### C #\nz\n## D\n# B\n## C#\n````md\n```\n# E\n```sh\n````\nx\n";
    let (probes, expected): (Vec<Value>, Vec<Value>) = [
        ("B", json!("y\n```\n# no heading\n```\n### C #\nz")),
        ("C", json!("z")),
        ("D", json!("")),
        (
            "no heading",
            json!({"gone": "sections.md has no heading \"no heading\""}),
        ),
        ("C#", json!("````md\n```\n# E\n```sh\n````\nx")),
        ("E", json!({"gone": "sections.md has no heading \"E\""})),
    ]
    .map(|(title, expected)| {
        let probe = json!({"text": {"file": "sections.md", "section": title}});
        (probe, expected)
    })
    .into_iter()
    .unzip();
    let world = World::new();
    world.write("sections.md", text);
    ask(&world, &probes);
    assert_eq!(found(&world, &[]), expected);
}

#[test]
fn objects_and_commits_are_named_by_their_ids() {
    let world = probing(&[json!({"tree": "src"}), json!({"log": {"paths": ["src/"]}})]);
    let tree = world.git_ok("rev-parse HEAD:src");
    assert_eq!(
        found(&world, &[]),
        [json!(tree.trim()), json!(world.head())]
    );
}

/// What editors on other systems write.
#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    let world = probing(&[
        json!({"text": {"file": "crlf.md", "pattern": "^version (.+)$"}}),
        json!({"text": {"file": "crlf.md", "pattern": "version (.+)"}}),
        json!({"text": {"file": "bom.md", "section": "A"}}),
        json!({"grep": {"pattern": "^# (.)", "paths": ["bom.md"], "capture": 1}}),
        json!({"value": {"file": "bom.json", "pointer": "/a"}}),
        json!({"text": {"file": "utf16.txt", "lines": [1, 1]}}),
    ]);
    world.write("crlf.md", "# A\r\nversion 1.0\r\n");
    world.write("bom.md", "\u{feff}# A\nx\n");
    world.write("bom.json", "\u{feff}{\"a\": 1}");
    world.write("utf16.txt", b"\xff\xfea\0\n\0");
    world.commit("write elsewhere");
    let gone = json!({"gone": "utf16.txt is not text"});
    let expected = [
        json!("1.0"),
        json!("1.0"),
        json!("x"),
        json!(["A"]),
        json!(1),
        gone,
    ];
    assert_eq!(found(&world, &[]), expected);
}

#[test]
fn what_can_not_be_parsed_is_explained() {
    let world = probing(&[
        json!({"value": {"file": "two.yml", "pointer": "/a"}}),
        json!({"value": {"file": "twice.yml", "pointer": "/a"}}),
        json!({"value": {"file": "open.toml", "pointer": "/a"}}),
    ]);
    world.write("two.yml", "a: 1\n---\na: 2\n");
    world.write("twice.yml", "a: 1\na: 2\n");
    world.write("open.toml", "a = [1\n");
    world.commit("break");
    insta::assert_snapshot!(world.sq(&["probe"]).transcript(), @"
    q1 gone: two.yml is not valid YAML: line 3 column 1: multiple YAML documents detected
    q2 gone: twice.yml is not valid YAML: line 2 column 1: duplicate mapping key: a
    q3 gone: open.toml is not valid TOML: unclosed array, expected `]` at line 1, column 7
    --- exit 0
    ");
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
    let url = format!("file://{}", world.dir.display());
    let partial = world.beside().join("partial");
    world.git_ok(&format!(
        "clone -q --bare --filter=blob:none {url} {}",
        partial.display()
    ));
    let ran = world.sq_in(&partial, &["probe", "--format", "json"]);
    assert_eq!(ran.json()["answers"][0]["value"], 5, "{}", ran.transcript());
    let files = std::fs::read_dir(partial.join("objects/pack")).unwrap();
    let packs = files.filter(|file| {
        let path = file.as_ref().unwrap().path();
        path.extension()
            .is_some_and(|extension| extension == "pack")
    });
    assert!(packs.count() <= 3, "the clone, the store, and the files");
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
    ]);
    insta::assert_snapshot!(world.sq(&["probe"]).transcript(), @r#"
    q1  gone: no file matches lib/
    q2  gone: no line matches
    q3  gone: there is no lib
    q4  gone: Cargo.toml has no /package/licence
    q5  gone: README.md is not valid JSON: expected value at line 1 column 1
    q6  gone: /n is null in data.json
    q7  gone: /o is not a single value in data.json
    q8  gone: README.md has no heading "Install"
    q9  gone: README.md has no lines 90 to 91
    q10 gone: there is no file src
    q11 gone: no commit touches lib/
    q12 gone: there is no lib: gone | gone
    --- exit 0
    "#);
}

#[test]
fn another_commit_is_read_without_a_checkout() {
    let world = probing(&[json!({"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}})]);
    world.write("src/a.rs", "fn a() {}\n");
    world.commit("do it");
    assert_eq!(found(&world, &[]), [json!(0)]);
    assert_eq!(found(&world, &["--at", "HEAD~1"]), [json!(2)]);
    let bare = world.beside().join("bare.git");
    world.git_ok(&format!("clone -q --bare . {}", bare.display()));
    let there = world
        .sq_in(&bare, &["probe", "--format", "json", "q1"])
        .json();
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
    insta::assert_snapshot!(world.sq(&["probe"]).transcript(), @r"
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
    for (one, two) in "abcdefghijklmnopqrstuvwxy"
        .chars()
        .zip("bcdefghijklmnopqrstuvwxyz".chars())
    {
        bomb += &format!("{two}: &{two} [{}]\n", format!("*{one}, ").repeat(9));
    }
    world.write("bomb.yml", bomb);
    world.write("deep.json", "[".repeat(100_000));
    world.write("latin.txt", b"x\xe9\n");
    std::os::unix::fs::symlink("/etc/passwd", world.dir.join("link")).unwrap();
    world.commit("attack");
    let ran = world.sq(&["probe", "--format", "json"]);
    let answers = ran.json();
    let gone = |number: usize| {
        answers["answers"][number]["gone"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    assert_eq!(answers["answers"][0]["value"], false, "{answers}");
    assert!(gone(1).contains("bomb.yml is not valid YAML"), "{answers}");
    assert!(gone(2).contains("deep.json is not valid JSON"), "{answers}");
    assert!(gone(3).contains("link is a symbolic link"), "{answers}");
    assert_eq!(answers["answers"][4]["value"], json!([]));
    assert_eq!(answers["answers"][5]["value"], json!(["x\u{fffd}"]));
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
    let url = format!("file://{}", world.dir.display());
    let shallow = world.beside().join("shallow");
    world.git_ok(&format!("clone -q --depth 1 {url} {}", shallow.display()));
    let ran = world.sq_in(&shallow, &["probe"]);
    insta::assert_snapshot!(ran.transcript().replace(world.git_ok("rev-parse HEAD:src").trim(), "TREE"), @"
    q3 TREE
    unknown: q1: big/4 and what was read before it have more than 64 MiB
    unknown: q2: the history is cut off here, and may have touched it before
    --- exit 3
    ");
}

/// Also where the question watches something else.
#[test]
fn pathspecs_of_probes_are_checked_by_lint() {
    let world = World::new();
    world.write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":2,
        "watch":["src/"],"probe":{"files":{"paths":[":(attr:x)a"]}}}]}"#,
    );
    assert_has!(
        world.try_sq("question lint").stderr,
        "does not look at attributes"
    );
}

#[test]
fn questions_without_a_built_in_probe_are_named() {
    let world = World::asked();
    insta::assert_snapshot!(world.sq(&["probe"]).transcript(), @"
    No question has a built-in probe.
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["probe", "q1"]).transcript(), @"
    --- stderr
    fatal: q1 has no probe
    hint: docs/questions.md lists the kinds of probes
    --- exit 128
    ");
    insta::assert_snapshot!(world.sq(&["probe", "q99"]).transcript(), @"
    --- stderr
    fatal: there is no question q99 in the store
    hint: `git sq question list` lists the questions
    --- exit 128
    ");
}
