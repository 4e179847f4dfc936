//! Reverts `init`: also after an incomplete one, and in a copied or moved repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Error, Steps,
    git_hooks::{planted_hooks, remove_hook},
    plant::untracked,
    planted::{Ground, forget_init, is_memory},
    remotes::our_config,
    unwritten,
};
use crate::{
    entry::Event,
    git::Repo,
    question::store_paths,
    store::{
        Held, LocalState, WritersLock, is_of_held,
        share::{NotedLine, hold_back, standing},
        state_dir,
    },
};

const UNDO: &str = "git sq init --undo";

/// The log and committed files stay.
pub fn undo(repo: &mut Repo, steps: &mut Steps) -> Result<(), Error> {
    let dir = state_dir(repo);
    let has_state = dir.exists();
    // In this order, because a publisher also takes the writers' lock.
    let turns = (!steps.dry_run)
        .then(|| Ok::<_, Error>((hold_back(repo)?, WritersLock::acquire(repo)?)))
        .transpose()?;
    let waits = entries_wait(repo)?;
    for path in planted_hooks(repo) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !steps.dry_run {
            remove_hook(repo, &path).map_err(|error| unwritten(&path, &error, UNDO))?;
        }
        steps.change("hook", ["removed", "remove"], &name);
    }
    let mut values = our_config(repo)?;
    if !steps.dry_run {
        values = repo.remove_config(&values).map_err(|error| {
            error.help(format!("check that the git directory is writable, and run `{UNDO}` again"))
        })?;
    }
    for edit in values {
        match edit.section.as_str() {
            "hook" if edit.name == "event" => {
                steps.change("hook", ["removed", "remove"], &edit.value);
            }
            // Its command is removed with the event.
            "hook" => {}
            _ => {
                let what = format!("{edit} = {}", edit.value);
                steps.change("config", ["removed", "remove"], &what);
            }
        }
    }
    if let Some(home) = repo.log_home() {
        let what = format!("sq.logRemote = {home} stays: init did not set it");
        steps.note("config", [what]);
    }
    let paths = store_paths(repo.config_string("sq.questions"));
    if let Some(ground) = Ground::of_store(repo) {
        for (path, is_unchanged) in untracked(repo, &ground, &paths) {
            if is_unchanged {
                if !steps.dry_run {
                    let at = ground.root.join(&path);
                    let gone = ground.uproot(path.as_ref());
                    gone.map_err(|error| unwritten(&at, &error, UNDO))?;
                }
                steps.change("store", ["removed", "remove"], &path);
            } else {
                let what = format!("{path} stays: init did not write it, or it was changed since");
                steps.note("store", [what]);
            }
        }
    }
    let sessions = LocalState::read(repo)?.sessions;
    let sessions: Vec<&str> = sessions.values().map(|session| session.sid.as_str()).collect();
    if !sessions.is_empty() {
        let what = format!("sessions that have not ended: {}", sessions.join(", "));
        steps.change("state", ["forgot", "forget"], &what);
    }
    let has_agents =
        forget_init(repo, steps.dry_run).map_err(|error| unwritten(&dir, &error, UNDO))?;
    if !steps.dry_run {
        let memory = has_agents.then_some(is_memory as fn(&Path) -> bool);
        let stays: Vec<_> = memory.into_iter().chain(waits.then_some(is_of_held as _)).collect();
        for own in state_folders(repo, &dir) {
            let clear = || clear(&own, if own == dir { &stays } else { &[] });
            // Another process may be about to write there: retry once.
            clear().or_else(|_| clear()).map_err(|error| unwritten(&own, &error, UNDO))?;
        }
        for tip in repo.refs_under("refs/sq/")? {
            repo.git().args(["update-ref", "-d", &tip.name]).run()?;
        }
    }
    drop(turns);
    if has_state {
        let but = if has_agents { ", but for what `git sq agent remove` needs" } else { "" };
        let what = "sq/ in the git directory, with the local state of this clone";
        steps.change("state", ["removed", "remove"], &format!("{what}{but}"));
    }
    if waits {
        let what = "sq/held stays: entries wait for a branch that it names to be pushed";
        steps.note("state", [what.to_owned()]);
    }
    Ok(())
}

/// Returns true if a remote lacks an entry that this clone holds back.
fn entries_wait(repo: &Repo) -> Result<bool, Error> {
    let held = Held::read(repo)?;
    let is_held = |(_, line): &NotedLine| {
        Event::parse(line).is_ok_and(|event| held.holds(&event.envelope.id))
    };
    let mut any = false;
    for remote in &repo.remotes() {
        // Where that can't be told, nothing is published either.
        let left = standing(repo, remote).unwrap_or_default();
        any |= left.waiting.iter().any(is_held);
    }
    Ok(any)
}

/// Removes a folder of the state, or all in it but what stays.
fn clear(folder: &Path, stays: &[fn(&Path) -> bool]) -> io::Result<()> {
    if stays.is_empty() {
        return fs::remove_dir_all(folder);
    }
    fs::read_dir(folder)?.try_for_each(|entry| {
        let path = entry?.path();
        if stays.iter().any(|stays| stays(&path)) {
            Ok(())
        } else if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    })
}

fn state_folders(repo: &Repo, dir: &Path) -> Vec<PathBuf> {
    let linked = repo.worktree_dirs().map(|worktree| worktree.path().join("sq"));
    linked.chain([dir.to_owned()]).filter(|folder| folder.is_dir()).collect()
}
