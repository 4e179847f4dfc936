//! The limits of texts, in characters as readers count them.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::{
    sessions::entries,
    states::{rows, set, world},
};

/// One character each, as a reader counts them, and hardly ever as a program does.
const CHARACTERS: [&str; 4] = ["a", "漢", "நி", "👨\u{200d}👩\u{200d}👧\u{200d}👦"];

#[test]
fn what_is_too_long_for_a_state_is_refused_and_leaves_an_alert() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_SESSION", "s1");
    let fields = [("status", 280), ("handover", 500), ("done", 140), ("next", 140)];
    for (character, (field, limit)) in CHARACTERS.into_iter().zip(fields) {
        let option = format!("--{field}");
        let found = || match &rows(&world, "")[0][field] {
            Value::Array(items) => items[0].as_str().unwrap().to_owned(),
            text => text.as_str().unwrap().to_owned(),
        };
        let fits = character.repeat(limit);
        set(&world, &format!("{option} '{fits}'")).ok();
        let text = character.repeat(limit + 1);
        let refused = set(&world, &format!("{option} '{text}'")).exits(128);
        let why = format!("{} characters (limit {limit})", limit + 1);
        assert_has!(refused.stderr, why);
        assert_eq!(found(), fits, "the state stays");
        let alerts = entries(&world, "alert").into_iter();
        let alerts: Vec<Value> = alerts.filter(|alert| alert["field"] == field).collect();
        assert_eq!(alerts.len(), 1);
        for (key, value) in [
            ("limit", json!(limit)),
            ("length", json!(limit + 1)),
            ("agent", json!({"name": "ada"})),
        ] {
            assert_eq!(alerts[0][key], value, "{field} {key}");
        }
    }
    let log = world.sq_ok("log --kind alert");
    assert_has!(log, "refused: next 1 has 141 characters (limit 140)");
}

#[test]
fn lists_have_five_items() {
    let world = world().env("SQ_SESSION", "s1");
    for field in ["doing", "blocked"] {
        let set_items = |number: usize| {
            let items = (1..=number).map(|n| format!("--{field} 'item {n}' "));
            set(&world, &items.collect::<String>())
        };
        set_items(5).ok();
        let why = format!("fatal: {field} has 6 items (limit 5)\n");
        assert_has!(set_items(6).stderr, why);
        assert_eq!(rows(&world, "")[0][field].as_array().unwrap().len(), 5);
    }
}

#[test]
fn a_huge_character_counts_by_its_bytes() {
    let world = world().env("SQ_SESSION", "s1");
    let huge = "a".to_owned() + &"\u{301}".repeat(20_000);
    let refused = set(&world, &format!("--status {huge}"));
    let why = "fatal: status has 1251 characters (limit 280)\n";
    assert!(refused.stderr.starts_with(why), "{}", refused.stderr);
    // Each field within its bytes, and all together too long for a line.
    let item = format!("a{}", "\u{301}".repeat(15)).repeat(140);
    let fields = ["done", "doing", "blocked", "next"].map(|field| format!("--{field} {item} "));
    assert_has!(set(&world, &fields.concat().repeat(5)).exits(128).stderr, "more than 65536");
}

#[test]
fn what_is_too_long_for_a_tension_is_refused() {
    let world = World::new();
    world.commit("One");
    let open = |topic: &str, source: &str| {
        let scores = "--curiosity 0.5 --intrusiveness 0.5 --format json";
        world.try_sq(&format!("tension open {topic} --type other --source {source} {scores}"))
    };
    for character in CHARACTERS {
        let (topic, source) = (character.repeat(280), character.repeat(140));
        let row = open(&topic, &source).json();
        assert_eq!(row["tensions"][0]["topic"], topic);
        let refused = open(&(topic + character), &(source + character)).stderr;
        assert_has!(refused, "the topic has 281 characters (limit 280)");
        assert_has!(refused, "the source has 141 characters (limit 140)");
    }
    let row = open("t", "s").json();
    let id = row["tensions"][0]["id"].as_str().unwrap();
    let close = |count: usize| {
        let note = "நி".repeat(count);
        world.try_sq(&format!("tension close {id} --as withdrawn --note {note}"))
    };
    assert_has!(close(501).stderr, "the note has 501 characters (limit 500)");
    close(500).ok();
    assert_eq!(world.lines().len(), CHARACTERS.len() + 2);
}
