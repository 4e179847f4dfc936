//! Pushes beside the user's own hooks and settings, and from clones that have not everything.

use std::fs;

use git_sq_test_support::{Prepare, Ran, Team, ended, executable};

use super::push::{as_without_us, carried, comes_later, our_words};

/// Teams with a pre-push hook of the user's own, with us and without us.
fn with_own_hook(script: &str) -> [Team; 2] {
    [&["init"][..], &["init", "--no-hooks"]].map(|init| {
        let team = Team::unprepared();
        executable(&team.clone.join(".git/hooks/pre-push"), script);
        team.sq(&team.clone, init).ok();
        team.work(&team.clone, "s1");
        team
    })
}

#[test]
fn a_hook_of_the_user_s_that_fails_fails_as_it_did() {
    let script = "#!/bin/sh\necho 'no pushing today' >&2\nexit 7\n";
    let [ours, plain] = with_own_hook(script);
    let ran = ours.git(&ours.clone, &["push"]);
    let expected = plain.git(&plain.clone, &["push"]);
    assert_eq!(ran.transcript(), expected.transcript());
    assert_ne!(ran.code, 0);
    assert_eq!(ours.refs(&ours.remote), plain.refs(&plain.remote));
    comes_later(&ours);
}

/// What git feeds to a hook that keeps it: the arguments, then the bytes.
fn fed(team: &Team, prepare: Prepare, push: &[&str]) -> String {
    prepare(team);
    team.git(&team.clone, push).ok();
    let fed = fs::read_to_string(team.clone.join("fed")).unwrap();
    fed.replace(&*team.world.root().to_string_lossy(), "[world]")
}

#[test]
fn a_hook_of_the_user_s_gets_its_standard_input_to_the_byte() {
    let many = |team: &Team| {
        let head = team.git(&team.clone, &["rev-parse", "HEAD"]).ok();
        let create = |number| format!("create refs/heads/many/{number} {}", head.trim());
        let lines: Vec<String> = (0..3000).map(create).collect();
        let input = ended(lines.iter().map(String::as_str));
        let file = team.world.root().join("refs");
        fs::write(&file, input).unwrap();
        let mut update = team.command(&team.clone, &["update-ref", "--stdin"]);
        let update = update.stdin(fs::File::open(file).unwrap());
        assert!(update.status().unwrap().success());
    };
    let odd = |team: &Team| {
        for name in ["$(id)", "`id`", "it's", "a\"b", "%s%n", "git_sq_end", "é"] {
            team.git(&team.clone, &["branch", name]).ok();
        }
    };
    let pushed = |team: &Team| {
        team.git(&team.clone, &["push", "--no-verify", "--all"])
            .ok();
    };
    let nothing = |_: &Team| {};
    for shell in ["#!/bin/sh", "#!/bin/sh -e", "#!/usr/bin/env bash"] {
        let script = format!("{shell}\nprintf '%s\\n' \"$@\" >fed\ncat >>fed\n");
        let rows: [(Prepare, usize); 4] = [(&nothing, 1), (&odd, 8), (&many, 3001), (&pushed, 0)];
        for (prepare, refs) in rows {
            let teams = with_own_hook(&script);
            let [ours, plain] = [0, 1].map(|n| fed(&teams[n], prepare, &["push", "--all"]));
            assert_eq!(ours, plain, "{shell}");
            let lines = ours.lines().count();
            assert_eq!(lines, 2 + refs, "two arguments, and a line a ref");
            let team = &teams[0];
            assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
        }
    }
}

#[test]
fn a_hook_of_the_user_s_that_reads_nothing_is_not_disturbed() {
    let [ours, plain] = with_own_hook("#!/bin/sh\necho \"$1\" >&2\nexit 0\n");
    let ran = ours.git(&ours.clone, &["push"]);
    assert_eq!(
        ran.transcript(),
        plain.git(&plain.clone, &["push"]).transcript()
    );
    carried(&(ours, ran));
}

#[test]
fn settings_that_push_more_are_for_the_user_s_push_alone() {
    let set = |team: &Team, pairs: &[(&str, &str)]| {
        for (key, value) in pairs {
            team.git(&team.clone, &["config", "--add", key, value]).ok();
        }
    };
    let tagged = |team: &Team| {
        team.git(&team.clone, &["tag", "-a", "-m", "x", "v1"]).ok();
        set(team, &[("push.followTags", "true")]);
    };
    carried(&as_without_us(tagged, &["push"]));
    let signed = |team: &Team| set(team, &[("push.gpgSign", "if-asked")]);
    carried(&as_without_us(signed, &["push"]));
    let specs = |team: &Team| {
        set(
            team,
            &[("remote.origin.push", "refs/heads/main:refs/heads/elsewhere")],
        );
    };
    carried(&as_without_us(specs, &["push"]));
    for default in ["nothing", "matching", "upstream", "current"] {
        let of_default = |team: &Team| set(team, &[("push.default", default)]);
        let pushed = as_without_us(of_default, &["push", "origin", "main"]);
        carried(&pushed);
    }
}

#[test]
fn push_options_are_for_the_user_s_push_alone() {
    let options = |team: &Team| {
        team.set_on_remote("receive.advertisePushOptions", "true");
        let hook = "#!/bin/sh\nwhile read -r old new ref; do echo \"$ref ${GIT_PUSH_OPTION_COUNT:-none} $GIT_PUSH_OPTION_0\" >>options; done\n";
        executable(&team.remote.join("hooks/post-receive"), hook);
        let set = ["config", "push.pushOption", "ci.skip"];
        team.git(&team.clone, &set).ok();
    };
    for push in [
        &["push"][..],
        &["push", "-o", "ci.skip"],
        &[
            "-c",
            "push.pushOption=ci.skip",
            "push",
            "--push-option=ci.skip",
        ],
    ] {
        let pushed = as_without_us(options, push);
        carried(&pushed);
        let seen = fs::read_to_string(pushed.0.remote.join("options")).unwrap();
        assert!(seen.contains("refs/heads/main 1 ci.skip\n"), "{seen}");
        assert!(seen.contains("refs/notes/sq 0 \n"), "{push:?} {seen}");
    }
}

