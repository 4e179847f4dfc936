//! What a newcomer gets wrong in the first hour is answered with what it was, why it can't be done, and what to do next.

use std::{collections::BTreeSet, path::Path};

use git_sq_test_support::{Team, World, store};
use insta::assert_snapshot;

use crate::advice::advised;

/// A repository that asks `tests` and `docs`, whose files say the answers.
pub fn world() -> World {
    let world = World::new();
    world.write("README.md", "Run make check.\n");
    world.write("sub/root.go", "package root\n");
    world.ask_json(
        r#"{"id":"tests","q":"Which command runs the tests?","importance":3,"require_evidence":true},
           {"id":"docs","q":"Who reads the docs?","importance":2}"#,
    );
    world
}

/// What is said about a command line that is refused.
fn said(world: &World, line: &str) -> String {
    let ran = world.try_sq(line);
    assert!(ran.code >= 128 && ran.stdout.is_empty(), "{line}: {}", ran.transcript());
    ran.stderr
}

#[test]
fn an_unknown_command_leads_to_the_nearest_and_to_the_list() {
    let world = world();
    let lines = [
        "chekc",
        "question retier",
        "question chekc",
        "frobnicate",
        "help frobnicate",
        "help question frobnicate",
        "--color never question frobnicate",
    ];
    let told = lines.map(|line| format!("$ git sq {line}\n{}", said(&world, line)));
    assert_snapshot!(told.concat(), @r#"
    $ git sq chekc
    fatal: there is no command "git sq chekc"
    hint: did you mean `git sq check`?
    hint: `git sq help --all` lists the commands
    $ git sq question retier
    fatal: there is no command "git sq question retier"
    hint: did you mean `git sq question retire`?
    hint: `git sq help question` lists its commands
    $ git sq question chekc
    fatal: there is no command "git sq question chekc"
    hint: `git sq help question` lists its commands
    $ git sq frobnicate
    fatal: there is no command "git sq frobnicate"
    hint: `git sq help --all` lists the commands
    $ git sq help frobnicate
    fatal: there is no command "git sq frobnicate"
    hint: `git sq help --all` lists the commands
    $ git sq help question frobnicate
    fatal: there is no command "git sq question frobnicate"
    hint: `git sq help question` lists its commands
    $ git sq --color never question frobnicate
    fatal: there is no command "git sq question frobnicate"
    hint: `git sq help question` lists its commands
    "#);
    for told in &told {
        for command in advised(told) {
            let is_run = command.contains("help") || command.contains("--");
            let help = command.replacen("git sq ", "git sq help ", 1);
            world.shell_in(&world.dir, if is_run { command } else { &help }).ok();
        }
    }
}

#[test]
fn the_help_that_is_named_needs_no_manual_page() {
    let world = world();
    for (line, help) in [
        ("--bogus", "git sq help"),
        ("record --bogus", "git sq help record"),
        ("question list tests", "git sq help question list"),
    ] {
        assert!(said(&world, line).ends_with(&format!("try '{help}'.\n")), "{line}");
        world.shell_in(&world.dir, help).ok();
    }
    let json = world.try_sq("question list tests --format json");
    assert_has!(json.stderr, "`git sq help question list` explains it");
}

#[test]
fn a_misspelled_name_is_guessed_everywhere() {
    let world = world();
    for line in [
        "show tets",
        "trace tets",
        "record tets=x",
        "question retire tets",
        "question history tets",
    ] {
        assert_has!(said(&world, line), "; did you mean tests?");
    }
}

#[test]
fn a_citation_without_its_question_is_turned_round() {
    let world = world();
    assert_snapshot!(said(&world, "record tests=make --cite README.md:1"), @"
    fatal: expected --cite tests=README.md:1
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
    assert_has!(said(&world, "record --cite 'a b:1'"), "expected --cite q1='a b:1'\n");
}

#[test]
fn one_cause_is_named_once() {
    let world = world();
    let wrong = [
        "record 'tests=make check' --cite tests=READ.md:1",
        "record 'tests=make check' --cite tests=README.md:9",
        "record 'test=make check' --cite test=READ.md:1",
    ];
    assert_snapshot!(wrong.map(|line| said(&world, line)).concat(), @"
    fatal: READ.md:1 can't be cited: no such file; cite what is committed, by its path from the root of the repository
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    fatal: README.md:9 can't be cited: the file has only 1 line; cite what is committed
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    fatal: there is no question test in the store; did you mean tests?
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
    world.sq_ok("record --sid s1 'tests=make check' --cite tests=README.md:1");
    world.write("README.md", "Run `make check`.\n");
    world.commit("change what is cited");
    assert_snapshot!(said(&world, wrong[0]), @"
    fatal: READ.md:1 can't be cited: no such file; cite what is committed, by its path from the root of the repository
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
}

#[test]
fn what_a_refusal_asks_for_is_taken() {
    let world = world();
    world.sq_ok("record --sid s1 'tests=make check' --cite tests=README.md:1");
    world.write("README.md", "Run `make check`.\n");
    world.commit("change what is cited");
    let told = said(&world, "record --sid s2 --same tests");
    assert_snapshot!(told, @"
    fatal: tests: README.md:1, which was cited, changed since s1 answered at 9eedb7b78a: give the answer again, and the lines that show it now
      git sq record 'tests=the answer' --same tests --cite tests=path:3-5
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    ");
    let command = told.lines().map(str::trim).find(|line| line.starts_with("git sq")).unwrap();
    let command = command.replace("the answer", "make check, as before");
    let command = command.replace("record ", "record --sid s2 ");
    world.shell_in(&world.dir, &command.replace("path:3-5", "README.md:1")).ok();
    // With the answer, all that is missing is named at once.
    assert_snapshot!(said(&world, "record --sid s3 'tests=make'"), @r#"
    fatal: is the answer to tests the same as the last one?
      old (s2 on 12001b3144): make check, as before
      new: make
      say which it is: add --same tests, or --delta 'tests=what changed' (json: "delta"); if the last answer was wrong, give yours with --wrong
    hint: usage: git sq record 'q1=the answer' --cite q1=path:3-5 --same q2,q3
    hint: nothing was written; `git sq question list` lists the questions
    "#);
    world.sq_ok("record --sid s3 tests=make --same tests --cite tests=README.md:1");
}

/// As git does it; from the root only if no such file is here.
#[test]
fn a_path_on_the_command_line_is_relative_to_the_folder() {
    let world = world();
    world.write("sub/README.md", "Read this.\n");
    world.commit("two files of a name");
    let below = world.dir.join("sub");
    for (cite, cited) in [
        ("root.go:1", "sub/root.go:1"),
        ("sub/root.go:1", "sub/root.go:1"),
        ("README.md:1", "sub/README.md:1"),
        ("../README.md:1", "README.md:1"),
        ("./root.go:1", "sub/root.go:1"),
    ] {
        let ran = world.sq_in(&below, &["record", "docs=all", "--cite", &format!("docs={cite}")]);
        assert_has!(ran.ok(), &format!("cites {cited}\n"));
    }
    let outside = world.sq_in(&below, &["record", "docs=all", "--cite", "docs=../../x:1"]);
    assert_has!(outside.stderr, "../../x:1 can't be cited: no such file");
}

#[test]
fn several_questions_are_retired_at_once() {
    let world = world();
    assert_snapshot!(world.try_sq("question retire docs tests docs --reason old").transcript(), @"
    standing_questions.json: retired docs, tests, docs
    Commit it: only HEAD's questions count.
    --- exit 0
    ");
    world.git_ok("checkout .");
    said(&world, "question retire tests tets");
    assert_eq!(world.git_ok("status --short"), "", "both or none");
}

#[test]
fn a_bare_repository_gets_no_hooks() {
    let team = Team::new();
    let bare = team.remote.clone();
    let has_hooks = |dir: &Path| {
        let hooks = team.try_git_in(dir, "config --get-regexp ^hook\\.sq-");
        hooks.code == 0 || dir.join("hooks/pre-push").exists()
    };
    assert_snapshot!(team.sq_ok_in(&bare, "init"), @"
    store:  standing_questions.json exists, committed
    remote: none: entries stay in this clone
    hook:   none, as this repository is bare

    Next:
      git sq brief              shows the questions to answer
    ");
    assert!(!has_hooks(&bare));
    assert_eq!(team.sq_ok_in(&bare, "doctor"), "No problems found.\n");
}

#[test]
fn an_empty_repository_says_what_it_lacks() {
    let world = World::new();
    world.write("standing_questions.json", store(&["a"]));
    let lines = ["", "check", "brief", "record a=b", "trace --agree a:b c:d", "facts"];
    let told: BTreeSet<String> = lines.iter().map(|line| said(&world, line)).collect();
    assert_snapshot!(told.into_iter().collect::<String>(), @"
    fatal: HEAD has no commit yet
    hint: git sq reads commits and writes notes on them: make the first one; `git sq init` works before that
    ");
    assert!(!world.dir.join(".git/refs/notes").exists());
    // Setting up comes before the first commit as well as after it.
    world.sq_ok("init");
}

#[test]
fn one_session_is_no_sessions() {
    let world = world();
    world.sq_ok("record --sid s1 docs=all");
    assert_has!(world.sq_ok("stats"), "questions each answered over 1 session (median)\n");
    world.sq_ok("record --sid s2 --same docs");
    assert_has!(world.sq_ok("stats"), "questions each answered over 2 sessions (median)\n");
}

#[test]
fn where_no_log_can_come_from_nothing_is_advised() {
    let world = world();
    let verified = |world: &World| world.try_sq("verify").transcript();
    assert_has!(verified(&world), "unknown: no log is here, and no remote has one\n");
    world.git_ok("clone --quiet --bare . ../remote.git");
    world.git_ok("remote add origin ../remote.git");
    assert_has!(verified(&world), "unknown: no log is here: run `git sq init --no-hooks`");
    world.sq_ok("init --no-hooks");
    assert_has!(verified(&world), "unknown: no log is here, and none came from origin\n");
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = world();
    let mut command = world.sq_command(&["show"]);
    let ran = command.arg(std::ffi::OsStr::from_bytes(b"caf\xe9.txt:1")).output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_has!(said, "caf\u{fffd}.txt:1 is not UTF-8", "hint: rename the file");
}

#[test]
fn a_format_before_the_command_is_refused() {
    let world = World::asked();
    let refused = world.try_sq("--format json check").exits(129);
    assert_has!(refused.stderr, "--format of check belongs after it");
    assert_eq!(world.try_sq("--format json").json()["schema"], "sq.status/v1");
}
