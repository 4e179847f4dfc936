//! What an attacker found about the log on its way: odd refs, odd remotes, copies, and settings of the user's own.

use std::{fs, path::Path};

use git_sq_test_support::{Team, World, executable};

/// The rules of what doctor finds in a clone, and its exit code.
fn rules(team: &Team) -> (Vec<String>, i32) {
    let ran = team.sq(&team.clone, &["doctor", "--format", "json"]);
    let found = ran.json();
    let problems = found["problems"].as_array().unwrap();
    let rules = problems.iter().map(|p| p["rule"].as_str().unwrap().into());
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

#[test]
fn undo_in_a_copy_leaves_the_original_alone() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let world = World::new();
    world.write("readme", "x\n");
    world.commit("First");
    world.sq(&["init"]).ok();
    let copy = world.root().join("copy");
    copy_folder(&world.dir, &copy);
    let hook = |dir: &Path| fs::read_to_string(dir.join(".git/hooks/pre-push")).ok();
    let before = hook(&world.dir);
    assert!(before.is_some());
    world.sq_in(&copy, &["init", "--undo"]).ok();
    assert_eq!(hook(&copy), None);
    assert!(!copy.join("context").exists());
    assert_eq!(hook(&world.dir), before);
    assert!(world.dir.join("context/standing_questions.json").exists());
    // And after a move everything is taken back where it is now.
    let moved = world.root().join("moved");
    fs::rename(&world.dir, &moved).unwrap();
    world.sq_in(&moved, &["init", "--undo"]).ok();
    assert_eq!(hook(&moved), None);
    assert!(!moved.join("context").exists());
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn undo_follows_a_renamed_remote_and_a_hook_that_was_moved_aside() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let team = Team::new();
    let config = || {
        team.git(&team.clone, &["config", "--local", "--get-regexp", "sq"])
            .stdout
    };
    let hooks = team.clone.join(".git/hooks");
    team.git(&team.clone, &["remote", "rename", "origin", "up"])
        .ok();
    // As pre-commit does it.
    fs::rename(hooks.join("pre-push"), hooks.join("pre-push.legacy")).unwrap();
    team.sq(&team.clone, &["init", "--undo"]).ok();
    assert_eq!(config(), "");
    assert_eq!(
        fs::read_to_string(hooks.join("pre-push.legacy")).unwrap(),
        "#!/bin/sh\n"
    );
}

#[test]
fn a_folder_for_hooks_that_was_made_goes_again() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let world = World::new();
    let hooks = world.dir.join(".git/hooks");
    fs::remove_dir_all(&hooks).unwrap();
    world.sq(&["init"]).ok();
    assert!(hooks.exists());
    world.sq(&["init", "--undo"]).ok();
    assert!(!hooks.exists());
}

#[test]
fn hooks_that_were_declined_are_not_missed() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let team = Team::without_hooks();
    assert_eq!(rules(&team), (vec![], 0));
    team.sq(&team.clone, &["doctor", "--fix"]).ok();
    assert!(!team.clone.join(".git/hooks/pre-push").exists());
    team.sq(&team.clone, &["init"]).ok();
    assert!(team.clone.join(".git/hooks/pre-push").exists());
    // Nor are they set where nobody ran init.
    let team = Team::unprepared();
    team.sq(&team.clone, &["doctor", "--fix"]).ok();
    assert!(!team.clone.join(".git/hooks/pre-push").exists());
}

#[cfg(unix)]
#[test]
fn a_hook_that_hands_itself_to_another_program_is_left_alone() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let team = Team::unprepared();
    let hook = team.clone.join(".git/hooks/pre-push");
    let text = "#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\nimport sys\n";
    executable(&hook, text);
    let said = team.sq(&team.clone, &["init"]).ok();
    assert!(said.contains("is no shell script"), "{said}");
    assert_eq!(fs::read_to_string(&hook).unwrap(), text);
}

#[test]
fn the_user_s_own_refspecs_are_left_alone() {
    let team = Team::new();
    for spec in [
        "+refs/notes/*:refs/notes/remotes/origin/*",
        "+refs/notes/commits:refs/notes/remotes/origin/commits",
        "+refs/notes/review:refs/notes/remotes/shared/review",
    ] {
        let add = ["config", "--add", "remote.origin.fetch", spec];
        team.git(&team.clone, &add).ok();
        assert_eq!(rules(&team), (vec![], 0), "{spec}");
    }
}

#[test]
fn what_is_set_elsewhere_is_not_called_fixed() {
    let team = Team::new();
    let spec = "+refs/notes/*:refs/notes/*";
    let set = ["config", "--global", "remote.origin.fetch", spec];
    team.git(&team.clone, &set).ok();
    let ran = team.sq(&team.clone, &["doctor", "--fix"]);
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    assert!(ran.stdout.starts_with("error: "), "{}", ran.stdout);
}

#[test]
fn a_refspec_that_leaves_the_log_out_and_a_second_address_are_named() {
    let team = Team::new();
    let add = ["config", "--add", "remote.origin.fetch", "^refs/notes/*"];
    team.git(&team.clone, &add).ok();
    assert_eq!(rules(&team), (vec!["not-fetched".into()], 1));
    let unset = [
        "config",
        "--fixed-value",
        "--unset",
        "remote.origin.fetch",
        "^refs/notes/*",
    ];
    team.git(&team.clone, &unset).ok();
    team.git(
        &team.clone,
        &["config", "remote.origin.pushurl", "../elsewhere.git"],
    )
    .ok();
    assert_eq!(rules(&team), (vec!["push-elsewhere".into()], 0));
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
    team.git(&team.clone, &["config", "remote.aux.sq", "true"])
        .ok();
    team.world.record_in(&team.clone, "second").ok();
    assert_eq!(rules(&team).0[0], "cannot-share");
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
