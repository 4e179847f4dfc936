//! What closes a tension, or warns of it, by rule: its time, the number of open ones, and the settings of the tip.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::tensions::{OPEN, close, id, open, planted, states};

const DAY: i64 = 24 * 3600;

#[test]
fn a_day_has_24_hours_whatever_the_local_clock_does() {
    // When local clocks are put forward, and back.
    for (zone, change) in [
        ("Europe/Berlin", "2026-03-29T01:00:00Z"),
        ("America/New_York", "2026-11-01T06:00:00Z"),
    ] {
        let change: jiff::Timestamp = change.parse().unwrap();
        let world = World::new().env("TZ", zone);
        world.commit("One");
        // What the next command takes for the time: it lets a minute go by first.
        let set_clock = |to: i64| {
            let now: jiff::Timestamp = world.now().parse().unwrap();
            world.pass(to - 60 - now.as_second());
        };
        for (ttl, days) in [("1d", 1)] {
            set_clock(change.as_second() - 12 * 3600);
            let row = open(&world, ttl, "0.1", "0.9", &format!("--ttl {ttl}"));
            let time = |key: &str| {
                let time: jiff::Timestamp = row[key].as_str().unwrap().parse().unwrap();
                time.as_second()
            };
            let expires = time("opened") + days * DAY;
            assert_eq!(time("expires"), expires, "{zone} {ttl}");
            for (second, state) in [(-1, "open"), (0, "expired")] {
                set_clock(expires + second);
                let args = ["tension", "show", id(&row), "--format", "json"];
                let shown = &world.sq(&args).json()["tensions"][0];
                assert_eq!(shown["state"], state, "{zone} {ttl} {second}");
            }
        }
    }
}

/// A store with these settings.
fn settings(world: &World, settings: &Value) {
    let store = json!({"_schema": "standing_questions/v2", "settings": settings,
        "questions": [{"id": "q1", "q": "What about q1?", "importance": 3}]});
    world.write("standing_questions.json", store.to_string());
    world.commit("Settings");
}

#[test]
fn settings_of_the_tip_rule() {
    let world = World::new();
    settings(
        &world,
        &json!({"tension": {"cap": 2, "floor": 0.5, "ttl": "2d", "gate": 0.9, "per_session": 1}}),
    );
    let first = open(&world, "First", "0.5", "0.9", "--sid s1");
    assert_eq!(
        (&first["advice"], &first["expires"]),
        (&json!("ask"), &json!("2026-01-13T00:05:00.000Z"))
    );
    let second = open(&world, "Second", "0.4", "0.8", "--sid s2");
    assert_eq!(second["advice"], "keep");
    let ran = world.try_sq(
        "tension open Third --type gap --source x --curiosity 0.1 --intrusiveness 0.1 --sid s1",
    );
    assert!(ran.stdout.contains("(overflow)"), "{}", ran.transcript());
    for warning in [
        "warning: it has the lowest score of more than 2",
        "warning: this session opened 2 tensions (limit 1)",
    ] {
        assert!(ran.stdout.contains(warning), "{}", ran.transcript());
    }
    let ran = world.try_sq(&format!("{OPEN} --sid s3"));
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
    assert_eq!(close(&world, id(&second), "")["state"], "resolved");
}

#[test]
fn what_overflowed_is_named_briefly() {
    let world = World::new();
    settings(&world, &json!({"tension": {"cap": 1}}));
    let huge = json!({"topic": "long ".repeat(12_000), "curiosity": 0.4, "intrusiveness": 0.4});
    world.plant_lines(&[planted(&world, "1", &huge)]);
    let said = world.sq_ok(OPEN);
    assert_has!(said, "more than 1 are open: 1 overflowed, \"long long");
    assert!(
        said.lines().all(|line| line.chars().count() < 400),
        "{said}"
    );
}

#[test]
fn the_gate_sees_tensions_that_are_made_for_show() {
    let world = World::new();
    world.write("a.txt", "a\n");
    world.ask(&["q1"]);
    world.record("s00").ok();
    let rules = || -> Vec<(Value, Value)> {
        let (check, code) = world.check(&[]);
        assert_eq!(code, 0, "{check}");
        let findings = check["findings"].as_array().unwrap();
        let text = world.sq_ok("check");
        for finding in findings {
            assert_eq!(finding["severity"], "warning");
            assert!(
                text.contains(finding["message"].as_str().unwrap()),
                "{text}"
            );
        }
        findings
            .iter()
            .map(|finding| (finding["rule"].clone(), finding["about"].clone()))
            .collect()
    };
    for number in 0..10 {
        open(&world, &format!("{number}"), "0.5", "0.5", "--sid s01");
    }
    assert_eq!(rules(), []);
    open(&world, "One more", "0.5", "0.5", "--sid s01");
    assert_eq!(rules(), [(json!("tensions"), json!("s01"))]);
    let flood = "warning: session s01 (Ada Example) opened 11 tensions (limit 10)";
    assert!(world.sq_ok("check").contains(flood));
    // Opened and closed by one session: with a citation on either line it is no sign of anything.
    let (sid, cited) = ("--sid s02", "--sid s02 --cite a.txt:1");
    let row = open(&world, "Founded", "0.5", "0.5", cited);
    close(&world, id(&row), sid);
    let row = open(&world, "Founded too", "0.5", "0.5", sid);
    close(&world, id(&row), cited);
    let row = open(&world, "Closed by another", "0.5", "0.5", sid);
    close(&world, id(&row), "--sid s03");
    assert_eq!(rules().len(), 1);
    let row = open(&world, "For show", "0.5", "0.5", sid);
    close(&world, id(&row), sid);
    assert_eq!(rules()[1..], [(json!("tensions"), json!("s02"))]);
    // To cite itself is no citation.
    let row = open(&world, "For show", "0.5", "0.5", "--sid s04");
    close(&world, id(&row), &format!("--sid s04 --cite {}", id(&row)));
    assert_eq!(rules()[2..], [(json!("tensions"), json!("s04"))]);
    // The settings decide, and a change of them is seen although the log is the same.
    settings(&world, &json!({"tension": {"per_session": 11}}));
    let found = rules();
    assert!(found.iter().all(|(rule, _)| rule == "tensions"));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_tension_needs_no_figures_and_expires_all_the_same() {
    let world = World::new();
    settings(&world, &json!({"tension": {"floor": 0.3, "ttl": "2d"}}));
    let opened = world.sq_ok("tension open Why? --type unknown --source here --format json");
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let row = &opened["tensions"][0];
    assert_eq!(
        (&row["curiosity"], &row["advice"]),
        (&json!(0.5), &json!("keep"))
    );
    world.pass(12 * DAY - 120);
    assert_eq!(states(&world)[0].1, "open");
    world.pass(60);
    assert_eq!(states(&world)[0].1, "expired");
}
