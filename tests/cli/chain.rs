//! Each line of a writer has the next number and the digest of the line before; nobody writes on under another's name.

use std::{fs, path::Path};

use git_sq_test_support::{Ran, Team, World, chains};
use serde_json::{Value, json};

fn parsed(lines: impl IntoIterator<Item = String>) -> Vec<Value> {
    let lines = lines.into_iter();
    lines
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

/// How many lines each writer of a clone's log has.
#[track_caller]
fn lengths(team: &Team, dir: &Path) -> Vec<u64> {
    let lines: Vec<String> = team.lines(dir).into_iter().collect();
    let mut lengths: Vec<u64> = chains(&lines).unwrap().into_values().collect();
    lengths.sort_unstable();
    lengths
}

fn copy(team: &Team) -> std::path::PathBuf {
    let copy = team.world.root().join("copy");
    let mut cp = team.world.command("cp");
    cp.arg("-R").args([&team.clone, &copy]);
    assert!(cp.status().unwrap().success());
    copy
}

#[test]
fn lines_say_who_wrote_them_and_what_they_follow() {
    let world = World::asked();
    world.record("s1").ok();
    world.sq_ok("state set --sid s1 --status fine");
    world.commit("later");
    world.record("s2").ok();
    let lines = world.lines();
    assert_eq!(
        chains(&lines).unwrap().into_values().collect::<Vec<_>>(),
        [3]
    );
    let entries = parsed(lines);
    let numbers: Vec<u64> = entries
        .iter()
        .map(|entry| entry["n"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(
        entries[0]["by"],
        json!({"name": "Ada Example", "email": "ada@example.org"})
    );
    assert_eq!(entries[0].get("prev"), None);
    assert_eq!(entries[0].get("seen"), None);
    // The place in the chain stands in the notes commit that brought the line.
    let said = world.git_ok("log -1 --format=%B refs/notes/sq");
    let writer = entries[2]["writer"].as_str().unwrap();
    assert!(
        said.starts_with(&format!(
            "Notes added by 'git sq record'\n\nSq-Chain: {writer} 3 "
        )),
        "{said}"
    );
    let moved = world.git_ok("log -1 --walk-reflogs --format=%gs refs/notes/sq");
    assert_eq!(moved, "notes: Notes added by 'git sq record'\n");
}

#[test]
fn a_line_names_the_shared_log_that_it_knew() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.sq(&team.clone, &["sync"]).ok();
    let tip = |dir: &Path, name: &str| team.git(dir, &["rev-parse", name]).ok().trim().to_owned();
    let root = tip(&team.remote, "refs/notes/sq");
    team.work(&team.clone, "s2");
    let other = team.join("other");
    team.work(&other, "s3");
    let seen = json!({"root": root, "tip": root});
    let entry = |dir: &Path, sid: &str| {
        let entries = parsed(team.lines(dir));
        entries
            .into_iter()
            .find(|entry| entry["sid"] == *sid)
            .unwrap()
    };
    assert_eq!(entry(&team.clone, "s1").get("seen"), None);
    assert_eq!(entry(&team.clone, "s2")["seen"], seen);
    assert_eq!(entry(&other, "s3")["seen"], seen);
    team.git_ok("push --quiet");
    team.sq(&team.clone, &["sync"]).ok();
    team.work(&team.clone, "s4");
    let newer = tip(&team.remote, "refs/notes/sq");
    assert_ne!(newer, root);
    assert_eq!(
        entry(&team.clone, "s4")["seen"],
        json!({"root": root, "tip": newer})
    );
}

#[test]
fn a_copied_clone_writes_under_a_name_of_its_own() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let copy = copy(&team);
    team.work(&copy, "copied");
    team.work(&team.clone, "original");
    team.work(&copy, "copied-again");
    assert_eq!(lengths(&team, &team.clone), [2]);
    assert_eq!(lengths(&team, &copy), [1, 2]);
}

/// A clone that was moved within its file system is the same one.
#[test]
fn a_moved_clone_goes_on() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let moved = team.world.root().join("moved");
    fs::rename(&team.clone, &moved).unwrap();
    team.work(&moved, "s2");
    assert_eq!(lengths(&team, &moved), [2]);
}

