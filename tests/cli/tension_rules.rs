//! What closes a tension, or warns of it, by rule: its time, the number of open ones, and the settings of the tip.

use git_sq_test_support::{World, store};
use serde_json::{Value, json};

use crate::tensions::{OPEN, close, id, open, planted, states};

const DAY: i64 = 24 * 3600;

#[test]
fn a_day_has_24_hours_whatever_the_local_clock_does() {
    // When local clocks are put forward, and back.
    for (zone, change) in
        [("Europe/Berlin", "2026-03-29T01:00:00Z"), ("America/New_York", "2026-11-01T06:00:00Z")]
    {
        let change: jiff::Timestamp = change.parse().unwrap();
        let world = World::new().env("TZ", zone);
        world.commit("One");
        // What the next command takes for the time: it lets a minute go by first.
        let set_clock = |to: i64| {
            let now: jiff::Timestamp = world.now().parse().unwrap();
            world.pass(to - 60 - now.as_second());
        };
        set_clock(change.as_second() - 12 * 3600);
        let row = open(&world, "1d", "0.1", "0.9", "--ttl 1d");
        let time = |key: &str| {
            let time: jiff::Timestamp = row[key].as_str().unwrap().parse().unwrap();
            time.as_second()
        };
        let expires = time("opened") + DAY;
        assert_eq!(time("expires"), expires, "{zone}");
        for (second, state) in [(-1, "open"), (0, "expired")] {
            set_clock(expires + second);
            assert_eq!(states(&world)[0].1, state, "{zone} {second}");
        }
    }
}

/// A store with these settings.
fn settings(world: &World, settings: &Value) {
    let store = json!({"_schema": "standing_questions/v2", "settings": settings,
        "questions": [{"id": "q1", "q": "What about q1?", "importance": 3}]});
    world.change("standing_questions.json", store.to_string());
}

#[test]
fn settings_of_the_tip_rule() {
    let world = World::new();
    let rules = json!({"cap": 2, "floor": 0.5, "ttl": "2d", "gate": 0.9, "per_session": 1});
    settings(&world, &json!({"tension": rules}));
    let first = open(&world, "First", "0.5", "0.9", "--sid s1");
    let said = [&first["advice"], &first["expires"]];
    assert_eq!(said, ["ask", "2026-01-13T00:05:00.000Z"]);
    let second = open(&world, "Second", "0.4", "0.8", "--sid s2");
    assert_eq!(second["advice"], "keep");
    let ran = world.try_sq(
        "tension open Third --type gap --source x --curiosity 0.1 --intrusiveness 0.1 --sid s1",
    );
    for part in [
        "(overflow)",
        "warning: it has the lowest score of more than 2",
        "warning: this session opened 2 tensions (limit 1)",
    ] {
        assert_has!(ran.stdout, part);
    }
    assert_has!(world.sq_ok(&format!("{OPEN} --sid s3")), id(&second));
    // What is not committed changes nothing.
    world.write("standing_questions.json", store(&["q1"]));
    let found = states(&world).into_iter().map(|(_, state)| state);
    assert_eq!(found.collect::<Vec<_>>(), ["open", "overflow", "overflow", "open"]);
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
    assert!(said.lines().all(|line| line.chars().count() < 400), "{said}");
}

#[test]
fn the_gate_sees_tensions_that_are_made_for_show() {
    let world = World::new();
    world.write("a.txt", "a\n");
    world.ask(&["q1"]);
    world.record("s00").ok();
    let found = || {
        world.sq_ok("check");
        world
            .found("rule")
            .into_iter()
            .zip(world.found("about"))
            .map(|(rule, about)| format!("{rule} {about}"))
            .collect::<Vec<_>>()
    };
    for number in 0..10 {
        open(&world, &format!("{number}"), "0.5", "0.5", "--sid s01");
    }
    assert_eq!(found(), [""; 0]);
    open(&world, "One more", "0.5", "0.5", "--sid s01");
    assert_eq!(found(), ["tensions s01"]);
    let flood = "warning: session s01 (Ada Example) opened 11 tensions (limit 10)";
    assert_has!(world.sq_ok("check"), flood);
    // Opened and closed by one session: with a citation on either line it is no sign of anything.
    let (sid, cited) = ("--sid s02", "--sid s02 --cite a.txt:1");
    let row = open(&world, "Founded", "0.5", "0.5", cited);
    close(&world, id(&row), sid);
    let row = open(&world, "Founded too", "0.5", "0.5", sid);
    close(&world, id(&row), cited);
    let row = open(&world, "Closed by another", "0.5", "0.5", sid);
    close(&world, id(&row), "--sid s03");
    assert_eq!(found().len(), 1);
    let row = open(&world, "For show", "0.5", "0.5", sid);
    close(&world, id(&row), sid);
    // To cite itself is no citation.
    let row = open(&world, "For show", "0.5", "0.5", "--sid s04");
    close(&world, id(&row), &format!("--sid s04 --cite {}", id(&row)));
    assert_eq!(found()[1..], ["tensions s02", "tensions s04"]);
    // The settings decide, and a change of them is seen although the log is the same.
    settings(&world, &json!({"tension": {"per_session": 11}}));
    assert_eq!(found(), ["tensions s02", "tensions s04"]);
    // Nothing else ends the warning.
    for number in 0..21 {
        world.record(&format!("later{number}")).ok();
    }
    assert!(found().iter().all(|found| !found.starts_with("tensions")), "{:?}", found());
}

#[test]
fn a_tension_needs_no_figures_and_expires_all_the_same() {
    let world = World::new();
    settings(&world, &json!({"tension": {"floor": 0.3, "ttl": "2d"}}));
    let opened = world.json("tension open Why? --type unknown --source here");
    let row = &opened["tensions"][0];
    assert_eq!((&row["curiosity"], &row["advice"]), (&json!(0.5), &json!("keep")));
    world.pass(12 * DAY - 120);
    assert_eq!(states(&world)[0].1, "open");
    world.pass(60);
    assert_eq!(states(&world)[0].1, "expired");
}
