use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs};
use crate::{
    git::{Remote, Repo, Talk},
    quote,
    store::{Held, Past, let_go, share::standing, sync},
    view::{SyncReport, SyncedRemote, escape},
};

const AGAIN: &str = "run `git sq sync` again, or `git sq doctor` to find the cause";

/// Fetch the log, merge it, and publish what the remote lacks
///
/// The hooks of `git sq init` do this in the background after a push. Call it yourself in CI, in a sandbox, or after
/// `git push --no-verify`. Entries on commits that the remote does not have stay here, and are listed. Exits with 0 if
/// the remotes have all the others.
#[derive(Args)]
pub struct SyncArgs {
    /// One remote; defaults to all that share the log (`remote.<name>.sq`)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// Also publish this entry, which waits for a branch that may never be pushed
    #[arg(long, value_name = "ID")]
    entry: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl SyncArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let remotes = self.remotes(&repo)?;
        self.let_entries_go(&repo)?;
        let talk = Talk { timeout: None, may_ask: true };
        let mut report = SyncReport::default();
        let (mut reasons, mut hints) = (Vec::new(), Vec::new());
        for remote in &remotes {
            let outcome = sync(&repo, remote, talk);
            report.remotes.push(SyncedRemote {
                name: remote.name.clone(),
                complete: outcome.is_ok(),
                done: outcome
                    .map_err(|error| {
                        reasons.push(error.whole());
                        match error.hints.0 {
                            none if none.is_empty() => hints.push(AGAIN.to_owned()),
                            given => hints.extend(given),
                        }
                    })
                    .ok(),
            });
        }
        if reasons.is_empty() {
            report.missing = Past::missing(&repo)?;
        }
        context.show(&repo, &report, self.print.format)?;
        hints.dedup();
        hints.insert(0, "nothing is lost".to_owned());
        Failure::check(reasons, hints)?;
        Ok(Outcome::Clean)
    }

    fn let_entries_go(&self, repo: &Repo) -> Result<(), Failure> {
        let held = Held::read(repo)?;
        let mut waiting = Vec::new();
        for remote in repo.remotes().iter().filter(|_| !self.entry.is_empty()) {
            waiting.extend(standing(repo, remote)?.gone);
        }
        let waits = |id: &str| held.holds(id) || waiting.iter().any(|(known, _)| known == id);
        if let Some(id) = self.entry.iter().find(|id| !waits(id)) {
            return Err(Failure::refused(
                format!("no entry {id:?} waits for a branch"),
                "nothing was published; an entry of a commit that was not pushed goes out with its commit",
            ));
        }
        Ok(self.entry.iter().try_for_each(|id| let_go(repo, id))?)
    }

    fn remotes(&self, repo: &Repo) -> Result<Vec<Remote>, Failure> {
        repo.require_log_refs()?;
        let (all, home) = (repo.remotes(), repo.log_home());
        if self.remote.is_none()
            && let Some(home) = &home
            && !all.iter().any(|remote| remote.name == *home)
        {
            return Err(Failure::refused(
                format!("sq.logRemote is {}, and there is no remote of this name", escape(home)),
                add_remote(home),
            ));
        }
        if all.is_empty() {
            return Err(Failure::refused("this repository has no remote", add_remote("origin")));
        }
        let Some(name) = &self.remote else {
            let sharing: Vec<Remote> = all.iter().filter(|r| r.shares_log).cloned().collect();
            if sharing.is_empty() {
                return Err(Failure::refused("no remote shares the log", set_up(repo, &all)?));
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
            let why = if repo.is_itself(name) {
                "is this repository itself"
            } else {
                "is not set up to share the log (its readers may be strangers)"
            };
            return Err(Failure::refused(
                format!("{} {why}", escape(name)),
                match home {
                    Some(home) => {
                        format!("the log is shared with {} (sq.logRemote)", escape(&home))
                    }
                    None => share_with(repo, name),
                },
            ));
        }
        Ok(vec![remote])
    }
}

fn add_remote(name: &str) -> String {
    let name = quote::word(name);
    format!(
        "entries stay in this clone until `git remote add {name} URL` and `git sq init` set one up"
    )
}

/// The setup by which the first remote shares the log.
fn set_up(repo: &Repo, all: &[Remote]) -> Result<String, Failure> {
    let upstream = repo.upstream_remote(repo.head()?.branch.as_deref());
    Ok(match all.iter().find(|remote| Some(&remote.name) == upstream.as_ref()) {
        Some(remote) if remote.declines_log => share_with(repo, &remote.name),
        Some(remote) => format!("`git sq init` shares it with {}", escape(&remote.name)),
        None => format!("{}; `git remote` lists the remotes", share_with(repo, "NAME")),
    })
}

fn share_with(repo: &Repo, name: &str) -> String {
    if repo.is_itself(name) {
        let name = quote::word(name);
        return format!(
            "give it another address: `git remote set-url {name} URL` and `git sq init`"
        );
    }
    let key = quote::word(&format!("remote.{name}.sq"));
    format!("to share it, run `git config {key} true` and `git sq init`")
}
