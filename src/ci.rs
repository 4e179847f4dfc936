//! Reads the environment of CI systems: a pure table of the supported ones.

use std::env;

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

impl Base {
    pub fn name(&self) -> &str {
        match self {
            Self::Branch(name) | Self::Commit(name) => name,
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub system: Option<System>,
    pub base: Option<Base>,
    /// The default branch; that of a fork is not known.
    pub default: Option<String>,
    /// A value that was unknown before the run began, if the system has one. A repeated run has the same value, so
    /// repeating it can't draw an answer away.
    pub nonce: Option<String>,
    /// True if the run is for the default branch, not for a proposal.
    pub is_default_branch: bool,
    /// True if the run is for a push to another branch.
    pub is_branch: bool,
}

#[derive(Default)]
struct Told {
    /// The target branch of a proposal.
    target: Option<String>,
    /// The first commit of a proposal without a known target.
    fork: Option<String>,
    /// True if the branch is proposed, whatever its target.
    is_proposed: bool,
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
            is_proposed: env("CI_OPEN_MERGE_REQUESTS").is_some(),
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

/// Returns true if this process runs on a supported system.
pub fn is_here() -> bool {
    system(|name| env::var(name).ok()).is_some()
}

/// Returns true if a system reads the output that obeys some of its lines.
pub fn obeys_lines(env: impl Fn(&str) -> Option<String>) -> bool {
    // Forgejo and Gitea set the first, Azure the third.
    ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION"]
        .into_iter()
        .any(|name| env(name).is_some())
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
    let queue = text("/merge_group/base_ref")
        .and_then(|name| Some(name.strip_prefix("refs/heads/")?.to_owned()));
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
        let proposed = self.target.map(Base::Branch).or(self.fork.map(Base::Commit));
        // A pushed branch is a future proposal: its state before the push proves nothing.
        let pushed = if is_default_branch {
            let before = self.before.filter(|id| id.bytes().any(|digit| digit != b'0'));
            before.map(Base::Commit)
        } else {
            self.default.clone().map(Base::Branch)
        };
        Run {
            system: Some(system),
            base: proposed.or(pushed),
            // In a fork, it is the fork's own.
            default: self.default.filter(|_| !is_fork),
            nonce: self.nonce,
            is_default_branch,
            is_branch: !is_proposal && !is_default_branch && !self.is_proposed,
        }
    }
}
