//! `git sq sync`: what it brings and takes, what it says, and that nothing is ever dropped, here or there.

use std::{fs, path::Path};

use git_sq_test_support::{Prepare, Ran, Team, executable};
use serde_json::{Value, json};

/// What was printed, with this world's folder taken out.
fn said(ran: &Ran, team: &Team) -> String {
    let root = team.world.root();
    ran.transcript().replace(&*root.to_string_lossy(), "[world]")
}

/// What sync says of the one remote, and its exit code.
fn synced(team: &Team, dir: &Path) -> (Value, i32) {
    let ran = team.sq(dir, &["sync", "--format", "json"]);
    let mut report = ran.json();
    assert_eq!(report["schema"], "sq.sync/v1", "{}", ran.transcript());
    (report["remotes"][0]["done"].take(), ran.code)
}

/// A team with one line on the remote and one more in the clone, and the project's branch beside.
fn shared() -> Team {
    let team = Team::new();
    team.publish("first");
    work(&team, &team.clone, "second");
    team
}

/// Makes a commit, records a session on it, and pushes the commit alone.
fn work(team: &Team, dir: &Path, sid: &str) {
    team.work(dir, sid);
    let name = dir.file_name().unwrap().display();
    let line = format!("push --quiet --no-verify --force origin HEAD:refs/heads/of-{name}");
    team.git_ok_in(dir, &line);
}

fn done(came: usize, went: usize) -> (Value, i32) {
    let done = json!({"came": came, "went": went, "waiting": 0, "branches": []});
    (done, 0)
}

#[test]
fn it_says_what_came_and_what_went() {
    let team = Team::new();
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    origin: up to date
    --- exit 0
    ");
    let other = team.join("other");
    team.work(&other, "theirs");
    work(&team, &other, "theirs-too");
    insta::assert_snapshot!(said(&team.sq(&other, &["sync"]), &team), @"
    origin: 2 entries published
    --- exit 0
    ");
    work(&team, &team.clone, "ours");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync", "origin"]), &team), @"
    origin: 2 entries fetched, 1 entry published
    --- exit 0
    ");
    assert_eq!(synced(&team, &other), done(1, 0));
    assert_eq!(synced(&team, &other), done(0, 0));
    assert_eq!(team.lines(&other), team.lines_on_remote());
    assert_eq!(team.lines(&team.clone), team.lines_on_remote());
}

#[cfg(unix)]
#[test]
fn what_is_recorded_while_it_works_is_published_after_it() {
    let team = shared();
    let [began, go] = ["began", "go"].map(|name| team.world.root().join(name));
    let slow = team.world.root().join("slow");
    let (at, until) = (began.display(), go.display());
    let script = format!(
        "#!/bin/sh\n: >'{at}'\nwhile [ ! -e '{until}' ]; do sleep 0.02; done\nexec git-receive-pack \"$@\"\n"
    );
    executable(&slow, &script);
    team.git_ok(&format!("config remote.origin.receivepack {}", slow.display()));
    let mut sync = team.command(&team.clone, &["sq", "sync"]);
    let mut sync = sync.stdout(std::process::Stdio::null()).spawn().unwrap();
    while !began.exists() {
        assert!(sync.try_wait().unwrap().is_none(), "nothing was pushed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    team.world.record_in(&team.clone, "third").ok();
    // Long enough for a publisher to find that it has to leave.
    std::thread::sleep(std::time::Duration::from_millis(500));
    fs::write(&go, "").unwrap();
    assert!(sync.wait().unwrap().success());
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 3);
}

#[test]
fn it_refuses_what_is_not_set_up_and_says_how() {
    let team = Team::unprepared();
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    --- stderr
    fatal: no remote shares the log
    hint: `git sq init` shares it with origin
    --- exit 128
    ");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync", "origin"]), &team), @"
    --- stderr
    fatal: origin is not set up to share the log (its readers may be strangers)
    hint: to share it, run `git config remote.origin.sq true` and `git sq init`
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
    let offline = team.sq(&team.clone, &["sync"]).exits(128);
    insta::assert_snapshot!(said(&offline, &team), @"
    --- stderr
    fatal: origin could not be reached: '[world]/remote.git' does not appear to be a git repository
    hint: nothing is lost
    hint: see that `git ls-remote origin` works, and run the command again
    --- exit 128
    ");
    let offline = team.sq(&team.clone, &["sync", "--format", "json"]).exits(128);
    assert_eq!(offline.json()["remotes"][0]["complete"], false);
}

