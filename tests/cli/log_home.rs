//! A log with a home of its own: another repository than the code's, as a notes ref or as a branch.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, Team, executable, refs, words};

const BRANCH: &str = "refs/heads/sq/log";

/// What a forge's rules for a branch may demand: no deletion, no force push, no merges, conventional subjects.
const RULES: &str = r#"#!/bin/sh
while read -r old new ref; do
  case $new in *[!0]*) ;; *) echo 'no deletion'; exit 1 ;; esac
  case $old in *[!0]*) range=$old..$new ;; *) range=$new; old=$new ;; esac
  git merge-base --is-ancestor "$old" "$new" || { echo 'no force push'; exit 1; }
  test -z "$(git rev-list --min-parents=2 "$range")" || { echo 'no merges'; exit 1; }
  git log --format=%s "$range" | grep -Evq '^(chore|feat|fix)(\([a-z]+\))?: ' && { echo 'no such subjects'; exit 1; }
done
exit 0
"#;

/// A team whose log lives in `audit.git`; what all its clones set stands in the global configuration.
struct Home {
    team: Team,
    audit: PathBuf,
    log_ref: &'static str,
}

impl Home {
    fn new(log_ref: &'static str, settings: &[&str]) -> Self {
        let team = Team::unprepared();
        let root = team.world.root();
        let audit = root.join("audit.git");
        team.git_ok_in(&root, "init --quiet --bare --initial-branch=main audit.git");
        let home = Self { team, audit, log_ref };
        home.set("sq.logRemote audit");
        if log_ref == BRANCH {
            home.set(&format!("sq.logRef {BRANCH}"));
        }
        for setting in settings {
            home.set(setting);
        }
        home.set_up(&home.team.clone);
        home
    }

    fn set(&self, setting: &str) {
        self.team.git_ok(&format!("config --global {setting}"));
    }

    fn set_up(&self, dir: &Path) {
        self.team.git_ok_in(dir, "remote add audit ../audit.git");
        self.team.sq(dir, &["init"]).ok();
    }

    fn join(&self, name: &str) -> PathBuf {
        let dir = self.team.cloned("", name);
        self.set_up(&dir);
        dir
    }

    fn push(&self, dir: &Path, line: &str) {
        let ran = self.team.git(dir, &refs(&words(line)));
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{}", ran.transcript());
        self.team.settle(dir);
    }

    /// The sessions in the log at its home; there is none at the code's remote.
    fn sids(&self) -> Vec<String> {
        assert!(self.team.lines_on_remote().is_empty());
        self.team
            .lines_at(&self.audit, self.log_ref)
            .iter()
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["sid"].as_str().unwrap().to_owned()
            })
            .collect()
    }

    fn sq(&self, args: &str) -> Ran {
        self.team.sq(&self.team.clone, &refs(&words(args)))
    }
}

#[test]
fn what_the_code_s_remote_has_goes_to_the_log_s() {
    for log_ref in ["refs/notes/sq", BRANCH] {
        let home = Home::new(log_ref, &[]);
        let Home { team, .. } = &home;
        team.work(&team.clone, "s1");
        team.git_ok("switch --quiet -c topic");
        team.work(&team.clone, "s2");
        home.push(&team.clone, "push --quiet origin main");
        assert_eq!(home.sids(), ["s1"]);
        let waits = "audit: up to date\n  1 entry waits for its work to be pushed: topic\n";
        assert_eq!(home.sq("sync").ok(), waits);
        // Another clone gets it where it lives, and adds to it.
        let other = home.join("other");
        let shown = team.sq(&other, &["log", "--format", "json"]).ok();
        assert!(shown.contains("\"s1\"") && !shown.contains("\"s2\""));
        team.work(&other, "s3");
        home.push(&other, "push --quiet");
        home.push(&team.clone, "push --quiet origin topic");
        assert_eq!(home.sids(), ["s1", "s2", "s3"]);
        // An entry on a commit that is there goes at once.
        team.world.record_in(&team.clone, "s4").ok();
        team.settle(&team.clone);
        assert_eq!(home.sids().len(), 4);
        for clone in [&team.clone, &other] {
            team.git_ok_in(clone, "fetch --quiet --all");
            for command in ["brief", "doctor", "verify --log"] {
                team.sq(clone, &refs(&words(command))).ok();
            }
        }
        assert_eq!(team.sq(&other, &["check", "--format", "json"]).json()["sessions"], 2);
    }
}

