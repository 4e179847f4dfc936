//! Texts that are made from the program are current, and what it prints is what its schemas say.
//!
//! `SQ_UPDATE=1 cargo test --test cli generated` writes the texts anew.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use git_sq::cli::{SCHEMAS, reference, schema_text};
use git_sq_test_support::{Ran, World};
use jsonschema::Validator;
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether files are to be written instead of compared.
pub fn is_update() -> bool {
    env::var_os("SQ_UPDATE").is_some_and(|value| value == "1")
}

/// Compares a file of this repository with what it should say, or writes it.
#[track_caller]
fn expect_file(path: &str, text: &str) {
    let file = root().join(path);
    if is_update() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "{path} is not current; `SQ_UPDATE=1 cargo test --test cli` writes it anew\n{}",
        first_difference(&found, text)
    );
}

/// The first line in which two texts differ.
fn first_difference(found: &str, wanted: &str) -> String {
    let mut wanted = wanted.lines();
    for (number, line) in (1..).zip(found.lines()) {
        let want = wanted.next().unwrap_or_default();
        if want != line {
            return format!("line {number}: {line:?}, not {want:?}");
        }
    }
    let missing = wanted.next().unwrap_or_default();
    format!("at the end: {missing:?} is missing")
}

pub fn validator(name: &str) -> Validator {
    let text = schema_text(name).unwrap_or_else(|| panic!("there is no schema {name}"));
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[track_caller]
pub fn assert_valid(name: &str, value: &Value) {
    let errors: Vec<String> = validator(name)
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{value:#}");
}

#[test]
fn the_reference_of_the_commands_is_current() {
    expect_file("docs/cli.md", &reference());
}

#[test]
fn the_schemas_are_current_and_complete() {
    let wanted: BTreeSet<String> =
        SCHEMAS.iter().map(|(name, ..)| format!("{name}.json")).collect();
    for (name, ..) in SCHEMAS {
        let text = schema_text(name).unwrap();
        expect_file(&format!("schemas/{name}.json"), &text);
    }
    let folder = root().join("schemas");
    for entry in fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if wanted.contains(&name) {
            continue;
        }
        assert!(is_update(), "schemas/{name} describes nothing");
        fs::remove_file(folder.join(name)).unwrap();
    }
}

#[test]
fn every_command_prints_what_its_schema_says() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s01 --same q1=one --same q2=two");
    world.change("src/lib.rs", "// something\n");
    world.sq_ok("state set --sid s02 --done 'see src/lib.rs:1' --next x");
    let lines =
        [("status", ""), ("brief", "brief"), ("show", "show"), ("check", "check"), ("log", "log")];
    let later = [
        ("check", "check --original --staleness 0"),
        ("show", "show q1"),
        ("log", "log --deltas"),
        ("status", ""),
        ("verify", "verify"),
        ("stats", "stats"),
        ("fleet", "fleet ."),
    ];
    let hold = |(name, line): (&str, &str)| {
        let ran = world.try_sq(&format!("{line} --format json"));
        assert_eq!(ran.stderr, "", "{name}");
        assert_valid(name, &ran.json());
        name.to_owned()
    };
    let mut seen: BTreeSet<String> = lines.into_iter().map(hold).collect();
    world.sq_ok("record --sid s02 --delta q1=other");
    seen.extend(later.into_iter().map(hold));
    // Held against in errors.rs and sessions.rs, and by what is stored.
    seen.insert("error".into());
    for (name, what, _) in SCHEMAS {
        let is_printed = what.contains("--format json");
        assert!(!is_printed || seen.contains(*name), "no output was held against {name}");
    }
}

