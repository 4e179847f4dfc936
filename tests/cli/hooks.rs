//! The hooks that `git sq init` sets: beside what is there, said, and taken back to the byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Prepare, Ran, Team, ended, executable, path_with_program};

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
    let version = team.git_ok("version");
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
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn init_chains_into_a_shell_hook_and_undo_gives_back_every_byte() {
    for_hook_files!();
    for (script, mode) in [
        ("#!/bin/sh\necho mine\n", 0o755),
        ("#!/bin/sh -e\necho no line feed at the end", 0o700),
        ("#!/usr/bin/env bash\n\nset -euo pipefail\nexit 0\n", 0o775),
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
        let said = hook_lines(&team.sq(&team.clone, &["init"]));
        assert_eq!(said.matches("hook:   added to p").count(), 2, "{said}");
        let planted = files(&hooks(&team));
        assert_ne!(planted, before);
        let again = team.sq(&team.clone, &["init"]);
        assert_eq!(hook_lines(&again), "");
        assert_eq!(files(&hooks(&team)), planted);
        team.world.person_ok_in(&team.clone, "init --undo");
        assert_eq!(files(&hooks(&team)), before, "{script}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_hook_that_init_made_is_removed_with_its_folder() {
    for_hook_files!();
    let team = Team::unprepared();
    let before = files(&hooks(&team));
    team.sq(&team.clone, &["init"]).ok();
    assert!(hooks(&team).join("pre-push").exists());
    team.world.person_ok_in(&team.clone, "init --undo");
    assert_eq!(files(&hooks(&team)), before);
    // Also where git was told to make no folder for hooks.
    fs::remove_dir_all(hooks(&team)).unwrap();
    team.sq(&team.clone, &["init"]).ok();
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 1);
    team.world.person_ok_in(&team.clone, "init --undo");
    assert!(!hooks(&team).exists());
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
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
    team.world.person_ok_in(&team.clone, "init --undo");
    let rest = fs::read_to_string(&path).unwrap();
    assert_eq!(rest, format!("{first}\n# before\necho after\n"));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_block_of_another_version_is_replaced() {
    for_hook_files!();
    let team = Team::unprepared();
    team.sq(&team.clone, &["init"]).ok();
    let path = hooks(&team).join("pre-push");
    let planted = fs::read_to_string(&path).unwrap();
    let other = planted.replace("git-sq hook pre-push", "git-sq hook pre-push --as-of-old");
    fs::write(&path, &other).unwrap();
    team.sq(&team.clone, &["init"]).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), planted);
    fs::write(&path, &other).unwrap();
    team.world.person_ok_in(&team.clone, "init --undo");
    assert!(!path.exists());
}

/// What init says where this was done before; nothing is written then.
fn left_alone(prepare: Prepare) -> String {
    let team = Team::unprepared();
    prepare(&team);
    let state = || {
        let dirs = [".git/hooks", ".husky", "../own-hooks", "scripts"];
        dirs.map(|dir| files(&team.clone.join(dir)))
    };
    let before = state();
    let said = hook_lines(&team.sq(&team.clone, &["init"]));
    let after = state();
    let touched = after.iter().flatten().filter(|file| {
        let is_pre_push = file.0.ends_with("pre-push");
        is_pre_push && !before.iter().flatten().any(|before| before == *file)
    });
    assert_eq!(touched.count(), 0);
    let said = said.lines().filter(|line| !line.contains("post-rewrite"));
    ended(said).replace(&*team.world.root().to_string_lossy(), "[world]")
}

