//! What can't be known is said, and is never clean.

use std::path::Path;

use git_sq_test_support::{Team, World, original_line};
use serde_json::{Value, json};

use crate::standings::is_told_everywhere;

/// A world with three commits, each with an entry; gives the commits, oldest first.
fn three_sessions() -> (World, Vec<String>) {
    let world = World::new();
    let mut commits = vec![world.ask(&["q1"])];
    world.record("s01").ok();
    for sid in ["s02", "s03"] {
        commits.push(world.commit("Go on"));
        world.record(sid).ok();
    }
    (world, commits)
}

/// The gate exits 3 and one of its unknowns says all of `words`.
#[track_caller]
fn is_unknown(check: &(Value, i32), words: &[&str]) {
    let (report, code) = check;
    assert_eq!(*code, 3, "{report}");
    assert_eq!(report["ok"], false, "{report}");
    let unknowns = report["unknown"].as_array().unwrap();
    let says = |unknown: &Value| {
        let unknown = unknown.as_str().unwrap();
        words.iter().all(|word| unknown.contains(word))
    };
    assert!(unknowns.iter().any(says), "{words:?}: {report}");
}

#[test]
fn a_shallow_clone() {
    let (world, commits) = three_sessions();
    let shallow = world.cloned("--depth=1", "shallow");
    world.sq_in(&shallow, &["init"]).ok();
    let check = world.check_in(&shallow);
    is_unknown(&check, &[&commits[2][..10], "shallow"]);
    assert_eq!(check.0["sessions"], 1, "{}", check.0);
    let text = world.sq_in(&shallow, &["check"]).exits(3);
    assert_has!(text.stdout, "unknown: ", "git fetch --unshallow", "fetch-depth: 0");
    world.record_in(&shallow, "s04").ok();
    is_unknown(&world.check_in(&shallow), &["shallow"]);
    let store = git_sq_test_support::store(&["q1", "q2"]);
    std::fs::write(shallow.join("standing_questions.json"), store).unwrap();
    world.git_ok_in(&shallow, "commit --quiet -am 'Ask more'");
    let brief = world.sq_ok_in(&shallow, "brief");
    assert!(brief.contains("[unknown]"), "{brief}");
    assert!(!brief.contains("never answered"), "{brief}");
    world.git_ok_in(&shallow, "fetch --quiet --unshallow");
    let (report, code) = world.check_in(&shallow);
    assert_eq!((code, &report["sessions"]), (0, &Value::from(4)), "{report}");
}

#[test]
fn a_commit_that_is_missing_in_the_middle_of_history() {
    let (world, commits) = three_sessions();
    world.lose(&commits[1]);
    is_unknown(&world.check(&[]), &[&commits[1], "missing"]);
    assert_eq!(world.sq(&["check"]).code, 3);
    assert_eq!(world.sq(&["export"]).code, 3);
}

#[test]
fn a_note_that_is_missing() {
    let (world, commits) = three_sessions();
    world.lose(world.git(&["notes", "--ref=sq", "list", &commits[1]]).ok().trim());
    is_unknown(&world.check(&[]), &[&commits[1][..10], "note", "missing"]);
    // What is not there can't be added to; what is there goes on.
    world.record("s04").ok();
    world.git(&["checkout", "--quiet", &commits[1]]).ok();
    let before = world.git_ok("rev-parse refs/notes/sq");
    assert_has!(world.record("s05").exits(128).stderr, "missing");
    assert_eq!(world.git_ok("rev-parse refs/notes/sq"), before);
    // On a commit elsewhere it is nobody's trouble.
    world.git_ok(&format!("checkout --quiet {}", commits[0]));
    let (report, code) = world.check(&[]);
    assert_eq!((code, &report["sessions"]), (0, &Value::from(1)), "{report}");
}

#[test]
fn a_graft() {
    let (world, commits) = three_sessions();
    world.write(".git/info/grafts", format!("{}\n", commits[2]));
    is_unknown(&world.check(&[]), &[".git/info/grafts", "remove that file"]);
    let sessions = &world.check(&[]).0["sessions"];
    assert_eq!(sessions, 3, "history is read as it is stored");
    // Also where an answer was kept before.
    world.write(".git/info/grafts", "");
    assert_eq!(world.sq(&["check"]).code, 0);
    world.write(".git/info/grafts", format!("{}\n", commits[2]));
    assert_eq!(world.sq(&["check"]).code, 3);
}

