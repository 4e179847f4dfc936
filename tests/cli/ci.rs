//! `git sq ci` in the checkouts that CI systems make, with the environment that they set.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use git_sq_test_support::{Ran, Team, Template, World};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A team of whose default branch a session answered, and a branch `work` with a session of its own.
pub struct Forge {
    pub team: Team,
}

/// The environment of a run.
pub type Env<'e> = &'e [(&'e str, &'e str)];

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":3}},"questions":[
{"id":"q1","q":"What is in a file?","importance":3,"watch":["file"]}]}"#;

const GITHUB: Env = &[
    ("CI", "true"),
    ("GITHUB_ACTIONS", "true"),
    ("GITHUB_RUN_ID", "1658821493"),
    ("GITHUB_RUN_ATTEMPT", "1"),
    ("GITHUB_REF_TYPE", "branch"),
];

/// Jenkins after a push to the default branch, which it names last.
fn jenkins(before: &str) -> [(&str, &str); 5] {
    [
        ("JENKINS_URL", "https://ci.example.org/"),
        ("BUILD_TAG", "jenkins-project-main-3"),
        ("BRANCH_NAME", "main"),
        ("GIT_PREVIOUS_COMMIT", before),
        ("BRANCH_IS_PRIMARY", "true"),
    ]
}

impl Forge {
    pub fn new() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        let team = Team::copy_of(&MADE, || Self::make().team);
        Self { team }
    }

    fn make() -> Self {
        let team = Team::new();
        team.write("standing_questions.json", STORE);
        let forge = Self { team };
        forge.work("s1", "one\n");
        forge.push("main");
        forge.team.git_ok("switch --quiet -c work");
        forge.work("s2", "two\n");
        forge.push("work");
        // GitHub's merge of the pull request, and GitLab's ref for the merge request.
        forge.team.git_ok("switch --quiet --detach main");
        forge.team.git_ok("merge --quiet --no-ff -m Merge work");
        forge
            .team
            .git_ok("push --quiet origin HEAD:refs/pull/7/merge work:refs/merge-requests/7/head");
        forge.team.git_ok("switch --quiet main");
        forge
    }

    /// Commits a file, and records what it says with the line that says it.
    pub fn work(&self, sid: &str, text: &str) {
        self.team.write("file", text);
        self.team.git_ok("add --all");
        self.team.commit(&self.team.clone, sid);
        let word = if sid == "s1" { "same" } else { "delta" };
        let line = format!("record --sid {sid} --{word} q1={} --cite q1=file:1", text.trim());
        self.team.sq_ok(&line);
    }

    pub fn push(&self, branch: &str) {
        self.team.git_ok(&format!("push --quiet origin {branch}"));
        self.team.settle(&self.team.clone);
    }

    /// What a CI checks out: one commit of a ref, detached, in a repository that knows nothing else.
    pub fn checkout(&self, from: &str, to: &str) -> PathBuf {
        self.checkout_of(&self.team.remote, from, to)
    }

    fn checkout_of(&self, remote: &Path, from: &str, to: &str) -> PathBuf {
        let dir = self.team.world.root().join("checkout");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir).unwrap();
        let git = |line: &str| self.team.git_ok_in(&dir, line);
        git("init --quiet");
        let remote = remote.display();
        git(&format!("remote add origin 'file://{remote}'"));
        git(&format!("fetch --quiet --no-tags --depth=1 origin '+{from}:{to}'"));
        git(&format!("checkout --quiet --detach {to}"));
        dir
    }

    /// Runs the gate as nobody, in this environment.
    pub fn run(&self, dir: &PathBuf, env: Env, args: &[&str]) -> Ran {
        let home = self.team.world.root().join("runner");
        fs::create_dir_all(&home).unwrap();
        let mut command = self.team.world.sq_command(&[&["ci"], args].concat());
        command.env("HOME", &home).env("USERPROFILE", &home);
        command.envs(env.iter().copied()).current_dir(dir);
        self.team.anywhere(command)
    }

    /// Runs it as GitHub does for an event.
    pub fn github(&self, dir: &PathBuf, env: Env, event: &Value) -> Ran {
        let path = self.team.world.root().join("event.json");
        fs::write(&path, event.to_string()).unwrap();
        let files = [
            ("GITHUB_EVENT_PATH", path.display().to_string()),
            ("GITHUB_STEP_SUMMARY", self.summary().display().to_string()),
        ];
        let files = files.iter().map(|(name, path)| (*name, path.as_str()));
        let env: Vec<(&str, &str)> = GITHUB.iter().chain(env).copied().chain(files).collect();
        self.run(dir, &env, &[])
    }

    fn summary(&self) -> PathBuf {
        self.team.world.root().join("summary.md")
    }
}

