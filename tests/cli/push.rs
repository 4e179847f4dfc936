//! The log follows ordinary pushes: whatever the way of pushing, git does what it does without us, and what belongs to
//! the commits that were pushed is published.

use std::{fs, sync::OnceLock};

use git_sq_test_support::{Ran, Team, Template, ended, executable, refs, store, words};
use serde_json::Value;

/// Pushes from a clone with our hook and from one without it, and sees that git did the same; gives the first team.
#[track_caller]
pub fn as_without_us(prepare: impl Fn(&Team), push: &str) -> (Team, Ran) {
    static OURS: OnceLock<Template> = OnceLock::new();
    static PLAIN: OnceLock<Template> = OnceLock::new();
    let worked = |team: Team| {
        team.work(&team.clone, "s1");
        team.settle(&team.clone);
        team
    };
    let ours = Team::copy_of(&OURS, || worked(Team::new()));
    let plain = Team::copy_of(&PLAIN, || worked(Team::without_hooks()));
    let [ran, expected] = [&ours, &plain].map(|team| {
        prepare(team);
        team.try_git(push)
    });
    ours.settle(&ours.clone);
    assert_eq!(ran.code, expected.code, "{push:?} {}", ran.transcript());
    assert_eq!(ran.stdout, expected.stdout, "{push:?}");
    assert_eq!(git_s_words(&ran), git_s_words(&expected), "{push:?}");
    assert_eq!(ours.refs(&ours.remote), plain.refs(&plain.remote), "{push:?}");
    assert_eq!(ours.refs(&ours.clone), plain.refs(&plain.clone), "{push:?}");
    (ours, ran)
}

/// What was printed, but for what this program said.
pub fn git_s_words(ran: &Ran) -> String {
    ended(ran.stderr.lines().filter(|line| !line.starts_with("git sq: ")))
}

/// What this program said.
pub fn our_words(ran: &Ran) -> String {
    ended(ran.stderr.lines().filter(|line| line.starts_with("git sq: ")))
}

/// Sees that the log followed the push, which said nothing about it.
#[track_caller]
pub fn carried((team, ran): &(Team, Ran)) {
    assert_eq!(our_words(ran), "");
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert_eq!(team.lines_on_remote().len(), 1);
}

/// Sees that nothing of the log went, and that a sync brings it.
#[track_caller]
pub fn held_back((team, ran): &(Team, Ran)) {
    assert_eq!(our_words(ran), "");
    assert!(team.lines_on_remote().is_empty());
    comes_later(team);
}

/// Sees that everything comes with a sync, once the commits are there.
#[track_caller]
pub fn comes_later(team: &Team) {
    team.git_ok("push --quiet --no-verify --force origin HEAD:refs/heads/late");
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert!(!team.lines_on_remote().is_empty());
}

fn nothing_more(_: &Team) {}

#[test]
fn a_plain_push_carries_the_log() {
    let pushed = as_without_us(nothing_more, "push");
    carried(&pushed);
    let (team, _) = pushed;
    // Now there is a log, and nothing of it is missing.
    let again = team.try_git("push");
    assert_eq!(again.transcript(), "--- stderr\nEverything up-to-date\n--- exit 0\n");
    team.work(&team.clone, "s2");
    team.git_ok("push");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 2);
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert_eq!(team.log_on_remote(), [2, 0]);
}

