//! What others put into the log, or take out of it, neither stops anybody nor passes unseen.

use std::path::PathBuf;

use git_sq::entry::sha256_hex;
use git_sq_test_support::{Team, World, event_line};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[track_caller]
fn unknown(report: &Value) -> &str {
    let unknown = report["unknown"].as_array().unwrap();
    assert_eq!(unknown.len(), 1, "{report}");
    unknown[0].as_str().unwrap()
}

/// What a message asks to close.
fn digest(unknown: &str) -> String {
    let (_, digest) = unknown.split_once("--accept ").unwrap();
    digest.trim_end_matches('`').to_owned()
}

fn accept(world: &World, digests: &[String]) {
    let lines = digests.iter().map(|digest| {
        let closes = json!({"kind": "unknown", "id": digest});
        json!({"closes": closes, "by": "Ada", "date": "2026-01-01"}).to_string() + "\n"
    });
    world.write("standing_questions.closed.jsonl", lines.collect::<String>());
    world.git_ok("add --all");
    world.git_ok("commit --quiet -m 'Accept lines'");
}

/// Two sessions, the second on HEAD.
fn two_sessions() -> World {
    let world = World::answered("s1");
    world.commit("Go on");
    world.record("s2").ok();
    world
}

#[test]
fn stray_text_blocks_no_clone() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let bob = team.join("bob");
    team.git_ok_in(&bob, "config user.name Bob");
    team.git_ok_in(&bob, "pull --quiet");
    team.sq_ok_in(&bob, "sync");
    team.git_ok_in(&bob, "notes --ref=sq append -m reviewed-by-Bob");
    assert_eq!(team.world.verdict_in(&bob, ""), "0 foreign-text");
    team.sq_ok_in(&bob, "sync");
    team.sq_ok("sync");
    team.work(&team.clone, "s2");
    assert_eq!(team.world.verdict_in(&team.clone, ""), "0 foreign-text");
    for command in ["brief", "log", "state show", "tension list"] {
        team.sq_ok(command);
    }
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let on_remote = team.lines_on_remote();
    assert!(on_remote.contains("reviewed-by-Bob"), "{on_remote:?}");
    assert_eq!(on_remote.len(), 3, "{on_remote:?}");
}

