//! What the environment of a CI run says of it.

use git_sq::ci::{Base, run};
use serde_json::Value;

/// The run of an environment in words: system, base, nonce, whether on the default branch.
fn of(env: &str, event: &Value) -> String {
    let pairs: Vec<(&str, &str)> =
        env.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
    let run = run(
        |name| {
            pairs.iter().rfind(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        },
        event,
    );
    let base = match run.base {
        None => "-".into(),
        Some(Base::Branch(name)) => format!("branch {name}"),
        Some(Base::Commit(id)) => format!("commit {id}"),
    };
    let (system, nonce) = (run.system, run.nonce.unwrap_or_default());
    let system = system.map_or("-".into(), |system| format!("{system:?}"));
    let on = if run.is_default_branch { ", default branch" } else { "" };
    format!("{system}: {base}, {nonce}{on}")
}

/// Of each system what all its runs have in common, and then for some runs: what else they have, and what that says.
/// Behind a `|` stands the event's file.
const RUNS: &str = r#"
# GITHUB_ACTIONS=true GITHUB_RUN_ID=16 GITHUB_RUN_ATTEMPT=2 GITHUB_REF_TYPE=branch GITHUB_REF_NAME=main
GITHUB_REF_NAME=7/merge GITHUB_BASE_REF=release GITHUB_HEAD_REF=work | {"before": "61"} => Github: branch release, 16
 | {"before": "61", "repository": {"default_branch": "main"}} => Github: commit 61, 16, default branch
GITHUB_REF_NAME=work | {"before": "61", "repository": {"default_branch": "main"}} => Github: branch main, 16
 | {"before": "00", "repository": {"default_branch": "main"}} => Github: -, 16, default branch
GITHUB_REF_NAME=q/pr-7 | {"merge_group": {"base_ref": "refs/heads/main"}, "repository": {"default_branch": "main"}} => Github: branch main, 16
GITHUB_REF_TYPE=tag | {"before": "61", "repository": {"default_branch": "main"}} => Github: branch main, 16
 | null => Github: -, 16
FORGEJO_ACTIONS=true | {"before": "61", "repository": {"default_branch": "main"}} => Forgejo: commit 61, 16, default branch
GITEA_ACTIONS=true GITHUB_BASE_REF=next | null => Forgejo: branch next, 16
# GITLAB_CI=true CI_PIPELINE_ID=12 CI_DEFAULT_BRANCH=main CI_COMMIT_BEFORE_SHA=0000
CI_MERGE_REQUEST_DIFF_BASE_SHA=0ab1 | null => Gitlab: commit 0ab1, 12
CI_MERGE_REQUEST_DIFF_BASE_SHA=0ab1 CI_MERGE_REQUEST_TARGET_BRANCH_NAME=next | null => Gitlab: branch next, 12
CI_MERGE_REQUEST_DIFF_BASE_SHA=0ab1 CI_MERGE_REQUEST_TARGET_BRANCH_NAME=next CI_PROJECT_ID=2 CI_MERGE_REQUEST_PROJECT_ID=1 | null => Gitlab: commit 0ab1, 12
CI_COMMIT_BEFORE_SHA=61 CI_COMMIT_BRANCH=main | null => Gitlab: commit 61, 12, default branch
CI_COMMIT_BRANCH=work | null => Gitlab: branch main, 12
CI_COMMIT_TAG=v1 | null => Gitlab: branch main, 12
# JENKINS_URL=https://ci.example/ BUILD_TAG=job-3 GIT_PREVIOUS_COMMIT=61
BRANCH_NAME=PR-7 CHANGE_ID=7 CHANGE_TARGET=main | null => Jenkins: branch main, job-3
BRANCH_NAME=main BRANCH_IS_PRIMARY=true | null => Jenkins: commit 61, job-3, default branch
BRANCH_NAME=work | null => Jenkins: -, job-3
# BUILDKITE=true BUILDKITE_BUILD_ID=47 BUILDKITE_PIPELINE_DEFAULT_BRANCH=main
BUILDKITE_BRANCH=work BUILDKITE_PULL_REQUEST_BASE_BRANCH=next | null => Buildkite: branch next, 47
BUILDKITE_BRANCH=main | null => Buildkite: -, 47, default branch
# CI=true
HOME=/root | null => -: -,
"#;

#[test]
fn each_system_tells_of_its_runs() {
    let mut common = "";
    for line in RUNS.trim().lines() {
        if let Some(env) = line.strip_prefix("# ") {
            common = env;
            continue;
        }
        let (run, told) = line.split_once(" => ").unwrap();
        let (env, event) = run.split_once("| ").unwrap();
        let event = serde_json::from_str(event).unwrap();
        let said = of(&format!("{common} {env}"), &event);
        assert_eq!(said.trim(), told, "{line}");
    }
}
