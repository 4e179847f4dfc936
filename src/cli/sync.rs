use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs};
use crate::{
    git::{Remote, Repo, Talk},
    quote,
    store::sync,
    view::{SyncReport, SyncedRemote, escape},
};

/// Fetch the log, merge it, and publish what the remote lacks
///
/// The hooks that `git sq init` installs do this after your pushes, in the background. Call it yourself in CI, in
/// sandboxes that kill background processes, or after `git push --no-verify`. Entries on commits that the remote does
/// not have stay here, and are listed. Exit code 0 means that the remotes have all the others.
#[derive(Args)]
pub struct SyncArgs {
    /// One remote; defaults to all that share the log (`remote.<name>.sq`)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl SyncArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let remotes = self.remotes(&repo)?;
        let talk = Talk { timeout: None, may_ask: true };
        let mut report = SyncReport::default();
        let mut reasons = Vec::new();
        for remote in &remotes {
            let outcome = sync(&repo, remote, talk);
            report.remotes.push(SyncedRemote {
                name: remote.name.clone(),
                complete: outcome.is_ok(),
                done: outcome.map_err(|error| reasons.push(error.to_string())).ok(),
            });
        }
        context.show(&repo, &report, self.print.format)?;
        Failure::check(
            reasons,
            "nothing is lost; run `git sq sync` again, or `git sq doctor` to find the cause",
        )?;
        Ok(Outcome::Clean)
    }

    fn remotes(&self, repo: &Repo) -> Result<Vec<Remote>, Failure> {
        repo.require_log_refs()?;
        let (all, home) = (repo.remotes(), repo.log_home());
        let Some(name) = &self.remote else {
            if let Some(home) = home.filter(|home| !all.iter().any(|remote| remote.name == *home)) {
                return Err(Failure::refused(
                    format!(
                        "sq.logRemote is {}, and there is no remote of this name",
                        escape(&home)
                    ),
                    "`git remote` lists them; entries stay in this clone until it is there",
                ));
            }
            let sharing: Vec<Remote> = all.into_iter().filter(|r| r.shares_log).collect();
            if sharing.is_empty() {
                return Err(Failure::refused(
                    "no remote shares the log",
                    "`git sq init` sets the upstream up for that, and `git sq doctor` says what is missing",
                ));
            }
            return Ok(sharing);
        };
        let Some(remote) = all.into_iter().find(|remote| remote.name == *name) else {
            return Err(Failure::refused(
                format!("there is no remote {}", escape(name)),
                "`git remote` lists them",
            ));
        };
        if !remote.shares_log {
            return Err(Failure::refused(
                format!(
                    "{} is not set up to share the log (its readers may be strangers)",
                    escape(name)
                ),
                match home {
                    Some(home) => {
                        format!("the log is shared with {} (sq.logRemote)", escape(&home))
                    }
                    None => format!(
                        "to share it, run `git config {} true` and `git sq init`",
                        quote::word(&format!("remote.{name}.sq"))
                    ),
                },
            ));
        }
        Ok(vec![remote])
    }
}
