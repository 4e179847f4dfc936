//! What the environment of a CI run says of it.

use git_sq::ci::{Base, run};
use serde_json::{Value, json};

/// The run of an environment in words: system, base, nonce, whether on the default branch.
fn of(env: &str, event: &Value) -> String {
    let pairs: Vec<(&str, &str)> = env
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .collect();
    let get = |name: &str| {
        let found = pairs.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let run = run(get, event);
    let base = match run.base {
        None => "-".into(),
        Some(Base::Branch(name)) => format!("branch {name}"),
        Some(Base::Commit(id)) => format!("commit {id}"),
    };
    let (system, nonce) = (run.system, run.nonce.unwrap_or_default());
    let system = system.map_or("-".into(), |system| format!("{system:?}"));
    let on = if run.is_default_branch {
        ", default branch"
    } else {
        ""
    };
    format!("{system}: {base}, {nonce}{on}")
}

#[test]
fn github_tells_of_pull_requests_and_pushes() {
    let run = "GITHUB_ACTIONS=true GITHUB_RUN_ID=1658821493 GITHUB_RUN_ATTEMPT=2";
    let branch = |name: &str| format!("{run} GITHUB_REF_TYPE=branch GITHUB_REF_NAME={name}");
    let push = json!({"before": "6113728f27", "repository": {"default_branch": "main"}});
    let pull = format!(
        "{} GITHUB_BASE_REF=release GITHUB_HEAD_REF=work",
        branch("7/merge")
    );
    assert_eq!(of(&pull, &push), "Github: branch release, 1658821493");
    assert_eq!(
        of(&branch("main"), &push),
        "Github: commit 6113728f27, 1658821493, default branch"
    );
    assert_eq!(
        of(&branch("work"), &push),
        "Github: branch main, 1658821493"
    );
    let new = json!({"before": "0000000000", "repository": {"default_branch": "main"}});
    assert_eq!(
        of(&branch("main"), &new),
        "Github: -, 1658821493, default branch"
    );
    let queue = json!({"merge_group": {"base_ref": "refs/heads/main"}, "repository": {"default_branch": "main"}});
    assert_eq!(
        of(&branch("gh-readonly-queue/main/pr-7"), &queue),
        "Github: branch main, 1658821493"
    );
    let tag = format!("{run} GITHUB_REF_TYPE=tag GITHUB_REF_NAME=main");
    assert_eq!(of(&tag, &push), "Github: branch main, 1658821493");
    assert_eq!(of(&branch("main"), &Value::Null), "Github: -, 1658821493");
}

#[test]
fn forgejo_and_gitea_speak_github_s_words() {
    let push = json!({"before": "61", "repository": {"default_branch": "main"}});
    let run = "GITHUB_ACTIONS=true GITHUB_RUN_ID=12 GITHUB_REF_TYPE=branch GITHUB_REF_NAME=main";
    for own in ["FORGEJO_ACTIONS=true", "GITEA_ACTIONS=true"] {
        let told = of(&format!("{run} {own}"), &push);
        assert_eq!(told, "Forgejo: commit 61, 12, default branch");
        let told = of(&format!("{run} {own} GITHUB_BASE_REF=next"), &push);
        assert_eq!(told, "Forgejo: branch next, 12");
    }
}

#[test]
fn gitlab_tells_of_merge_requests_and_branches() {
    let run = "GITLAB_CI=true CI_PIPELINE_ID=1234 CI_DEFAULT_BRANCH=main";
    let none = "CI_COMMIT_BEFORE_SHA=0000000000000000000000000000000000000000";
    let merge = format!("{run} {none} CI_MERGE_REQUEST_DIFF_BASE_SHA=0ab1");
    assert_eq!(of(&merge, &Value::Null), "Gitlab: commit 0ab1, 1234");
    let merge = format!("{merge} CI_MERGE_REQUEST_TARGET_BRANCH_NAME=release");
    assert_eq!(of(&merge, &Value::Null), "Gitlab: branch release, 1234");
    let fork = format!("{merge} CI_PROJECT_ID=2 CI_MERGE_REQUEST_PROJECT_ID=1");
    assert_eq!(of(&fork, &Value::Null), "Gitlab: commit 0ab1, 1234");
    let pushed = format!("{run} CI_COMMIT_BEFORE_SHA=61 CI_COMMIT_BRANCH=main");
    assert_eq!(
        of(&pushed, &Value::Null),
        "Gitlab: commit 61, 1234, default branch"
    );
    let pushed = format!("{run} {none} CI_COMMIT_BRANCH=work");
    assert_eq!(of(&pushed, &Value::Null), "Gitlab: branch main, 1234");
    let tag = format!("{run} {none} CI_COMMIT_TAG=v1");
    assert_eq!(of(&tag, &Value::Null), "Gitlab: branch main, 1234");
}

#[test]
fn jenkins_and_buildkite_tell_as_much() {
    let run = "JENKINS_URL=https://ci.example/ BUILD_TAG=jenkins-job-3 GIT_PREVIOUS_COMMIT=61";
    let change = format!("{run} BRANCH_NAME=PR-7 CHANGE_ID=7 CHANGE_TARGET=main");
    assert_eq!(
        of(&change, &Value::Null),
        "Jenkins: branch main, jenkins-job-3"
    );
    let main = format!("{run} BRANCH_NAME=main BRANCH_IS_PRIMARY=true");
    assert_eq!(
        of(&main, &Value::Null),
        "Jenkins: commit 61, jenkins-job-3, default branch"
    );
    let other = format!("{run} BRANCH_NAME=work");
    assert_eq!(of(&other, &Value::Null), "Jenkins: -, jenkins-job-3");
    let run = "BUILDKITE=true BUILDKITE_BUILD_ID=4735ba57 BUILDKITE_PIPELINE_DEFAULT_BRANCH=main";
    let pull = format!("{run} BUILDKITE_BRANCH=work BUILDKITE_PULL_REQUEST_BASE_BRANCH=next");
    assert_eq!(of(&pull, &Value::Null), "Buildkite: branch next, 4735ba57");
    let main = format!("{run} BUILDKITE_BRANCH=main");
    assert_eq!(
        of(&main, &Value::Null),
        "Buildkite: -, 4735ba57, default branch"
    );
    assert_eq!(of("CI=true HOME=/root", &Value::Null), "-: -, ");
}
