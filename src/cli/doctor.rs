//! `git sq doctor`: what is wrong with this clone, its remotes and its hooks, and mending it.

mod config;
mod log;

use std::{env, fs, path::PathBuf};

use clap::Args;

use super::{
    CommandResult, Context, Failure, Format, Outcome,
    init::{Done, by_hand, set_hooks},
};
use crate::{
    agent::{GitHook, HookState, hook_state},
    entry::Line,
    git::{ConfigEdit, Oid, Repo},
    metrics::Severity,
    report::{Ailment, Diagnosis, Orphan, Problem, doctor_text, json},
    session::{SET_GRACE, configured_grace},
    store::{LOCAL_REF, Lines, WritersLock, append},
};

/// Say what is wrong with this clone, its remotes and its hooks
///
/// Looks at what is here and asks no remote. Exit code 1 says that lines are lost or in danger, or that the log can't
/// travel.
#[derive(Args)]
pub struct DoctorArgs {
    /// Mend what can be mended without a decision of yours
    #[arg(long)]
    fix: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A problem and how `--fix` mends it.
struct Case {
    problem: Problem,
    cure: Option<Cure>,
}

/// What `--fix` does.
enum Cure {
    Set(Vec<ConfigEdit>),
    Unset(ConfigEdit),
    SetHooks,
    Append(Lines),
    RemoveLock(PathBuf),
    /// Gives the local ref what it had before.
    Restore {
        from: Oid,
        to: Oid,
    },
}

/// What is being looked through, and what was found so far.
struct Examination<'r> {
    repo: &'r Repo,
    cases: Vec<Case>,
    orphans: Vec<Orphan>,
    unknown: Vec<String>,
}

impl Examination<'_> {
    fn found(
        &mut self,
        (rule, severity): (Ailment, Severity),
        what: impl Into<String>,
        why: impl Into<String>,
        command: impl Into<String>,
        cure: Option<Cure>,
    ) {
        self.cases.push(Case {
            problem: Problem {
                rule,
                severity,
                what: what.into(),
                why: why.into(),
                command: command.into(),
                fixed: false,
            },
            cure,
        });
    }

    /// Whether git runs the hooks that carry the log, and they would find the program.
    fn hooks(&mut self, done: &Done) -> Result<(), Failure> {
        for hook in GitHook::ALL {
            let state = hook_state(self.repo, hook)?;
            if state == HookState::Runs || done.declined_hooks() {
                continue;
            }
            let by_init = matches!(
                state,
                HookState::Absent(_) | HookState::Chainable(_) | HookState::Configurable(_)
            );
            let command = if by_init {
                "git sq init".to_owned()
            } else {
                by_hand(hook, &state)
            };
            let why = match hook {
                GitHook::PrePush => "the log is not pushed along with your commits",
                GitHook::PostRewrite => "entries stay behind when commits are amended or rebased",
            };
            self.found(
                (Ailment::HookNotRun, Severity::Warning),
                format!("git does not run git sq in the hook {}", hook.name()),
                why,
                command,
                // Where nobody has asked for them, a person decides.
                (by_init && Done::is_there(self.repo)).then_some(Cure::SetHooks),
            );
        }
        let name = format!("git-sq{}", env::consts::EXE_SUFFIX);
        let path = env::var_os("PATH").unwrap_or_default();
        if !env::split_paths(&path).any(|dir| dir.join(&name).is_file()) {
            self.found(
                (Ailment::NotOnPath, Severity::Warning),
                "git-sq is in no folder of PATH",
                "the hooks do nothing where they don't find it",
                "put the folder of git-sq into PATH, also for the programs that run git for you",
                None,
            );
        }
        Ok(())
    }

    /// Whether sessions can be started and swept up.
    fn grace(&mut self) {
        if let Err(error) = configured_grace(self.repo) {
            let why = "no session can be started or swept up";
            let rule = (Ailment::BadGrace, Severity::Warning);
            self.found(rule, error.to_string(), why, SET_GRACE, None);
        }
    }
}

impl DoctorArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        let mut examination = Examination {
            repo: &repo,
            cases: Vec::new(),
            orphans: Vec::new(),
            unknown: Vec::new(),
        };
        let done = Done::load(&repo)?;
        examination.config(&done);
        examination.hooks(&done)?;
        examination.log()?;
        examination.grace();
        let Examination {
            mut cases,
            orphans,
            unknown,
            ..
        } = examination;
        cases.sort_by_key(|case| case.problem.severity);
        let mut problems = Vec::new();
        for Case { mut problem, cure } in cases {
            if let Some(cure) = cure.filter(|_| self.fix) {
                problem.fixed = cure.apply(context, &mut repo)?;
            }
            problems.push(problem);
        }
        let diagnosis = Diagnosis {
            problems,
            orphans,
            unknown,
        };
        context.print(&match self.format {
            Format::Json => json("sq.doctor/v1", &diagnosis),
            Format::Text => doctor_text(&diagnosis, context.style(Some(&repo))),
        });
        let mut open = diagnosis.problems.iter().filter(|problem| !problem.fixed);
        Ok(if open.any(|p| p.severity == Severity::Error) {
            Outcome::Findings
        } else if diagnosis.unknown.is_empty() {
            Outcome::Clean
        } else {
            Outcome::Unknown
        })
    }
}

impl Cure {
    /// Mends it; gives whether that could be done.
    fn apply(self, context: &Context, repo: &mut Repo) -> Result<bool, Failure> {
        match self {
            Self::Set(edits) => {
                let _turn = WritersLock::acquire(repo)?;
                // So that `git sq init --undo` takes it back too.
                Done::load(repo)?.will_set(repo, &edits)?;
                repo.add_config(&edits)?;
            }
            Self::Unset(edit) => {
                // What stands in the user's other files is for a person to take out.
                return Ok(!repo.remove_config(&[edit])?.is_empty());
            }
            Self::SetHooks => {
                let _turn = WritersLock::acquire(repo)?;
                set_hooks(context, repo, &mut Done::load(repo)?)?;
            }
            Self::Append(lines) => {
                let lines: Vec<(Oid, Line)> = lines
                    .iter()
                    .map(|(anchor, line)| (*anchor, Line::raw(line)))
                    .collect();
                append(repo, &lines, "Notes recovered by 'git sq doctor'")?;
            }
            Self::RemoveLock(path) => {
                // With this in hand, no writer of ours is at work; the lock's age says the same of git.
                let _turn = WritersLock::acquire(repo)?;
                fs::remove_file(&path).map_err(|error| {
                    Failure::refused(
                        format!("could not remove {}: {error}", path.display()),
                        "see that the git folder can be written",
                    )
                })?;
            }
            Self::Restore { from, to } => {
                repo.move_ref(LOCAL_REF, Some(from), to, "sq: restored by 'git sq doctor'")?;
            }
        }
        Ok(true)
    }
}
