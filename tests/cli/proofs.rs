//! What `git sq verify` can prove of a log: for each proof a log in which exactly this is broken, by plain git on the
//! remote, and what no proof can show.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use git_sq_test_support::{Team, Template};
use serde_json::Value;

/// A team whose remote has a log of four publications by two clones, and an auditor's clone of it.
fn team() -> (Team, PathBuf) {
    static MADE: OnceLock<Template> = OnceLock::new();
    let team = Team::copy_of(&MADE, || {
        let team = Team::new();
        let other = team.join("other");
        for (dir, sid) in [
            (&team.clone, "s1"),
            (&other, "s2"),
            (&team.clone, "s3"),
            (&other, "s4"),
        ] {
            team.git_ok_in(dir, "pull --quiet --rebase");
            team.work(dir, sid);
            team.git_ok_in(dir, "push --quiet");
            team.settle(dir);
            team.sq(dir, &["sync"]).ok();
        }
        team.join("auditor");
        team
    });
    let auditor = team.world.root().join("auditor");
    (team, auditor)
}

/// For each proof that does not simply hold: what fails, and what could not be told.
fn trouble(team: &Team, dir: &Path, more: &[&str]) -> (BTreeMap<String, [usize; 2]>, i32) {
    let args = [&["verify", "--log", "--format", "json"], more].concat();
    let ran = team.sq(dir, &args);
    let document: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.transcript()));
    let proofs = document["proofs"].as_array().unwrap().iter();
    let found = proofs.filter_map(|one| {
        let count = |key: &str| one[key].as_array().unwrap().len();
        let trouble = [count("fails"), count("cant_tell")];
        (trouble != [0, 0]).then(|| (one["proof"].as_str().unwrap().to_owned(), trouble))
    });
    (found.collect(), ran.code)
}

/// Replaces the remote's log by one with other texts of notes, on the given parent.
fn rewrite(team: &Team, parent: &str, change: impl Fn(&str) -> Option<String>) {
    let list = team.git_ok_in(&team.remote, "notes --ref=sq list");
    let index = team.world.root().join("index");
    let in_index = |line: &str, input: &str| {
        let mut command = team.world.command("git");
        command
            .args(git_sq_test_support::words(line))
            .current_dir(&team.remote);
        command.env("GIT_INDEX_FILE", &index);
        let file = team.world.root().join("input");
        fs::write(&file, input).unwrap();
        command.stdin(fs::File::open(file).unwrap());
        String::from_utf8(command.output().unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    for note in list.lines() {
        let (blob, anchor) = note.split_once(' ').unwrap();
        let text = team.git_ok_in(&team.remote, &format!("cat-file blob {blob}"));
        let lines = text.lines().filter_map(&change);
        let text: String = lines.map(|line| line + "\n").collect();
        if !text.is_empty() {
            let blob = in_index("hash-object -w --stdin", &text);
            in_index(
                &format!("update-index --add --cacheinfo 100644,{blob},{anchor}"),
                "",
            );
        }
    }
    let tree = in_index("write-tree", "");
    let parent = if parent.is_empty() {
        String::new()
    } else {
        format!("-p {parent}")
    };
    let commit = in_index(&format!("commit-tree {tree} {parent} -m Notes"), "");
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {commit}"));
    fs::remove_file(index).unwrap();
}

fn fetch(team: &Team, dir: &Path) {
    team.git_ok_in(dir, "fetch --quiet origin");
}

fn proofs(found: &[(&str, [usize; 2])]) -> BTreeMap<String, [usize; 2]> {
    found
        .iter()
        .map(|(name, trouble)| ((*name).to_owned(), *trouble))
        .collect()
}

#[test]
fn a_log_of_which_nothing_was_taken_holds() {
    let (team, auditor) = team();
    insta::assert_snapshot!(team.sq(&auditor, &["verify"]).transcript(), @"
    append-only  4 commits of the log: all hold
                 cannot show a history that was rewritten and is itself clean
    whole        4 numbered lines: all hold
                 cannot show a missing tail, a new writer, or whether a gap was private work
    seen         3 states that lines name: all hold
                 cannot show states of the log that no line names
    anchored     no remembered states
                 cannot show what came after the last remembered state
    time         4 entries: all hold
                 cannot show dates that were forged consistently
    signed       no signed commits of the log
                 cannot show an agent that holds the person's key
    store        no changes of the questions
                 cannot show an agent that uses a person's identity
    coverage     no commits by agents
                 cannot show agents that leave no trace in the commit
    answers      Nothing to verify: no answer has evidence.
                 cannot show whether a judgement is right
    --- exit 0
    ");
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[]), 0));
}

#[test]
fn a_line_that_was_removed_shows_in_any_clone() {
    let (team, auditor) = team();
    rewrite(&team, "refs/notes/sq", |line| {
        (!line.contains("\"s3\"")).then(|| line.to_owned())
    });
    fetch(&team, &auditor);
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found["append-only"], code), ([1, 0], 1));
}

#[test]
fn a_line_that_was_changed_shows() {
    let (team, auditor) = team();
    rewrite(&team, "refs/notes/sq", |line| {
        Some(line.replace("\"s3\"", "\"s5\""))
    });
    fetch(&team, &auditor);
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found["append-only"], code), ([1, 0], 1));
    assert_eq!(found["whole"][0], 2, "two lines with one number");
}
