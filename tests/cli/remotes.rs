//! Logs of remotes: read where they are shared, folded in at the next write, and git's own commands as they were.

use std::{fs, path::PathBuf, sync::OnceLock};

use git_sq_test_support::{Template, World, refs, words};
use serde_json::Value;

/// A world whose repository is the remote of a clone; gives the clone's folder.
fn with_clone() -> (World, PathBuf) {
    static MADE: OnceLock<Template> = OnceLock::new();
    let world = World::copy_of(&MADE, || {
        let world = World::asked();
        world.git_ok("clone --quiet . ../clone");
        world
    });
    let clone = world.root().join("clone");
    (world, clone)
}

const TRACKING: &str = "refs/notes/remotes/origin/sq";

#[test]
fn what_was_fetched_is_read_at_once_and_folded_in_by_the_next_record() {
    let (world, clone) = with_clone();
    world.sq_ok_in(&clone, "init");
    world.git_ok_in(&clone, "config sq.pushTimeout 0");
    world.record("theirs").ok();
    world.git_ok_in(&clone, "fetch --quiet");
    let tip = |name: &str| {
        let ran = world.git_in(&clone, &["rev-parse", "--verify", "--quiet", name]);
        (ran.code == 0).then(|| ran.stdout.trim().to_owned())
    };
    assert!(tip(TRACKING).is_some());
    assert_eq!(tip("refs/notes/sq"), None);
    let (report, code) = world.check_in(&clone);
    assert_eq!((code, &report["sessions"]), (0, &Value::from(1)), "{report}");
    assert_eq!(tip("refs/notes/sq"), None, "reading writes nothing");

    world.record_in(&clone, "ours").ok();
    let shown = world.git_ok_in(&clone, "notes --ref=sq show HEAD");
    assert_eq!(shown.lines().count(), 2, "{shown}");

    // Both sides go on.
    world.record("theirs-too").ok();
    world.git_ok_in(&clone, "fetch --quiet");
    assert_eq!(world.check_in(&clone).0["sessions"], 3);
    world.record_in(&clone, "ours-too").ok();
    let shown = world.git_ok_in(&clone, "notes --ref=sq show HEAD");
    assert_eq!(shown.lines().count(), 4, "{shown}");
    let merges = "rev-list --count --min-parents=2 refs/notes/sq";
    assert_eq!(world.git_ok_in(&clone, merges), "0\n");
    world.sq_ok_in(&clone, "sync");
    assert_eq!(world.check(&[]).0["sessions"], 4);
    // As an auditor reads it, with plain git.
    world.git_ok_in(&clone, "fetch --quiet origin +refs/notes/sq:refs/notes/origin-sq");
    let shown = world.git_ok_in(&clone, "log --notes=origin-sq");
    assert_eq!(shown.matches("\"kind\":\"rederive\"").count(), 4, "{shown}");
}

#[test]
fn a_remote_that_was_told_not_to_share_the_log_is_left_alone() {
    let (world, clone) = with_clone();
    world.git_ok_in(&clone, "config remote.origin.sq false");
    world.sq_ok_in(&clone, "init");
    let all = world.git_ok_in(&clone, "config --get-all remote.origin.sq");
    assert_eq!(all, "false\n");
    let fetch = world.git_ok_in(&clone, "config --get-all remote.origin.fetch");
    assert!(!fetch.contains("notes"), "{fetch}");
    assert_eq!(world.sq_ok_in(&clone, "doctor"), "No problems found.\n");
    // An empty log is empty then, and nothing that could be asked for.
    assert_eq!(world.check_in(&clone).1, 1);
    world.git_ok_in(&clone, "config remote.origin.sq true");
    world.sq_ok_in(&clone, "init");
    world.record("theirs").ok();
    world.git_ok_in(&clone, "fetch --quiet");
    world.git_ok_in(&clone, "config remote.origin.sq false");
    let (report, _) = world.check_in(&clone);
    assert_eq!(report["sessions"], 0, "{report}");
    world.record_in(&clone, "ours").ok();
    let shown = world.git_ok_in(&clone, "notes --ref=sq show HEAD");
    assert_eq!(shown.lines().count(), 1, "{shown}");
    world.git_ok_in(&clone, "config remote.origin.sq true");
    assert_eq!(world.check_in(&clone).0["sessions"], 2);
}

#[test]
fn init_shares_with_the_upstream_alone() {
    let (world, clone) = with_clone();
    world.git_ok_in(&clone, "remote add fork ../repo");
    let said = world.sq_ok_in(&clone, "init");
    assert!(said.contains("fork does not share the log"), "{said}");
    let shared = world.git_ok_in(&clone, "config --get-regexp '^remote\\..*\\.sq$'");
    assert_eq!(shared.trim(), "remote.origin.sq true");
    world.record("theirs").ok();
    world.git_in(&clone, &["fetch", "--quiet", "--all"]).ok();
    let refs = world.git_ok_in(&clone, "for-each-ref --format=%(refname) refs/notes");
    assert_eq!(refs.trim(), TRACKING);
}

