//! Two places that should say the same: how they are named and compared.

use git_sq_test_support::World;
use insta::assert_snapshot;
use serde_json::json;

/// A README beside the range of a manifest, one commit for each pair.
fn needing(pairs: &[(&str, &str)]) -> World {
    let world = World::new();
    for (readme, range) in pairs {
        world.write("README.md", format!("You need Node {readme} or later.\n"));
        world.write("package.json", json!({"engines": {"node": range}}).to_string());
        world.commit("require");
    }
    world
}

/// Without ids, days and people, and without what is said below.
fn traced(world: &World, args: &[&str]) -> String {
    let text = world.sq(&[&["trace"], args].concat()).transcript();
    let (text, _) = text.split_once("\nTo ask it").unwrap_or((&text, ""));
    let ids = world.git_ok("log --format=%h --abbrev=10");
    ids.lines()
        .fold(text.replace(" 2026-01-01 Ada Example", ""), |text, id| text.replace(id, "COMMIT"))
}

const README: &str = "README.md:Node (\\S+)";
const ENGINES: &str = "package.json:/engines/node";

#[test]
fn a_range_agrees_with_its_lowest_bound() {
    let world = needing(&[("16", ">=16"), ("16", ">=18.15"), ("18", ">=18.15")]);
    assert_snapshot!(traced(&world, &[README, ENGINES]), @r#"
    README.md    18 since COMMIT
    package.json >=18.15 since COMMIT

    COMMIT: agree: 18 | >=18.15 (README.md changed)
    COMMIT: differ: 16 | >=18.15 (package.json changed)
    COMMIT: agree: 16 | >=16

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --agree 'README.md:Node (\S+)' package.json:/engines/node
    --- exit 0
    "#);
    let table = [
        ("16", "^16.4", true),
        ("3.1", "~> 3.1.4", true),
        ("16", "18 || 16 || >=20", true),
        ("18", "18 || 16", false),
        ("3.8", ">=3.8,<4", true),
        ("4", ">=3.8, <4", false),
        ("7.2", "^7.2.5|^8.0", true),
        ("14.17", ">=14.17.0 <15 || >= 16", true),
        ("16", "16.x", true),
        ("16", "16 - 18", true),
        ("7", "7.0.3", true),
        ("7.0.", "7.0.3", true),
        ("7.1", "7.0.3", false),
        ("3.10", "3.1", false),
        ("18.15", "18.15-rc.1", false),
        ("18", "18.15-rc.1", true),
        // There is no lowest one.
        ("20", "<20", false),
    ];
    for (readme, range, agree) in table {
        let world = needing(&[(readme, range)]);
        let traced = world.sq(&["trace", "--format", "json", README, ENGINES]).json();
        assert_eq!(traced["changes"][0]["value"], agree, "{readme} and {range}");
        assert_eq!(traced["changes"][0]["parts"], json!([{"value": readme}, {"value": range}]));
    }
}

/// 18.1 and 18.2 both agree with 18.
#[test]
fn each_of_three_places_is_compared_with_all_others() {
    let world = World::new();
    for (file, version) in [("a", "18.1"), ("b", "18"), ("c", "18.2")] {
        world.write(file, format!("node {version}\n"));
    }
    world.commit("require");
    let places = ["a", "b", "c"].map(|file| format!("{file}:node (\\S+)"));
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    assert_snapshot!(traced(&world, &places), @r#"
    a 18.1 since COMMIT
    b 18 since COMMIT
    c 18.2 since COMMIT

    COMMIT: differ: 18.1 | 18 | 18.2

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --agree 'a:node (\S+)' 'b:node (\S+)' 'c:node (\S+)'
    --- exit 0
    "#);
    assert_snapshot!(traced(&world, &places[..2]), @r#"
    a 18.1 since COMMIT
    b 18 since COMMIT

    COMMIT: agree: 18.1 | 18

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --agree 'a:node (\S+)' 'b:node (\S+)'
    --- exit 0
    "#);
}

#[test]
fn further_matches_of_a_place_are_named() {
    let world = World::new();
    world.write("README.md", "Node 18, not Node 16 any more.\nNode 18.2 is used.\n");
    world.write("package.json", r#"{"engines": {"node": "^18"}}"#);
    world.ask(&["q1"]);
    world.commit("begin");
    let places = ["README.md:Node ([\\d.]+)", ENGINES];
    let said = traced(&world, &places);
    assert_snapshot!(said, @r#"
    README.md    18 since COMMIT
    package.json ^18 since COMMIT

    COMMIT: agree: 18 | ^18

    To keep track of it:
      git sq question add NAME 'QUESTION?' --agree 'README.md:Node ([\d.]+)' package.json:/engines/node
    warning: README.md:Node ([\d.]+) matches 3 times (18, 16, 18.2), and only the first counts: narrow the pattern, or use `--every`
    --- exit 0
    "#);
    let json = world.sq(&[&["trace", "--format", "json"], &places[..]].concat()).json();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
    let every = [&places[..], &["--every"]].concat();
    assert_snapshot!(traced(&world, &every), @r#"
    README.md    18, 16, 18.2 since COMMIT
    package.json ^18 since COMMIT

    COMMIT: differ: 18, 16, 18.2 | ^18

    To keep track of it:
      git sq question add NAME 'QUESTION?' --agree 'README.md:Node ([\d.]+)' package.json:/engines/node --every
    --- exit 0
    "#);
    let add = |id: &str, options: &[&str]| {
        world
            .sq(&[&["question", "add", id, "Same?", "--agree"], &places[..], options].concat())
            .ok()
    };
    assert_has!(add("same", &[]), "matches 3 times (18, 16, 18.2)");
    let added = add("same-all", &["--every"]);
    assert_has!(added, "false: 18, 16, 18.2 | ^18");
    assert!(!added.contains("matches"), "{added}");
    let same = ["README.md:Node (18)", ENGINES, "--every"];
    assert_snapshot!(traced(&world, &same), @"
    README.md    18 since COMMIT
    package.json ^18 since COMMIT

    COMMIT: agree: 18 | ^18

    To keep track of it:
      git sq question add NAME 'QUESTION?' --agree 'README.md:Node (18)' package.json:/engines/node --every
    --- exit 0
    ");
}

#[test]
fn two_places_in_one_file_have_two_names() {
    let world = World::new();
    world.change("pyproject.toml", "[project]\npython = '>=3.9'\n[mypy]\npython = '3.9'\n");
    world.change("pyproject.toml", "[project]\npython = '>=3.10'\n[mypy]\npython = '3.9'\n");
    let places = ["pyproject.toml:/project/python", "pyproject.toml:mypy.\\npython = '(.*)'"];
    assert_snapshot!(traced(&world, &places), @r#"
    pyproject.toml:/project/python        >=3.10 since COMMIT
    pyproject.toml:mypy.\npython = '(.*)' 3.9 since COMMIT

    COMMIT: differ: >=3.10 | 3.9 (pyproject.toml:/project/python changed)
    COMMIT: agree: >=3.9 | 3.9

    To keep track of it:
      git sq init --empty
      git sq question add NAME 'QUESTION?' --agree pyproject.toml:/project/python 'pyproject.toml:mypy.\npython = '\''(.*)'\'''
    --- exit 0
    "#);
}

#[test]
fn what_is_named_alone_is_a_question_or_refused() {
    let world = needing(&[("16", ">=16")]);
    world.write(
        "standing_questions.json",
        r#"{"_schema": "standing_questions/v2", "questions": []}"#,
    );
    world.sq(&["question", "add", "node", "Same?", "--agree", README, ENGINES]).ok();
    world.commit("ask");
    assert_has!(traced(&world, &["node"]), "agree: 16 | >=16");
    let said = [&[README][..], &["README.md"], &["node", ENGINES], &["node", "--every"]]
        .map(|args| traced(&world, args));
    assert_snapshot!(said.concat(), @r#"
    --- stderr
    fatal: "README.md:Node (\\S+)" is no question, and one place has nothing to agree with
    hint: name a question, as in q4, or two places, as in README.md:'version (\S+)' Cargo.toml:/package/version
    --- exit 128
    --- stderr
    fatal: "README.md" is no question, and one place has nothing to agree with
    hint: name a question, as in q4, or two places, as in README.md:'version (\S+)' Cargo.toml:/package/version
    --- exit 128
    --- stderr
    fatal: "node" is not a place in a file
    hint: a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\S+)'
    --- exit 128
    --- stderr
    fatal: `--every` is about places, and none is given
    hint: a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\S+)'
    --- exit 128
    "#);
    let said = world.try_sq("question add x What? --every").stderr;
    assert_snapshot!(said, @r"
    fatal: `--every` is about places, and none is given
    hint: a place is FILE:/POINTER or FILE:PATTERN, as in Cargo.toml:/package/version or 'README.md:version (\S+)'
    ");
}

#[test]
fn before_the_first_commit_nothing_is_tried() {
    let world = World::without_repo();
    std::fs::create_dir_all(&world.dir).unwrap();
    world.git_ok("init -q");
    world.write(
        "standing_questions.json",
        r#"{"_schema": "standing_questions/v2", "questions": []}"#,
    );
    world.write("README.md", "Node 16\n");
    let add = ["question", "add", "node", "Same?", "--agree", README, "READNE.md:Node (\\S+)"];
    assert_snapshot!(world.sq(&add).transcript(), @"
    standing_questions.json: added node
    HEAD has no commit yet: `git sq check` tries it once there is one.
    Commit it: only HEAD's questions count.
    --- exit 0
    ");
    world.commit("Begin");
    assert_has!(world.try_sq("check").stdout, "READNE.md");
}

#[test]
fn several_pathspecs_follow_one_watch() {
    let world = needing(&[("16", ">=16")]);
    world.ask(&["q1"]);
    world.sq_ok("question add two Which? --watch README.md 'p*.json' --importance 2");
    assert_has!(world.read("standing_questions.json"), r#""watch": ["README.md", "p*.json"]"#);
}

/// What is missing is said once.
#[test]
fn a_brief_says_once_what_is_gone() {
    let world = needing(&[("16", ">=16")]);
    world.ask_json(
        r#"{"id": "q1", "q": "?", "importance": 3, "expect": true, "probe": {"agree": [
        {"text": {"file": "READNE.md", "pattern": "Node"}}, {"text": {"file": "CONTRIBUTING.md", "pattern": "Node"}}]}},
        {"id": "q2", "q": "?", "importance": 3, "expect": true, "probe": {"agree": [
        {"text": {"file": "README.md", "pattern": "Node (.)"}}, {"value": {"file": "package.json", "pointer": "/engines/node"}}]}}"#,
    );
    let brief = world.sq_ok("brief");
    let says = |word: &str| {
        brief.lines().filter(|line| line.contains(word)).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(says("fails: "), @"
    fails: missing (there is no file READNE.md, there is no file CONTRIBUTING.md), expected to be true
    fails: differ: README.md:1 1 | package.json:1 >=16, expected to be true
    ");
}
