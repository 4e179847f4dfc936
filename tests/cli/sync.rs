//! `git sq sync`: what it brings and takes, what it says, and that nothing is ever dropped, here or there.

use std::fs;

use git_sq_test_support::{Prepare, Ran, Team, executable};
use serde_json::{Value, json};

/// What was printed, with this world's folder taken out.
fn said(ran: &Ran, team: &Team) -> String {
    let root = team.world.root();
    ran.transcript()
        .replace(&*root.to_string_lossy(), "[world]")
}

/// What sync says of the one remote, and its exit code.
fn synced(team: &Team, dir: &std::path::Path) -> (Value, i32) {
    let ran = team.sq(dir, &["sync", "--format", "json"]);
    let mut report = ran.json();
    assert_eq!(report["schema"], "sq.sync/v1", "{}", ran.transcript());
    (report["remotes"][0]["done"].take(), ran.code)
}

/// A team with one line on the remote and one more in the clone, and the project's branch beside.
fn shared() -> Team {
    let team = Team::new();
    team.work(&team.clone, "first");
    team.git_ok("push --quiet");
    team.work(&team.clone, "second");
    team
}

fn done(came: usize, went: usize, inboxes: usize) -> (Value, i32) {
    let done = json!({
        "came": came, "went": went, "inbox": false, "inboxes_cleared": inboxes,
    });
    (done, 0)
}

#[test]
fn it_says_what_came_and_what_went() {
    let team = Team::new();
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    origin: nothing came, nothing went
    --- exit 0
    ");
    let other = team.join("other");
    team.work(&other, "theirs");
    team.world.record_in(&other, "theirs-too").ok();
    insta::assert_snapshot!(said(&team.sq(&other, &["sync"]), &team), @"
    origin: nothing came, 2 lines went
    --- exit 0
    ");
    team.work(&team.clone, "ours");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync", "origin"]), &team), @"
    origin: 2 lines came, 1 line went
    --- exit 0
    ");
    assert_eq!(synced(&team, &other), done(1, 0, 0));
    assert_eq!(synced(&team, &other), done(0, 0, 0));
    assert_eq!(team.lines(&other), team.lines_on_remote());
    assert_eq!(team.lines(&team.clone), team.lines_on_remote());
}

#[test]
fn it_refuses_what_is_not_set_up_and_says_how() {
    let team = Team::unprepared();
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    --- stderr
    fatal: no remote shares the log
    hint: `git sq init` sets the upstream up for that
    --- exit 128
    ");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync", "origin"]), &team), @"
    --- stderr
    fatal: origin does not share the log, which may be nothing for strangers
    hint: `git config remote.origin.sq true` and `git sq init` change that
    --- exit 128
    ");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync", "nowhere"]), &team), @"
    --- stderr
    fatal: there is no remote nowhere
    hint: `git remote` lists them
    --- exit 128
    ");
    team.sq(&team.clone, &["init"]).ok();
    fs::rename(&team.remote, team.remote.with_extension("away")).unwrap();
    team.work(&team.clone, "ours");
    let offline = team.sq(&team.clone, &["sync"]);
    assert_eq!(offline.code, 128);
    insta::assert_snapshot!(said(&offline, &team), @"
    --- stderr
    fatal: origin could not be reached: '[world]/remote.git' does not appear to be a git repository
    hint: what this clone has is safe here; run `git sq sync` again, and see `git sq doctor`
    --- exit 128
    ");
    let offline = team.sq(&team.clone, &["sync", "--format", "json"]);
    assert_eq!(offline.code, 128);
    assert_eq!(offline.json()["remotes"][0]["complete"], false);
}

