//! The hooks that `git sq init` sets: beside what is there, said, and taken back to the byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Prepare, Ran, Team, ended, executable};

macro_rules! assert_said {
    ($name:expr, $ran:expr) => {
        insta::with_settings!({filters => vec![
            ("/[^ \n'\"]*git-sq-test-[A-Za-z0-9]+", "[world]"),
        ]}, {
            insta::assert_snapshot!($name, hook_lines(&$ran));
        });
    };
}

/// What init says about hooks.
fn hook_lines(ran: &Ran) -> String {
    let mut about = false;
    let lines = ran.stdout.lines().filter(|line| {
        about = line.starts_with("hook:") || about && line.starts_with(' ');
        about
    });
    ended(lines)
}

/// Every file below a folder, with its rights.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap_or_default();
            found.push((path.clone(), bytes, mode(&path)));
        }
    }
    found.sort();
    found
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let found = fs::symlink_metadata(path).unwrap();
    found.permissions().mode()
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0
}

#[cfg(unix)]
fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn hooks(team: &Team) -> PathBuf {
    team.clone.join(".git/hooks")
}

/// A hook below 2.54 is a file; above, it stands in the configuration, and these tests would find nothing.
pub fn takes_hooks_from_config() -> bool {
    let team = Team::unprepared();
    let version = team.git(&team.clone, &["version"]).ok();
    let version = version.split_whitespace().nth(2).unwrap().to_owned();
    let mut numbers = version.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(2), Some(54))
}

/// Skips a test of hook files where git has no need of them.
macro_rules! for_hook_files {
    () => {
        if takes_hooks_from_config() {
            eprintln!("skipped: this git takes hooks from its configuration");
            return;
        }
    };
}

#[test]
fn init_chains_into_a_shell_hook_and_undo_gives_back_every_byte() {
    for_hook_files!();
    for (script, mode) in [
        ("#!/bin/sh\necho mine\n", 0o755),
        ("#!/bin/sh -e\necho no line feed at the end", 0o700),
        (
            "#!/usr/bin/env bash\n\n\nset -euo pipefail\nexit 0\n",
            0o775,
        ),
        ("#!/bin/sh\n", 0o755),
    ] {
        let team = Team::unprepared();
        for name in ["pre-push", "post-rewrite"] {
            let path = hooks(&team).join(name);
            executable(&path, script);
            #[cfg(unix)]
            chmod(&path, mode);
            let _ = mode;
        }
        let before = files(&hooks(&team));
        let first = team.sq(&team.clone, &["init"]);
        assert_said!("chained", first);
        let planted = files(&hooks(&team));
        assert_ne!(planted, before);
        let again = team.sq(&team.clone, &["init"]);
        assert_eq!(hook_lines(&again), "");
        assert_eq!(files(&hooks(&team)), planted);
        team.sq(&team.clone, &["init", "--undo"]).ok();
        assert_eq!(files(&hooks(&team)), before, "{script}");
    }
}

#[test]
fn a_hook_that_init_made_is_removed() {
    for_hook_files!();
    let team = Team::unprepared();
    let before = files(&hooks(&team));
    team.sq(&team.clone, &["init"]).ok();
    assert!(hooks(&team).join("pre-push").exists());
    team.sq(&team.clone, &["init", "--undo"]).ok();
    assert_eq!(files(&hooks(&team)), before);
    // Also where git was told to make no folder for hooks.
    fs::remove_dir_all(hooks(&team)).unwrap();
    team.sq(&team.clone, &["init"]).ok();
    team.work(&team.clone, "s1");
    team.git(&team.clone, &["push", "--quiet"]).ok();
    assert_eq!(team.lines_on_remote().len(), 1);
    team.sq(&team.clone, &["init", "--undo"]).ok();
    assert_eq!(files(&hooks(&team)), []);
}

