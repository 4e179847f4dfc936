//! The process that publishes after a push: one a clone, which nobody waits for.
//!
//! Whoever wants something published leaves a request in a folder and starts a process. The first one takes the lock and
//! serves all requests, those that come meanwhile, too; the others end at once. A request is removed when it is served,
//! so that one whose process was killed is served by the next.

use std::{
    collections::BTreeSet,
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::{publish::publish, standing::standing};
use crate::{
    file,
    git::{Remote, Repo, Talk},
    process,
    store::{
        Error, WritersLock,
        local::{forget_trouble, remember_asked, remember_tampering, remember_trouble},
        state_dir,
    },
};

/// How long a push may take before what is public by then is published.
const LONGEST_PUSH: Duration = Duration::from_secs(3600);
/// How long one run of git may take that talks to a remote, unless `sq.pushTimeout` says otherwise.
const TIMEOUT: u64 = 60;
const LOCK: &str = "publish.lock";

/// What is to be published.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    remote: String,
    /// The `git push` that has to end before.
    push: Option<u32>,
}

/// How git talks to a remote when nobody waits; None where `sq.pushTimeout` switches that off.
pub fn unattended(repo: &Repo) -> Option<Talk> {
    let set = repo.config_string("sq.pushTimeout");
    let set = set.and_then(|seconds| seconds.trim().parse().ok());
    let seconds = set.unwrap_or(TIMEOUT);
    (seconds > 0).then(|| Talk {
        timeout: Some(Duration::from_secs(seconds.min(LONGEST_PUSH.as_secs()))),
        may_ask: false,
    })
}

/// Publishes what is ready for any remote and waits, if anything does. Nothing that a command did depends on it.
pub fn publish_later(repo: &Repo) {
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let left = standing(repo, remote);
        if left.is_ok_and(|left| !left.ready.is_empty()) {
            // What was not published is told by `git sq`, and goes with the next push.
            let _ = request(repo, remote, None);
        }
    }
}

/// Asks for a remote's log to be brought up to date, after the push that is running.
pub fn request(repo: &Repo, remote: &Remote, push: Option<u32>) -> Result<(), Error> {
    if unattended(repo).is_none() {
        return Ok(());
    }
    let folder = folder(repo);
    fs::create_dir_all(&folder).map_err(Error::file("make the folder", &folder))?;
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        let remote = remote.name.clone();
        serde_json::to_writer(&mut file, &Request { remote, push })?;
        file.flush()?;
        let path = folder.join(Ulid::generate().to_string());
        file.persist(path).map(drop).map_err(|failed| failed.error)
    };
    write().map_err(Error::file("write in", &folder))?;
    start(repo).map_err(Error::file("start a program for", &folder))
}

/// Starts the process, somewhere where it keeps no folder of the user's from being removed, and in the main worktree,
/// because a linked one may be removed before it has done its work.
fn start(repo: &Repo) -> std::io::Result<()> {
    let git_dir = repo.common_dir();
    let mut command = process::this_program()?;
    command
        .args(["hook", "publish"])
        .current_dir(git_dir.ancestors().last().unwrap_or(Path::new("/")))
        .env("GIT_DIR", &git_dir);
    for variable in ["GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"] {
        command.env_remove(variable);
    }
    match repo.main_worktree() {
        Some(worktree) => command.env("GIT_WORK_TREE", worktree),
        None => command.env_remove("GIT_WORK_TREE"),
    };
    process::start_detached(command)
}

/// What the process does: serves requests until there are none, unless another one does.
pub fn serve(repo: &Repo) {
    while !requests(repo).is_empty() {
        let Ok(Some(turn)) = WritersLock::try_named(repo, LOCK) else {
            return;
        };
        loop {
            let there = requests(repo);
            if there.is_empty() {
                break;
            }
            serve_all(repo, &there);
            let is_gone = |path: &PathBuf| match fs::remove_file(path) {
                Err(error) => error.kind() == ErrorKind::NotFound,
                Ok(()) => true,
            };
            if !there.iter().all(is_gone) {
                // It would be served for ever.
                return;
            }
        }
        drop(turn);
    }
}

/// Lets no publisher of this clone be at work while it is held.
pub fn hold_back(repo: &Repo) -> Result<WritersLock, Error> {
    WritersLock::named(repo, LOCK)
}

/// Does what no publisher of this clone may do beside it. Whatever is asked for meanwhile is published afterwards.
pub fn alone<T>(repo: &Repo, work: impl FnOnce() -> T) -> Result<T, Error> {
    let turn = hold_back(repo)?;
    let done = work();
    drop(turn);
    if !requests(repo).is_empty() {
        // What can't be started now is served by the next one.
        let _ = start(repo);
    }
    Ok(done)
}

/// Waits for the pushes, and brings each remote up to date once.
fn serve_all(repo: &Repo, requests: &[PathBuf]) {
    let mut remotes = BTreeSet::new();
    for path in requests {
        let name = path.file_name().unwrap_or_default();
        let request = file::read(&folder(repo), name.as_ref(), file::MOST).ok();
        let request = request.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(Request { remote, push }) = request {
            if let Some(push) = push {
                process::wait_for_end(push, "git", LONGEST_PUSH);
            }
            remotes.insert(remote);
        }
    }
    for remote in repo.remotes() {
        if remote.shares_log && remotes.contains(&remote.name) {
            serve_one(repo, &remote);
        }
    }
}

fn serve_one(repo: &Repo, remote: &Remote) {
    let Some(talk) = unattended(repo) else { return };
    let publish_all = || -> Result<(), Error> {
        let addresses = repo.addresses(remote)?;
        for at in &addresses.push {
            let published = publish(repo, remote, &addresses, at, false, talk)?;
            if let Some(tampering) = published.tampering {
                remember_tampering(repo, &remote.name, tampering);
            }
            if addresses.fetch.as_ref() == Some(at) {
                remember_asked(repo, &remote.name);
            }
        }
        Ok(())
    };
    match publish_all() {
        Ok(()) => forget_trouble(repo, &remote.name),
        // In a folder that was removed meanwhile nothing is made anew.
        Err(error) if folder(repo).exists() => remember_trouble(repo, &remote.name, &error, false),
        Err(_) => {}
    }
}

fn folder(repo: &Repo) -> PathBuf {
    state_dir(repo).join("publish")
}

/// The requests, oldest first.
fn requests(repo: &Repo) -> Vec<PathBuf> {
    let found = fs::read_dir(folder(repo)).into_iter().flatten().flatten();
    let is_whole = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 26);
    let mut paths: Vec<PathBuf> = found.map(|file| file.path()).filter(is_whole).collect();
    paths.sort_unstable();
    paths
}
