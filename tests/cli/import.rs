//! `git sq import` and `export`: the original log and back.

use std::fs;

use git_sq_test_support::{World, original_line};

fn entry(ts: &str, sid: &str, head: &str, delta: bool) -> String {
    format!(
        r#"{{"ts": "{ts}", "kind": "rederive", "sid": "{sid}", "repo_head_sha": "{head}", "results": [{{"q_id": "q1", "last_rederived_ts": "{ts}", "delta": {delta}, "note": "n\u00e9"}}]}}"#
    )
}

const AWAY: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn lines_go_to_the_commits_that_they_name_or_to_the_newest_before_them() {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("two");
    world.pass(3600);
    let third = world.commit("three");
    let log = [
        entry("2026-01-01T00:02:00Z", "s01", &first, false),
        entry("2026-01-01T00:30:00+00:00", "s02", AWAY, true),
        entry("2020-01-01T00:00:00Z", "s00", AWAY, false),
        entry("2026-02-01T00:00:00.5Z", "s03", &third[..8], false),
        r#"{"ts":"x","kind":"weather"}"#.to_owned(),
        String::new(),
    ];
    world.write("log.jsonl", log.join("\n"));
    let said = world.sq_ok("import log.jsonl");
    insta::assert_snapshot!(said);
    let anchored = |commit: &str| world.git(&["notes", "--ref=sq", "show", commit]).stdout;
    let named = format!("\"repo_head_sha\":\"{}\"", &third[..8]);
    for (commit, part) in [
        (&first, "s01"),
        (&first, "s00"),
        (&second, "s02"),
        (&third, "s03"),
        (&third, "\"ts\":\"2026-02-01T00:00:00.500Z\""),
        (&third, &named),
        (&third, "\"origin\":{\"file\":"),
    ] {
        assert_has!(anchored(commit), part);
    }
    let shown = world.sq_ok("log --all");
    for commit in [
        format!("commit {third} (imported)\nSession: s03"),
        format!("commit {AWAY} (imported, attached to {})\nSession: s02", &second[..10]),
    ] {
        assert_has!(shown, commit);
    }

    let before = world.lines();
    assert_has!(world.sq_ok("import log.jsonl"), "Imported 0 entries", "4 already in the log");
    assert_eq!(world.lines(), before);
    let (check, _) = world.check(&[]);
    assert_eq!(check["imported"], 4);
    assert_has!(world.try_sq("verify").stdout, "no numbered lines, can't tell for 1 reason\n");
}

#[test]
fn bad_lines_are_named_and_nothing_is_written_unless_told() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let good = entry("2026-01-01T00:10:00Z", "s01", &head, false);
    let bad = [
        "{broken".to_owned(),
        "7".to_owned(),
        good.replace("q_id", "question"),
        good.replace('[', "{\"a\":").replace(']', "}"),
        good.replace("\"kind\"", "\"writer\": \"w\", \"kind\""),
        good.replace("\"note\"", "\"q_version\": \"new\", \"note\""),
        // These could not be read back.
        good.replace("\"note\"", "\"q_version\": 4294967296, \"note\""),
        good.replace("\"note\"", "\"evidence\": 1e999, \"note\""),
        good.replace("\"kind\"", &format!("\"mood\": \"{}\", \"kind\"", "m".repeat(70_000))),
    ];
    world.write("log.jsonl", format!("{good}\n{}\n", bad.join("\n")));
    let ran = world.try_sq("import log.jsonl");
    assert_eq!(world.lines().len(), 0);
    insta::assert_snapshot!(ran.transcript());
    world.sq_ok("import --skip-bad --dry-run log.jsonl");
    assert_eq!(world.lines().len(), 0);
    world.sq_ok("import --skip-bad log.jsonl");
    assert_eq!(world.lines().len(), 1);
}

