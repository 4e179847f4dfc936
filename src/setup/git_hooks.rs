//! The git hooks that carry the log, set in git's configuration or in a file of this program.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::planted::{Ground, Planted};
use crate::{
    file,
    git::{self, ConfigEdit, Repo},
    quote,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitHook {
    PrePush,
    PostRewrite,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookState {
    Runs,
    /// Git can read it from its configuration: these values, in this order.
    Configurable(Vec<ConfigEdit>),
    /// The hook is missing, or from another version of this program.
    Absent(PathBuf),
    /// The hook belongs to the user: lines that a person has to add to it.
    ByHand(Vec<String>),
}

/// The first version of git that reads hooks from its configuration, in addition to files.
const CONFIG_HOOKS_SINCE: (u32, u32) = (2, 54);

const BEGIN: &str = "#!/bin/sh\n# Set by `git sq init`; `git sq init --undo` removes it.\n";

impl GitHook {
    pub const ALL: [Self; 2] = [Self::PrePush, Self::PostRewrite];

    pub fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PostRewrite => "post-rewrite",
        }
    }

    /// Its purpose for the log, as the rest of a sentence that begins with "it".
    pub fn purpose(self) -> &'static str {
        match self {
            Self::PrePush => "publishes the log after your pushes",
            Self::PostRewrite => "keeps entries with commits that are amended or rebased",
        }
    }

    /// The command for a script. It never fails, with the program or without.
    /// A push is processed after its end, so the list of refs on standard input is left to the user's own hook.
    fn command(self) -> String {
        let input = match self {
            Self::PrePush => " </dev/null",
            Self::PostRewrite => "",
        };
        let name = self.name();
        format!(
            "if command -v git-sq >/dev/null 2>&1; then git-sq hook {name} \"$@\"{input}; fi || :"
        )
    }

    /// The position of that command in a script, as the rest of a sentence.
    fn place(self) -> &'static str {
        match self {
            Self::PrePush => "",
            Self::PostRewrite => ", before anything reads standard input, which it uses up",
        }
    }

    fn script(self) -> String {
        format!("{BEGIN}{}\n", self.command())
    }

    /// Returns true if a script calls the program for this hook, in any form.
    fn is_called_in(self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let calls = ["git-sq", "git sq"].map(|program| format!("{program} hook {}", self.name()));
        let mut code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        code.any(|line| calls.iter().any(|call| line.contains(call)))
    }

    fn config(self) -> Vec<ConfigEdit> {
        let section = format!("sq-{}", self.name());
        // A hook with an event and no command stops every git command, so the command comes first.
        [("command", self.command()), ("event", self.name().into())]
            .map(|(name, value)| ConfigEdit::new("hook", Some(&section), name, &value))
            .into()
    }
}

pub fn hook_state(repo: &Repo, hook: GitHook) -> git::Result<HookState> {
    let name = hook.name();
    let path = repo.hooks_dir()?.join(name);
    let script = read_script(&path);
    let runs = is_executable(&path);
    if script
        .as_ref()
        .is_ok_and(|bytes| *bytes != hook.script().as_bytes() && is_ours(repo, hook, &path, bytes))
    {
        return Ok(HookState::Absent(path));
    }
    if runs && is_called(repo, hook, &path) {
        return Ok(HookState::Runs);
    }
    if repo.git_version()? >= CONFIG_HOOKS_SINCE {
        let edits = hook.config();
        let values = |edit: &ConfigEdit| repo.config_strings(&edit.to_string());
        return Ok(if edits.iter().all(|edit| values(edit).contains(&edit.value)) {
            HookState::Runs
        } else {
            HookState::Configurable(edits)
        });
    }
    let is_absent = script.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    // A configured folder may be tracked, or shared with other repositories.
    if is_absent && repo.config_string("core.hooksPath").is_none() {
        return Ok(HookState::Absent(path));
    }
    let shown = quote::word(&path.to_string_lossy());
    let idle =
        if !is_absent && !runs { format!(" and run `chmod +x {shown}`") } else { String::new() };
    Ok(HookState::ByHand(vec![
        format!(
            "{name}: git runs {shown}, which git sq does not edit; add this line to it (with husky: to .husky/{name}){}{idle}:",
            hook.place()
        ),
        hook.command(),
    ]))
}

/// Returns true if the hook at `path` calls the program, or the configuration of husky, lefthook or pre-commit does.
fn is_called(repo: &Repo, hook: GitHook, path: &Path) -> bool {
    let name = hook.name();
    let root = repo.worktree().unwrap_or_default();
    let places = [
        path.to_owned(),
        path.with_extension("legacy"),
        root.join(".husky").join(name),
        root.join(".lefthook").join(name).join("git-sq.sh"),
    ];
    let mut read = places.iter().filter_map(|place| read_script(place).ok());
    read.any(|bytes| hook.is_called_in(&bytes))
}

/// Follows links, as git does.
fn read_script(path: &Path) -> io::Result<Vec<u8>> {
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = path.file_name().unwrap_or_default();
    file::read(folder, name.as_ref(), file::MOST)
}

/// Returns true if this program wrote the hook, and nothing was changed.
fn is_ours(repo: &Repo, hook: GitHook, path: &Path, bytes: &[u8]) -> bool {
    let planted = || Ground::of_hooks(repo).planted(below_common_dir(repo, path), Some(bytes));
    bytes == hook.script().as_bytes() || planted().is_some_and(|it| it.is(bytes))
}

fn below_common_dir<'p>(repo: &Repo, path: &'p Path) -> &'p Path {
    path.strip_prefix(repo.common_dir()).unwrap_or(path)
}

pub fn plant_hook(repo: &Repo, hook: GitHook, path: &Path) -> io::Result<()> {
    let script = hook.script();
    let planted = Planted::new(&script, None, BTreeSet::new());
    Ground::of_hooks(repo).plant(below_common_dir(repo, path), &script, planted, file::replace)?;
    make_executable(path)
}

/// The hook files of this program, also those that pre-commit moved aside, relative to the git directory.
pub fn planted_hooks(repo: &Repo) -> Vec<PathBuf> {
    GitHook::ALL
        .into_iter()
        .flat_map(|hook| {
            let path = Path::new("hooks").join(hook.name());
            let moved = path.with_extension("legacy");
            [moved, path.clone()].into_iter().filter(move |place| {
                let script = read_script(&repo.common_dir().join(place));
                script.is_ok_and(|bytes| is_ours(repo, hook, &path, &bytes))
            })
        })
        .collect()
}

/// The hooks of this program in the configuration; one whose command was edited is no longer one.
pub fn planted_config(own: &[ConfigEdit]) -> Vec<ConfigEdit> {
    let is_command = |edit: &ConfigEdit| edit.name.eq_ignore_ascii_case("command");
    GitHook::ALL
        .map(GitHook::config)
        .into_iter()
        .filter(|edits| {
            let same_name = own.iter().filter(|edit| {
                edit.section.eq_ignore_ascii_case("hook") && edit.subsection == edits[0].subsection
            });
            same_name.filter(|edit| is_command(edit)).all(|edit| edit.value == edits[0].value)
        })
        // A hook with an event and no command stops every git command: the event is removed first.
        .flat_map(|edits| edits.into_iter().rev())
        .filter(|edit| own.contains(edit))
        .collect()
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

/// Git for Windows runs files that begin with `#!`.
#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.exists()
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
