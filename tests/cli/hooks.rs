//! The hooks that `git sq init` sets: beside what is there, said, and taken back to the byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Prepare, Ran, Team, ended, executable};

use super::{
    hook_managers::{told, travels, warnings},
    remembered::age,
};

/// What init says about hooks.
pub fn hook_lines(ran: &Ran) -> String {
    let mut about = false;
    let lines = ran.stdout.lines().filter(|line| {
        about = line.starts_with("hook:") || about && line.starts_with(' ');
        about
    });
    ended(lines)
}

/// Every file below a folder, with its rights.
pub fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
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
    fs::symlink_metadata(path).unwrap().permissions().mode()
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0
}

pub fn hooks(team: &Team) -> PathBuf {
    team.clone.join(".git/hooks")
}

/// A hook below 2.54 is a file; above, it stands in the configuration, and these tests would find nothing.
pub fn takes_hooks_from_config() -> bool {
    let version = Team::unprepared().git_ok("version");
    let version = version.split_whitespace().nth(2).unwrap().to_owned();
    let mut numbers = version.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(2), Some(54))
}

/// Skips a test of hook files where git has no need of them.
macro_rules! for_hook_files {
    () => {
        if $crate::hooks::takes_hooks_from_config() {
            eprintln!("skipped: this git takes hooks from its configuration");
            return;
        }
    };
}
pub(crate) use for_hook_files;

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_hook_that_init_made_is_removed_with_its_folder() {
    for_hook_files!();
    let team = Team::unprepared();
    let before = files(&hooks(&team));
    team.sq_ok("init");
    assert!(hooks(&team).join("pre-push").exists());
    team.world.person_ok_in(&team.clone, "init --undo");
    assert_eq!(files(&hooks(&team)), before);
    // Also where git was told to make no folder for hooks.
    fs::remove_dir_all(hooks(&team)).unwrap();
    team.sq_ok("init");
    team.publish("s1");
    assert_eq!(team.lines_on_remote().len(), 1);
    team.world.person_ok_in(&team.clone, "init --undo");
    assert!(!hooks(&team).exists());
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_hook_of_another_version_is_replaced_and_one_that_was_edited_stays() {
    for_hook_files!();
    let team = Team::unprepared();
    team.sq_ok("init");
    let path = hooks(&team).join("pre-push");
    let planted = fs::read_to_string(&path).unwrap();
    let make_older =
        || age(&team.clone, ".git/hooks/pre-push", "hook pre-push", "hook pre-push -1");
    make_older();
    team.sq_ok("init");
    assert_eq!(fs::read_to_string(&path).unwrap(), planted);
    make_older();
    team.world.person_ok_in(&team.clone, "init --undo");
    assert!(!path.exists());
    // Also in our own line.
    for edited in [planted.clone() + "echo mine\n", planted.replace("|| :", "|| :; echo mine")] {
        fs::remove_file(&path).ok();
        team.sq_ok("init");
        fs::write(&path, &edited).unwrap();
        assert_eq!(hook_lines(&team.try_sq_in(&team.clone, "init")), "");
        team.world.person_ok_in(&team.clone, "init --undo");
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    }
}

/// What init says where this was done before; nothing is written then.
fn left_alone(prepare: Prepare) -> String {
    let team = Team::unprepared();
    prepare(&team);
    let state = || {
        [".git/hooks", ".husky", "../own-hooks", "scripts"].map(|dir| files(&team.clone.join(dir)))
    };
    let before = state();
    let said = hook_lines(&team.try_sq_in(&team.clone, "init"));
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
fn a_hook_of_somebody_else_gets_no_line_but_the_user_is_told_it() {
    for_hook_files!();
    let hook = |team: &Team| executable(&hooks(team).join("pre-push"), "#!/bin/sh\necho mine\n");
    insta::assert_snapshot!(left_alone(&hook), @r#"
    hook:   pre-push: git sq does not edit [world]/clone/.git/hooks/pre-push; have it run this shell command before its other commands:
            if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
    "#);
    let configured = |team: &Team| team.git_ok("config core.hooksPath scripts").truncate(0);
    let create = "core.hooksPath names; create [world]/clone/scripts/pre-push with these lines";
    assert_has!(left_alone(&configured), create);
}

/// Its target may stand on another branch.
#[cfg(unix)]
#[test]
fn a_link_to_a_hook_that_is_not_here_is_left_alone() {
    for_hook_files!();
    let team = Team::unprepared();
    let path = hooks(&team).join("pre-push");
    std::os::unix::fs::symlink("../../scripts/pre-push", &path).unwrap();
    let (sentence, line) = told(&team, "pre-push");
    assert!(
        sentence.ends_with("; have it run this shell command before its other commands:"),
        "{sentence}"
    );
    assert_eq!(fs::read_link(&path).unwrap(), Path::new("../../scripts/pre-push"));
    assert_eq!(warnings(&team), 1);
    executable(&team.clone.join("scripts/pre-push"), &format!("#!/bin/sh\n{line}"));
    travels(&team);
}

/// What reads the rewritten commits goes on reading them, and a hook that refuses a push goes on refusing it.
#[test]
fn the_lines_that_are_told_take_nothing_from_the_hooks_that_they_go_in() {
    for_hook_files!();
    let team = Team::unprepared();
    let [push, rewrite] = ["pre-push", "post-rewrite"].map(|name| hooks(&team).join(name));
    executable(&push, "#!/bin/sh\n[ ! -e refused ] && cat >pushed\n");
    executable(&rewrite, "#!/bin/sh\ncat >own\n");
    let (sentence, line) = told(&team, "pre-push");
    assert_eq!(warnings(&team), 2);
    assert!(
        sentence.ends_with("; have it run this shell command before its other commands:"),
        "{sentence}"
    );
    let script = format!("#!/bin/sh\n{line}[ ! -e refused ] && cat >pushed\n");
    executable(&push, &script);
    let (sentence, line) = told(&team, "post-rewrite");
    assert!(
        sentence.ends_with("; have it run this shell command after its other commands:"),
        "{sentence}"
    );
    executable(&rewrite, &format!("#!/bin/sh\ncat >own\n{line}"));
    assert_eq!(warnings(&team), 0);
    team.work(&team.clone, "s1");
    let old = team.git_ok("rev-parse HEAD");
    fs::write(team.clone.join("more"), "more\n").unwrap();
    team.git_ok("add more");
    team.git_ok("commit --quiet --amend -m More");
    let own = fs::read_to_string(team.clone.join("own")).unwrap();
    assert!(own.starts_with(old.trim()), "{own}");
    assert!(team.git_ok("notes --ref=sq show HEAD").contains("\"s1\""));
    fs::write(team.clone.join("refused"), "").unwrap();
    assert_eq!(team.try_git("push --quiet").code, 1);
    fs::remove_file(team.clone.join("refused")).unwrap();
    team.push();
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    let pushed = fs::read_to_string(team.clone.join("pushed")).unwrap();
    assert!(pushed.starts_with("refs/heads/main "), "{pushed}");
    team.world.person_ok_in(&team.clone, "init --undo");
    assert_eq!(fs::read_to_string(&push).unwrap(), script);
}

/// Nothing of what git says about a push is needed to publish after it.
#[test]
fn the_hook_for_a_push_leaves_standard_input_alone() {
    let team = Team::new();
    let said = team.sq_ok("init --dry-run");
    assert!(!said.contains("hook:"), "{said}");
    if !takes_hooks_from_config() {
        insta::assert_snapshot!(fs::read_to_string(hooks(&team).join("pre-push")).unwrap(), @r#"
        #!/bin/sh
        # Set by `git sq init`; `git sq init --undo` removes it.
        if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "$@" </dev/null; fi || :
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
    team.sq_ok_in(&linked, "init");
    let again = team.try_sq_in(&team.clone, "init");
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
    let before =
        (files(&hooks(&team)), fs::read_to_string(team.clone.join(".git/config")).unwrap());
    let said = hook_lines(&team.try_sq_in(&team.clone, "init"));
    assert_eq!(said.matches("hook:   set ").count(), 2, "{said}");
    let listed = team.try_git("config --get-regexp ^hook");
    assert_eq!(listed.ok().lines().count(), 4);
    assert_eq!(files(&hooks(&team)), before.0, "files stay as they are");
    team.work(&team.clone, "s1");
    let ran = team.try_git("push --quiet");
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
    let removed = undone.matches("hook:   removed ").count();
    assert_eq!(removed, 2, "{undone}");
    let config = fs::read_to_string(team.clone.join(".git/config")).unwrap();
    assert_eq!(config, before.1);
}