#[test]
fn an_export_has_exactly_the_original_keys_when_told() {
    let world = World::asked();
    world.sq_ok("record --sid s1 --same q1=one");
    world.commit("more");
    world.sq_ok("record --sid s2 --delta q1=two");
    let exported = world.sq_ok("export --strict-v1");
    let filtered: Vec<serde_json::Value> =
        exported.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(filtered[0]["sid"], "s1");
    for entry in &filtered {
        let keys: Vec<&String> = entry.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "repo_head_sha", "results", "sid", "ts"]);
        let keys: Vec<&String> = entry["results"][0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["delta", "last_rederived_ts", "note", "q_id"]);
    }
    assert_eq!(world.sq_ok("export").lines().collect::<Vec<_>>(), world.lines());

    let other = World::new();
    other.ask(&["q1"]);
    other.write("log.jsonl", exported);
    assert_has!(other.sq_ok("import log.jsonl"), "Imported 2 entries");
}

#[test]
fn an_abbreviated_head_is_the_beginning_of_an_id_and_no_revision() {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("two");
    world.git_ok(&format!("branch deadbee {first}"));
    world.git_ok(&format!("tag abcdef1 {first}"));
    world.git(&["branch", &second[..7], &first]).ok();
    let log = [
        entry("2026-01-02T00:00:00Z", "s01", "deadbee", false),
        entry("2026-01-02T00:00:00Z", "s02", "abcdef1", false),
        entry("2020-01-01T00:00:00Z", "s03", &second[..7], false),
    ];
    world.write("log.jsonl", log.join("\n"));
    assert_has!(world.sq_ok("import log.jsonl"), "2 with a commit that is not in this history;");
    let there = String::from_utf8(world.note(&second)).unwrap();
    assert_eq!(there.lines().count(), 3, "{there}");
}

#[test]
fn imported_values_stay_as_they_were_written() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let result = r#"{"q_id":"q1","zeta":123456789012345678901234567890,"delta":false,"alpha":[1.10,1e2],"last_rederived_ts":"2026-01-01T00:10:00Z"}"#;
    let line = format!(
        r#"{{"ts":"2026-01-01T00:10:00Z","kind":"rederive","sid":"s01","repo_head_sha":"{head}","results":[{result}],"mood":{{"z":0.1000000000000000055511151231257827,"a":18446744073709551616}}}}"#
    );
    world.write("log.jsonl", line);
    world.sq_ok("import log.jsonl");
    let line = world.lines().pop().unwrap();
    assert_has!(line, result);
    let mood = r#""mood":{"z":0.1000000000000000055511151231257827,"a":18446744073709551616}"#;
    assert_has!(line, mood);
    assert_eq!(world.check(&[]).0["sessions"], 1);
}

#[test]
fn imported_text_steers_no_terminal() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let line = entry("2026-01-01T00:10:00Z", "s01", &head, false)
        .replace("\"note\"", "\t\r\"note\"")
        .replace("n\\u00e9", "\u{202e}dne \u{9b}2J \u{2028} \u{7f} é")
        .replace("\"kind\"", "\"mo\u{202e}od\":\t{\"\u{2066}\": \"\u{7f}\"}, \"kind\"");
    world.write("log.jsonl", line);
    world.sq_ok("import log.jsonl");
    let note = String::from_utf8(world.note(&head)).unwrap();
    let steers = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{202e}' | '\u{2066}')
    };
    assert!(!note.contains(steers), "{note:?}");
    let entry: serde_json::Value = serde_json::from_str(&note).unwrap();
    assert_eq!(entry["results"][0]["note"], "\u{202e}dne \u{9b}2J \u{2028} \u{7f} é");
    assert_eq!(entry["mo\u{202e}od"]["\u{2066}"], "\u{7f}");
}

