//! The git hooks that carry the log, set in git's configuration or in a file of this program.

mod by_hand;
mod manager;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use HookState::{Absent, ByHand};
use by_hand::{to_add, to_create, to_run};
use manager::{Manager, for_lefthook};

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
    /// It runs, but is not told which commits were rewritten.
    RunsWithoutInput,
    /// Git can read it from its configuration: these values, in this order.
    Configurable(Vec<ConfigEdit>),
    /// The hook is missing, from another version of this program, or ours without its run bit.
    Absent(PathBuf),
    /// A sentence on what a person has to do, and the lines for it.
    ByHand(Vec<String>),
}

/// The first version of git that reads hooks from its configuration, in addition to files.
const CONFIG_HOOKS_SINCE: (u32, u32) = (2, 54);

const AFTER: &str = "; fi || :";

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
            Self::PrePush => "publishes the log in the background when you push",
            Self::PostRewrite => "keeps entries with commits that are amended or rebased",
        }
    }

    /// The command for a script. It never fails, with the program or without.
    /// A push is processed after its end, so the list of refs on standard input is left to the user's own hook.
    fn command(self) -> String {
        self.guarded(match self {
            Self::PrePush => "\"$@\" </dev/null",
            Self::PostRewrite => "\"$@\"",
        })
    }

    fn guarded(self, call: &str) -> String {
        [&self.before(), call, AFTER].concat()
    }

    fn before(self) -> String {
        format!("if command -v git-sq >/dev/null 2>&1; then git-sq hook {} ", self.name())
    }

    /// The position of that command in a script: a push is refused by the exit code of the last command, and the list of
    /// rewritten commits is for who reads it first.
    fn place(self) -> &'static str {
        match self {
            Self::PrePush => "before its other commands",
            Self::PostRewrite => "after its other commands",
        }
    }

    fn script(self) -> String {
        format!("{BEGIN}{}\n", self.command())
    }

    /// Returns true if a version of this program wrote the script, and nobody changed it.
    fn is_script(self, bytes: &[u8]) -> bool {
        let line = str::from_utf8(bytes).unwrap_or_default().strip_prefix(BEGIN);
        let call =
            line.and_then(|line| line.strip_prefix(&self.before())?.trim_end().strip_suffix(AFTER));
        call.is_some_and(|call| !call.contains([';', '&', '|', '\n']))
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
    let path = repo.hooks_dir()?.join(hook.name());
    let generated = read_script(&path).unwrap_or_default();
    let manager = Manager::of(&path, &generated);
    let file = manager.map_or_else(|| path.clone(), |manager| manager.own_file(&path));
    let script = read_script(&file);
    let text = script.as_deref().unwrap_or_default();
    let is_ours = hook.is_script(text);
    if is_ours && text != hook.script().as_bytes() {
        return Ok(HookState::Absent(file));
    }
    let is_idle = manager != Some(Manager::Husky) && file.exists() && !is_executable(&file);
    let is_called = hook.is_called_in(text);
    let runs = is_executable(&path)
        && (is_called && !is_idle || is_called_elsewhere(repo, hook, manager, &generated));
    let has_input = manager.is_none_or(|manager| manager.gives_input(hook));
    if runs && has_input {
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
    if runs {
        return Ok(HookState::RunsWithoutInput);
    }
    if is_called && is_idle {
        return Ok(if is_ours { Absent(file) } else { ByHand(to_run(hook, &file)) });
    }
    // The target of a link may stand on another branch.
    let is_absent = !file.is_symlink()
        && script.as_ref().is_err_and(|error| {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        });
    Ok(match manager {
        Some(Manager::Husky) if !is_executable(&path) => ByHand(vec![format!(
            "{}: husky has not made {}; run `npx husky`",
            hook.name(),
            shown(&path)
        )]),
        Some(Manager::Husky) if is_absent && is_linked(repo, &file) => {
            ByHand(to_create(hook, &file))
        }
        Some(Manager::Husky | Manager::PreCommit | Manager::Prek) if is_absent => Absent(file),
        Some(Manager::Lefthook) => ByHand(for_lefthook(&root(repo), hook)),
        None if is_absent => unmanaged(repo, hook, path),
        _ => ByHand(to_add(hook, &file, is_idle)),
    })
}

/// The state of a hook for which git runs no file yet, and none was generated.
fn unmanaged(repo: &Repo, hook: GitHook, path: PathBuf) -> HookState {
    let name = hook.name();
    let folder = path.parent().unwrap_or(&path);
    let own = repo.common_dir().join("hooks");
    if real(folder) == real(&own) {
        return Absent(path);
    }
    if folder.ancestors().find(|folder| folder.exists()).is_some_and(|found| !found.is_dir()) {
        return ByHand(vec![
            format!(
                "{name}: core.hooksPath is {}, which is not a folder, so git runs no hooks; to have it run those of this repository:",
                shown(folder)
            ),
            format!("git config core.hooksPath {}", shown(&own)),
            "git sq init".to_owned(),
        ]);
    }
    // A configured folder may be tracked, or shared with other repositories.
    ByHand(to_create(hook, &path))
}

/// Returns true if the configuration of the tool that generated the hook calls the program, or a file that it names does.
fn is_called_elsewhere(
    repo: &Repo,
    hook: GitHook,
    manager: Option<Manager>,
    generated: &[u8],
) -> bool {
    let root = root(repo);
    let name = hook.name();
    let files = match manager {
        Some(manager) => manager.configuration(hook).iter().map(|file| root.join(file)).collect(),
        None => [root.join(".husky"), repo.common_dir().join("hooks")]
            .into_iter()
            .filter(|folder| {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                String::from_utf8_lossy(generated).contains(&format!("{name}/"))
            })
            .map(|folder| folder.join(name))
            .collect::<Vec<_>>(),
    };
    files.iter().filter_map(|file| read_script(file).ok()).any(|text| hook.is_called_in(&text))
}

/// The folder of the project's files.
fn root(repo: &Repo) -> PathBuf {
    repo.worktree().unwrap_or_else(|| repo.common_dir())
}

/// Returns true if a link on the way may lead out of the worktree.
fn is_linked(repo: &Repo, file: &Path) -> bool {
    let root = root(repo);
    file.strip_prefix(&root).is_ok_and(|path| file::link_in(&root, path).is_some())
}

/// A folder, which may be missing, without links.
fn real(folder: &Path) -> PathBuf {
    let parent = || Some(folder.parent()?.canonicalize().ok()?.join(folder.file_name()?));
    folder.canonicalize().ok().or_else(parent).unwrap_or_else(|| folder.to_owned())
}

fn shown(path: &Path) -> String {
    quote::word(&path.to_string_lossy())
}

/// Follows links, as git does.
fn read_script(path: &Path) -> io::Result<Vec<u8>> {
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = path.file_name().unwrap_or_default();
    file::read(folder, name.as_ref(), file::MOST)
}

/// The folder that stays when the file goes: it is in the git directory, or in the worktree.
fn ground<'p>(repo: &Repo, file: &'p Path) -> (Ground, &'p Path) {
    let common = repo.common_dir();
    let root = if file.starts_with(&common) { common } else { root(repo) };
    let below = file.strip_prefix(&root).unwrap_or(file);
    (Ground::of_hooks(repo, root), below)
}

