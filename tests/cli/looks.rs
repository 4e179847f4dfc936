//! The gate by looks: an alarm is closed by a person, or by honest work, and by nothing else.

use std::path::Path;

use git_sq_test_support::{Team, World, each, event_line, keyed};
use serde_json::{Value, json};

/// The file that q1 watches.
const FILE: &str = "src/a.rs";

/// What q1 watches, and the lines that matter.
const LIMIT: &str = r#","watch":["src/"],"lines":"limit""#;

/// The same, with answers that can be compared.
const TEXT: &str = r#","watch":["src/"],"lines":"limit","shape":"text""#;

/// Asks questions, given by their keys, about files that are there.
fn asking(questions: &[&str]) -> World {
    let world = World::new();
    world.write("standing_questions.json", keyed(questions));
    world.change(FILE, "constant\nlimit 0\n");
    world
}

/// Asks q1, which watches lines with a limit, and answers it.
fn answered() -> World {
    let world = asking(&[LIMIT]);
    world.sq_ok("record --sid s0 q1=0");
    world
}

/// Commits another limit.
fn change(world: &World, limit: usize) {
    world.change(FILE, format!("constant\nlimit {limit}\n"));
}

/// A session says `same` of q1 whatever changed, and cites nothing.
fn lie(world: &World, sid: &str) {
    world.sq_ok(&format!("record --sure --sid {sid} --same q1"));
}

/// Adds a line of HEAD's note, as somebody would who writes notes without the tool.
fn plant(world: &World, sid: &str, result: &Value, more: &Value) {
    let ts = world.now().replace('Z', ".000Z");
    let mut body = json!({"sid": sid, "ts": ts, "results": [result]});
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    let line = event_line(&world.head(), "rederive", "", &body);
    world.git_ok(&format!("notes --ref=sq append -m '{line}' HEAD"));
}

/// The exit code of `check`, and the rules of its errors.
fn errors(world: &World) -> String {
    let (check, code) = world.check(&[]);
    let rules = each(&check["findings"])
        .filter(|finding| finding["severity"] == "error")
        .map(|finding| format!(" {}", finding["rule"].as_str().unwrap()));
    code.to_string() + &rules.collect::<String>()
}

/// How many looks there are that rules could flag, and how many they flagged.
fn looks(world: &World) -> [Value; 2] {
    let (check, _) = world.check(&[]);
    ["looks", "flagged"].map(|key| check["looks"][key].clone())
}

fn open(world: &World) -> Value {
    world.check(&[]).0["looks"]["open"].clone()
}

#[test]
fn a_look_that_can_t_be_judged_is_unknown_each_time() {
    let world = answered();
    lies(&world);
    std::fs::remove_dir_all(world.dir.join(".git/sq/cache")).unwrap();
    world.lose(world.git_ok(&format!("rev-parse HEAD~1:{FILE}")).trim());
    for _ in 0..2 {
        let (check, _) = world.check(&[]);
        let unknown = check["unknown"].to_string();
        assert!(unknown.contains("whether q1 was outdated in session s2"), "{unknown}");
    }
}