#[test]
fn submodules_are_pushed_by_the_user_s_push_alone() {
    let submodule = |team: &Team| {
        let root = team.world.root();
        let seed = ["init", "--quiet", "--initial-branch=main", "seed"];
        team.git(&root, &seed).ok();
        team.commit(&root.join("seed"), "in the submodule");
        team.git(&root, &["clone", "--quiet", "--bare", "seed", "module.git"])
            .ok();
        let add = ["submodule", "--quiet", "add", "../module.git", "module"];
        team.git(&team.clone, &add).ok();
        team.git(&team.clone, &["commit", "--quiet", "-am", "a submodule"])
            .ok();
        let module = team.clone.join("module");
        team.commit(&module, "not pushed yet");
        team.git(&team.clone, &["commit", "--quiet", "-am", "moved"])
            .ok();
        let set = ["config", "push.recurseSubmodules", "on-demand"];
        team.git(&team.clone, &set).ok();
    };
    let pushed = as_without_us(submodule, &["push"]);
    carried(&pushed);
    let team = pushed.0;
    let tip = team.git(&team.clone.join("module"), &["rev-parse", "HEAD"]);
    let bare = team.world.root().join("module.git");
    let there = team.git(&bare, &["rev-parse", "main"]);
    assert_eq!(tip.ok(), there.ok());
}

#[test]
fn what_was_pushed_survives_the_refspec_that_many_guides_recommend() {
    let (team, ran) = as_without_us(
        |team| {
            let spec = "+refs/notes/*:refs/notes/*";
            let add = ["config", "--add", "remote.origin.fetch", spec];
            team.git(&team.clone, &add).ok();
        },
        &["push"],
    );
    assert_eq!(our_words(&ran), "");
    let other = team.join("other");
    for (round, fetch) in [
        &["fetch"][..],
        &["fetch", "--prune"],
        &["-c", "fetch.prune=true", "pull"],
    ]
    .into_iter()
    .enumerate()
    {
        team.git(&other, &["pull", "--quiet"]).ok();
        team.work(&other, &format!("theirs-{round}"));
        team.git(&other, &["push", "--quiet"]).ok();
        team.git(&team.clone, fetch).ok();
        team.world
            .record_in(&team.clone, &format!("ours-{round}"))
            .ok();
        team.git(&team.clone, &["push", "--quiet", "origin", "main:x"])
            .ok();
    }
    comes_later(&team);
    assert_eq!(team.lines_on_remote().len(), 7);
}

#[test]
fn pruning_fetches_take_no_line() {
    let (team, _) = as_without_us(|_| {}, &["push"]);
    team.work(&team.clone, "not-pushed");
    let lines = team.lines(&team.clone);
    for fetch in [
        &["fetch", "--prune"][..],
        &["fetch", "--prune", "--all"],
        &["-c", "fetch.prune=true", "fetch"],
        &["-c", "fetch.pruneTags=true", "fetch", "-p"],
        &["remote", "prune", "origin"],
    ] {
        team.git(&team.clone, fetch).ok();
        assert_eq!(team.lines(&team.clone), lines, "{fetch:?}");
    }
    team.git(&team.clone, &["push"]).ok();
    assert_eq!(team.lines_on_remote(), lines);
}

/// A clone that lacks much of what the remote has pushes and syncs all the same.
#[test]
fn shallow_and_partial_clones() {
    let team = Team::new();
    team.set_on_remote("uploadpack.allowFilter", "true");
    for round in 0..3 {
        team.work(&team.clone, &format!("before-{round}"));
    }
    team.git(&team.clone, &["push"]).ok();
    let root = team.world.root();
    let url = format!("file://{}", team.remote.display());
    for (number, how) in ["--depth=1", "--filter=blob:none", "--filter=tree:0"]
        .into_iter()
        .enumerate()
    {
        let name = format!("part-{number}");
        team.git(&root, &["clone", "--quiet", how, &url, &name])
            .ok();
        let part = root.join(&name);
        team.sq(&part, &["init"]).ok();
        // The remote's log moves on meanwhile, so that the push has to fetch and fold.
        team.git(&team.clone, &["pull", "--quiet", "--rebase"]).ok();
        team.work(&team.clone, &format!("meanwhile-{number}"));
        team.git(&team.clone, &["push", "--quiet", "origin", "main:aside"])
            .ok();
        team.work(&part, &name);
        let ran: Ran = team.git(&part, &["push", "--quiet"]);
        assert_eq!(ran.transcript(), "--- exit 0\n", "{how}");
        let count = 3 + 3 * number + 2;
        assert_eq!(team.lines_on_remote().len(), count, "{how}");
        if how == "--depth=1" {
            // A shallow fetch cuts the history of the log as well.
            team.git(&part, &["fetch", "--quiet", "--depth=1"]).ok();
        }
        team.world.record_in(&part, &format!("more-{number}")).ok();
        team.sq(&part, &["sync"]).ok();
        assert_eq!(team.lines_on_remote().len(), count + 1, "{how}");
        assert_eq!(team.lines(&part), team.lines_on_remote(), "{how}");
        assert_eq!(team.inboxes(), [""; 0], "{how}");
        let delete = ["push", "--quiet", "--delete", "origin", "aside"];
        team.git(&team.clone, &delete).ok();
    }
}
