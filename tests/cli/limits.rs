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
fn what_is_too_long_for_a_state_is_cut_and_said() {
    let world = world().env("SQ_AGENT", "ada").env("SQ_SESSION", "s1");
    let fields = [
        ("status", 280),
        ("handover", 500),
        ("done", 140),
        ("next", 140),
    ];
    for (character, (field, limit)) in CHARACTERS.into_iter().zip(fields) {
        let option = format!("--{field}");
        let found = || match &rows(&world, "")[0][field] {
            Value::Array(items) => items[0].as_str().unwrap().to_owned(),
            text => text.as_str().unwrap().to_owned(),
        };
        let fits = character.repeat(limit);
        set(&world, &format!("{option} '{fits}' --strict")).ok();
        assert_eq!(found(), fits, "{field}");
        let text = character.repeat(limit + 1);
        let strict = set(&world, &format!("{option} '{text}' --strict"));
        assert_eq!(strict.code, 128);
        let why = format!("{} characters (limit {limit})", limit + 1);
        assert!(strict.stderr.contains(&why), "{}", strict.stderr);
        assert_eq!(found(), fits, "nothing was written");
        let said = set(&world, &format!("{option} '{text}'")).ok();
        assert!(said.starts_with(&format!("cut: {field}")), "{said}");
        assert_eq!(found(), character.repeat(limit - 1) + "…", "{field}");
        let alerts = entries(&world, "alert").into_iter();
        let alerts: Vec<Value> = alerts.filter(|alert| alert["field"] == field).collect();
        assert_eq!(alerts.len(), 1);
        for (key, value) in [
            ("limit", json!(limit)),
            ("length", json!(limit + 1)),
            ("unit", json!("characters")),
            ("agent", json!({"name": "ada"})),
        ] {
            assert_eq!(alerts[0][key], value, "{field} {key}");
        }
    }
}

#[test]
fn lists_have_five_items() {
    let world = world().env("SQ_SESSION", "s1");
    for field in ["done", "doing", "blocked", "next"] {
        let option = format!("--{field}");
        let set_items = |number: usize, more: &str| {
            let items = (1..=number).map(|n| format!("{option} 'item {n}' "));
            set(&world, &(items.collect::<String>() + more))
        };
        set_items(5, "--strict").ok();
        assert_eq!(set_items(6, "--strict").code, 128);
        let said = set_items(9, "").ok();
        let cut = format!("cut: {field} had 9 items (limit 5)");
        assert!(said.contains(&cut), "{said}");
        let found = &rows(&world, "")[0][field];
        assert_eq!(
            *found,
            json!(["item 1", "item 2", "item 3", "item 4", "item 5"])
        );
    }
    let listed = world.sq_ok("state alerts");
    assert!(listed.starts_with("(no agent named): 4 cuts\n"), "{listed}");
    assert_eq!(
        world.sq_ok("state alerts --agent ada"),
        "Nothing was cut.\n"
    );
}

#[test]
fn a_huge_character_is_bounded_by_its_bytes() {
    let world = world().env("SQ_SESSION", "s1");
    let huge = "a".to_owned() + &"\u{301}".repeat(20_000);
    let said = set(&world, &format!("--status {huge} --next x{huge}")).ok();
    assert!(
        said.contains("cut: status had 40001 bytes (limit 8960)"),
        "{said}"
    );
    let row = &rows(&world, "")[0];
    assert_eq!(
        (&row["status"], &row["next"]),
        (&json!("…"), &json!(["x…"]))
    );
    // Each field within its bytes, and all together too long for a line.
    let item = format!("a{}", "\u{301}".repeat(15)).repeat(140);
    let fields = ["done", "doing", "blocked", "next"].map(|field| format!("--{field} {item} "));
    let ran = set(&world, &fields.concat().repeat(5));
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert!(ran.stderr.contains("more than 65536"), "{}", ran.stderr);
}

#[test]
fn what_is_too_long_for_a_tension_is_refused() {
    let world = World::new();
    world.commit("One");
    let open = |topic: &str, source: &str| {
        world.try_sq(&format!(
            "tension open {topic} --type other --source {source} --curiosity 0.5 --intrusiveness 0.5 --format json"
        ))
    };
    for character in CHARACTERS {
        let (topic, source) = (character.repeat(280), character.repeat(140));
        let ran = open(&topic, &source);
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        assert_eq!(ran.json()["tensions"][0]["topic"], topic);
        for (ran, why) in [
            (
                open(&(topic + character), "s"),
                "the topic has 281 characters (limit 280)",
            ),
            (
                open("t", &(source + character)),
                "the source has 141 characters (limit 140)",
            ),
        ] {
            assert_eq!(ran.code, 128, "{}", ran.transcript());
            assert!(ran.stderr.contains(why), "{}", ran.transcript());
        }
    }
    let row = open("t", "s").json();
    let id = row["tensions"][0]["id"].as_str().unwrap();
    let close = |count: usize| {
        let note = "நி".repeat(count);
        world.try_sq(&format!("tension close {id} --as withdrawn --note {note}"))
    };
    let why = "the note has 501 characters (limit 500)";
    assert!(close(501).stderr.contains(why));
    close(500).ok();
    assert_eq!(world.lines().len(), CHARACTERS.len() + 2);
}
