//! A question store that is not valid any more is called what it is, wherever it is read, with the command that shows where.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

use crate::mistakes::world;

/// What is said of the store that `change` makes of the committed one, once it is committed, too.
fn broken(change: impl Fn(&str) -> String) -> String {
    let world = world();
    let path = world.dir.join("standing_questions.json");
    fs::write(&path, change(&fs::read_to_string(&path).unwrap())).unwrap();
    let lines = |world: &World, command: &str| {
        let text = world.try_sq(command).transcript();
        assert!(command == "question lint" || text.contains("git sq question lint"), "{text}");
        let told = text.lines().filter(|line| {
            ["standing_questions.json is not", "differs from", "lint", "╰──", "help"]
                .iter()
                .any(|word| line.contains(word))
        });
        format!("$ git sq {command}\n{}\n", told.collect::<Vec<_>>().join("\n"))
    };
    let reading = ["status", "check", "question list", "brief", "record tests=x"];
    let in_worktree = reading.map(|command| lines(&world, command)).concat();
    insta::allow_duplicates!(assert_snapshot!(in_worktree, @"
    $ git sq status
    warning: standing_questions.json in the worktree differs from the committed version, which is used: commit or revert the change; `git sq question lint` checks it
    $ git sq check
    warning: standing_questions.json in the worktree differs from the committed version, which is used
      commit or revert the change; `git sq question lint` checks it [store-differs]
    $ git sq question list
    warning: standing_questions.json in the worktree differs from the committed version, which is used: commit or revert the change; `git sq question lint` checks it
    $ git sq brief
      standing_questions.json in the worktree differs from the committed version, which is used: commit or revert the change; `git sq question lint` checks it
    $ git sq record tests=x
    hint: standing_questions.json in the worktree differs from the committed version, which is used: commit or revert the change; `git sq question lint` checks it
    "));
    world.commit("broken");
    for command in reading.iter().chain(&["log", "ci", "fleet .", "state", "stats"]) {
        lines(&world, command);
    }
    let json = world.try_sq("check --format json");
    assert_has!(json.stderr, "git sq question lint");
    lines(&world, "question lint") + &lines(&world, "check")
}

#[test]
fn a_merge_conflict_in_the_store_is_named() {
    let conflict = |text: &str| {
        let side = |id: &str| format!("{{\"id\": \"{id}\", \"q\": \"?\", \"importance\": 1}}");
        let sides = [side("ours"), side("theirs")];
        let both =
            format!(",\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n]", sides[0], sides[1]);
        text.replace(']', &both)
    };
    assert_snapshot!(broken(conflict), @"
    $ git sq question lint
       ·       ╰── merge conflict
       ╰────
      help: keep the questions of both sides, each in its own braces, and remove these lines
    $ git sq check
       ·       ╰── merge conflict
       ╰────
      help: keep the questions of both sides, each in its own braces, and remove these lines
    hint: fix it, check it with `git sq question lint`, and commit it: HEAD's questions are used
    ");
    // One that was mended by half.
    assert_has!(broken(|text| text.replace(']', "\n>>>>>>> other\n]")), "merge conflict");
}

#[test]
fn a_trailing_comma_in_the_store_is_named() {
    assert_snapshot!(broken(|text| text.replace(']', ",\n]")), @"
    $ git sq question lint
       ·                                                                  ╰── trailing comma
       ╰────
      help: remove the comma
    $ git sq check
       ·                                                                  ╰── trailing comma
       ╰────
      help: remove the comma
    hint: fix it, check it with `git sq question lint`, and commit it: HEAD's questions are used
    ");
    let in_object = broken(|text| text.replacen("\"importance\":2}", "\"importance\":2 , }", 1));
    assert_has!(in_object, "trailing comma");
}

#[test]
fn a_changed_wording_leads_to_reword() {
    let world = world();
    let path = world.dir.join("standing_questions.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Who reads", "Who writes")).unwrap();
    let linted = world.try_sq("question lint").exits(1);
    assert_has!(linted.stdout, "`git sq question reword docs 'the new wording'`");
    world.git_ok("checkout .");
    world.sq_ok("question reword docs 'Who writes the docs?'");
    world.sq_ok("question lint");
}