#[test]
fn a_whole_log_has_private_work_and_what_was_rewritten() {
    let home = Home::new("refs/notes/sq", &["sq.logPublishes all"]);
    let Home { team, .. } = &home;
    team.work(&team.clone, "s1");
    team.settle(&team.clone);
    assert_eq!(home.sids(), ["s1"]);
    team.git_ok("commit --quiet --amend --allow-empty -m Amended");
    team.git_ok("reset --quiet --hard HEAD~1");
    team.work(&team.clone, "s2");
    team.settle(&team.clone);
    let sids = home.sids();
    assert!(sids.contains(&"s1".to_owned()) && sids.contains(&"s2".to_owned()));
    let auditor = home.join("auditor");
    team.sq(&auditor, &["verify", "--log"]).ok();
}

#[test]
fn a_log_that_was_whole_makes_no_commit_public() {
    let home = Home::new("refs/notes/sq", &["sq.logPublishes all"]);
    let Home { team, .. } = &home;
    team.work(&team.clone, "s1");
    team.settle(&team.clone);
    team.git_ok("config sq.logPublishes public");
    team.world.record_in(&team.clone, "s2").ok();
    team.settle(&team.clone);
    assert_eq!(home.sids(), ["s1"]);
    home.push(&team.clone, "push --quiet origin main");
    assert_eq!(home.sids(), ["s1", "s2"]);
}

#[test]
fn a_remote_with_rules_takes_it_as_a_branch() {
    for is_full in [false, true] {
        let home = Home::new(BRANCH, &["sq.commitSubject 'chore(log): publish'"]);
        let Home { team, audit, .. } = &home;
        if is_full {
            team.git_ok("push --quiet --no-verify audit main main:refs/heads/sq/other");
            team.work(&team.clone, "s0");
            home.push(&team.clone, "push --quiet");
        }
        executable(&audit.join("hooks/pre-receive"), RULES);
        let other = home.join("other");
        for (dir, sid) in [(&team.clone, "s1"), (&other, "s2"), (&team.clone, "s3")] {
            team.git_ok_in(dir, "pull --quiet --rebase");
            team.work(dir, sid);
            home.push(dir, "push --quiet");
        }
        assert_eq!(home.sids().len(), 3 + usize::from(is_full));
        let subjects = team.git_ok_in(audit, &format!("log --format=%s {BRANCH}"));
        assert!(subjects.lines().all(|line| line == "chore(log): publish"));
        let refused = team.git(audit, &["log", "--min-parents=2", BRANCH]);
        assert_eq!(refused.ok(), "");
    }
}

#[test]
fn a_refused_subject_is_named_with_its_setting() {
    let home = Home::new(BRANCH, &[]);
    executable(&home.audit.join("hooks/pre-receive"), RULES);
    home.team.work(&home.team.clone, "s1");
    home.push(&home.team.clone, "push --quiet");
    let doctor = home.sq("doctor");
    assert!(
        doctor.code == 1 && doctor.stdout.contains("git config sq.commitSubject 'chore: "),
        "{}",
        doctor.transcript()
    );
    for line in
        ["config sq.commitSubject 'chore: publish the log'", "sq doctor --fix", "sq sync audit"]
    {
        home.team.git(&home.team.clone, &refs(&words(line)));
    }
    assert_eq!(home.sids(), ["s1"]);
    home.sq("doctor").ok();
}

