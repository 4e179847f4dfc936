//! Every message of an error, in a snapshot: what, why, and what to do.

use git_sq_test_support::World;

macro_rules! assert_error {
    ($name:expr, $ran:expr) => {
        insta::with_settings!({filters => vec![
            ("/[^ \n]*git-sq-test-[A-Za-z0-9]+", "[world]"),
            ("\\b[0-9a-f]{40}\\b", "[id]"),
        ]}, {
            insta::assert_snapshot!($name, $ran.transcript());
        });
    };
}

#[test]
fn a_repository_says_what_is_missing() {
    let world = World::without_repo();
    assert_error!("no-repository", world.sq(&["check"]));
    let world = World::new();
    assert_error!("unborn", world.sq(&["check"]));
    world.commit("one");
    assert_error!("no-store", world.sq(&["check"]));
    assert_error!("lint-no-store", world.sq(&["question", "lint"]));
    world.ask(&["q1"]);
    assert_error!(
        "bad-tip",
        world.sq(&["check", "--tip", "nonsense\u{1b}[2J"])
    );
    assert_error!("bad-schema-name", world.sq(&["schema", "nonsense"]));
    assert_error!("import-no-file", world.sq(&["import", "nowhere.jsonl"]));
    assert_error!("show-unknown", world.sq(&["show", "q7"]));
    let mut nobody = world.sq_command(&["record", "--same", "q1=x"]);
    nobody
        .env("HOME", world.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let ran: git_sq_test_support::Ran = nobody.output().unwrap().into();
    assert_error!("nobody", ran);
    assert_error!(
        "record-json",
        world.sq_with_input(&["record", "--json", "-"], "{\"results\":{}}")
    );
    assert_error!(
        "record-reasons",
        world.sq(&["record", "--same", "q1,q9", "--delta", "q2"])
    );
}

#[test]
fn carry_says_what_it_can_t_do() {
    let world = World::new();
    assert_error!("carry-unborn", world.sq(&["carry"]));
    let head = world.ask(&["q1"]);
    world.record("s01").ok();
    for (name, args) in [
        (
            "carry-no-commit",
            &["--onto", "HEAD", "nonsense\u{1b}[2J"][..],
        ),
        ("carry-short", &["abc"]),
        ("carry-unknown", &["0123456789"]),
        ("carry-bad-onto", &["--onto", "nowhere"]),
        ("carry-no-range", &["--pr", "HEAD"]),
        ("carry-three-dots", &["--pr", "HEAD...HEAD"]),
        ("carry-bad-range", &["--pr", "nowhere..HEAD"]),
        ("carry-sid", &["--sid", "a b"]),
    ] {
        let ran = world.sq(&[&["carry"], args].concat());
        assert_eq!(ran.code, 128, "{}", ran.transcript());
        assert_error!(name, ran);
    }
    // Two commits that have entries and begin alike.
    let twin = |end: &str| format!("{}{end}", &head[..36]);
    let (one, two) = (twin("0000"), twin("ffff"));
    world.plant(&[(&one, b"{}\n"), (&two, b"{}\n")]);
    let ran = world.sq(&["carry", &head[..8]]);
    let text = ran.transcript().replace(&head[..8], "[twin]");
    insta::assert_snapshot!("carry-ambiguous", text);
    let mut nobody = world.sq_command(&["carry", "--onto", "HEAD"]);
    nobody
        .env("HOME", world.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let ran: git_sq_test_support::Ran = nobody.output().unwrap().into();
    assert_error!("carry-nobody", ran);
}

#[test]
fn tension_says_what_it_can_t_do() {
    let world = World::new();
    assert_error!("tension-unborn", world.sq(&["tension", "list"]));
    world.write("a.txt", "one\n");
    world.commit("One");
    let open = |topic: &str, more: &[&str]| {
        let usual = [
            "tension",
            "open",
            topic,
            "--type",
            "gap",
            "--curiosity",
            "0.5",
        ];
        world.sq(&[&usual[..], more].concat())
    };
    let rest = ["--source", "a test", "--intrusiveness", "0.5"];
    for (name, more) in [
        ("tension-ttl", &["--ttl", "soon"][..]),
        ("tension-ttl-back", &["--ttl=-3d"]),
        ("tension-no-cite", &["--cite", "somewhere\u{1b}[2J"]),
        ("tension-no-file", &["--cite", "b.txt:1"]),
        ("tension-too-far", &["--cite", "a.txt:1-2"]),
        (
            "tension-no-entry",
            &["--cite", "01M7ZXRVN3A0K7Q5W8YB6CDE2F"],
        ),
    ] {
        let ran = open("Why?", &[&rest[..], more].concat());
        assert_eq!(ran.code, 128, "{}", ran.transcript());
        assert_error!(name, ran);
    }
    let bad = ["--source", "a\nb", "--intrusiveness", "NaN"];
    assert_error!("tension-several", open(" ", &bad));
    let bad = ["--source", &"x".repeat(141), "--intrusiveness", "-0.1"];
    assert_error!("tension-long", open(&"x\u{301}\u{302}".repeat(281), &bad));
    let tower = "x".to_owned() + &"\u{301}".repeat(9000);
    assert_error!("tension-bytes", open(&tower, &rest));
    assert_eq!(world.lines(), [] as [String; 0]);
    // Two that begin alike.
    let head = world.head();
    let line = |id: &str, kind: &str, more: &str| {
        format!(
            "{{\"ts\":\"2026-01-01T00:00:00.000Z\",\"kind\":\"{kind}\",\"id\":\"{id}\",\"sid\":\"s\",\"repo_head_sha\":\"{head}\",{more}}}\n"
        )
    };
    let opened =
        "\"topic\":\"?\",\"type\":\"gap\",\"source\":\"s\",\"curiosity\":1,\"intrusiveness\":1";
    let closed = "\"tension\":\"TWINB\",\"as\":\"withdrawn\",\"note\":\"n\"";
    let lines = [
        line("TWINA", "tension.open", opened),
        line("TWINB", "tension.open", opened),
        line("END", "tension.close", closed),
        line(&"LONG".repeat(16_350), "tension.open", opened),
    ];
    world.plant(&[(&head, lines.concat().as_bytes())]);
    let close = |id: &str, note: &str| {
        world.sq(&["tension", "close", id, "--as", "resolved", "--note", note])
    };
    assert_error!("tension-closed", close("TWINB", "x"));
    assert_error!("tension-twins", close("twin", "x"));
    assert_error!("tension-short", close("INA", "x"));
    assert_error!("tension-nowhere", close("no\u{1b}where", "x"));
    assert_error!("tension-note", close("TWINA", "a\u{2028}b"));
    assert_error!("tension-show", world.sq(&["tension", "show", "nowhere"]));
    let mut nobody = world.sq_command(&["tension", "close", "TWINA", "--as", "resolved"]);
    nobody
        .args(["--note", "x"])
        .env("HOME", world.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let ran: git_sq_test_support::Ran = nobody.output().unwrap().into();
    assert_error!("tension-nobody", ran);
    // Nobody honest writes an id that is as long as a whole entry.
    assert_error!("tension-too-long", close("LONG", "x"));
    assert_eq!(world.lines().len(), 4);
}

#[test]
fn sessions_say_what_they_can_t_do() {
    let world = World::new();
    assert_error!("state-unborn", world.sq(&["state", "set", "--next", "x"]));
    world.commit("Begin");
    let long = "x".repeat(300);
    for (name, args) in [
        ("session-none", &["session", "end"][..]),
        ("session-no-such", &["session", "beat", "--sid", "s9"]),
        ("session-name", &["session", "start", "--sid", "a b"]),
        ("session-share", &["session", "beat", "--context", "1.5"]),
        ("session-no-share", &["session", "beat", "--context", "NaN"]),
        ("state-nothing", &["state", "set"]),
        (
            "state-strict",
            &[
                "state", "set", "--strict", "--status", &long, "--next", &long,
            ],
        ),
        ("state-no-file", &["state", "set", "--json", "nowhere.json"]),
    ] {
        let ran = world.sq(args);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
        assert_error!(name, ran);
    }
    let json = |text: &str| world.sq_with_input(&["state", "set", "--json", "-"], text);
    assert_error!("state-json", json("{\"done\": \"x\"}"));
    assert_error!("state-nul", json("{\"status\": \"a\\u0000\"}"));
    world.git(&["config", "sq.grace", "soon"]).ok();
    assert_error!("session-grace", world.sq(&["session", "start"]));
    world.git(&["config", "--unset", "sq.grace"]).ok();
    let mut long = world.sq_command(&["state", "set", "--next", "x"]);
    let ran: git_sq_test_support::Ran = long
        .env("SQ_AGENT", "a".repeat(70_000))
        .output()
        .unwrap()
        .into();
    assert_error!("agent-too-long", ran);
}
