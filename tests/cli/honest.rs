//! Nothing honest ends in exit code 3: an answer is recorded, history is rewritten and pushed, and the gate runs in the
//! shallow checkout of a CI, then and after the next push.

use std::{fs, path::Path, sync::OnceLock};

use git_sq_test_support::{Ran, Team, Template, World};
use serde_json::json;

use super::ci::Forge;

/// q1 needs judgement, q2 is counted.
const STORE: &str = r#"{"_schema":"standing_questions/v2","questions":[
{"id":"q1","q":"What is in a file?","importance":3,"watch":["file"]},
{"id":"q2","q":"How much is left to do?","importance":2,"probe":{"grep":{"text":"TODO","paths":["src/"],"take":"count"}}}]}"#;

/// One way to rewrite history; it ends with a push of `main`.
type Way = (&'static str, fn(&Honest));

const WAYS: &[Way] = &[
    ("amend", |on| {
        on.work("s2", "two\n");
        on.git("commit --quiet --amend -m reworded");
        on.push();
    }),
    ("amend and force-push", |on| {
        on.work("s2", "two\n");
        on.push();
        on.git("commit --quiet --amend -m reworded");
        on.git("push --quiet --force origin main");
        on.settle();
    }),
    ("another question store when it was recorded", |on| {
        let harder = STORE.replace("left to do", "still left to do");
        on.change("standing_questions.json", &harder);
        on.work("s2", "two\n");
        let old = on.git("rev-parse HEAD");
        on.git("reset --quiet --soft HEAD~2");
        on.change("standing_questions.json", STORE);
        on.sq(&format!("carry --onto HEAD {old}"));
        on.push();
    }),
    ("rebase", |on| {
        on.git("switch --quiet -c side");
        on.work("s2", "two\n");
        on.work("s3", "three\n");
        on.git("switch --quiet main");
        on.change("src/b.rs", "// TODO\n");
        on.git("rebase --quiet main side");
        on.git("switch --quiet main");
        on.git("merge --quiet --ff-only side");
        on.push();
    }),
    ("squash", |on| {
        on.branch();
        on.forge_squashes();
        on.settle();
    }),
    ("squash of a branch without hooks", |on| {
        on.git("config core.hooksPath /dev/null");
        on.branch();
        on.sq("sync");
        on.forge_squashes();
        on.git("config --unset core.hooksPath");
    }),
    ("cherry-pick", |on| {
        on.git("switch --quiet -c side");
        on.work("s2", "two\n");
        on.git("switch --quiet main");
        on.change("src/b.rs", "// TODO\n");
        on.git("cherry-pick side");
        on.push();
    }),
    ("pull --rebase of two clones", |on| {
        let other = on.forge.team.join("other");
        on.forge.team.git_ok_in(&other, "config pull.rebase true");
        on.work_in(&other, "s2", "two\n", "other");
        on.change("src/b.rs", "// TODO\n");
        on.sq("record --sid s3 --same q1=one --cite q1=file:1");
        on.push();
        on.forge.team.git_ok_in(&other, "pull --quiet --rebase");
        on.forge.team.push_from(&other);
        on.git("pull --quiet --rebase");
    }),
];

struct Honest {
    forge: Forge,
}

impl Honest {
    fn new() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        let team = Team::copy_of(&MADE, || {
            let on = Self { forge: Forge { team: Team::new() } };
            on.write("standing_questions.json", STORE);
            on.write("src/a.rs", "// TODO\n");
            on.work("s1", "one\n");
            on.push();
            on.forge.team
        });
        Self { forge: Forge { team } }
    }

    fn git(&self, line: &str) -> String {
        self.forge.team.git_ok(line)
    }

    fn sq(&self, line: &str) {
        self.forge.team.sq_ok_in(&self.forge.team.clone, line);
    }

    fn write(&self, path: &str, text: &str) {
        self.forge.team.write(path, text);
    }

    fn commit(&self, message: &str) {
        self.git("add --all");
        self.forge.team.commit(&self.forge.team.clone, message);
    }

    fn change(&self, path: &str, text: &str) {
        self.forge.team.change(path, text);
    }

    /// Commits a file, and records both answers.
    fn work(&self, sid: &str, text: &str) {
        self.work_in(&self.forge.team.clone, sid, text, "src");
    }

    fn work_in(&self, dir: &Path, sid: &str, text: &str, folder: &str) {
        fs::write(dir.join("file"), text).unwrap();
        fs::create_dir_all(dir.join(folder)).unwrap();
        fs::write(dir.join(folder).join(sid), "// TODO\n").unwrap();
        self.forge.team.git_ok_in(dir, "add --all");
        self.forge.team.commit(dir, sid);
        let word = if sid == "s1" { "same" } else { "delta" };
        let answer = text.trim();
        let line =
            format!("record --sid {sid} --{word} 'q1={answer}' 'q1={answer}' --cite q1=file:1");
        self.forge.team.sq_ok_in(dir, &line);
    }

    fn settle(&self) {
        self.forge.team.settle(&self.forge.team.clone);
    }

    fn push(&self) {
        self.git("push --quiet origin main");
        self.settle();
    }

    /// A branch of two sessions, pushed.
    fn branch(&self) {
        self.git("switch --quiet -c work");
        self.work("s2", "two\n");
        self.work("s3", "three\n");
        self.git("push --quiet origin work");
        self.settle();
        self.git("switch --quiet main");
    }

    /// The forge squashes the branch `work` on a `main` that went on, and deletes it; no hook of ours hears of it.
    fn forge_squashes(&self) {
        self.change("src/b.rs", "// TODO\n");
        self.git("merge --quiet --squash work");
        self.forge.team.commit(&self.forge.team.clone, "Land the work");
        self.git("push --quiet --no-verify origin main :work");
        self.forge.team.git_ok_in(&self.forge.team.remote, "gc --quiet --prune=now");
        self.git("fetch --quiet --prune");
        self.git("branch --quiet -D work");
    }

    /// Runs the gate on the default branch, as a CI that checks out one commit.
    fn ci(&self, before: &str) -> Ran {
        let dir = self.forge.checkout("refs/heads/main", "refs/remotes/origin/main");
        let told = json!({"before": before, "repository": {"default_branch": "main"}});
        self.forge.github(&dir, &[("GITHUB_REF_NAME", "main")], &told)
    }
}