#[test]
fn every_line_that_is_written_is_what_its_schema_says() {
    let world = World::new().env("SQ_AGENT", "ada").env("SQ_MODEL", "m1");
    world.ask(&["q1", "q2"]);
    let input = json!({"results": [
        {"q_id": "q1", "delta": false, "note": "one"},
        {"q_id": "q2", "delta": false, "note": "two", "q_version": 1},
    ]});
    assert_valid("record-input", &input);
    world.sq_with_input(&["record", "--json", "-"], &input.to_string()).ok();
    world.git_ok("switch --quiet -c topic");
    world.change("a.txt", "a\n");
    world.sq_ok("record --delta q1=two");
    world.git_ok("switch --quiet --detach");
    world.sq_ok("record --same q1");
    let original = json!({
        "ts": "2026-01-01T00:00:00Z", "kind": "rederive", "sid": "s01", "repo_head_sha": world.head()[..8],
        "results": [{"q_id": "q1", "last_rederived_ts": "2026-01-01T00:00:00Z", "delta": false, "note": "one"}],
    });
    world.write("old.jsonl", original.to_string());
    world.sq_ok("import old.jsonl");
    let lines = world.lines();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    for line in lines {
        assert_valid("rederive", &serde_json::from_str(&line).unwrap());
    }
    let old = world.head();
    world.git_ok("commit --quiet --amend -m Again");
    world.sq_ok(&format!("carry {old}"));
    let open = "tension open Why? --type dropped-thread --source 'a talk' --curiosity 0.1 --intrusiveness 1";
    world.sq_ok(&format!("{open} --cite a.txt:1 --ttl 3d"));
    let opened = world.json(open);
    let id = opened["tensions"][0]["id"].as_str().unwrap();
    world.sq_ok(&format!("tension close {id} --as withdrawn --note so --cite {id}"));
    for (kind, schema) in [
        ("carry", "carry-entry"),
        ("tension.open", "tension-open"),
        ("tension.close", "tension-close"),
    ] {
        let mut lines = world.lines();
        lines.retain(|line| line.contains(&format!("\"kind\":\"{kind}\"")));
        assert!(!lines.is_empty(), "{kind}");
        for line in lines {
            let line = serde_json::from_str(&line).unwrap();
            assert_valid(schema, &line);
            assert!(!validator("rederive").is_valid(&line));
        }
    }
}

#[test]
fn what_record_reads_is_what_its_schema_says() {
    let world = World::asked();
    let table = r#"
good {"results": [{"q_id": "q1", "delta": false, "note": "one"}]}
bad {"results": [{"q_id": "q1", "note": "one"}]}
bad {"results": [{"q_id": "q1", "delta": "no", "note": "one"}]}
bad {"results": [{"q_id": "q1", "delta": false, "ts": "2020-01-01T00:00:00Z"}]}
bad {"results": [{"q_id": "q1", "delta": false, "note": "one"}], "sid": "s01"}
"#;
    for row in table.trim().lines() {
        let (expected, input) = row.split_once(' ').unwrap();
        let (input, good): (Value, bool) =
            (serde_json::from_str(input).unwrap(), expected == "good");
        let ran = world.sq_input("record --json -", &input.to_string());
        assert_eq!(ran.code == 0, good, "{input} {}", ran.transcript());
        assert_eq!(validator("record-input").is_valid(&input), good, "{input}");
    }
}

