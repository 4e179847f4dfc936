use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, complete, writing::write_moves};
use crate::{
    git::Repo,
    project::{Carry, ToCarry, carry},
    session,
    store::share::publish_later,
};

/// Copy entries of rewritten commits to the commits that replaced them
///
/// For use after a squash merge, a rebase merge or the loss of a branch. The new home of an entry is the one commit
/// with the recorded tree or patch-id, or those of a later commit of its branch that this clone knows. The originals stay,
/// and a `carry` entry says where the copies came from. Entries of a branch that still exists are carried only if
/// COMMIT names them or --pr is given. Exits with 1 if orphaned entries (those on no branch) have no new home (with
/// --pr: if several commits match), and with 3 if something could not be determined.
#[derive(Args, Default)]
pub struct CarryArgs {
    /// Carry only the entries on these commits, even if a branch contains them; the commits need not exist any more
    #[arg(value_name = "COMMIT", add = complete::revisions())]
    commits: Vec<String>,
    /// Show what would be carried without writing anything
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Attach orphaned entries without a match to this commit; with COMMIT, exactly the entries on those. Refused to agents
    #[arg(long, value_name = "REV", add = complete::revisions())]
    onto: Option<String>,
    /// Consider only the commits of a merged pull request, and carry only entries that were made on a branch, even if it
    /// still exists. If BASE is all zeros, as for a new branch, nothing is carried
    #[arg(long, value_name = "BASE..MERGE", conflicts_with = "onto")]
    pr: Option<String>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl CarryArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.onto.is_some() && !self.dry_run {
            context.refuse_agents("git sq carry --onto")?;
        }
        let repo = &context.open()?;
        let carry = self.carry(context, repo)?;
        if !carry.carried.is_empty() && !self.dry_run {
            publish_later(repo);
        }
        context.show(repo, &carry, self.print.format)?;
        Ok(Outcome::of(!carry.orphaned.is_empty(), &carry.unknown))
    }

    fn carry(&self, context: &Context, repo: &Repo) -> Result<Carry, Failure> {
        let whole =
            self.sid.as_deref().map(|sid| session::whole_name(repo, sid, None)).transpose()?;
        let wanted = ToCarry {
            commits: &self.commits,
            onto: self.onto.as_deref(),
            merged: self.pr.as_deref(),
            dry_run: self.dry_run,
            remote: None,
        };
        carry(repo, &wanted, |tip, moves| {
            write_moves(context, repo, whole, tip, moves, "git sq carry")
        })
    }
}
