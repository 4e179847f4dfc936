//! Files that a repository or another program planted where the program reads its own.
#![cfg(unix)]

use std::{fs, os::unix::fs::symlink};

use git_sq_test_support::{Ran, World, refs, store, words};

use super::init::with_commit;

const SECRET: &str = "https://ada:hunter2@example.org";

/// Runs it, and ends it if it hangs.
#[track_caller]
fn sq(world: &World, line: &str) -> Ran {
    let words = words(line);
    let git = world.sq_command(&refs(&words));
    let mut command = world.command("timeout");
    command.args(["20", "git", "sq"]).args(&words);
    command.envs(git.get_envs().map(|(name, value)| (name, value.unwrap())));
    let ran: Ran = command.output().unwrap().into();
    assert_ne!(ran.code, 124, "{line} hung");
    ran
}

/// All these refuse the question store in these words, and show nothing of the secret.
#[track_caller]
fn refuse(world: &World, lines: &[&str], words: &str) {
    for line in lines {
        let ran = sq(world, line);
        let text = ran.transcript();
        assert!(!text.contains("hunter2"), "{line} {text}");
        assert_eq!(ran.code, 128, "{line} {text}");
        assert!(ran.stderr.contains(words), "{line} {text}");
    }
}

#[track_caller]
fn refused(world: &World, words: &str) {
    let lines = ["brief", "check", "record --same q1=one", "question lint", "init"];
    refuse(world, &lines, words);
}

fn fifo(world: &World, path: &str) {
    let path = world.dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let made = world.command("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn no_link_leads_to_a_question_store() {
    let world = with_commit();
    let secret = world.root().join("credentials");
    fs::write(&secret, SECRET).unwrap();
    let path = world.dir.join("standing_questions.json");
    for target in [secret.to_str().unwrap(), "/proc/self/environ", "/dev/zero"] {
        symlink(target, &path).unwrap();
        refuse(&world, &["brief", "check", "init"], "standing_questions.json is a symbolic link");
        fs::remove_file(&path).unwrap();
    }
    world.write("evil/standing_questions.json", SECRET);
    symlink("evil", world.dir.join("context")).unwrap();
    refused(&world, "context is a symbolic link");
    // The same where a commit has it.
    let place = format!("context is a symbolic link in {}", world.commit("evil"));
    refuse(&world, &["brief", "check", "record --same q1=one"], &place);
}

#[test]
fn a_submodule_holds_no_question_store() {
    let world = with_commit();
    let head = world.head();
    world.git_ok(&format!("update-index --add --cacheinfo 160000,{head},context"));
    world.git_ok("commit --quiet -m submodule");
    refuse(&world, &["brief"], "context is a submodule in");
}

/// Its commit is not in the repository around it, as with every honest submodule.
#[test]
fn a_submodule_where_the_store_would_be_is_named_and_another_path_helps() {
    let world = with_commit();
    let theirs = "1".repeat(40);
    world.git_ok(&format!("update-index --add --cacheinfo 160000,{theirs},context"));
    world.git_ok("commit --quiet -m submodule");
    let lines = ["brief", "check", "record --same q1=one", "init", "question test q1"];
    refuse(&world, &lines, "context is a submodule in");
    let add = world.person("question add q1 Why?", "");
    insta::assert_snapshot!(add.transcript().replace(&world.head(), "HEAD"), @"
    --- stderr
    fatal: could not read the question store: context is a submodule in HEAD, which git sq does not follow
    hint: it has to be a regular file of at most 1 MiB in the worktree; `git config sq.questions` sets its path
    --- exit 128
    ");
    let doctor = sq(&world, "doctor").stdout;
    assert_has!(doctor, "`git config sq.questions` sets its path");
    world.git_ok("config sq.questions asked/questions.json");
    sq(&world, "init").ok();
    world.git_ok("add asked");
    world.git_ok("commit --quiet -m ask");
    sq(&world, "brief").ok();
}

#[test]
fn a_question_store_is_a_file_of_some_size_in_the_worktree() {
    let world = with_commit();
    fs::write(world.root().join("elsewhere.json"), SECRET).unwrap();
    for path in ["../elsewhere.json", ".git/config", "/etc/passwd"] {
        world.git_ok(&format!("config sq.questions {path}"));
        refuse(&world, &["brief"], "is not below the folder");
    }
    world.git_ok("config --unset sq.questions");
    fifo(&world, "standing_questions.json");
    refused(&world, "standing_questions.json is not a regular file");
    fs::remove_file(world.dir.join("standing_questions.json")).unwrap();
    let large = store(&["q1"]) + &" ".repeat(1 << 20);
    world.write("standing_questions.json", &large);
    refused(&world, "standing_questions.json has more than 1048576 bytes");
    world.commit("large");
    refuse(&world, &["brief", "check"], "more than 1048576 bytes");
}

#[test]
fn only_tracked_text_is_quoted() {
    let world = with_commit();
    world.write("standing_questions.json", format!("{{ \"{SECRET}\": 1 "));
    refused(&world, "invalid question store");
    world.git_ok("add standing_questions.json");
    assert_has!(world.try_sq("question lint").stderr, "hunter2");
    let world = World::asked();
    world.write("standing_questions.closed.jsonl", format!("{{ \"{SECRET}\": 1 }}\n"));
    refuse(&world, &["question lint"], "invalid file");
    world.git_ok("add standing_questions.closed.jsonl");
    assert_has!(world.try_sq("question lint").stderr, "hunter2");
}

#[test]
fn a_pipe_among_our_own_files_holds_nothing_up() {
    for paths in [
        &[
            ".git/sq/state.json",
            ".git/sq/planted.json",
            ".git/sq/cache/index",
            ".git/sq/cache/snapshot",
            ".git/sq/publish/01ARZ3NDEKTSV4RRFFQ69G5FAV",
            ".git/hooks/pre-push",
            ".husky/pre-push",
            "lefthook.yml",
        ][..],
        &[".git/sq/lock", ".git/sq/state.lock", ".git/sq/publish.lock"],
    ] {
        let world = World::asked();
        for path in paths {
            fifo(&world, path);
        }
        for line in [
            "record --sid s01 --same q1=one",
            "check",
            "brief",
            "init",
            "doctor",
            "sync",
            "hook publish",
            "agent install claude --yes",
            "agent remove --yes",
            "init --undo",
        ] {
            sq(&world, line);
        }
    }
}
