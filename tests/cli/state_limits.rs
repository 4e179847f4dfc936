//! The limits of a state, in characters as readers count them.

use serde_json::{Value, json};

use crate::{
    sessions::entries,
    states::{rows, set, world},
};

/// One character each, as a reader counts them, and hardly ever as a program does.
const SCRIPTS: [&str; 9] = [
    "a",
    "中",
    "e\u{301}",
    "👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "🇩🇪",
    "👍🏽",
    "\u{1112}\u{1161}\u{11ab}",
    "क\u{94d}षि",
    "م",
];

#[test]
fn every_limit_at_under_and_over_its_edge() {
    for script in SCRIPTS {
        let world = world().env("SQ_AGENT", "ada").env("SQ_SESSION", "s1");
        for (field, limit) in [
            ("status", 280),
            ("handover", 500),
            ("done", 140),
            ("next", 140),
        ] {
            let option = format!("--{field}");
            let found = || match &rows(&world, &[])[0][field] {
                Value::Array(items) => items[0].as_str().unwrap().to_owned(),
                text => text.as_str().unwrap().to_owned(),
            };
            for length in [limit - 1, limit] {
                let text = script.repeat(length);
                set(&world, &[&option, &text, "--strict"]).ok();
                assert_eq!(found(), text, "{script} {field} {length}");
            }
            let before = entries(&world, "alert").len();
            let text = script.repeat(limit + 1);
            let strict = set(&world, &[&option, &text, "--strict"]);
            assert_eq!(strict.code, 128);
            assert!(
                strict
                    .stderr
                    .contains(&format!("{} characters, {limit} fit", limit + 1)),
                "{}",
                strict.stderr
            );
            assert_eq!(entries(&world, "alert").len(), before);
            assert_eq!(found(), script.repeat(limit), "nothing was written");
            let said = set(&world, &[&option, &text]).ok();
            assert!(said.starts_with(&format!("cut: {field}")), "{said}");
            assert_eq!(found(), script.repeat(limit - 1) + "…", "{script} {field}");
            let alerts = entries(&world, "alert");
            assert_eq!(alerts.len(), before + 1);
            let alert = alerts.iter().find(|alert| alert["field"] == field).unwrap();
            assert_eq!(
                (&alert["limit"], &alert["length"]),
                (&json!(limit), &json!(limit + 1))
            );
            assert_eq!(
                (&alert["unit"], &alert["agent"]["name"]),
                (&json!("characters"), &json!("ada"))
            );
        }
    }
}

#[test]
fn lists_have_five_items() {
    let world = world().env("SQ_SESSION", "s1");
    for field in ["done", "doing", "blocked", "next"] {
        let option = format!("--{field}");
        let items = |number: usize| -> Vec<String> {
            (1..=number)
                .flat_map(|n| [option.clone(), format!("item {n}")])
                .collect()
        };
        let set_items = |number: usize, more: &[&str]| {
            let items = items(number);
            let args: Vec<&str> = items
                .iter()
                .map(String::as_str)
                .chain(more.iter().copied())
                .collect();
            set(&world, &args)
        };
        set_items(5, &["--strict"]).ok();
        assert_eq!(set_items(6, &["--strict"]).code, 128);
        let said = set_items(9, &[]).ok();
        assert!(
            said.contains(&format!("cut: {field} had 9 items, 5 fit")),
            "{said}"
        );
        let found = &rows(&world, &[])[0][field];
        assert_eq!(
            *found,
            json!(["item 1", "item 2", "item 3", "item 4", "item 5"])
        );
    }
    let listed = world.sq(&["state", "alerts"]).ok();
    assert!(listed.starts_with("(no agent named): 4 cuts\n"), "{listed}");
    assert_eq!(
        world.sq(&["state", "alerts", "--agent", "ada"]).ok(),
        "Nothing was cut.\n"
    );
}

#[test]
fn a_huge_character_is_bounded_by_its_bytes() {
    let world = world().env("SQ_SESSION", "s1");
    let huge = "a".to_owned() + &"\u{301}".repeat(20_000);
    let said = set(&world, &["--status", &huge, "--next", &format!("x{huge}")]).ok();
    assert!(
        said.contains("cut: status had 40001 bytes, 8960 fit"),
        "{said}"
    );
    let row = &rows(&world, &[])[0];
    assert_eq!(
        (&row["status"], &row["next"]),
        (&json!("…"), &json!(["x…"]))
    );
    // Each field within its bytes, and all together too long for a line.
    let item = format!("a{}", "\u{301}".repeat(15)).repeat(140);
    let item = [
        "--done",
        &item,
        "--doing",
        &item,
        "--blocked",
        &item,
        "--next",
        &item,
    ];
    let ran = set(&world, &item.repeat(5));
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert!(ran.stderr.contains("more than 65536"), "{}", ran.stderr);
}