#[test]
fn stray_text_is_one_warning_that_says_where() {
    let world = two_sessions();
    let notes = ["notes", "--ref=sq", "append", "-m", "reviewed\n\ntwice"];
    world.git(&notes).ok();
    world.git_ok("notes --ref=sq append -m [] HEAD~1");
    let check = world.sq_ok("check");
    let (from, to) = (check.find("warning:").unwrap(), check.find("clean").unwrap());
    let head = &world.head()[..10];
    let said = check[from..to].replace(head, "[head]");
    let before = &world.git_ok("rev-parse HEAD~1")[..10];
    let said = said.replace(before, "[before]");
    // The order is that of the ids.
    let said = said.replace("[before] and [head]", "[head] and [before]");
    assert_snapshot!(said, @"
    warning: 3 lines of the log are text and no entries: on [head] and [before]
      it is ignored, and stays in the log; `git log refs/notes/sq` shows who wrote it; for notes of your own, leave out `--ref=sq` [foreign-text]
    ");
}

#[test]
fn a_person_accepts_exactly_one_line_that_can_t_be_read() {
    let world = two_sessions();
    world.git_ok("notes --ref=sq append -m '{broken' HEAD~1");
    let (report, code) = world.check(&[]);
    assert_eq!(code, 3, "{report}");
    let said = unknown(&report).replace(&world.git_ok("rev-parse HEAD~1")[..10], "[commit]");
    assert_snapshot!(said, @"a line on [commit] can't be read: key must be a string at line 1 column 2; a person closes it with `git sq check --accept be302461cda285db3ed2d45fb767b23e`");
    if cfg!(windows) {
        accept(&world, &[digest(&said)]);
    } else {
        world.person_ok(&format!("check --accept {}", digest(&said)));
        world.commit("Accept it");
    }
    assert_eq!(world.check(&[]).1, 0);
    assert_eq!(world.check(&["--no-cache"]).1, 0);
    world.sq_ok("question lint");
    // Another one is another matter.
    world.git_ok("notes --ref=sq append -m '{broken too' HEAD");
    let (report, code) = world.check(&[]);
    assert_eq!(code, 3, "{report}");
    let other = digest(unknown(&report));
    assert_ne!(other, digest(&said));
    accept(&world, &[digest(&said), other]);
    assert_eq!(world.check(&[]).1, 0);
}

#[test]
fn lines_about_states_are_accepted_like_others() {
    let world = two_sessions();
    let head = world.head();
    world.plant_lines(&[
        event_line(&head, "state", "1", &json!({"status": 5})),
        event_line(&head, "tension.open", "2", &json!({})),
        event_line(&head, "rederive", "3", &json!({"v": 9, "results": 1})),
    ]);
    let (report, code) = world.check(&[]);
    assert_eq!(code, 3, "{report}");
    assert!(unknown(&report).starts_with("3 lines on "), "{report}");
    let together = digest(unknown(&report));
    assert_eq!(world.try_sq("state show").code, 3);
    accept(&world, &[together]);
    world.record("s9").ok();
    assert_eq!(world.check(&[]).1, 0);
    for command in ["state show", "tension list", "log"] {
        world.try_sq(command).ok();
    }
}

#[test]
fn a_line_that_can_be_read_counts_whatever_is_accepted() {
    let world = two_sessions();
    let digests =
        world.lines().into_iter().map(|line| sha256_hex(line.as_bytes())[..32].to_owned());
    accept(&world, &digests.collect::<Vec<_>>());
    let (report, code) = world.check(&[]);
    assert_eq!((code, &report["sessions"]), (0, &json!(2)), "{report}");
}

/// What only this clone had is kept: see kept.rs.
#[test]
fn a_note_that_was_removed_after_sharing_is_put_back_by_sync() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.publish("s2");
    team.sq_ok("sync");
    let all = team.lines(&team.clone);
    team.git_ok("notes --ref=sq remove HEAD");
    team.git_ok("update-ref -d refs/sq/kept");
    // Whoever goes on from there can't hide it.
    team.work(&team.clone, "s3");
    assert_eq!(team.world.verdict_in(&team.clone, ""), "1 lines-removed");
    let head = team.git_ok("rev-parse HEAD~1");
    let message = team.world.check_in(&team.clone).0["findings"][0]["message"].to_string();
    assert_snapshot!(message.replace(&head[..10], "[head]"), @r#""1 line is missing from the log: it was on [head]""#);
    team.sq_ok("sync");
    assert_eq!(team.world.check_in(&team.clone).1, 0);
    assert!(team.lines(&team.clone).is_superset(&all));
}

#[test]
fn a_note_that_a_colleague_removed_and_pushed_is_put_back() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.work(&team.clone, "s2");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    let all = team.lines(&team.clone);
    let bob = team.join("bob");
    team.sq_ok_in(&bob, "sync");
    // On the tip that the remote has, so that it is a fast-forward, and in his own log.
    team.git_ok_in(&bob, "fetch --quiet");
    let refs = "refs/notes/remotes/origin/sq";
    team.git_ok_in(&bob, &format!("update-ref refs/notes/sq {refs}"));
    team.git_ok_in(&bob, "notes --ref=sq remove HEAD");
    team.git_ok_in(&bob, "update-ref -d refs/sq/kept");
    team.git_ok_in(&bob, "push --quiet --no-verify origin refs/notes/sq");
    team.git_ok_in(&bob, "fetch --quiet");
    assert_eq!(team.lines_on_remote().len(), 1);
    assert_eq!(team.world.verdict_in(&bob, ""), "1 lines-removed");
    // A clone that has it all misses nothing, and gives it back.
    team.git_ok("fetch --quiet");
    assert_eq!(team.world.check_in(&team.clone).1, 0);
    team.sq_ok_in(&bob, "sync");
    assert_eq!(team.world.check_in(&bob).1, 0);
    assert_eq!(team.lines(&bob), all);
    assert_eq!(team.lines_on_remote(), all);
}

/// A team, and a clone of it that only fetches.
fn read_by_fetches() -> (Team, PathBuf) {
    let team = Team::new();
    let reader = team.join("reader");
    for sid in ["s1", "s2"] {
        team.work(&team.clone, sid);
        team.git_ok("push --quiet");
        team.sq_ok("sync");
    }
    team.git_ok_in(&reader, "pull --quiet");
    assert_eq!(team.world.verdict_in(&reader, ""), "0");
    (team, reader)
}

