//! `git sq record` alone on a terminal: the questions in the user's editor.

use std::fs;

#[cfg(unix)]
use git_sq_test_support::store_v2;
use git_sq_test_support::{Ran, World, executable, path_with_program, refs, words};
use insta::assert_snapshot;

#[cfg(unix)]
use crate::commands::approve;
use crate::shells::have;

/// Two questions that were answered once, and what changed since.
fn asked() -> World {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s1 --same 'q1=one secret'");
    world.write("src/a.rs", "a");
    world.commit("change");
    world
}

/// Runs a line on a terminal, with an editor that does this to the file `$1`; None where there is no such thing.
pub fn edited(world: &World, line: &str, script: &str) -> Option<Ran> {
    if !cfg!(target_os = "linux") || !have("script") {
        return None;
    }
    let editor = world.root().join("an editor");
    executable(&editor, &format!("#!/bin/sh\n{script}\n"));
    let mut command = world.command("script");
    command
        .env("PATH", path_with_program())
        .env("GIT_EDITOR", format!("'{}'", editor.display()))
        .args(["-qec", &format!("git {line}"), "/dev/null"]);
    let ran = Ran::from(command.output().unwrap());
    let stdout = ran.stdout.replace('\r', "");
    Some(Ran { stdout, ..ran })
}

/// As in `git commit`: an editor that is told to stop what it does goes on, and so does what waits for it.
#[test]
fn ctrl_c_in_the_editor_is_the_editor_s() {
    let world = asked();
    let script = "trap : INT; kill -INT 0; sleep 1; echo 'q2 answer: this' > \"$1\"";
    let Some(ran) = edited(&world, "sq record --sid s2 --sure", script) else {
        return;
    };
    let log = world.sq_ok("log -n 1");
    assert!(log.contains("Session: s2") && log.contains("q2: this"), "{log}{}", ran.transcript());
}

