//! `git sq hook pre-push`: pushes the log along with the user's own push.

use std::{
    io::{self, Read},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use clap::Args;

use super::super::Context;
use crate::{
    git::{Remote, Repo, Talk},
    report::escape,
    store::{deliver, refusals},
};

/// How long the user's push may be held up, unless `sq.pushTimeout` says otherwise.
const PATIENCE: Duration = Duration::from_secs(10);
/// The limit of `sq.pushTimeout`.
const MOST: Duration = Duration::from_secs(3600);
/// How much longer the git that is running may take to end.
const GRACE: Duration = Duration::from_secs(1);

/// Push the log to the remote that is being pushed to, where it shares the log and lacks any of it
///
/// Standard input is git's list of the refs that are being pushed.
#[derive(Args)]
pub struct PrePushArgs {
    /// The remote's name, or its address where it has none
    #[arg(value_name = "REMOTE")]
    remote: String,
    /// Its address
    #[arg(value_name = "URL")]
    url: Option<String>,
}

impl PrePushArgs {
    pub fn run(&self, context: &Context) {
        let mut pushed = String::new();
        // If it is not UTF-8, no ref in it is ours.
        let _ = io::stdin().lock().read_to_string(&mut pushed);
        let Ok(repo) = context.open() else {
            return;
        };
        // A push to an address, which may be anybody's, is not a push to a remote that shares the log.
        let remotes = repo.remotes();
        let shared = |remote: &&Remote| remote.shares_log && remote.name == self.remote;
        let Some(remote) = remotes.iter().find(shared) else {
            return;
        };
        // Whoever pushes the log by hand would find it moved under the push.
        if names_log(&pushed, remote) {
            return;
        }
        let known = refusals(&repo).remove(&remote.name);
        let patience = patience(&repo);
        if let Err(why) = within(patience, repo, remote.clone()) {
            // A remote that does not take the log says so each time; once is enough, and `doctor` says it again.
            if known.is_some_and(|reason| why.ends_with(&reason)) {
                return;
            }
            context.note(&format!(
                "git sq: not all of the log is on {} yet: {}\ngit sq: it is safe here; `git sq sync` tries again\n",
                escape(&remote.name),
                escape(&why)
            ));
        }
    }
}

/// Whether any of the refs that are being pushed is one of the remote's log.
fn names_log(pushed: &str, remote: &Remote) -> bool {
    let inboxes = remote.inboxes();
    // `LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID` a line.
    let refs = pushed.lines().filter_map(|line| line.split(' ').nth(2));
    refs.into_iter()
        .any(|name| name == remote.log_ref || name.starts_with(&inboxes))
}

fn patience(repo: &Repo) -> Duration {
    let seconds = repo.config_string("sq.pushTimeout");
    let seconds = seconds.and_then(|seconds| seconds.trim().parse().ok());
    seconds.map_or(PATIENCE, |seconds| Duration::from_secs(seconds).min(MOST))
}

/// Delivers the log in a thread, so that the push never waits longer than `patience` and [`GRACE`].
fn within(patience: Duration, repo: Repo, remote: Remote) -> Result<(), String> {
    if patience.is_zero() {
        return Ok(());
    }
    let talk = Talk {
        deadline: Some(Instant::now() + patience),
        may_ask: false,
    };
    let (done, outcome) = mpsc::channel();
    thread::spawn(move || {
        let delivered = deliver(&repo, &remote, talk);
        // Fails after the time limit, when nobody receives any more.
        let _ = done.send(delivered);
    });
    match outcome.recv_timeout(patience + GRACE) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!(
            "that took longer than {} seconds",
            patience.as_secs()
        )),
    }
}
