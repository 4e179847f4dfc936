//! Histories of honest teams, in which no proof of `git sq verify` fails.

use std::fs;

use git_sq_test_support::Team;

use super::proofs::{fetch, fresh, proofs, team, trouble};

/// What honest people do between two sessions; `main` is shared.
const HONEST: [(&str, &[&str]); 20] = [
    ("amends", &["commit --quiet --amend --allow-empty -m Amended"]),
    ("rebases", &["rebase --quiet --force-rebase HEAD~1"]),
    (
        "squashes",
        &[
            "switch --quiet -c topic",
            "commit --quiet --allow-empty -m Topic",
            "switch --quiet main",
            "merge --quiet --squash topic",
            "commit --quiet --allow-empty -m Squashed",
        ],
    ),
    (
        "merges",
        &[
            "switch --quiet -c topic",
            "commit --quiet --allow-empty -m Topic",
            "switch --quiet main",
            "merge --quiet --no-ff topic -m Merge",
        ],
    ),
    (
        "works on a private branch",
        &[
            "switch --quiet -c private",
            "commit --quiet --allow-empty -m Private",
            "sq record --sid p --same q1",
            "switch --quiet main",
        ],
    ),
    (
        "has a second remote",
        &[
            "remote add fork ../fork.git",
            "config remote.fork.sq true",
            "push --quiet fork main",
            "sq sync",
        ],
    ),
    ("begins a new writer", &["forget", "sq init"]),
    (
        "resets",
        &[
            "commit --quiet --allow-empty -m Wrong",
            "sq record --sid w --same q1",
            "reset --quiet --hard HEAD~1",
        ],
    ),
    ("carries", &["commit --quiet --amend --allow-empty -m Amended", "sq carry"]),
    ("syncs", &["sq sync"]),
    (
        "fixes up",
        &[
            "commit --quiet --allow-empty -m One",
            "sq record --sid f --same q1",
            "commit --quiet --allow-empty --fixup HEAD",
            "-c sequence.editor=: rebase --quiet -i --autosquash --keep-empty HEAD~2",
        ],
    ),
    (
        "picks cherries",
        &[
            "switch --quiet -c topic",
            "commit --quiet --allow-empty -m Topic",
            "sq record --sid c --same q1",
            "switch --quiet main",
            "commit --quiet --allow-empty -m Main",
            "cherry-pick --allow-empty topic",
        ],
    ),
    (
        "works in a second worktree",
        &[
            "worktree add --quiet -b linked ../linked",
            "-C ../linked commit --quiet --allow-empty -m Linked",
            "-C ../linked sq record --sid l --same q1",
            "merge --quiet linked",
        ],
    ),
    (
        "deletes a branch that was pushed",
        &[
            "switch --quiet -c gone",
            "commit --quiet --allow-empty -m Gone",
            "sq record --sid g --same q1",
            "push --quiet origin gone",
            "switch --quiet main",
            "branch --quiet -D gone",
            "push --quiet origin :gone",
        ],
    ),
    (
        "replaces a branch that was pushed",
        &[
            "switch --quiet -c forced",
            "commit --quiet --allow-empty -m Forced",
            "sq record --sid f --same q1",
            "push --quiet origin forced",
            "commit --quiet --amend --allow-empty -m Amended",
            "push --quiet --force origin forced",
            "switch --quiet main",
        ],
    ),
    (
        "works without a branch",
        &[
            "switch --quiet --detach",
            "commit --quiet --allow-empty -m Detached",
            "sq record --sid d --same q1",
            "switch --quiet main",
        ],
    ),
    (
        "merges what another clone pushed",
        &[
            "-C ../other pull --quiet --rebase",
            "-C ../other commit --quiet --allow-empty -m Other",
            "-C ../other sq record --sid o --same q1",
            "-C ../other push --quiet",
            "pull --quiet --no-rebase --no-edit",
        ],
    ),
    ("collects garbage", &["gc --quiet --prune=now", "pack-refs --all"]),
    ("renames its remote", &["remote rename origin upstream", "sq init", "sq sync"]),
    (
        "moves the log to a home of its own",
        &[
            "init --quiet --bare ../audit.git",
            "remote add audit ../audit.git",
            "config sq.logRemote audit",
            "sq init",
            "sq sync",
        ],
    ),
];

#[test]
fn honest_histories_fail_nowhere() {
    std::thread::scope(|scope| {
        for half in [&HONEST[..10], &HONEST[10..]] {
            scope.spawn(move || fail_nowhere(half));
        }
    });
}

fn fail_nowhere(histories: &[(&str, &[&str])]) {
    for (place, &(name, lines)) in histories.iter().enumerate() {
        let pushes_before = place % 2 == 0;
        let (team, auditor) = team();
        team.git_ok_in(&team.world.root(), "clone --quiet --mirror remote.git fork.git");
        let dir = &team.clone;
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.work(dir, "h1");
        if pushes_before && !matches!(name, "amends" | "rebases" | "carries") {
            team.push_from(dir);
        }
        for line in lines {
            if *line == "forget" {
                fs::remove_dir_all(dir.join(".git/sq")).unwrap();
                continue;
            }
            let ran = team.git(dir, &git_sq_test_support::refs(&git_sq_test_support::words(line)));
            assert!(ran.code < 128, "{name}: {line}: {}", ran.transcript());
        }
        team.work(dir, "h2");
        team.push_from(dir);
        team.sq(dir, &["sync"]).ok();
        team.git_ok_in(&auditor, "pull --quiet");
        for clone in [dir, &auditor, &fresh(&team)] {
            let (found, code) = trouble(&team, clone, &[]);
            let fails: Vec<_> = found.iter().filter(|(_, trouble)| trouble[0] > 0).collect();
            assert!(
                fails.is_empty() && code == 0,
                "{name}: {}",
                team.sq(clone, &["verify", "--log"]).transcript()
            );
        }
    }
}

#[test]
fn the_first_publication_and_renamed_remotes_fail_nothing() {
    let team = Team::new();
    team.publish("s1");
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(trouble(&team, &team.clone, &[]), (proofs(&[]), 0));
    let (team, auditor) = self::team();
    for line in ["remote rename origin upstream", "remote remove upstream"] {
        team.git_ok_in(&auditor, line);
        let (found, code) = trouble(&team, &auditor, &[]);
        assert!(code != 1, "{line}: {found:?}");
    }
    // Without any log there is nothing to say.
    let clone = team.cloned("", "plain");
    let ran = team.sq(&clone, &["verify", "--log"]);
    assert!(ran.code == 3 && ran.stdout.contains("no log is here"), "{}", ran.transcript());
}

#[test]
fn plain_merges_of_notes_lose_no_state() {
    let (team, auditor) = team();
    team.git_ok_in(&team.clone, "fetch --quiet");
    let tracking = "refs/notes/remotes/origin/sq";
    team.git_ok_in(&team.clone, &format!("update-ref refs/notes/other {tracking}~1"));
    team.git_ok_in(&team.clone, "notes --ref=other add -m words HEAD^{tree}");
    team.git_ok_in(&team.clone, &format!("notes --ref=other merge -s cat_sort_uniq {tracking}"));
    team.git_ok_in(&team.clone, "push --quiet --no-verify origin refs/notes/other:refs/notes/sq");
    fetch(&team, &auditor);
    let (found, _) = trouble(&team, &auditor, &[]);
    assert_eq!(found, proofs(&[("append-only", [1, 0])]), "the merge alone is named");
}
