//! The answer of a probe over history.

use git_sq_test_support::{World, each};
use serde_json::{Value, json};

/// q1 counts to-do notes, q2 lists files, q3 never changes, q4 needs judgement.
fn world() -> World {
    let world = World::new();
    world.write("README.md", "begin\n");
    world.ask_json(
        r#"{"id": "q1", "q": "?", "importance": 2, "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}},
        {"id": "q2", "q": "?", "importance": 2, "probe": {"files": {"paths": ["src/"]}}},
        {"id": "q3", "q": "?", "importance": 2, "probe": {"grep": {"text": "unsafe", "paths": ["src/", "README.md"], "take": "exists"}}},
        {"id": "q4", "q": "?", "importance": 2}"#,
    );
    for number in [2, 2, 5, 3] {
        world.change("src/a.rs", "// TODO\n".repeat(number));
        world.change("README.md", number.to_string());
    }
    world.git_ok("switch -q -c side HEAD~2");
    world.write("src/b.rs", "// TODO\n");
    world.git_ok("config user.name 'Eve \u{1b}[31m'");
    world.commit("aside");
    world.git_ok("switch -q main");
    world.git_ok("merge -q --no-ff -m merge side");
    world
}

/// Without the ids of commits.
fn trace(world: &World, args: &[&str]) -> String {
    let text = world.sq(&[&["trace"], args].concat()).transcript();
    world
        .git_ok("log --all --format=%H")
        .lines()
        .fold(text, |text, id| text.replace(id, "COMMIT").replace(&id[..10], "COMMIT"))
}

