//! The gate says nothing of what an honest team does every day.

use git_sq_test_support::{World, path_with_program};

const QUESTION: &str =
    r#"{"id":"q1","q":"one?","importance":3,"watch":["src/"],"require_evidence":false}"#;

fn ask(world: &World, questions: &[&str]) {
    world.ask_json(&questions.join(","));
}

/// A world with one question, answered once.
fn answered() -> World {
    let world = World::new();
    world.write("src/a.rs", "0");
    ask(&world, &[QUESTION]);
    world.sq_ok("record --sid s0 --same q1=a");
    world
}

fn work(world: &World, text: &str) {
    world.write("src/a.rs", text);
    world.commit(text);
}

#[test]
fn sessions_that_only_talked_owe_no_answers() {
    let world = answered();
    for sid in ["s1", "s2", "s3"] {
        world.pass(600);
        world.sq_ok(&format!("session start --sid {sid}"));
        world.sq_ok("session end");
    }
    assert_eq!(world.verdict(""), "0");
    assert!(!world.sq_ok("status").contains("unanswered"));
    // Nor for what others committed between them, which leaves the answers outdated all the same.
    for sid in ["s4", "s5", "s6"] {
        work(&world, sid);
        world.pass(600);
        world.sq_ok(&format!("session start --sid {sid}"));
        world.sq_ok("session end");
    }
    assert_eq!(world.verdict(""), "0 outdated");
}

#[test]
fn what_a_merge_brings_late_was_left_out_by_nobody() {
    let world = answered();
    world.git_ok("switch --quiet -c theirs");
    work(&world, "1");
    world.git_ok("switch --quiet main");
    for sid in ["s1", "s2", "s3", "s4", "s5", "s6"] {
        world.pass(600);
        world.change("notes.md", sid);
        world.sq_ok(&format!("record --sid {sid} --same q1=a"));
    }
    // A colleague pulls, and pushes the merge: on the line of first parents, the change comes first.
    world.git_ok("switch --quiet theirs");
    world.git_ok("merge --quiet --no-edit main");
    assert_eq!(world.verdict(""), "0 outdated");
    // Who works on from there and says nothing of it leaves it out.
    for sid in ["s7", "s8", "s9", "s10", "s11", "s12"] {
        world.pass(600);
        world.change("notes.md", sid);
        world.sq(&["record", "--sid", sid, "--same", "q1", "--sure"]).ok();
    }
    let message = &world.messages("outdated")[0];
    assert!(message.contains("6 later sessions gave no answer that counts"), "{message}");
}

#[test]
fn putting_the_old_text_back_closes_what_was_changed_in_place() {
    let world = answered();
    ask(&world, &[&QUESTION.replace("one?", "uno?")]);
    work(&world, "1");
    world.sq_ok("record --sid s1 --delta q1=src/a.rs:1");
    assert_eq!(world.verdict(""), "1 version-changed-in-place");
    ask(&world, &[QUESTION]);
    // The newest answer was given to the other text.
    assert_eq!(world.verdict(""), "0 outdated");
}

#[test]
fn a_rebased_session_did_not_leave_out_what_its_base_asked_later() {
    let world = answered().env("PATH", path_with_program().into_string().unwrap());
    world.sq_ok("init");
    world.git_ok("switch --quiet -c work");
    work(&world, "1");
    world.sq_ok("record --sid s1 --delta q1=src/a.rs:1");
    world.git_ok("switch --quiet main");
    ask(&world, &[QUESTION, &QUESTION.replace("q1", "q2")]);
    world.git_ok("switch --quiet work");
    world.git_ok("rebase --quiet main");
    assert_eq!(world.verdict("--base main"), "0");
    assert_eq!(world.check(&[]).0["sessions"], 2);
}