#[test]
fn the_remote_s_head_is_known_where_git_did_not_set_it() {
    let (world, clone) = with_clone();
    let head = "symbolic-ref --quiet refs/remotes/origin/HEAD";
    world.git_ok("branch --move main trunk");
    // As a repository that was pushed first has it, with git before 2.48.
    world.git_ok_in(&clone, "fetch --quiet --prune");
    world.git_ok_in(&clone, "symbolic-ref --delete refs/remotes/origin/HEAD");
    world.sq_ok_in(&clone, "init");
    assert_eq!(world.git_ok_in(&clone, head).trim(), "refs/remotes/origin/trunk");
    // What a person set stays.
    world.git_ok_in(&clone, "update-ref refs/remotes/origin/other HEAD");
    world.git_ok_in(&clone, "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/other");
    world.sq_ok_in(&clone, "sync");
    assert_eq!(world.git_ok_in(&clone, head).trim(), "refs/remotes/origin/other");
    world.git_ok_in(&clone, "symbolic-ref --delete refs/remotes/origin/HEAD");
    world.sq_ok_in(&clone, "sync");
    assert_eq!(world.git_ok_in(&clone, head).trim(), "refs/remotes/origin/trunk");
}

#[test]
fn a_remote_without_a_log_does_not_disturb_git() {
    let (world, clone) = with_clone();
    world.sq_ok_in(&clone, "init");
    world.git_ok_in(&clone, "config sq.pushTimeout 0");
    world.record_in(&clone, "ours").ok();
    for line in
        ["fetch --prune", "fetch --prune --all", "pull -q --prune", "remote update --prune", "log"]
    {
        let ran = world.git_in(&clone, &refs(&words(line)));
        let said = ran.transcript();
        assert!(ran.code == 0 && !said.contains("warning"), "{line} {said}");
    }
    // The log's own lines are still there, and plain push carries none of them.
    assert_eq!(world.check_in(&clone).0["sessions"], 1);
    world.git_ok_in(&clone, "commit --quiet --allow-empty -m x");
    world.git_ok_in(&clone, "push --quiet origin HEAD:refs/heads/new");
    assert_eq!(world.git_ok("for-each-ref refs/notes"), "");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_restores_the_config_byte_for_byte() {
    for more in [
        "[notes]\n\tmergeStrategy = union\n",
        "[notes]\n\tdisplayRef = refs/notes/commits\n",
        "# mine\n[alias] ; here\n\tlg = log --oneline # short\n",
        "[alias]\n\tlg = log",
        "[alias]\n\tlg = log ; mine",
        "[notes]\n\t# mine",
        "# mine",
    ] {
        let (world, clone) = with_clone();
        let path = clone.join(".git/config");
        let mut before = fs::read(&path).unwrap();
        before.extend_from_slice(more.as_bytes());
        fs::write(&path, &before).unwrap();
        let list = |world: &World| world.git_in(&clone, &["config", "--local", "--list"]).ok();
        let meaning = list(&world);
        world.sq_ok_in(&clone, "init --display");
        assert_ne!(list(&world), meaning);
        let shown = world.git_ok_in(&clone, "config --get-all notes.displayRef");
        assert!(shown.ends_with("refs/notes/sq*\n"), "{more}: {shown}");
        world.person_ok_in(&clone, "init --undo");
        assert_eq!(list(&world), meaning, "{more}");
        if !before.ends_with(b"\n") {
            // Git itself ends the last line before it writes another.
            before.push(b'\n');
        }
        let [before, after] = [before, fs::read(&path).unwrap()].map(String::from_utf8);
        let (before, mut after) = (before.unwrap(), after.unwrap());
        if more.ends_with("mine") {
            // Git keeps the heading of an empty section that follows a comment.
            after.truncate(after.trim_end_matches("[notes]\n").len());
        }
        assert_eq!(after, before);
        assert!(!clone.join(".git/sq").exists());
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_leaves_the_user_s_own_config_alone() {
    let (world, clone) = with_clone();
    world.sq_ok_in(&clone, "init --display");
    let glob = "refs/notes/sq*";
    world.git_ok_in(&clone, "config --unset notes.displayRef");
    world.git_ok_in(&clone, &format!("config --global notes.displayRef '{glob}'"));
    world.person_ok_in(&clone, "init --undo");
    let all = world.git_ok_in(&clone, "config --get-all notes.displayRef");
    assert_eq!(all.trim(), glob);
    let ours = ["config", "--local", "--get-regexp", "sq"];
    assert_eq!(world.git_in(&clone, &ours).stdout, "");
}

#[test]
fn every_remote_that_shares_the_log_is_asked_for_it() {
    let (world, clone) = with_clone();
    world.record("theirs").ok();
    world.git_ok("clone --quiet --bare . ../fork.git");
    world.git_ok_in(&clone, "remote add fork ../fork.git");
    world.git_ok_in(&clone, "config remote.fork.sq true");
    let said = world.sq_ok_in(&clone, "init");
    assert_has!(said, "origin was reached, and its log was fetched");
    assert_has!(said, "fork was reached, and has no log yet");
}