#[test]
fn a_line_that_can_t_be_read_is_named_and_kept() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let good = original_line("s01", "2026-01-01T00:00:00Z", &head);
    for bad in [
        &b"{\"ts\":\"2026-01-01T00:00:00Z\",\"kind\":\"rederive\""[..],
        b"{\"ts\":\"2026-01-01T00:00:00Z\",\"kind\":\"redi\0rive\"}",
        b"{\"ts\":\"2026-01-01T00:00:00Z\",\"kind\":\"caf\xe9\"}",
        b"{\"ts\":\"yesterday\",\"kind\":\"rederive\",\"sid\":\"x\",\"repo_head_sha\":\"0123456\",\"results\":[]}",
    ] {
        let note = [good.as_bytes(), b"\n", bad, b"\n"].concat();
        world.plant(&[(&head, &note)]);
        let check = world.check(&[]);
        is_unknown(&check, &[&head[..10], "can't be read"]);
        assert_eq!(check.0["sessions"], 1, "{}", check.0);
        world.record("s02").ok();
        let after = world.note(&head);
        let kept = after.split(|&b| b == b'\n').any(|line| line == bad);
        assert!(kept, "{}", String::from_utf8_lossy(&after));
        assert_eq!(world.check(&[]).0["sessions"], 2);
    }
    // Why is said in a few words.
    let long = format!("{{\"kind\":\"rederive\",\"ts\":\"{}\"}}\n", "x".repeat(1_000_000));
    world.plant(&[(&head, long.as_bytes())]);
    let said = world.try_sq("log").stderr;
    assert!(said.contains("more than 65536") && said.len() < 1000, "{said}");
}

#[test]
fn a_line_of_a_newer_version() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let newer = format!(
        "{{\"ts\":\"2026-01-01T00:00:00.000Z\",\"kind\":\"rederive\",\"id\":\"x\",\"sid\":\"s\",\"repo_head_sha\":\"{head}\",\"v\":2,\"answers\":{{}}}}\n"
    );
    world.plant(&[(&head, newer.as_bytes())]);
    is_unknown(&world.check(&[]), &["version 2", "too old"]);
    world.record("s01").ok();
    assert!(world.lines().contains(&newer.trim_end().to_owned()));
    is_unknown(&world.check(&[]), &["version 2"]);
}

#[test]
fn a_partial_clone_whose_remote_is_away() {
    let (world, commits) = three_sessions();
    world.git_ok("config uploadpack.allowFilter true");
    let partial = world.cloned("--filter=blob:none", "partial");
    // By a plain fetch, which filters; `init` and `sync` bring notes whole.
    let tracking = "refs/notes/remotes/origin/sq";
    for line in [
        "config remote.origin.sq true",
        &format!("fetch --quiet origin +refs/notes/sq:{tracking}"),
        &format!("update-ref refs/notes/sq {tracking}"),
    ] {
        world.git_ok_in(&partial, line);
    }
    let away = world.root().join("away");
    std::fs::rename(&world.dir, &away).unwrap();
    is_unknown(&world.check_in(&partial), &[&commits[0][..10], "missing"]);
    assert_eq!(world.record_in(&partial, "s04").code, 128);
    std::fs::rename(&away, &world.dir).unwrap();
    let world = world.env("GIT_NO_LAZY_FETCH", "1");
    is_unknown(&world.check_in(&partial), &["missing"]);
    let world = world.env("GIT_NO_LAZY_FETCH", "0");
    assert_eq!(world.check_in(&partial).0["sessions"], 3);
}

