//! Reverts `init`, whose changes are recognised by their content: also after an incomplete `init`, and in a copied or
//! moved repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    Error, Steps,
    git_hooks::planted_hooks,
    plant::{planted, uproot},
    remotes::our_config,
    unwritten,
};
use crate::{
    git::Repo,
    question::store_paths,
    store::{LocalState, WritersLock, share::hold_back, state_dir},
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
    for (root, path) in planted_hooks(repo) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        remove(&root, &path, ("hook", &name), steps)?;
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
    let root = repo.worktree().unwrap_or_default();
    for (path, file) in planted(repo, &store_paths(repo.config_string("sq.questions"))) {
        remove(&root, &file, ("store", &path), steps)?;
    }
    let sessions = LocalState::read(repo)?.sessions;
    let sessions: Vec<&str> = sessions.values().map(|one| one.sid.as_str()).collect();
    if !sessions.is_empty() {
        let what = format!("sessions that have not ended: {}", sessions.join(", "));
        steps.change("state", ["forgot", "forget"], &what);
    }
    if !steps.dry_run {
        for own in state_folders(repo, &dir) {
            // Another process may be about to write there: retry once.
            fs::remove_dir_all(&own)
                .or_else(|_| fs::remove_dir_all(&own))
                .map_err(|error| unwritten(&own, &error, UNDO))?;
        }
        for tip in repo.refs_under("refs/sq/")? {
            repo.git().args(["update-ref", "-d", &tip.name]).run()?;
        }
    }
    drop(turns);
    if has_state {
        let what = "sq/ in the git directory, with the local state of this clone";
        steps.change("state", ["removed", "remove"], what);
    }
    Ok(())
}

fn remove(
    root: &Path,
    file: &Path,
    (about, name): (&'static str, &str),
    steps: &mut Steps,
) -> Result<(), Error> {
    if !steps.dry_run {
        uproot(root, file).map_err(|error| unwritten(file, &error, UNDO))?;
    }
    steps.change(about, ["removed", "remove"], name);
    Ok(())
}

fn state_folders(repo: &Repo, dir: &Path) -> Vec<PathBuf> {
    let linked = fs::read_dir(repo.common_dir().join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|worktree| worktree.path().join("sq"));
    linked.chain([dir.to_owned()]).filter(|folder| folder.is_dir()).collect()
}
