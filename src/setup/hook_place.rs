//! Where a hook of git's stands in this repository, whether git runs it with the block, and how the block gets there.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::git_hooks::{GitHook, HookText, is_bare, unchain};
use crate::{
    file,
    git::{self, ConfigEdit, Repo},
    quote,
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
    /// It is left to a person: what to do, a line each.
    ByHand(Vec<String>),
}

/// Looks a hook up.
pub fn hook_state(repo: &Repo, hook: GitHook) -> git::Result<HookState> {
    let name = hook.name();
    let path = repo.hooks_dir()?.join(name);
    let text = match read_script(&path) {
        Ok(bytes) => Some(hook.classify(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(HookText::Foreign),
    };
    let runs = is_executable(&path);
    let has_hooks_path = repo.config_string("core.hooksPath").is_some();
    if text != Some(HookText::Outdated) {
        let is_foreign = matches!(text, Some(HookText::Foreign | HookText::Lefthook));
        let is_managed = has_hooks_path || is_foreign;
        if runs
            && (read_script(&path).is_ok_and(|bytes| hook.is_called_in(&bytes))
                || is_managed && is_called_by_manager(repo, hook))
        {
            return Ok(HookState::Runs);
        }
        if repo.git_version()? >= CONFIG_HOOKS_SINCE {
            let edits = hook_config(hook);
            let is_set =
                |edit: &ConfigEdit| repo.config_strings(&edit.to_string()).contains(&edit.value);
            return Ok(if edits.iter().all(is_set) {
                HookState::Runs
            } else {
                HookState::Configurable(edits)
            });
        }
    }
    let shown = quote::word(&path.to_string_lossy());
    let is_link = fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
    if text == Some(HookText::Lefthook) {
        return Ok(HookState::ByHand(for_lefthook(hook, &shown)));
    }
    // What is there may be tracked, or shared with other repositories.
    let why = if has_hooks_path {
        format!("{name}: core.hooksPath is set, so git runs {shown}, which git sq does not edit")
    } else if is_link {
        format!("{name}: {shown} is a symbolic link")
    } else if text == Some(HookText::Foreign) {
        format!("{name}: {shown} is not a shell script that git sq can edit")
    } else if text.is_some() && !runs {
        return Ok(HookState::ByHand(vec![format!(
            "{name}: {shown} is not executable, so git does not run it; `chmod +x {shown}`, then `git sq init`"
        )]));
    } else {
        return Ok(match text {
            None => HookState::Absent(path),
            Some(_) => HookState::Chainable(path),
        });
    };
    Ok(HookState::ByHand(vec![
        why + "; let it run this (with husky: in .husky/" + name + ")" + hook.place() + ":",
        hook.command(),
    ]))
}

/// What to do where lefthook writes a hook. It passes over commands where a push changes no file, and scripts never.
fn for_lefthook(hook: GitHook, path: &str) -> Vec<String> {
    let name = hook.name();
    let script = format!(".lefthook/{name}/git-sq.sh");
    vec![
        format!("{name}: lefthook writes {path}; put this into {script}:"),
        "#!/bin/sh".to_owned(),
        hook.command(),
        "and this into lefthook.yml, and run `lefthook install`:".to_owned(),
        format!("{name}:"),
        "  scripts:".to_owned(),
        "    git-sq.sh:".to_owned(),
        "      runner: sh".to_owned(),
        "      use_stdin: true".to_owned(),
    ]
}

/// The configuration that makes git run a hook.
fn hook_config(hook: GitHook) -> Vec<ConfigEdit> {
    let section = format!("sq-{}", hook.name());
    // A hook with an event and no command stops every git command, so the command comes first.
    [("command", hook.command()), ("event", hook.name().into())]
        .map(|(name, value)| ConfigEdit::new("hook", Some(&section), name, &value))
        .into()
}

/// A hook's bytes. Git runs what a link leads to, so that this is what counts.
fn read_script(path: &Path) -> io::Result<Vec<u8>> {
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    file::read(
        folder,
        path.file_name().unwrap_or_default().as_ref(),
        file::MOST,
    )
}

/// Whether the program is called where husky and lefthook find what they run in a hook.
fn is_called_by_manager(repo: &Repo, hook: GitHook) -> bool {
    let name = hook.name();
    let root = repo.worktree().unwrap_or_default();
    let files = [
        format!(".husky/{name}"),
        format!(".lefthook/{name}/git-sq.sh"),
        "lefthook.yml".into(),
        "lefthook-local.yml".into(),
    ];
    let mut read = files
        .iter()
        .filter_map(|path| file::read(&root, path.as_ref(), file::MOST).ok());
    read.any(|bytes| hook.is_called_in(&bytes))
}

/// Puts the block into the hook at `path`, making the hook and its folder where there is none.
pub fn plant_hook(hook: GitHook, path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let text = match read_script(path) {
        Ok(bytes) => {
            let script = unchain(&bytes).unwrap_or(bytes);
            let chained = str::from_utf8(&script).ok().and_then(|s| hook.chain(s));
            chained.ok_or_else(|| io::Error::other("it is no longer a script"))?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => hook.script(),
        Err(error) => return Err(error),
    };
    replace(path, text.as_bytes())
}

/// The hooks of this repository that have the block, those included that pre-commit moved aside.
pub fn planted_hooks(repo: &Repo) -> Vec<PathBuf> {
    let dir = repo.common_dir().join("hooks");
    let names =
        GitHook::ALL.map(|hook| [hook.name().to_owned(), format!("{}.legacy", hook.name())]);
    let paths = names.iter().flatten().map(|name| dir.join(name));
    let has_block = |path: &PathBuf| read_script(path).is_ok_and(|bytes| unchain(&bytes).is_some());
    paths.filter(has_block).collect()
}

/// Takes the block out of the hook at `path`; a hook that had nothing else is removed, with its folder where that is
/// empty then.
pub fn remove_hook(path: &Path) -> io::Result<()> {
    let Some(rest) = unchain(&read_script(path)?) else {
        return Ok(());
    };
    if !is_bare(&rest) {
        return replace(path, &rest);
    }
    fs::remove_file(path)?;
    if let Some(folder) = path.parent() {
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

/// Writes a file beside, with the rights of the old one, and puts it in its place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    match fs::metadata(path) {
        Ok(found) => file.as_file().set_permissions(found.permissions())?,
        Err(_) => make_executable(file.path())?,
    }
    file.persist(path).map(|_| ()).map_err(|error| error.error)
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
