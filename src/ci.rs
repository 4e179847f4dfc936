//! Reads the environment of CI systems: a pure table of the supported ones.

use serde::Serialize;
use serde_json::Value;

/// A supported CI system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum System {
    Github,
    Gitlab,
    /// Forgejo and Gitea: GitHub's variables, but none of its pages.
    Forgejo,
    Jenkins,
    Buildkite,
}

/// The base of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    Branch(String),
    Commit(String),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub system: Option<System>,
    pub base: Option<Base>,
    /// The default branch, with which a proposal is compared as well.
    pub default: Option<String>,
    /// A value that was unknown before the run began, if the system has one. A repeated run has the same value, so
    /// repeating it can't draw an answer away.
    pub nonce: Option<String>,
    /// True if the run is for the default branch, not for a proposal.
    pub is_default_branch: bool,
}

#[derive(Default)]
struct Told {
    /// The target branch of a proposal.
    target: Option<String>,
    /// The first commit of a proposal without a known target.
    fork: Option<String>,
    /// The branch of the run.
    branch: Option<String>,
    default: Option<String>,
    /// The tip of the branch before the push.
    before: Option<String>,
    nonce: Option<String>,
}

/// The run that an environment describes; `event` is the payload of GitHub and compatible systems.
pub fn run(env: impl Fn(&str) -> Option<String>, event: &Value) -> Run {
    let Some(system) = system(&env) else {
        return Run::default();
    };
    let told = match system {
        System::Github | System::Forgejo => github(&env, event),
        System::Gitlab => Told {
            // In a fork, the branch of that name is the fork's own.
            target: env("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
                .filter(|_| env("CI_MERGE_REQUEST_PROJECT_ID") == env("CI_PROJECT_ID")),
            fork: env("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            branch: env("CI_COMMIT_BRANCH"),
            default: env("CI_DEFAULT_BRANCH"),
            before: env("CI_COMMIT_BEFORE_SHA"),
            nonce: env("CI_PIPELINE_ID"),
        },
        System::Jenkins => {
            let branch = env("BRANCH_NAME");
            let is_primary = env("BRANCH_IS_PRIMARY").is_some_and(|value| value == "true");
            Told {
                target: env("CHANGE_TARGET"),
                default: branch.clone().filter(|_| is_primary),
                branch,
                before: env("GIT_PREVIOUS_COMMIT"),
                nonce: env("BUILD_TAG"),
                ..Told::default()
            }
        }
        System::Buildkite => Told {
            target: env("BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
            branch: env("BUILDKITE_BRANCH"),
            default: env("BUILDKITE_PIPELINE_DEFAULT_BRANCH"),
            nonce: env("BUILDKITE_BUILD_ID"),
            ..Told::default()
        },
    };
    told.run(system)
}

fn system(env: impl Fn(&str) -> Option<String>) -> Option<System> {
    let is = |name: &str| env(name).is_some_and(|value| value == "true");
    // Forgejo and Gitea also set GitHub's variables.
    if is("FORGEJO_ACTIONS") || is("GITEA_ACTIONS") {
        Some(System::Forgejo)
    } else if is("GITHUB_ACTIONS") {
        Some(System::Github)
    } else if is("GITLAB_CI") {
        Some(System::Gitlab)
    } else if is("BUILDKITE") {
        Some(System::Buildkite)
    } else {
        env("JENKINS_URL").map(|_| System::Jenkins)
    }
}

fn github(env: impl Fn(&str) -> Option<String>, event: &Value) -> Told {
    let text = |pointer: &str| Some(event.pointer(pointer)?.as_str()?.to_owned());
    let queue = text("/merge_group/base_ref");
    let queue = queue.and_then(|name| Some(name.strip_prefix("refs/heads/")?.to_owned()));
    let is_branch = env("GITHUB_REF_TYPE").is_some_and(|kind| kind == "branch");
    Told {
        target: env("GITHUB_BASE_REF").or(queue),
        branch: env("GITHUB_REF_NAME").filter(|_| is_branch),
        default: text("/repository/default_branch"),
        before: text("/before"),
        nonce: env("GITHUB_RUN_ID"),
        ..Told::default()
    }
}

impl Told {
    fn run(self, system: System) -> Run {
        let is_proposal = self.target.is_some() || self.fork.is_some();
        let is_fork = self.target.is_none() && self.fork.is_some();
        let is_default_branch =
            !is_proposal && self.branch.is_some() && self.branch == self.default;
        let proposed = self.target.map(Base::Branch);
        let proposed = proposed.or(self.fork.map(Base::Commit));
        // A pushed branch is a future proposal: its state before the push proves nothing.
        let default = self.default.filter(|_| !is_default_branch);
        let pushed = default.clone().map(Base::Branch).or_else(|| {
            let before = self.before.filter(|_| is_default_branch);
            let before = before.filter(|id| id.bytes().any(|digit| digit != b'0'));
            before.map(Base::Commit)
        });
        Run {
            system: Some(system),
            base: proposed.or(pushed),
            // In a fork, it is the fork's own.
            default: default.filter(|_| !is_fork),
            nonce: self.nonce,
            is_default_branch,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// In words: system, base, nonce, and true on the default branch.
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
        let run =
            "GITHUB_ACTIONS=true GITHUB_RUN_ID=12 GITHUB_REF_TYPE=branch GITHUB_REF_NAME=main";
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
        let run =
            "BUILDKITE=true BUILDKITE_BUILD_ID=4735ba57 BUILDKITE_PIPELINE_DEFAULT_BRANCH=main";
        let pull = format!("{run} BUILDKITE_BRANCH=work BUILDKITE_PULL_REQUEST_BASE_BRANCH=next");
        assert_eq!(of(&pull, &Value::Null), "Buildkite: branch next, 4735ba57");
        let main = format!("{run} BUILDKITE_BRANCH=main");
        assert_eq!(
            of(&main, &Value::Null),
            "Buildkite: -, 4735ba57, default branch"
        );
        assert_eq!(of("CI=true HOME=/root", &Value::Null), "-: -, ");
    }
}
