//! Each line of a writer has the next number and the digest of the line before; nobody writes on under another's name.

use std::{fs, path::Path};

use git_sq_test_support::{Team, World, chains, copy_dir, each};
use serde_json::{Value, json};

fn parsed(lines: impl IntoIterator<Item = String>) -> Vec<Value> {
    lines.into_iter().map(|line| serde_json::from_str(&line).unwrap()).collect()
}

/// How many lines each writer of a log has.
#[track_caller]
fn lengths(lines: impl IntoIterator<Item = String>) -> Vec<u64> {
    let lines: Vec<String> = lines.into_iter().collect();
    let mut lengths: Vec<u64> = chains(&lines).unwrap().into_values().collect();
    lengths.sort_unstable();
    lengths
}

#[test]
fn lines_say_who_wrote_them_and_what_they_follow() {
    let world = World::answered("s1");
    world.sq_ok("state set --sid s1 --status fine");
    world.commit("later");
    world.record("s2").ok();
    let lines = world.lines();
    assert_eq!(lengths(lines.clone()), [3]);
    let entries = parsed(lines);
    assert!((1..).zip(&entries).all(|(n, entry)| entry["n"] == n));
    let by = json!({"name": "Ada Example", "email": "ada@example.org"});
    assert_eq!(entries[0]["by"], by);
    assert_eq!(entries[0].get("prev"), None);
    assert_eq!(entries[0].get("seen"), None);
    // The place in the chain stands in the notes commit that brought the line.
    let said = world.git_ok("log -1 --format=%B refs/notes/sq");
    let writer = entries[2]["writer"].as_str().unwrap();
    let expected = format!("Notes added by 'git sq record'\n\nSq-Chain: {writer} 3 ");
    assert!(said.starts_with(&expected), "{said}");
    let moved = world.git_ok("log -1 --walk-reflogs --format=%gs refs/notes/sq");
    assert_eq!(moved, "notes: Notes added by 'git sq record'\n");
}

#[test]
fn a_line_names_the_shared_log_that_it_knew() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let tip = |dir: &Path, name: &str| team.git(dir, &["rev-parse", name]).ok().trim().to_owned();
    let root = tip(&team.remote, "refs/notes/sq");
    team.work(&team.clone, "s2");
    let other = team.join("other");
    team.work(&other, "s3");
    let seen = json!({"root": root, "tip": root});
    let entry = |dir: &Path, sid: &str| {
        let mut entries = parsed(team.lines(dir)).into_iter();
        entries.find(|entry| entry["sid"] == *sid).unwrap()
    };
    assert_eq!(entry(&team.clone, "s1").get("seen"), None);
    assert_eq!(entry(&team.clone, "s2")["seen"], seen);
    assert_eq!(entry(&other, "s3")["seen"], seen);
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    team.work(&team.clone, "s4");
    let newer = tip(&team.remote, "refs/notes/sq");
    assert_ne!(newer, root);
    let seen = json!({"root": root, "tip": newer});
    assert_eq!(entry(&team.clone, "s4")["seen"], seen);
}

/// One that was moved within its file system is the same.
#[test]
fn a_copied_clone_writes_under_a_name_of_its_own() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let [copy, moved] = ["copy", "moved"].map(|name| team.world.root().join(name));
    copy_dir(&team.clone, &copy);
    team.work(&copy, "copied");
    team.work(&team.clone, "original");
    team.work(&copy, "copied-again");
    assert_eq!(lengths(team.lines(&team.clone)), [2]);
    assert_eq!(lengths(team.lines(&copy)), [1, 2]);
    fs::rename(&team.clone, &moved).unwrap();
    team.work(&moved, "s2");
    assert_eq!(lengths(team.lines(&moved)), [3]);
}

