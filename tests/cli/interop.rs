//! Plain git reads what the program writes, and the other way round.

use git_sq_test_support::{World, original_line};
use serde_json::Value;

/// A world with ten commits, each with an entry; gives the commits, oldest first.
fn ten_notes() -> (World, Vec<String>) {
    let world = World::asked();
    let commits = (0..10)
        .map(|number| {
            let commit = world.commit("Go on");
            world.record(&format!("s{number:02}")).ok();
            commit
        })
        .collect();
    (world, commits)
}

/// A figure of a gate that finds no error.
#[track_caller]
fn counted(world: &World, figure: &str) -> u64 {
    let (report, code) = world.check(&[]);
    assert_eq!(code, 0, "{report}");
    report[figure].as_u64().unwrap()
}

/// A note as the log's rules want it: sorted, unique, no blank line, a line feed at the end.
#[track_caller]
fn is_in_order(note: &[u8]) {
    let text = String::from_utf8_lossy(note);
    let lines: Vec<&[u8]> = note
        .strip_suffix(b"\n")
        .expect("a line feed at the end")
        .split(|&byte| byte == b'\n')
        .collect();
    assert!(lines.iter().all(|line| !line.trim_ascii().is_empty()), "{text}");
    assert!(lines.is_sorted_by(|line, next| line < next), "{text}");
}

#[test]
fn plain_git_shows_what_was_recorded() {
    let (world, commits) = ten_notes();
    let list = world.git_ok("notes --ref=sq list");
    let mut annotated: Vec<&str> = list.lines().map(|line| &line[41..]).collect();
    annotated.sort_unstable();
    let mut expected = commits.clone();
    expected.sort_unstable();
    assert_eq!(annotated, expected);

    for (number, commit) in commits.iter().enumerate() {
        let shown = world.git_ok(&format!("notes --ref=sq show {commit}"));
        let line: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(line["sid"], format!("s{number:02}"));
        assert_eq!(line["repo_head_sha"], commit.as_str());
        is_in_order(&world.note(commit));
    }
    let log = world.git_ok("log --notes=sq --format=%N");
    assert_eq!(log.matches("\"kind\":\"rederive\"").count(), 10);

    let before = world.git_ok("log");
    assert!(!before.contains("Notes (sq)"), "{before}");
    world.sq_ok("init");
    assert_eq!(world.git_ok("log"), before);
    world.sq_ok("init --display");
    let after = world.try_git("log");
    assert_eq!(after.stderr, "");
    assert_eq!(after.ok().matches("Notes (sq):").count(), 10);

    assert_eq!(world.git_ok("fsck --strict --full"), "");
    // One commit of the log for each record, each by the user, with a message of its own.
    let history = world.git_ok("log '--format=%an <%ae> %s' refs/notes/sq");
    let message = "Ada Example <ada@example.org> Notes added by 'git sq record'";
    assert_eq!(history.lines().filter(|line| *line == message).count(), 10);
    let reflog = world.git_ok("reflog refs/notes/sq");
    assert_eq!(reflog.lines().count(), 10, "{reflog}");
}

#[test]
fn three_hundred_notes_fan_out_as_git_fans_them_out() {
    let world = World::asked();
    let mut stream = String::new();
    for number in 0..300 {
        use std::fmt::Write as _;
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        write!(
            stream,
            "commit refs/heads/main\ncommitter A <a@b> {} +0000\ndata 0\n{from}\n",
            1_767_300_000 + number
        )
        .unwrap();
    }
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes()).ok();
    let commits = world.git_ok("rev-list -300 HEAD");
    let lines = (0..).zip(commits.lines()).map(|(number, head)| {
        let ts = format!("2026-01-01T00:{:02}:{:02}Z", number / 60, number % 60);
        original_line(&format!("s{number}"), &ts, head) + "\n"
    });
    world.write("log.jsonl", lines.collect::<String>());
    world.sq_ok("import log.jsonl");
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 300);
    // Git writes one more note into a ref of its own that holds the same, and both trees are the same.
    world.record("mine").ok();
    let ours = world.git_ok("rev-parse refs/notes/sq^{tree}");
    world.git_ok("update-ref refs/notes/git refs/notes/sq~1");
    let blob = world.git_ok("notes --ref=sq list HEAD");
    world.git(&["notes", "--ref=git", "add", "-f", "-C", blob.trim(), "HEAD"]).ok();
    assert_eq!(world.git_ok("rev-parse refs/notes/git^{tree}"), ours);
    world.git_ok("fsck --strict");
    assert_eq!(world.check(&[]).0["sessions"], 301);
}

