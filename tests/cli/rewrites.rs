//! Entries stay in the metrics when git itself rewrites commits and calls its post-rewrite hook.

use std::{path::Path, sync::OnceLock};

use git_sq_test_support::{Ran, Template, World, executable, path_with_program, store_v2};
use serde_json::{Value, json};

use super::second::clone_of;

/// A repository whose git calls the hook, with a store and one session on main.
pub fn hooked() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, make_hooked)
}

fn make_hooked() -> World {
    let path = path_with_program().into_string().unwrap();
    let world =
        World::new().env("PATH", path).env("GIT_SEQUENCE_EDITOR", ":").env("GIT_EDITOR", ":");
    executable(
        &world.dir.join(".git/hooks/post-rewrite"),
        "#!/bin/sh\nexec git-sq hook post-rewrite \"$@\" 2>>.git/hook-said\n",
    );
    world.ask(&["q1"]);
    world.record("s00").ok();
    world
}

/// What the metrics say, but for the names of commits.
fn figures(world: &World) -> Value {
    let (mut report, code) = world.check(&[]);
    for question in report["staleness"].as_array_mut().unwrap() {
        question["last_commit"].take();
    }
    let kept = ["sessions", "latest_sid", "staleness", "unknown"].map(|key| report[key].clone());
    json!([kept, code])
}

fn hook_said(world: &World) -> String {
    std::fs::read_to_string(world.dir.join(".git/hook-said")).unwrap_or_default()
}

/// Commits a file with an entry on top.
pub fn session(world: &World, sid: &str) -> String {
    world.write(&format!("{sid}.txt"), format!("{sid}\n"));
    let commit = world.commit(&format!("Session {sid}"));
    world.record(sid).ok();
    commit
}

/// A topic of three sessions, and a main that moved on elsewhere.
fn topic() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = hooked();
        world.git_ok("switch --quiet -c topic");
        for sid in ["s01", "s02", "s03"] {
            session(&world, sid);
        }
        world.git_ok("switch --quiet main");
        world.change("other.txt", "other\n");
        world.git_ok("switch --quiet topic");
        world
    })
}

#[track_caller]
fn keeps_the_figures(world: &World, rewrite: &[&str]) {
    let before = figures(world);
    let head = world.head();
    world.git(rewrite).ok();
    assert_ne!(world.head(), head);
    assert_eq!(figures(world), before, "{rewrite:?}");
    assert_eq!(hook_said(world), "");
}

#[test]
fn amend() {
    let world = hooked();
    session(&world, "s01");
    let before = world.lines();
    keeps_the_figures(&world, &["commit", "--quiet", "--amend", "-m", "Better"]);
    // The original stays, and the copy is the same line.
    let mut after = world.lines();
    after.dedup();
    assert_eq!(after, before);
}

#[test]
fn both_backends_of_rebase() {
    for backend in ["--merge", "--apply"] {
        let world = topic();
        keeps_the_figures(&world, &["rebase", "--quiet", backend, "main"]);
    }
}

#[test]
fn interactive_squash_and_fixup() {
    for word in ["squash", "fixup"] {
        let world = topic();
        world.write("s02.txt", "mended\n");
        world.commit(&format!("{word}! Session s02"));
        world.record("s04").ok();
        keeps_the_figures(&world, &["rebase", "--quiet", "-i", "--autosquash", "main"]);
        // Two olds went to one new.
        let count = world.git_ok("rev-list --count main..topic");
        assert_eq!(count.trim(), "3");
        let note = String::from_utf8(world.note("topic~1")).unwrap();
        assert!(note.contains("\"s02\"") && note.contains("\"s04\""), "{note}");
    }
}

#[test]
fn lines_that_only_a_remote_s_ref_has_are_copied() {
    let world = hooked();
    let head = session(&world, "s01");
    world.git_ok("remote add origin ../origin");
    world.git_ok("config remote.origin.sq true");
    let log = world.git_ok("rev-parse refs/notes/sq");
    let fetched = "refs/notes/remotes/origin/sq";
    world.git(&["update-ref", fetched, log.trim()]).ok();
    world.git_ok("update-ref -d refs/notes/sq");
    keeps_the_figures(&world, &["commit", "--quiet", "--amend", "-m", "Better"]);
    assert_eq!(world.note("HEAD"), world.note(&head));
}

/// What git gives the hook.
fn hook(world: &World, input: &str) -> Ran {
    world.sq_with_input(&["hook", "post-rewrite", "rebase"], input)
}