#[test]
fn the_editor_shows_what_is_due_and_not_the_last_answers() {
    let world = asked();
    let Some(ran) = edited(&world, "sq record", "cp \"$1\" ../form") else {
        return;
    };
    let form = fs::read_to_string(world.root().join("form")).unwrap();
    assert!(!form.contains("secret"), "{form}");
    insta::with_settings!({filters => vec![("[0-9a-f]{10}", "[commit]")]}, {
        assert_snapshot!(form, @"
        # Standing questions on main at [commit]
        # Derive each answer anew: read the files, run the commands. Do not answer
        # from memory, notes or this log.
        # After the name of a question, write `answer: ` and the answer; `same` where
        # nothing changed that it depends on; `delta: what changed`; or, where the
        # last answer was false though nothing changed, `wrong: ` and what is true.
        # Below it, `cite src/lib.rs:12-20` names the lines that show it. Questions
        # left blank are not recorded. Lines starting with '#' are ignored; an empty
        # form records only what probes find.
        #
        # What changed since s1: 1 commit, 1 changed file
        #   src/a.rs

        # q2    What about q2?  [never answered]
        q2

        # q1    What about q1?
        #       last answered on [commit]; compare afterwards: `git sq show q1`
        q1
        ");
    });
    assert_snapshot!(ran.transcript(), @"
    fatal: no question was answered; nothing was recorded
    hint: write `answer: ...`, `same` or `delta: what changed` after the name of a question
    --- exit 128
    ");
    assert_eq!(world.lines().len(), 1);
}

#[test]
fn what_is_written_beside_a_question_is_its_answer() {
    let world = asked();
    let script = "sed -i 's/^q1$/q1 delta: two, and more/; s/^q2$/q2: same zwei/' \"$1\"";
    let Some(ran) = edited(&world, "sq record --sid s2", script) else {
        return;
    };
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    assert_has!(ran.stdout, "DELTA q1: two, and more");
    let line = world.lines().pop().unwrap();
    assert_has!(line, "\"delta\":true,\"note\":\"two, and more\"");
    assert_has!(line, "\"delta\":false,\"note\":\"zwei\"");
    // What was taken is not left lying about.
    assert_eq!(forms(&world), [""; 0]);
}

#[test]
fn a_question_with_a_shape_or_that_needs_a_citation_is_answered_in_the_form() {
    let world = World::new();
    world.write("src/a.rs", "one\ntwo\n");
    world.ask_json(
        r#"{"id":"q1","q":"How many?","importance":2,"shape":{"number":{"unit":"ms"}}},
        {"id":"q2","q":"Which?","importance":3,"watch":["src/"]}"#,
    );
    let script = "cp \"$1\" ../form
        sed -i 's/^q1$/q1 answer: 12 ms/; s/^q2$/q2 same: two\\ncite src\\/a.rs:2/' \"$1\"";
    let Some(ran) = edited(&world, "sq record --sid s1", script) else {
        return;
    };
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    let form = fs::read_to_string(world.root().join("form")).unwrap();
    assert_has!(form, "#       answer: a number, in ms");
    assert_has!(form, "#       cite the lines that show it; watches src/");
    assert_has!(ran.stdout, "cites src/a.rs:2");
    assert_has!(world.lines()[0], "\"answer\":12");
}

/// Only what the user can answer is asked in the form; a command needs nobody.
#[cfg(unix)]
#[test]
fn the_form_leaves_out_what_a_command_answers() {
    let world = World::new();
    let command = r#"{"id":"q1","q":"How many?","importance":3,"probe":{"run":["sh","-c","echo 7"],"take":"stdout"}}"#;
    world.ask_json(&format!(
        r#"{command},{{"id":"q2","q":"Which?","importance":2,"watch":["src/"]}}"#
    ));
    approve(&world);
    let form = world.root().join("form");
    let copy = "cp \"$1\" ../form";
    let Some(ran) = edited(&world, "sq record --sid s1", copy) else {
        return;
    };
    // Who leaves the form blank has the command run all the same.
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    let shown = fs::read_to_string(&form).unwrap();
    assert!(shown.contains("\nq2\n") && !shown.contains("q1"), "{shown}");
    assert_has!(ran.stdout, "first q1 (ran ");
    assert_eq!(world.lines().len(), 1);
    let answer = "sed -i 's/^q2$/q2 answer: this/' \"$1\"";
    let ran = edited(&world, "sq record --sid s1 --sure", answer).unwrap().exits(0);
    assert_has!(ran.stdout, "first q2: this");
    // Where nothing else is due, there is nothing to fill in.
    fs::remove_file(&form).unwrap();
    world.change("standing_questions.json", store_v2(command));
    let ran = edited(&world, "sq record --sid s2", copy).unwrap().exits(0);
    assert_has!(ran.stdout, "same  q1 (ran ");
    assert!(!form.exists(), "an editor was started");
}

/// The forms that were kept.
fn forms(world: &World) -> Vec<String> {
    fs::read_dir(world.dir.join(".git/sq"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("record-"))
        .collect()
}

#[test]
fn a_line_that_is_no_answer_is_refused_and_what_was_written_is_kept() {
    let world = asked();
    let script = "printf 'q1 delta: two\\n  lines\\nq2 perhaps\\n' > \"$1\"";
    let Some(ran) = edited(&world, "sq record", script) else {
        return;
    };
    insta::with_settings!({filters => vec![("/\\S*record-\\S*", "[form]")]}, {
        assert_snapshot!(ran.transcript(), @r#"
        fatal: line 2 is not an answer: expected `q4 answer: VALUE`, `q4 same`, `q4 delta: what changed`, `q4 wrong: VALUE` or, below an answer, `cite src/lib.rs:12-20`, found "lines"
        fatal: line 3 is not an answer: expected `q4 answer: VALUE`, `q4 same`, `q4 delta: what changed`, `q4 wrong: VALUE` or, below an answer, `cite src/lib.rs:12-20`, found "q2 perhaps"
        hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
        hint: nothing was written; `git sq question list` lists the questions
        hint: your text is in [form]
        --- exit 128
        "#);
    });
    assert_eq!(world.lines().len(), 1);
    let forms = forms(&world);
    let kept = fs::read_to_string(world.dir.join(".git/sq").join(&forms[0])).unwrap();
    assert_eq!(kept, "q1 delta: two\n  lines\nq2 perhaps\n");
}

#[test]
fn an_editor_that_fails_records_nothing() {
    let world = asked();
    let Some(ran) = edited(&world, "sq record", "echo 'q1 same' > \"$1\"; exit 1") else {
        return;
    };
    insta::with_settings!({filters => vec![("'/.*an editor'", "[editor]")]}, {
        assert_snapshot!(ran.transcript(), @"
        fatal: there was a problem with the editor '[editor]'
        hint: `git var GIT_EDITOR` says which one is used; without one, see `git sq record -h`
        --- exit 128
        ");
    });
    assert_eq!(world.lines().len(), 1);
}

/// Git has no editor of its own for such a terminal.
#[test]
fn a_dumb_terminal_needs_an_editor_to_be_set() {
    let world = asked().env("TERM", "dumb");
    let line = "--version; unset GIT_EDITOR VISUAL EDITOR; git sq record";
    let Some(ran) = edited(&world, line, "true") else {
        return;
    };
    let (_, said) = ran.stdout.split_once('\n').unwrap();
    assert_snapshot!(said, @"
    fatal: the terminal is dumb, and no editor is set
    hint: set EDITOR; without one, see `git sq record -h`
    ");
    assert_eq!(ran.code, 128);
}

#[test]
fn away_from_a_terminal_no_editor_is_started() {
    let world = asked().env("GIT_EDITOR", "touch ../started; true");
    let ran = world.sq(&refs(&words("record")));
    assert_has!(ran.stderr, "nothing to record");
    assert_eq!(ran.code, 128);
    assert!(!world.root().join("started").exists());
}

/// What starts in a harness that lets `git sq` out of its sandbox would be out, too, and wait for nobody.
#[test]
fn an_agent_on_a_terminal_gets_neither_editor_nor_pager() {
    for agent in ["", "c"] {
        let world = asked().env("CODEX_SESSION_ID", agent);
        let started = world.root().join("started");
        for line in ["sq record", "sq log"] {
            let script = format!("cat > /dev/null < /dev/null; touch '{}'", started.display());
            let pager = world.root().join("an editor");
            world.git_ok(&format!("config core.pager \"'{}'\"", pager.display()));
            if edited(&world, line, &script).is_none() {
                return;
            }
            assert_eq!(started.exists(), agent.is_empty(), "{line}");
            let _ = fs::remove_file(&started);
        }
    }
}

/// What `same` or a delta is said of is the answer that the session could look up, not one that came since.
#[test]
fn an_answer_that_others_gave_meanwhile_is_not_the_one_that_is_compared() {
    for (others, is_taken) in [("q1=two --delta q1=2", false), ("--same 'q1=one secret'", true)] {
        for answer in ["same", "delta: three", "wrong: four\\ncite src\\/a.rs:1"] {
            let world = asked();
            let script = format!(
                "git sq record --sid other {others} > /dev/null
                sed -i 's/^q1$/q1 {answer}/' \"$1\""
            );
            let Some(ran) = edited(&world, "sq record --sid s2 --sure", &script) else {
                return;
            };
            assert_eq!(world.lines().len(), 2 + usize::from(is_taken), "{}", ran.transcript());
            assert_eq!(forms(&world).len(), usize::from(!is_taken));
            if !is_taken && answer == "same" {
                insta::with_settings!({filters => vec![("/\\S*record-\\S*", "[form]")]}, {
                    assert_snapshot!(ran.transcript(), @"
                    fatal: others recorded another answer to q1 meanwhile (see `git sq show q1`)
                    hint: nothing was written; look again, and record
                    hint: your text is in [form]
                    --- exit 128
                    ");
                });
            }
        }
    }
}

/// The session looked at the commit that the form names.
#[test]
fn answers_are_not_about_a_head_that_moved_while_the_editor_was_open() {
    let world = asked();
    let script = "git commit --quiet --allow-empty -m meanwhile
        sed -i 's/^q2$/q2 answer: this/' \"$1\"";
    let Some(ran) = edited(&world, "sq record --sid s2", script) else {
        return;
    };
    let filters = vec![("/\\S*record-\\S*", "[form]"), ("[0-9a-f]{10}", "[commit]")];
    insta::with_settings!({filters => filters}, {
        assert_snapshot!(ran.transcript(), @"
        fatal: HEAD moved while the editor was open, and the answers are about [commit]
        hint: nothing was written; look again, and record
        hint: your text is in [form]
        --- exit 128
        ");
    });
    assert_eq!((world.lines().len(), forms(&world).len()), (1, 1));
}
