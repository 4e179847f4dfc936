//! `git sq approve`: lets the command of a question run.

use std::io;

use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, complete, probe::probed};
use crate::{
    evidence::Approval,
    question::Probe,
    report::{Approvals, approval_text},
};

/// Approve that the commands of questions are run
///
/// A question's probe may be a command. It is run only after you approved it here, on a terminal; `git sq probe`, `git sq
/// record` and `git sq verify --run` run it, and nothing else does. An approval holds for this repository, and for the
/// question, the words of the command and the tracked files that these name, as they are: any change asks again. It is
/// kept in `$XDG_STATE_HOME/git-sq/approvals`, by default under `~/.local/state`.
#[derive(Args)]
pub struct ApproveArgs {
    /// Questions (q4 or q4@2) whose probe is a command
    #[arg(value_name = "QUESTION", add = complete::questions(), required_unless_present = "list")]
    questions: Vec<String>,
    /// List what is approved in this repository
    #[arg(long, conflicts_with_all = ["questions", "revoke"])]
    list: bool,
    /// Take back all approvals of these questions in this repository
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl ApproveArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.list {
            let repo = context.open()?;
            let all = Approval::all(&repo)?;
            let approvals = all.iter().map(Into::into).collect();
            context.show(&repo, &Approvals { approvals }, self.print.format);
            return Ok(Outcome::Clean);
        }
        if self.revoke {
            return self.revoke(context);
        }
        self.approve(context)
    }

    fn approve(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        let wanted = probed(&store.set, &self.questions, true)?;
        if !context.is_interactive() {
            return Err(Failure::refused(
                "a command can only be approved on a terminal",
                "run `git sq approve` yourself, in a terminal of this clone",
            ));
        }
        for (question, probe) in wanted {
            let Probe::Run(run) = probe else {
                let why = format!(
                    "the probe of {} is built in, and needs no approval",
                    question.name()
                );
                return Err(Failure::refused(why, "see `git sq probe -h`"));
            };
            let approval = Approval::of(&project.repo, project.tip, question)?;
            let name = question.name();
            if approval.is_given()? {
                context.print(&format!("{name} is approved already.\n"));
                continue;
            }
            let place = project
                .repo
                .worktree()
                .unwrap_or_else(|| project.repo.git_dir());
            let text = approval_text(
                &approval,
                run,
                &place.to_string_lossy(),
                context.style(Some(&project.repo)),
            );
            context.print(&format!("{text}Type yes to approve {name}: "));
            let mut answer = String::new();
            let read = io::stdin().read_line(&mut answer);
            if read.is_err() || answer.trim() != "yes" {
                return Err(Failure::refused(
                    format!("{name} was not approved"),
                    "only `yes` approves",
                ));
            }
            approval.give()?;
            context.print(&format!(
                "Approved {name}. `git sq approve --revoke {name}` takes it back.\n"
            ));
        }
        Ok(Outcome::Clean)
    }

    /// Also of questions that the store no longer has.
    fn revoke(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let all = Approval::all(&repo)?;
        for named in &self.questions {
            let is_named = |one: &&Approval| {
                one.question.name().to_string() == *named || one.question.id == *named
            };
            let found: Vec<&Approval> = all.iter().filter(is_named).collect();
            if found.is_empty() {
                let why = format!("no command of {named} is approved in this repository");
                return Err(Failure::refused(
                    why,
                    "`git sq approve --list` lists those that are",
                ));
            }
            for approval in found {
                approval.revoke()?;
            }
            context.print(&format!("Revoked {named}.\n"));
        }
        Ok(Outcome::Clean)
    }
}