#[test]
fn reviewers_get_one_short_comment() {
    let forge = Forge::new();
    let dir = forge.team.clone.clone();
    let comment = || forge.run(&dir, &[], &["--base", "main", "--format", "markdown"]).transcript();
    forge.team.git_ok("switch --quiet work");
    assert_snapshot!(comment(), @"
    ### Standing questions

    1 commit; 1 session answered; verified 2 recorded answers: all stand; clean: 1 fresh.

    ```text
    q1 changed: two (file:1)
    ```
    --- exit 0
    ");
    let id = forge.team.sq_ok_in(&dir, "log -n 1 --format json");
    let id = serde_json::from_str::<Value>(&id).unwrap()["entries"][0]["id"].clone();
    let redact = format!("redact {} --because 'it held a token'", id.as_str().unwrap());
    forge.team.world.person_ok_in(&dir, &redact);
    assert_has!(comment(), "Nothing to look at.");
    // An agent goes on, and answers nothing.
    fs::write(dir.join("file"), "three\n").unwrap();
    forge
        .team
        .git_ok("commit --quiet -am More --trailer 'Co-Authored-By: Codex <codex@openai.com>'");
    assert_snapshot!(comment(), @"
    ### Standing questions

    2 commits, 1 of them by agents; 1 session answered; verified 2 recorded answers: all stand; clean, 1 warning: 1 outdated.

    ```text
    q1 is outdated: file changed
    ```
    --- exit 0
    ");
    forge.team.git_ok("switch --quiet -C work main");
    forge.team.commit(&dir, "Words");
    assert_snapshot!(comment(), @"
    ### Standing questions

    1 commit; 0 sessions answered; verified 1 recorded answer: 1 stands; clean: 1 fresh.

    Nothing to look at.
    --- exit 0
    ");
}

#[test]
fn a_pull_request_is_judged_by_its_target() {
    let forge = Forge::new();
    let dir = forge.checkout("refs/pull/7/merge", "refs/remotes/pull/7/merge");
    let env = [("GITHUB_BASE_REF", "main"), ("GITHUB_REF_NAME", "7/merge")];
    let event = json!({"pull_request": {}, "repository": {"default_branch": "main"}});
    let ran = forge.github(&dir, &env, &event);
    assert_eq!(ran.ok(), "verified 2 recorded answers: all stand\nclean: 1 fresh\n");
    assert_snapshot!(fs::read_to_string(forge.summary()).unwrap(), @"
    ## Standing questions

    ```text
    Questions and limits are those of origin/main.

    2 sessions on 4d4f2d4bcb, 1 question asked
      question  staleness  standing  sessions  last answered
      q1                0  fresh     ●▲        s2 (2026-01-01, Ada Example)
      ● same, ▲ delta
    flagged looks: 0 of the last 1; quiet sessions: 0 of 2 (longest run 0)

    clean: 1 fresh

    verified 2 recorded answers: all stand
    ```
    ");
    assert_eq!(forge.team.git_ok_in(&dir, "status --porcelain"), "");
}

/// A comment that says less than the exit code would be read as a pass. In a test report, each test has a name of its
/// own, and none passes of which nothing is known, or that is not asked any more.
#[test]
fn each_format_names_what_fails_and_what_is_unknown() {
    let forge = Forge::new();
    let Team { clone, .. } = &forge.team;
    let dir = || forge.checkout("refs/heads/work", "refs/remotes/pull/7/head");
    let args = ["--base", "origin/main", "--format", "markdown"];
    let comment = |dir: &PathBuf| forge.run(dir, &[], &args).transcript();
    let cases = |dir: &PathBuf| {
        let args = ["--base", "origin/main", "--format", "junit"];
        let said = forge.run(dir, &[], &args).stdout;
        let cases = said.lines().map(str::trim_start);
        let cases =
            cases.filter(|line| ["<testcase", "<skipped"].iter().any(|it| line.starts_with(it)));
        cases.map(|line| line.replace(" classname=\"git sq\"", "") + "\n").collect::<String>()
    };
    forge.team.git_ok("switch --quiet work");
    let laxer = STORE.replace("\"importance\":3", "\"importance\":1");
    fs::write(clone.join("standing_questions.json"), laxer).unwrap();
    forge.work("s3", "three\n");
    forge.push("work");
    let checkout = dir();
    assert_snapshot!(comment(&checkout), @"
    ### Standing questions

    2 commits; 2 sessions answered; verified 3 recorded answers: all stand; not clean: 1 error (loosened); 1 fresh.

    ```text
    error: q1 may ask less; `git diff 78422dbb51 -- standing_questions.json` shows it: if it is intended, merge it into the base branch first; otherwise revert it
    q1 changed: two (file:1)
    q1 changed: three (file:1)
    ```
    --- exit 1
    ");
    let env = [("GITHUB_BASE_REF", "main"), ("GITHUB_REF_NAME", "7/merge")];
    let ran = forge.github(&checkout, &env, &Value::Null);
    assert_snapshot!(ran.transcript(), @"
    ::error file=standing_questions.json,line=2,title=loosened::q1 may ask less%0A`git diff 78422dbb51 -- standing_questions.json` shows it: if it is intended, merge it into the base branch first; otherwise revert it
    verified 3 recorded answers: all stand
    not clean: 1 error (loosened); 1 fresh
    --- exit 1
    ");
    forge.team.git_ok("rm --quiet standing_questions.json");
    forge.team.commit(clone, "ask nothing");
    forge.push("work");
    let checkout = dir();
    let said = comment(&checkout);
    assert_has!(said, "\nerror: staleness.max may be laxer; `git diff");
    assert_has!(said, "\nerror: q1 is no longer asked; `git diff");
    assert_snapshot!(cases(&checkout), @r#"
    <testcase name="staleness.max: loosened">
    <testcase name="q1: loosened">
    "#);
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    forge.team.git_ok_in(&dir, "remote set-url origin file:///nowhere");
    assert_snapshot!(comment(&dir), @"
    ### Standing questions

    0 commits; 0 sessions answered; undetermined: the history or the log is incomplete; 1 unknown.

    ```text
    unknown: history ends at 78422dbb51 (a shallow clone): earlier entries are not counted; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    unknown: origin may have a log that was never fetched, and gets no entries from here: run `git sq init`
    unknown: the log was not fetched: origin could not be reached: '/nowhere' does not appear to be a git repository
    unknown: the history was not fetched: origin could not be reached: '/nowhere' does not appear to be a git repository; check out all of it (fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)
    ```
    --- exit 3
    ");
    assert_snapshot!(cases(&dir), @r#"
    <testcase name="q1">
    <skipped message="it is unknown where this question stands"/>
    <testcase name="unknown">
    <testcase name="unknown (2)">
    <testcase name="unknown (3)">
    <testcase name="unknown (4)">
    "#);
}

#[test]
fn a_merge_request_gets_a_code_quality_report() {
    let forge = Forge::new();
    let dir = forge.checkout("refs/merge-requests/7/head", "refs/pipelines/1234");
    let env = [
        ("GITLAB_CI", "true"),
        ("CI_PIPELINE_ID", "1234"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_COMMIT_BEFORE_SHA", "0000000000000000000000000000000000000000"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
    ];
    let ran = forge.run(&dir, &env, &[]);
    assert!(ran.stderr.starts_with("Questions and limits are those of origin/main.\n"));
    // Where the locale has no other characters.
    assert_has!(ran.stderr, "q1                0  fresh     oD        s2");
    assert_eq!(ran.ok(), "[]\n");
    // On the terminal of whoever wants to see the same.
    let report = forge.run(&dir, &env, &["--format", "json"]).json();
    assert_eq!(report["base"], "origin/main");
    assert_eq!(report["ok"], true);
}

#[test]
fn a_fork_s_merge_request_is_judged_by_the_commit_that_it_began_at() {
    let forge = Forge::new();
    let Team { world, clone, .. } = &forge.team;
    let base = forge.team.git_ok("rev-parse main");
    // Its pipeline runs in the fork, which has a main of its own, and there the store is looser.
    let fork = world.root().join("fork.git");
    let (from, to) = (forge.team.remote.display(), fork.display());
    forge.team.git_ok(&format!("clone --quiet --bare '{from}' '{to}'"));
    forge.team.git_ok("switch --quiet work");
    let loose = STORE.replace("\"max\":3", "\"max\":300");
    fs::write(clone.join("standing_questions.json"), loose).unwrap();
    forge.work("s3", "three\n");
    let push = format!("push --quiet '{to}' +work:main +work refs/notes/sq");
    forge.team.git_ok(&push);
    let dir = forge.checkout_of(&fork, "refs/heads/work", "refs/pipelines/1234");
    let mut env = vec![
        ("GITLAB_CI", "true"),
        ("CI_PIPELINE_ID", "1234"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.trim()),
        ("CI_PROJECT_ID", "2"),
        ("CI_MERGE_REQUEST_PROJECT_ID", "2"),
    ];
    let args = ["--format", "json"];
    assert_eq!(forge.run(&dir, &env, &args).code, 0);
    env.push(("CI_MERGE_REQUEST_PROJECT_ID", "1"));
    let ran = forge.run(&dir, &env, &args);
    let findings = ran.json()["check"]["findings"].to_string();
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    assert_has!(findings, "\"loosened\"");
}

#[test]
fn a_push_to_the_default_branch_carries_and_publishes() {
    let forge = Forge::new();
    let before = forge.team.git_ok("rev-parse main");
    forge.team.git_ok("merge --quiet --squash work");
    forge.team.commit(&forge.team.clone, "Land the work");
    // The forge's own merge, of which no clone of ours knows.
    forge.team.git_ok("push --quiet --no-verify origin main");
    forge.team.git_ok("push --quiet --no-verify origin :work");
    // A copy is the same line, and one line says why it is there.
    let published = forge.team.lines_on_remote().len();
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let env = [
        ("BUILDKITE", "true"),
        ("BUILDKITE_BUILD_ID", "4735ba57"),
        ("BUILDKITE_BRANCH", "main"),
        ("BUILDKITE_PIPELINE_DEFAULT_BRANCH", "main"),
    ];
    // It tells no commit to hold this against.
    let said = forge.run(&dir, &env, &[]).ok();
    let no_base = "No base to compare with (use `--base REV`): questions and limits are those of this commit.\n";
    assert!(said.starts_with(no_base), "{said}");
    assert!(
        said.ends_with("clean, 1 warning: 1 outdated\n\nverified 1 recorded answer: 1 stands\n"),
        "{said}"
    );
    let env = jenkins(before.trim());
    // Without the right to push it says so. What was pushed is judged as it stands.
    forge.team.set_on_remote("receive.hideRefs", "refs/notes");
    let said = forge.run(&dir, &env, &[]).ok();
    assert_snapshot!(said.split("\n\n2 sessions").next().unwrap(), @"
    Questions and limits are those of this commit.

    fdca5241d0 -> 8807631b82  tree  1 entry
    Carried 1 entry.
    not published: origin rejected refs/notes/sq: deny updating a hidden ref
    ");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let comment = forge.run(&dir, &env, &["--format", "markdown"]).ok();
    assert_has!(comment, "\nnot published: origin rejected refs/notes/sq: deny updating");
    assert_eq!(forge.team.lines_on_remote().len(), published);
    forge.team.git_ok_in(&forge.team.remote, "config --unset receive.hideRefs");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    forge.run(&dir, &env, &[]).ok();
    assert_eq!(forge.team.lines_on_remote().len(), published + 1);
    // The next run has nothing left to do.
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let said = forge.run(&dir, &env, &[]).ok();
    let quiet = "Questions and limits are those of this commit.\n\n2 sessions";
    assert!(said.starts_with(quiet), "{said}");
    assert_eq!(forge.team.lines_on_remote().len(), published + 1);
}

/// What somebody loosens and closes on the default branch counts there, in the run of that very push.
#[test]
fn a_push_to_the_default_branch_is_judged_by_itself() {
    let forge = Forge::new();
    let before = forge.team.git_ok("rev-parse main");
    forge.team.world.sq_ok_in(&forge.team.clone, "question retire q1");
    forge.team.git_ok("add --all");
    forge.team.commit(&forge.team.clone, "retire");
    forge.push("main");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let env = jenkins(before.trim());
    let said = forge.run(&dir, &env, &[]).ok();
    assert!(said.starts_with("Questions and limits are those of this commit.\n"), "{said}");
    let said = forge.run(&dir, &env[..4], &["--base", before.trim()]).transcript();
    assert!(said.contains("q1 is no longer asked"), "{said}");
}

/// A checkout of CI does not know what the remote's HEAD is.
#[test]
fn the_default_branch_may_have_any_name() {
    let forge = Forge::new();
    forge.team.git_ok("switch --quiet -c trunk");
    let settings = "\"settings\":{\"unasked.max\":0,\"staleness\"";
    forge
        .team
        .write("standing_questions.json", STORE.replace("\"settings\":{\"staleness\"", settings));
    forge.team.world.pass(15 * 24 * 3600);
    forge.team.write("file", "three\n");
    forge.team.git_ok("add --all");
    forge.team.commit(&forge.team.clone, "nobody looked");
    forge.push("trunk");
    let dir = forge.checkout("refs/heads/trunk", "refs/remotes/origin/trunk");
    let env = jenkins("HEAD~1").map(|(name, value)| match name {
        "BRANCH_NAME" => (name, "trunk"),
        _ => (name, value),
    });
    let said = forge.run(&dir, &env, &[]).transcript();
    assert_has!(said, "error: 1 commit in 15 days changed something watched");
}

/// A forge keeps what a pull request was last, and names it in the squash.
#[test]
fn a_squash_with_a_review_s_commits_carries_the_answers() {
    let forge = Forge::new();
    let Team { world, clone, .. } = &forge.team;
    let before = forge.team.git_ok("rev-parse main");
    forge.team.git_ok("switch --quiet work");
    fs::write(clone.join("review"), "as asked\n").unwrap();
    forge.team.git_ok("add --all");
    forge.team.commit(clone, "Do what the review asks");
    forge.team.git_ok("push --quiet --no-verify origin work:refs/pull/7/head");
    forge.team.git_ok("switch --quiet main");
    forge.team.git_ok("merge --quiet --squash work");
    forge.team.commit(clone, "Land the work (#7)");
    forge.team.git_ok("push --quiet --no-verify origin main :work");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let said = forge.run(&dir, &jenkins(before.trim()), &[]).transcript();
    assert_has!(said, "  branch  1 entry\nCarried 1 entry.\n");
    assert_has!(world.sq_ok_in(&dir, "log --oneline"), "DELTA");
}

/// A forge rebases a branch, or a queue squashes it: its answers go along, in this run alone.
#[test]
fn a_proposal_that_was_rewritten_is_judged_with_its_answers() {
    let forge = Forge::new();
    let team = &forge.team;
    team.change("other", "other\n");
    team.git_ok("push --quiet --no-verify origin main");
    let bot = team.cloned("", "bot");
    team.git_ok_in(&bot, "switch --quiet --detach origin/work");
    team.git_ok_in(&bot, "rebase --quiet origin/main");
    team.git_ok_in(&bot, "push --quiet --force origin HEAD:work");
    team.git_ok_in(&bot, "switch --quiet --detach origin/main");
    team.git_ok_in(&bot, "merge --quiet --no-ff -m Merge origin/work");
    team.git_ok_in(&bot, "push --quiet --force origin HEAD:refs/pull/7/merge");
    let lines = team.lines_on_remote();
    let dir = forge.checkout("refs/pull/7/merge", "refs/remotes/pull/7/merge");
    let env = [("GITHUB_BASE_REF", "main"), ("GITHUB_REF_NAME", "7/merge")];
    let event = json!({"pull_request": {}, "repository": {"default_branch": "main"}});
    let said = forge.github(&dir, &env, &event).ok();
    assert_eq!(said, "verified 2 recorded answers: all stand\nclean: 1 fresh\n");
    assert_eq!(team.lines_on_remote(), lines);
}

/// The remote still has the commits of a branch that it squashed: what was flagged there is in every clone.
#[test]
fn a_squash_takes_no_flag_away() {
    squashed(true, "1 entry, 1 answer flagged");
    // Where the squash has the files of the branch, too.
    squashed(false, "1 entry, 1 answer flagged");
}

fn squashed(has_moved: bool, carried: &str) {
    let forge = Forge::new();
    let Team { world, clone, .. } = &forge.team;
    forge.team.git_ok("switch --quiet work");
    forge.team.commit(clone, "s3");
    world.sq_ok_in(clone, "record --sure --sid s3 --delta q1=three --cite q1=file:1");
    forge.push("work");
    forge.team.git_ok("switch --quiet main");
    if has_moved {
        fs::write(clone.join("other"), "other\n").unwrap();
        forge.team.git_ok("add --all");
        forge.team.commit(clone, "Elsewhere");
    }
    let before = forge.team.git_ok("rev-parse main");
    forge.team.git_ok("merge --quiet --squash work");
    forge.team.commit(clone, "Land the work");
    forge.team.git_ok("push --quiet --no-verify origin main :work");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let env = jenkins(before.trim());
    let said = forge.run(&dir, &env, &[]).transcript();
    assert!(said.contains(carried), "{said}");
    let fresh = forge.team.join("fresh");
    world.sq_ok_in(&fresh, "sync");
    assert_eq!(world.check_in(&fresh).0["looks"]["open"], 1);
}

/// All of the proposal, and of the rest a sample that stays when the run is repeated.
#[test]
fn answers_of_a_proposal_are_all_verified() {
    let forge = Forge::new();
    forge.team.git_ok("switch --quiet work");
    forge.work("s3", "three\n");
    forge.push("work");
    let dir = forge.checkout("refs/heads/work", "refs/remotes/pull/7/head");
    let run = |attempt: &str| {
        let mut env = GITHUB.to_vec();
        env.retain(|(name, _)| *name != "GITHUB_RUN_ATTEMPT");
        env.extend([("GITHUB_BASE_REF", "main"), ("GITHUB_RUN_ATTEMPT", attempt)]);
        let args = ["--sample", "1", "--format", "json"];
        let verify = forge.run(&dir, &env, &args).json();
        let seed = verify["seed"].clone();
        (seed, verify["verify"]["results"].as_array().unwrap().len())
    };
    let first = run("1");
    assert_eq!(first.1, 3);
    assert_eq!(run("2"), first);
}

#[test]
fn what_can_t_be_fetched_is_unknown() {
    let forge = Forge::new();
    let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
    let env = [
        ("GITHUB_ACTIONS", "true"),
        ("FORGEJO_ACTIONS", "true"),
        ("GITHUB_RUN_ID", "12"),
        ("GITHUB_BASE_REF", "gone"),
    ];
    let ran = forge.run(&dir, &env, &[]).exits(3);
    assert_snapshot!(ran.stdout.split_once("all stand\n").unwrap().1, @"

    unknown: could not find the base to compare with: origin has no refs/heads/gone; name it with --base

    undetermined: 1 fresh
    ");
    let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
    fs::rename(&forge.team.remote, forge.team.remote.with_extension("away")).unwrap();
    let ran = forge.run(&dir, &env, &["--base", "HEAD"]).exits(3);
    assert_snapshot!(ran.stdout, @"
    Questions and limits are those of HEAD.

    0 sessions on fdca5241d0, 1 question asked
      question  staleness  standing  sessions  last answered
      q1                0  unknown             unknown

    unknown: history ends at fdca5241d0 (a shallow clone): earlier entries are not counted; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    unknown: origin may have a log that was never fetched, and gets no entries from here: run `git sq init`

    undetermined: the history or the log is incomplete; 1 unknown

    unknown: the log was not fetched: origin could not be reached: '[world]/remote.git' does not appear to be a git repository
    unknown: the history was not fetched: origin could not be reached: '[world]/remote.git' does not appear to be a git repository; check out all of it (fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)
    ");
}

/// A checkout of one branch knows no other, so what is named is fetched.
#[test]
fn a_base_is_fetched_by_each_of_its_names() {
    let forge = Forge::new();
    forge.team.git_ok("tag v1 main");
    forge.team.git_ok("push --quiet origin v1");
    let nowhere = "1".repeat(40);
    let base = |name: &str| {
        let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
        let said = forge.run(&dir, &[], &["--base", name]).stdout;
        let mut unknown = said.lines().filter(|line| line.starts_with("unknown: "));
        unknown.next().or(said.lines().next()).unwrap_or_default().to_owned()
    };
    for name in ["main", "origin/main", "refs/heads/main", "refs/remotes/origin/main"] {
        let said = base(name);
        assert!(said.ends_with("origin/main."), "{name}: {said}");
    }
    let others = ["refs/tags/v1", "mian", "v1", "refs/tags/v2", &nowhere];
    assert_snapshot!(others.map(base).join("\n"), @"
    Questions and limits are those of refs/tags/v1.
    unknown: could not find the base to compare with: origin has no refs/heads/mian; name it with --base
    unknown: could not find the base to compare with: origin has no refs/heads/v1; name it with --base
    unknown: could not find the base to compare with: origin has no refs/tags/v2; name it with --base
    unknown: could not find the base to compare with: origin answered: upload-pack: not our ref 1111111111111111111111111111111111111111; name it with --base
    ");
    // Who may push could make a branch of a tag's name.
    let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
    forge.team.git_ok_in(&dir, "fetch --quiet origin refs/tags/v1:refs/tags/v1");
    forge.team.git_ok("push --quiet origin main:refs/heads/v1");
    assert_has!(forge.run(&dir, &[], &["--base", "v1"]).stdout, "\"v1\" is not a branch");
}

#[test]
fn a_build_that_is_told_no_base_is_undetermined() {
    let forge = Forge::new();
    let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
    let before = forge.team.git_ok("rev-parse work~1");
    let env = [
        ("JENKINS_URL", "https://ci.example.org/"),
        ("BUILD_TAG", "jenkins-work-2"),
        ("BRANCH_NAME", "work"),
        ("GIT_PREVIOUS_COMMIT", before.trim()),
    ];
    let ran = forge.run(&dir, &env, &[]);
    assert_has!(ran.stdout, "no base branch known: pass --base");
    assert_eq!(ran.code, 3);
    forge.team.git_ok_in(&dir, "fetch --quiet origin +refs/heads/main:refs/remotes/origin/main");
    assert_eq!(forge.run(&dir, &env, &["--base", "origin/main"]).code, 0);
}

#[test]
fn a_remote_without_a_log_has_no_sessions() {
    let forge = Forge::new();
    forge.team.git_ok_in(&forge.team.remote, "update-ref -d refs/notes/sq");
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    let ran = forge.run(&dir, &[], &[]).exits(1);
    assert_has!(ran.stdout, "error: no session has recorded anything yet\n");
    assert!(!ran.stdout.contains("erif"), "{}", ran.stdout);
}

#[test]
fn without_a_remote_nobody_is_said_to_have_recorded_nothing() {
    let forge = Forge::new();
    let dir = forge.checkout("refs/heads/main", "refs/remotes/origin/main");
    forge.team.git_ok_in(&dir, "remote remove origin");
    let ran = forge.run(&dir, &[("JENKINS_URL", "https://ci.example.org/")], &[]).exits(3);
    assert_has!(ran.stdout, "unknown: the log was not fetched: this clone has no remote; ");
}

#[test]
fn an_answer_that_does_not_hold_fails_the_gate() {
    let forge = Forge::new();
    let work = forge.team.git_ok("rev-parse work");
    let note = forge.team.git_ok(&format!("notes --ref=sq show {work}"));
    let forged = note.replace(r#""lines":[1,1]"#, r#""lines":[9,9]"#);
    assert_ne!(note, forged);
    let path = forge.team.world.root().join("note");
    fs::write(&path, forged).unwrap();
    let remote = &forge.team.remote;
    forge.team.git_ok_in(remote, &format!("notes --ref=sq add -f -F '{}' {work}", path.display()));
    // Its history would show that.
    let anew = forge.team.git_ok_in(remote, "commit-tree -m anew refs/notes/sq^{tree}");
    forge.team.git_ok_in(remote, &format!("update-ref refs/notes/sq {anew}"));
    let dir = forge.checkout("refs/heads/work", "refs/remotes/origin/work");
    let ran = forge.run(&dir, &[], &["--format", "github"]);
    let entry: Value = serde_json::from_str(&note).unwrap();
    let said = ran.transcript().replace(entry["id"].as_str().unwrap(), "[entry]");
    assert_snapshot!(said, @"
    ::error file=standing_questions.json,line=2,title=verify::q1 of session s2 ([entry]): it cites file:9, and fdca5241d0 has no such lines%0A`git sq show` has the entry: derive the answer again
    ::warning file=standing_questions.json,line=2,title=no-evidence::q1 of session s2 (Ada Example) at fdca5241d0, entry [entry]: file changed since 78422dbb51, and file:9 does not stand at fdca5241d0%0Aanswer it again with the lines that show it; see `git sq check --explain no-evidence`
    ::warning file=standing_questions.json,line=2,title=outdated::q1 is outdated: file changed since 78422dbb51, where it was answered%0Arecord an answer at HEAD: `git sq brief`
    verified 2 recorded answers: 1 stands, 1 does not
    not clean, 2 warnings: 1 recorded answer does not stand; 1 outdated
    --- exit 1
    ");
}

/// A run for a push to `release`, which is not the default branch, with a remote that is empty yet.
fn pushing() -> World {
    let world = World::new()
        .env("BUILDKITE", "true")
        .env("BUILDKITE_BRANCH", "release")
        .env("BUILDKITE_PIPELINE_DEFAULT_BRANCH", "main");
    world.git_ok("init --quiet --bare ../origin");
    world.git_ok("remote add origin ../origin");
    world
}

/// It can't have answers, and nothing of it is proposed.
#[test]
fn a_branch_that_is_older_than_the_questions_is_not_held_against_them() {
    let world = pushing();
    world.change("src/a.rs", "one\n");
    world.git_ok("branch release");
    world.ask(&["q1"]);
    world.record("s1").ok();
    world.git_ok("push --quiet --no-verify origin main release");
    world.sq_ok("init --no-hooks");
    world.sq_ok("sync");
    world.git_ok("switch --quiet release");
    world.change("src/a.rs", "two\n");
    assert_has!(world.sq_ok("ci"), " 0 questions asked\n", "\nclean\n");
    let world = world.env("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main");
    assert_eq!(world.try_sq("ci").code, 1);
}

/// A release branch keeps the questions that it began with.
#[test]
fn what_is_asked_after_a_branch_began_binds_it_once_it_is_proposed() {
    let world = pushing();
    let ask = |versions: &[(&str, &str, &str)]| {
        let version = |(file, number, keys): &(&str, &str, &str)| {
            format!(
                r#"{{"id": "same", "version": {number}, "q": "Is {file} the same?", "importance": 2, "expect": true,
                    "probe": {{"agree": [{{"text": {{"file": "version", "pattern": "(.*)"}}}}, {{"text": {{"file": "{file}", "pattern": "(.*)"}}}}]}}{keys}}}"#
            )
        };
        world.ask_json(&versions.iter().map(version).collect::<Vec<_>>().join(", "))
    };
    world.write("version", "1\n");
    world.write("CHANGES", "1\n");
    ask(&[("CHANGES", "1", "")]);
    world.git_ok("branch release");
    world.write("docs/CHANGES", "1\n");
    world.git_ok("rm --quiet CHANGES");
    let old = ("CHANGES", "1", r#", "status": "deprecated""#);
    ask(&[old, ("docs/CHANGES", "2", "")]);
    world.git_ok("push --quiet --no-verify origin main release");
    world.sq_ok("init --no-hooks");
    world.git_ok("switch --quiet release");
    world.write("version", "1.1\n");
    world.change("CHANGES", "1.1\n");
    let judged = "are those of origin/main, but for what it asks since HEAD left it.\n";
    assert_has!(world.sq_ok("ci"), judged, "  same      holds\n");
    world.change("CHANGES", "1.2\n");
    assert_has!(world.try_sq("ci").exits(1).stdout, "error: same fails: differ");
    // Its own store decides nothing there, either.
    world.change("CHANGES", "1.1\n");
    ask(&[("version", "1", "")]);
    assert_has!(world.try_sq("ci").exits(1).stdout, "[version-changed-in-place]");
    let world = world.env("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main");
    assert_has!(world.try_sq("ci").exits(1).stdout, "error: same@2 fails: missing");
}

/// Which questions have one is for the base to say; those that it does not ask are the branch's.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn answers_of_commands_are_left_out_though_the_base_does_not_ask_them() {
    let world = World::asking(&[r#", "severity": "informational""#]);
    world.git_ok("init --quiet --bare ../origin");
    world.git_ok("remote add origin ../origin");
    world.git_ok("push --quiet --no-verify origin main");
    world.sq_ok("init --no-hooks");
    world.git_ok("switch --quiet --create topic");
    let command =
        r#"{"id": "c1", "q": "Does it run?", "importance": 2, "probe": {"run": ["true"]}}"#;
    let asked = git_sq_test_support::keyed(&[r#", "severity": "informational""#])
        .replace("[{", &format!("[{command}, {{"));
    world.change("standing_questions.json", asked);
    world.person("question approve c1", "yes\n").ok();
    world.git_ok("config --global sq.agentCommands true");
    world.sq_ok("record --sid s1 q1=one");
    world.git_ok("push --quiet --no-verify origin topic");
    world.sq_ok("sync");
    let said = world.sq_ok("ci --base origin/main");
    assert_has!(said, "Questions and limits are those of origin/main", "clean");
    // Where it is asked no more, too.
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet --no-ff --no-edit topic");
    world.git_ok("revert --no-edit -m1 HEAD");
    assert_has!(world.sq_ok("ci --base origin/main"), "clean");
}
