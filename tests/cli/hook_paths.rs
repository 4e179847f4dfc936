//! The folder in which git looks for hooks, and the rights of what is there.

use std::{fs, path::Path};

use git_sq_test_support::{Ran, Team, executable};

use crate::{
    hook_managers::{HOOKS, doctor, pre_commit, told, travels, undo, warnings, write},
    hooks::{files, for_hook_files, hooks},
};

#[cfg(unix)]
fn take_run_bit(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// Runs a remedy as it is printed.
fn follow(team: &Team, command: &str) -> Ran {
    team.world.shell_in(&team.clone, command)
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn the_repository_s_own_folder_may_be_configured() {
    for_hook_files!();
    let absolute = |team: &Team| hooks(team).to_string_lossy().into_owned();
    let slash = |team: &Team| absolute(team) + "/";
    let relative = |_: &Team| ".git/hooks".to_owned();
    for path in [&absolute as &dyn Fn(&Team) -> String, &slash, &relative] {
        let team = Team::unprepared();
        let before = files(&hooks(&team));
        team.git(&team.clone, &["config", "core.hooksPath", &path(&team)]).ok();
        team.sq_ok("init");
        travels(&team);
        undo(&team);
        assert_eq!(files(&hooks(&team)), before);
    }
    // From a linked worktree, and where the folder is missing.
    let team = Team::unprepared();
    fs::remove_dir_all(hooks(&team)).unwrap();
    team.git(&team.clone, &["config", "core.hooksPath", &absolute(&team)]).ok();
    team.git_ok("worktree add --quiet -b side ../linked");
    team.sq_ok_in(&team.world.root().join("linked"), "init");
    travels(&team);
}

#[test]
fn a_folder_for_all_repositories_is_not_written_to() {
    for_hook_files!();
    let team = Team::unprepared();
    let folder = team.world.root().join("all-hooks");
    let path = folder.to_string_lossy().into_owned();
    team.git(&team.clone, &["config", "--global", "core.hooksPath", &path]).ok();
    for hook in HOOKS {
        let (sentence, lines) = told(&team, hook);
        let file = format!("[world]/all-hooks/{hook}");
        assert_eq!(
            sentence,
            format!(
                "git sq does not write to the folder that core.hooksPath names; create {file} with these lines, and run `chmod u+x {file}`:"
            )
        );
        write(&folder.join(hook), &lines);
        let idle =
            format!("{hook}: {file} is not executable, so it does not run:\n  chmod u+x {file}");
        #[cfg(unix)]
        assert_has!(doctor(&team), &*idle);
        let chmod = sentence.rsplit('`').nth(1).unwrap();
        follow(&team, &chmod.replace("[world]", &team.world.root().to_string_lossy())).ok();
    }
    travels(&team);
}

#[test]
fn a_hook_for_all_repositories_may_run_that_of_each() {
    for_hook_files!();
    let team = Team::unprepared();
    team.sq_ok("init");
    let folder = team.world.root().join("all-hooks");
    for hook in HOOKS {
        let run =
            format!("#!/bin/sh\nexec \"$(git rev-parse --git-common-dir)/hooks/{hook}\" \"$@\"\n");
        executable(&folder.join(hook), &run);
    }
    let path = folder.to_string_lossy().into_owned();
    team.git(&team.clone, &["config", "--global", "core.hooksPath", &path]).ok();
    travels(&team);
    executable(&folder.join("pre-push"), "#!/bin/sh\nexec true\n");
    assert_eq!(warnings(&team), 1);
}

#[test]
fn where_no_hook_runs_the_way_back_is_told() {
    for_hook_files!();
    let own = |team: &Team| hooks(team).to_string_lossy().into_owned();
    for (scope, path) in [
        ("--local", "/dev/null"),
        ("--global", "/dev/null"),
        ("--local", "standing_questions.json/hooks"),
    ] {
        let team = Team::unprepared();
        team.git(&team.clone, &["config", scope, "core.hooksPath", path]).ok();
        let (sentence, lines) = told(&team, "pre-push");
        assert_has!(sentence, "which is not a folder, so git runs no hooks");
        assert_eq!(lines, format!("git config core.hooksPath {}\ngit sq init\n", own(&team)));
        assert_eq!(warnings(&team), 2);
        for line in lines.lines() {
            follow(&team, line).ok();
        }
        travels(&team);
    }
}

#[test]
#[cfg(unix)]
fn a_hook_without_its_run_bit_is_named_as_that() {
    for_hook_files!();
    let team = Team::unprepared();
    let path = hooks(&team).join("pre-push");
    team.sq_ok("init");
    take_run_bit(&path);
    insta::assert_snapshot!(doctor(&team), @"
    warning: git does not run git sq in the pre-push hook: the log is not published after your pushes
      git sq init
    1 problem
    ");
    assert_has!(team.sq_ok("init"), "hook:   set pre-push: ");
    assert_eq!(warnings(&team), 0);
    // The user's own is left as it is.
    let text = "#!/bin/sh\ngit-sq hook pre-push \"$@\"\n";
    fs::write(&path, text).unwrap();
    take_run_bit(&path);
    let (sentence, remedy) = told(&team, "pre-push");
    assert_eq!(
        sentence,
        "[world]/clone/.git/hooks/pre-push is not executable, so it does not run:"
    );
    assert_eq!(warnings(&team), 1);
    follow(&team, &remedy).ok();
    travels(&team);
    // Nor does pre-commit run such a one.
    fs::remove_file(&path).unwrap();
    pre_commit(&team, "pre-commit");
    team.sq_ok("init");
    assert_eq!(warnings(&team), 0);
    let legacy = path.with_extension("legacy");
    take_run_bit(&legacy);
    assert_eq!(warnings(&team), 1);
    team.sq_ok("init");
    assert_eq!(warnings(&team), 0);
}
