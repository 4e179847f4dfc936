//! What an attacker found about the log on its way: odd refs, odd remotes, copies, and settings of the user's own.

use std::fs;

use git_sq_test_support::{Team, executable};

/// The rules of what doctor finds in a clone, and its exit code.
fn rules(team: &Team) -> (Vec<String>, i32) {
    let ran = team.sq(&team.clone, &["doctor", "--format", "json"]);
    let found = ran.json();
    let findings = found["findings"].as_array().unwrap();
    let rules = findings.iter().map(|p| p["rule"].as_str().unwrap().into());
    (rules.collect(), ran.code)
}

/// A team with one line on the remote and one more in the clone, and the project's branch beside.
fn shared() -> Team {
    let team = Team::new();
    team.work(&team.clone, "first");
    team.git(&team.clone, &["push", "--quiet"]).ok();
    team.work(&team.clone, "second");
    team
}

#[test]
fn a_fetched_ref_that_is_no_log_stops_nobody() {
    let team = shared();
    team.git(&team.clone, &["tag", "-m", "x", "annotated"]).ok();
    fs::write(team.clone.join("hi"), "hi\n").unwrap();
    let blob = team.git(&team.clone, &["hash-object", "-w", "hi"]).ok();
    for (name, what) in [
        ("a", blob.trim()),
        ("b", "HEAD^{tree}"),
        ("c", "annotated"),
        ("d", "HEAD"),
    ] {
        let spec = format!("{what}:refs/notes/sq-inbox/{name}");
        team.git(
            &team.clone,
            &["push", "--quiet", "--no-verify", "origin", &spec],
        )
        .ok();
    }
    team.git(&team.clone, &["fetch", "--quiet"]).ok();
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
    let (found, code) = rules(&team);
    assert_eq!(code, 0);
    assert_eq!(
        found,
        ["bad-ref", "bad-ref", "bad-ref", "bad-ref", "not-pushed"]
    );
    team.sq(&team.clone, &["sync"]).ok();
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    // Nothing that is no inbox of ours was deleted.
    assert_eq!(team.inboxes().len(), 4);
}

#[test]
fn a_log_ref_that_is_somebody_s_branch_is_neither_pushed_to_nor_joined() {
    let team = shared();
    team.git(
        &team.clone,
        &["config", "remote.origin.sqRef", "refs/heads/main"],
    )
    .ok();
    let before = team.refs(&team.remote);
    let ran = team.sq(&team.clone, &["sync"]);
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    insta::assert_snapshot!(ran.stderr);
    assert_eq!(team.refs(&team.remote), before);
    let (found, _) = rules(&team);
    assert!(found.contains(&"bad-ref".to_owned()), "{found:?}");
    let push = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(push.code, 0, "{}", push.transcript());
}

#[test]
fn a_local_log_that_was_broken_is_restored() {
    let team = shared();
    let lines = team.lines(&team.clone);
    team.git(&team.clone, &["update-ref", "refs/notes/sq", "HEAD"])
        .ok();
    let ran = team.world.record_in(&team.clone, "third");
    assert_eq!(ran.code, 128);
    insta::assert_snapshot!(ran.stderr);
    assert_eq!(rules(&team), (vec!["bad-ref".into()], 1));
    team.sq(&team.clone, &["doctor", "--fix"]).ok();
    assert_eq!(team.lines(&team.clone), lines);
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

#[cfg(unix)]
#[test]
fn a_refusal_in_words_that_have_a_lock_in_them_is_a_refusal() {
    let team = shared();
    let hook = "#!/bin/sh\ncase $1 in refs/notes/*) echo 'blocked by policy' >&2; exit 1;; esac\n";
    executable(&team.remote.join("hooks/update"), hook);
    assert_eq!(team.sq(&team.clone, &["sync"]).code, 128);
    let (found, code) = rules(&team);
    assert_eq!(
        (found, code),
        (vec!["refused".into(), "not-pushed".into()], 1)
    );
}

#[test]
fn a_packed_refs_lock_is_named() {
    let team = shared();
    let lock = team.clone.join(".git/packed-refs.lock");
    fs::write(&lock, "").unwrap();
    let ran = team.world.record_in(&team.clone, "third");
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    let said = ran.stderr;
    assert!(said.contains("packed-refs.lock is in the way"), "{said}");
}

#[test]
fn names_that_no_ref_of_ours_can_have_share_nothing() {
    let team = Team::unprepared();
    team.git(&team.clone, &["remote", "rename", "origin", "aux"])
        .ok();
    let said = team.sq(&team.clone, &["init"]).ok();
    assert!(said.contains("aux can't share the log"), "{said}");
    team.work(&team.clone, "first");
}

#[test]
fn a_time_limit_beyond_reason_is_one() {
    let team = shared();
    for limit in ["18446744073709551615", "-1", "3s", ""] {
        let set = ["config", "sq.pushTimeout", limit];
        team.git(&team.clone, &set).ok();
        team.work(&team.clone, "more");
        let ran = team.git(&team.clone, &["push", "--quiet"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{limit}");
    }
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
}
