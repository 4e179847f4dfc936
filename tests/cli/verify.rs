//! What probes answered, derived again at the commits of the entries.

use std::sync::OnceLock;

use git_sq_test_support::{Ran, Template, World, each};
use serde_json::{Value, json};

use crate::generated::assert_valid;

/// q1 counts to-do notes, q2 needs judgement.
const QUESTIONS: &str = r#"{"id":"q1","q":"How much is left to do?","importance":3,"probe":{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}},
    {"id":"q2","q":"Is the design sound?","importance":2,"watch":["docs/"]}"#;

/// One to-do note more in each of three sessions.
fn world() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = World::new();
        world.ask_json(QUESTIONS);
        for session in 1..=3 {
            world.change("src/a.rs", "// TODO\n".repeat(session));
            world.sq_ok(&format!("record --sid s{session}"));
        }
        world
    })
}

/// Adds lines to HEAD's note, as somebody would who writes notes without the program.
fn add(world: &World, lines: &[String]) {
    let note = [world.note(&world.head()), lines.concat().into_bytes()].concat();
    let blob = world.blob(&note);
    world.git_ok(&format!("notes --ref=sq add -f -C {blob} HEAD"));
}

/// The verdict on a session's answer, and why.
fn verdict(world: &World, sid: &str) -> String {
    let found = world.json("verify --answers");
    let mut results = each(&found["results"]);
    let result = results.find(|result| result["sid"] == sid).unwrap();
    let text = |key: &str| result[key].as_str().unwrap().to_owned();
    let text = format!("{}: {}", text("verdict"), text("why"));
    ["HEAD", "HEAD~1"].into_iter().fold(text, |text, name| {
        let id = world.try_git(&format!("rev-parse {name}")).stdout;
        text.replace(id.get(..10).unwrap_or("~"), name)
    })
}

/// The verdict on a copy of the newest answer, of another session, with what `change` does to it.
fn forged(change: impl FnOnce(&mut Value)) -> String {
    let world = world();
    let mut entry = world.newest();
    entry["sid"] = "forged".into();
    entry["n"] = 99.into();
    change(&mut entry);
    add(&world, &[entry.to_string() + "\n"]);
    world.pass(30 * 24 * 3600);
    verdict(&world, "forged")
}