#[test]
fn what_init_does_not_touch_is_said_with_what_to_do() {
    for_hook_files!();
    let hook =
        |text: &'static str| move |team: &Team| executable(&hooks(team).join("pre-push"), text);
    let not_a_script = "hook:   pre-push: [world]/clone/.git/hooks/pre-push is not a shell script that git sq can edit; let it run this (with husky: in .husky/pre-push):\n        if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push \"$@\" </dev/null; fi || :\n";
    for text in [
        "#!/usr/bin/env python3\n",
        "#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\nimport sys\n",
    ] {
        assert_eq!(left_alone(&hook(text)), not_a_script, "{text}");
    }
    let lefthook = hook("#!/bin/sh\ncall_lefthook run \"pre-push\" \"$@\"\n");
    insta::assert_snapshot!(left_alone(&lefthook), @r#"
    hook:   pre-push: lefthook writes [world]/clone/.git/hooks/pre-push; put this into .lefthook/pre-push/git-sq.sh:
            #!/bin/sh
            if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
            and this into lefthook.yml, and run `lefthook install`:
            pre-push:
              scripts:
                git-sq.sh:
                  runner: sh
                  use_stdin: true
    "#);
    let set = |scope: &'static str, to: &'static str| {
        move |team: &Team| {
            let to = to.replace("ROOT", team.world.root().to_str().unwrap());
            let set = ["config", scope, "core.hooksPath", &to];
            team.git(&team.clone, &set).ok();
        }
    };
    insta::assert_snapshot!(left_alone(&set("--local", ".husky/_")), @r#"
    hook:   pre-push: core.hooksPath is set, so git runs [world]/clone/.husky/_/pre-push, which git sq does not edit; let it run this (with husky: in .husky/pre-push):
            if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
    "#);
    for (scope, to) in [("--local", "ROOT/own-hooks"), ("--global", "~/hooks")] {
        let said = left_alone(&set(scope, to));
        assert!(said.contains("core.hooksPath is set"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_hooks_that_git_does_not_run_are_left_alone() {
    for_hook_files!();
    let link = |team: &Team| {
        let tracked = team.clone.join("scripts/pre-push");
        executable(&tracked, "#!/bin/sh\necho tracked\n");
        std::os::unix::fs::symlink(&tracked, hooks(team).join("pre-push")).unwrap();
    };
    insta::assert_snapshot!(left_alone(&link), @r#"
    hook:   pre-push: [world]/clone/.git/hooks/pre-push is a symbolic link; let it run this (with husky: in .husky/pre-push):
            if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
    "#);
    let idle = |team: &Team| {
        let path = hooks(team).join("pre-push");
        executable(&path, "#!/bin/sh\necho idle\n");
        chmod(&path, 0o644);
    };
    insta::assert_snapshot!(left_alone(&idle), @"hook:   pre-push: [world]/clone/.git/hooks/pre-push is not executable, so git does not run it; `chmod +x [world]/clone/.git/hooks/pre-push`, then `git sq init`");
}

/// Whatever becomes of our part, and in whichever shell, the rest of a hook gets what git gave it, and its exit code
/// counts.
#[cfg(unix)]
#[test]
fn a_guard_gets_its_input_and_is_obeyed_whatever_becomes_of_our_part() {
    for_hook_files!();
    let team = Team::unprepared();
    let root = team.world.root();
    // More than a pipe holds.
    let input: String = "refs/heads/main 0000 refs/heads/main 0000\n".repeat(10_000);
    fs::write(root.join("refs"), &input).unwrap();
    let wanted = format!("2 elsewhere ../else where.git {}", input.len());
    for name in ["pre-push", "post-rewrite"] {
        let guard = "#!/bin/sh\nn=$(wc -c)\necho \"$# $1 $2\" $n\nexit 3\n";
        executable(&hooks(&team).join(name), guard);
    }
    team.sq(&team.clone, &["init"]).ok();
    let programs: Vec<_> = [
        "exit 1",
        "kill -KILL $$",
        "cat >/dev/null; exit 1",
        "exec 0<&-; exit 2",
    ]
    .iter()
    .enumerate()
    .map(|(number, script)| {
        let folder = root.join(number.to_string());
        executable(&folder.join("git-sq"), &format!("#!/bin/sh\n{script}\n"));
        let path = std::env::var("PATH").unwrap();
        format!("{}:{path}", folder.display()).into()
    })
    .chain([path_with_program(), std::env::var_os("PATH").unwrap()])
    .collect();
    for shell in [
        "sh",
        "bash",
        "bash -eu -o pipefail",
        "dash",
        "zsh",
        "busybox sh",
    ] {
        if !super::shells::have(shell.split(' ').next().unwrap()) {
            continue;
        }
        for name in ["pre-push", "post-rewrite"] {
            let hook = hooks(&team).join(name);
            let text = fs::read_to_string(&hook).unwrap();
            let (_, rest) = text.split_once('\n').unwrap();
            fs::write(&hook, format!("#!/usr/bin/env -S {shell}\n{rest}")).unwrap();
            for path in &programs {
                let mut run = team.world.command("bash");
                // No temporary file can be made, nor written.
                run.env("PATH", path).env("TMPDIR", root.join("nowhere"));
                let command = "ulimit -f 0; exec \"$0\" elsewhere '../else where.git'";
                let run = run
                    .args(["-c", command])
                    .arg(&hook)
                    .current_dir(&team.clone);
                let refs = fs::File::open(root.join("refs")).unwrap();
                let ran: Ran = run.stdin(refs).output().unwrap().into();
                let about = format!("{shell} {name} {path:?} {}", ran.transcript());
                assert_eq!((ran.code, ran.stdout.trim()), (3, &*wanted), "{about}");
            }
        }
    }
}

/// A guard in bash, which needs a file for more than a pipe holds. What reads for the block may be killed, too.
#[test]
fn a_guard_keeps_main_where_no_file_can_be_written() {
    for_hook_files!();
    for dies in ["", "cat() { command cat >/dev/null; kill -KILL $BASHPID; }"] {
        let team = Team::unprepared();
        team.commit(&team.clone, "not yet");
        let head = team.git_ok("rev-parse HEAD");
        let branches: String = (0..700)
            .map(|number| format!("create refs/heads/b{number} {head}"))
            .collect();
        let git_dir = team.clone.join(".git");
        let mut update = vec!["--git-dir", git_dir.to_str().unwrap()];
        update.extend(["update-ref", "--stdin"]);
        team.world.git_with_input(&update, branches.as_bytes()).ok();
        let guard = "#!/bin/bash
            while read -r _ _ name _; do
                [ \"$name\" != refs/heads/main ] || exit 1
            done\n";
        executable(&hooks(&team).join("pre-push"), guard);
        team.sq(&team.clone, &["init"]).ok();
        let full = team.world.root().join("full");
        fs::write(&full, format!("trap '' XFSZ\nulimit -f 0\n{dies}\n")).unwrap();
        let mut push = team.command(&team.clone, &["push", "--quiet", "--all", "origin"]);
        let ran = team.anywhere({
            push.env("BASH_ENV", &full);
            push
        });
        assert_eq!(ran.code, 1, "{dies}: {}", ran.transcript());
        let there = team.git_ok_in(&team.remote, "for-each-ref");
        assert_eq!(there.lines().count(), 1, "{there}");
    }
}

/// Nothing of what git says about a push is needed to publish after it.
#[test]
fn the_block_for_a_push_leaves_standard_input_alone() {
    let team = Team::new();
    let said = team.sq(&team.clone, &["init", "--dry-run"]).ok();
    assert!(!said.contains("hook:"), "{said}");
    if !takes_hooks_from_config() {
        insta::assert_snapshot!(fs::read_to_string(hooks(&team).join("pre-push")).unwrap(), @r#"
        #!/bin/sh
        # >>> git sq: `git sq init --undo` takes this block out >>>
        if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
        # <<< git sq <<<
        "#);
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_linked_worktree_shares_the_hooks() {
    let team = Team::unprepared();
    let linked = team.world.root().join("linked");
    team.git_ok("worktree add --quiet -b side ../linked");
    let before = files(&hooks(&team));
    team.sq(&linked, &["init"]).ok();
    let again = team.sq(&team.clone, &["init"]);
    assert_eq!(hook_lines(&again), "");
    for dir in [&linked, &team.clone] {
        team.work(dir, "s1");
        team.git_ok_in(dir, "push --quiet origin HEAD");
        team.settle(dir);
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    }
    team.world.person_ok_in(&linked, "init --undo");
    assert_eq!(files(&hooks(&team)), before);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
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
        let value = team.git_ok(&format!("config '{key}'"));
        team.git_ok(&format!("config --unset '{key}'"));
        team.git_ok("status");
        team.git_ok("push --quiet origin main:y");
        team.git(&team.clone, &["config", key, value.trim()]).ok();
    }
    let undone = team.world.person_ok_in(&team.clone, "init --undo");
    let removed = undone.matches("hook:   removed the block from ").count();
    assert_eq!(removed, 2, "{undone}");
    let config = fs::read_to_string(team.clone.join(".git/config")).unwrap();
    assert_eq!(config, before.1);
}