#[test]
fn nothing_honest_ends_in_3() {
    let mut failed = String::new();
    for (name, way) in WAYS {
        let on = Honest::new();
        let before = on.git("rev-parse main");
        way(&on);
        let mut gate = |when: &str, before: &str| {
            let ran = on.ci(before.trim());
            if ran.code != 0 {
                failed += &format!("== {name}, {when}\n{}", ran.transcript());
            }
        };
        gate("at once", &before);
        let before = on.git("rev-parse main");
        on.work("s9", "nine\n");
        on.push();
        gate("after the next push", &before);
    }
    assert!(failed.is_empty(), "{failed}");
}

/// What is gone can't be cited: the delta stands without it.
#[test]
fn a_count_that_fell_is_taken() {
    let world = World::new();
    let store = json!({"_schema": "standing_questions/v2", "questions": [{"id": "q1", "q": "How many?",
        "importance": 2, "watch": ["src/"], "lines": "TODO", "shape": "number"}]});
    world.write("standing_questions.json", store.to_string());
    world.write("src/a.rs", "a // TODO one\n");
    world.change("src/b.rs", "c\nd // TODO two\n");
    world.sq_ok("record --sid s1 q1=2 --cite q1=src/a.rs:1");
    world.change("src/b.rs", "c\n");
    world.sq_ok("record --sid s2 q1=1 --cite q1=src/a.rs:1");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 0, "{check}");
    assert!(!check["findings"].to_string().contains("nothing-changed"), "{check}");
}

/// What `record` takes for its own session is what `check` takes for it.
#[test]
fn clones_that_name_their_sessions_alike_have_two() {
    let on = Honest::new();
    let other = on.forge.team.join("other");
    on.forge.team.sq_ok_in(&other, "sync");
    let ran = on
        .forge
        .team
        .try_sq_in(&other, "record --sid s1 --delta q1=two q1=two --cite q1=file:1")
        .exits(128);
    assert_has!(ran.stderr, "nothing changed since");
    let said = on.forge.team.sq_ok_in(&other, "record --sid s1 --same q1");
    assert!(!said.contains("replaces"), "{said}");
    assert_has!(on.forge.team.sq_ok_in(&other, "check"), "2 sessions on main");
}

#[test]
fn what_is_not_fetched_yet_was_not_rewritten() {
    let on = Honest::new();
    let other = on.forge.team.join("other");
    // The clone has the time of the machine.
    on.forge.team.world.pass(50 * 365 * 24 * 3600);
    on.work("s2", "two\n");
    on.push();
    // Which brings the commit, if something is published, and moves no branch.
    on.forge.team.sq_ok_in(&other, "sync");
    let (check, code) = on.forge.team.world.check_in(&other);
    assert_eq!((&check["unknown"], &check["elsewhere"]), (&json!([]), &json!(1)), "{check}");
    assert_ne!(code, 3);
}

#[test]
fn what_is_not_committed_makes_no_answer_wrong() {
    let on = Honest::new();
    on.write("file", "two\n");
    let lines = ["--delta q1=two q1=two", "--wrong q1=two"]
        .map(|given| format!("record --sid s2 {given} --cite q1=file:1"));
    for line in &lines {
        let ran = on.forge.team.try_sq_in(&on.forge.team.clone, line).exits(128);
        let first =
            "file has uncommitted changes, and an answer is about HEAD: commit, then record";
        assert_has!(ran.stderr, first);
        assert!(!ran.stderr.contains("--wrong"), "{}", ran.stderr);
    }
    on.commit("two");
    on.sq(&lines[0]);
    on.write("file", "three\n");
    on.sq("record --sid s2 --wrong q1=one --cite q1=file:1 --sure");
}
