//! Pushes beside the user's own hooks and settings, and from clones that have not everything.

use std::fs;

use git_sq_test_support::{Prepare, Team, ended, executable};

use super::push::{as_without_us, carried, comes_later};

/// Teams with a pre-push hook of the user's own, with us, as init says, and without us.
fn with_own_hook(script: &str) -> [Team; 2] {
    ["init", "init --no-hooks"].map(|init| {
        let team = Team::unprepared();
        let hook = team.clone.join(".git/hooks/pre-push");
        executable(&hook, script);
        let said = team.git_ok(&format!("sq {init}"));
        let line = said
            .lines()
            .find(|line| line.contains("git-sq hook pre-push"));
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

/// What git feeds to a hook that keeps it: the arguments, then the bytes.
fn fed(team: &Team, prepare: Prepare) -> String {
    prepare(team);
    team.git_ok("push --all");
    team.settle(&team.clone);
    let fed = fs::read_to_string(team.clone.join("fed")).unwrap();
    fed.replace(&*team.world.root().to_string_lossy(), "[world]")
}

#[test]
fn a_hook_of_the_user_s_gets_its_standard_input_to_the_byte() {
    // More than a pipe holds.
    let many = |team: &Team| {
        let head = team.git_ok("rev-parse HEAD");
        let create = |number| format!("create refs/heads/many/{number} {}", head.trim());
        let lines: Vec<String> = (0..700).map(create).collect();
        let input = ended(lines.iter().map(String::as_str));
        let file = team.world.root().join("refs");
        fs::write(&file, input).unwrap();
        let mut update = team.command(&team.clone, &["update-ref", "--stdin"]);
        let update = update.stdin(fs::File::open(file).unwrap());
        assert!(update.status().unwrap().success());
    };
    let special = |team: &Team| {
        for name in ["$(id)", "`id`", "it's", "a\"b", "%s%n", "git_sq_end", "é"] {
            team.git(&team.clone, &["branch", name]).ok();
        }
    };
    let pushed = |team: &Team| {
        team.git_ok("push --no-verify --all");
    };
    let nothing = |_: &Team| {};
    let rows: [(&str, Prepare, usize); 5] = [
        ("/bin/sh", &nothing, 1),
        ("/bin/sh", &many, 701),
        ("/bin/sh -e", &special, 8),
        ("/bin/sh -e", &pushed, 0),
        ("/usr/bin/env bash", &special, 8),
    ];
    for (shell, prepare, refs) in rows {
        let teams = with_own_hook(&format!(
            "#!{shell}\nprintf '%s\\n' \"$@\" >fed\ncat >>fed\n"
        ));
        let [ours, plain] = teams.each_ref().map(|team| fed(team, prepare));
        assert_eq!(ours, plain, "{shell}");
        let lines = ours.lines().count();
        assert_eq!(lines, 2 + refs, "two arguments, and a line a ref");
        let team = &teams[0];
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    }
}

#[test]
fn a_hook_of_the_user_s_that_reads_nothing_is_not_disturbed() {
    let [ours, plain] = with_own_hook("#!/bin/sh\necho \"$1\" >&2\nexit 0\n");
    let ran = ours.try_git("push");
    assert_eq!(ran.transcript(), plain.try_git("push").transcript());
    ours.settle(&ours.clone);
    carried(&(ours, ran));
}

#[test]
fn settings_that_push_more_are_for_the_user_s_push_alone() {
    let set = |team: &Team, pairs: &[(&str, &str)]| {
        for (key, value) in pairs {
            team.git_ok(&format!("config --add '{key}' '{value}'"));
        }
    };
    let tagged = |team: &Team| {
        team.git_ok("tag -a -m x v1");
        set(team, &[("push.followTags", "true")]);
    };
    carried(&as_without_us(tagged, "push"));
    let signed = |team: &Team| set(team, &[("push.gpgSign", "if-asked")]);
    carried(&as_without_us(signed, "push"));
    let specs = |team: &Team| {
        set(
            team,
            &[("remote.origin.push", "refs/heads/main:refs/heads/elsewhere")],
        );
    };
    carried(&as_without_us(specs, "push"));
    for default in ["nothing", "matching", "upstream", "current"] {
        let of_default = |team: &Team| set(team, &[("push.default", default)]);
        let pushed = as_without_us(of_default, "push origin main");
        carried(&pushed);
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
    for push in [
        "push",
        "push -o ci.skip",
        "-c push.pushOption=ci.skip push --push-option=ci.skip",
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
        team.git_ok_in(&root, "clone --quiet --bare seed module.git");
        team.git_ok("submodule --quiet add ../module.git module");
        team.git_ok("commit --quiet -am 'a submodule'");
        let module = team.clone.join("module");
        team.commit(&module, "not pushed yet");
        team.git_ok("commit --quiet -am moved");
        team.git_ok("config push.recurseSubmodules on-demand");
    };
    let pushed = as_without_us(submodule, "push");
    carried(&pushed);
    let team = pushed.0;
    let tip = team.git(&team.clone.join("module"), &["rev-parse", "HEAD"]);
    let bare = team.world.root().join("module.git");
    let there = team.git(&bare, &["rev-parse", "main"]);
    assert_eq!(tip.ok(), there.ok());
}
