//! Pushes beside the user's own hooks and settings, and from clones that have not everything.

use std::fs;

use git_sq_test_support::{Team, executable};

use super::push::{as_without_us, carried, comes_later};

/// Teams with a pre-push hook of the user's own, with us, as init says, and without us.
fn with_own_hook(script: &str) -> [Team; 2] {
    ["init", "init --no-hooks"].map(|init| {
        let team = Team::unprepared();
        let hook = team.clone.join(".git/hooks/pre-push");
        executable(&hook, script);
        let said = team.git_ok(&format!("sq {init}"));
        let line = said.lines().find(|line| line.contains("git-sq hook pre-push"));
        if let Some(line) = line {
            let (first, rest) = script.split_once('\n').unwrap();
            executable(&hook, &format!("{first}\n{}\n{rest}", line.trim()));
        }
        team.work(&team.clone, "s1");
        team
    })
}

#[test]
fn a_hook_of_the_user_s_that_fails_fails_as_it_did() {
    let script = "#!/bin/sh\necho 'no pushing today' >&2\nexit 7\n";
    let [ours, plain] = with_own_hook(script);
    let ran = ours.try_git("push");
    let expected = plain.try_git("push");
    assert_eq!(ran.transcript(), expected.transcript());
    assert_ne!(ran.code, 0);
    assert_eq!(ours.refs(&ours.remote), plain.refs(&plain.remote));
    comes_later(&ours);
}

#[test]
fn settings_that_push_more_are_for_the_user_s_push_alone() {
    for (key, value, push) in [
        ("push.followTags", "true", "push"),
        ("push.gpgSign", "if-asked", "push"),
        ("remote.origin.push", "refs/heads/main:refs/heads/elsewhere", "push"),
        ("push.default", "nothing", "push origin main"),
    ] {
        println!("{key}");
        let set = |team: &Team| {
            team.git_ok("tag -a -m x v1");
            team.git_ok(&format!("config --add '{key}' '{value}'"));
        };
        carried(&as_without_us(set, push));
    }
}

#[test]
fn push_options_are_for_the_user_s_push_alone() {
    let options = |team: &Team| {
        team.set_on_remote("receive.advertisePushOptions", "true");
        let hook = "#!/bin/sh\nwhile read -r old new ref; do echo \"$ref ${GIT_PUSH_OPTION_COUNT:-none} $GIT_PUSH_OPTION_0\" >>options; done\n";
        executable(&team.remote.join("hooks/post-receive"), hook);
        team.git_ok("config push.pushOption ci.skip");
    };
    for push in ["push", "-c push.pushOption=ci.skip push --push-option=ci.skip"] {
        let pushed = as_without_us(options, push);
        carried(&pushed);
        let seen = fs::read_to_string(pushed.0.remote.join("options")).unwrap();
        assert!(seen.contains("refs/heads/main 1 ci.skip\n"), "{seen}");
        assert!(seen.contains("refs/notes/sq 0 \n"), "{push:?} {seen}");
    }
}

#[test]
fn submodules_are_pushed_by_the_user_s_push_alone() {
    let pushed = as_without_us(
        |team| {
            let root = team.world.root();
            let seed = ["init", "--quiet", "--initial-branch=main", "seed"];
            team.git(&root, &seed).ok();
            team.commit(&root.join("seed"), "in the submodule");
            team.git_ok_in(&root, "clone --quiet --bare seed module.git");
            team.git_ok("submodule --quiet add ../module.git module");
            team.git_ok("commit --quiet -am 'a submodule'");
            let module = team.clone.join("module");
            team.commit(&module, "not pushed yet");
            team.git_ok("commit --quiet -am moved");
            team.git_ok("config push.recurseSubmodules on-demand");
        },
        "push",
    );
    carried(&pushed);
    let team = pushed.0;
    let tip = team.git(&team.clone.join("module"), &["rev-parse", "HEAD"]);
    let bare = team.world.root().join("module.git");
    let there = team.git(&bare, &["rev-parse", "main"]);
    assert_eq!(tip.ok(), there.ok());
}