#[test]
fn lines_that_git_appended_are_read_and_put_in_order() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    for (sid, ts) in [
        ("late", "2026-01-01T03:00:00Z"),
        ("early", "2026-01-01T01:00:00Z"),
        ("late", "2026-01-01T03:00:00Z"),
    ] {
        let line = original_line(sid, ts, &head);
        world.git_ok(&format!("notes --ref=sq append -m '{line}'"));
    }
    let note = String::from_utf8(world.note(&head)).unwrap();
    assert!(note.contains("}\n\n{"), "git puts blank lines between: {note}");
    world.pass(24 * 3600);
    let (report, code) = world.check(&[]);
    assert_eq!((code, &report["latest_sid"]), (0, &"late".into()));

    world.record("ours").ok();
    let note = world.note(&head);
    is_in_order(&note);
    assert_eq!(String::from_utf8(note).unwrap().lines().count(), 3);
    assert_eq!(world.check(&[]).0["sessions"], 3);
    let sids: Vec<Value> = world
        .sq_ok("export")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["sid"].clone())
        .collect();
    assert_eq!(sids, ["early", "late", "ours"]);
}

/// Neither does one whose lines end as on Windows.
#[test]
fn a_note_without_a_line_feed_does_not_swallow_the_next_line() {
    for end in ["", "\r\n\r\n{two}\r\n"] {
        let world = World::new();
        let head = world.ask(&["q1"]);
        let line = |sid: &str| original_line(sid, "2026-01-01T00:00:00Z", &head);
        let note = line("s01") + &end.replace("{two}", &line("s02"));
        world.plant(&[(&head, note.as_bytes())]);
        let before = counted(&world, "sessions");
        world.record("s03").ok();
        is_in_order(&world.note(&head));
        assert_eq!(counted(&world, "sessions"), before + 1);
        assert_eq!(before, if end.is_empty() { 1 } else { 2 });
    }
}

#[test]
fn hand_written_lines_count_and_the_same_one_twice_counts_once() {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("Go on");
    let line = original_line("s01", "2026-01-01T00:00:00.5+01:00", &first) + "\n";
    world.plant(&[(&first, line.as_bytes()), (&second, line.as_bytes())]);
    assert_eq!(counted(&world, "sessions"), 1);
    assert_eq!(counted(&world, "elsewhere"), 0);
    let log = world.json("log");
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
    assert_eq!(log["entries"][0]["commit"], first.as_str());
}

#[test]
fn lines_of_unknown_kinds_are_counted_and_kept_byte_for_byte() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let odd = [
        "{\"kind\" : \"weather\",   \"ts\":\"2026-01-01T00:00:00Z\", \"x\": 1.0}",
        "{\"ts\":\"2026-01-01T00:00:00.000Z\",\"kind\":\"ruling\",\"v\":9,\"u\":\"\\u00e9\"}",
        "{\"kind\":\"no time at all\"}",
    ];
    world.plant(&[(&head, odd.join("\n").as_bytes())]);
    world.record("s01").ok();
    let lines = world.lines();
    assert_eq!(lines.len(), 4);
    assert!(odd.iter().all(|line| lines.iter().any(|kept| kept == line)));
    assert_eq!(counted(&world, "other_kinds"), 3);
}

#[test]
fn an_entry_on_several_commits_counts_where_it_belongs() {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("Go on");
    world.record("s01").ok();
    let third = world.commit("Go on");
    let note = world.note(&second);
    let place = |world: &World| {
        assert_eq!(counted(world, "sessions"), 1);
        assert_eq!(counted(world, "elsewhere"), 0);
        let log = world.json("log");
        assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{log}");
        log["entries"][0]["commit"].as_str().unwrap().to_owned()
    };
    // On the commit that it names.
    world.plant(&[(&first, &note), (&second, &note), (&third, &note)]);
    assert_eq!(place(&world), second);
    // Else on the one with the fewest ancestors.
    world.plant(&[(&first, &note), (&third, &note)]);
    assert_eq!(place(&world), first);
    // Only what the tip contains matters.
    world.plant(&[(&second, &note), (&third, &note)]);
    world.git_ok(&format!("checkout --quiet -b side {first}"));
    world.commit("Another way");
    let (report, _) = world.check(&[]);
    assert_eq!(report["sessions"], 0, "{report}");
    assert_eq!(report["elsewhere"], 1, "{report}");
}

#[test]
fn an_entry_whose_commit_is_gone_is_counted_as_elsewhere() {
    let world = World::answered("s01");
    world.git_ok("checkout --quiet -b side");
    world.commit("Go aside");
    world.record("s02").ok();
    world.git_ok("checkout --quiet main");
    assert_eq!(counted(&world, "elsewhere"), 1);
    world.git_ok("branch --quiet -D side");
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --quiet --prune=now");
    assert_eq!(counted(&world, "elsewhere"), 1);
    assert_eq!(counted(&world, "sessions"), 1);
    let text = world.sq_ok("check");
    assert_has!(
        text,
        "1 entry is on other branches, on commits that were not fetched, or on rewritten ones, from which `git sq carry` copies"
    );
    // And it stays in the log.
    world.record("s03").ok();
    assert_eq!(world.lines().len(), 3);
}
