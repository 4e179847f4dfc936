//! Hooks beside the tools that generate git's hook files, with files as these tools make them. `tests/heavy/managers.rs`
//! has the tools themselves.

use std::{fs, path::Path};

use git_sq_test_support::{Team, ended, executable};

use crate::hooks::{files, for_hook_files, hook_lines, hooks};

pub const HOOKS: [&str; 2] = ["pre-push", "post-rewrite"];

const OWN: &str = "cat >own-input\n";

/// The sentence about a hook in what init says, and the lines below it.
pub fn told(team: &Team, hook: &str) -> (String, String) {
    let said = hook_lines(&team.try_sq_in(&team.clone, "init"));
    let mut lines = said.lines();
    let head = format!("hook:   {hook}: ");
    let sentence = lines.find_map(|line| line.strip_prefix(&head)).unwrap_or_default();
    let sentence = sentence.replace(&*team.world.root().to_string_lossy(), "[world]");
    (sentence, ended(lines.map_while(|line| line.strip_prefix("        "))))
}

pub fn doctor(team: &Team) -> String {
    let said = team.try_sq_in(&team.clone, "doctor").stdout;
    said.replace(&*team.world.root().to_string_lossy(), "[world]")
}

/// The warnings of doctor about hooks.
pub fn warnings(team: &Team) -> usize {
    let found = team.try_sq_in(&team.clone, "doctor --format json").json();
    found["findings"].to_string().matches("hook-not-run").count()
}

/// Doctor is content, a push publishes the log, and an amended commit keeps its entries.
#[track_caller]
pub fn travels(team: &Team) {
    assert_eq!(warnings(team), 0, "{}", doctor(team));
    assert_eq!(hook_lines(&team.try_sq_in(&team.clone, "init")), "");
    write(&team.clone.join("file"), "text");
    team.git_ok("add file");
    team.work(&team.clone, "s1");
    let pushed = team.try_git("push --quiet");
    assert_eq!(pushed.transcript(), "--- exit 0\n");
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 1);
    team.git_ok("commit --quiet --amend --allow-empty -m other");
    team.git_ok("notes --ref=sq show HEAD");
}

#[track_caller]
fn has_run_with_input(team: &Team) {
    let own = fs::read_to_string(team.clone.join("own-input")).unwrap();
    assert!(own.starts_with("refs/heads/main "), "{own}");
}