#[test]
fn logs_of_the_same_lines_and_other_commits_go_on() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&team.clone, "one");
    let sync = ["sync", "--quiet"];
    assert_eq!(
        team.sq(&team.clone, &sync).code,
        129,
        "there is no such option"
    );
    team.sq(&team.clone, &["sync"]).ok();
    team.sq(&other, &["sync"]).ok();
    // The same tree in a commit of its own.
    let apart = team.git_ok_in(&other, "commit-tree -m apart refs/notes/sq^{tree}");
    team.git(&other, &["update-ref", "refs/notes/sq", apart.trim()])
        .ok();
    assert_eq!(synced(&team, &other), done(0, 0, 0));
    team.world.record_in(&other, "two").ok();
    let ran = team.git(&other, &["push", "--quiet", "origin", "HEAD:refs/heads/x"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(team.lines_on_remote().len(), 2);
    team.world.record_in(&team.clone, "three").ok();
    assert_eq!(synced(&team, &team.clone), done(1, 1, 0));
    assert_eq!(team.lines_on_remote().len(), 3);
}

/// Puts a clone's log into its inbox on the remote instead of the log.
fn into_inbox(team: &Team, dir: &std::path::Path, id: &str) {
    let spec = format!("refs/notes/sq:refs/notes/sq-inbox/{id}");
    team.git_ok_in(dir, &format!("push --quiet --no-verify origin '{spec}'"));
}

#[test]
fn inboxes_are_folded_and_cleared_when_the_log_has_them() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&other, "theirs");
    into_inbox(&team, &other, "01THEIRS");
    assert_eq!(synced(&team, &team.clone), done(1, 0, 1));
    assert_eq!(team.lines_on_remote(), team.lines(&other));
    assert_eq!(team.inboxes(), [""; 0]);
    // Its owner has nothing to push and nothing to fear.
    assert_eq!(synced(&team, &other), done(0, 0, 0));
}

#[test]
fn an_inbox_stays_where_the_log_could_not_take_its_lines() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&other, "theirs");
    into_inbox(&team, &other, "01THEIRS");
    let hook = team.remote.join("hooks/update");
    executable(&hook, "#!/bin/sh\n[ \"$1\" != refs/notes/sq ]\n");
    let ran = team.sq(&team.clone, &["sync"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert_eq!(team.inboxes(), ["refs/notes/sq-inbox/01THEIRS"]);
    fs::remove_file(hook).unwrap();
    // The remote had the line already, in another place.
    assert_eq!(synced(&team, &team.clone), done(0, 0, 1));
    assert_eq!(team.lines_on_remote().len(), 1);
}

/// The inbox moves between the fetch and the deletion: when the log is pushed, its owner pushes once more.
#[test]
fn an_inbox_that_moved_meanwhile_stays() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&other, "first");
    into_inbox(&team, &other, "01THEIRS");
    team.work(&other, "second");
    team.git_ok_in(
        &other,
        "push --quiet --no-verify origin +refs/notes/sq:refs/heads/later",
    );
    let hook = team.remote.join("hooks/post-receive");
    let script = "#!/bin/sh\ngrep -q 'refs/notes/sq$' || exit 0\ngit update-ref refs/notes/sq-inbox/01THEIRS refs/heads/later\n";
    executable(&hook, script);
    assert_eq!(synced(&team, &team.clone), done(1, 0, 0));
    assert_eq!(team.inboxes(), ["refs/notes/sq-inbox/01THEIRS"]);
    fs::remove_file(hook).unwrap();
    assert_eq!(synced(&team, &team.clone), done(1, 0, 1));
    assert_eq!(team.lines_on_remote(), team.lines(&other));
    assert_eq!(team.inboxes(), [""; 0]);
}

