//! A shared set of questions, pulled into the store of a repository.

use std::fs;

use git_sq_test_support::World;
use serde_json::{Value, json};

fn store(questions: &Value) -> String {
    let store = json!({"_schema": "standing_questions/v2", "questions": questions});
    serde_json::to_string_pretty(&store).unwrap()
}

fn question(id: &str, version: u32, text: &str) -> Value {
    json!({"id": id, "version": version, "q": text, "importance": 2, "watch": ["README.md"]})
}

/// A repository that asks q1, beside a company's repository with a set of its own.
fn world() -> World {
    let world = World::asked();
    world.git_ok("init --quiet -b main ../company");
    publish(
        &world,
        &json!([question("license", 1, "Which license?"), question("owner", 1, "Who owns it?")]),
    );
    world
}

fn publish(world: &World, questions: &Value) {
    let company = world.root().join("company");
    fs::write(company.join("standing_questions.json"), store(questions)).unwrap();
    world.git_ok_in(&company, "add --all");
    world.git_ok_in(&company, "commit --quiet -m ask");
}

fn local(world: &World) -> Value {
    let text = world.read("standing_questions.json");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn questions_are_copied_with_their_source() {
    let world = world();
    let said = world.sq_ok("question pull ../company");
    insta::assert_snapshot!(said, @"
    standing_questions.json: took license, owner from ../company
    The store now has the format standing_questions/v2, which this change needs.
    Commit it: only HEAD's questions count.
    ");
    let all = local(&world);
    let [q1, license, owner] = all["questions"].as_array().unwrap().as_slice() else {
        panic!("{all}");
    };
    assert_eq!((&q1["id"], &q1["x-from"]), (&json!("q1"), &Value::Null));
    assert_eq!(
        *license,
        json!({"id": "license", "version": 1, "q": "Which license?", "importance": 2,
        "watch": ["README.md"], "x-from": "../company"})
    );
    assert_eq!(owner["x-from"], "../company");
    world.sq_ok("question lint");
    assert_eq!(world.sq_ok("question pull"), "../company: nothing newer\n");
    assert_eq!(world.sq_ok("question pull --check"), "../company: nothing newer\n");
    assert_eq!(local(&world), all);
}

#[test]
fn newer_versions_replace_what_was_pulled() {
    let world = world();
    world.sq_ok("question pull ../company");
    world.sq_ok("question retire owner");
    let before = local(&world);
    let mut old = question("license", 1, "Which license?");
    old["status"] = json!("deprecated");
    publish(
        &world,
        &json!([
            old,
            question("license", 2, "Which SPDX license?"),
            question("owner", 2, "Who?"),
            question("size", 1, "How large?")
        ]),
    );
    let ran = world.try_sq("question pull --check");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "../company: newer: license@2, size\n"));
    assert_eq!(local(&world), before, "it only looks");
    // From elsewhere, with the same name for the source.
    world.write("below/a", "");
    world.sq_ok_in(&world.dir.join("below"), "question pull ../../company");
    let all = local(&world);
    let rows = all["questions"].as_array().unwrap();
    assert_eq!(rows[4]["x-from"], "../company");
    let rows: Vec<String> = rows
        .iter()
        .map(|question| {
            format!("{} {} {}", question["id"], question["version"], question["status"])
        })
        .collect();
    assert_eq!(
        rows,
        [
            "\"q1\" null null",
            "\"license\" 1 \"deprecated\"",
            "\"license\" 2 null",
            "\"owner\" 1 \"retired\"",
            "\"size\" 1 null"
        ]
    );
    world.sq_ok("question lint");
}

#[test]
fn own_questions_are_left_alone() {
    let world = world();
    publish(
        &world,
        &json!([question("q1", 1, "Another question?"), question("size", 1, "How large?")]),
    );
    let ran = world.try_sq("question pull ../company").exits(1);
    assert_has!(ran.stderr, "warning: q1 has another text here");
    let text = |place: usize| local(&world)["questions"][place]["q"].clone();
    assert_eq!((text(0), text(1)), (json!("What about q1?"), json!("How large?")));
    publish(&world, &json!([question("q1", 2, "Another question?")]));
    let ran = world.try_sq("question pull ../company").exits(1);
    assert_has!(ran.stderr, "was not pulled; give yours another id");
}

#[test]
fn no_source_takes_over_the_questions_of_another() {
    let world = world();
    world.sq_ok("question pull ../company");
    world.git_ok("clone --quiet ../company ../fork");
    let before = local(&world);
    // The same question is no reason to complain.
    assert_eq!(world.sq_ok("question pull ../fork"), "../fork: nothing newer\n");
    let fork = world.root().join("fork");
    let theirs = json!([question("owner", 2, "Who?"), question("size", 1, "How large?")]);
    fs::write(fork.join("standing_questions.json"), store(&theirs)).unwrap();
    world.git_ok_in(&fork, "commit --quiet -am change");
    for (options, did) in [("--check ", "newer: size"), ("", "took size from ../fork")] {
        let ran = world.try_sq(&format!("question pull {options}../fork")).exits(1);
        assert_eq!(
            ran.stderr,
            "warning: owner@2: owner here came from ../company; pull it from there, or change its x-from\n"
        );
        assert_has!(ran.stdout, did);
    }
    let (all, before) = (local(&world), before["questions"].clone());
    let rows = all["questions"].as_array().unwrap();
    assert_eq!(rows[..3], *before.as_array().unwrap());
    assert_eq!((rows.len(), &rows[3]["x-from"]), (4, &json!("../fork")));
    // Whoever changes the key agrees to the new source.
    let moved = all.to_string().replace("../company", "../fork");
    world.write("standing_questions.json", moved);
    assert_has!(world.sq_ok("question pull"), "took owner@2 from ../fork");
}

#[test]
fn a_source_is_a_file_a_repository_or_a_url() {
    let world = world();
    let root = world.root();
    world.git_ok("clone --quiet --mirror ../company ../mirror.git");
    let url = format!("file://{}/mirror.git", root.display());
    for source in ["../company/standing_questions.json", "../mirror.git", &url] {
        world.git_ok("checkout --quiet .");
        world.sq_ok(&format!("question pull {source}"));
        assert_eq!(local(&world)["questions"][1]["x-from"], source);
        world.sq_ok("question pull --check");
    }
    let before = local(&world);
    for (source, why) in [
        ("nowhere", "there is no such file or repository"),
        ("../home", "not a git repository"),
        ("file:///nowhere", "does not appear to be a git repository"),
        ("--upload-pack=x:y", "error"),
        ("fd::17", "transport 'fd' not allowed"),
        ("ext::touch ran", "transport 'ext' not allowed"),
        ("sq-test://example.org/a", "transport 'sq-test' not allowed"),
        ("https://ada:secret@example.org/a.git", "the URL has a name or a password"),
        ("https://token@example.org/a.git", "the URL has a name or a password"),
    ] {
        let ran = world.sq(&["question", "pull", "--", source]);
        assert_eq!(ran.code, 128, "{source}: {}", ran.transcript());
        if why != "error" {
            assert_has!(ran.stderr, why);
        }
    }
    assert!(!world.dir.join("ran").exists());
    let agent = world.env("SQ_AGENT", "ada");
    publish(&agent, &json!([question("size", 1, "How large?")]));
    assert_has!(agent.try_sq("question pull ../company").exits(128).stderr, "for people only");
    assert_eq!(agent.try_sq("question pull ../company --check").code, 1);
    assert_eq!(local(&agent), before);
}
