//! Figures, times and lengths in planted lines that can't be.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::{
    odd_words::{line, plant},
    states::rows,
    tensions::{OPEN, all, settings},
};

fn planted_state(world: &World, id: &str, body: &Value) -> String {
    line(&world.head(), "state", id, body)
}

#[test]
fn figures_that_can_t_be_make_a_line_unreadable() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s1").ok();
    let good = json!({"event": "end", "how": "end", "started": "2026-01-01T00:00:00.000Z", "beats": 3,
        "seconds": 60, "peak_context": 1});
    let state = planted_state(&world, "1", &json!({"status": "here"}));
    let note = world.note(&world.head());
    let with_end = |more: &Value| {
        let mut end = good.as_object().unwrap().clone();
        end.extend(more.as_object().unwrap().clone());
        let end = line(&world.head(), "session", "2", &Value::Object(end));
        let note = [&note[..], state.as_bytes(), end.as_bytes()].concat();
        world.plant(&[(&world.head(), &note)]);
        world.sq(&["state", "show"])
    };
    let shown = with_end(&json!({})).ok();
    assert!(
        shown.contains(
            "session:  1 minute, an unknown number of commits, 3 beats, context at most 100 %"
        ),
        "{shown}"
    );
    for odd in [
        json!({"peak_context": 1e308}),
        json!({"peak_context": 1.01}),
        json!({"peak_context": -0.5}),
        json!({"seconds": u64::MAX}),
        json!({"seconds": -1}),
        json!({"beats": 0.5}),
        json!({"started": "yesterday"}),
    ] {
        let shown = with_end(&odd);
        assert_eq!(shown.code, 3, "{odd}{}", shown.transcript());
        assert!(
            !shown.stdout.contains("session:"),
            "{odd}{}",
            shown.transcript()
        );
        assert!(
            shown
                .stderr
                .contains("unknown: a line about sessions, states or tensions can't be read\n"),
            "{odd}{}",
            shown.transcript()
        );
        let (report, code) = world.check(&["--no-cache"]);
        assert_eq!(code, 3, "{odd}{report}");
    }
}

#[test]
fn lengths_and_shares_at_their_edges_print_as_what_they_are() {
    let world = World::new();
    world.commit("One");
    let tension = |id: &str, more: &Value| {
        let mut body = json!({"topic": id, "type": "gap", "source": "x", "curiosity": 5e-324,
            "intrusiveness": 1});
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        line(&world.head(), "tension.open", id, &body)
    };
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
    let lines: Vec<String> = lengths.iter().map(|(id, more)| tension(id, more)).collect();
    plant(&world, &lines);
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
fn a_state_at_the_end_of_time_is_refused_and_not_stumbled_over() {
    let world = World::new().env("SQ_SESSION", "s1");
    world.commit("One");
    world.sq(&["state", "set", "--status", "one"]).ok();
    let line = String::from_utf8(world.note(&world.head())).unwrap();
    let mut line: Value = serde_json::from_str(&line).unwrap();
    line["ts"] = json!("9999-12-30T22:00:00.999Z");
    plant(&world, &[line.to_string() + "\n"]);
    let lines = world.lines();
    let ran = world.sq(&["state", "set", "--status", "two"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert_eq!(
        ran.stderr,
        "fatal: the session \"s1\" has a state of 9999-12-30T22:00:00.999Z, and no later time can be written\n\
         hint: nothing was written; begin another session: git sq session start --sid NAME\n"
    );
    assert_eq!(world.lines(), lines);
}

#[test]
fn lines_that_no_file_has_are_not_said_to_hold() {
    let world = World::new();
    world.write("a.txt", "one\ntwo\n");
    world.commit("One");
    let blob = world.git(&["rev-parse", "HEAD:a.txt"]).ok();
    let cites = [[1, 2], [2, 3], [0, 1], [2, 1]].map(
        |lines| json!({"item": 1, "cite": {"path": "a.txt", "lines": lines, "blob": blob.trim()}}),
    );
    plant(
        &world,
        &[planted_state(
            &world,
            "1",
            &json!({"done": ["x"], "cites": cites}),
        )],
    );
    let fates = || {
        let rows = rows(&world, &[]);
        let cites = rows[0]["cites"].as_array().unwrap().iter();
        let fates: Vec<Value> = cites.map(|cite| cite["fate"].clone()).collect();
        fates
    };
    assert_eq!(fates(), ["holds", "unknown", "unknown", "unknown"]);
    world.write("a.txt", "one\ntwo\nthree\n");
    world.commit("Two");
    assert_eq!(fates(), ["holds", "unknown", "unknown", "unknown"]);
}

#[test]
fn a_brief_holds_whatever_was_planted() {
    let world = World::new();
    world.ask(&["q1"]);
    world.record("s1").ok();
    let head = world.head();
    let note = world.note(&head);
    let (words, controls) = ("long ".repeat(12_000), "\u{1b}".repeat(10_000));
    for huge in [&words, &controls] {
        let topic = json!({"topic": huge, "type": "gap", "source": huge, "curiosity": 0.9,
            "intrusiveness": 0.9, "ttl": huge, "sid": huge, "agent": {"name": huge}});
        let end = json!({"event": "end", "how": "sweep", "started": "2026-01-01T00:00:00.000Z",
            "beats": u32::MAX, "branch": huge, "last_subject": huge});
        let others = line(&head, "session", "2", &end)
            + &line(&head, "tension.open", "3", &topic)
            + &line(&head, "tension.open", huge, &topic);
        for body in [
            json!({"status": huge}),
            json!({"handover": huge}),
            json!({"status": "s", "sid": huge}),
            json!({"status": "s", "agent": {"name": huge}}),
            json!({"status": "s", "head": {"branch": huge}}),
            json!({"done": ["x"], "cites": [{"item": 1, "cite": {"entry": huge}}]}),
        ] {
            let state = planted_state(&world, "1", &body);
            let planted = [&note[..], state.as_bytes(), others.as_bytes()].concat();
            world.plant(&[(&head, &planted)]);
            for format in ["text", "markdown"] {
                let brief = world.sq(&["brief", "--format", format]).ok();
                let length = brief.chars().count();
                assert!(length < 8000, "{length}\n{brief}");
                for kept in ["q1", "Say every delta out loud", "session ends, hand over"] {
                    assert!(brief.contains(kept), "{kept}\n{brief}");
                }
            }
        }
        for args in [&["tension", "list"][..], &["tension", "next"], &["check"]] {
            let text = world.sq(args).stdout;
            assert!(
                text.lines().all(|line| line.chars().count() < 2000),
                "{text}"
            );
        }
    }
}

#[test]
fn what_overflowed_is_named_briefly() {
    let world = World::new();
    settings(&world, &json!({"tension": {"cap": 1}}));
    let huge = json!({"topic": "long ".repeat(12_000), "type": "gap", "source": "x", "curiosity": 0.4,
        "intrusiveness": 0.4});
    plant(&world, &[line(&world.head(), "tension.open", "1", &huge)]);
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