#[test]
fn what_was_recorded_by_the_program_holds() {
    let world = world();
    world.commit("nothing that matters");
    world.sq_ok("record --sid s4");
    insta::assert_snapshot!(world.sq(&["verify", "--answers"]).transcript(), @"
    verified 4 recorded answers: all stand
    --- exit 0
    ");
    let found = world.json("verify --answers");
    assert_eq!((&found["holds"], &found["false_below"]), (&json!(4), &Value::Null));
    assert_eq!(found["results"][0]["sid"], "s4");
    assert_valid("verify", &found);
    let entry = found["results"][1]["entry"].as_str().unwrap();
    insta::assert_snapshot!(world.sq(&["verify", "--entry", entry]).transcript(), @"
    verified 1 recorded answer: 1 stands
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["verify", "--since", "2030-01-01"]).transcript(), @"
    Nothing to verify: no answer has evidence.
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["verify", "--entry", "01ABC"]).transcript().replace(&world.head()[..10], "HEAD"), @r#"
    --- stderr
    fatal: main at HEAD contains no entry "01ABC" with answers
    hint: `git sq log --format json` shows the entries with their ids
    --- exit 128
    "#);
    insta::assert_snapshot!(world.sq(&["verify", "--answers", "--tip", "HEAD~2"]).transcript(), @"
    verified 2 recorded answers: all stand
    --- exit 0
    ");
}

/// Draws by one seed after another until so many answers differ; ids are random, so a few draws may be alike.
fn drawn_within_reason(wanted: usize, draw: impl Fn(usize) -> Value) -> usize {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..100 {
        seen.insert(draw(seed).to_string());
        if seen.len() == wanted {
            break;
        }
    }
    seen.len()
}

#[test]
fn a_sample_is_drawn_by_its_seed_and_says_what_it_means() {
    let world = world();
    let drawn = |seed: usize| {
        let found = world.json(&format!("verify --sample 1 --seed {seed}"));
        found["results"][0]["sid"].clone()
    };
    assert_eq!(drawn(7), drawn(7));
    assert_eq!(drawn_within_reason(3, drawn), 3);
    insta::assert_snapshot!(world.sq(&["verify", "--sample", "2", "--seed", "x"]).transcript(), @"
    verified 2 of 3 recorded answers: all stand
    --- exit 0
    ");
    insta::assert_snapshot!(world.sq(&["verify", "--sample", "9", "--seed", "x"]).transcript(), @"
    verified 3 recorded answers: all stand
    --- exit 0
    ");
    // All that the base does not contain, and the draw from the rest.
    insta::assert_snapshot!(world.sq_ok("verify --base HEAD~1 --sample 1 --seed x"), @"verified 2 of 3 recorded answers: all stand");
    let both = |seed: usize| {
        let found = world.json(&format!("verify --base HEAD~1 --sample 1 --seed {seed}"));
        assert_eq!((&found["results"][0]["sid"], &found["drawn"]), (&json!("s3"), &json!(1)));
        found["results"][1]["sid"].clone()
    };
    assert_eq!(drawn_within_reason(2, both), 2);
    assert_eq!(world.try_sq("verify --base HEAD").code, 129);
    assert_eq!(world.try_sq("verify --sample 2").code, 129);
    assert_eq!(world.try_sq("verify --sample 0 --seed x").code, 129);
}

#[test]
fn what_the_repository_contradicts_fails() {
    let world = world();
    let mut entry = world.newest();
    let id = entry["id"].as_str().unwrap().to_owned();
    entry["sid"] = "\u{1b}[31mliar".into();
    entry["results"][0]["answer"] = 7.into();
    add(&world, &[entry.to_string() + "\n"]);
    let ran = world.sq(&["verify", "--answers"]).transcript().replace(&id, "ENTRY");
    insta::assert_snapshot!(ran.replace(&world.head()[..10], "HEAD"), @r"
    fails: q1 of session \u001b[31mliar (ENTRY): it recorded 7, and its probe gives 3 at HEAD
    verified 4 recorded answers: 3 stand, 1 does not
    --- exit 1
    ");
    let page = include_str!("../../docs/audit.md");
    assert!(page.contains("): it recorded 7, and its probe gives 3 at "));
    let answer = |value: Value| forged(|entry| entry["results"][0]["answer"] = value);
    insta::assert_snapshot!(answer(json!({"gone": true})), @r#"
    fails: it recorded {"gone":true}, and its probe gives 3 at HEAD
    "#);
    insta::assert_snapshot!(answer(json!("3".repeat(500))), @r#"
    fails: it recorded "33333333333333333333333333333333333333333333333333333333333…, and its probe gives 3 at HEAD
    "#);
    let none = forged(|entry| drop(entry["results"][0]["answer"].take()));
    insta::assert_snapshot!(none, @"fails: it names a probe, and records no answer");
    insta::assert_snapshot!(forged(|entry| entry["results"][0]["evidence"]["probe"] = "0".repeat(32).into()), @"fails: it names another probe than q1 has");
    insta::assert_snapshot!(forged(|entry| entry["results"][0]["q_version"] = 9.into()), @"fails: the question store that it answered has no q1@9");
    insta::assert_snapshot!(forged(|entry| entry["results"][0]["q_id"] = "q2".into()), @"fails: q2 has no probe in the question store that it answered");
}

#[test]
fn an_answer_whose_commit_is_not_here_is_verified_by_content() {
    for named in ["1".repeat(40), "no commit".into()] {
        let (named, holds) = (&named, "holds: its probe gives the same at HEAD");
        let lost = |change: fn(&mut Value)| {
            forged(|entry| {
                entry["repo_head_sha"] = named.as_str().into();
                change(entry);
            })
        };
        assert_eq!(lost(|_| ()), holds);
        insta::allow_duplicates! {
            insta::assert_snapshot!(lost(|entry| entry["results"][0]["answer"] = 7.into()), @"fails: it recorded 7, and its probe gives 3 at HEAD");
            // It was given about other files than the commit that carries it has.
            let elsewhere = lost(|entry| {
                entry["results"][0]["answer"] = 7.into();
                entry["head"]["tree"] = "1".repeat(40).into();
            });
            insta::assert_snapshot!(elsewhere, @"outdated: it recorded 7, and its probe gives 3 at HEAD; the commit that it names is not here");
        }
        assert_eq!(lost(|entry| entry["head"]["tree"] = "1".into()), holds);
    }
    insta::assert_snapshot!(forged(|entry| entry["head"]["tree"] = "1".repeat(40).into()), @"fails: it records another tree than HEAD has");
}

#[test]
fn what_can_not_be_told_is_said() {
    // The tip asks the same.
    insta::assert_snapshot!(forged(|entry| entry["store"] = "1".repeat(40).into()), @"holds: its probe gives the same at HEAD");
    let none = forged(|entry| drop(entry.as_object_mut().unwrap().remove("store")));
    insta::assert_snapshot!(none, @"cant-tell: it names no question store");
    // A store that was not committed yet, and was otherwise when it was.
    let world = World::new();
    world.change("src/a.rs", "// TODO\n");
    let store = format!(r#"{{"_schema":"standing_questions/v2","questions":[{QUESTIONS}]}}"#);
    world.write("standing_questions.json", store);
    world.sq_ok("record --sid s1");
    insta::assert_snapshot!(verdict(&world, "s1"), @"cant-tell: the question store that it answered can't be read");
    world.ask_json(&QUESTIONS.replace("left", "still left"));
    insta::assert_snapshot!(verdict(&world, "s1"), @"holds: its probe gives the same at HEAD~1");
    assert_eq!(world.sq(&["verify", "--answers"]).code, 0);
}

#[test]
fn a_copy_is_derived_again_at_the_commit_that_it_names() {
    let world = world();
    let old = world.head();
    world.git_ok("commit -q --amend -m reworded");
    world.sq_ok("carry");
    let found = world.json("verify --answers");
    let mut results = each(&found["results"]);
    let copy = results.find(|result| result["sid"] == "s3").unwrap();
    assert_eq!(copy["commit"], world.head());
    insta::assert_snapshot!(copy["why"].as_str().unwrap().replace(&old[..10], "OLD"), @"its probe gives the same at OLD");
    world.lose(&old);
    insta::assert_snapshot!(world.sq(&["verify", "--answers"]).transcript(), @"
    verified 3 recorded answers: all stand
    --- exit 0
    ");
}

/// The verdict on an answer whose citation somebody changed in the log.
fn cited(change: impl FnOnce(&mut Value)) -> String {
    static MADE: OnceLock<Template> = OnceLock::new();
    let world = World::copy_of(&MADE, || {
        let world = world();
        world.change("docs/a.md", "# Design\n\nIt is sound.\n");
        let input = json!({"results": [{"q_id": "q2", "answer": "yes",
            "cites": [{"at": "docs/a.md:2-3", "quote": "is sound"}]}]});
        let record = ["record", "--sid", "s4", "--json", "-"];
        world.sq_with_input(&record, &input.to_string()).ok();
        world
    });
    let mut entry = world.newest();
    entry["results"].as_array_mut().unwrap().truncate(1);
    entry["sid"] = "forged".into();
    entry["n"] = 99.into();
    change(&mut entry);
    add(&world, &[entry.to_string() + "\n"]);
    // What becomes of the file does not matter.
    world.git_ok("rm --quiet docs/a.md");
    world.commit("remove it");
    verdict(&world, "forged").replace("HEAD~1", "the commit")
}

#[test]
fn what_is_cited_has_to_stand_at_the_commit() {
    let cite = |key: &str, value: Value| {
        cited(|entry| entry["results"][0]["evidence"]["cites"][0][key] = value)
    };
    insta::assert_snapshot!(cited(|_| ()), @"holds: all citations hold at the commit");
    insta::assert_snapshot!(cite("path", "docs/b.md".into()), @"fails: it cites docs/b.md:2-3, and the commit has no such lines");
    insta::assert_snapshot!(cite("lines", json!([2, 9])), @"fails: it cites docs/a.md:2-9, and the commit has no such lines");
    insta::assert_snapshot!(cite("lines", json!([1, 2])), @"fails: its quote is not in docs/a.md:1-2 at the commit");
    insta::assert_snapshot!(cite("lines", json!("all")), @"fails: it has a citation that can't be read");
    insta::assert_snapshot!(cite("blob", "0".repeat(40).into()), @"fails: it cites docs/a.md:2-3 of another file than the commit has");
    insta::assert_snapshot!(cite("sum", "0".repeat(16).into()), @"fails: its `sum` is not that of docs/a.md:2-3 at the commit");
    insta::assert_snapshot!(cited(|entry| entry["repo_head_sha"] = "1".repeat(40).into()), @"holds: all citations hold at the commit");
    let elsewhere = |key: &str, value: Value| {
        cited(|entry| {
            entry["repo_head_sha"] = "1".repeat(40).into();
            entry["head"]["tree"] = "1".repeat(40).into();
            entry["results"][0]["evidence"]["cites"][0][key] = value;
        })
    };
    // The file may have changed besides the lines.
    insta::assert_snapshot!(elsewhere("blob", "0".repeat(40).into()), @"holds: all citations hold at the commit");
    insta::assert_snapshot!(elsewhere("path", "docs/b.md".into()), @"outdated: it cites docs/b.md:2-3, and the commit has no such lines; the commit that it names is not here");
    insta::assert_snapshot!(elsewhere("quote", "is not sound".into()), @"fails: its quote is not in docs/a.md:2-3 at the commit");
}

/// What a partial clone lacks is fetched from its remote, as git does; where that is forbidden, it can't be told.
#[test]
fn a_partial_clone_verifies_what_it_has() {
    let world = world();
    world.change("docs/a.md", "# Design\n\nIt is sound.\n");
    world.sq_ok("record --sid s4 q2=yes --cite q2=docs/a.md:3");
    world.change("docs/a.md", "");
    world.git_ok("config uploadpack.allowFilter true");
    for (filter, held) in [("blob:none", 2), ("tree:0", 0)] {
        let partial = world.cloned(&format!("--filter={filter}"), &filter.replace(':', "-"));
        world.sq_ok_in(&partial, "init --no-hooks");
        let packs = || std::fs::read_dir(partial.join(".git/objects/pack")).map(Iterator::count);
        let before = packs().unwrap();
        let verify = |forbids: &str| -> Ran {
            let mut command = world.sq_command(&["verify", "--answers"]);
            command.env("GIT_NO_LAZY_FETCH", forbids);
            command.current_dir(&partial).output().unwrap().into()
        };
        let ran = verify("1");
        let stand = if held > 0 { format!("{held} stand, ") } else { String::new() };
        let total =
            format!("verified 5 recorded answers: {stand}{} could not be verified\n", 5 - held);
        assert!(ran.stdout.ends_with(&total), "{}", ran.transcript());
        let untold = ran
            .stdout
            .lines()
            .filter(|line| line.starts_with("can't tell: q") && line.ends_with(" is missing"));
        assert_eq!((untold.count(), ran.code), (5 - held, 3));
        assert_eq!(packs().unwrap(), before, "nothing was fetched");
        assert_eq!(verify("0").ok(), "verified 5 recorded answers: all stand\n");
    }
}

/// A rebase put the entry on a commit whose store asks more.
#[test]
fn what_the_tip_asks_as_it_was_asked_is_derived_again_after_a_rebase() {
    let world = world();
    world.git_ok("switch --quiet -c topic");
    world.change("docs/a.md", "more\n");
    world.sq_ok("record --sid s4");
    world.git_ok("switch --quiet main");
    world.ask_json(&format!(r#"{QUESTIONS}, {{"id":"q3","q":"And?","importance":1}}"#));
    world.git_ok("switch --quiet topic");
    world.git_ok("rebase --quiet main");
    world.sq_ok("carry topic@{1}");
    let fresh = world.cloned("--branch topic", "fresh");
    world.git_ok_in(&fresh, "fetch --quiet origin +refs/notes/sq:refs/notes/sq");
    assert_has!(
        world.sq_ok_in(&fresh, "verify --answers"),
        "verified 4 recorded answers: all stand"
    );
}
