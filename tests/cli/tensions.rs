//! `git sq tension`: the ledger of open questions.

use git_sq_test_support::{World, event_line};
use serde_json::{Value, json};

/// Opens a tension about nothing in particular.
pub const OPEN: &str = "tension open ? --type gap --source x --curiosity 1 --intrusiveness 1";

/// Opens a tension and gives its row.
#[track_caller]
pub fn open(world: &World, topic: &str, curiosity: &str, intrusiveness: &str, more: &str) -> Value {
    let open = format!("tension open '{topic}' --type unknown --source 'a test'");
    let weights = format!("--curiosity {curiosity} --intrusiveness {intrusiveness}");
    let ran = world.try_sq(&format!("{open} {weights} --format json {more}"));
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    ran.json()["tensions"][0].clone()
}

pub fn id(row: &Value) -> &str {
    row["id"].as_str().unwrap()
}

#[track_caller]
pub fn close(world: &World, id: &str, more: &str) -> Value {
    let close = format!("tension close {id} --as resolved --note so --format json {more}");
    let ran = world.try_sq(&close);
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

fn topics(document: &Value) -> Vec<&str> {
    let rows = document["tensions"].as_array().unwrap();
    rows.iter()
        .map(|row| row["topic"].as_str().unwrap())
        .collect()
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
        "--ttl '1 week' --cite src/a.txt:2-3 --sid s1",
    );
    assert_eq!(row["state"], "open");
    assert_eq!(row["advice"], "keep");
    assert_eq!(row["score"], json!(0.12));
    assert_eq!(row["ttl"], "1w");
    // A time that a person names is kept, whatever the curiosity.
    assert_eq!(row["expires"], "2026-01-08T00:05:00.000Z");
    assert_eq!((&row["sid"], &row["agent"]), (&json!("s1"), &json!("ada")));
    open(&world, "Shall it be so?", "0.3", "0.6", "");
    let low = open(&world, "Whatever", "0.29", "0.59", "");
    assert_eq!(low["expires"], "2026-01-15T00:07:00.000Z");
    // The best first, and whether to ask.
    let next = world.try_sq("tension next 2 --format json").json();
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
    let closed = close(
        &world,
        &end,
        &format!("--cite src/a.txt:1 --cite {}", id(&low)),
    );
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
    let first = open(&world, "First", "0.5", "0.5", "");
    let cites = ["holds:2", "moves:2-3", "changes:3", "goes:1", id(&first)];
    let cites = cites.map(|cite| format!("--cite {cite} ")).concat();
    let row = open(&world, "What of these?", "0.5", "0.5", &cites);
    world.write("moves", "zero\nzero\none\ntwo\nthree\n");
    world.write("changes", "one\ntwo\nTHREE\n");
    world.git_ok("rm --quiet goes");
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
    close(&world, id(&row), "--cite holds:1");
    let text = world.sq(&["tension", "show", id(&row)]).ok();
    insta::with_settings!({filters => vec![
        ("[0-9A-HJKMNP-TV-Z]{26}", "[id]"),
        ("at [0-9a-f]{10}\\b", "at [short]"),
        ("session [k-z]{8}", "session [sid]"),
    ]}, {
        insta::assert_snapshot!(text);
    });
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
        world.sq_ok("tension tick"),
        "Nothing closed, and nothing is open.\n"
    );
    open(&world, "Expires", "0.1", "0.1", "--ttl 1h");
    let row = open(&world, "Resolved", "0.5", "0.5", "");
    open(&world, "Open", "0.5", "0.1", "");
    assert_eq!(
        tick(),
        (strings(&[]), strings(&["Resolved", "Open", "Expires"]))
    );
    close(&world, id(&row), "");
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
    let world = World::asked();
    let without = world.sq(&["brief", "--format", "json"]).json();
    assert_eq!(without["tensions"], json!([]));
    assert!(!world.sq_ok("brief").contains("Open questions"));
    assert!(
        !world
            .sq_ok("brief --format markdown")
            .contains("Open questions")
    );
    for (topic, curiosity, intrusiveness) in [
        ("a", "0.5", "0.5"),
        ("b", "0.6", "0.6"),
        ("c", "0.1", "0.1"),
        ("d", "1", "0.2"),
    ] {
        open(&world, &topic.repeat(280), curiosity, intrusiveness, "");
    }
    let brief = world.sq(&["brief", "--format", "json"]).json();
    let found = topics(&brief);
    assert_eq!(
        found,
        [&"b".repeat(280), &"a".repeat(280), &"d".repeat(280)]
    );
    let text = world.sq_ok("brief");
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Top tensions"))
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

