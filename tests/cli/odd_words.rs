//! Names, citations and characters that are odd, by accident or not.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::tensions::{OPEN, close, id, open, states};

/// A line of the log with what every line has, and what `body` says.
pub fn line(head: &str, kind: &str, id: &str, body: &Value) -> String {
    let mut line = json!({"ts": "2026-01-01T00:00:00.000Z", "kind": kind, "id": id, "sid": "planted",
        "repo_head_sha": head, "v": 1});
    let body = body.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(body);
    line.to_string() + "\n"
}

/// Adds lines to the log as somebody would who writes notes without the tool.
pub fn plant(world: &World, lines: &[String]) {
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
    let args = |cite| [&OPEN[..], &["--cite", cite]].concat();
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

#[test]
fn a_call_without_a_session_says_that_it_is_one_of_its_own() {
    let world = World::new();
    world.commit("One");
    let call = |world: &World, command: &str, more: &[&str]| {
        let args: &[&str] = match command {
            "state set" => &["state", "set", "--status", "x"],
            "tension open" => &OPEN,
            _ => {
                let row = open(world, "To close", "0.5", "0.5", &[]);
                let args = [
                    "tension",
                    "close",
                    id(&row),
                    "--as",
                    "withdrawn",
                    "--note",
                    "x",
                ];
                return world.sq(&[&args[..], more].concat()).ok();
            }
        };
        world.sq(&[args, more].concat()).ok()
    };
    let commands = ["state set", "tension open", "tension close"];
    for command in commands {
        let hint = format!(
            "No session was started, so the next `{command}` is another session's: git sq session start\n"
        );
        let said = call(&world, command, &[]);
        assert!(said.ends_with(&hint), "{said}");
        let said = call(&world, command, &["--sid", "s1"]);
        assert!(!said.contains("No session"), "{said}");
    }
    world.sq(&["session", "start"]).ok();
    for command in commands {
        let said = call(&world, command, &[]);
        assert!(!said.contains("No session"), "{said}");
    }
    world.sq(&["session", "end"]).ok();
    let world = world.env("SQ_SESSION", "s2");
    for command in commands {
        let said = call(&world, command, &[]);
        assert!(!said.contains("No session"), "{said}");
    }
}

#[test]
fn a_file_and_options_do_not_mix() {
    let world = World::new();
    let fields = ["status", "handover", "done", "doing", "blocked", "next"];
    let why = "error: the argument '--json <FILE>' cannot be used with:\n".to_owned();
    let why = why + &fields.map(|field| format!("  --{field} <TEXT>\n")).concat();
    for field in fields {
        let ran = world.sq(&["state", "set", "--json", "-", &format!("--{field}"), "x"]);
        assert_eq!(ran.code, 129, "{}", ran.transcript());
        assert!(ran.stderr.starts_with(&why), "{}", ran.transcript());
    }
}
