//! The gate by looks: an alarm is closed by a person, or by honest work, and by nothing else.

use std::path::Path;

use git_sq_test_support::{Team, World, event_line};
use serde_json::{Value, json};

/// The file that q1 watches.
const FILE: &str = "src/a.rs";

/// Asks questions, given by their keys beside q and importance, about files that are there.
fn asking(questions: &[&str]) -> World {
    let world = World::new();
    let questions: Vec<String> = questions
        .iter()
        .map(|keys| format!(r#"{{"q":"?","importance":2,{keys}}}"#))
        .collect();
    let questions = questions.join(",");
    world.write(
        "standing_questions.json",
        format!(r#"{{"_schema":"standing_questions/v2","questions":[{questions}]}}"#),
    );
    world.write(FILE, "constant\nlimit 0\n");
    world.commit("ask");
    world
}

/// Commits another limit.
fn change(world: &World, limit: usize) {
    world.write(FILE, format!("constant\nlimit {limit}\n"));
    world.commit(&format!("limit {limit}"));
}

/// A session says `same` of q1 whatever changed, and cites nothing.
fn lie(world: &World, sid: &str) {
    world.sq_ok(&format!("record --sure --sid {sid} --same q1"));
}

/// Writes lines as somebody would who writes notes without the tool.
fn append(world: &World, lines: &str) {
    let args = ["notes", "--ref=sq", "append", "-F", "-", "HEAD"];
    world.git_with_input(&args, lines.as_bytes()).ok();
}

/// The exit code of `check`, and the rules of its errors.
fn errors(world: &World) -> (i32, Vec<String>) {
    let (check, code) = world.check(&[]);
    let findings = check["findings"].as_array().unwrap().iter();
    let errors = findings.filter(|one| one["severity"] == "error");
    let rules = errors.map(|one| one["rule"].as_str().unwrap().to_owned());
    (code, rules.collect())
}

fn state(world: &World) -> String {
    let (check, _) = world.check(&[]);
    check["questions"][0]["state"].as_str().unwrap().to_owned()
}

/// Three lies, each at a commit of its own.
fn alarmed(more: &str) -> World {
    let world = asking(&[&format!(
        r#""id":"q1","watch":["src/"],"lines":"limit"{more}"#
    )]);
    world.sq_ok("record --sid s0 q1=0");
    for n in 1..=3 {
        change(&world, n);
        lie(&world, &format!("s{n}"));
    }
    assert_eq!(errors(&world), (1, vec!["flagged".into()]));
    world
}

#[test]
fn a_constant_citation_does_not_silence_the_gate() {
    let world = asking(&[r#""id":"q1","watch":["src/"]"#]);
    let record = |n: usize| {
        world.sq_ok(&format!(
            "record --sure --sid s{n} --same q1 q1=fine --cite q1=src/a.rs:1"
        ));
    };
    record(0);
    for n in 1..=20 {
        change(&world, n);
        record(n);
    }
    assert_eq!(errors(&world), (1, vec!["never-differs".into()]));
}

#[test]
fn more_lines_close_no_alarm() {
    let world = alarmed("");
    world.sq_ok("record --sid s4 'q1=limit 3' --cite q1=src/a.rs:2 --delta q1=3");
    for n in 5..=25 {
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    assert_eq!(errors(&world), (1, vec!["flagged".into()]));
    let line = |n: usize| {
        let results = json!([{"q_id": "q1", "delta": true, "note": "n", "answer": n}]);
        let body = json!({"sid": format!("x{n}"), "ts": world.now().replace('Z', ".000Z"), "results": results});
        event_line(&world.head(), "rederive", "", &body)
    };
    append(&world, &(0..30).map(line).collect::<String>());
    assert_eq!(errors(&world), (1, vec!["flagged".into()]));
}

#[test]
fn honest_work_closes_an_alarm() {
    let world = alarmed("");
    for n in 4..=22 {
        change(&world, n);
        world.sq_ok(&format!(
            "record --sid s{n} 'q1=limit {n}' --cite q1=src/a.rs:2 --delta q1=changed"
        ));
    }
    assert_eq!(errors(&world), (0, vec![]));
}

#[test]
fn side_branches_make_an_alarm() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 q1=0");
    for n in 1..=3 {
        world.git_ok(&format!("switch -q -c side{n}"));
        change(&world, n);
        lie(&world, &format!("s{n}"));
        world.git_ok("switch -q main");
        world.git_ok(&format!("merge -q --no-ff -m merge side{n}"));
    }
    assert_eq!(errors(&world), (1, vec!["flagged".into()]));
}

#[test]
fn one_name_for_ever_is_judged_look_by_look() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 q1=0");
    for n in 1..=6 {
        change(&world, n);
        lie(&world, "s0");
    }
    let (check, code) = world.check(&[]);
    let flagged = check["findings"].as_array().unwrap().iter();
    let flagged = flagged.filter(|one| one["rule"] == "no-evidence");
    assert_eq!(flagged.count(), 6);
    assert_eq!((code, state(&world).as_str()), (1, "outdated"));
}

/// A record on a commit that the branch has left answers nothing of what came after it.
#[test]
fn records_at_an_old_commit_leave_the_tip_outdated() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 q1=0");
    let old = world.head();
    change(&world, 1);
    assert_eq!(state(&world), "outdated");
    for n in 1..=12 {
        world.git_ok(&format!("checkout -q {old}"));
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    world.git_ok("checkout -q main");
    assert_eq!(errors(&world), (1, vec!["outdated".into()]));
    // One record at the tip mends it.
    world.sq_ok("record --sid s13 'q1=limit 1' --cite q1=src/a.rs:2 --delta q1=1");
    assert_eq!(errors(&world), (0, vec![]));
    assert_eq!(state(&world), "fresh");
}

#[test]
fn nobodys_line_makes_nothing_fresh() {
    let world = asking(&[r#""id":"q1""#, r#""id":"q2""#]);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for n in 1..=6 {
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    assert_eq!(errors(&world), (1, vec!["stale".into()]));
    let results = json!([{"q_id": "q2", "delta": false, "note": "n"}]);
    let plant = |more: Value, sid: &str| {
        let mut body =
            json!({"sid": sid, "ts": world.now().replace('Z', ".000Z"), "results": results});
        let more = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        append(&world, &event_line(&world.head(), "rederive", "", &body));
    };
    plant(json!({}), "x1");
    let origin = json!({"file": "0", "line": 1, "at": "2026-01-01T00:00:00Z"});
    plant(json!({"origin": origin}), "x2");
    plant(
        json!({"ts": "2099-01-01T00:00:00.000Z", "writer": "w", "n": 1}),
        "x3",
    );
    assert_eq!(errors(&world), (1, vec!["stale".into()]));
}

/// The question store says which questions have a probe, never the line.
#[test]
fn a_probe_that_a_line_claims_is_not_believed() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 q1=0");
    change(&world, 1);
    // So long ago that whoever wrote the line knew the answer before it.
    world.pass(2 * 3600);
    let results =
        json!([{"q_id": "q1", "delta": false, "answer": 0, "evidence": {"probe": "000"}}]);
    let body = json!({"writer": "w", "n": 1, "sid": "x", "ts": world.now().replace('Z', ".000Z"), "results": results});
    append(&world, &event_line(&world.head(), "rederive", "", &body));
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["flagged"], 1, "{check}");
}

/// One question that says what it depends on does not silence the run for those that say nothing.
#[test]
fn the_original_figure_gates_the_questions_that_say_nothing() {
    let world = asking(&[
        r#""id":"q1","watch":["src/"],"lines":"limit""#,
        r#""id":"q2""#,
    ]);
    world.sq_ok("record --sid s0 q1=0 --same q2=b");
    for n in 1..=3 {
        change(&world, n);
        world.sq_ok(&format!(
            "record --sid s{n} 'q1=limit {n}' --cite q1=src/a.rs:2 --delta q1=changed --same q2"
        ));
    }
    assert_eq!(errors(&world), (1, vec!["quiet-run".into()]));
}

/// An honest session is held against the last honest answer, whatever lies in between.
#[test]
fn a_lie_does_not_make_the_next_session_look_guilty() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit","shape":"text""#]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    change(&world, 1);
    lie(&world, "s1");
    world.sq_ok("record --sure --sid s2 'q1=limit 1' --cite q1=src/a.rs:2");
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"], json!({"looks": 2, "flagged": 1}));
    assert_eq!(state(&world), "fresh");
}

/// A false `done` beside a real change; the session that finds out says so, and is not blamed.
#[test]
fn a_correction_disputes_and_is_not_blamed() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit","shape":"text""#]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    change(&world, 1);
    world.sq_ok("record --sure --sid s1 'q1=done' --cite q1=src/a.rs:1-2");
    world.write("docs/x", "1");
    world.commit("go on");
    world.sq_ok("record --sid s2 --wrong 'q1=limit 1' --cite q1=src/a.rs:2");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 0);
    let findings = check["findings"].as_array().unwrap().iter();
    let about_s2 = findings.filter(|one| one["about"] == "s2");
    assert_eq!(about_s2.count(), 0, "{check}");
    assert_eq!(state(&world), "disputed");
}

/// Both sides are shown until somebody settles which is right; a person may.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_person_settles_a_dispute() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit","shape":"text""#]);
    world.sq_ok("record --sid s1 'q1=done' --cite q1=src/a.rs:1-2 --sure");
    world.sq_ok("record --sid s2 --wrong 'q1=limit 0' --cite q1=src/a.rs:2");
    let ids: Vec<String> = ["s1", "s2"]
        .map(|sid| {
            let log = world.sq(&["log", "--sid", sid, "--format", "json"]).json();
            log["entries"][0]["id"].as_str().unwrap().to_owned()
        })
        .into();
    let named = |text: String| text.replace(&ids[0], "FALSE").replace(&ids[1], "TRUE");
    insta::assert_snapshot!(named(world.sq_ok("triage")), @"
    q1 done -> limit 0
        session s2, Thu Jan 1 00:06:00 2026 +0000, Ada Example
        3e1549598a ask
    q1 disputed
        session s1 at 3e1549598a, entry FALSE
        corrected by session s2 at 3e1549598a, entry TRUE
        git sq show q1 shows both; git sq triage ENTRY q1 --agree --because '...' decides
    1 open drift
    ");
    assert!(world.sq_ok("status").contains("disputed: q1"));
    world.person_ok(&format!(
        "triage {} q1 --agree --because 'I looked'",
        ids[1]
    ));
    assert_eq!(state(&world), "fresh");
    let (check, _) = world.check(&[]);
    let wrong = check["findings"].as_array().unwrap().iter();
    let wrong: Vec<String> = wrong
        .filter(|one| one["rule"] == "second-look")
        .map(|one| named(one["message"].as_str().unwrap().to_owned()))
        .collect();
    insta::assert_snapshot!(wrong.join("\n"), @"the answer of session s1 (Ada Example) to q1 is wrong: 1 other session found another one; caught by session s2 (Ada Example)");
    assert_eq!(world.sq_ok("triage"), "No open drifts.\n");
}

/// Two colleagues who find the same change at the same commit, neither knowing of the other, are both right.
#[test]
fn two_colleagues_who_find_the_same_change_are_both_right() {
    let team = git_sq_test_support::Team::new();
    let sq = |dir: &std::path::Path, line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        team.sq(dir, &words).ok()
    };
    let ann = &team.clone;
    let store = r#"{"_schema":"standing_questions/v2","questions":[
        {"id":"q1","q":"?","importance":2,"watch":["limit"],"shape":"number"}]}"#;
    std::fs::write(ann.join("standing_questions.json"), store).unwrap();
    std::fs::write(ann.join("limit"), "1\n").unwrap();
    team.git(ann, &["add", "--all"]).ok();
    team.commit(ann, "ask");
    sq(ann, "record --sid a0 q1=1 --cite q1=limit:1");
    std::fs::write(ann.join("limit"), "2\n").unwrap();
    team.git(ann, &["add", "--all"]).ok();
    team.commit(ann, "change");
    team.git(ann, &["push", "--quiet", "origin", "HEAD"]).ok();
    team.settle(ann);
    let bob = team.join("bob");
    team.world.git_ok_in(&bob, "pull --quiet");
    sq(&bob, "init");
    for (dir, sid) in [(ann, "a1"), (&bob, "b1")] {
        sq(dir, &format!("record --sid {sid} q1=2 --cite q1=limit:1"));
        team.world.pass(3 * 3600);
    }
    sq(&bob, "sync");
    sq(ann, "sync");
    for dir in [ann, &bob] {
        let (check, _) = team.world.check_in(dir);
        assert_eq!(check["looks"], json!({"looks": 2, "flagged": 0}), "{check}");
    }
    // Who knows of the other one's answer can't find the change once more.
    sq(&bob, "sync");
    sq(&bob, "record --sure --sid b2 q1=3 --cite q1=limit:1");
    let (check, _) = team.world.check_in(&bob);
    assert_eq!(check["looks"]["flagged"], 1, "{check}");
}

