//! `git sq tension`: the ledger of open questions.

use git_sq_test_support::{World, event_line};
use serde_json::{Value, json};

/// Opens a tension about nothing in particular.
pub const OPEN: [&str; 11] = [
    "tension",
    "open",
    "?",
    "--type",
    "gap",
    "--source",
    "x",
    "--curiosity",
    "1",
    "--intrusiveness",
    "1",
];

/// Opens a tension and gives its row.
#[track_caller]
pub fn open(
    world: &World,
    topic: &str,
    curiosity: &str,
    intrusiveness: &str,
    more: &[&str],
) -> Value {
    let args = [
        "tension",
        "open",
        topic,
        "--type",
        "unknown",
        "--source",
        "a test",
        "--curiosity",
        curiosity,
        "--intrusiveness",
        intrusiveness,
        "--format",
        "json",
    ];
    let ran = world.sq(&[&args[..], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    ran.json()["tensions"][0].clone()
}

pub fn id(row: &Value) -> &str {
    row["id"].as_str().unwrap()
}

#[track_caller]
pub fn close(world: &World, id: &str, more: &[&str]) -> Value {
    let args = [
        "tension", "close", id, "--as", "resolved", "--note", "so", "--format", "json",
    ];
    let ran = world.sq(&[&args[..], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    ran.json()["tensions"][0].clone()
}

pub fn all(world: &World) -> Vec<Value> {
    let ran = world.sq(&["tension", "list", "--all", "--format", "json"]);
    let json = ran.json();
    assert_eq!(json["schema"], "sq.tension/v1");
    json["tensions"].as_array().unwrap().clone()
}

pub fn states(world: &World) -> Vec<(String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = all(world);
    rows.iter()
        .map(|row| (text(row, "topic"), text(row, "state")))
        .collect()
}

pub fn topics(document: &Value) -> Vec<&str> {
    let rows = document["tensions"].as_array().unwrap();
    rows.iter()
        .map(|row| row["topic"].as_str().unwrap())
        .collect()
}

/// A store with these settings.
pub fn settings(world: &World, settings: &Value) {
    let store = json!({"_schema": "standing_questions/v2", "settings": settings,
        "questions": [{"id": "q1", "q": "?", "importance": 3}]});
    world.write("standing_questions.json", store.to_string());
    world.commit("Settings");
}

#[test]
fn from_the_question_to_its_answer() {
    // No question store is needed.
    let world = World::new().env("SQ_AGENT", "ada");
    world.write("src/a.txt", "one\ntwo\nthree\nfour\n");
    world.commit("One");
    let row = open(
        &world,
        "Who reads line two?",
        "0.6",
        "0.2",
        &["--ttl", "1 week", "--cite", "src/a.txt:2-3", "--sid", "s1"],
    );
    assert_eq!(row["state"], "open");
    assert_eq!(row["advice"], "keep");
    assert_eq!(row["score"], json!(0.12));
    assert_eq!(row["ttl"], "1w");
    assert_eq!(row["expires"], Value::Null);
    assert_eq!((&row["sid"], &row["agent"]), (&json!("s1"), &json!("ada")));
    open(&world, "Shall it be so?", "0.3", "0.6", &[]);
    let low = open(&world, "Whatever", "0.29", "0.59", &[]);
    assert_eq!(low["expires"], "2026-01-15T00:07:00.000Z");
    // The best first, and whether to ask.
    let next = world
        .sq(&["tension", "next", "2", "--format", "json"])
        .json();
    assert_eq!(topics(&next), ["Shall it be so?", "Whatever"]);
    assert_eq!(next["tensions"][0]["advice"], "ask");
    assert_eq!(next["tensions"][1]["advice"], "keep");
    let list = world.sq(&["tension", "list", "--format", "json"]).json();
    assert_eq!(
        topics(&list),
        ["Shall it be so?", "Whatever", "Who reads line two?"]
    );
    // An end of the id is enough, in any case.
    let end = id(&row)[20..].to_lowercase();
    let closed = close(&world, &end, &["--cite", "src/a.txt:1", "--cite", id(&low)]);
    assert_eq!(closed["id"], row["id"]);
    assert_eq!(closed["state"], "resolved");
    assert_eq!(closed["closing"]["note"], "so");
    let list = world.sq(&["tension", "list", "--format", "json"]).json();
    assert_eq!(topics(&list), ["Shall it be so?", "Whatever"]);
    // What was opened stands as it was written.
    let lines = world.lines();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    let line: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(line["kind"], "tension.open");
    assert_eq!(line["head"]["branch"], "main");
    assert_eq!(line["topic"], "Who reads line two?");
    let again = world.sq(&[
        "tension",
        "close",
        id(&row),
        "--as",
        "withdrawn",
        "--note",
        "no",
    ]);
    assert_eq!(again.code, 128, "{}", again.transcript());
    assert_eq!(world.lines(), lines);
}

#[test]
fn show_says_what_became_of_what_is_cited() {
    let world = World::new();
    for file in ["holds", "moves", "changes", "goes"] {
        world.write(file, "one\ntwo\nthree\n");
    }
    world.commit("One");
    let first = open(&world, "First", "0.5", "0.5", &[]);
    let cites = ["holds:2", "moves:2-3", "changes:3", "goes:1", id(&first)];
    let cites: Vec<&str> = cites.iter().flat_map(|cite| ["--cite", cite]).collect();
    let row = open(&world, "What of these?", "0.5", "0.5", &cites);
    world.write("moves", "zero\nzero\none\ntwo\nthree\n");
    world.write("changes", "one\ntwo\nTHREE\n");
    world.git(&["rm", "--quiet", "goes"]).ok();
    world.commit("Two");
    let shown = world
        .sq(&["tension", "show", id(&row), "--format", "json"])
        .json();
    let cites = shown["tensions"][0]["cite"].as_array().unwrap();
    let fates: Vec<(&Value, &Value)> = cites
        .iter()
        .map(|cite| (&cite["fate"], &cite["line"]))
        .collect();
    assert_eq!(
        fates,
        [
            (&json!("holds"), &json!(2)),
            (&json!("holds"), &json!(4)),
            (&json!("changed"), &Value::Null),
            (&json!("gone"), &Value::Null),
            (&json!("holds"), &Value::Null),
        ]
    );
    close(&world, id(&row), &["--cite", "holds:1"]);
    let text = world.sq(&["tension", "show", id(&row)]).ok();
    insta::with_settings!({filters => vec![
        ("[0-9A-HJKMNP-TV-Z]{26}", "[id]"),
        ("at [0-9a-f]{10}\\b", "at [short]"),
        ("2026[0-9]{4}T[0-9]{6}-[0-9A-Z]{4}", "[sid]"),
    ]}, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn two_clones_with_the_same_entries_agree() {
    let world = World::new();
    settings(&world, &json!({"tension": {"cap": 2}}));
    let bare = world.root().join("remote.git");
    world
        .git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()])
        .ok();
    world
        .git(&["remote", "add", "origin", bare.to_str().unwrap()])
        .ok();
    world.git(&["fetch", "--quiet", "origin"]).ok();
    world
        .git(&["branch", "--quiet", "--set-upstream-to=origin/main"])
        .ok();
    world.sq(&["init", "--no-hooks"]).ok();
    let other = world.root().join("other");
    world
        .git(&[
            "clone",
            "--quiet",
            bare.to_str().unwrap(),
            other.to_str().unwrap(),
        ])
        .ok();
    let world = world.at(&other);
    world.sq(&["init", "--no-hooks"]).ok();
    let first = world.root().join("repo");
    let there = open(&world, "In the other", "0.9", "0.1", &[]);
    let world = world.at(&first);
    open(&world, "Low", "0.4", "0.1", &[]);
    open(&world, "Middle", "0.5", "0.5", &[]);
    open(&world, "High", "0.9", "0.9", &[]);
    let before = vec![("Low".to_owned(), "overflow".to_owned())];
    assert_eq!(states(&world)[..1], before);
    world.sq(&["sync"]).ok();
    let world = world.at(&other);
    close(&world, id(&there), &[]);
    world.sq(&["sync"]).ok();
    let here = all(&world);
    let world = world.at(&first);
    world.sq(&["sync"]).ok();
    assert_eq!(all(&world), here);
    let found = states(&world);
    let found: Vec<&str> = found.iter().map(|(_, state)| state.as_str()).collect();
    // With the other's in the set, two were open when High came: Low had gone before.
    assert_eq!(found, ["resolved", "overflow", "open", "open"]);
}

#[test]
fn settings_of_the_tip_rule() {
    let world = World::new();
    settings(
        &world,
        &json!({"tension": {"cap": 2, "floor": 0.5, "ttl": "2d", "gate": 0.9, "per_session": 1}}),
    );
    let first = open(&world, "First", "0.5", "0.9", &["--sid", "s1"]);
    assert_eq!(
        (&first["advice"], &first["expires"]),
        (&json!("ask"), &Value::Null)
    );
    let second = open(&world, "Second", "0.4", "0.8", &["--sid", "s2"]);
    assert_eq!(second["advice"], "keep");
    let ran = world.sq(&[
        "tension",
        "open",
        "Third",
        "--type",
        "gap",
        "--source",
        "x",
        "--curiosity",
        "0.1",
        "--intrusiveness",
        "0.1",
        "--sid",
        "s1",
    ]);
    assert!(ran.stdout.contains("(overflow)"), "{}", ran.transcript());
    assert!(
        ran.stdout
            .contains("warning: it pulls least of more than 2"),
        "{}",
        ran.transcript()
    );
    assert!(
        ran.stdout
            .contains("warning: this session opened 2 tensions, and 1 are the limit")
    );
    let ran = world.sq(&[&OPEN[..], &["--sid", "s3"]].concat());
    assert!(ran.stdout.contains(id(&second)), "{}", ran.transcript());
    let expected = ["open", "overflow", "overflow", "open"];
    assert_eq!(
        states(&world)
            .iter()
            .map(|(_, state)| state.as_str())
            .collect::<Vec<_>>(),
        expected
    );
    // A place in the worktree's store that is not committed changes nothing.
    world.write(
        "standing_questions.json",
        git_sq_test_support::store(&["q1"]),
    );
    assert_eq!(states(&world)[1].1, "overflow");
    // What overflowed can be closed by a record, once.
    assert_eq!(close(&world, id(&second), &[])["state"], "resolved");
}

#[test]
fn tick_tells_of_what_closed_since_this_clone_last_asked() {
    let world = World::new();
    world.commit("One");
    let tick = || {
        let tick = world.sq(&["tension", "tick", "--format", "json"]).json();
        assert_eq!(tick["schema"], "sq.tension.tick/v1");
        let topics = |key: &str| -> Vec<String> {
            let rows = tick[key].as_array().unwrap().iter();
            rows.map(|row| row["topic"].as_str().unwrap().to_owned())
                .collect()
        };
        (topics("closed"), topics("next"))
    };
    let strings =
        |texts: &[&str]| -> Vec<String> { texts.iter().map(ToString::to_string).collect() };
    assert_eq!(
        world.sq(&["tension", "tick"]).ok(),
        "Nothing closed, nothing is open.\n"
    );
    open(&world, "Expires", "0.1", "0.1", &["--ttl", "1h"]);
    let row = open(&world, "Resolved", "0.5", "0.5", &[]);
    open(&world, "Open", "0.5", "0.1", &[]);
    assert_eq!(
        tick(),
        (strings(&[]), strings(&["Resolved", "Open", "Expires"]))
    );
    close(&world, id(&row), &[]);
    world.pass(2 * 3600);
    assert_eq!(
        tick(),
        (strings(&["Expires", "Resolved"]), strings(&["Open"]))
    );
    assert_eq!(tick(), (strings(&[]), strings(&["Open"])));
    // It is no entry, and no loss.
    assert_eq!(world.lines().len(), 4);
    std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    assert_eq!(tick().0, ["Expires", "Resolved"]);
}

#[test]
fn the_brief_shows_the_three_that_pull_most() {
    let world = World::new();
    world.ask(&["q1"]);
    let without = world.sq(&["brief", "--format", "json"]).json();
    assert_eq!(without["tensions"], json!([]));
    assert!(!world.sq(&["brief"]).ok().contains("Open questions"));
    assert!(
        !world
            .sq(&["brief", "--format", "markdown"])
            .ok()
            .contains("Open questions")
    );
    for (topic, curiosity, intrusiveness) in [
        ("a", "0.5", "0.5"),
        ("b", "0.6", "0.6"),
        ("c", "0.1", "0.1"),
        ("d", "1", "0.2"),
    ] {
        open(&world, &topic.repeat(280), curiosity, intrusiveness, &[]);
    }
    let brief = world.sq(&["brief", "--format", "json"]).json();
    let found = topics(&brief);
    assert_eq!(
        found,
        [&"b".repeat(280), &"a".repeat(280), &"d".repeat(280)]
    );
    let text = world.sq(&["brief"]).ok();
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Open questions"))
        .take(4)
        .collect();
    assert!(
        lines[1].starts_with("  ask   0.36  ")
            && lines[1].ends_with(&format!("{}… (unknown)", "b".repeat(139))),
        "{text}"
    );
    assert!(lines[2].starts_with("  keep  0.25  "), "{text}");
    assert!(lines[3].starts_with("  keep  0.20  "), "{text}");
}

#[test]
fn it_works_from_a_subfolder_and_in_a_bare_repository() {
    let world = World::new();
    world.write("sub/a.txt", "a\n");
    world.commit("One");
    let sub = world.dir.join("sub");
    let world = world.at(&sub);
    let row = open(&world, "Below", "0.5", "0.5", &["--cite", "sub/a.txt:1"]);
    let bare = world.root().join("bare.git");
    world
        .git(&["clone", "--quiet", "--bare", "..", bare.to_str().unwrap()])
        .ok();
    let world = world.at(&bare);
    world
        .git(&["fetch", "--quiet", "../repo", "refs/notes/sq:refs/notes/sq"])
        .ok();
    close(&world, id(&row), &["--cite", "sub/a.txt:1"]);
    assert_eq!(states(&world)[0].1, "resolved");
}

/// A line that opens a tension, with what `more` says besides or instead.
fn planted(world: &World, id: &str, more: &Value) -> String {
    let mut body = json!({"topic": format!("Planted as {id}"), "type": "gap", "source": "x",
        "curiosity": 0.9, "intrusiveness": 0.9});
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    event_line(&world.head(), "tension.open", id, &body)
}

#[test]
fn no_planted_id_takes_the_place_of_another_one() {
    let world = World::new();
    world.commit("One");
    let row = open(&world, "Honest", "0.5", "0.5", &[]);
    let honest = id(&row);
    let (begin, end) = (&honest[..20], &honest[18..]);
    let longer = format!("{honest}0");
    let ids = [begin, end, &longer];
    world.plant_lines(&ids.map(|id| planted(&world, id, &json!({}))));
    // All that the planted ones are, the honest one begins or ends with.
    for name in [begin, end, &begin.to_lowercase(), &end.to_lowercase()] {
        for args in [
            &["tension", "show", name][..],
            &["tension", "close", name, "--as", "resolved", "--note", "no"],
        ] {
            let ran = world.sq(args);
            assert_eq!(ran.code, 128, "{}", ran.transcript());
            let why = format!("fatal: {name:?} is a part of more than one tension's id: ");
            assert!(ran.stderr.starts_with(&why), "{}", ran.transcript());
            assert!(ran.stderr.contains(honest), "{}", ran.transcript());
        }
    }
    assert!(states(&world).iter().all(|(_, state)| state == "open"));
    // The whole id means one, also where another one begins with it.
    assert_eq!(close(&world, honest, &[])["topic"], "Honest");
    assert_eq!(close(&world, &longer, &[])["id"], json!(longer));
    // A short id that is no part of another one is a name.
    world.plant_lines(&[planted(&world, "ODD", &json!({}))]);
    assert_eq!(close(&world, "ODD", &[])["topic"], "Planted as ODD");
}

#[test]
fn lengths_and_shares_at_their_edges_print_as_what_they_are() {
    let world = World::new();
    world.commit("One");
    let lengths = [
        ("PAST", json!({"ttl": "-1d"})),
        ("EVER", json!({"ttl": "7000y"})),
        ("LONG", json!({"ttl": "7000000d"})),
        ("HUGE", json!({"ttl": "99999999999999999999h"})),
        (
            "LAST",
            json!({"ts": "9999-12-30T22:00:00.999Z", "ttl": "175307616h"}),
        ),
        ("YEAR", json!({"ts": "0000-01-01T00:00:00Z", "ttl": "0s"})),
    ];
    let lines = lengths.map(|(id, mut more)| {
        more["curiosity"] = json!(5e-324);
        more["intrusiveness"] = json!(1);
        planted(&world, id, &more)
    });
    world.plant_lines(&lines);
    let expires = |name: &str| {
        let rows = all(&world);
        let row = rows.iter().find(|row| row["id"] == name).unwrap();
        row["expires"].as_str().unwrap().to_owned()
    };
    // What is no length of time is none: then the settings say it.
    for name in ["PAST", "EVER", "HUGE"] {
        assert_eq!(expires(name), "2026-01-15T00:00:00.000Z", "{name}");
    }
    for name in ["LONG", "LAST"] {
        assert_eq!(expires(name), "9999-12-30T22:00:00.999Z", "{name}");
    }
    assert_eq!(expires("YEAR"), "0000-01-01T00:00:00.000Z");
    let shown = world.sq(&["tension", "show", "LONG"]).ok();
    assert!(
        shown.contains("Score:     0 (curiosity 0, intrusiveness 1)\n"),
        "{shown}"
    );
}

#[test]
fn what_overflowed_is_named_briefly() {
    let world = World::new();
    settings(&world, &json!({"tension": {"cap": 1}}));
    let huge = json!({"topic": "long ".repeat(12_000), "curiosity": 0.4, "intrusiveness": 0.4});
    world.plant_lines(&[planted(&world, "1", &huge)]);
    let said = world.sq(&OPEN).ok();
    assert!(
        said.contains("more than 1 are open: 1 overflowed, \"long long"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() < 400),
        "{said}"
    );
}