#[test]
fn whatever_is_written_on_a_commit_that_is_there_needs_no_push() {
    let team = Team::new();
    let published = |lines: usize| {
        team.settle(&team.clone);
        assert_eq!(team.lines_on_remote().len(), lines);
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    };
    let sq = |line: &str| team.sq(&team.clone, &refs(&words(line))).ok();
    // Where it can't go at once, an empty push is enough.
    team.git_ok("config sq.pushTimeout 0");
    sq("record --sid s0 --same q1=x");
    assert!(team.lines_on_remote().is_empty());
    team.git_ok("config --unset sq.pushTimeout");
    let ran = team.try_git("push");
    assert_eq!(ran.transcript(), "--- stderr\nEverything up-to-date\n--- exit 0\n");
    published(1);
    sq("state set --status done");
    published(2);
    let open = "tension open 'why?' --type unknown --source review --curiosity 1 --intrusiveness 0 --format json";
    let opened: Value = serde_json::from_str(&sq(open)).unwrap();
    published(3);
    let id = opened["tensions"][0]["id"].as_str().unwrap();
    sq(&format!("tension close {id} --as resolved --note 'because'"));
    published(4);
    sq("session end");
    published(5);
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "s1");
    team.git_ok("checkout --quiet main");
    team.git_ok("branch --quiet -D topic");
    sq("carry --onto HEAD");
    team.settle(&team.clone);
    // The copy and what says where it is from; the original's commit was never pushed.
    assert_eq!(team.lines_on_remote().len(), 7);
}

#[test]
fn what_belongs_to_commits_that_were_not_pushed_stays() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "private");
    team.git_ok("checkout --quiet main");
    team.publish("public");
    let on_remote = team.lines_on_remote();
    assert_eq!(on_remote.len(), 1);
    assert!(on_remote.first().unwrap().contains("\"public\""));
    assert_eq!(team.lines(&team.clone).len(), 2);
    // Under whatever name it is pushed.
    team.git_ok("push --quiet origin topic:refs/heads/feature");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 2);
    assert_eq!(team.log_on_remote(), [2, 0]);
}

/// Leaves something uncommitted.
fn change(team: &Team) {
    fs::write(team.clone.join("standing_questions.json"), store(&["q1"]) + "\n").unwrap();
}

#[test]
fn what_was_recorded_beside_changes_on_the_default_branch_is_published_at_once() {
    let team = Team::new();
    change(&team);
    team.world.record_in(&team.clone, "on-main").ok();
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 1);
}

/// The answers may rest on what is not committed yet.
#[test]
fn what_was_recorded_beside_changes_waits_when_its_branch_is_renamed_or_deleted() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b secret");
    change(&team);
    team.world.record_in(&team.clone, "s1").ok();
    for change in
        ["branch --move hidden", "stash --quiet", "checkout --quiet main", "branch -D hidden"]
    {
        team.git_ok(change);
        let sync = team.sq(&team.clone, &["sync"]).ok();
        assert_has!(sync, "1 entry waits for its work to be pushed: secret\n");
        assert!(team.lines_on_remote().is_empty(), "{change}");
    }
}

/// As agents' worktrees often are.
#[test]
fn what_was_recorded_beside_changes_on_a_detached_head_waits_for_the_commit_of_its_session() {
    let team = Team::new();
    team.git_ok("checkout --quiet --detach");
    let record = |sid: &str| {
        team.world.record_in(&team.clone, sid).ok();
        team.settle(&team.clone);
    };
    change(&team);
    record("s1");
    let sync = team.sq(&team.clone, &["sync"]).ok();
    assert_has!(sync, "1 entry waits for its work to be pushed\n");
    // Somebody else's commit is not its work.
    team.git_ok("stash --quiet");
    record("s2");
    assert_eq!(team.lines_on_remote().len(), 1);
    team.git_ok("stash pop --quiet");
    team.git_ok("commit --quiet -am Work");
    record("s1");
    assert_eq!(team.lines_on_remote().len(), 1);
    team.git_ok("push --quiet origin HEAD:main");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 3);
}

/// The commit that it comes to has what was uncommitted.
#[test]
fn what_was_recorded_beside_changes_goes_with_the_commit_that_it_is_carried_to() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "s1");
    change(&team);
    team.world.record_in(&team.clone, "s2").ok();
    team.git_ok("commit --quiet -a --amend -m Amended");
    team.git_ok("branch --move work");
    team.git_ok("push --quiet origin HEAD:main");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 2);
}