#[test]
fn commits_that_changed_the_answer_are_shown() {
    let world = world();
    insta::assert_snapshot!(trace(&world, &["q1"]), @r"
    COMMIT 2026-01-01 Eve \u001b[31m (merge): 3 -> 4
    COMMIT 2026-01-01 Ada Example: 5 -> 3
    COMMIT 2026-01-01 Ada Example: 2 -> 5
    COMMIT 2026-01-01 Ada Example: 2
    COMMIT 2026-01-01: not there yet (no file matches src/)
    --- exit 0
    ");
    insta::assert_snapshot!(trace(&world, &["q2"]), @r"
    COMMIT 2026-01-01 Eve \u001b[31m (merge): new: src/b.rs
    COMMIT 2026-01-01 Ada Example: new: src/a.rs
    COMMIT 2026-01-01 Ada Example: none
    --- exit 0
    ");
    let all = trace(&world, &["q1", "--all"]);
    assert_has!(all, "\nCOMMIT 2026-01-01 Eve \\u001b[31m: 5 -> 6\n");
    insta::assert_snapshot!(trace(&world, &["q3", "--tip", "HEAD~4"]), @"
    COMMIT 2026-01-01 Ada Example: false
    --- exit 0
    ");
    // The example in the docs.
    let page = include_str!("../../docs/questions.md");
    let says = |text: &str| -> Vec<String> {
        text.lines()
            .take_while(|line| !line.starts_with(['`', '-']))
            .map(|line| line.split(": ").last().unwrap().to_owned())
            .collect()
    };
    let (_, example) = page.split_once("$ git sq trace q1\n").unwrap();
    assert_eq!(says(example), says(&trace(&world, &["q1"])));
}

#[test]
fn programs_get_every_change_oldest_first() {
    let world = world();
    let traced = world.json("trace q1");
    assert_eq!(traced["q_id"], "q1");
    let changes = traced["changes"].as_array().unwrap();
    let values: Vec<Value> = changes.iter().map(|change| change["value"].clone()).collect();
    assert_eq!(json!(values), json!([null, 2, 5, 3, 4]));
    assert_eq!(changes[0]["gone"], "no file matches src/");
    assert_eq!(changes[0]["commit"], world.git_ok("rev-parse HEAD~9").trim());
    assert_eq!(changes[4]["commit"], world.head());
    let seconds: i64 = world.git_ok("log -1 --format=%ct").trim().parse().unwrap();
    let time = jiff::Timestamp::from_second(seconds).unwrap().to_string();
    assert_eq!(changes[4]["ts"].as_str().unwrap()[..19], time[..19]);
}

/// What is said, without what clap says each time.
fn refused(world: &World, args: &[&str]) -> String {
    let said = trace(world, args);
    let (_, said) = said.split_once("--- stderr\n").unwrap();
    said.replace("\n\nFor more information, try 'git sq help trace'.", "")
}

#[test]
fn what_can_not_be_traced_is_refused() {
    let world = world();
    let typo = ["--agree", "standing_questions.json:/_shcema", "README.md:(\\d)"];
    let said = [&["q4"][..], &["q9"], &["q1", "--tip", "nowhere"], &[], &typo]
        .map(|args| refused(&world, args));
    insta::assert_snapshot!(said.concat(), @r#"
    fatal: q4 has no built-in probe
    hint: `git sq question list` lists the questions
    --- exit 128
    fatal: there is no question q9 in the store
    hint: `git sq question list` lists the questions
    --- exit 128
    fatal: "nowhere" does not name a commit
    hint: give a branch, a tag or a commit, as in HEAD~3
    --- exit 128
    error: the following required arguments were not provided:
      <QUESTION|PLACE|--probe <JSON>|--agree <PLACE> <PLACE>...>

    Usage: git sq trace <QUESTION|PLACE|--probe <JSON>|--agree <PLACE> <PLACE>...>
    --- exit 129
    fatal: the probe finds nothing at any commit: standing_questions.json has no /_shcema
    hint: check the file, and the pointer or the pattern
    --- exit 128
    "#);
    let shallow = world.cloned("--depth 2", "shallow");
    let shallow = world.at(shallow);
    insta::assert_snapshot!(refused(&shallow, &["q1"]), @"
    fatal: the history is cut off here, and older commits may have changed these files
    hint: `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    --- exit 128
    ");
}

#[test]
fn where_an_object_is_missing_the_answer_there_is_unknown() {
    let world = world();
    let blob = world.git_ok("rev-parse HEAD~4:src/a.rs");
    world.lose(blob.trim());
    let text = trace(&world, &["q1"]).replace(blob.trim(), "BLOB");
    insta::assert_snapshot!(text, @r"
    COMMIT 2026-01-01 Eve \u001b[31m (merge): 3 -> 4
    COMMIT 2026-01-01 Ada Example: 2 -> 3
    COMMIT 2026-01-01 Ada Example: 2
    COMMIT 2026-01-01: not there yet (no file matches src/)
    unknown: the answer at COMMIT: the blob BLOB is missing
    --- exit 3
    ");
}

/// What one probe of `agree` leaves out, another one reads.
#[test]
fn a_comparison_is_traced_over_what_any_of_its_probes_reads() {
    let world = World::new();
    world.write("src/a", "1\n");
    world.write("docs/a", "1\n");
    world.ask_json(
        r#"{"id": "q1", "q": "?", "importance": 2, "probe":
        {"agree": [{"lines": {"paths": [".", ":!docs", ":(exclude)*.json"]}}, {"lines": {"paths": ["docs/a"]}}]}}"#,
    );
    world.change("docs/a", "1\n2\n");
    let traced = world.json("trace q1");
    let changes = each(&traced["changes"]);
    assert_eq!(changes.map(|change| &change["value"]).collect::<Vec<_>>(), [true, false]);
}

/// A repository without any store, whose README was not kept up to date.
#[test]
fn two_places_are_traced_without_a_store() {
    let world = World::new();
    world.write("docs/README.md", "A tool.\n");
    world.commit("begin");
    world.write("Cargo.toml", "[package]\nversion = \"1.0.0\"\n");
    world.write("docs/README.md", "A tool, version 1.0.0.\n");
    world.commit("release");
    world.change("Cargo.toml", "[package]\nversion = \"1.1.0\"\n");
    world.change("docs/README.md", "A good tool, version 1.0.0.\n");
    let docs = world.dir.join("docs");
    let docs = world.at(docs);
    let cargo = "../Cargo.toml:/package/version";
    let places = ["--agree", "README.md:version ([0-9.]+)\\.", cargo];
    insta::assert_snapshot!(trace(&docs, &places), @r"
    docs/README.md 1.0.0 since COMMIT 2026-01-01 Ada Example
    Cargo.toml     1.1.0 since COMMIT 2026-01-01 Ada Example

    COMMIT 2026-01-01 Ada Example: differ: 1.0.0 | 1.1.0 (Cargo.toml changed)
    COMMIT 2026-01-01 Ada Example: agree: 1.0.0 (docs/README.md, Cargo.toml changed)
    COMMIT 2026-01-01: not there yet (nothing in docs/README.md matches, there is no file Cargo.toml)

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --agree 'README.md:version ([0-9.]+)\.' ../Cargo.toml:/package/version
    --- exit 0
    ");
    let json = docs.sq(&[&["trace", "--format", "json"], &places[..]].concat()).json();
    assert_eq!(json["changes"][2]["parts"], json!([{"value": "1.0.0"}, {"value": "1.1.0"}]));
    assert_eq!(json["changes"][2]["moved"], json!([1]));
    assert_eq!(json["places"][0], "docs/README.md");
    // As far as both go, and as it stands there.
    let traced = trace(&docs, &["--agree", r"README.md:version (\d+\.\d+)", cargo]);
    assert_has!(traced, "agree: 1.0 | 1.0.0 ");
    // The option may be left out.
    assert_eq!(trace(&docs, &places[1..]), trace(&docs, &places));
    let probe = json!({"subset": [{"text": {"file": "docs/README.md", "pattern": "version (\\S+)"}},
        {"value": {"file": "Cargo.toml", "pointer": "/package/version"}}]});
    insta::assert_snapshot!(trace(&docs, &["--probe", &probe.to_string()]), @r#"
    docs/README.md 1.0.0. since COMMIT 2026-01-01 Ada Example
    Cargo.toml     1.1.0 since COMMIT 2026-01-01 Ada Example

    COMMIT 2026-01-01 Ada Example: 1: 1.0.0. (docs/README.md, Cargo.toml changed)
    COMMIT 2026-01-01: not there yet (nothing in docs/README.md matches, there is no file Cargo.toml)

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --probe '{"subset":[{"text":{"file":"docs/README.md","pattern":"version (\\S+)"}},{"value":{"file":"Cargo.toml","pointer":"/package/version"}}]}'
    --- exit 0
    "#);
    insta::assert_snapshot!(docs.sq(&["probe", &probe.to_string()]).transcript(), @"
    1.0.0.: 1.0.0. | 1.1.0
    --- exit 0
    ");
    let missing = json!({"exist": {"pattern": "version", "paths": ["docs/"]}}).to_string();
    insta::assert_snapshot!(docs.sq(&["probe", &missing, "--at", "HEAD~1"]).transcript(), @"
    version
    --- exit 0
    ");
}

#[test]
fn a_probe_that_is_given_is_checked() {
    let world = World::new();
    world.commit("begin");
    let said = [
        &["--probe", "{\"agree\": [{\"tree\": \"a\"}]}"][..],
        &["--probe", "{\"run\": [\"true\"]}"],
        &["--agree", "a:b"],
        &["--agree", "a", "b:c"],
        &["--agree", "a:(", "b:c"],
        &["--agree", "../a:b", "b:c"],
    ]
    .map(|args| refused(&world, args));
    insta::assert_snapshot!(said.concat(), @r#"
    error: invalid value '{"agree": [{"tree": "a"}]}' for '--probe <JSON>': `agree` needs at least two probes
    --- exit 129
    fatal: a command runs only where somebody approved it
    hint: add it as a question with `git sq question add`, then run `git sq question approve`
    --- exit 128
    error: 2 values required by '--agree <PLACE> <PLACE>...'; only 1 was provided

    Usage: git sq trace [OPTIONS] <QUESTION|PLACE|--probe <JSON>|--agree <PLACE> <PLACE>...>
    --- exit 129
    fatal: "a" is not a place in a file
    hint: a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\S+)'
    --- exit 128
    fatal: "(" is no regular expression: unclosed group
    hint: a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\S+)'
    --- exit 128
    fatal: ../a is outside the repository
    --- exit 128
    "#);
    let said = world.sq(&["probe", "{\"tree\": \"\"}"]).stderr;
    assert_has!(said, "fatal: invalid probe: \"\" is no path from the root of the repository\n");
}

#[test]
fn a_number_of_a_line_is_no_pattern() {
    let world = World::new();
    world.change("a", "1\n2\n");
    let refused = world.try_sq("trace a:1 a:2").exits(128);
    assert_has!(refused.stderr, "a:1 names a line by its number, which does not last");
}