#[test]
fn foreign_lines_are_copied_as_they_are() {
    let world = hooked();
    let old = world.head();
    let text = b"not json \xff\x1b[2J\n{\"kind\":\"later\"}\n\n";
    world.plant(&[(&old, text)]);
    let new = world.commit("New");
    let ran = hook(&world, &format!("{old} {new} extra\n"));
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(world.note(&new), text[..text.len() - 1]);
}

#[test]
fn where_there_is_nothing_to_copy_nothing_is_written() {
    let world = hooked();
    let old = world.commit("Without an entry");
    let new = world.commit("New");
    let before = world.git_ok("rev-parse refs/notes/sq");
    let ran = hook(&world, &format!("{old} {new}\n"));
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(world.git_ok("rev-parse refs/notes/sq"), before);
    // A repository without any log, and git out of reach.
    let world = World::new();
    let head = world.commit("One");
    let world = world.env("PATH", "");
    let ran = hook(&world, &format!("{head} {head}\n"));
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn an_error_is_one_line_and_does_not_stop_git() {
    #[track_caller]
    fn says(ran: &Ran, why: &str) {
        let line = format!(
            "--- stderr\ngit sq: not all entries of rewritten commits were copied: {why}; `git sq carry` finds them later\n--- exit 0\n"
        );
        assert_eq!(ran.transcript(), line);
    }
    let nowhere = World::without_repo();
    let why = "not a git repository (or any of the parent directories): .git";
    says(&hook(&nowhere, ""), why);
    let world = hooked();
    let old = world.head();
    let new = world.commit("New");
    let pair = format!("{old} {new}\n");
    // What can be read is copied all the same.
    let garbage = hook(&world, &format!("\u{1b}[2J \u{202e}\n{pair}short\n"));
    let why = "lines on standard input that do not name two commits: 2";
    says(&garbage, why);
    assert_eq!(world.note(&new), world.note(&old));
    let newer = world.commit("Newer");
    let pair = format!("{new} {newer}\n");
    world.git_ok(&format!("checkout --quiet {new}"));
    world.record("s01").ok();
    let blob = world.git_ok(&format!("notes --ref=sq list {new}"));
    world.lose(blob.trim());
    let readable = world.commit("Newest");
    let pairs = format!("{pair}{old} {readable}\n");
    let why = format!("the blob {} is missing", blob.trim());
    says(&hook(&world, &pairs), &why);
    assert_eq!(world.note(&readable), world.note(&old));
}

fn asking() -> World {
    let world = World::new();
    world.write("src/a.rs", "1\n2\n");
    world.ask_json(
        r#"{"id": "q1", "q": "How many?", "importance": 2, "watch": ["src/"], "shape": "number"}"#,
    );
    say(&world, &world.dir, "s1", &["q1=2", "--cite", "q1=src/a.rs:2"]);
    world
}

fn say(world: &World, dir: &Path, sid: &str, words: &[&str]) {
    world.pass(600);
    world.sq_in(dir, &[&["record", "--sid", sid], words].concat()).ok();
}

/// Bob's answer came onto a commit whose files he had not seen.
#[test]
fn a_carried_answer_is_older_than_what_its_author_did_not_know() {
    for is_first in [true, false] {
        let world = asking();
        let bob = clone_of(&world, "bob");
        world.git_ok_in(&bob, "switch --quiet -c work");
        std::fs::write(bob.join("other"), "other\n").unwrap();
        world.git_ok_in(&bob, "add other");
        world.git_ok_in(&bob, "commit --quiet -m other");
        world.sq_ok_in(&bob, "init");
        let answer =
            || say(&world, &bob, "b1", &["q1=2", "--same", "q1", "--cite", "q1=src/a.rs:2"]);
        if is_first {
            answer();
        }
        world.change("src/a.rs", "1\n2\n3\n");
        say(&world, &world.dir, "s2", &["q1=3", "--cite", "q1=src/a.rs:3"]);
        if !is_first {
            answer();
        }
        world.sq_ok_in(&bob, "sync");
        world.git_ok_in(&bob, "pull --quiet --rebase origin main");
        assert_has!(world.sq_ok_in(&bob, "carry"), "Carried 1 entry");
        let (check, code) = world.check_in(&bob);
        let question = &check["questions"][0];
        assert_eq!((code, &question["standing"]), (0, &json!("fresh")), "{check}");
        assert_eq!(question["entry"], world.entry_of("s2"), "{check}");
        // Nobody who answers what is there corrects him.
        say(&world, &bob, "b2", &["q1=3", "--cite", "q1=src/a.rs:3"]);
        assert_eq!(world.check_in(&bob).0["looks"]["open"], 0);
    }
}

/// What is carried to other files may have been right, and so is the next answer.
#[test]
fn an_answer_after_one_that_was_carried_to_other_files_may_differ() {
    let world = asking();
    world.git_ok("switch --quiet -c work");
    world.change("other", "other\n");
    say(&world, &world.dir, "s2", &["q1=2", "--same", "q1", "--cite", "q1=src/a.rs:2"]);
    world.git_ok("switch --quiet main");
    world.change("src/a.rs", "1\n2\n3\n");
    world.git_ok("rebase --quiet main work");
    assert_has!(world.sq_ok("carry"), "Carried 1 entry");
    world.change("another", "another\n");
    say(&world, &world.dir, "s3", &["q1=3", "--cite", "q1=src/a.rs:2", "--cite", "q1=src/a.rs:3"]);
    assert_eq!(world.check(&[]).0["looks"]["open"], 0);
}

/// What an answer was compared with may go when branches are merged.
#[test]
fn an_answer_on_a_rebased_branch_is_judged_alike_after_its_base_was_merged() {
    let world = asking();
    world.git_ok("switch --quiet -c one");
    world.change("src/a.rs", "1\n5\n");
    say(&world, &world.dir, "s2", &["q1=5", "--cite", "q1=src/a.rs:2"]);
    world.git_ok("switch --quiet -c two");
    world.change("src/b.rs", "\n");
    world.git_ok("switch --quiet main");
    world.change("other", "other\n");
    let one = world.git_ok("rev-parse one");
    world.git_ok("rebase --quiet main two");
    assert_has!(world.sq_ok(&format!("carry {one}")), "Carried 1 entry");
    say(&world, &world.dir, "s3", &["q1=5", "--same", "q1", "--cite", "q1=src/a.rs:2"]);
    world.git_ok("switch --quiet main");
    for branch in ["one", "two"] {
        world.git_ok(&format!("merge --quiet --no-edit {branch}"));
    }
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["open"], 0, "{check}");
    assert_eq!(check["questions"][0]["standing"], "fresh", "{check}");
}

