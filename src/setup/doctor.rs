//! Diagnoses problems with this clone, its remotes and its hooks, and fixes them.

mod config;
mod log;
mod refs;

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    Error,
    agent::AgentStatus,
    git_hooks::{GitHook, HookState, hook_state},
    on_path::{HOW_TO_INSTALL, is_on_path},
    remotes::FetchEdits,
};
use crate::{
    entry::Line,
    finding,
    git::{Oid, RefTip, Repo},
    quote,
    store::{
        LOCAL_REF, Lines, LocalState, WritersLock, append, fold,
        share::{hold_back, leave},
        state_dir,
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ailment {
    /// HEAD's question store can't be read.
    Store,
    /// No remote shares the log, though there is an upstream.
    NotShared,
    /// `git fetch` does not fetch the log of a remote that shares it.
    NotFetched,
    /// A fetch refspec overwrites the local log, or makes every fetch fail.
    DangerousRefspec,
    /// A setting that can't be read, or about the log that can't be meant so.
    BadSetting,
    NotesRef,
    RewriteRef,
    HookNotRun,
    NotOnPath,
    Refused,
    /// A remote that shares the log lacks lines of commits that it has.
    NotPushed,
    Tampered,
    /// A ref of a remote is in the place of the log, or in its way.
    BadRef,
    /// A ref of the log, or what it has, can't be read in full.
    Damaged,
    /// A folder of the log can't be written.
    Unwritable,
    /// A killed process left the lock of a ref of the log.
    Locked,
    /// A ref of the log, or one for publishing, leads to missing objects: git's own commands fail.
    Missing,
    /// The log has lost lines that this clone wrote, or saw on a remote.
    LostLines,
    Orphans,
    /// A file for a coding agent is of another version, duplicate, or not read.
    Agent,
}

pub type Finding = finding::Finding<Ailment>;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Diagnosis {
    pub findings: Vec<Finding>,
    pub fixed: Vec<Finding>,
    /// Entries that wait in this clone, as intended.
    pub waiting: Vec<Waiting>,
    /// Facts that are no problems, but good to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Waiting {
    pub remote: String,
    pub entries: usize,
    pub branches: BTreeSet<String>,
}

enum Cure {
    Config(FetchEdits),
    Append(Lines),
    Restore,
    ForgetTampering(String),
    /// Deletes a ref that the next fetch brings anew.
    FetchAgain(RefTip),
}

struct Examination<'r> {
    repo: &'r Repo,
    cases: Vec<(Finding, Option<Cure>)>,
    diagnosis: Diagnosis,
}

/// Checks everything and, with `fix`, solves the problems that need no decision of a person.
pub fn diagnose(repo: &mut Repo, agents: &AgentStatus, fix: bool) -> Result<Diagnosis, Error> {
    /// A solved problem may have hidden another one.
    const ROUNDS: usize = 4;
    let mut fixed = Vec::new();
    let mut diagnosis = examine(repo, agents, fix)?;
    for _ in 1..ROUNDS {
        if diagnosis.fixed.is_empty() {
            break;
        }
        fixed.append(&mut diagnosis.fixed);
        diagnosis = examine(repo, agents, fix)?;
    }
    fixed.append(&mut diagnosis.fixed);
    Ok(Diagnosis { fixed, ..diagnosis })
}

fn examine(repo: &mut Repo, agents: &AgentStatus, fix: bool) -> Result<Diagnosis, Error> {
    let mut examination = Examination { repo, cases: Vec::new(), diagnosis: Diagnosis::default() };
    examination.unwritable();
    examination.config();
    examination.hooks()?;
    examination.agents(agents);
    examination.log()?;
    let (mut cases, mut diagnosis) = (examination.cases, examination.diagnosis);
    cases.sort_by_key(|(finding, _)| finding.severity);
    for (finding, cure) in cases {
        let Some(cure) = cure.filter(|_| fix) else {
            diagnosis.findings.push(finding);
            continue;
        };
        let message = cure.outcome(&finding);
        if cure.apply(repo)? {
            diagnosis.fixed.push(Finding { message, ..finding });
        } else {
            diagnosis.findings.push(finding);
        }
    }
    Ok(diagnosis)
}

impl Examination<'_> {
    fn found(&mut self, finding: Finding) {
        self.cases.push((finding, None));
    }

    /// Names a folder that can't be written, as where a container mounts it read-only.
    fn unwritable(&mut self) {
        let dir = self.repo.common_dir();
        let below = ["refs/notes", "refs", "objects"].map(|name| dir.join(name));
        let state = Some(state_dir(self.repo)).filter(|state| state.exists());
        let folders = [state.unwrap_or(dir)].into_iter().chain(below);
        let bad = folders.filter(|folder| folder.exists()).find_map(|folder| {
            let error = tempfile::tempfile_in(&folder).err()?;
            Some((folder.to_string_lossy().into_owned(), error.kind()))
        });
        if let Some((folder, why)) = bad {
            let message = format!("{folder} can't be written ({why}): nothing can be recorded");
            let help = format!("ls -ld {}   (shows who may write there)", quote::word(&folder));
            self.found(Finding::error(Ailment::Unwritable, &folder, message, help));
        }
    }

    /// Checks that git runs the hooks that carry the log, and that they can find the program.
    fn hooks(&mut self) -> Result<(), Error> {
        let is_declined =
            self.repo.worktree().is_none() || self.repo.config_flag("sq.hooks") == Some(false);
        for hook in GitHook::ALL.into_iter().filter(|_| !is_declined) {
            let name = hook.name();
            let help = match hook_state(self.repo, hook)? {
                HookState::Runs => continue,
                HookState::RunsWithoutInput => {
                    self.diagnosis.notes.push(format!(
                        "{name}: pre-commit does not say which commits a rebase made, so entries follow only to a commit with the same content; `git sq carry --onto` moves others"
                    ));
                    continue;
                }
                HookState::ByHand(help) => help.join("\n"),
                HookState::Absent(_) | HookState::Configurable(_) => "git sq init".to_owned(),
            };
            let message = match hook {
                GitHook::PrePush => "the log is not published after your pushes",
                GitHook::PostRewrite => "entries stay behind when commits are amended or rebased",
            };
            let message = format!("git does not run git sq in the {name} hook: {message}");
            self.found(Finding::warning(Ailment::HookNotRun, name, message, help));
        }
        if !is_on_path() {
            self.found(Finding::warning(
                Ailment::NotOnPath,
                "PATH",
                "git-sq is not on the PATH: without it, the hooks do nothing",
                format!(
                    "{HOW_TO_INSTALL}, or add its directory to the PATH, also for other programs that run git"
                ),
            ));
        }
        Ok(())
    }

    fn agents(&mut self, status: &AgentStatus) {
        for agent in &status.agents {
            let name = agent.name.name();
            for warning in &agent.warnings {
                let message = format!("{name}: {warning}");
                let help = "git sq agent status";
                self.found(Finding::warning(Ailment::Agent, name, message, help));
            }
        }
    }
}