pub fn undo(team: &Team) -> String {
    team.world.person_ok_in(&team.clone, "init --undo")
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// As `npx husky` does it.
fn husky(team: &Team, folder: &str) {
    let folder = team.clone.join(folder);
    let runs = "s=$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\n\
        [ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\n";
    write(&folder.join("h"), runs);
    write(&folder.join(".gitignore"), "*");
    for hook in HOOKS {
        executable(&folder.join(hook), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"");
    }
    let path = folder.strip_prefix(&team.clone).unwrap();
    team.git_ok(&format!("config core.hooksPath {}", path.display()));
}

#[test]
#[cfg(unix)]
fn husky_runs_a_file_of_the_worktree() {
    for_hook_files!();
    for folder in [".husky/_", "web/hooks/_"] {
        let team = Team::unprepared();
        husky(&team, folder);
        let before = [&team.clone.join(".husky"), &team.clone.join("web"), &hooks(&team)]
            .map(|dir| files(dir));
        let above = folder.strip_suffix("/_").unwrap();
        assert_has!(team.sq_ok("init"), &*format!("hook:   set {above}/pre-push: it publishes"));
        travels(&team);
        assert_eq!(undo(&team).matches("hook:   removed").count(), 2);
        let after = [&team.clone.join(".husky"), &team.clone.join("web"), &hooks(&team)]
            .map(|dir| files(dir));
        assert_eq!(after, before);
    }
}

#[test]
#[cfg(unix)]
fn what_the_project_has_for_husky_stays() {
    for_hook_files!();
    let team = Team::unprepared();
    husky(&team, ".husky/_");
    let own = team.clone.join(".husky/pre-push");
    write(&own, OWN);
    let (sentence, line) = told(&team, "pre-push");
    assert_eq!(
        sentence,
        "git sq does not edit [world]/clone/.husky/pre-push; have it run this shell command before its other commands:"
    );
    assert_eq!(fs::read_to_string(&own).unwrap(), OWN);
    write(&own, &(line + OWN));
    travels(&team);
    has_run_with_input(&team);
    // A file that was committed belongs to everyone.
    team.git_ok("add .husky/post-rewrite");
    undo(&team);
    assert!(own.exists() && team.clone.join(".husky/post-rewrite").exists());
}

#[test]
#[cfg(unix)]
fn husky_that_was_not_installed_is_named() {
    for_hook_files!();
    let team = Team::unprepared();
    team.git_ok("config core.hooksPath .husky/_");
    assert_eq!(
        told(&team, "pre-push").0,
        "husky has not made [world]/clone/.husky/_/pre-push; run `npx husky`"
    );
    assert_eq!(warnings(&team), 2);
    husky(&team, ".husky/_");
    team.sq_ok("init");
    travels(&team);
    // Nothing is written through a link.
    let team = Team::unprepared();
    husky(&team, "real/_");
    std::os::unix::fs::symlink("real", team.clone.join(".husky")).unwrap();
    team.git_ok("config core.hooksPath .husky/_");
    assert_has!(told(&team, "pre-push").0, "create [world]/clone/.husky/pre-push with these lines");
    assert!(!team.clone.join("real/pre-push").exists());
}

/// As `lefthook install` does it; the generated file runs what is in lefthook.yml.
fn lefthook(team: &Team) {
    for hook in HOOKS {
        let run = format!(
            "#!/bin/sh\ncall_lefthook()\n{{\n  shift 2\n  eval \"$(sed -n \"s/^ *run: '\\\\(.*hook {hook} .*\\\\)'\\$/\\\\1/p\" \
             lefthook.yml | sed \"s/{{1}}/$1/; s/{{files}}//\")\"\n}}\n\ncall_lefthook run \"{hook}\" \"$@\"\n"
        );
        executable(&hooks(team).join(hook), &run);
    }
}

#[test]
fn lefthook_runs_what_its_configuration_says() {
    for_hook_files!();
    let team = Team::unprepared();
    let config = team.clone.join("lefthook.yml");
    let own = "pre-push:\n  commands:\n    own:\n      run: cat >own-input\n";
    write(&config, own);
    lefthook(&team);
    let before = files(&hooks(&team));
    let [push, rewrite] = HOOKS.map(|hook| told(&team, hook));
    assert_eq!(push.0, "lefthook generates its file; merge these lines into lefthook.yml:");
    insta::assert_snapshot!(push.1 + &rewrite.1, @r#"
    pre-push:
      commands:
        git-sq:
          files: echo lefthook.yml
          run: 'if command -v git-sq >/dev/null 2>&1; then git-sq hook pre-push "{1}" </dev/null; fi || : {files}'
    post-rewrite:
      commands:
        git-sq:
          use_stdin: true
          run: 'if command -v git-sq >/dev/null 2>&1; then git-sq hook post-rewrite {1}; fi || :'
    "#);
    assert_eq!(warnings(&team), 2);
    assert_eq!(files(&hooks(&team)), before);
    let told = HOOKS.map(|hook| told(&team, hook).1).concat();
    write(&config, &told);
    travels(&team);
    // The generated files are made anew, and our own was moved aside when they first were.
    lefthook(&team);
    assert_eq!(warnings(&team), 0);
    write(&config, own);
    assert_eq!(warnings(&team), 2);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_a_tool_moved_aside_is_taken_back() {
    for_hook_files!();
    for end in ["old", "legacy"] {
        let team = Team::unprepared();
        let before = files(&hooks(&team));
        team.sq_ok("init");
        for hook in HOOKS {
            let path = hooks(&team).join(hook);
            fs::rename(&path, path.with_extension(end)).unwrap();
        }
        undo(&team);
        assert_eq!(files(&hooks(&team)), before);
        // Not what somebody made of it.
        team.sq_ok("init");
        let path = hooks(&team).join("pre-push");
        let text = fs::read_to_string(&path).unwrap();
        let moved = path.with_extension(end);
        for changed in [
            text.replace("git-sq hook pre-push \"$@\" </dev/null", "./notify.sh"),
            text.replace("; fi", "; ./notify.sh; fi"),
        ] {
            fs::write(&path, &changed).unwrap();
            fs::write(&moved, &changed).unwrap();
            undo(&team);
            assert_eq!(
                [&path, &moved].map(|file| fs::read_to_string(file).unwrap()),
                [&*changed; 2]
            );
        }
    }
}

/// As `pre-commit install` does it for both hooks.
pub fn pre_commit(team: &Team, tool: &str) {
    for hook in HOOKS {
        let path = hooks(team).join(hook);
        if path.exists() {
            fs::rename(&path, path.with_extension("legacy")).unwrap();
        }
        let input = if tool == "pre-commit" && hook != "pre-push" { " </dev/null" } else { "" };
        let run = format!(
            "#!/bin/sh\n# File generated by {tool}: https://example.org\n[ ! -x \"$0.legacy\" ] || \"$0.legacy\" \"$@\"{input}\n"
        );
        executable(&path, &run);
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn pre_commit_runs_what_it_finds_under_another_name() {
    for_hook_files!();
    for (tool, notes) in [("pre-commit", 1), ("prek", 0)] {
        for is_first in [true, false] {
            let team = Team::unprepared();
            if is_first {
                pre_commit(&team, tool);
            }
            let before = files(&hooks(&team));
            team.sq_ok("init");
            if !is_first {
                pre_commit(&team, tool);
            }
            assert_has!(fs::read_to_string(hooks(&team).join("pre-push")).unwrap(), tool);
            travels(&team);
            let note = "post-rewrite: pre-commit does not say which commits a rebase made";
            assert_eq!(doctor(&team).matches(note).count(), notes, "{}", doctor(&team));
            undo(&team);
            let after = files(&hooks(&team));
            if is_first {
                assert_eq!(after, before);
            } else {
                assert!(
                    !after
                        .iter()
                        .any(|(path, ..)| path.extension().is_some_and(|end| end == "legacy"))
                );
            }
        }
    }
}

#[test]
fn a_hook_that_pre_commit_found_gets_the_line() {
    for_hook_files!();
    let team = Team::unprepared();
    let path = hooks(&team).join("pre-push");
    executable(&path, &format!("#!/bin/sh\n{OWN}"));
    pre_commit(&team, "pre-commit");
    let (sentence, line) = told(&team, "pre-push");
    assert_eq!(
        sentence,
        "git sq does not edit [world]/clone/.git/hooks/pre-push.legacy; have it run this shell command before its other commands:"
    );
    executable(&path.with_extension("legacy"), &format!("#!/bin/sh\n{line}{OWN}"));
    travels(&team);
    has_run_with_input(&team);
    // Or in its configuration.
    executable(&path.with_extension("legacy"), &format!("#!/bin/sh\n{OWN}"));
    assert_eq!(warnings(&team), 1);
    let hook = "        entry: sh -c 'git-sq hook pre-push \"$PRE_COMMIT_REMOTE_NAME\"'\n";
    write(&team.clone.join(".pre-commit-config.yaml"), hook);
    assert_eq!(warnings(&team), 0);
}