#[test]
fn a_session_that_answered_in_the_words_of_its_branch_left_nothing_out() {
    let world = answered();
    world.git_ok("switch --quiet -c work");
    world.sq_ok("question reword q1 uno?");
    world.commit("reword");
    world.sq_ok("record --sid s1 --same q1=a");
    assert_eq!(world.verdict("--base main"), "0 loosened");
}

#[test]
fn a_branch_is_not_blamed_for_what_it_never_had() {
    let world = World::new();
    world.change("src/a.rs", "0");
    world.git_ok("switch --quiet -c old");
    work(&world, "1");
    world.git_ok("switch --quiet main");
    ask(&world, &[QUESTION]);
    world.git_ok("switch --quiet old");
    assert_eq!(world.verdict("--base main"), "1 no-sessions");
    // Nor for a store that could not be read where it left the base.
    world.git_ok("switch --quiet main");
    world.change("standing_questions.json", "{");
    world.git_ok("switch --quiet -c mending");
    ask(&world, &[QUESTION]);
    world.git_ok("switch --quiet main");
    ask(&world, &[QUESTION]);
    world.sq_ok("record --sid s0 --same q1=a");
    world.git_ok("switch --quiet mending");
    assert!(world.verdict("--base main").starts_with("1 no-sessions"));
}

/// A store that is only untracked is gone all the same.
#[test]
fn a_store_taken_out_of_git_is_gone_though_its_file_is_there() {
    let world = answered();
    world.git_ok("switch --quiet -c work");
    world.git_ok("rm --quiet --cached standing_questions.json");
    world.git_ok("commit --quiet -m tidy");
    assert_has!(world.verdict("--base main"), "loosened");
}

/// A branch that is not merged yet has the only session, and neither a fetch nor a copy brings it here.
#[test]
fn no_session_here_is_ended_by_one() {
    let world = World::asked();
    world.git_ok("switch --quiet -c work");
    world.commit("work");
    world.record("s1");
    world.git_ok("switch --quiet main");
    let said = world.try_sq("check").stdout;
    assert_has!(said, "this history: 1 entry is on a commit that it does not contain\n");
    assert_has!(said, "\n  start with `git sq brief`, then `git sq record`; `git fetch` brings");
    world.record("s2");
    assert_eq!(world.verdict("").split(' ').next(), Some("0"));
}

/// Two branches gave one version different words: who merges them keeps both.
#[test]
fn two_wordings_of_two_branches_are_kept_as_two_versions() {
    let world = World::new();
    let one = r#"{"id": "q1", "q": "Who?", "importance": 2}"#;
    let versions = |texts: &[&str]| {
        let version = |(text, number): (&&str, usize)| {
            let status = if number == texts.len() + 1 { "active" } else { "deprecated" };
            format!(
                r#"{{"id": "q1", "version": {number}, "q": "{text}", "importance": 2, "status": "{status}"}}"#
            )
        };
        let all = texts.iter().zip(2..).map(version).collect::<Vec<_>>().join(", ");
        git_sq_test_support::store_v2(&format!(
            "{}, {all}",
            one.replace('}', r#", "status": "deprecated"}"#)
        ))
    };
    world.change("standing_questions.json", git_sq_test_support::store_v2(one));
    world.git_ok("switch --quiet --create topic");
    world.change("standing_questions.json", versions(&["Who owns it?"]));
    world.sq_ok("record --sid s1 q1=Ada");
    world.git_ok("switch --quiet main");
    world.change("standing_questions.json", versions(&["Who wrote it?"]));
    world.try_git("merge --quiet topic");
    world.change("standing_questions.json", versions(&["Who owns it?", "Who wrote it?"]));
    assert_eq!(world.verdict(""), "0");
    world.change("standing_questions.json", versions(&["Who wrote it?", "Who owns it?"]));
    assert_eq!(world.verdict(""), "0");
    world.change("standing_questions.json", versions(&["Who wrote it?"]));
    assert_has!(world.verdict(""), "version-changed-in-place");
}