#[test]
fn a_commit_is_public_at_any_of_the_code_s_remotes() {
    let home = Home::new(BRANCH, &[]);
    let Home { team, .. } = &home;
    let root = team.world.root();
    for name in ["mirror", "secret", "gone"] {
        team.git_ok_in(&root, &format!("clone --quiet --mirror remote.git {name}.git"));
        team.git_ok(&format!("remote add {name} ../{name}.git"));
    }
    team.git_ok("config remote.secret.sq false");
    fs::remove_dir_all(root.join("gone.git")).unwrap();
    for (branch, remote) in [("one", "origin"), ("two", "mirror"), ("three", "secret")] {
        team.git_ok(&format!("switch --quiet -c {branch} main"));
        team.work(&team.clone, branch);
        home.push(&team.clone, &format!("push --quiet {remote} {branch}"));
    }
    assert_eq!(home.sids(), ["one", "two"]);
    let synced = home.sq("sync");
    assert!(synced.code == 0 && synced.stdout.contains("pushed: three"), "{}", synced.transcript());
    assert!(team.lines_at(&root.join("mirror.git"), "refs/notes/sq").is_empty());
}

/// What was shared with the code's remote before stays readable, and comes along.
#[test]
fn a_log_moves_to_a_home_of_its_own() {
    let team = Team::new();
    let other = team.join("other");
    team.publish("s1");
    team.git_ok_in(&other, "pull --quiet");
    let root = team.world.root();
    team.git_ok_in(&root, "init --quiet --bare audit.git");
    team.git_ok("config --global sq.logRemote audit");
    // Until the remote is there, nothing is published to the old one.
    team.publish("s2");
    let doctor = team.sq(&team.clone, &["doctor"]);
    assert!(
        doctor.code == 1 && doctor.stdout.contains("git remote add audit URL"),
        "{}",
        doctor.transcript()
    );
    for dir in [&other, &team.clone] {
        team.git_ok_in(dir, "remote add audit ../audit.git");
        team.sq(dir, &["init"]).ok();
        team.sq(dir, &["sync"]).ok();
    }
    assert_eq!(team.lines_on_remote().len(), 1);
    assert_eq!(team.lines(&root.join("audit.git")).len(), 2);
    let status = team.sq(&team.clone, &[]).ok();
    assert!(!status.contains("audit"), "{status}");
    team.world.person_ok_in(&team.clone, "init --undo");
    let left = team.git_ok("config --local --list");
    assert!(!left.contains("sq"), "{left}");
}

#[test]
fn a_gate_fetches_it_where_it_lives() {
    let home = Home::new(BRANCH, &[]);
    let Home { team, .. } = &home;
    team.work(&team.clone, "s1");
    home.push(&team.clone, "push --quiet");
    let job = team.cloned("--depth 1", "job");
    team.sq(&job, &["ci"]).exits(3);
    team.git_ok_in(&job, "remote add audit ../audit.git");
    team.sq(&job, &["ci"]).ok();
}

/// The forge squashes a branch, and the job on the default branch carries its entries.
#[test]
fn a_job_publishes_what_it_carries_where_the_log_lives() {
    for log_ref in ["refs/notes/sq", BRANCH] {
        let home = Home::new(log_ref, &[]);
        let Home { team, .. } = &home;
        let before = team.git_ok("rev-parse HEAD");
        team.git_ok("switch --quiet -c topic");
        fs::write(team.clone.join("file"), "text").unwrap();
        team.git_ok("add file");
        team.work(&team.clone, "s1");
        home.push(&team.clone, "push --quiet origin topic");
        team.git_ok("switch --quiet main");
        team.git_ok("merge --quiet --squash topic");
        team.commit(&team.clone, "Land the work");
        team.git_ok("push --quiet --no-verify origin main :topic");
        let refs_of_code = team.git_ok_in(&team.remote, "for-each-ref");
        let job = team.cloned("--depth 1", "job");
        team.git_ok_in(&job, "remote add audit ../audit.git");
        let mut command = team.world.sq_command(&["ci"]);
        command.current_dir(&job).envs([
            ("JENKINS_URL", "https://ci.example.org/"),
            ("BUILD_TAG", "jenkins-project-main-3"),
            ("BRANCH_NAME", "main"),
            ("BRANCH_IS_PRIMARY", "true"),
            ("GIT_PREVIOUS_COMMIT", before.trim()),
        ]);
        let ran = team.anywhere(command);
        assert_has!(ran.stdout, "Carried 1 entry.\n");
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        assert_eq!(home.sids().len(), 2, "the entry, and why it was carried");
        assert_eq!(team.git_ok_in(&team.remote, "for-each-ref"), refs_of_code);
        // The copy stands on the merged commit.
        let other = home.join("other");
        let sessions = team.sq(&other, &["check", "--format", "json"]).json();
        assert_eq!(sessions["sessions"], 1);
    }
}

