//! Names, citations and figures that somebody made odd, by accident or not.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::tensions::{close, id, open, states};

/// A line of the log with what every line has, and what `body` says.
fn line(head: &str, kind: &str, id: &str, body: &Value) -> String {
    let mut line = json!({"ts": "2026-01-01T00:00:00.000Z", "kind": kind, "id": id, "sid": "planted",
        "repo_head_sha": head, "v": 1});
    let body = body.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(body);
    line.to_string() + "\n"
}

/// Adds lines to the log as somebody would who writes notes without the tool.
fn plant(world: &World, lines: &[String]) {
    let head = world.head();
    let mut note = if world.lines().is_empty() {
        Vec::new()
    } else {
        world.note(&head)
    };
    note.extend(lines.concat().into_bytes());
    world.plant(&[(&head, &note)]);
}

fn planted_tension(world: &World, id: &str) -> String {
    let body = json!({"topic": format!("Planted as {id}"), "type": "gap", "source": "x",
        "curiosity": 0.9, "intrusiveness": 0.9});
    line(&world.head(), "tension.open", id, &body)
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
    plant(&world, &ids.map(|id| planted_tension(&world, id)));
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
    plant(&world, &[planted_tension(&world, "ODD")]);
    assert_eq!(close(&world, "ODD", &[])["topic"], "Planted as ODD");
}

#[test]
fn an_empty_file_has_no_line_to_cite() {
    let world = World::new();
    world.write("empty", "");
    world.write("one", "\n");
    world.commit("One");
    let args = |cite| {
        [
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
            "--cite",
            cite,
        ]
    };
    let ran = world.sq(&args("empty:1"));
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    let why = "fatal: \"empty:1\" can't be cited: the file has 0 lines at HEAD\n";
    assert!(ran.stderr.starts_with(why), "{}", ran.transcript());
    world.sq(&args("one:1")).ok();
    let said = world.sq(&["state", "set", "--done", "see empty:1"]).ok();
    let why = "not cited: empty:1 (done 1): the file has 0 lines at HEAD\n";
    assert!(said.starts_with(why), "{said}");
}

#[test]
fn what_belongs_together_is_not_torn_apart() {
    let world = World::new().env("SQ_SESSION", "s1");
    world.ask(&["q1"]);
    let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
    let words = ["می\u{200c}خواهم", "क\u{94d}\u{200d}ष", family];
    let topic = words.join(" ");
    open(&world, &topic, "0.5", "0.5", &[]);
    open(
        &world,
        &format!("x{}", family.repeat(279)),
        "0.4",
        "0.5",
        &[],
    );
    world.sq(&["state", "set", "--handover", &topic]).ok();
    for args in [
        &["tension", "list"][..],
        &["state", "show"],
        &["brief"],
        &["brief", "--format", "markdown"],
    ] {
        let text = world.sq(args).ok();
        assert!(text.contains(&topic), "{text}");
        // What is cut is cut between families.
        assert!(
            !text.contains("\\u200d") && !text.contains("\u{200d}…"),
            "{text}"
        );
    }
    // In a command, a path or an id they have nothing to join.
    let hidden = "git\u{200d} push a\u{200c}b/\u{200d}é";
    world.sq(&["state", "set", "--handover", hidden]).ok();
    let shown = world.sq(&["state", "show"]).ok();
    assert!(
        shown.contains("git\\u200d push a\\u200cb/\\u200dé"),
        "{shown}"
    );
}

#[test]
fn a_path_of_any_name_is_cited_in_running_text() {
    let world = World::new();
    for path in ["a b.txt", "[id]/x.ts", "(app) x/y.ts", "src/a.rs"] {
        world.write(path, "one\ntwo\n");
    }
    world.commit("One");
    let items = [
        "wrote \"a b.txt\":1-2, and `src/a.rs:2`.",
        "see ([id]/x.ts:2); not \"a c.txt\":1",
        "(\"(app) x/y.ts\":1): done",
    ];
    let done = items.iter().flat_map(|item| ["--done", item]);
    let args: Vec<&str> = ["state", "set"].into_iter().chain(done).collect();
    let said = world.sq(&args).ok();
    let expected = "cited: a b.txt:1-2 (done 1)
cited: src/a.rs:2 (done 1)
cited: [id]/x.ts:2 (done 2)
cited: (app) x/y.ts:1 (done 3)
not cited: a c.txt:1 (done 2): HEAD has no such file, seen from the root of the repository
";
    assert!(said.starts_with(expected), "{said}");
    let shown = world.sq(&["state", "show"]).ok();
    assert!(shown.contains("- (app) x/y.ts:1 holds\n"), "{shown}");
    // As an option takes it, with and without the quotes.
    for (topic, cite) in [("Quoted", "\"a b.txt\":1"), ("Bare", "a b.txt:1")] {
        let row = open(&world, topic, "0.5", "0.5", &["--cite", cite]);
        assert_eq!(row["cite"][0]["cite"], "a b.txt:1");
    }
}

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
            shown.stderr.contains("what 1 entry about sessions say"),
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
        let rows = crate::tensions::all(&world);
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
        let rows = crate::states::rows(&world, &[]);
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
    let (words, controls) = ("long ".repeat(12_000), "\u{1b}".repeat(10_000));
    for huge in [&words, &controls] {
        for body in [
            json!({"status": huge}),
            json!({"handover": huge}),
            json!({"status": "s", "sid": huge}),
            json!({"status": "s", "agent": {"name": huge}}),
            json!({"status": "s", "head": {"branch": huge}}),
            json!({"done": ["x"], "cites": [{"item": 1, "cite": {"entry": huge}}]}),
        ] {
            let topic = json!({"topic": huge, "type": "gap", "source": huge, "curiosity": 0.9,
                "intrusiveness": 0.9, "ttl": huge, "sid": huge, "agent": {"name": huge}});
            let end = json!({"event": "end", "how": "sweep", "started": "2026-01-01T00:00:00.000Z",
                "beats": u32::MAX, "branch": huge, "last_subject": huge});
            let head = world.head();
            let mut note = world.note(&head);
            let before = note.len();
            for line in [
                planted_state(&world, "1", &body),
                line(&head, "session", "2", &end),
                line(&head, "tension.open", "3", &topic),
                line(&head, "tension.open", huge, &topic),
            ] {
                note.extend(line.into_bytes());
            }
            world.plant(&[(&head, &note)]);
            for format in ["text", "markdown"] {
                let brief = world.sq(&["brief", "--format", format]).ok();
                let length = brief.chars().count();
                assert!(length < 8000, "{length}\n{brief}");
                for kept in ["q1", "Say every delta out loud", "session ends, hand over"] {
                    assert!(brief.contains(kept), "{kept}\n{brief}");
                }
            }
            for args in [&["tension", "list"][..], &["tension", "next"], &["check"]] {
                let text = world.sq(args).stdout;
                assert!(
                    text.lines().all(|line| line.chars().count() < 2000),
                    "{text}"
                );
            }
            world.plant(&[(&head, &note[..before])]);
        }
    }
}

#[test]
fn what_overflowed_is_named_briefly() {
    let world = World::new();
    crate::tensions::settings(&world, &json!({"tension": {"cap": 1}}));
    let huge = json!({"topic": "long ".repeat(12_000), "type": "gap", "source": "x", "curiosity": 0.4,
        "intrusiveness": 0.4});
    plant(&world, &[line(&world.head(), "tension.open", "1", &huge)]);
    let args = [
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
    let said = world.sq(&args).ok();
    assert!(
        said.contains("more than 1 are open: 1 overflowed, \"long long"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() < 400),
        "{said}"
    );
}
