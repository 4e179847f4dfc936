//! The places where programs look for files of the current user, and the files that are planted there.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use super::{Context, Failure};
use crate::{
    setup::{
        Ground, HOW_TO_INSTALL,
        agent::{AgentStatus, Places},
        is_on_path,
    },
    store::LocalState,
};

pub fn home() -> Result<PathBuf, Failure> {
    env::home_dir().ok_or_else(|| {
        Failure::refused(
            "could not find the home directory",
            "set HOME, or redirect the output to a file yourself",
        )
    })
}

/// The folder that an environment variable names, else one under home.
pub fn user_dir(variable: &str, under_home: &str) -> Result<PathBuf, Failure> {
    match env::var_os(variable).filter(|value| Path::new(value).is_absolute()) {
        Some(dir) => Ok(dir.into()),
        None => Ok(home()?.join(under_home)),
    }
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| {
        Failure::refused(
            format!("could not write {}: {error}", path.display()),
            "print it without --install, and save it yourself",
        )
    })
}

/// A program that npx or uvx brought is gone when the hooks call it.
pub fn note_unless_on_path(context: &Context) {
    if !is_on_path() {
        context.note(&format!(
            "note: git-sq is not on the PATH, so the hooks will not run: {HOW_TO_INSTALL}\n"
        ));
    }
}

/// By harness, the number of sessions that began since its hooks last started one in this repository.
pub fn without_hook(context: &Context) -> BTreeMap<String, u32> {
    let state = context.open().ok().and_then(|repo| LocalState::read(&repo).ok());
    state.map(|state| state.without_hook).unwrap_or_default()
}

/// Empty if the home folder is unknown.
pub fn planted(context: &Context) -> AgentStatus {
    places(context, true)
        .map_or_else(|_| AgentStatus::default(), |it| AgentStatus::of(&it, &without_hook(context)))
}

/// Outside a repository, only the user's own places.
pub fn places(context: &Context, without_repo: bool) -> Result<Places, Failure> {
    let worktree = match context.open() {
        Ok(repo) => Ground::of_agents(&repo),
        Err(_) if without_repo => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Places {
        worktree,
        home: home()?,
        memory: user_dir("XDG_STATE_HOME", ".local/state")?.join("git-sq"),
        variable: |name| env::var_os(name).filter(|it| !it.is_empty()).map(Into::into),
    })
}