#[test]
fn a_probe_of_history_flags_no_rewritten_answer() {
    let world = asking(&[r#""id":"q1","probe":{"log":{"paths":["src/"]}}"#]);
    world.sq_ok("record --sid s0");
    for n in 1..=3 {
        change(&world, n);
        world.sq_ok(&format!("record --sid s{n}"));
        let old = world.head();
        world.write("more", n.to_string());
        world.git_ok("add --all");
        world.git_ok("commit --quiet --amend -m amended");
        world.sq_ok(&format!("carry --onto HEAD {}", old.trim()));
    }
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["flagged"], 0, "{check}");
}

#[test]
fn commits_before_the_store_owe_no_answer() {
    let world = World::new();
    for n in 1..=31 {
        change(&world, n);
    }
    world.write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":2,"watch":["src/"]}]}"#,
    );
    assert_eq!(found_rules(&world), ["no-sessions", "store-differs"]);
    world.commit("questions");
    assert_eq!(found_rules(&world), ["no-sessions"]);
}

fn found_rules(world: &World) -> Vec<String> {
    let (check, _) = world.check(&[]);
    let found = check["findings"].as_array().unwrap().iter();
    let rules = found.map(|one| one["rule"].as_str().unwrap().to_owned());
    rules.collect()
}

#[test]
fn commits_that_nobody_answers_for_are_counted() {
    let world = asking(&[r#""id":"q1","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 q1=0");
    for n in 1..=31 {
        change(&world, n);
    }
    assert_eq!(found_rules(&world), ["outdated", "unasked"]);
    assert_eq!(errors(&world).0, 0);
    let store = world.git_ok("show HEAD:standing_questions.json");
    let limited = store.replace(
        "\"questions\"",
        "\"settings\":{\"unasked.max\":30},\"questions\"",
    );
    world.write("standing_questions.json", limited);
    world.commit("limit");
    assert_eq!(errors(&world), (1, vec!["unasked".into()]));
    world.sq_ok("record --sid s1 'q1=limit 31' --cite q1=src/a.rs:2 --delta q1=31");
    assert_eq!(errors(&world), (0, vec![]));
}

/// A session's word on a command that nobody approved counts for staleness alone.
#[test]
fn a_claim_about_a_command_is_not_judged() {
    let world =
        asking(&[r#""id":"q1","shape":"boolean","watch":["src/"],"probe":{"run":["true"]}"#]);
    for n in 0..=3 {
        change(&world, n + 1);
        world.sq_ok(&format!("record --sid s{n} q1=true"));
    }
    let (check, code) = world.check(&[]);
    assert_eq!(
        (&check["looks"]["flagged"], code),
        (&json!(0), 0),
        "{check}"
    );
}

/// After a merge two answers count, one of each side, and the tool's own delta fits either.
#[test]
fn a_merge_makes_no_honest_session_guilty() {
    let world = asking(&[r#""id":"q1","shape":"text","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    for n in 1..=3 {
        world.git_ok(&format!("switch -q -c side{n}"));
        change(&world, n);
        world.sq_ok(&format!(
            "record --sid b{n} 'q1=limit {n}' --cite q1=src/a.rs:2"
        ));
        world.git_ok("switch -q main");
        world.write("docs/x", n.to_string());
        world.commit("docs");
        world.sq_ok(&format!("record --sid m{n} --same q1"));
        world.git_ok(&format!("merge -q --no-ff -m merge side{n}"));
        assert_eq!(state(&world), "fresh");
        world.sq_ok(&format!(
            "record --sid t{n} 'q1=limit {n}' --cite q1=src/a.rs:2"
        ));
    }
    let (check, code) = world.check(&[]);
    assert_eq!(
        (&check["looks"]["flagged"], code),
        (&json!(0), 0),
        "{check}"
    );
}

/// Looks that were carried to one commit stay apart.
#[test]
fn squashed_looks_make_nobody_guilty() {
    let world = asking(&[r#""id":"q1","shape":"text","watch":["src/"],"lines":"limit""#]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    for n in 1..=3 {
        world.git_ok("switch -q -c side");
        change(&world, n);
        world.sq_ok(&format!(
            "record --sid s{n} 'q1=limit {n}' --cite q1=src/a.rs:2"
        ));
        world.write("docs/b", n.to_string());
        world.commit("more");
        world.sq_ok(&format!("record --sid s{n} --same q1"));
        world.git_ok("switch -q main");
        world.git_ok("merge -q --squash side");
        world.commit("squash");
        world.git_ok("branch -q -D side");
        world.sq_ok("carry");
    }
    let (check, code) = world.check(&[]);
    assert_eq!(
        (&check["looks"]["flagged"], code),
        (&json!(0), 0),
        "{check}"
    );
}

/// Of a repository, the exit code of `check` and how many looks it calls left behind.
fn left_behind(team: &Team, dir: &Path) -> (i32, usize) {
    let (check, code) = team.world.check_in(dir);
    let findings = check["findings"].as_array().unwrap().iter();
    let left = findings.filter(|one| one["rule"] == "left-behind");
    (code, left.count())
}

#[test]
fn a_rewrite_takes_no_look_out_of_the_gate() {
    let team = Team::new();
    let write = |path: &str, text: &str| std::fs::write(team.clone.join(path), text).unwrap();
    write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":2,"watch":["a"]}]}"#,
    );
    let work = |text: &str, line: &str| {
        write("a", text);
        team.git_ok("add --all");
        team.commit(&team.clone, text);
        team.world.sq_ok_in(&team.clone, line);
    };
    work("0\n", "record --sid s0 q1=0");
    for n in 1..=3 {
        work(
            &format!("{n}\n"),
            &format!("record --sure --sid s{n} --same q1"),
        );
    }
    team.git_ok("push --quiet");
    team.settle(&team.clone);
    assert_eq!(left_behind(&team, &team.clone), (1, 0));
    let old = team.git_ok("rev-parse HEAD").trim().to_owned();
    team.git_ok("reset --quiet --hard HEAD~3");
    work(
        "other\n",
        "record --sid s4 q1=other --delta q1=changed --cite q1=a:1",
    );
    // Nobody else has the new line, and what only this clone has is its own affair.
    assert_eq!(left_behind(&team, &team.clone).1, 0);
    team.git_ok("push --quiet --force");
    team.settle(&team.clone);
    team.git_ok("fetch --quiet");
    let fresh = team.join("fresh");
    team.sq(&fresh, &["sync"]).ok();
    let mirror = team.world.root().join("mirror");
    team.world
        .git_ok("clone --quiet --mirror remote.git mirror");
    for dir in [&team.clone, &fresh, &fresh, &mirror] {
        assert_eq!(left_behind(&team, dir), (1, 3), "{}", dir.display());
    }
    // A branch that still has them leaves nothing behind.
    team.git_ok(&format!("branch old {old}"));
    assert_eq!(left_behind(&team, &team.clone).1, 0);
    team.git_ok("branch --quiet -D old");
    assert_eq!(left_behind(&team, &team.clone).1, 3);
    team.world.person_ok_in(&fresh, "check --accept");
    team.git_ok_in(&fresh, "commit --quiet -a -m accept");
    assert_eq!(left_behind(&team, &fresh), (0, 0));
}
