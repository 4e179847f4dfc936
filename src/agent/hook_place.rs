//! Where a hook of git's would stand in this repository, and whether git runs it with the block.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::git_hooks::{GitHook, HookText, is_bare, unchain};
use crate::{
    file::stage,
    git::{self, ConfigEdit, Repo},
};

/// The first git that takes hooks from its configuration, beside those in files.
const CONFIG_HOOKS_SINCE: (u32, u32) = (2, 54);

/// How it stands with one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookState {
    /// Git runs it with the block, or by its configuration.
    Runs,
    /// Git can take it from its configuration: these values, in this order.
    Configurable(Vec<ConfigEdit>),
    /// There is no such hook.
    Absent(PathBuf),
    /// A shell script that can take the block, or has an older one.
    Chainable(PathBuf),
    /// `core.hooksPath` leads out of the git folder, to what may be tracked or shared with other repositories.
    Elsewhere(PathBuf),
    /// Lefthook writes it.
    Lefthook(PathBuf),
    /// A program that takes no block.
    Foreign(PathBuf),
    /// A link, whose target may be tracked.
    Link(PathBuf),
    /// Git does not run it, and making it run would be a change of the user's own.
    NotExecutable(PathBuf),
}

/// The configuration that makes git run a hook.
pub fn hook_config(hook: GitHook) -> Vec<ConfigEdit> {
    // A hook with an event and no command stops every git command, so the command comes first.
    [("command", hook.command()), ("event", hook.name().into())]
        .map(|(name, value)| ConfigEdit {
            section: "hook".into(),
            subsection: Some(format!("sq-{}", hook.name())),
            name: name.into(),
            value,
        })
        .into()
}

/// Looks a hook up.
///
/// # Errors
/// When git can't say where hooks are.
pub fn hook_state(repo: &Repo, hook: GitHook) -> git::Result<HookState> {
    let dir = repo.hooks_dir()?;
    let path = dir.join(hook.name());
    let bytes = fs::read(&path).ok();
    let text = bytes.as_deref().map(|bytes| hook.look(bytes));
    let runs = is_executable(&path);
    if text != Some(HookText::Outdated) && runs && is_called(repo, hook, &path, text) {
        return Ok(HookState::Runs);
    }
    if text != Some(HookText::Outdated) && repo.git_version()? >= CONFIG_HOOKS_SINCE {
        let edits = hook_config(hook);
        let is_set =
            |edit: &ConfigEdit| repo.config_strings(&edit.to_string()).contains(&edit.value);
        return Ok(if edits.iter().all(is_set) {
            HookState::Runs
        } else {
            HookState::Configurable(edits)
        });
    }
    if !real(&dir).starts_with(real(&repo.common_dir())) {
        return Ok(HookState::Elsewhere(dir));
    }
    if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
        return Ok(HookState::Link(path));
    }
    Ok(match text {
        None => HookState::Absent(path),
        Some(_) if !runs => HookState::NotExecutable(path),
        Some(HookText::Lefthook) => HookState::Lefthook(path),
        Some(HookText::Foreign) => HookState::Foreign(path),
        Some(HookText::Current | HookText::Outdated | HookText::Shell) => {
            HookState::Chainable(path)
        }
    })
}

/// Whether what stands in the hook's file, or what that file runs, calls the program.
fn is_called(repo: &Repo, hook: GitHook, path: &Path, text: Option<HookText>) -> bool {
    let calls = |file: &Path| fs::read(file).is_ok_and(|bytes| hook.is_called_in(&bytes));
    if calls(path) {
        return true;
    }
    if text == Some(HookText::Lefthook) {
        // A script of its own, or a command in `lefthook.yml`, `.lefthook.toml`, `lefthook-local.yml`, …
        let root = repo.worktree().unwrap_or_default();
        let scripts = files_in(&root.join(".lefthook").join(hook.name()));
        let settings = files_in(&root).into_iter().filter(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.trim_start_matches('.').starts_with("lefthook")
        });
        return settings.chain(scripts).any(|file| calls(&file));
    }
    // Husky's `.husky/_/pre-push` runs `.husky/pre-push`.
    let folder = path.parent();
    folder.is_some_and(|folder| folder.ends_with("_") && calls(&folder.with_file_name(hook.name())))
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.path()).collect()
}

/// The path without links and dots, as far as it exists: git and the repository may word one place in two ways.
fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    known.unwrap_or_else(|| path.to_owned())
}

/// Puts the block into the hook at `path`, making the hook where there is none.
///
/// # Errors
/// When the file can't be read or written; then it is as it was.
pub fn plant_hook(hook: GitHook, path: &Path) -> io::Result<()> {
    let text = match fs::read(path) {
        Ok(bytes) => {
            let script = unchain(&bytes).unwrap_or(bytes);
            let chained = str::from_utf8(&script).ok().and_then(|s| hook.chain(s));
            chained.ok_or_else(|| io::Error::other("it is no script any more"))?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => hook.script(),
        Err(error) => return Err(error),
    };
    replace(path, text.as_bytes())
}

/// Whether the hook at `path` has the block.
pub fn has_hook(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| unchain(&bytes).is_some())
}

/// Takes the block out of the hook at `path`; removes the hook where `made` says that we made it and nothing was
/// added. Gives whether there was a block.
///
/// # Errors
/// When the file can't be written; then it is as it was.
pub fn remove_hook(path: &Path, made: bool) -> io::Result<bool> {
    let Some(rest) = fs::read(path).ok().and_then(|bytes| unchain(&bytes)) else {
        return Ok(false);
    };
    if made && is_bare(&rest) {
        fs::remove_file(path)?;
    } else {
        replace(path, &rest)?;
    }
    Ok(true)
}

/// Replaces a hook and keeps its permissions; a new one is executable.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = stage(path, bytes)?;
    match fs::metadata(path) {
        Ok(found) => file.as_file().set_permissions(found.permissions())?,
        Err(_) => make_executable(file.path())?,
    }
    file.persist(path)?;
    Ok(())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Git for Windows runs what begins with `#!`.
#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.exists()
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