#[test]
fn what_the_user_writes_around_the_block_stays() {
    for_hook_files!();
    let team = Team::unprepared();
    team.sq(&team.clone, &["init"]).ok();
    let path = hooks(&team).join("pre-push");
    let planted = fs::read_to_string(&path).unwrap();
    let (first, block) = planted.split_once('\n').unwrap();
    let edited = format!("{first}\n# before\n{block}echo after\n");
    fs::write(&path, &edited).unwrap();
    let again = team.sq(&team.clone, &["init"]);
    assert_eq!(hook_lines(&again), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    team.sq(&team.clone, &["init", "--undo"]).ok();
    let rest = fs::read_to_string(&path).unwrap();
    assert_eq!(rest, format!("{first}\n# before\necho after\n"));
}

#[test]
fn a_block_of_another_version_is_replaced() {
    for_hook_files!();
    let team = Team::unprepared();
    team.sq(&team.clone, &["init"]).ok();
    let path = hooks(&team).join("pre-push");
    let planted = fs::read_to_string(&path).unwrap();
    let other = planted.replace("git-sq hook pre-push", "git-sq hook pre-push --as-of-old");
    fs::write(&path, &other).unwrap();
    assert_said!("replaced", team.sq(&team.clone, &["init"]));
    assert_eq!(fs::read_to_string(&path).unwrap(), planted);
    fs::write(&path, &other).unwrap();
    team.sq(&team.clone, &["init", "--undo"]).ok();
    assert!(!path.exists());
}

#[test]
fn what_init_does_not_touch_is_said_with_what_to_do() {
    for_hook_files!();
    let python = |team: &Team| {
        executable(&hooks(team).join("pre-push"), "#!/usr/bin/env python3\n");
    };
    let lefthook = |team: &Team| {
        let text = "#!/bin/sh\ncall_lefthook run \"pre-push\" \"$@\"\n";
        executable(&hooks(team).join("pre-push"), text);
    };
    let set = |team: &Team, scope: &[&str], to: &str| {
        let dir = team.world.root().join("own-hooks");
        fs::create_dir_all(&dir).unwrap();
        let to = to.replace("ROOT", team.world.root().to_str().unwrap());
        let args = [&["config"], scope, &["core.hooksPath", &to]].concat();
        team.git(&team.clone, &args).ok();
    };
    let relative = |team: &Team| set(team, &[], ".husky/_");
    let absolute = |team: &Team| set(team, &[], "ROOT/own-hooks");
    let global = |team: &Team| set(team, &["--global"], "~/hooks");
    let rows: [(&str, Prepare); 5] = [
        ("python", &python),
        ("lefthook", &lefthook),
        ("relative-path", &relative),
        ("absolute-path", &absolute),
        ("global-path", &global),
    ];
    for (name, prepare) in rows {
        let team = Team::unprepared();
        prepare(&team);
        let mark = hooks(&team).join("pre-push");
        let before = fs::read(&mark).ok();
        assert_said!(name, team.sq(&team.clone, &["init"]));
        assert_eq!(fs::read(&mark).ok(), before, "{name}");
        for dir in [".husky", "../own-hooks", "../home/hooks"] {
            assert_eq!(files(&team.clone.join(dir)), [], "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn links_and_hooks_that_git_does_not_run_are_left_alone() {
    for_hook_files!();
    let team = Team::unprepared();
    let tracked = team.clone.join("scripts/pre-push");
    executable(&tracked, "#!/bin/sh\necho tracked\n");
    std::os::unix::fs::symlink(&tracked, hooks(&team).join("pre-push")).unwrap();
    let idle = hooks(&team).join("post-rewrite");
    executable(&idle, "#!/bin/sh\necho idle\n");
    chmod(&idle, 0o644);
    let before = files(&hooks(&team));
    assert_said!("link-and-idle", team.sq(&team.clone, &["init"]));
    assert_eq!(files(&hooks(&team)), before);
    let text = fs::read_to_string(&tracked).unwrap();
    assert_eq!(text, "#!/bin/sh\necho tracked\n");
}

#[test]
fn a_hooks_path_inside_the_git_folder_is_a_place_of_ours() {
    for_hook_files!();
    let team = Team::unprepared();
    let set = ["config", "core.hooksPath", ".git/my-hooks"];
    team.git(&team.clone, &set).ok();
    team.sq(&team.clone, &["init"]).ok();
    assert!(team.clone.join(".git/my-hooks/pre-push").exists());
    team.work(&team.clone, "s1");
    team.git(&team.clone, &["push", "--quiet"]).ok();
    assert_eq!(team.lines_on_remote().len(), 1);
}

#[test]
fn hooks_are_declined_by_an_option_and_set_by_no_dry_run() {
    let team = Team::unprepared();
    let state = || {
        (
            files(&hooks(&team)),
            fs::read(team.clone.join(".git/config")),
        )
    };
    let (before, config) = state();
    team.sq(&team.clone, &["init", "--dry-run"]).ok();
    let (files_then, config_then) = state();
    assert_eq!(files_then, before);
    assert_eq!(config_then.unwrap(), config.unwrap());
    let ran = team.sq(&team.clone, &["init", "--no-hooks"]);
    assert_eq!(hook_lines(&ran), "");
    assert_eq!(state().0, before);
    let listed = team.git(&team.clone, &["config", "--get-regexp", "^hook"]);
    assert_eq!(listed.code, 1, "{}", listed.transcript());
}

#[test]
fn a_linked_worktree_shares_the_hooks() {
    let team = Team::unprepared();
    let linked = team.world.root().join("linked");
    let add = ["worktree", "add", "--quiet", "-b", "side", "../linked"];
    team.git(&team.clone, &add).ok();
    let before = files(&hooks(&team));
    let ran = team.sq(&linked, &["init"]);
    assert!(
        !hook_lines(&ran).contains("core.hooksPath"),
        "{}",
        ran.stdout
    );
    let again = team.sq(&team.clone, &["init"]);
    assert_eq!(hook_lines(&again), "");
    for dir in [&linked, &team.clone] {
        team.work(dir, "s1");
        let push = ["push", "--quiet", "origin", "HEAD"];
        team.git(dir, &push).ok();
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    }
    team.sq(&linked, &["init", "--undo"]).ok();
    assert_eq!(files(&hooks(&team)), before);
}

#[cfg(unix)]
#[test]
fn a_clone_that_is_reached_through_a_link_is_no_other_place() {
    let team = Team::unprepared();
    let link = team.world.root().join("link");
    std::os::unix::fs::symlink(&team.clone, &link).unwrap();
    let ran = team.sq(&link, &["init"]);
    assert!(
        !hook_lines(&ran).contains("core.hooksPath"),
        "{}",
        ran.stdout
    );
    team.work(&link, "s1");
    team.git(&link, &["push", "--quiet"]).ok();
    assert_eq!(team.lines_on_remote().len(), 1);
}

#[test]
fn git_2_54_takes_hooks_from_its_configuration() {
    if !takes_hooks_from_config() {
        eprintln!("skipped: this git is older than 2.54 and takes hooks from files alone");
        return;
    }
    let team = Team::unprepared();
    let own = "#!/bin/sh\ncat >own\nexit 0\n";
    executable(&hooks(&team).join("pre-push"), own);
    let before = (
        files(&hooks(&team)),
        fs::read_to_string(team.clone.join(".git/config")).unwrap(),
    );
    let said = hook_lines(&team.sq(&team.clone, &["init"]));
    assert_eq!(said.matches("hook:   set ").count(), 2, "{said}");
    let listed = team.git(&team.clone, &["config", "--get-regexp", "^hook"]);
    assert_eq!(listed.ok().lines().count(), 4);
    assert_eq!(files(&hooks(&team)), before.0, "files stay as they are");
    team.work(&team.clone, "s1");
    let ran = team.git(&team.clone, &["push", "--quiet"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(team.lines_on_remote().len(), 1);
    // The user's own hook ran beside, with its input.
    let own = fs::read_to_string(team.clone.join("own")).unwrap();
    assert!(own.starts_with("refs/heads/main "), "{own}");
    // Without the program.
    team.work(&team.clone, "s2");
    let ran = team.world.git_in(&team.clone, &["push", "--quiet"]);
    assert_eq!(ran.transcript(), "--- exit 0\n");
    assert_eq!(team.lines_on_remote().len(), 1);
    // An event whose command is gone stops every git command, so whatever undo leaves for a moment has to work.
    for key in ["hook.sq-pre-push.event", "hook.sq-post-rewrite.event"] {
        let value = team.git(&team.clone, &["config", key]).ok();
        team.git(&team.clone, &["config", "--unset", key]).ok();
        team.git(&team.clone, &["status"]).ok();
        team.git(&team.clone, &["push", "--quiet", "origin", "main:y"])
            .ok();
        team.git(&team.clone, &["config", key, value.trim()]).ok();
    }
    let undone = team.sq(&team.clone, &["init", "--undo"]).ok();
    assert_eq!(
        undone.matches("hook:   took git sq out of ").count(),
        2,
        "{undone}"
    );
    let config = fs::read_to_string(team.clone.join(".git/config")).unwrap();
    assert_eq!(config, before.1);
}
