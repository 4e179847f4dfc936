//! Hook managers for real: husky and lefthook, from npm. `git sq init` says what to add; with it, the log travels.

use std::{fs, path::Path, process::Command};

use git_sq_test_support::{Ran, Team, ended, variables};

/// Installs a package where npm can do it; says why where it can't.
fn install(dir: &Path, package: &str) -> bool {
    let npm = |args: &[&str]| {
        // In the environment of whoever runs this: npm's registry and its certificates are set there.
        let ran = Command::new("npm").args(args).current_dir(dir).output();
        ran.map_err(|error| error.to_string()).and_then(|ran| {
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            ran.status.success().then_some(()).ok_or(said)
        })
    };
    fs::write(dir.join("package.json"), "{\"private\":true}\n").unwrap();
    fs::write(dir.join(".gitignore"), "node_modules\npackage-lock.json\n").unwrap();
    let options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    match npm(&[&["install"], &options[..], &[package]].concat()) {
        Ok(()) => true,
        Err(why) => {
            println!("skipped: npm could not install {package}: {why}");
            false
        }
    }
}

/// Runs a script of node in the clone.
fn node(team: &Team, script: &str, args: &[&str]) {
    let mut node = Command::new("node");
    node.arg(script).args(args).current_dir(&team.clone);
    node.env_clear().envs(variables(&team.command(&team.clone, &[])));
    Ran::from(node.output().unwrap()).ok();
}

/// What init prints after the first line about a hook, until the next one, as it is to be added.
fn to_add(said: &str, hook: &str) -> String {
    let mut lines = said.lines();
    lines.find(|line| line.starts_with(&format!("hook:   {hook}: ")));
    let indent = "        ";
    let lines = lines.map_while(|line| line.strip_prefix(indent));
    ended(lines)
}

/// Pushes with the program and without it, and looks what came of it.
fn prove(team: &Team, own: &str) {
    change(team, "s1");
    team.work(&team.clone, "s1");
    let ran = team.git(&team.clone, &["push"]).exits(0);
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    assert_eq!(team.lines_on_remote().len(), 1, "{}", ran.transcript());
    assert!(team.clone.join(own).exists(), "the user's own hook ran");
    fs::remove_file(team.clone.join(own)).unwrap();

    change(team, "s2");
    team.work(&team.clone, "s2");
    team.world.git_in(&team.clone, &["push"]).ok();
    assert_eq!(team.lines_on_remote().len(), 1);
    assert!(team.clone.join(own).exists(), "the user's own hook ran");
    let [here, there] =
        [&team.clone, &team.remote].map(|dir| team.git(dir, &["rev-parse", "main"]).ok());
    assert_eq!(here, there);
    // Ours runs also where no file changed.
    team.work(&team.clone, "s3");
    team.git(&team.clone, &["push"]).ok();
    team.settle(&team.clone);
    assert_eq!(team.lines_on_remote().len(), 3);
}

/// Commits a file: lefthook passes over the user's commands where none changed.
fn change(team: &Team, text: &str) {
    fs::write(team.clone.join("file"), text).unwrap();
    for args in [&["add", "file"][..], &["commit", "--quiet", "-m", text]] {
        team.git(&team.clone, args).ok();
    }
}

#[test]
fn husky() {
    let team = Team::unprepared();
    if !install(&team.clone, "husky@9") {
        return;
    }
    node(&team, "node_modules/husky/bin.js", &[]);
    let path = team.git(&team.clone, &["config", "core.hooksPath"]).ok();
    assert_eq!(path.trim(), ".husky/_");
    let own = "touch own-hook-ran\n";
    let hook = team.clone.join(".husky/pre-push");
    fs::write(&hook, own).unwrap();
    let said = team.sq(&team.clone, &["init"]).ok();
    let line = to_add(&said, "pre-push");
    assert_eq!(line.lines().count(), 1, "{said}");
    fs::write(&hook, format!("{line}{own}")).unwrap();
    prove(&team, "own-hook-ran");
    println!("husky: the log travels with git push");
}

#[test]
fn lefthook() {
    let team = Team::unprepared();
    if !install(&team.clone, "lefthook@1") {
        return;
    }
    let own = "pre-push:\n  commands:\n    own:\n      run: touch own-hook-ran\n";
    let config = team.clone.join("lefthook.yml");
    fs::write(&config, own).unwrap();
    let install = || node(&team, "node_modules/lefthook/bin/index.js", &["install"]);
    install();
    let said = team.sq(&team.clone, &["init"]).ok();
    let lines = to_add(&said, "pre-push");
    // The user's own file has the hook and its commands already.
    let ours = lines.strip_prefix("pre-push:\n  commands:\n").unwrap();
    fs::write(&config, format!("{own}{ours}")).unwrap();
    install();
    prove(&team, "own-hook-ran");
    println!("lefthook: the log travels with git push");
}