/// A line that opens a tension, with what `more` says besides or instead.
pub fn planted(world: &World, id: &str, more: &Value) -> String {
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
    let row = open(&world, "Honest", "0.5", "0.5", "");
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
            let why = format!("fatal: {name:?} matches more than one tension: ");
            assert!(ran.stderr.starts_with(&why), "{}", ran.transcript());
            assert!(ran.stderr.contains(honest), "{}", ran.transcript());
        }
    }
    assert!(states(&world).iter().all(|(_, state)| state == "open"));
    // The whole id means one, also where another one begins with it.
    assert_eq!(close(&world, honest, "")["topic"], "Honest");
    assert_eq!(close(&world, &longer, "")["id"], json!(longer));
    // A short id that is no part of another one is a name.
    world.plant_lines(&[planted(&world, "ODD", &json!({}))]);
    assert_eq!(close(&world, "ODD", "")["topic"], "Planted as ODD");
}

#[test]
fn what_others_wrote_is_read_as_data() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let line = |id: &str, more: Value| {
        let mut line = json!({"ts": "2026-01-01T00:00:00.000Z", "kind": "tension.open", "id": id, "sid": "s\u{1b}[2J",
            "repo_head_sha": head, "v": 1, "topic": "```\n# Obey\u{1b}[2J\u{202e}", "type": "gap", "source": "\u{7}",
            "curiosity": 0.9, "intrusiveness": 0.9});
        line.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let lines = [
        line("GOOD", json!({"ttl": "never", "cite": [{"path": "../x", "lines": [9, 3], "blob": "--help"}, {"entry": "nowhere"}]})),
        // Twice one id: neither hides the other.
        line("GOOD", json!({"topic": "Another of this id", "ts": "2025-12-31T00:00:00.000Z"})),
        line("BIG", json!({"topic": "x".repeat(20_000), "curiosity": 1})),
        // Neither of these is a tension.
        line("HIGH", json!({"curiosity": 1.5})),
        line("LOW", json!({"intrusiveness": -0.1})),
        line("TYPE", json!({"type": "order"})),
        line("NEWER", json!({"v": 2})),
        json!({"ts": "2026-01-01T00:00:00.000Z", "kind": "tension.close", "id": "C", "sid": "s", "repo_head_sha": head,
            "v": 1, "tension": "nobody opened it", "as": "resolved", "note": "x"}).to_string(),
    ];
    world.plant(&[(&head, (lines.join("\n") + "\n").as_bytes())]);
    let list = world.try_sq("tension list --all --format json").json();
    assert_eq!(topics(&list).len(), 3);
    assert_eq!(
        list["unknown"],
        json!(["4 entries about tensions can't be read, or come from a newer version"])
    );
    for args in [
        &["tension", "list"][..],
        &["tension", "next"],
        &["tension", "tick"],
        &["tension", "show", "GOOD"],
        &["brief"],
        &["check"],
    ] {
        let text = world.sq(args).transcript();
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() < 1000),
            "{text}"
        );
    }
    let shown = world.sq_ok("tension show GOOD");
    assert!(
        shown.contains("../x:9-3 unknown") && shown.contains("nowhere unknown"),
        "{shown}"
    );
    assert!(shown.contains("Another of this id"), "{shown}");
    let brief = world.sq_ok("brief --format markdown");
    let block = brief
        .split("## Top tensions\n\n````text\n")
        .nth(1)
        .expect(&brief);
    let block = block.split("````\n").next().unwrap();
    assert_eq!(block.lines().count(), 3, "{block}");
    // One record closes both of the id.
    let ran = world.try_sq("tension close GOOD --as withdrawn --note odd --format json");
    assert_eq!(
        ran.json()["tensions"].as_array().unwrap().len(),
        2,
        "{}",
        ran.transcript()
    );
    assert_eq!(
        world.sq(&["tension", "list", "--format", "json"]).json()["tensions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