/// Whoever forced it: the reflog of the clone that did says "update by push". The reader has them in its reflog alone.
#[test]
fn what_a_fetch_brought_and_a_forced_push_took_is_missing_until_doctor_puts_it_back() {
    for is_own in [false, true] {
        let (team, reader) = read_by_fetches();
        let all = team.lines_on_remote();
        let by = if is_own { &reader } else { &team.clone };
        let tracking = "refs/notes/remotes/origin/sq";
        team.git_ok_in(by, "fetch --quiet");
        let push = "push --quiet --no-verify --force origin";
        team.git_ok_in(by, &format!("{push} {tracking}~1:refs/notes/sq"));
        assert!(team.lines_on_remote().len() < all.len());
        team.git_ok_in(&reader, "fetch --quiet");
        // It may be that of another place: a person decides.
        for _ in 0..2 {
            assert_eq!(team.world.verdict_in(&reader, ""), "1 lines-removed", "{is_own}");
            let said = team.sq_ok_in(&reader, "sync");
            let missing = "warning: 1 entry is missing from the log: `git sq doctor --fix` puts back what this clone knows of";
            assert_eq!(said, format!("origin: up to date\n{missing}\n"), "{is_own}");
            assert!(team.lines_on_remote().len() < all.len());
        }
        let said = team.try_sq_in(&reader, "check").stdout;
        assert_has!(said, "after a forced push, `git log -g refs/notes/remotes/REMOTE/sq`");
        let said = team.try_sq_in(&reader, "doctor").stdout;
        assert_has!(said, "1 line is no longer in the log, though a remote had it\n");
        team.try_sq_in(&reader, "doctor --fix");
        assert_eq!(team.sq_ok_in(&reader, "sync"), "origin: 1 entry published\n");
        assert_eq!(team.world.verdict_in(&reader, ""), "0");
        assert_eq!(team.lines_on_remote(), all);
    }
}

/// A fork's log, fetched once by mistake: one that goes on from the team's, and one of its own, which nobody misses.
#[test]
fn sync_publishes_nothing_that_only_a_fork_s_log_has() {
    for (options, write) in [("--mirror", "append"), ("--bare", "add")] {
        let (team, reader) = read_by_fetches();
        let all = team.lines_on_remote();
        let fork = team.cloned(options, "fork.git");
        team.git_ok_in(&fork, &format!("notes --ref=sq {write} -m {{}} HEAD"));
        for url in ["../fork.git", "../remote.git"] {
            team.git_ok_in(&reader, &format!("remote set-url origin {url}"));
            team.git_ok_in(&reader, "fetch --quiet");
            if options == "--bare" {
                let said = team.try_sq_in(&reader, "check").stdout;
                assert!(!said.contains("[lines-removed]"), "{url}: {said}");
            }
        }
        team.sq_ok_in(&reader, "sync");
        assert_eq!(team.lines_on_remote(), all, "{options}");
    }
}

#[test]
fn what_a_commit_of_the_log_took_out_fails_the_gate_of_a_fresh_clone_and_doctor_puts_it_back() {
    let (team, reader) = read_by_fetches();
    let all = team.lines_on_remote();
    team.git_ok_in(&reader, "update-ref refs/notes/sq refs/notes/remotes/origin/sq");
    team.git_ok_in(&reader, "notes --ref=sq remove HEAD");
    team.git_ok_in(&reader, "push --quiet --no-verify origin refs/notes/sq");
    let fresh = team.cloned("", "fresh");
    assert_has!(team.try_sq_in(&fresh, "ci").exits(1).stdout, "[lines-removed]");
    let other = team.join("other");
    team.git_ok_in(&other, "pull --quiet");
    assert_eq!(team.try_sq_in(&other, "doctor --fix").code, 0);
    team.sq_ok_in(&other, "sync");
    assert_eq!(team.lines_on_remote(), all);
    assert_eq!(team.try_sq_in(&fresh, "ci").code, 0);
}

#[test]
fn a_log_that_is_written_anew_with_fewer_lines_hides_none() {
    let world = two_sessions();
    let said = world.git_ok("log -1 --format=%B refs/notes/sq");
    let before = world.git_ok("rev-parse HEAD~1");
    let note = world.git_ok(&format!("notes --ref=sq list {}", before.trim()));
    let tree = world.tree(&[format!("100644 blob {}\t{}", note.trim(), before.trim())]);
    let commit = world.git(&["commit-tree", "-m", said.trim(), &tree]).ok();
    world.git_ok(&format!("update-ref refs/notes/sq {}", commit.trim()));
    assert_eq!(world.check(&[]).0["sessions"], 2);
    world.try_sq("doctor --fix");
    assert_eq!(world.lines().len(), 2);
}