/// What plain git put on top of the log, or took away, begins none: the kept ref says where it was.
#[test]
fn a_lost_state_begins_a_new_writer() {
    let world = World::answered("s1");
    world.record("s2").ok();
    fs::remove_file(world.dir.join(".git/sq/state.json")).unwrap();
    world.record("s3").ok();
    world.record("s4").ok();
    assert_eq!(lengths(world.lines()), [2, 2]);
    world.git_ok("notes --ref=sq append -m {} HEAD~0");
    world.record("s5").ok();
    world.git_ok("update-ref -d refs/notes/sq");
    world.record("s6").ok();
    let mut lines = world.lines();
    lines.retain(|line| line != "{}");
    assert_eq!(lengths(lines), [2, 4]);
    world.git_ok("update-ref -d refs/sq/kept");
    world.git_ok("update-ref -d refs/notes/sq");
    world.record("s7").ok();
    world.record("s8").ok();
    assert_eq!(lengths(world.lines()), [2]);
}

/// The state of an older backup was put back, and what was written since comes back from the remote.
#[test]
fn a_fetched_line_with_a_number_of_one_s_own_begins_a_new_writer() {
    for wrote in [false, true] {
        let team = Team::new();
        team.work(&team.clone, "s1");
        let before = team.git_ok("rev-parse refs/notes/sq");
        team.work(&team.clone, "s2");
        team.git_ok("push --quiet");
        team.sq_ok("sync");
        team.settle(&team.clone);
        for name in ["refs/notes/sq", "refs/sq/kept"] {
            team.git_ok(&format!("update-ref {name} {before}"));
        }
        team.git_ok("update-ref -d refs/notes/remotes/origin/sq");
        if wrote {
            team.work(&team.clone, "s2-again");
        }
        team.sq_ok("sync");
        team.work(&team.clone, "s3");
        team.work(&team.clone, "s4");
        let entries = parsed(team.lines(&team.clone));
        let of = |sid: &str| {
            let entry = entries.iter().find(|entry| entry["sid"] == *sid).unwrap();
            (&entry["writer"], &entry["n"])
        };
        let (old, new) = (of("s1").0, of("s3").0);
        assert_ne!(old, new);
        assert_eq!(of("s2"), (old, &json!(2)));
        assert_eq!(of("s3"), (new, &json!(1)));
        assert_eq!(of("s4"), (new, &json!(2)));
        // Of two lines with one number both count, and that is said.
        let (report, _) = team.world.check_in(&team.clone);
        assert_eq!(report["sessions"], if wrote { 5 } else { 4 });
        assert_eq!(broken(&report).len(), usize::from(wrote), "{report}");
    }
}

/// What `check` says of lines that are not the writer's that they name.
fn broken(report: &Value) -> Vec<&str> {
    each(&report["findings"])
        .filter(|finding| finding["rule"] == "broken-chain")
        .map(|finding| finding["message"].as_str().unwrap())
        .collect()
}

/// A writer with three sessions, and a line that somebody made of the second one's.
fn planted(change: impl Fn(&mut Value)) -> World {
    let world = World::asked();
    for sid in ["s1", "s2", "s3"] {
        world.record(sid).ok();
        world.commit(sid);
    }
    let mut line: Value = serde_json::from_str(&world.lines()[1]).unwrap();
    line["results"] = json!([{"q_id": "q1", "q_version": 1, "delta": true, "note": "forged"}]);
    change(&mut line);
    world.git(&["notes", "--ref=sq", "append", "-m", &line.to_string()]).ok();
    world
}