impl Cure {
    /// What is true afterwards.
    fn outcome(&self, Finding { rule, message, about, .. }: &Finding) -> String {
        let name = about.as_deref().unwrap_or_default();
        match self {
            Self::Config(_) if *rule == Ailment::NotFetched => {
                format!("`git fetch {name}` fetches its log now")
            }
            Self::Config(_) => format!("`git fetch {name}` no longer writes to {LOCAL_REF}"),
            Self::Append(_) | Self::Restore => {
                format!("{LOCAL_REF} has all entries that this clone knows")
            }
            // It was restored when that was noticed.
            Self::ForgetTampering(_) => message.clone(),
            Self::FetchAgain(_) => format!("{name} was deleted; the next fetch brings it anew"),
        }
    }

    fn apply(self, repo: &mut Repo) -> Result<bool, Error> {
        match self {
            Self::Config(FetchEdits { add, remove }) => {
                let _turn = WritersLock::acquire(repo)?;
                leave(repo)?;
                // Values in the user's other config files are for a person to remove.
                let removed = repo.remove_config(&remove)?;
                repo.add_config(&add)?;
                return Ok(!add.is_empty() || removed.len() == remove.len());
            }
            Self::Append(lines) => {
                let lines: Vec<(Oid, Line)> =
                    lines.iter().map(|(anchor, line)| (*anchor, Line::raw(line))).collect();
                append(repo, &lines, "Notes recovered by 'git sq doctor'")?;
            }
            Self::Restore => _ = fold(repo, &[])?,
            Self::ForgetTampering(remote) => {
                LocalState::update(repo, |state| state.tampered.remove(&remote))?;
            }
            Self::FetchAgain(tip) => {
                let _turn = hold_back(repo)?;
                // What can still be read of it may be nowhere else.
                let _ = fold(repo, &[tip.target]);
                repo.set_back(&tip, None)?;
            }
        }
        Ok(true)
    }
}