pub fn plant_hook(repo: &Repo, hook: GitHook, file: &Path) -> io::Result<()> {
    let script = hook.script();
    let (ground, below) = ground(repo, file);
    let planted = Planted::new(&script, None, BTreeSet::new());
    ground.plant(below, &script, planted, file::replace)?;
    make_executable(file)
}

pub fn remove_hook(repo: &Repo, file: &Path) -> io::Result<()> {
    let (ground, below) = ground(repo, file);
    ground.uproot(below)
}

/// The hook files of this program: also those that a tool moved aside, and untracked ones in the worktree.
pub fn planted_hooks(repo: &Repo) -> Vec<PathBuf> {
    let (common, root) = (repo.common_dir(), root(repo));
    let husky = repo.hooks_dir().ok().and_then(|folder| Some(folder.parent()?.to_owned()));
    let places = |hook: GitHook| {
        let own = common.join("hooks").join(hook.name());
        let moved = ["legacy", "old"].map(|end| own.with_extension(end));
        let inside = [Some(root.join(".husky")), husky.clone()]
            .into_iter()
            .flatten()
            .map(|folder| folder.join(hook.name()));
        moved
            .into_iter()
            .chain([own])
            .chain(inside)
            .filter(|file| read_script(file).is_ok_and(|text| hook.is_script(&text)))
            .collect::<Vec<_>>()
    };
    let is_untracked = |file: &Path| {
        let path = file.strip_prefix(&root).ok().and_then(Path::to_str);
        path.is_some_and(|path| repo.tracks(path).is_ok_and(|is_tracked| !is_tracked))
    };
    let mut planted: Vec<_> = GitHook::ALL.into_iter().flat_map(places).collect();
    planted.retain(|file| file.starts_with(&common) || is_untracked(file));
    planted.dedup();
    planted
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