#[test]
fn a_lost_state_begins_a_new_writer() {
    let world = World::asked();
    world.record("s1").ok();
    world.record("s2").ok();
    fs::remove_file(world.dir.join(".git/sq/state.json")).unwrap();
    world.record("s3").ok();
    world.record("s4").ok();
    let lengths = chains(&world.lines()).unwrap();
    assert_eq!(lengths.into_values().collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn what_plain_git_puts_on_top_begins_a_new_writer() {
    let world = World::asked();
    world.record("s1").ok();
    world.git_ok("notes --ref=sq append -m reviewed HEAD~0");
    world.record("s2").ok();
    world.git_ok("update-ref -d refs/notes/sq");
    world.record("s3").ok();
    world.record("s4").ok();
    let lines = world.lines();
    assert_eq!(
        chains(&lines).unwrap().into_values().collect::<Vec<_>>(),
        [2]
    );
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
        team.sq(&team.clone, &["sync"]).ok();
        team.settle(&team.clone);
        team.git_ok(&format!("update-ref refs/notes/sq {before}"));
        team.git_ok("update-ref -d refs/notes/remotes/origin/sq");
        if wrote {
            team.work(&team.clone, "s2-again");
        }
        let ran: Ran = team.sq(&team.clone, &["sync"]);
        assert_eq!(ran.code, 0, "{}", ran.transcript());
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
    let findings = report["findings"].as_array().unwrap().iter();
    let broken = findings.filter(|finding| finding["rule"] == "broken-chain");
    broken
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
    world
        .git(&["notes", "--ref=sq", "append", "-m", &line.to_string()])
        .ok();
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
        let said = "session s2 (Ada Example) has entries (1) that do not continue the log of the clone they name: they count as another clone's";
        let wanted = if is_seen { vec![said] } else { vec![] };
        assert_eq!(broken(&report), wanted, "{number}");
        let sessions = if is_seen { 4 } else { 3 };
        assert_eq!(report["sessions"], sessions, "{number}");
        let shown = world.sq(&["show", "s2", "--format", "json"]).json();
        let shown = shown["entries"].as_array().unwrap().iter();
        let shown: Vec<_> = shown
            .map(|entry| (&entry["results"][0]["note"], &entry["breaks_chain"]))
            .collect();
        assert!(
            shown.contains(&(&json!("forged"), &json!(is_seen))),
            "{number}"
        );
        assert!(
            shown.contains(&(&json!("as it was"), &json!(false))),
            "{number}"
        );
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
    team.work(&team.clone, "s3");
    team.git_ok("push --quiet");
    team.settle(&team.clone);
    let other = team.join("other");
    team.sq(&other, &["sync"]).ok();
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
    team.sq(&team.clone, &["sync"]).ok();
    let other = team.join("other");
    team.commit(&other, "elsewhere");
    let note = team
        .git(&other, &["notes", "--ref=sq", "show", "HEAD~1"])
        .ok();
    team.git(
        &other,
        &["notes", "--ref=sq", "add", "-m", note.trim(), "HEAD"],
    )
    .ok();
    team.sq(&other, &["sync"]).ok();
    team.sq(&team.clone, &["sync"]).ok();
    team.work(&team.clone, "s2");
    assert_eq!(lengths(&team, &team.clone), [2]);
}

/// A clone that set a state and published it, the line, and what somebody makes of it.
fn forged(change: impl Fn(&mut Value)) -> (Team, String) {
    let team = Team::new();
    let set = [
        "state", "set", "--sid", "s1", "--status", "mine", "--next", "mine too",
    ];
    team.sq(&team.clone, &set).ok();
    team.sq(&team.clone, &["sync"]).ok();
    let own = team.lines(&team.clone).into_iter().next().unwrap();
    let mut line: Value = serde_json::from_str(&own).unwrap();
    line["ts"] = json!("2026-01-01T02:00:00.000Z");
    line["next"] = json!(["forged"]);
    change(&mut line);
    let attacker = team.join("attacker");
    team.git(&attacker, &["fetch", "--quiet"]).ok();
    let anchor = team.git(&attacker, &["rev-parse", "HEAD"]).ok();
    let notes = [
        "notes",
        "--ref=sq",
        "append",
        "-m",
        &line.to_string(),
        anchor.trim(),
    ];
    let local = [
        "update-ref",
        "refs/notes/sq",
        "refs/notes/remotes/origin/sq",
    ];
    team.git(&attacker, &local).ok();
    team.git(&attacker, &notes).ok();
    let push = ["push", "--quiet", "--no-verify", "origin", "refs/notes/sq"];
    team.git(&attacker, &push).ok();
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
        let set = ["state", "set", "--sid", "s1", "--status", "new"];
        team.sq(&team.clone, &set).ok();
        let lines = parsed(team.lines(&team.clone));
        let new: Vec<&Value> = lines
            .iter()
            .filter(|line| line["status"] == "new")
            .collect();
        assert_eq!(new.len(), 1, "{kind}");
        assert_ne!(new[0]["next"], json!(["forged"]), "{kind}");
        let writer = serde_json::from_str::<Value>(&own).unwrap()["writer"].clone();
        let goes_on = new[0]["writer"] == writer;
        assert_eq!(goes_on, kind == "without a number", "{kind}");
        assert_eq!(new[0]["next"] == json!(["mine too"]), goes_on, "{kind}");
    }
}