#[test]
fn every_way_of_pushing_carries_it() {
    let more = |team: &Team| {
        for args in ["tag v1", "tag -a -m v2 v2", "branch side"] {
            team.git_ok(args);
        }
    };
    for push in [
        "push --all",
        "push --force-with-lease --follow-tags",
        "push --atomic --porcelain --signed=if-asked origin main side",
        "push --quiet --force",
        "push origin HEAD:refs/tags/alone",
        "push -u origin side",
    ] {
        carried(&as_without_us(more, push));
    }
}

#[test]
fn a_deletion_carries_it() {
    let side = |team: &Team| {
        team.git_ok("push --quiet --no-verify origin main main:side");
    };
    carried(&as_without_us(side, "push --delete origin side"));
    carried(&as_without_us(side, "push --prune origin refs/heads/*"));
}

#[test]
fn a_push_that_git_itself_refuses_stays_refused() {
    let behind = |team: &Team| {
        let other = team.join("other");
        team.commit(&other, "faster");
        team.git(&other, &["push", "--quiet"]).ok();
    };
    let (team, ran) = as_without_us(behind, "push");
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    comes_later(&team);
    as_without_us(behind, "push --atomic origin main main:new");
    as_without_us(nothing_more, "push origin no-such-branch");
    as_without_us(nothing_more, "push no-such-remote");
}

#[test]
fn no_verify_carries_nothing() {
    held_back(&as_without_us(nothing_more, "push --no-verify"));
}

#[test]
fn a_remote_that_does_not_share_the_log_gets_none() {
    let second = |team: &Team| {
        team.git_ok("init --quiet --bare ../second.git");
        team.git_ok("remote add second ../second.git");
    };
    for push in [
        "push second main",
        "push ../second.git main",
        // An address stays an address, even where a remote has it.
        "push ../remote.git main",
    ] {
        let pushed = as_without_us(second, push);
        let second = pushed.0.world.root().join("second.git");
        let notes = pushed.0.git(&second, &["for-each-ref", "refs/notes"]);
        assert_eq!(notes.ok(), "", "{push:?}");
        held_back(&pushed);
    }
    let url = |team: &Team| format!("file://{}", team.remote.display());
    let (ours, plain) = (Team::new(), Team::without_hooks());
    for team in [&ours, &plain] {
        team.work(&team.clone, "s1");
        team.git(&team.clone, &["push", &url(team), "main"]).ok();
        assert!(team.lines_on_remote().is_empty());
    }
}

#[test]
fn whoever_pushes_the_log_by_hand_is_not_disturbed() {
    for push in ["push origin refs/notes/*:refs/notes/*", "push --atomic origin main refs/notes/sq"]
    {
        carried(&as_without_us(nothing_more, push));
    }
    // The remote has more than this clone: what git refuses stays refused, and by the next push all is there.
    let (team, ran) = as_without_us(
        |team| {
            let other = team.join("other");
            team.work(&other, "theirs");
            team.git_ok_in(&other, "push --quiet --no-verify origin refs/notes/sq");
        },
        "push origin refs/notes/sq",
    );
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    comes_later(&team);
    assert_eq!(team.lines_on_remote().len(), 2);
}