/// What docs/audit.md tells an auditor without `git sq`.
#[test]
fn plain_git_reads_it_where_it_lives() {
    for log_ref in ["refs/notes/sq", BRANCH] {
        let home = Home::new(log_ref, &[]);
        let Home { team, .. } = &home;
        team.work(&team.clone, "s1");
        home.push(&team.clone, "push --quiet");
        team.work(&team.clone, "s2");
        home.push(&team.clone, "push --quiet");
        let plain = team.cloned("", "plain");
        let recipe = include_str!("../../docs/audit.md")
            .split("```sh\n")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        let source = match log_ref {
            BRANCH => "git fetch ../audit.git +refs/heads/sq/log:",
            _ => "git fetch ../audit.git +refs/notes/sq:",
        };
        let recipe = recipe.replace("git fetch origin +refs/notes/sq:", source);
        let mut shell = team.world.command("sh");
        shell.arg("-ec").arg(recipe).current_dir(&plain);
        let ran = team.anywhere(shell).exits(0);
        for sid in ["\"s1\"", "\"s2\""] {
            // In the log of the code, and in that of the log.
            assert_eq!(ran.stdout.matches(&format!("\"sid\":{sid}")).count(), 2, "{}", ran.stdout);
        }
    }
}

#[test]
fn git_s_words_of_a_ref_in_the_way_are_shown_at_once() {
    for (log_ref, other) in [(BRANCH, "refs/heads/sq"), ("refs/notes/sq", "refs/notes/sq/x")] {
        let home = Home::new(log_ref, &[]);
        let Home { team, .. } = &home;
        team.git_ok(&format!("push --quiet --no-verify audit main:{other}"));
        team.work(&team.clone, "s1");
        home.push(&team.clone, "push --quiet origin main");
        let start = std::time::Instant::now();
        let said = home.sq("sync");
        assert!(start.elapsed().as_secs() < 10, "{}", said.transcript());
        for ran in [said, home.sq("doctor")] {
            let why = format!("'{other}' exists; cannot create '{log_ref}'");
            assert_has!(ran.transcript(), "audit reject", &why);
        }
        team.git_ok(&format!("push --quiet --no-verify audit :{other}"));
        team.sq_ok("sync");
        team.sq_ok("doctor");
        assert_eq!(team.lines_at(&home.audit, log_ref).len(), 1);
    }
}

#[test]
fn a_clone_that_does_not_read_the_ref_of_the_log_is_told() {
    let team = Team::new();
    team.git_ok(&format!("config sq.logRef {BRANCH}"));
    team.sq_ok("init");
    let other = team.join("other");
    // What was known before the log came is no answer.
    assert_eq!(team.try_sq_in(&other, "check").code, 1);
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    team.git_ok_in(&other, "pull --quiet");
    let told = format!("unknown: origin has a log at {BRANCH}, which this clone does not read: ");
    let is_told = |ran: Ran| {
        assert_eq!(ran.code, 3, "{}", ran.transcript());
        assert_has!(ran.stdout, &told);
    };
    is_told(team.try_sq_in(&other, "check"));
    // A CI fetches one branch only.
    let single = team.cloned("--single-branch", "single");
    is_told(team.try_sq_in(&single, "ci"));
    for dir in [&other, &single] {
        team.git_ok_in(dir, &format!("config sq.logRef {BRANCH}"));
        team.sq_ok_in(dir, "init");
        assert_eq!(team.world.verdict_in(dir, ""), "0");
        assert_eq!(team.try_sq_in(dir, "doctor").code, 0);
    }
}