#[test]
fn a_cited_file_that_is_missing_flags_nobody_and_nothing_of_it_is_kept() {
    let world = World::asking(&[r#","watch":["notes"]"#]);
    let mut blobs = Vec::new();
    for (change, claim) in [(0, ""), (1, "--delta q1=changed"), (2, "--delta q1=changed")] {
        world.change("notes", format!("limit {change}\nrest\n"));
        world.sq_ok(&format!("record --sid s{change} q1=limit-{change} --cite q1=notes:1 {claim}"));
        blobs.push(world.git_ok("rev-parse HEAD:notes"));
    }
    world.commit("Go on");
    let (honest, code) = world.check(&[]);
    assert_eq!(code, 0, "{honest}");
    for lost in [&blobs[..1], &blobs[1..2], &blobs[..2]] {
        std::fs::remove_dir_all(world.dir.join(".git/sq/cache")).unwrap();
        let place =
            |blob: &String| world.dir.join(".git/objects").join(&blob[..2]).join(blob[2..].trim());
        for blob in lost {
            std::fs::rename(place(blob), place(blob).with_extension("away")).unwrap();
        }
        is_unknown(&world.check(&[]), &["q1", "s1"]);
        assert_eq!(world.found("findings"), Vec::<String>::new());
        for blob in lost {
            std::fs::rename(place(blob).with_extension("away"), place(blob)).unwrap();
        }
        assert_eq!(world.check(&[]), (honest.clone(), 0));
    }
}

#[test]
fn a_record_that_landed_is_acknowledged_whatever_can_t_be_told_about_it() {
    let world = World::answered("s01");
    let tree = world.git_ok("rev-parse HEAD^{tree}");
    world.change("file", "text");
    world.lose(tree.trim());
    world.record("s02").ok();
    assert_eq!(world.lines().len(), 2);
}

/// A remote `elsewhere` that shares its log, whose note on `anchor` was never brought here.
fn share_an_absent_note(world: &World, anchor: &str, present: &[(&str, &[u8])]) {
    let absent = world.git_with_input(&["hash-object", "--stdin"], b"not here\n");
    let line = |blob: &str, anchor: &str| format!("100644 blob {}\t{anchor}", blob.trim());
    let lines: Vec<String> = present
        .iter()
        .map(|(anchor, text)| line(&world.blob(text), anchor))
        .chain([line(&absent.ok(), anchor)])
        .collect();
    let tree = world.tree(&lines);
    let commit = world.git_ok(&format!("commit-tree -m Planted {tree}"));
    let tracking = "refs/notes/remotes/elsewhere/sq";
    world.git_ok(&format!("update-ref {tracking} {}", commit.trim()));
    world.git_ok("remote add elsewhere ../elsewhere");
    world.git_ok("config remote.elsewhere.sq true");
}

#[test]
fn a_fetched_note_that_is_missing_stops_no_record() {
    let (world, commits) = three_sessions();
    let theirs = original_line("theirs", "2026-01-01T00:00:00Z", &commits[0]) + "\n";
    share_an_absent_note(&world, &commits[2], &[(&commits[0], theirs.as_bytes())]);
    world.record("s04").ok();
    let lines = world.lines();
    assert_eq!(lines.len(), 5, "{lines:#?}");
    let whole = "merge-base --is-ancestor refs/notes/remotes/elsewhere/sq refs/notes/sq";
    assert_eq!(world.try_git(whole).code, 1, "it was not taken in whole");
    is_unknown(&world.check(&[]), &[&commits[2][..10], "missing"]);
    world.record("s05").ok();
    assert_eq!(world.lines().len(), 6);
}

#[test]
fn a_first_record_does_not_build_on_a_fetched_note_that_is_missing() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    share_an_absent_note(&world, &head, &[]);
    world.record("s01").ok();
    assert_eq!(world.lines().len(), 1);
    is_unknown(&world.check(&[]), &["missing"]);
}

#[test]
fn behind_a_missing_commit_there_may_be_a_derivation() {
    let world = World::answered("s01");
    let lost = world.commit("Go on");
    world.commit("Go further");
    world.lose(&lost);
    world.sq_ok("record --sid s02 --delta 'q1=it changed'");
    world.sq_ok("record --sid s03 --same q1");
    assert_eq!(world.lines().len(), 3);
    assert_eq!(world.check(&[]).1, 3);
}

/// A line that can't be read has no time, and may stand before others of a session without a name.
#[test]
fn a_line_without_a_time_before_one_of_no_session_is_counted() {
    let world = World::asked();
    let head = world.head();
    let unread = r#"{"ts":"2026-01-01T00:00:01.123Z","kind":"rederive","id":"01KDV"#;
    let nameless = format!(
        r#"{{"ts":"2026-01-01T00:00:04.000Z","kind":"weather","Sid":"s1","repo_head_sha":"{head}","v":7}}"#
    );
    world.plant_lines(&[format!("{unread}\n{nameless}\n")]);
    assert_eq!(world.sq(&["show", "q1"]).code, 3);
    assert_eq!(world.check(&[]).1, 3);
}

/// A fact, two questions that one session answered, and one that none did; published.
fn published() -> Team {
    let team = Team::new();
    let fact = json!({"id": "fact", "q": "?", "importance": 2, "expect": true,
        "probe": {"grep": {"text": "1.0", "paths": ["README.md"], "take": "exists"}}});
    let questions = ["q1", "q2", "q3"]
        .map(|id| json!({"id": id, "q": "?", "importance": 2, "watch": ["README.md"]}).to_string());
    let questions = [&questions[..], &[fact.to_string()]].concat().join(",");
    let store = git_sq_test_support::store_v2(&questions);
    team.write("standing_questions.json", store);
    team.change("README.md", "1.0\n");
    team.sq_ok("record --sid s1 q1=a q2=a --cite q1=README.md:1 --cite q2=README.md:1");
    team.git_ok("commit --quiet --allow-empty -m more");
    team.push();
    team
}

/// Where an answer may be in what is not here, nobody says that there was none.
#[track_caller]
fn nothing_is_said_to_be_never_answered(team: Team, clone: &Path, is_cut: &str) -> World {
    // What `git sq ci` could fetch would end it.
    std::fs::rename(&team.remote, team.world.root().join("away")).unwrap();
    let world = team.world.at(clone);
    let words = [("fact", "holds"), ("q1", "unknown"), ("q2", "unknown"), ("q3", "unknown")];
    is_told_everywhere(&world, &words);
    let undetermined = "undetermined: the history or the log is incomplete; 3 unknown, 1 holds";
    let check = world.try_sq("check");
    assert_eq!(check.stdout.lines().last(), Some(undetermined), "{}", check.transcript());
    for line in [
        "check",
        "check --format json",
        "ci",
        "status",
        "question list",
        "show q1",
        "brief",
        "brief --format markdown",
        "fleet .",
        "stats --format openmetrics",
        "stats --format openmetrics --by-question",
        "report",
    ] {
        let said = world.try_sq(line).stdout;
        let said: Vec<&str> = said.lines().filter(|line| !line.ends_with("\"} 0")).collect();
        let said = said.join("\n");
        assert!(said.contains("unknown"), "{line}: {said}");
        assert!(!said.contains("never answered"), "{line}: {said}");
    }
    assert_has!(world.try_sq("fleet .").stdout, &format!("q1, q2, q3 unknown; {is_cut}"));
    world
}

#[test]
fn a_standing_in_a_shallow_clone() {
    let team = published();
    let shallow = team.cloned("--depth=1", "shallow");
    team.sq_ok_in(&shallow, "init");
    let world = nothing_is_said_to_be_never_answered(team, &shallow, "history ends at");
    world.sq_ok("record --sid s2 --sure q1=a --cite q1=README.md:1");
    is_told_everywhere(&world, &[("fact", "holds"), ("q1", "fresh"), ("q2", "unknown")]);
}

#[test]
fn a_standing_in_a_clone_without_the_log() {
    let team = published();
    let without = team.cloned("", "without");
    nothing_is_said_to_be_never_answered(team, &without, "origin may have a log");
}

/// A first answer of its own tells a clone nothing of those that it never fetched.
#[test]
fn a_clone_that_never_asked_for_the_log_is_never_clean() {
    let (world, _) = three_sessions();
    let clone = world.cloned("", "clone");
    let told = "origin may have a log that was never fetched, and gets no entries from here: run `git sq init`";
    for line in ["log --all", "show", "triage", "stats", "export"] {
        let ran = world.sq_in(&clone, &line.split(' ').collect::<Vec<_>>());
        assert_has!(ran.exits(3).transcript(), told);
    }
    assert_has!(world.record_in(&clone, "s04").transcript(), told);
    is_unknown(&world.check_in(&clone), &[told]);
    world.sq_in(&clone, &["init"]).ok();
    let (report, code) = world.check_in(&clone);
    assert_eq!((code, &report["sessions"]), (0, &json!(4)), "{report}");
}

#[test]
fn a_remote_that_was_added_after_init_leaves_nothing_unknown() {
    let (world, _) = three_sessions();
    world.sq_ok("init");
    world.git_ok("init --quiet --bare ../published.git");
    world.git_ok("remote add origin ../published.git");
    world.git_ok("push --quiet --set-upstream origin main");
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn a_shallow_clone_does_not_know_if_an_answer_is_new() {
    let team = Team::new();
    team.sq_ok("record --sid s1 q1=3");
    team.commit(&team.clone, "More");
    team.push();
    team.settle(&team.clone);
    let shallow = team.cloned("--depth=1", "shallow");
    team.sq_ok_in(&shallow, "init");
    let refused = team.try_sq_in(&shallow, "record --sid s2 q1=5").exits(128).stderr;
    assert_has!(refused, "q1: the answer before is not here, since this clone is shallow");
    assert_has!(refused, "`git fetch --unshallow` gets the rest");
    // Nothing is before its own answer.
    team.sq_ok_in(&shallow, "record --sid s2 --sure q1=5");
    team.sq_ok_in(&shallow, "record --sid s2 q1=6 --delta q1=6");
    team.git_ok_in(&shallow, "fetch --quiet --unshallow");
    let refused = team.try_sq_in(&shallow, "record --sid s2 q1=5").exits(128).stderr;
    assert_has!(refused, "s1");
}