/// Of two commits that became one, only the last has its files.
#[test]
fn who_squashes_commits_makes_no_answer_wrong() {
    let world = asking();
    let before = world.git_ok("rev-parse HEAD");
    world.change("src/a.rs", "1\n5\n");
    say(&world, &world.dir, "s2", &["q1=5", "--cite", "q1=src/a.rs:2"]);
    world.change("src/a.rs", "1\n5\n\n");
    say(&world, &world.dir, "s3", &["q1=5", "--same", "q1", "--cite", "q1=src/a.rs:2"]);
    world.git_ok(&format!("reset --quiet --soft {}", before.trim()));
    world.commit("both");
    assert_has!(world.try_sq("carry").transcript(), "Carried 1 entry");
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["open"], 0, "{check}");
    assert_eq!(check["questions"][0]["standing"], "fresh", "{check}");
}

/// What a store asked that no commit has is not known.
#[test]
fn who_is_not_known_to_have_been_asked_owes_nothing() {
    let asks = |ids: &[&str]| {
        let question =
            |id: &&str| format!(r#"{{"id":"{id}","q":"?","importance":2,"watch":["src/"]}}"#);
        store_v2(&ids.iter().map(question).collect::<Vec<_>>().join(","))
    };
    let six_sessions = |world: &World| {
        for number in 1..=6 {
            world.pass(600);
            world.sq_ok(&format!("record --sid s{number} --same q1=a"));
        }
    };
    // Before the store was committed.
    let world = World::new();
    world.change("src/a.rs", "1\n");
    world.write("standing_questions.json", asks(&["q1"]));
    six_sessions(&world);
    world.commit("ask");
    world.change("standing_questions.json", asks(&["q1", "new"]));
    assert_eq!(world.standing("new"), "never answered");
    assert_eq!(world.check(&[]).1, 0);
    // Before its commit was amended.
    let world = World::new();
    world.change("src/a.rs", "1\n");
    world.change("standing_questions.json", asks(&["q1"]));
    six_sessions(&world);
    let old = world.head();
    world.write("standing_questions.json", asks(&["q1", "new"]));
    world.git_ok("commit --quiet --all --amend -m 'ask more'");
    assert_has!(world.sq_ok(&format!("carry --onto HEAD {old}")), "Carried 6 entries");
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --quiet --prune=now");
    assert_eq!(world.standing("new"), "never answered");
    assert_eq!(world.check(&[]).1, 0);
}
