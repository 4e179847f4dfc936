//! `git sq init` where the clone is odd: hostile names, links, several at once, records that are broken.

use std::fs;

use git_sq_test_support::World;

const STORE: &str = "context/standing_questions.json";

fn with_commit() -> World {
    let world = World::new();
    world.commit("one");
    world
}

/// A world with one remote of that name, which is there and has no log.
fn with_remote(name: &str) -> World {
    let world = with_commit();
    world
        .git(&["clone", "--quiet", "--bare", ".", "../up.git"])
        .ok();
    let url = format!("remote.{name}.url");
    world.git(&["config", &url, "../up.git"]).ok();
    let fetch = format!("remote.{name}.fetch");
    let refspec = "+refs/heads/*:refs/remotes/up/*";
    world.git(&["config", &fetch, refspec]).ok();
    world
}

fn config(world: &World) -> String {
    fs::read_to_string(world.dir.join(".git/config")).unwrap()
}

#[test]
fn a_remote_is_never_an_option() {
    let world = with_remote("--upload-pack=touch${IFS}../run;git-upload-pack");
    let before = config(&world);
    let said = world.sq(&["init", "--no-display", "--no-hooks"]).ok();
    assert!(!world.root().join("run").exists(), "{said}");
    assert!(said.contains("can't share the log"), "{said}");
    assert_eq!(config(&world), before);
}

#[test]
fn a_promisor_is_never_an_option() {
    let world = with_commit();
    let id = world.blob(b"gone");
    world
        .git(&["config", "core.repositoryFormatVersion", "1"])
        .ok();
    let name = "--upload-pack=touch${IFS}../run;git-upload-pack";
    world.git(&["config", "extensions.partialClone", name]).ok();
    world.git(&["remote", "add", "origin", "../up.git"]).ok();
    for (key, value) in [("promisor", "true"), ("url", "../up.git")] {
        world
            .git(&["config", &format!("remote.{name}.{key}"), value])
            .ok();
    }
    world
        .git(&["clone", "--quiet", "--bare", ".", "../up.git"])
        .ok();
    let tree = world.tree(&[format!("100644 blob {id}\tstanding_questions.json")]);
    let commit = world.git(&["commit-tree", "-m", "ask", &tree]).ok();
    world
        .git(&["update-ref", "refs/heads/main", commit.trim()])
        .ok();
    world.lose(&id);
    let ran = world.sq(&["check"]);
    assert!(!world.root().join("run").exists(), "{}", ran.transcript());
}