#[test]
fn what_stays_here_is_named_with_its_branches() {
    let team = Team::new();
    // Nothing goes by itself.
    team.git_ok("config sq.pushTimeout 0");
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "one");
    team.work(&team.clone, "two");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    origin: up to date
      2 entries wait for their work to be pushed: topic
    --- exit 0
    ");
    team.git_ok("checkout --quiet -b more main");
    work(&team, &team.clone, "three");
    team.git_ok("checkout --quiet -b other main");
    team.work(&team.clone, "four");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["sync"]), &team), @"
    origin: 1 entry published
      3 entries wait for their work to be pushed: other, topic
    --- exit 0
    ");
    let (report, code) = synced(&team, &team.clone);
    assert_eq!((code, &report["waiting"]), (0, &json!(3)));
    assert_eq!(report["branches"], json!(["other", "topic"]));
    insta::assert_snapshot!(said(&team.sq(&team.clone, &[]), &team), @r#"
    On other at c4e09c5505: 1 question, 1 session
    Last session: four (3 minutes ago), 0 deltas; nothing committed since
    3 entries wait for their work to be pushed: other, topic
      ("git sq brief" begins a session, "git sq check" checks the log)
    --- exit 0
    "#);
    // Another remote that lacks the same does not make it more.
    team.git_ok("clone --quiet --bare ../remote.git ../second.git");
    team.git_ok("remote add second ../second.git");
    team.git_ok("config remote.second.sq true");
    team.git_ok("fetch --quiet second");
    let waiting = "3 entries wait for their work to be pushed: other, topic\n";
    let shown = team.sq_ok("status");
    assert_eq!(shown.matches(waiting).count(), 1, "{shown}");
    team.git_ok("remote remove second");
    insta::assert_snapshot!(said(&team.sq(&team.clone, &["doctor"]), &team), @"
    origin: 3 entries wait for their work to be pushed: other, topic
    No problems found.
    --- exit 0
    ");
    assert_eq!(team.lines_on_remote().len(), 1);
    // Colleagues read nothing about it.
    let other = team.join("other");
    assert_eq!(team.lines(&other).len(), 1);
    // What a tag has is public, though nothing tracks it.
    team.git_ok("push --quiet --no-verify origin topic:refs/tags/v1");
    assert_eq!(synced(&team, &team.clone).0["went"], 2);
    // What is pushed for review is not.
    team.git_ok("push --quiet --no-verify origin other:refs/for/main");
    assert_eq!(synced(&team, &team.clone).0["waiting"], 1);
}

/// It was public once; the entry was only slower.
#[test]
fn what_a_branch_had_before_it_was_deleted_or_forced_is_public() {
    for away in [
        "push --quiet --no-verify --force origin main~:refs/heads/main",
        "push --quiet --no-verify --force origin main~:refs/heads/topic",
    ] {
        let team = Team::new();
        team.work(&team.clone, "gone");
        team.git_ok("push --quiet --no-verify origin main main:topic");
        team.git_ok("push --quiet --no-verify --delete origin topic");
        team.git_ok(away);
        assert_eq!(synced(&team, &team.clone), done(0, 1), "{away}");
    }
}

#[test]
fn what_others_made_public_is_public_before_it_was_fetched() {
    let team = Team::new();
    let other = team.join("other");
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "ours");
    // Somebody has the commit by another way, and goes on from there.
    team.git_ok_in(&other, "pull --quiet ../clone topic");
    team.commit(&other, "more");
    team.git_ok_in(&other, "push --quiet origin HEAD:refs/heads/theirs");
    assert_eq!(synced(&team, &team.clone), done(0, 1));
}

