//! The steps that docs and other people's tools run for facts, in checkouts of one commit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World, each, path_with_program, program};
use serde_json::Value;

use crate::{
    ci_facts::{checkout, forge},
    installer::{can_install, release},
};

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A block of docs/ci.md.
fn block(name: &str) -> Value {
    let docs = fs::read_to_string(own("docs/ci.md")).unwrap();
    let (_, block) = docs.split_once(&format!("```yaml {name}\n")).unwrap();
    yaml(block.split("```").next().unwrap())
}

fn shell(world: &World, dir: &Path, script: &Value, env: &[(&str, &str)]) -> Ran {
    let mut command = world.command("bash");
    command.env("PATH", path_with_program()).current_dir(dir);
    command.envs(env.iter().copied()).args(["-ec", script.as_str().unwrap()]);
    command.output().unwrap().into()
}

#[test]
fn the_action_installs_the_program_and_annotates() {
    if !can_install() {
        return;
    }
    let world = forge();
    let dir = checkout(&world, "refs/pull/7/merge");
    let action = yaml(&fs::read_to_string(own(".github/actions/facts/action.yml")).unwrap());
    let steps = &action["runs"]["steps"];
    let wrapped = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display());
    let (releases, bin, path) = (
        release(&world, &wrapped, |sums| sums),
        world.root().join("bin").display().to_string(),
        world.root().join("path").display().to_string(),
    );
    let home = own(".github/actions/facts").display().to_string();
    let env = [
        ("SQ_RELEASES", &*releases),
        ("SQ_VERSION", "v9"),
        ("SQ_BIN", &bin),
        ("GITHUB_PATH", &path),
        ("GITHUB_ACTION_PATH", &home),
    ];
    let mut install = world.command("bash");
    install.envs(env).args(["-ec", steps[0]["run"].as_str().unwrap()]);
    Ran::from(install.output().unwrap()).ok();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{bin}\n"));
    let base = world.git_ok("rev-parse main");
    let run = |base: &str, args: &str| {
        let mut check = world.command("bash");
        let system = check.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap();
        let path = format!("{bin}:{}", system.to_str().unwrap());
        let env = [("PATH", &*path), ("SQ_BASE", base), ("SQ_ARGS", args)];
        check.envs(env).current_dir(&dir).args(["-ec", steps[1]["run"].as_str().unwrap()]);
        Ran::from(check.output().unwrap())
    };
    let ran = run(base.trim(), "").exits(0);
    assert_has!(ran.stdout, "::warning file=README.md,line=3,title=facts/differs::");
    assert_eq!(run(base.trim(), "--exit-code").code, 1);
    assert_eq!(run("0000000000000000000000000000000000000000", "").ok(), "");
}

#[test]
fn the_lines_for_gitlab_report_what_broke() {
    if cfg!(windows) {
        return;
    }
    let world = forge();
    let dir = checkout(&world, "refs/heads/work");
    let base = world.git_ok("merge-base main work");
    let env = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.trim())];
    shell(&world, &dir, &block("gitlab")["facts"]["script"][0], &env).ok();
    let report = fs::read_to_string(dir.join("gl-code-quality-report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report[1]["check_name"], "facts/differs", "{report}");
}

#[test]
fn hooks_refuse_a_commit_that_breaks_a_fact() {
    if cfg!(windows) {
        return;
    }
    let world = forge();
    let hooks = yaml(&fs::read_to_string(own(".pre-commit-hooks.yaml")).unwrap());
    let mut hooks = each(&hooks);
    let hook = hooks.find(|hook| hook["id"] == "facts").unwrap();
    assert_eq!(hook["pass_filenames"], false);
    for run in [&hook["entry"], &block("lefthook")["pre-commit"]["commands"]["facts"]["run"]] {
        let dir = checkout(&world, "refs/heads/main");
        assert_eq!(shell(&world, &dir, run, &[]).code, 0);
        world.git_ok_in(&dir, "rm -q tools/make.sh");
        let ran = shell(&world, &dir, run, &[]).exits(1);
        assert_has!(ran.stdout, "Not committed yet: removed tools/make.sh");
    }
}