/// The seeds that `git sq init` can plant.
fn seeds() -> Vec<PathBuf> {
    let seeds: Vec<PathBuf> = fs::read_dir(root().join("seeds/questions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!seeds.is_empty());
    seeds
}

fn lint(world: &World, store: &Value) -> Ran {
    let text = serde_json::to_string_pretty(store).unwrap();
    world.write("context/standing_questions.json", text);
    world.try_sq("question lint")
}

#[test]
fn the_seeds_are_stores_to_the_program_and_to_the_schema() {
    let world = World::new();
    for seed in seeds() {
        let text = fs::read_to_string(&seed).unwrap();
        assert_valid("questions", &serde_json::from_str(&text).unwrap());
        world.write("context/standing_questions.json", &text);
        let said = world.sq_ok("question lint");
        let is_empty = seed.ends_with("empty.json");
        assert!(is_empty || !said.contains("warning"), "{}: {said}", seed.display());
    }
}

#[test]
fn the_schema_of_the_store_and_the_program_agree() {
    let world = World::new();
    let store = || -> Value {
        json!({
            "_schema": "standing_questions/v2",
            "_note": "raw readers see this",
            "settings": {"staleness": {"max": 4}, "quiet.max_run": 3},
            "questions": [{
                "id": "q1", "q": "What is it?", "importance": 3, "status": "active", "version": 2,
                "created": "2026-01-01", "reason": "clearer", "evidence_hint": "README.md",
                "shape": {"enum": ["yes", "no"]}, "watch": ["src/"], "trigger": {"every": "7d"},
                "severity": "blocking", "expect": "stable", "probe": {"run": ["make", "check"]},
                "max_staleness": 2, "require_evidence": false,
            }],
        })
    };
    let with = |pointer: &str, key: &str, value: Value| {
        let mut changed = store();
        changed.pointer_mut(pointer).unwrap()[key] = value;
        changed
    };
    let question = "/questions/0";
    let table = r#"
good store x-owner "ada"
good store $schema "questions.json"
good question x-ticket 7
good question shape "boolean"
good question trigger "on-change"
good question trigger "every_session"
good question trigger {"sessions": 5}
good question lines "^name"
good store settings {"second.per_session": 1, "ignore_lines": ["ab12"]}
good question probe {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}
good question probe {"files": {"paths": ["migrations/*.sql"], "take": "count"}}
bad question importence 3
bad store setings {}
bad store _schema "standing_questions/v9"
bad question id "Q1"
bad question importance 4
bad question status "open"
bad question version 0
bad question shape "words"
bad question trigger "always"
bad question trigger {"sessions": 0}
bad question lines ""
bad question id "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
bad store settings {"second": {"gates": 1}}
bad question probe {"shell": "make"}
bad question watch "src/"
"#;
    for (store, good) in table
        .trim()
        .lines()
        .map(|row| {
            let parts: Vec<&str> = row.splitn(4, ' ').collect();
            let place = if parts[1] == "store" { "" } else { question };
            let value = serde_json::from_str(parts[3]).unwrap();
            (with(place, parts[2], value), parts[0] == "good")
        })
        .chain([(store(), true)])
    {
        let ran = lint(&world, &store);
        assert_eq!(ran.code == 0, good, "{store:#}\n{}", ran.transcript());
        assert_eq!(validator("questions").is_valid(&store), good, "{store:#}");
    }
}

/// The examples in a page of docs/: blocks marked `json <schema>`.
fn examples(page: &str) -> Vec<(String, Value)> {
    fs::read_to_string(root().join(page))
        .unwrap()
        .split("```json ")
        .skip(1)
        .map(|block| {
            let (name, rest) = block.split_once('\n').unwrap();
            let body = rest.split("```").next().unwrap();
            let value =
                serde_json::from_str(body).unwrap_or_else(|error| panic!("{page}: {error}"));
            (name.to_owned(), value)
        })
        .collect()
}

#[test]
fn the_examples_in_the_pages_are_what_they_say() {
    let world = World::new();
    let mut seen = 0;
    for (name, mut value) in ["docs/format.md", "docs/ci.md", "docs/teams.md", "docs/questions.md"]
        .into_iter()
        .flat_map(examples)
    {
        let schema = if name == "settings" {
            value = json!({
                "_schema": "standing_questions/v2",
                "settings": value,
                "questions": [{"id": "q1", "q": "What is it?", "importance": 3}],
            });
            "questions"
        } else {
            &name
        };
        assert_valid(schema, &value);
        if schema == "questions" {
            lint(&world, &value).ok();
        }
        seen += 1;
    }
    assert_eq!(seen, 11);
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    for page in ["docs", "docs/rules"]
        .into_iter()
        .flat_map(|folder| {
            fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path())
        })
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .chain([root().join("README.md")])
    {
        for link in fs::read_to_string(&page).unwrap().split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            let found = target.contains("://") || page.with_file_name(target).exists();
            assert!(found, "{}: {target} is not there", page.display());
        }
    }
}