/// No rule judges what was imported, and the next session goes on from it.
#[test]
fn the_first_session_after_an_import_is_compared_with_it() {
    let world = World::asked();
    world.write("../log.jsonl", original_line("o1", &world.now(), &world.head()));
    world.sq_ok("import ../log.jsonl");
    world.pass(60);
    assert_has!(world.try_sq("record --sid s1 'q1=it is more'").transcript(), "): as it was");
    assert_has!(world.sq_ok("record --sid s1 --same q1"), "same  q1");
    // A `same` without a word is nothing to compare with.
    let world = World::asked();
    let bare =
        entry(&world.now(), "o1", &world.head(), false).replace(r#", "note": "n\u00e9""#, "");
    world.write("../log.jsonl", bare);
    world.sq_ok("import ../log.jsonl");
    world.pass(60);
    assert_has!(world.sq_ok("record --sid s1 'q1=it is more'"), "same  q1: it is more");
}

/// What would go to the newest commit here may belong to one that is missing.
#[test]
fn a_shallow_clone_imports_nothing() {
    let world = World::new();
    let first = world.ask(&["q1"]);
    world.commit("two");
    let shallow = world.cloned("--depth 1", "shallow");
    let log = world.root().join("log.jsonl");
    fs::write(&log, entry("2026-01-01T00:02:00Z", "s01", &first, false)).unwrap();
    let import = || world.sq_in(&shallow, &["import", "../log.jsonl"]);
    insta::assert_snapshot!(import().transcript(), @"
    --- stderr
    fatal: the history is cut off here, and lines may name older commits; nothing was written
    hint: `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    --- exit 128
    ");
    world.git_ok_in(&shallow, "fetch --quiet --unshallow");
    assert_has!(import().ok(), "Imported 1 entry");
    assert_has!(world.git_ok_in(&shallow, &format!("notes --ref=sq show {first}")), "s01");
}

/// Also if git merged the file, or a bad line was taken out of it.
#[test]
fn a_line_that_was_moved_is_no_other_line() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let lines: Vec<String> = (1..=6)
        .map(|n| entry(&format!("2025-12-0{n}T00:00:00Z"), &format!("s0{n}"), &head, n == 2))
        .collect();
    // Two equal lines are two entries.
    let old = [&lines[0], &lines[4], &lines[4], &lines[5]];
    let merged = [&lines[0], &lines[1], &lines[2], &lines[3], &lines[4], &lines[4], &lines[5]];
    let import = |world: &World, lines: &[&String]| {
        world.write("log.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        world.sq_ok("import log.jsonl")
    };
    import(&world, &old);
    let said = import(&world, &merged);
    assert_has!(said, "Imported 3 entries");
    assert_has!(said, "4 already in the log");
    assert_has!(import(&world, &merged[1..]), "Imported 0 entries");
    let sids = |world: &World| -> Vec<String> {
        let log = world.json("log");
        let entries = log["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["sid"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(sids(&world), ["s06", "s05", "s05", "s04", "s03", "s02", "s01"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_line() {
    let world = World::new();
    let line = entry("2026-01-01T00:02:00Z", "s01", &world.ask(&["q1"]), false);
    world.write("log.jsonl", format!("\u{feff}{line}\n"));
    assert_has!(world.sq_ok("import log.jsonl"), "Imported 1 entry");
    world.write("log.jsonl", line);
    assert_has!(world.sq_ok("import log.jsonl"), "Imported 0 entries");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_line_that_was_purged_is_not_imported_again() {
    let world = World::asked();
    let lines = entry("2026-01-02T00:00:00Z", "s1", &world.head(), false);
    world.write("../log.jsonl", &lines);
    world.sq_ok("import ../log.jsonl");
    let log = world.json("log");
    world.person_ok(&format!(
        "redact {} --because secret",
        log["entries"][0]["id"].as_str().unwrap()
    ));
    let note = world.git_ok("notes --ref=sq show HEAD");
    let redaction: Vec<&str> = note.lines().filter(|line| line.contains("redact\"")).collect();
    world.git_ok("update-ref -d refs/sq/kept");
    world.git(&["notes", "--ref=sq", "add", "--force", "--message", redaction[0], "HEAD"]);
    world.change("later", "");
    insta::assert_snapshot!(world.sq_ok("import ../log.jsonl"), @"
    Imported 0 entries of ../log.jsonl.
      1 already in the log
    ");
}
