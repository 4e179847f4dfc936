use clap::Args;

use crate::{
    cli::{CommandResult, Context, Failure, Outcome, complete, given::probed},
    evidence::Approval,
    question::QuestionRef,
    view::{approval_text, approved_text},
};

const LIST: &str = "`git sq question approve --list` lists the approvals";

/// Approve the commands that questions run
///
/// A command of a question runs only after a person approved it on a terminal, and only by `git sq probe`, `git sq
/// record` and `git sq verify --run`. The approval holds for this repository, the question, the words of the command
/// and the present content of the tracked files that these name, except those that you declare as data. It is kept in
/// `git-sq/approvals` under `$XDG_STATE_HOME`, by default `~/.local/state`, on Windows `%LOCALAPPDATA%`.
#[derive(Args)]
pub struct ApproveArgs {
    /// Questions (q4 or q4@2) whose probe is a command
    #[arg(value_name = "QUESTION", add = complete::questions(), required_unless_present = "list")]
    questions: Vec<String>,
    /// A file that the command names and only reads, as the last one in `git diff --quiet v1.0 -- src/api.rs`: it may change
    #[arg(long, value_name = "PATH")]
    data: Vec<String>,
    /// List the approvals of this repository
    #[arg(long, conflicts_with_all = ["questions", "revoke", "data"])]
    list: bool,
    /// Revoke all approvals of these questions in this repository
    #[arg(long, conflicts_with = "data")]
    revoke: bool,
}

impl ApproveArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.revoke {
            return self.revoke(context);
        }
        if !self.list {
            return self.approve(context);
        }
        let repo = context.open()?;
        for approval in Approval::all(&repo)? {
            context.print(&approved_text(&approval, context.style(Some(&repo))));
        }
        Ok(Outcome::Clean)
    }

    /// Needs no store: the question may have been removed from it.
    fn revoke(&self, context: &Context) -> CommandResult {
        let all = Approval::all(&context.open()?)?;
        let mut revoked = Vec::new();
        for name in &self.questions {
            let wanted: QuestionRef =
                name.parse().map_err(|reason: String| Failure::refused(reason, LIST))?;
            let is_wanted = |approval: &&Approval| {
                let approved = approval.question.parse::<QuestionRef>();
                approved
                    .is_ok_and(|question| wanted.names(&question.id, question.version.unwrap_or(1)))
            };
            let before = revoked.len();
            revoked.extend(all.iter().filter(is_wanted));
            if revoked.len() == before {
                return Err(Failure::refused(format!("{name} is not approved here"), LIST));
            }
        }
        for approval in revoked {
            approval.revoke()?;
            context.print(&format!("Revoked {}.\n", approval.question));
        }
        Ok(Outcome::Clean)
    }

    fn approve(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let repo = &project.repo;
        let wanted = probed(&project.questions()?.set, &self.questions, true)?;
        context.require_person("git sq question approve")?;
        let place = repo.worktree().unwrap_or_else(|| repo.git_dir());
        for (question, _) in wanted {
            let name = question.name();
            let approval = Approval::of(repo, project.tip, question)?.with_data(&self.data)?;
            if approval.is_given(repo)? {
                context.print(&format!("{name} is approved already.\n"));
                continue;
            }
            let style = context.style(Some(repo));
            let place = place.to_string_lossy();
            let text = approval_text(&approval, question, &place, style);
            let answer = context.ask(&format!("{text}Type yes to approve {name}: "));
            if answer.as_deref() != Some("yes") {
                let why = format!("{name} was not approved");
                return Err(Failure::refused(why, "only `yes` approves"));
            }
            approval.give()?;
            context.print(&format!("Approved {name}.\n"));
        }
        Ok(Outcome::Clean)
    }
}
