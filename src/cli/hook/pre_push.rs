//! `git sq hook pre-push`: requests that the log is published after the push.

use clap::Args;

use super::super::Context;
use crate::{
    git::{Error, Gets, Remote, Repo},
    process,
    store::{
        share::{request, standing},
        trouble, trouble_is_told,
    },
    view::{escape, escape_lines},
};

/// Publish the log after this push, if its remote lacks entries of commits that were pushed
///
/// Nothing is sent before the push has ended. Standard input is not read.
#[derive(Args)]
pub struct PrePushArgs {
    /// The remote's name, or its address if it has none
    #[arg(value_name = "REMOTE")]
    remote: String,
    /// Its address
    #[arg(value_name = "URL")]
    url: Option<String>,
}

impl PrePushArgs {
    pub fn run(&self, context: &Context) {
        let Ok(repo) = context.open() else {
            return;
        };
        let remotes = repo.remotes();
        let gets_log = |remote: &&Remote| match remote.gets {
            Gets::Nothing => false,
            // An address may belong to anyone, so it does not count as a remote that shares the log.
            Gets::PublicThere => remote.name == self.remote,
            Gets::PublicAnywhere | Gets::All => true,
        };
        let Some(remote) = remotes.iter().find(gets_log) else {
            return;
        };
        let why = match publish(&repo, remote) {
            Err(error) => error.whole(),
            Ok(()) => match trouble(&repo, remote).filter(|trouble| !trouble.told) {
                Some(trouble) => trouble.why,
                None => return,
            },
        };
        trouble_is_told(&repo, &remote.name);
        context.note(&format!(
            "git sq: could not publish all of the log to {}: {}\ngit sq: nothing is lost; `git sq sync` tries again\n",
            escape(&remote.name),
            escape_lines(&why, "\n  ")
        ));
    }
}

fn publish(repo: &Repo, remote: &Remote) -> Result<(), Error> {
    if standing(repo, remote)?.is_empty() {
        return Ok(());
    }
    // At least the shell that runs the hook is between the push and this process.
    request(repo, remote, process::ancestor("git"))
}
