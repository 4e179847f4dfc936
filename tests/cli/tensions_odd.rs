//! `git sq tension` where clocks, texts and sessions are odd.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::tensions::{all, close, id, open, settings, states, topics};

const DAY: i64 = 24 * 3600;

#[test]
fn a_day_has_24_hours_whatever_the_local_clock_does() {
    // Where and when local clocks are put forward or back in 2026: by an hour, and by half an hour.
    for (zone, changes) in [
        ("UTC", ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
        (
            "Europe/Berlin",
            ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"],
        ),
        (
            "America/New_York",
            ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"],
        ),
        (
            "Pacific/Auckland",
            ["2026-04-04T14:00:00Z", "2026-09-26T14:00:00Z"],
        ),
        (
            "Australia/Lord_Howe",
            ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"],
        ),
    ] {
        for change in changes {
            let change: jiff::Timestamp = change.parse().unwrap();
            // A machine that does not know the zone can't be misled by it.
            if let Ok(local) = jiff::tz::db().get(zone) {
                let before = jiff::Timestamp::from_second(change.as_second() - 1).unwrap();
                let is_same = local.to_offset(before) == local.to_offset(change);
                assert_eq!(is_same, zone == "UTC", "{zone} {change}");
            }
            let world = World::new().env("TZ", zone);
            world.commit("One");
            // What the next command takes for the time: it lets a minute go by first.
            let set_clock = |to: i64| {
                let now: jiff::Timestamp = world.now().parse().unwrap();
                world.pass(to - 60 - now.as_second());
            };
            for (topic, ttl, days) in [("Day", "1d", 1), ("Week", "1w", 7), ("Hours", "24h", 1)] {
                set_clock(change.as_second() - 12 * 3600);
                let row = open(&world, topic, "0.1", "0.9", &["--ttl", ttl]);
                let time = |key: &str| {
                    let time: jiff::Timestamp = row[key].as_str().unwrap().parse().unwrap();
                    time.as_second()
                };
                let expires = time("opened") + days * DAY;
                assert_eq!(time("expires"), expires, "{zone} {topic}");
                for (second, state) in [(-1, "open"), (0, "expired"), (1, "expired")] {
                    set_clock(expires + second);
                    let args = ["tension", "show", id(&row), "--format", "json"];
                    let shown = &world.sq(&args).json()["tensions"][0];
                    let told = format!("{zone} {topic} {change} {second}");
                    assert_eq!(shown["state"], state, "{told}");
                }
            }
        }
    }
}

#[test]
fn a_clock_that_jumps_back_changes_the_order_and_nothing_else() {
    let world = World::new();
    world.commit("One");
    world.pass(30 * DAY);
    let late = open(&world, "Opened late", "0.1", "0.1", &["--ttl", "2d"]);
    world.pass(-20 * DAY);
    let early = open(&world, "Opened early", "0.1", "0.1", &["--ttl", "3d"]);
    // By the time of the late one the early one had expired, whatever this clock says; and it stays so.
    let expected = [
        ("Opened early".to_owned(), "expired".to_owned()),
        ("Opened late".to_owned(), "open".to_owned()),
    ];
    assert_eq!(states(&world), expected);
    // A close that is dated before the opening closes all the same.
    let closed = close(&world, id(&late), &[]);
    assert!(closed["closed"].as_str() < closed["opened"].as_str());
    close(&world, id(&early), &[]);
    for _ in 0..3 {
        let states = states(&world);
        assert!(
            states.iter().all(|(_, state)| state == "resolved"),
            "{states:?}"
        );
        world.pass(15 * DAY);
    }
}

#[test]
fn limits_are_counted_as_people_count_characters() {
    let world = World::new();
    world.commit("One");
    let try_it = |topic: &str, source: &str| {
        world.sq(&[
            "tension",
            "open",
            topic,
            "--type",
            "other",
            "--source",
            source,
            "--curiosity",
            "0.5",
            "--intrusiveness",
            "0.5",
            "--format",
            "json",
        ])
    };
    for character in ["x", "é", "е", "漢", "நி", "e\u{301}", "👩‍👩‍👧‍👦", "🇳🇿"]
    {
        let (topic, source) = (character.repeat(280), character.repeat(140));
        let ran = try_it(&topic, &source);
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        assert_eq!(ran.json()["tensions"][0]["topic"], topic);
        let (long, longer) = (topic + character, source + character);
        for (ran, what) in [
            (
                try_it(&long, "s"),
                "the topic has 281 characters, and 280 are the limit",
            ),
            (
                try_it("t", &longer),
                "the source has 141 characters, and 140 are the limit",
            ),
        ] {
            assert_eq!(ran.code, 128, "{}", ran.transcript());
            assert!(ran.stderr.contains(what), "{}", ran.transcript());
        }
    }
    let row = open(&world, "Open", "0.5", "0.5", &[]);
    let note = |count: usize| {
        let note = "நி".repeat(count);
        world.sq(&[
            "tension",
            "close",
            id(&row),
            "--as",
            "withdrawn",
            "--note",
            &note,
        ])
    };
    assert!(
        note(501)
            .stderr
            .contains("the note has 501 characters, and 500 are the limit")
    );
    note(500).ok();
    assert_eq!(all(&world).last().unwrap()["state"], "withdrawn");
    assert_eq!(world.lines().len(), 10);
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
        line("GOOD", json!({"topic": "Another of this id", "ts": "2025-01-01T00:00:00.000Z"})),
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
    let list = world
        .sq(&["tension", "list", "--all", "--format", "json"])
        .json();
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
    let shown = world.sq(&["tension", "show", "GOOD"]).ok();
    assert!(
        shown.contains("../x:9-3 unknown") && shown.contains("nowhere unknown"),
        "{shown}"
    );
    assert!(shown.contains("Another of this id"), "{shown}");
    let brief = world.sq(&["brief", "--format", "markdown"]).ok();
    let block = brief
        .split("## Open questions that pull most\n\n````text\n")
        .nth(1)
        .expect(&brief);
    let block = block.split("````\n").next().unwrap();
    assert_eq!(block.lines().count(), 3, "{block}");
    // One record closes both of the id.
    let ran = world.sq(&[
        "tension",
        "close",
        "GOOD",
        "--as",
        "withdrawn",
        "--note",
        "odd",
        "--format",
        "json",
    ]);
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
        let text = world.sq(&["check"]).ok();
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
        open(
            &world,
            &format!("{number}"),
            "0.5",
            "0.5",
            &["--sid", "s01"],
        );
    }
    assert_eq!(rules(), []);
    open(&world, "One more", "0.5", "0.5", &["--sid", "s01"]);
    assert_eq!(rules(), [(json!("tension-flood"), json!("s01"))]);
    // Opened and closed by one session: with a citation on either line it is no sign of anything.
    let sid = ["--sid", "s02"];
    let cited = [&sid[..], &["--cite", "a.txt:1"]].concat();
    let row = open(&world, "Founded", "0.5", "0.5", &cited);
    close(&world, id(&row), &sid);
    let row = open(&world, "Founded too", "0.5", "0.5", &sid);
    close(&world, id(&row), &cited);
    let row = open(&world, "Closed by another", "0.5", "0.5", &sid);
    close(&world, id(&row), &["--sid", "s03"]);
    assert_eq!(rules().len(), 1);
    let row = open(&world, "For show", "0.5", "0.5", &sid);
    close(&world, id(&row), &sid);
    assert_eq!(rules()[1..], [(json!("tension-unfounded"), json!("s02"))]);
    // To cite itself is no citation.
    let row = open(&world, "For show", "0.5", "0.5", &["--sid", "s04"]);
    close(&world, id(&row), &["--sid", "s04", "--cite", id(&row)]);
    assert_eq!(rules()[2..], [(json!("tension-unfounded"), json!("s04"))]);
    // The settings decide, and a change of them is seen although the log is the same.
    settings(&world, &json!({"tension": {"per_session": 11}}));
    let found = rules();
    assert!(found.iter().all(|(rule, _)| rule == "tension-unfounded"));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_list_of_open_and_closed_ones_is_in_columns() {
    let world = World::new();
    world.commit("One");
    let row = open(&world, "Closed", "0.5", "0.5", &[]);
    close(&world, id(&row), &[]);
    open(&world, "Open", "0.5", "0.5", &[]);
    let list = world.sq(&["tension", "list", "--all"]).ok();
    let columns: Vec<Option<usize>> = list.lines().map(|line| line.find("0.25")).collect();
    assert_eq!(columns, [Some(10), Some(10)], "{list}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_nobody_could_read_was_not_told() {
    let world = World::new();
    world.commit("One");
    let row = open(&world, "Closed", "0.5", "0.5", &[]);
    close(&world, id(&row), &[]);
    let full = std::fs::File::create("/dev/full").unwrap();
    let mut tick = world.sq_command(&["tension", "tick"]);
    let ran = tick.stdout(full).output().unwrap();
    assert_eq!(ran.status.code(), Some(128));
    let tick = || world.sq(&["tension", "tick"]).ok();
    assert!(tick().starts_with("closed: "));
    assert_eq!(tick(), "Nothing closed, nothing is open.\n");
}