#[test]
fn what_was_fetched_from_another_remote_is_not_public_here() {
    let team = Team::new();
    team.git_ok_in(&team.world.root(), "clone --quiet --bare remote.git second.git");
    team.git_ok("remote add second ../second.git");
    team.git_ok("config remote.second.sq true");
    team.git_ok("checkout --quiet -b topic");
    team.work(&team.clone, "private");
    team.git_ok("push --quiet second topic");
    team.settle(&team.clone);
    let second = team.world.root().join("second.git");
    assert_eq!(team.lines(&second).len(), 1);
    team.sq(&team.clone, &["sync"]).ok();
    assert!(team.lines_on_remote().is_empty());
    // The address moves to a third, of which the tracking refs tell nothing.
    team.git_ok_in(&team.world.root(), "clone --quiet --bare remote.git third.git");
    team.git_ok("remote set-url second ../third.git");
    let sync = team.sq(&team.clone, &["sync", "second"]);
    insta::assert_snapshot!(said(&sync, &team), @"
    second: up to date
      1 entry waits for its work to be pushed: topic
    --- exit 0
    ");
    assert!(team.lines(&team.world.root().join("third.git")).is_empty());
}

#[test]
fn a_log_with_another_history_is_taken_in_and_gets_what_it_lacks() {
    let team = Team::new();
    let other = team.join("other");
    work(&team, &team.clone, "one");
    team.sq(&team.clone, &["sync"]).ok();
    team.sq(&other, &["sync"]).ok();
    // The same tree in a commit of its own.
    let user = "-c user.name=x -c user.email=x@example.org";
    let line = format!("{user} commit-tree -m apart refs/notes/sq^{{tree}}");
    let apart = team.git_ok_in(&team.remote, &line);
    let update = format!("update-ref refs/notes/sq {}", apart.trim());
    team.git_ok_in(&team.remote, &update);
    assert_has!(
        team.sq_ok_in(&other, "sync"),
        "another history; it got back what this clone has, except what was redacted; others may have more\n"
    );
    work(&team, &other, "two");
    assert_eq!(synced(&team, &other), done(0, 1));
    work(&team, &team.clone, "three");
    let (report, _) = synced(&team, &team.clone);
    assert_eq!([&report["came"], &report["went"]], [1, 1], "{report}");
    assert_eq!(team.lines_on_remote().len(), 3);
    assert_eq!(team.log_on_remote(), [3, 0]);
}

#[test]
fn a_crowd_that_is_faster_is_waited_for() {
    let team = Team::new();
    // The log moves under every push, for a while.
    let script = "#!/bin/sh
while read -r old new ref; do
  [ $ref = refs/notes/sq ] && [ -e crowd ] || continue
  unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
  read -r left <crowd; [ $left -gt 1 ] && echo $((left - 1)) >crowd || rm crowd
  tree=$(git rev-parse -q --verify \"$ref^{tree}\" || git mktree </dev/null)
  parent=$(git rev-parse -q --verify $ref)
  new=$(git -c user.name=x -c user.email=x@example.org commit-tree ${parent:+-p $parent} -m \"moved $$\" $tree)
  git update-ref $ref $new
done
";
    executable(&team.remote.join("hooks/pre-receive"), script);
    fs::write(team.remote.join("crowd"), "2\n").unwrap();
    team.work(&team.clone, "ours");
    let ran = team.try_git("push --quiet");
    assert_eq!(ran.transcript(), "--- exit 0\n");
    team.settle(&team.clone);
    assert!(!team.remote.join("crowd").exists());
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert_eq!(team.log_on_remote(), [3, 0]);
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
    team.settle(&team.clone);
    let on_remote = || team.lines_at(&team.remote, "refs/heads/sq/log");
    assert_eq!(on_remote(), team.lines(&team.clone));
    team.git(&other, &["pull", "--quiet"]).ok();
    team.work(&other, "theirs");
    let shown = team.world.check_in(&other).0;
    assert_eq!(shown["sessions"], 2, "{shown}");
    team.push_from(&other);
    assert_eq!(on_remote().len(), 2);
}

#[test]
fn what_somebody_took_out_of_the_remote_comes_back() {
    let force = |team: &Team, to: &str| {
        team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq '{to}'"));
    };
    let emptied = |team: &Team| {
        let tree = team.git(&team.remote, &["hash-object", "-t", "tree", "-w", "/dev/null"]).ok();
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
        team.git(&team.world.root(), &["clone", "--quiet", "remote.git", "pruner"]).ok();
        for args in [
            &["fetch", "--quiet", "origin", "refs/notes/sq:refs/notes/sq"][..],
            &["notes", "--ref=sq", "remove", "origin/of-clone"],
            &["push", "--quiet", "origin", "refs/notes/sq"],
        ] {
            team.git(&dir, args).ok();
        }
    };
    let rows: [(&str, Prepare, Value); 4] = [
        ("emptied", &emptied, json!("replaced")),
        ("rewound", &rewound, json!("rewound")),
        ("deleted", &deleted, json!("deleted")),
        ("pruned", &pruned, json!(null)),
    ];
    for (name, act, tampering) in rows {
        let team = Team::new();
        for sid in ["one", "two"] {
            work(&team, &team.clone, sid);
            team.sq(&team.clone, &["sync"]).ok();
        }
        let lines = team.lines(&team.clone);
        assert_eq!(lines, team.lines_on_remote());
        act(&team);
        assert!(team.lines_on_remote().len() < 2, "{name}");
        team.git_ok("fetch --quiet --prune");
        assert_eq!(team.lines(&team.clone), lines, "{name}");
        assert_eq!(team.world.check_in(&team.clone).0["sessions"], 2, "{name}");
        let (report, code) = synced(&team, &team.clone);
        assert_eq!((code, &report["came"]), (0, &json!(0)), "{name} {report}");
        assert_eq!(report["tampering"], tampering, "{name} {report}");
        assert_eq!(team.lines_on_remote(), lines, "{name}");
        assert_eq!(team.lines(&team.clone), lines, "{name}");
    }
}

#[test]
fn what_was_fetched_and_then_deleted_on_the_remote_is_not_pruned_away() {
    let team = Team::new();
    let other = team.join("other");
    work(&team, &other, "theirs");
    team.sq(&other, &["sync"]).ok();
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
    team.git_ok("push --quiet --no-verify origin main:theirs");
    team.git_ok("config remote.origin.sqRef refs/heads/theirs");
    let before = team.refs(&team.remote);
    let ran = team.sq(&team.clone, &["sync"]).exits(128);
    insta::assert_snapshot!(ran.stderr, @"
    fatal: refs/heads/theirs on origin is not a log
    hint: nothing is lost
    hint: `git sq doctor` says what can be done about it
    ");
    assert_eq!(team.refs(&team.remote), before);
    team.git(&team.clone, &["push", "--quiet"]).ok();
}

#[test]
fn a_fetched_ref_that_is_no_log_stops_nobody() {
    for what in ["HEAD^{tree}", "annotated", "HEAD"] {
        let team = shared();
        team.git_ok("tag -m x annotated");
        team.git_ok(&format!("update-ref refs/notes/remotes/origin/sq '{what}'"));
        team.world.record_in(&team.clone, "third").ok();
        let (report, code) = team.world.check_in(&team.clone);
        assert_eq!(code, 3, "{report}");
        let unknown = report["unknown"][0].as_str().unwrap();
        assert!(unknown.contains("remotes/origin/sq"), "{report}");
        let doctor = team.sq(&team.clone, &["doctor"]);
        assert_eq!(doctor.stdout.matches(" holds no log").count(), 1);
        team.sq(&team.clone, &["sync"]).ok();
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    }
}
