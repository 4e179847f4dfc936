//! The background process that publishes after a push, one per clone.
//! A command leaves a request in a folder and starts a process. The first process takes the lock and serves all
//! requests, later ones included; the others exit. A request is removed after it was served, so the next process serves
//! those of a killed one.

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
    git::{Gets, Remote, Repo, Talk},
    process,
    store::{
        Error, WritersLock,
        local::{forget_trouble, remember_asked, remember_tampering, remember_trouble},
        state_dir,
    },
};

/// After this time, a push that still runs is no longer waited for.
const LONGEST_PUSH: Duration = Duration::from_secs(3600);
/// Seconds for one run of git that talks to a remote, unless `sq.pushTimeout` is set.
const TIMEOUT: u64 = 60;
const LOCK: &str = "publish.lock";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    remote: String,
    /// The process id of the `git push` that has to end first.
    push: Option<u32>,
}

/// Git's options for talking to a remote in the background; `None` if `sq.pushTimeout` disables it.
pub fn unattended(repo: &Repo) -> Option<Talk> {
    let seconds = repo
        .config_string("sq.pushTimeout")
        .and_then(|seconds| seconds.trim().parse().ok())
        .unwrap_or(TIMEOUT);
    (seconds > 0).then(|| Talk {
        timeout: Some(Duration::from_secs(seconds.min(LONGEST_PUSH.as_secs()))),
        may_ask: false,
    })
}

/// Publishes waiting lines to every remote in the background. No command depends on the outcome.
pub fn publish_later(repo: &Repo) {
    for remote in repo.remotes() {
        let left = standing(repo, &remote);
        if left.is_ok_and(|left| !left.ready.is_empty()) {
            // On failure, `git sq` reports the lines as unpublished, and the next push publishes them.
            let _ = request(repo, &remote, None);
        }
    }
}

/// Requests that a remote's log is updated, after the running push.
pub fn request(repo: &Repo, remote: &Remote, push: Option<u32>) -> Result<(), Error> {
    if unattended(repo).is_none() {
        return Ok(());
    }
    let folder = folder(repo);
    let write = || -> std::io::Result<()> {
        let mut file = file::private(&folder)?;
        let remote = remote.name.clone();
        serde_json::to_writer(&mut file, &Request { remote, push })?;
        file.flush()?;
        let path = folder.join(Ulid::generate().to_string());
        file.persist(path).map(drop).map_err(|failed| failed.error)
    };
    write().map_err(Error::file("write in", &folder))?;
    start(repo).map_err(Error::file("start a program for", &folder))
}

/// Starts the process outside the user's folders, which it would keep from being removed, and in the main worktree,
/// because a linked one may be removed before it ends.
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

/// The main function of the process: serves requests until there are none left, unless another one serves them.
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
            let is_removed = |path: &PathBuf| match fs::remove_file(path) {
                Err(error) => error.kind() == ErrorKind::NotFound,
                Ok(()) => true,
            };
            if !there.iter().all(is_removed) {
                // The request would be served forever.
                return;
            }
        }
        drop(turn);
    }
}

/// Keeps any publisher of this clone from running while it is held.
pub fn hold_back(repo: &Repo) -> Result<WritersLock, Error> {
    WritersLock::named(repo, LOCK)
}

/// Runs `work` while no publisher of this clone runs. Requests made meanwhile are served afterwards.
pub fn alone<T>(repo: &Repo, work: impl FnOnce() -> T) -> Result<T, Error> {
    let turn = hold_back(repo)?;
    let done = work();
    drop(turn);
    if !requests(repo).is_empty() {
        // On failure, the next process serves the requests.
        let _ = start(repo);
    }
    Ok(done)
}

/// Waits for the pushes, and updates each remote once.
fn serve_all(repo: &Repo, requests: &[PathBuf]) {
    let mut remotes = BTreeSet::new();
    for path in requests {
        let name = path.file_name().unwrap_or_default();
        let request = file::read(&folder(repo), name.as_ref(), file::MOST)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(Request { remote, push }) = request {
            if let Some(push) = push {
                process::wait_for_end(push, "git", LONGEST_PUSH);
            }
            remotes.insert(remote);
        }
    }
    for remote in repo.remotes() {
        if remote.gets != Gets::Nothing && remotes.contains(&remote.name) {
            serve_one(repo, &remote);
        }
    }
}

fn serve_one(repo: &Repo, remote: &Remote) {
    let Some(talk) = unattended(repo) else { return };
    let publish_all = || -> Result<(), Error> {
        let addresses = repo.addresses(remote)?;
        for at in &addresses.push {
            if let Some(tampering) = publish(repo, remote, &addresses, at, false, talk)?.tampering {
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
        // A folder that was removed meanwhile is not created again.
        Err(error) if folder(repo).exists() => remember_trouble(repo, remote, &error, false),
        Err(_) => {}
    }
}

fn folder(repo: &Repo) -> PathBuf {
    state_dir(repo).join("publish")
}

/// Oldest first.
fn requests(repo: &Repo) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = file::listed(folder(repo))
        .map(|file| file.path())
        .filter(|path| path.file_name().is_some_and(|name| name.len() == 26))
        .collect();
    paths.sort_unstable();
    paths
}