#[test]
fn a_name_that_no_ref_can_have_is_named_and_skipped() {
    let world = with_remote("my remote");
    world.ask(&["q1"]);
    let before = config(&world);
    let said = world.sq(&["init", "--no-display", "--no-hooks"]).ok();
    assert!(said.contains("my remote can't share the log"), "{said}");
    assert_eq!(config(&world), before);
    world.git(&["fetch", "--quiet", "--all"]).ok();
    world.git(&["config", "remote.my remote.sq", "true"]).ok();
    world.sq(&["init"]).ok();
    world.record("s").ok();
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn names_are_harmless_to_terminals_and_shells() {
    let world = with_remote("origin");
    let names = ["a$(touch${IFS}x);b", "red\u{9b}31m"];
    for name in names {
        let url = format!("remote.{name}.url");
        world.git(&["config", &url, "../up.git"]).ok();
    }
    let said = world.sq(&["init", "--dry-run"]).ok();
    assert!(
        said.contains("`git config 'remote.a$(touch${IFS}x);b.sq' true`"),
        "{said}"
    );
    assert!(said.contains("red\\u009b31m does not share"), "{said}");
    for name in names {
        world
            .git(&["config", &format!("remote.{name}.sq"), "true"])
            .ok();
    }
    let path = "it's\u{9b}.json";
    world.git(&["config", "sq.questions", path]).ok();
    let said = world.sq(&["init"]).ok();
    assert!(!said.contains('\u{9b}'), "{said}");
    assert!(said.contains("git add 'it'\\''s\\u009b.json'"), "{said}");
    assert!(
        said.contains("`git fetch 'a$(touch${IFS}x);b' '+refs"),
        "{said}"
    );
    let said = world.sq(&["init", "--undo"]).ok();
    assert!(!said.contains('\u{9b}'), "{said}");
}

#[test]
fn nothing_is_planted_outside_the_worktree() {
    for path in [
        "../outside.json",
        "/outside.json",
        "a/../../outside.json",
        ".git/outside.json",
        "",
    ] {
        let world = with_commit();
        world.git(&["config", "sq.questions", path]).ok();
        for args in [&["init", "--dry-run"][..], &["init"]] {
            let ran = world.sq(args);
            assert_eq!(ran.code, 128, "{path:?} {}", ran.transcript());
            assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        }
        assert!(!world.root().join("outside.json").exists());
        assert_eq!(world.git(&["config", "notes.displayRef"]).code, 1);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_planted_through_a_link() {
    use std::os::unix::fs::symlink;
    let world = with_commit();
    let elsewhere = world.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, world.dir.join("context")).unwrap();
    let ran = world.sq(&["init"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert!(ran.stderr.contains("context is a link"), "{}", ran.stderr);
    fs::remove_file(world.dir.join("context")).unwrap();
    fs::create_dir(world.dir.join("context")).unwrap();
    symlink(elsewhere.join("new"), world.dir.join(STORE)).unwrap();
    assert_eq!(world.sq(&["init"]).code, 128);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(world.git(&["config", "notes.displayRef"]).code, 1);
}

#[test]
fn a_comment_at_the_end_of_the_config_stays_one() {
    for end in ["[notes]\n\t# mine", "[alias]\n\tlg = log ; mine", "# mine"] {
        let world = with_commit();
        let before = config(&world) + end;
        fs::write(world.dir.join(".git/config"), &before).unwrap();
        world.sq(&["init"]).ok();
        assert_eq!(
            world.git(&["config", "notes.displayRef"]).ok(),
            "refs/notes/sq*\n",
            "{}",
            config(&world)
        );
        world.sq(&["init", "--undo"]).ok();
        // Git keeps the heading of an empty section that follows a comment.
        let after = config(&world);
        assert_eq!(after.trim_end_matches("[notes]\n"), before + "\n");
    }
}

#[test]
fn many_at_once_do_it_once() {
    let world = with_remote("origin");
    let before = config(&world);
    let mut running: Vec<_> = (0..8)
        .map(|_| {
            let mut command = world.sq_command(&["init"]);
            command.stdout(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for child in &mut running {
        assert!(child.wait().unwrap().success());
    }
    for key in ["notes.displayRef", "remote.origin.sq"] {
        let all = world.git(&["config", "--get-all", key]).ok();
        assert_eq!(all.lines().count(), 1, "{key}: {all}");
    }
    world.sq(&["init", "--undo"]).ok();
    assert_eq!(config(&world), before);
    assert!(!world.dir.join("context").exists());
}

#[test]
fn undo_refuses_a_record_that_it_cannot_read() {
    for broken in ["", "{\"config\":", "[]"] {
        let world = with_commit();
        world.sq(&["init"]).ok();
        let record = world.dir.join(".git/sq/init.json");
        fs::write(&record, broken).unwrap();
        for args in [&["init", "--undo"][..], &["init"]] {
            let ran = world.sq(args);
            assert_eq!(ran.code, 128, "{}", ran.transcript());
            assert!(ran.stderr.contains("init.json"), "{}", ran.stderr);
            assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        }
        assert!(world.dir.join(STORE).exists());
        assert_eq!(fs::read_to_string(&record).unwrap(), broken);
    }
}

#[test]
fn what_stopped_midway_can_be_undone() {
    let world = with_commit();
    let before = config(&world);
    let lock = world.dir.join(".git/config.lock");
    fs::write(&lock, "").unwrap();
    assert_eq!(world.sq(&["init"]).code, 128);
    assert!(world.dir.join(STORE).exists());
    fs::remove_file(&lock).unwrap();
    world.sq(&["init", "--undo"]).ok();
    assert!(!world.dir.join("context").exists());
    assert_eq!(config(&world), before);
}

#[test]
fn what_a_person_took_out_meanwhile_does_not_stop_undo() {
    let world = with_commit();
    let before = config(&world);
    world.sq(&["init"]).ok();
    world.git(&["config", "--unset", "notes.displayRef"]).ok();
    world.sq(&["init"]).ok();
    world.sq(&["init", "--undo"]).ok();
    assert_eq!(config(&world), before);
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn undo_reaches_the_store_in_another_worktree() {
    let world = with_commit();
    world.git(&["worktree", "add", "--quiet", "../second"]).ok();
    let second = world.root().join("second");
    world.sq(&["init"]).ok();
    world.sq_in(&second, &["init", "--set", "web"]).ok();
    let said = world.sq_in(&second, &["init", "--undo"]).ok();
    assert!(!world.dir.join("context").exists(), "{said}");
    assert!(!second.join("context").exists(), "{said}");

    // What git tracks by now stays, wherever it is.
    world.sq(&["init"]).ok();
    world.git(&["add", STORE]).ok();
    let said = world.sq_in(&second, &["init", "--undo"]).ok();
    assert!(world.dir.join(STORE).exists(), "{said}");
    assert!(said.contains("is tracked"), "{said}");
}

#[test]
fn undo_removes_a_folder_only_where_init_made_it() {
    let world = with_commit();
    fs::create_dir(world.dir.join("context")).unwrap();
    world.sq(&["init"]).ok();
    world.sq(&["init", "--undo"]).ok();
    assert!(!world.dir.join(STORE).exists());
    assert!(world.dir.join("context").exists());

    world.git(&["config", "sq.questions", "a/b/c.json"]).ok();
    world.sq(&["init"]).ok();
    assert!(world.dir.join("a/b/c.json").exists());
    world.sq(&["init", "--undo"]).ok();
    assert!(!world.dir.join("a").exists());
}

#[test]
fn an_undo_that_fails_says_what_to_run_again() {
    let world = with_commit();
    world.sq(&["init"]).ok();
    let lock = world.dir.join(".git/config.lock");
    fs::write(&lock, "").unwrap();
    let ran = world.sq(&["init", "--undo"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert!(
        ran.stderr.contains("`git sq init --undo` again"),
        "{}",
        ran.stderr
    );
    fs::remove_file(&lock).unwrap();
    world.sq(&["init", "--undo"]).ok();
    assert!(!world.dir.join(".git/sq").exists());
}