#[test]
fn a_line_that_breaks_a_chain_is_not_its_writer_s() {
    let changes: [fn(&mut Value); 5] = [
        |_| {},
        |line| drop(line.as_object_mut().unwrap().remove("prev")),
        |line| line["n"] = json!(1),
        |line| line["n"] = json!(4),
        |line| line["n"] = json!(u64::MAX),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let world = planted(change);
        let (report, _) = world.check(&[]);
        // A number far beyond the last one names a line that may stand elsewhere.
        let is_seen = number < 4;
        let said = "session s2 (Ada Example) has 1 entry that does not continue the log of the clone it names: it counts as another clone's";
        let wanted = if is_seen { vec![said] } else { vec![] };
        assert_eq!(broken(&report), wanted, "{number}");
        let sessions = if is_seen { 4 } else { 3 };
        assert_eq!(report["sessions"], sessions, "{number}");
        let shown = world.json("show s2");
        for entry in shown["entries"].as_array().unwrap() {
            let is_forged = entry["results"][0]["note"] == "forged";
            assert_eq!(entry["breaks_chain"], is_forged && is_seen, "{number}");
        }
        let log = world.sq_ok("log");
        assert_eq!(log.contains("breaks its writer's chain"), is_seen, "{log}");
    }
}

/// The lines of a private branch are missing elsewhere.
#[test]
fn a_gap_breaks_no_chain() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("checkout --quiet -b private");
    team.work(&team.clone, "s2");
    team.git_ok("checkout --quiet main");
    team.publish("s3");
    let other = team.join("other");
    team.sq_ok_in(&other, "sync");
    let (report, code) = team.world.check_in(&other);
    assert_eq!((&report["sessions"], code), (&json!(2), 0));
    assert_eq!(broken(&report), [] as [&str; 0]);
}

/// A colleague carried one of our entries to another commit: that is no other line.
#[test]
fn a_copy_of_one_s_own_line_changes_nothing() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let other = team.join("other");
    team.commit(&other, "elsewhere");
    let note = team.git_ok_in(&other, "notes --ref=sq show HEAD~1");
    team.git_ok_in(&other, &format!("notes --ref=sq add -m '{}' HEAD", note.trim()));
    team.sq_ok_in(&other, "sync");
    team.sq_ok("sync");
    team.work(&team.clone, "s2");
    assert_eq!(lengths(team.lines(&team.clone)), [2]);
}

/// A clone that set a state and published it, the line, and what somebody makes of it.
fn forged(change: impl Fn(&mut Value)) -> (Team, String) {
    let team = Team::new();
    team.sq_ok("state set --sid s1 --status mine --next 'mine too'");
    team.sq_ok("sync");
    let own = team.lines(&team.clone).into_iter().next().unwrap();
    let mut line: Value = serde_json::from_str(&own).unwrap();
    line["ts"] = json!("2026-01-01T02:00:00.000Z");
    line["next"] = json!(["forged"]);
    change(&mut line);
    let attacker = team.join("attacker");
    team.git_ok_in(&attacker, "fetch --quiet");
    for git in [
        "update-ref refs/notes/sq refs/notes/remotes/origin/sq",
        &format!("notes --ref=sq append -m '{line}' HEAD"),
        "push --quiet --no-verify origin refs/notes/sq",
    ] {
        team.git_ok_in(&attacker, git);
    }
    team.world.pass(24 * 3600);
    team.git_ok("fetch --quiet");
    (team, own)
}

#[test]
fn nobody_builds_on_what_another_wrote_under_its_name() {
    for kind in ["without a number", "the next one", "the same number"] {
        let (team, own) = forged(|line| match kind {
            "without a number" => drop(line.as_object_mut().unwrap().remove("n")),
            "the next one" => line["n"] = json!(2),
            _ => {}
        });
        team.sq_ok("state set --sid s1 --status new");
        let lines = parsed(team.lines(&team.clone));
        let new = lines.iter().find(|line| line["status"] == "new").unwrap();
        assert_ne!(new["next"], json!(["forged"]), "{kind}");
        let writer = serde_json::from_str::<Value>(&own).unwrap()["writer"].clone();
        let goes_on = new["writer"] == writer;
        assert_eq!(goes_on, kind == "without a number", "{kind}");
        assert_eq!(new["next"] == json!(["mine too"]), goes_on, "{kind}");
    }
}