/// Sessions of several people say the same, whatever changed, and cite a line that stays.
fn never_differing(people: &[&str]) -> World {
    let world = asking(&[r#","watch":["src/"]"#]);
    for n in 0..=60 {
        change(&world, n + 1);
        let line = format!("record --sure --sid s{n} --same q1 q1=fine --cite q1=src/a.rs:1");
        let email = people[n % people.len()];
        world.sq_env(&line, &[("GIT_AUTHOR_EMAIL", email), ("GIT_COMMITTER_EMAIL", email)]).ok();
    }
    world
}

#[test]
fn a_constant_citation_does_not_silence_the_gate_and_a_narrower_watch_does() {
    let world = never_differing(&["ada@example.org", "bob@example.org"]);
    assert_eq!(errors(&world), "1 never-differs");
    world.write("standing_questions.json", keyed(&[r#","watch":["src/b.rs"]"#]));
    world.commit("narrow");
    assert_eq!(errors(&world), "0");
}

/// Nobody else can look there.
#[test]
fn where_one_person_answers_what_never_differs_is_a_warning() {
    let world = never_differing(&["ada@example.org"]);
    assert_eq!(errors(&world), "0");
    assert!(world.sq(&["check"]).stdout.contains("none of the last"));
}

/// What is asked now changes no judgement of what was answered to the question as it stood then.
#[test]
fn a_wider_watch_makes_a_question_outdated_and_no_past_look_wrong() {
    let world = asking(&[r#","watch":["docs/"]"#]);
    world.sq_ok("record --sid s0 q1=fine");
    for n in 1..=4 {
        change(&world, n);
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    assert_eq!(world.standing("q1"), "fresh");
    world.write("standing_questions.json", keyed(&[r#","watch":["docs/","src/"]"#]));
    world.commit("watch more");
    assert_eq!((errors(&world), world.standing("q1")), ("0".into(), "outdated".into()));
    assert_eq!(looks(&world), [json!(0), json!(0)]);
    let said = world.sq(&["check"]).stdout;
    assert!(said.contains("its `watch`, `lines` or probe changed"), "{said}");
    world.sq_ok("record --sid s5 --same q1");
    assert_eq!(world.standing("q1"), "fresh");
}

/// The warning stands while the run goes on, and only where each session passed over a change.
#[test]
fn a_current_run_of_sessions_that_pass_over_changes_is_a_warning() {
    let world = answered();
    let warns = || {
        let (check, _) = world.check(&[]);
        let findings = check["findings"].as_array().unwrap().clone();
        findings.iter().any(|finding| finding["rule"] == "quiet-run")
    };
    for n in 1..=3 {
        change(&world, n);
        let line = format!("record --sid s{n} --same q1 'q1=the limit' --cite q1=src/a.rs:2");
        world.sq_ok(&line);
        assert_eq!(warns(), n == 3);
    }
    world.commit("other");
    world.sq_ok("record --sid s4 --same q1");
    assert!(!warns(), "nothing that it depends on changed");
}

/// Neither records without evidence nor lines that no clone wrote.
#[test]
fn only_honest_work_closes_an_alarm() {
    let world = answered();
    lies(&world);
    assert_eq!(errors(&world), "1 flagged");
    change(&world, 4);
    world.sq_ok("record --sure --sid s4 --same q1 q1=4");
    for n in 0..3 {
        let result = json!({"q_id": "q1", "delta": true, "note": "n", "answer": n});
        plant(&world, &format!("x{n}"), &result, &json!({}));
    }
    assert_eq!(errors(&world), "1 flagged");
    world.sq_ok("record --sid s5 'q1=limit 4' --cite q1=src/a.rs:2 --delta q1=changed");
    assert_eq!(errors(&world), "0");
}

/// Three sessions in a row say `same`, whatever changed.
fn lies(world: &World) {
    for n in 1..=3 {
        change(world, n);
        lie(world, &format!("s{n}"));
    }
}

fn is_flagged(world: &World) -> bool {
    errors(world).contains("flagged")
}

#[test]
fn an_alarm_does_not_go_away_by_itself() {
    let world = asking(&[LIMIT, r#","watch":["docs/"]"#]);
    world.change("docs/a.md", "0\n");
    world.sq_ok("record --sid s0 q1=0 q2=0 --cite q2=docs/a.md:1");
    lies(&world);
    for n in 1..=22 {
        world.change("docs/a.md", format!("{n}\n"));
        world.sq_ok(&format!("record --sure --sid t{n} --delta q2={n} --cite q2=docs/a.md:1"));
    }
    // These left out q1, too.
    assert!(is_flagged(&world));
    assert_eq!(world.check(&[]).0["looks"]["open"], 3 + 22);
    world.sq_ok("record --sid u --delta q1=3 --cite q1=src/a.rs:2");
    assert_eq!(errors(&world), "0");
}

/// One name is one session; a flag that was closed does not hide the next one.
#[test]
fn a_flag_that_was_closed_is_raised_again() {
    let world = asking(&[TEXT]);
    world.sq_ok("record --sid s0 q1=0");
    for n in 1..=3 {
        change(&world, 10 * n);
        world.sq_ok(&format!("record --sure --sid s{n} --same q1"));
    }
    change(&world, 5);
    for n in 1..=3 {
        world.sq_ok(&format!("record --sure --sid s{n} --same q1 q1=5"));
    }
    assert!(is_flagged(&world), "nothing shows it");
    world.sq_ok("record --sid s1 --delta q1=limit --cite q1=src/a.rs:2");
    assert_eq!(errors(&world), "0");
    change(&world, 6);
    for n in 1..=3 {
        world.sq_ok(&format!("record --sure --sid s{n} --same q1"));
    }
    assert_eq!(world.check(&[]).0["looks"]["open"], 3);
}

/// What is cited has to show the answer, although nothing changed since the one that counts.
#[test]
fn an_answer_that_is_not_in_what_it_cites_closes_nothing() {
    let world = asking(&[LIMIT]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    world.sq_ok("record --sure --sid s1 --delta q1=7 --cite q1=src/a.rs:2");
    assert_eq!(open(&world), 1);
    let off = "record --sid s2 --same q1 'q1=limit 0' --cite q1=src/a.rs:1";
    assert_has!(
        world.try_sq(off).stderr,
        "is flagged, and what is cited does not show this answer"
    );
    world.sq_ok(&format!("{off} --sure"));
    assert_eq!(open(&world), 1);
    world.sq_ok("record --sid s2 --same q1 'q1=limit 0' --cite q1=src/a.rs:2");
    assert_eq!(open(&world), 0);
}

#[test]
fn what_is_dated_before_its_commit_excuses_nothing() {
    let world = answered();
    lies(&world);
    let dated = json!({"ts": "2020-01-01T00:00:00.000Z", "writer": "W", "n": 1});
    plant(&world, "x", &json!({"q_id": "q1", "delta": false}), &dated);
    assert!(is_flagged(&world));
}

/// What clocks may differ says which lines are believed, and so what was kept with another tolerance does not hold.
#[test]
fn another_tolerance_judges_anew() {
    let world = answered();
    lies(&world);
    let dated = json!({"ts": "2025-12-31T00:00:00.000Z", "writer": "W", "n": 1});
    plant(&world, "x", &json!({"q_id": "q1", "delta": false}), &dated);
    std::fs::remove_dir_all(world.dir.join(".git/sq/cache")).unwrap();
    assert!(is_flagged(&world));
    let settings = r#"{"settings":{"clock":{"tolerance":"9999d"}},"#;
    world.write("standing_questions.json", keyed(&[LIMIT]).replacen('{', settings, 1));
    world.commit("tolerance");
    let anew = world.check(&["--no-cache"]).0["looks"].clone();
    assert_eq!(world.check(&[]).0["looks"], anew);
    assert_ne!(anew["open"], 3);
}

/// An id is the writer's word: a person accepted the line that they saw.
#[test]
fn an_id_that_two_lines_have_accepts_neither() {
    let world = answered();
    lies(&world);
    let log = world.json("log -n 3");
    let entries = each(&log["entries"]);
    let ids: Vec<String> = entries.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect();
    let settings = json!({"accepted": ids}).to_string();
    let store = keyed(&[LIMIT]).replacen('{', &format!(r#"{{"settings":{settings},"#), 1);
    world.write("standing_questions.json", store);
    world.commit("accept");
    assert_eq!(errors(&world), "0");
    for id in &ids {
        let body = json!({"sid": id, "ts": world.now().replace('Z', ".000Z"), "writer": "W", "n": 1,
            "results": [{"q_id": "q1", "delta": false}]});
        let line = event_line(&world.head(), "rederive", id, &body);
        world.git_ok(&format!("notes --ref=sq append -m '{}' HEAD", line.trim()));
    }
    assert!(is_flagged(&world));
}

#[test]
fn an_answer_that_does_not_contain_what_is_flagged_closes_nothing() {
    let world = answered();
    world.git_ok("branch side");
    lies(&world);
    world.git_ok("switch -q side");
    change(&world, 7);
    world.sq_ok("record --sid t --delta q1=7 --cite q1=src/a.rs:2");
    world.git_ok("switch -q main");
    world.git_ok("merge -q -s ours -m merge side");
    assert!(is_flagged(&world));
    world.sq_ok("record --sid u --delta q1=3 --cite q1=src/a.rs:2");
    assert!(!is_flagged(&world));
}

#[test]
fn a_retired_question_has_no_open_flags() {
    let world = asking(&[LIMIT, r#","watch":["docs/"]"#]);
    world.sq_ok("record --sid s0 q1=0 q2=0");
    lies(&world);
    assert!(is_flagged(&world));
    world.sq_ok("question retire q1");
    world.git_ok("add --all");
    world.commit("retire");
    assert_eq!(errors(&world), "0");
}

/// Nothing changed since the answer that counts: so the flag alone asks for the next one.
#[test]
fn an_open_flag_asks_for_an_answer() {
    let world = answered();
    world.sq_ok("record --sure --sid s1 --delta q1=5 --cite q1=src/a.rs:2");
    assert_eq!(looks(&world), [1, 1]);
    assert_eq!(world.standing("q1"), "outdated");
    let refused = world.sq(&["record", "--sid", "s2", "--same", "q1"]);
    let entry = world.entry_of("s1");
    insta::assert_snapshot!(refused.stderr.replace(&entry, "[ID]"), @"
    fatal: q1: entry [ID] is flagged: give the answer again, and the lines that show it now
      git sq record 'q1=the answer' --same q1 --cite q1=path:3-5
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
    assert_eq!(refused.code, 128);
    world.sq_ok("record --sid s2 --same q1 q1=0 --cite q1=src/a.rs:2");
    assert_eq!(world.standing("q1"), "fresh");
    let looks = world.check(&[]).0["looks"].clone();
    assert_eq!(looks, json!({"open": 0, "looks": 1, "flagged": 1}));
}

/// Until it is over, a session answers what it left out as if it had not.
#[test]
fn a_session_answers_what_it_left_out() {
    let world = asking(&[LIMIT, LIMIT]);
    world.sq_ok("record --sid s0 q1=0 --cite q1=src/a.rs:2 q2=0 --cite q2=src/a.rs:2");
    change(&world, 1);
    world.sq_ok("record --sid s1 --delta q1=1 --cite q1=src/a.rs:2");
    assert_has!(world.try_sq("check").stdout, "left out q2");
    change(&world, 0);
    // Another one answers with what shows it.
    world.pass(60);
    assert_has!(world.try_sq("record --sid s2 --same q2").stderr, "session s1 left it out");
    world.sq_ok("record --sid s1 --same q2");
    assert!(!world.try_sq("check").stdout.contains("left out q2"));
    assert_eq!(world.standing("q2"), "fresh");
    // What another one left out before needs lines all the same.
    change(&world, 1);
    for sid in ["s3", "s4"] {
        world.pass(60);
        world.sq_ok(&format!("record --sid {sid} --sure --same q1"));
    }
    change(&world, 0);
    assert_has!(world.try_sq("record --sid s4 --same q2").stderr, "session s3 left it out");
}

/// What was right before a wrong answer is right again, after a change that somebody passed over.
#[test]
fn a_revert_leaves_a_way_out() {
    let world = asking(&[r#","watch":["src/"],"shape":"number""#]);
    world.sq_ok("record --sid s0 q1=5");
    change(&world, 1);
    lie(&world, "s1");
    change(&world, 0);
    let errors = world.try_sq("record --sid s2 --delta q1=0 --cite q1=src/a.rs:2").stderr;
    assert_has!(errors, "if the last answer was wrong, --wrong 'q1=what is true'");
    world.sq_ok("record --sid s2 --wrong q1=0 --cite q1=src/a.rs:2");
}

/// A flagged answer does not count: so a correction corrects the one that does, and who finds that one true says so.
#[test]
fn a_correction_is_held_against_the_answer_that_counts() {
    let world = asking(&[r#","watch":["src/"],"shape":"number""#]);
    world.sq_ok("record --sid s0 q1=0 --cite q1=src/a.rs:2");
    change(&world, 1);
    world.sq_ok("record --sure --sid s1 --same q1 q1=7");
    let wrong = |sid: &str| {
        world.try_sq(&format!("record --sid {sid} --wrong q1=1 --cite q1=src/a.rs:2")).stderr
    };
    insta::assert_snapshot!(wrong("s2"), @"
    fatal: q1: a correction, and src/a.rs:2 did not stand at 27ec79775c, where the answer was given
      cite what stood there already; if the answer changed since then, --delta 'q1=what is true' --cite q1=path:3-5
    hint: nothing was written; if this is right, repeat the command with --sure (json: \"sure\": true)
    ");
    world.sq_ok("record --sid s2 --delta q1=1 --cite q1=src/a.rs:2");
    assert_eq!(open(&world), 0);
    change(&world, 0);
    world.sq_ok("record --sure --sid s3 --same q1 q1=9");
    change(&world, 1);
    assert_has!(wrong("s4"), "q1: s2 said the same on");
    world.sq_ok("record --sid s4 --same q1 q1=1 --cite q1=src/a.rs:2");
    assert_eq!(world.standing("q1"), "fresh");
}

/// Where no line is left, an answer that there is none needs no citation.
#[test]
fn what_is_gone_is_said_and_not_cited() {
    for gone in ["empty", "removed"] {
        let world = asking(&[r#","watch":["src/"],"shape":"text""#]);
        world.sq_ok("record --sid s0 q1=limit --cite q1=src/a.rs:2");
        world.change(FILE, "constant\nlimit 1\n");
        lie(&world, "s1");
        if gone == "empty" {
            world.write(FILE, "");
        } else {
            world.git_ok(&format!("rm -q {FILE}"));
        }
        world.commit(gone);
        let refused = world.try_sq("record --sid s2 --same q1").stderr;
        assert_has!(
            refused,
            "nothing is left to cite: give an answer that says so (none, no or 0)"
        );
        world.sq_ok("record --sid s2 --delta q1=none");
        assert_eq!(open(&world), 0, "{gone}");
    }
}

/// Where nobody shares the log, whoever writes has all of it before them.
#[test]
fn a_new_name_for_the_clone_forgets_nothing() {
    let world = answered();
    for n in 1..=3 {
        change(&world, n);
        std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
        lie(&world, &format!("s{n}"));
    }
    assert!(is_flagged(&world));
}

/// Somebody's `same` at HEAD, written by hand, stands in no honest answer's way.
#[test]
fn a_forged_same_leads_nobody_astray() {
    let world = asking(&[TEXT]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    lies(&world);
    plant(&world, "x", &json!({"q_id": "q1", "delta": false}), &json!({"writer": "W", "n": 1}));
    assert!(is_flagged(&world));
    world.sq_ok("record --sid h 'q1=limit 3' --cite q1=src/a.rs:2");
    assert_eq!(open(&world), 0);
}

#[test]
fn side_branches_make_an_alarm() {
    let world = answered();
    for n in 1..=3 {
        world.git_ok(&format!("switch -q -c side{n}"));
        change(&world, n);
        lie(&world, &format!("s{n}"));
        world.git_ok("switch -q main");
        world.git_ok(&format!("merge -q --no-ff -m merge side{n}"));
    }
    assert_eq!(errors(&world), "1 flagged");
}

#[test]
fn one_name_for_ever_is_judged_look_by_look() {
    let world = answered();
    for n in 1..=4 {
        change(&world, n);
        lie(&world, "s0");
    }
    assert_eq!(world.messages("no-evidence").len(), 4);
    assert_eq!(world.standing("q1"), "outdated");
}

/// A record on a commit that the branch has left answers nothing of what came after it.
#[test]
fn records_at_an_old_commit_leave_the_tip_outdated() {
    let world = answered();
    let old = world.head();
    change(&world, 1);
    assert_eq!(world.standing("q1"), "outdated");
    world.git_ok(&format!("checkout -q {old}"));
    for n in 1..=12 {
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    world.git_ok("checkout -q main");
    assert_eq!(errors(&world), "1 outdated");
    // One record at the tip mends it.
    world.sq_ok("record --sid s13 'q1=limit 1' --cite q1=src/a.rs:2 --delta q1=1");
    assert_eq!(errors(&world), "0");
    assert_eq!(world.standing("q1"), "fresh");
}

#[test]
fn nobodys_line_makes_nothing_fresh() {
    let world = asking(&["", ""]);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for n in 1..=6 {
        world.sq_ok(&format!("record --sid s{n} --same q1"));
    }
    assert_eq!(errors(&world), "1 stale");
    let result = json!({"q_id": "q2", "delta": false, "note": "n"});
    let origin = json!({"origin": {"file": "0", "line": 1, "at": "2026-01-01T00:00:00Z"}});
    let ahead = json!({"ts": "2099-01-01T00:00:00.000Z", "writer": "w", "n": 1});
    for (sid, more) in [("x1", json!({})), ("x2", origin), ("x3", ahead)] {
        plant(&world, sid, &result, &more);
    }
    assert_eq!(errors(&world), "1 stale");
}

/// The question store says which questions have a probe, never the line.
#[test]
fn a_probe_that_a_line_claims_is_not_believed() {
    let world = answered();
    change(&world, 1);
    // So long ago that whoever wrote the line knew the answer before it.
    world.pass(2 * 3600);
    let result = json!({"q_id": "q1", "delta": false, "answer": 0, "evidence": {"probe": "000"}});
    plant(&world, "x", &result, &json!({"writer": "w", "n": 1}));
    assert_eq!(looks(&world)[1], 1);
}

#[test]
fn a_line_that_claims_a_probe_leaves_out_all_the_same() {
    let world = asking(&[LIMIT, LIMIT]);
    world.sq_ok("record --sid s0 q1=0 q2=0");
    change(&world, 1);
    world.pass(2 * 3600);
    let store = world.git_ok("rev-parse HEAD:standing_questions.json");
    let result = json!({"q_id": "q1", "delta": true, "answer": 1, "evidence": {"probe": "000"}});
    plant(&world, "x", &result, &json!({"writer": "w", "n": 1, "store": store.trim()}));
    assert_has!(world.try_sq("check").stdout, "left out q2");
}

/// One question that says what it depends on does not silence the run for those that say nothing.
#[test]
fn the_original_figure_gates_the_questions_that_say_nothing() {
    let world = asking(&[LIMIT, ""]);
    world.sq_ok("record --sid s0 q1=0 --same q2=b");
    for n in 1..=3 {
        change(&world, n);
        world.sq_ok(&format!(
            "record --sid s{n} 'q1=limit {n}' --cite q1=src/a.rs:2 --delta q1=changed --same q2"
        ));
    }
    assert_eq!(errors(&world), "1 quiet-run");
    let said = world.messages("quiet-run").join("");
    assert_has!(said, "report no change of q2 (without a `watch`) while");
}

/// An honest session is held against the last honest answer, whatever lies in between.
#[test]
fn a_lie_does_not_make_the_next_session_look_guilty() {
    let world = asking(&[TEXT]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    change(&world, 1);
    lie(&world, "s1");
    world.sq_ok("record --sure --sid s2 'q1=limit 1' --cite q1=src/a.rs:2");
    assert_eq!(looks(&world), [2, 1]);
    assert_eq!(world.standing("q1"), "fresh");
}

/// A false `done` beside a real change; the session that finds out says so, and is not blamed. Both sides are shown until
/// somebody settles which is right; a person may.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_correction_disputes_and_a_person_settles_it() {
    let world = asking(&[TEXT]);
    world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
    change(&world, 1);
    world.sq_ok("record --sid s1 q1=limit --cite q1=src/a.rs:2");
    world.change("docs/x", "1");
    world.sq_ok("record --sid s2 --wrong 'q1=limit 1' --cite q1=src/a.rs:2");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 0);
    let mut findings = each(&check["findings"]);
    assert!(findings.all(|finding| finding["about"] != "s2"), "{check}");
    assert_eq!(world.standing("q1"), "disputed");
    assert_has!(world.sq_ok("status"), "disputed: q1");
    let (wrong, right) = (world.entry_of("s1"), world.entry_of("s2"));
    let listed = world.sq_ok("triage").replace(&wrong, "FALSE").replace(&right, "TRUE");
    let disputed = listed.strip_prefix("q1 disputed\n").unwrap();
    let (disputed, _) = disputed.split_once("q1 limit").unwrap();
    insta::with_settings!({filters => [("[0-9a-f]{10}", "[commit]")]}, {
        insta::assert_snapshot!(disputed, @"
            session s1 at [commit], entry FALSE
            corrected by session s2 at [commit], entry TRUE
            git sq show q1 shows both; git sq triage ENTRY q1 --agree --because '...' decides
        ");
    });
    let closed = world.person_ok(&format!("triage {right} q1 --agree --because 'I looked'"));
    assert_has!(closed, format!("dispute       q1 {right}  the answer of session s2 is right"));
    world.git_ok("add --all");
    world.commit("settle");
    assert_eq!(world.standing("q1"), "fresh");
    insta::assert_snapshot!(world.messages("second-look").join("\n"), @"the answer of session s1 (Ada Example) to q1 is wrong: 1 other session found another one; caught by session s2 (Ada Example)");
}

/// Two colleagues who find the same change at the same commit, neither knowing of the other, are both right.
#[test]
fn two_colleagues_who_find_the_same_change_are_both_right() {
    let mut team = Team::new();
    team.world.dir.clone_from(&team.clone);
    let store = keyed(&[r#","watch":["limit"],"shape":"number""#]);
    team.world.write("standing_questions.json", store);
    team.world.change("limit", "1\n");
    team.sq_ok("record --sid a0 q1=1 --cite q1=limit:1");
    team.world.change("limit", "2\n");
    team.push();
    team.world.dir = team.world.root();
    let bob = team.join("bob");
    for (dir, sid) in [(&team.clone, "a1"), (&bob, "b1")] {
        team.sq_ok_in(dir, &format!("record --sid {sid} q1=2 --cite q1=limit:1"));
        team.world.pass(3 * 3600);
    }
    for dir in [&bob, &team.clone, &bob] {
        team.sq_ok_in(dir, "sync");
    }
    for dir in [&team.clone, &bob] {
        let (check, _) = team.world.check_in(dir);
        assert_eq!(check["looks"], json!({"looks": 2, "flagged": 0, "open": 0}), "{check}");
    }
    // Who knows of the other one's answer can't find the change once more.
    team.sq_ok_in(&bob, "record --sure --sid b2 q1=3 --cite q1=limit:1");
    let (check, _) = team.world.check_in(&bob);
    assert_eq!(check["looks"]["flagged"], 1, "{check}");
}

#[test]
fn a_probe_of_history_flags_no_rewritten_answer() {
    let world = asking(&[r#","probe":{"log":{"paths":["src/"]}}"#]);
    world.sq_ok("record --sid s0");
    for n in 1..=2 {
        change(&world, n);
        world.sq_ok(&format!("record --sid s{n}"));
        let old = world.head();
        world.write("more", n.to_string());
        world.git_ok("add --all");
        world.git_ok("commit --quiet --amend -m amended");
        world.sq_ok(&format!("carry --onto HEAD {old}"));
    }
    assert_eq!(looks(&world)[1], 0);
}

#[test]
fn commits_that_nobody_answers_for_are_counted() {
    let world = World::new();
    let commits = |from: usize| {
        let stream: String = (0..31).map(|n| {
            let base = if n > 0 { "" } else { "from refs/heads/main^0\n" };
            format!(
                "commit refs/heads/main\ncommitter A <a@b> {} +0000\ndata 0\n{base}M 644 inline {FILE}\ndata 10\nlimit {:03}\n",
                1_767_240_000 + from + n,
                from + n
            )
        }).collect();
        world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes()).ok();
        world.git_ok("reset --quiet --hard");
    };
    world.commit("begin");
    // Commits before the store owe no answer.
    commits(0);
    world.write("standing_questions.json", keyed(&[LIMIT]));
    assert_eq!(world.verdict(""), "1 no-sessions store-differs");
    world.commit("questions");
    assert_eq!(world.verdict(""), "1 no-sessions");
    world.pass(4 * 3600);
    world.sq_ok("record --sid s0 q1=0");
    commits(100);
    world.pass(4 * 3600);
    assert_eq!(world.verdict(""), "0 outdated unasked");
    let limited =
        keyed(&[LIMIT]).replace("\"questions\"", "\"settings\":{\"unasked.max\":20},\"questions\"");
    world.change("standing_questions.json", limited);
    assert_eq!(errors(&world), "0", "a vacation is no neglect");
    world.pass(15 * 24 * 3600);
    world.change("docs/a", "1");
    assert_eq!(errors(&world), "1 unasked");
    world.sq_ok("record --sure --sid x --same q1");
    assert_eq!(errors(&world), "1 unasked", "what cites nothing is no answer");
    world.git_ok("switch -q -c release");
    assert_eq!(errors(&world), "0");
    world.git_ok("switch -q main");
    world.sq_ok("record --sid s1 'q1=limit 31' --cite q1=src/a.rs:1 --delta q1=31");
    assert_eq!(errors(&world), "0");
}

/// A session's word on a command that nobody approved counts for staleness alone.
#[test]
fn a_claim_about_a_command_is_not_judged() {
    let world = asking(&[r#","shape":"boolean","watch":["src/"],"probe":{"run":["true"]}"#]);
    for n in 0..=3 {
        change(&world, n + 1);
        world.sq_ok(&format!("record --sid s{n} q1=true"));
    }
    assert_eq!(looks(&world)[1], 0);
    assert_eq!(world.check(&[]).1, 0);
}

/// After a merge two answers count, one of each side, and the tool's own delta fits either. Looks that a squash carried to
/// one commit stay apart.
#[test]
fn merges_make_no_honest_session_guilty() {
    for is_squash in [false, true] {
        let world = asking(&[TEXT]);
        world.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src/a.rs:2");
        for n in 1..=2 {
            world.git_ok("switch -q -c side");
            change(&world, n);
            let answer = format!("'q1=limit {n}' --cite q1=src/a.rs:2");
            world.sq_ok(&format!("record --sid b{n} {answer}"));
            if is_squash {
                world.change("docs/b", n.to_string());
                world.sq_ok(&format!("record --sid b{n} --same q1"));
            }
            world.git_ok("switch -q main");
            world.change("docs/x", n.to_string());
            world.sq_ok(&format!("record --sid m{n} --same q1"));
            if is_squash {
                world.git_ok("merge -q --squash side");
                world.commit("squash");
            } else {
                world.git_ok("merge -q --no-ff -m merge side");
                assert_eq!(world.standing("q1"), "fresh");
                world.sq_ok(&format!("record --sid t{n} {answer}"));
            }
            world.git_ok("branch -q -D side");
            world.try_sq("carry");
        }
        assert_eq!(looks(&world)[1], 0);
        assert_eq!(world.check(&[]).1, 0);
    }
}

/// Of a repository, the exit code of `check` and how many looks it calls left behind.
fn left_behind(team: &Team, dir: &Path) -> (i32, usize) {
    let (check, code) = team.world.check_in(dir);
    let unknown = each(&check["unknown"]);
    let left =
        unknown.filter(|why| why.as_str().unwrap().contains("is on no branch that was fetched"));
    (code, left.count())
}

#[test]
fn a_rewrite_takes_no_look_out_of_the_gate() {
    let team = Team::new();
    team.write("standing_questions.json", keyed(&[r#","watch":["a"]"#]));
    let work = |text: &str, line: &str| {
        team.change("a", text);
        team.sq_ok(line);
    };
    work("0\n", "record --sid s0 q1=0");
    for n in 1..=3 {
        let line = format!("record --sure --sid s{n} --same q1");
        work(&format!("{n}\n"), &line);
    }
    team.push();
    assert_eq!(left_behind(&team, &team.clone), (1, 0));
    let old = team.git_ok("rev-parse HEAD").trim().to_owned();
    team.git_ok("reset --quiet --hard HEAD~3");
    let line = "record --sid s4 q1=other --delta q1=changed --cite q1=a:1";
    work("other\n", line);
    // Nobody else has the new line, and what only this clone has is its own affair.
    assert_eq!(left_behind(&team, &team.clone).1, 0);
    team.git_ok("push --quiet --force");
    team.settle(&team.clone);
    let fresh = team.join("fresh");
    team.sq_ok_in(&fresh, "sync");
    let mirror = team.cloned("--mirror", "mirror");
    for dir in [&team.clone, &fresh, &fresh, &mirror] {
        assert_eq!(left_behind(&team, dir), (3, 3), "{}", dir.display());
    }
    // What was kept of the same tip, while something else was HEAD, does not show.
    team.git_ok_in(&fresh, "switch --quiet --create topic");
    team.git_ok_in(&fresh, "commit --quiet --allow-empty -m topic");
    team.sq_ok_in(&fresh, "check --tip main");
    team.git_ok_in(&fresh, "switch --quiet main");
    assert_eq!(left_behind(&team, &fresh), (3, 3));
    // A branch of the remote that still has them leaves nothing behind; nobody else sees a local one.
    team.git_ok(&format!("branch old {old}"));
    assert_eq!(left_behind(&team, &team.clone).1, 3);
    team.git_ok("push --quiet origin old");
    assert_eq!(left_behind(&team, &team.clone).1, 0);
    team.git_ok("push --quiet origin :old");
    assert_eq!(left_behind(&team, &team.clone).1, 3);
    team.world.person_ok_in(&fresh, "check --accept");
    team.git_ok_in(&fresh, "add --all");
    team.git_ok_in(&fresh, "commit --quiet -m accept");
    assert_eq!(left_behind(&team, &fresh), (0, 0));
}

/// How a clone sees q1 and the gate: the exit code, the standing, and the open looks.
fn seen_in(team: &Team, dir: &Path) -> (i32, String, Value) {
    let (check, code) = team.world.check_in(dir);
    let standing = check["questions"][0]["standing"].as_str().unwrap().to_owned();
    (code, standing, check["looks"]["open"].clone())
}

/// A change of main that no question watches.
const OTHER: (&str, &str) = ("other", "other\n");

/// A pull request is squashed onto a main with these changes, and its entries are carried. Its commits are in one clone only: all
/// see the same.
fn squashed(main: &[(&str, &str)], pull: impl Fn(&Team)) -> Vec<(i32, String, Value)> {
    let team = limited();
    team.git_ok("switch --quiet -c topic");
    pull(&team);
    team.git_ok("switch --quiet main");
    for (path, text) in main {
        team.change(path, text);
    }
    team.git_ok("merge --quiet --squash topic");
    team.git_ok("commit --quiet -m squashed");
    team.git_ok("branch --quiet -D topic");
    team.sq_ok("carry");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let fresh = team.join("fresh");
    team.sq_ok_in(&fresh, "sync");
    let mirror = team.cloned("--mirror", "mirror");
    [&team.clone, &fresh, &mirror].map(|dir| seen_in(&team, dir)).to_vec()
}

/// A team that asks about the limit, with an answer on main.
fn limited() -> Team {
    let team = Team::new();
    team.write("standing_questions.json", keyed(&[r#","watch":["src.rs"],"lines":"limit""#]));
    limit_in(&team, 0);
    team.sq_ok("record --sid s0 'q1=limit 0' --cite q1=src.rs:2");
    team.git_ok("push --quiet");
    team
}

fn limit_in(team: &Team, limit: usize) {
    team.change("src.rs", format!("constant\nlimit {limit}\n"));
}

#[test]
fn a_carried_look_that_cites_nothing_is_no_answer_in_any_clone() {
    let seen = squashed(&[OTHER], |team| {
        for n in 1..=4 {
            limit_in(team, n);
            team.sq_ok(&format!("record --sure --sid s{n} --same q1"));
        }
        assert_eq!(seen_in(team, &team.clone), (1, "outdated".into(), json!(4)));
    });
    // The clone that carried them said that they are flagged.
    assert_eq!(seen, vec![(1, "outdated".into(), json!(4)); 3]);
}

/// What an amended commit was flagged for stays, also where nobody has that commit any more.
#[test]
fn git_s_own_rewrites_carry_flags() {
    let world = answered();
    for n in 1..=4 {
        change(&world, n);
        world.sq_ok(&format!("record --sure --sid s{n} --same q1"));
        let old = world.head();
        world.write(&format!("new{n}"), "new\n");
        world.git_ok("add --all");
        world.git_ok("commit --quiet --amend -m amended");
        let said = world.sq_input("hook post-rewrite amend", &format!("{old} {}\n", world.head()));
        assert_eq!(said.ok(), "");
    }
    let seen = || (open(&world), world.standing("q1"), world.check(&[]).1);
    assert_eq!(seen(), (json!(4), "outdated".into(), 1));
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --prune=now --quiet");
    std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    assert_eq!(seen(), (json!(4), "outdated".into(), 1));
    world.sq_ok("record --sid s5 'q1=limit 4' --delta q1=more --cite q1=src/a.rs:2");
    assert_eq!(seen(), (json!(0), "fresh".into(), 0));
}

#[test]
fn a_carried_look_answers_where_what_it_cites_stands() {
    let seen = squashed(&[OTHER], |team| {
        limit_in(team, 1);
        team.sq_ok("record --sure --sid s1 --same q1");
        team.sq_ok("record --sid s2 'q1=limit 1' --delta q1=more --cite q1=src.rs:2");
    });
    assert_eq!(seen, vec![(0, "fresh".into(), json!(0)); 3]);
    for main in [&[][..], &[OTHER]] {
        let seen = squashed(main, |team| {
            for n in 1..=4 {
                limit_in(team, n);
                let said = format!("'q1=limit {n}' --delta q1=more --cite q1=src.rs:2");
                team.sq_ok(&format!("record --sid s{n} {said}"));
            }
        });
        assert_eq!(seen, vec![(0, "fresh".into(), json!(0)); 3], "{main:?}");
    }
}

/// An answer without a citation is lost where other files came to its commit, and the same session is asked again.
#[test]
fn what_was_lost_by_an_amended_commit_is_asked_again() {
    let world = asking(&[LIMIT]).env("SQ_SESSION", "s1");
    world.sq_ok("record q1=0");
    assert_has!(world.sq_ok("brief"), "already answered");
    let old = world.head();
    world.write("docs/a", "a\n");
    world.git_ok("add --all");
    world.git_ok("commit --quiet --amend -m amended");
    world.sq_input("hook post-rewrite amend", &format!("{old} {}\n", world.head())).ok();
    assert_eq!(world.standing("q1"), "never answered");
    assert!(!world.sq_ok("brief").contains("already answered"));
}

/// Who amends after a record, and records again, is compared with what was there.
#[test]
fn an_amended_commit_takes_the_next_answer() {
    for next in ["s1", "s2"] {
        let world = answered();
        change(&world, 1);
        world.sq_ok("record --sid s1 'q1=limit 1' --delta q1=1 --cite q1=src/a.rs:2");
        let old = world.head();
        world.write(FILE, "constant\nlimit 2\n");
        world.git_ok("commit --quiet --all --amend -m amended");
        let input = format!("{old} {}\n", world.head());
        world.sq_input("hook post-rewrite amend", &input).ok();
        let said = "'q1=limit 2' --delta q1=2 --cite q1=src/a.rs:2";
        world.sq_ok(&format!("record --sid {next} {said}"));
        assert_eq!((open(&world), world.standing("q1")), (json!(0), "fresh".into()), "{next}");
    }
}

#[test]
fn what_was_left_out_is_not_called_an_entry_that_is_flagged() {
    let world = World::asking(&[r#", "watch": ["a"]"#, r#", "watch": ["b"]"#]);
    world.write("a", "1");
    world.change("b", "1");
    world.sq_ok("record --sid s1 q1=1 q2=1 --cite q1=a:1 --cite q2=b:1");
    world.pass(3600);
    world.write("a", "2");
    world.change("b", "2");
    world.sq_ok("record --sid s2 --delta q1=2 --cite q1=a:1");
    world.pass(8000);
    world.change("b", "1");
    let why = "session s2 left it out";
    assert_has!(world.sq_ok("brief"), format!("[1 session ago, outdated, {why}]"));
    assert_has!(world.try_sq("check").stdout, format!("q2 is outdated: {why}"));
    let refused = world.try_sq("record --sid s3 --same q2").exits(128).stderr;
    assert_has!(refused, format!("q2: {why}: give the answer again"));
}

/// The branch never had what main changed meanwhile: its answer does not hide that.
#[test]
fn a_carried_look_is_outdated_by_what_main_changed_beneath_it() {
    let answer = |team: &Team| {
        team.change("topic", "topic\n");
        team.sq_ok("record --sid s1 'q1=limit 0' --cite q1=src.rs:2");
    };
    let seen = squashed(&[("src.rs", "constant\nlimit 0\nlimit 9\n")], answer);
    assert_eq!(seen, vec![(0, "outdated".into(), json!(0)); 3]);
    let seen = squashed(&[("src.rs", "another\nlimit 0\n")], answer);
    assert_eq!(seen, vec![(0, "fresh".into(), json!(0)); 3]);
}

/// One branch brings a change and its answer, the other one looked without it, and later.
#[test]
fn of_two_squashed_branches_the_answer_on_the_change_counts() {
    for order in [["changes", "looks"], ["looks", "changes"]] {
        let team = limited();
        team.git_ok("switch --quiet -c changes");
        limit_in(&team, 1);
        team.sq_ok("record --sid s1 'q1=limit 1' --delta q1=more --cite q1=src.rs:2");
        team.git_ok("switch --quiet -c looks main");
        team.change("other", "other\n");
        team.sq_ok("record --sid s2 'q1=limit 0' --cite q1=src.rs:2");
        team.git_ok("switch --quiet main");
        for branch in order {
            team.git_ok(&format!("merge --quiet --squash {branch}"));
            team.git_ok("commit --quiet -m squashed");
            team.git_ok(&format!("branch --quiet -D {branch}"));
        }
        team.sq_ok("carry");
        assert_eq!(seen_in(&team, &team.clone), (0, "fresh".into(), json!(0)), "{order:?}");
        // What was carried to the very commit excuses no answer without evidence.
        let lie = "record --sid s3 'q1=limit 7' --delta q1=lie";
        let refused = team.try_sq_in(&team.clone, lie).transcript();
        assert_has!(refused, "it reports a delta, and the answer cites nothing");
        let said = team.sq_ok("record --sid s3 'q1=limit 1' --cite q1=src.rs:2");
        assert_has!(said, "same  q1: limit 1");
    }
}

/// As a merge would; and no longer than that.
#[test]
fn a_rebase_outdates_an_answer_for_as_long_as_its_files_differ() {
    for (keys, beneath) in [(LIMIT, "limit 0\nlimit 9\n"), ("", "limit 1\n")] {
        let world = asking(&[keys]);
        world.git_ok("switch --quiet -c topic");
        world.change("other", "other\n");
        world.sq_ok("record --sid s1 'q1=limit 0' --cite q1=src/a.rs:2");
        let rebase = |limits: &str| {
            world.git_ok("switch --quiet main");
            world.change(FILE, format!("constant\n{limits}"));
            let old = world.git_ok("rev-parse topic");
            world.git_ok("switch --quiet topic");
            world.git_ok("rebase --quiet main");
            let pair = format!("{} {}\n", old.trim(), world.head());
            world.sq_input("hook post-rewrite rebase", &pair).ok();
            world.standing("q1")
        };
        assert_eq!(rebase(beneath), "outdated");
        let said = world.try_sq("record --sid s2 --same q1").transcript();
        assert_has!(said, "q1: what it depends on changed as it was carried: ");
        assert_eq!(rebase("limit 0\n"), "fresh");
    }
}
