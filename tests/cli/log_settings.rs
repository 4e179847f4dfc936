//! Settings about the log that can't be meant so: nothing goes further by them, and doctor names them.

use std::fs;

use git_sq_test_support::{Ran, Team, each};
use serde_json::Value;

/// What doctor says of settings, and its exit code.
#[track_caller]
fn named(team: &Team) -> Vec<String> {
    let ran = team.sq(&team.clone, &["doctor", "--format", "json"]);
    let document: Value = ran.json();
    let named = each(&document["findings"]).filter(|finding| finding["rule"] == "bad-setting");
    let named: Vec<String> =
        named.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect();
    assert!(named.is_empty() || ran.code == 1, "{}", ran.transcript());
    named
}

/// Every remedy that doctor prints for a setting.
fn mend(team: &Team) {
    for line in team.sq(&team.clone, &["doctor"]).stdout.lines() {
        if let Some(set) = line.strip_prefix("  git config ") {
            team.git_ok(&format!("config {set}"));
        }
    }
    assert!(named(team).is_empty());
}

#[track_caller]
fn refused(ran: &Ran, why: &str) {
    assert!(ran.code == 128 && ran.stderr.contains(why), "{}", ran.transcript());
}

#[test]
fn a_ref_that_can_t_hold_the_log_is_refused() {
    for name in [
        "HEAD",
        "main",
        "",
        "a b",
        "refs/heads/a b",
        "refs/heads/main",
        "refs/heads/topic",
        "refs/tags/sq",
        "refs/notes/",
    ] {
        let team = Team::new();
        team.git_ok("branch topic");
        team.work(&team.clone, "s1");
        let before = team.refs(&team.remote);
        team.git_ok(&format!("config sq.logRef '{name}'"));
        let why = format!("sq.logRef is {name:?}, which can't hold the log: ");
        for command in ["sync", "verify", "ci", "init"] {
            let ran = team.sq(&team.clone, &[command]);
            refused(&ran, &why);
            assert!(ran.stderr.contains("`git config sq.logRef refs/notes/sq`"));
        }
        assert!(named(&team)[0].starts_with(&why));
        let push = team.git(&team.clone, &["push", "--quiet", "origin", "HEAD:other"]);
        assert_eq!(push.transcript(), "--- exit 0\n");
        team.settle(&team.clone);
        let after = team.refs(&team.remote);
        let new = after.lines().filter(|line| !before.contains(line));
        assert!(new.eq(after.lines().filter(|line| line.ends_with("refs/heads/other"))));
        mend(&team);
        team.sq_ok("sync");
        assert_eq!(team.lines_on_remote().len(), 1);
    }
}

#[test]
fn a_ref_of_one_remote_that_can_t_hold_the_log_is_refused() {
    let team = Team::new();
    team.git_ok("config remote.origin.sqRef log");
    refused(&team.sq(&team.clone, &["sync"]), "remote.origin.sqRef is \"log\"");
    mend(&team);
    team.sq_ok("sync");
}

#[test]
fn what_is_no_boolean_counts_as_false() {
    let team = Team::new();
    team.git_ok("config remote.origin.sq nope");
    team.work(&team.clone, "s1");
    assert_eq!(
        named(&team),
        ["remote.origin.sq is \"nope\", which is not a boolean: it counts as false"]
    );
    team.sq_ok("init");
    team.push();
    assert!(team.lines_on_remote().is_empty());
    mend(&team);
    assert_eq!(team.git_ok("config remote.origin.sq"), "false\n");
}

/// A team whose log has a home of its own, with a setting.
fn with_home(setting: &str) -> Team {
    let team = Team::unprepared();
    let root = team.world.root();
    team.git_ok_in(&root, "init --quiet --bare audit.git");
    team.git_ok("remote add audit ../audit.git");
    team.git_ok("config sq.logRemote audit");
    team.git_ok(&format!("config {setting}"));
    team.sq_ok("init");
    team.publish("s1");
    team
}

#[test]
fn a_home_that_declines_the_log_gets_none() {
    for value in ["false", "nope"] {
        let team = with_home(&format!("remote.audit.sq {value}"));
        let said = named(&team);
        let why = format!("remote.audit.sq is {value}");
        assert!(said.len() == 1 && said[0].replace('"', "").starts_with(&why), "{said:?}");
        let audit = team.world.root().join("audit.git");
        assert!(team.lines(&audit).is_empty() && team.lines_on_remote().is_empty());
        if value == "false" {
            mend(&team);
            team.sq_ok("doctor --fix");
            team.sq_ok("sync");
            assert_eq!(team.lines(&audit).len(), 1);
        }
    }
}

#[test]
fn an_unknown_word_publishes_what_is_public() {
    let team = with_home("sq.logPublishes All");
    assert_eq!(
        named(&team),
        ["sq.logPublishes is \"All\", neither public nor all: it counts as public"]
    );
    team.work(&team.clone, "private");
    team.sq_ok("sync");
    assert_eq!(team.lines(&team.world.root().join("audit.git")).len(), 1);
    mend(&team);
}

#[test]
fn what_can_t_be_read_counts_as_not_set_and_is_named() {
    let team = Team::new();
    let bad = [
        ("sq.hooks", "maybe", "boolean", "true"),
        ("sq.enforce", "maybe", "boolean", "false"),
        ("sq.grace", "10", "length of time such as 45m", "2h"),
        ("sq.pushTimeout", "1m", "number of seconds", "60"),
    ];
    for (key, value, ..) in bad {
        team.git_ok(&format!("config {key} {value}"));
    }
    let said = bad.map(|(key, value, what, default)| {
        format!("{key} is {value:?}, which is no {what}: it counts as {default}")
    });
    assert_eq!(named(&team), said);
    for command in ["session start --sid s1", "record --sid s1 q1=yes", "brief", "status"] {
        team.sq_ok(command);
    }
    mend(&team);
}

#[test]
fn nothing_is_public_by_being_in_this_repository() {
    let team = Team::unprepared();
    let root = team.world.root();
    team.git_ok_in(&root, "init --quiet --bare audit.git");
    fs::create_dir(root.join("link")).unwrap();
    team.git_ok("remote add audit ../audit.git");
    team.git_ok("config sq.logRemote audit");
    let here = team.clone.display().to_string();
    team.git_ok("worktree add --quiet ../linked");
    for (place, url) in [
        ".",
        "./.git",
        "../linked",
        "../linked/.git",
        "./.git/worktrees/linked",
        "../link/../clone",
        &here,
        &format!("file://{here}"),
    ]
    .iter()
    .enumerate()
    {
        team.git_ok(&format!("remote add self{place} '{url}'"));
    }
    team.sq_ok("init");
    team.work(&team.clone, "private");
    team.git_ok("fetch --quiet --all");
    let said = team.sq_ok("sync");
    assert!(said.contains("1 entry waits"), "{said}");
    assert!(team.lines(&root.join("audit.git")).is_empty());
    team.push();
    assert_eq!(team.lines(&root.join("audit.git")).len(), 1);
}

#[test]
fn a_home_that_is_no_remote_is_named() {
    let team = with_home("sq.logRemote audit");
    team.git_ok("remote rename audit elsewhere");
    insta::assert_snapshot!(team.sq(&team.clone, &["sync"]).transcript(), @"
    --- stderr
    fatal: sq.logRemote is audit, and there is no remote of this name
    hint: entries stay in this clone until `git remote add audit URL` and `git sq init` set one up
    --- exit 128
    ");
    team.sq(&team.clone, &["verify", "--log"]).ok();
}