/// Makes the remote's log move under every push, as a crowd would.
fn crowd(team: &Team) {
    let script = "#!/bin/sh
while read -r old new ref; do
  case $ref in
    refs/notes/sq) ;;
    refs/notes/sq-inbox/*) [ -e move-inbox ] || continue; rm move-inbox;;
    *) continue;;
  esac
  unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
  tree=$(git rev-parse -q --verify \"$ref^{tree}\" || git mktree </dev/null)
  parent=$(git rev-parse -q --verify $ref)
  new=$(git -c user.name=x -c user.email=x@example.org commit-tree ${parent:+-p $parent} -m \"moved $$\" $tree)
  git update-ref $ref $new
done
";
    executable(&team.remote.join("hooks/pre-receive"), script);
}

#[test]
fn a_crowd_drives_a_push_into_the_clone_s_inbox() {
    let team = Team::new();
    crowd(&team);
    team.work(&team.clone, "ours");
    let ran = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(team.inboxes().len(), 1);
    assert!(team.lines_on_remote().is_empty());
    let again = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(again.transcript(), "--- exit 0\n");
    let (report, code) = synced(&team, &team.clone);
    assert_eq!((code, &report["inbox"]), (0, &json!(true)), "{report}");
    fs::remove_dir_all(team.remote.join("hooks")).unwrap();
    assert_eq!(synced(&team, &team.clone), done(0, 0, 1));
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
}

#[test]
fn a_branch_can_carry_the_log_where_notes_are_refused() {
    let team = Team::new();
    let other = team.join("other");
    for dir in [&team.clone, &other] {
        for args in [
            &["remote.origin.sqRef", "refs/heads/sq/log"][..],
            &[
                "--replace-all",
                "remote.origin.fetch",
                "+refs/heads/sq/log*:refs/notes/remotes/origin/sq*",
                "notes/sq",
            ],
        ] {
            team.git(dir, &[&["config"], args].concat()).ok();
        }
    }
    team.set_on_remote("transfer.hideRefs", "refs/notes");
    team.work(&team.clone, "ours");
    let ran = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    let on_remote = || team.lines_at(&team.remote, "refs/heads/sq/log");
    assert_eq!(on_remote(), team.lines(&team.clone));
    team.git(&other, &["pull", "--quiet"]).ok();
    team.work(&other, "theirs");
    let shown = team.world.check_in(&other).0;
    assert_eq!(shown["sessions"], 2, "{shown}");
    team.git(&other, &["push", "--quiet"]).ok();
    assert_eq!(on_remote().len(), 2);
    // An inbox beside it.
    team.work(&team.clone, "once-more");
    let spec = "refs/notes/sq:refs/heads/sq/log-inbox/01OURS";
    team.git_ok(&format!("push --quiet --no-verify origin '{spec}'"));
    assert_eq!(synced(&team, &other), done(1, 0, 1));
    assert_eq!(on_remote().len(), 3);
    // By hand: the hook keeps out.
    team.world.record_in(&other, "by-hand").ok();
    let spec = "refs/notes/sq:refs/heads/sq/log";
    let ran = team.git(&other, &["push", "--quiet", "origin", spec]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(on_remote().len(), 4);
}

#[test]
fn what_somebody_took_out_of_the_remote_comes_back() {
    let force = |team: &Team, to: &str| {
        team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq '{to}'"));
    };
    let emptied = |team: &Team| {
        let tree = team.git(
            &team.remote,
            &["hash-object", "-t", "tree", "-w", "/dev/null"],
        );
        let tree = tree.ok();
        let user = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let args = ["commit-tree", "-m", "emptied", tree.trim()];
        let commit = team.git(&team.remote, &[&user[..], &args].concat());
        force(team, commit.ok().trim());
    };
    let rewound = |team: &Team| force(team, "refs/notes/sq~1");
    let deleted = |team: &Team| {
        team.git_ok_in(&team.remote, "update-ref -d refs/notes/sq");
    };
    // As a fast-forward, which looks like any other push.
    let pruned = |team: &Team| {
        let dir = team.world.root().join("pruner");
        team.git(
            &team.world.root(),
            &["clone", "--quiet", "remote.git", "pruner"],
        )
        .ok();
        for args in [
            &["fetch", "--quiet", "origin", "refs/notes/sq:refs/notes/sq"][..],
            &["notes", "--ref=sq", "remove", "HEAD"],
            &["push", "--quiet", "origin", "refs/notes/sq"],
        ] {
            team.git(&dir, args).ok();
        }
    };
    let rows: [(&str, Prepare); 4] = [
        ("emptied", &emptied),
        ("rewound", &rewound),
        ("deleted", &deleted),
        ("pruned", &pruned),
    ];
    for (name, act) in rows {
        let team = Team::new();
        team.work(&team.clone, "one");
        team.git_ok("push --quiet");
        team.work(&team.clone, "two");
        team.git_ok("push --quiet");
        let lines = team.lines(&team.clone);
        assert_eq!(lines, team.lines_on_remote());
        act(&team);
        assert!(team.lines_on_remote().len() < 2, "{name}");
        team.git_ok("fetch --quiet --prune");
        assert_eq!(team.lines(&team.clone), lines, "{name}");
        assert_eq!(team.world.check_in(&team.clone).0["sessions"], 2, "{name}");
        let (report, code) = synced(&team, &team.clone);
        assert_eq!((code, &report["came"]), (0, &json!(0)), "{name} {report}");
        assert_eq!(team.lines_on_remote(), lines, "{name}");
        assert_eq!(team.lines(&team.clone), lines, "{name}");
    }
}

#[test]
fn what_was_fetched_and_then_deleted_on_the_remote_is_not_pruned_away() {
    let team = Team::new();
    let other = team.join("other");
    team.work(&other, "theirs");
    team.git(&other, &["push"]).ok();
    team.git_ok("fetch");
    team.git_ok_in(&team.remote, "update-ref -d refs/notes/sq");
    // Nobody else has it any more.
    fs::remove_dir_all(&other).unwrap();
    team.sq(&team.clone, &["init"]).ok();
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(team.lines_on_remote().len(), 1);
}

#[test]
fn a_log_ref_that_is_a_branch_of_people_is_neither_pushed_to_nor_joined() {
    let team = shared();
    team.git_ok("config remote.origin.sqRef refs/heads/main");
    let before = team.refs(&team.remote);
    let ran = team.sq(&team.clone, &["sync"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    insta::assert_snapshot!(ran.stderr, @"
    fatal: refs/heads/main on origin holds something that is no log
    hint: what this clone has is safe here; run `git sq sync` again, and see `git sq doctor`
    ");
    assert_eq!(team.refs(&team.remote), before);
    let push = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(push.code, 0, "{}", push.transcript());
}

#[cfg(unix)]
#[test]
fn one_of_two_addresses_that_does_not_take_the_log_is_a_failure() {
    for refuses in [true, false] {
        let team = shared();
        let second = team.world.root().join("second.git");
        if refuses {
            let args = ["clone", "--quiet", "--bare", "remote.git", "second.git"];
            team.git(&team.world.root(), &args).ok();
            let hook = "#!/bin/sh\ncase $1 in refs/notes/*) exit 1;; esac\n";
            executable(&second.join("hooks/update"), hook);
        }
        for url in [&team.remote, &second] {
            let add = [
                "config",
                "--add",
                "remote.origin.pushurl",
                url.to_str().unwrap(),
            ];
            team.git(&team.clone, &add).ok();
        }
        let ran = team.sq(&team.clone, &["sync"]);
        assert_eq!(ran.code, 128, "{}", ran.transcript());
    }
}

#[test]
fn a_fetched_ref_that_is_no_log_stops_nobody() {
    let team = shared();
    team.git_ok("tag -m x annotated");
    fs::write(team.clone.join("hi"), "hi\n").unwrap();
    let blob = team.git_ok("hash-object -w hi");
    for (name, what) in [
        ("a", blob.trim()),
        ("b", "HEAD^{tree}"),
        ("c", "annotated"),
        ("d", "HEAD"),
    ] {
        let spec = format!("{what}:refs/notes/sq-inbox/{name}");
        team.git_ok(&format!("push --quiet --no-verify origin '{spec}'"));
    }
    team.git_ok("fetch --quiet");
    let record = team.world.record_in(&team.clone, "third");
    assert_eq!(record.code, 0, "{}", record.transcript());
    let (report, code) = team.world.check_in(&team.clone);
    assert_eq!(code, 3, "{report}");
    assert!(
        report["unknown"][0]
            .as_str()
            .unwrap()
            .contains("sq-inbox/a"),
        "{report}"
    );
    let doctor = team.sq(&team.clone, &["doctor"]);
    assert_eq!(doctor.code, 0);
    assert_eq!(doctor.stdout.matches(" holds no log").count(), 4);
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    // Nothing that is no inbox of ours was deleted.
    assert_eq!(team.inboxes().len(), 4);
}