#[test]
fn a_mirror_is_pushed_as_a_mirror() {
    let mirror = |team: &Team| {
        team.git_ok("config remote.origin.mirror true");
    };
    carried(&as_without_us(mirror, "push"));
    carried(&as_without_us(nothing_more, "push --mirror"));
    // What was fetched and is not in the local log yet is not what a mirror pushes.
    let (team, _) = as_without_us(mirror, "push");
    team.world.record_in(&team.clone, "s2").ok();
    team.settle(&team.clone);
    team.git_ok("push");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_worktree_may_be_removed_right_after_its_push() {
    let team = Team::new();
    let linked = team.world.root().join("linked");
    let [go, slow] = ["go", "slow"].map(|name| team.world.root().join(name));
    let until = go.display();
    let wait = format!("#!/bin/sh\nwhile [ ! -e '{until}' ]; do sleep 0.02; done\n");
    executable(&slow, &(wait + "exec git-upload-pack \"$@\"\n"));
    team.git_ok("worktree add --quiet -b side ../linked");
    team.work(&linked, "worktree");
    team.git_ok(&format!("config remote.origin.uploadpack {}", slow.display()));
    team.git_ok_in(&linked, "push --quiet origin side");
    team.git_ok("worktree remove --force ../linked");
    fs::write(&go, "").unwrap();
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert!(!team.lines_on_remote().is_empty());
}

#[test]
fn it_works_from_everywhere_in_the_clone() {
    let ours = Team::new();
    let sub = ours.clone.join("a/b");
    fs::create_dir_all(&sub).unwrap();
    ours.work(&ours.clone, "subfolder");
    ours.git_ok_in(&sub, "push");
    ours.settle(&ours.clone);
    assert_eq!(ours.lines_on_remote().len(), 1);

    let linked = ours.world.root().join("linked");
    ours.git_ok("worktree add --quiet -b side ../linked");
    ours.work(&linked, "worktree");
    let ran = ours.git(&linked, &["push", "-u", "origin", "side"]);
    ours.settle(&ours.clone);
    assert_eq!((ran.code, our_words(&ran).as_str()), (0, ""));
    assert_eq!(ours.lines_on_remote().len(), 2);

    ours.git_ok("checkout --quiet --detach");
    ours.work(&ours.clone, "detached");
    let ran = ours.try_git("push origin HEAD:refs/heads/detached");
    ours.settle(&ours.clone);
    assert_eq!((ran.code, our_words(&ran).as_str()), (0, ""));
    assert_eq!(ours.lines_on_remote().len(), 3);

    let elsewhere = ours.world.root();
    ours.work(&ours.clone, "pointed");
    let dir = ours.clone.join(".git");
    let dir = format!("--git-dir={}", dir.display());
    ours.git_ok_in(&elsewhere, &format!("'{dir}' push origin HEAD:refs/heads/pointed"));
    ours.settle(&ours.clone);
    assert_eq!(ours.lines_on_remote().len(), 4);

    let bare = elsewhere.join("bare.git");
    ours.git_ok_in(&elsewhere, "clone --quiet --bare clone bare.git");
    ours.git_ok_in(&bare, "remote set-url origin ../remote.git");
    ours.sq(&bare, &["init"]).ok();
    ours.world.record_in(&bare, "bare").ok();
    ours.git(&bare, &["push", "origin", "main:from-bare"]).ok();
    ours.settle(&bare);
    assert_eq!(ours.lines_on_remote().len(), 5);
}

#[test]
fn what_was_pushed_survives_the_refspec_that_many_guides_recommend() {
    let (team, ran) = as_without_us(
        |team| {
            let spec = "+refs/notes/*:refs/notes/*";
            team.git_ok(&format!("config --add remote.origin.fetch '{spec}'"));
        },
        "push",
    );
    assert_eq!(our_words(&ran), "");
    let other = team.join("other");
    for (round, fetch) in
        ["fetch", "fetch --prune", "-c fetch.prune=true pull"].into_iter().enumerate()
    {
        team.git(&other, &["pull", "--quiet"]).ok();
        team.work(&other, &format!("theirs-{round}"));
        team.push_from(&other);
        team.git_ok(fetch);
        team.world.record_in(&team.clone, &format!("ours-{round}")).ok();
        team.git_ok("push --quiet origin main:x");
        team.settle(&team.clone);
    }
    comes_later(&team);
    assert_eq!(team.lines_on_remote().len(), 7);
}

/// A hooks folder in the worktree can be written by an agent in a sandbox which `git sq` itself is let out of.
#[test]
#[cfg(unix)]
fn fetching_and_publishing_run_no_hook() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&other, "s1");
    team.push_from(&other);
    let ran = team.world.root().join("ran");
    for hook in ["reference-transaction", "pre-push"] {
        let script = format!("#!/bin/sh\ntouch '{}'\n", ran.display());
        executable(&team.clone.join(".husky").join(hook), &script);
    }
    team.git_ok("config core.hooksPath .husky");
    team.world.record_in(&team.clone, "s2").ok();
    team.settle(&team.clone);
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(team.lines_on_remote().len(), 2);
    assert!(!ran.exists());
}
