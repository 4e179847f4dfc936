//! Sets a clone up: first questions, configuration, hooks. Each step is idempotent, and only reported in a dry run.

use std::time::Duration;

use super::{
    EMPTY_STORE, Error, QuestionSetName, Steps,
    git_hooks::{GitHook, HookState, hook_state, plant_hook},
    plant::{fitting, plant},
    remotes::{DISPLAY_GLOB, FetchEdits, no_hooks},
    unwritten,
};
use crate::{
    git::{ConfigEdit, Pathspecs, Repo, Talk},
    question::{parse, store_paths},
    quote,
    store::{WritersLock, clone_id, fetch, fold},
};

/// What the instructions of the original name.
const ORIGINAL: &[u8] = b"rederive_log";

const FETCH_TIME: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct InitOptions {
    /// None for a store without questions.
    pub set: Option<QuestionSetName>,
    /// True if plain `git log` is to show the log.
    pub display: bool,
    pub hooks: bool,
}

#[derive(Debug)]
pub struct PresentStore {
    /// Relative to the root of the repository.
    pub path: String,
    pub is_committed: bool,
}

/// Sets the clone up; returns the path of a question store that has to be committed.
pub fn init(
    repo: &mut Repo,
    store: Option<PresentStore>,
    options: &InitOptions,
    steps: &mut Steps,
) -> Result<Option<String>, Error> {
    let _turn = if steps.dry_run {
        None
    } else {
        Some(WritersLock::acquire(repo)?)
    };
    repo.reload()?;
    let to_commit = match store {
        Some(PresentStore { path, is_committed }) => {
            let news = if is_committed {
                "committed"
            } else {
                "not committed yet"
            };
            steps.note("store", [format!("{path} exists, {news}")]);
            Some(path).filter(|_| !is_committed)
        }
        None => plant_store(repo, options.set, steps)?,
    };
    note_originals(repo, steps)?;
    configure(repo, options, steps)?;
    if options.hooks {
        set_hooks(repo, steps)?;
    }
    Ok(to_commit)
}

fn plant_store(
    repo: &Repo,
    set: Option<QuestionSetName>,
    steps: &mut Steps,
) -> Result<Option<String>, Error> {
    let Some(root) = repo.worktree() else {
        let none = "none; a bare repository has no worktree for one";
        steps.note("store", [none.to_owned()]);
        return Ok(None);
    };
    let path = store_paths(repo.config_string("sq.questions")).swap_remove(0);
    let (text, what) = match set {
        None => (EMPTY_STORE.to_owned(), "without questions".to_owned()),
        Some(set) => {
            let head = repo.head()?.commit;
            let is_there = |spec: &str| {
                let specs = [spec.to_owned()];
                let unmatched =
                    head.map(|head| repo.unmatched(head, &specs).map(|none| none.len()));
                matches!(unmatched, Some(Ok(0)))
            };
            let number =
                |text: &String| parse(&path, text.as_bytes()).map_or(0, |set| set.questions.len());
            let text = fitting(set, is_there);
            match number(&text) {
                // There are hardly any files yet.
                0 => {
                    let text = fitting(set, |_| true);
                    let what = format!("with {} questions", number(&text));
                    (text, what)
                }
                number => (
                    text,
                    format!("with {number} questions that fit this repository"),
                ),
            }
        }
    };
    if plant(&root, &path, &text, steps.dry_run)? {
        let what = format!("{path} {what}");
        steps.change("store", ["created", "create"], &what);
    }
    Ok(Some(path))
}

/// Notes what the original scripts left behind.
fn note_originals(repo: &Repo, steps: &mut Steps) -> Result<(), Error> {
    let Some(head) = repo.head()?.commit else {
        return Ok(());
    };
    let files = |specs: &[&str]| {
        let specs: Vec<String> = specs.iter().map(ToString::to_string).collect();
        repo.files_at(head, &mut Pathspecs::parse(&specs)?)
    };
    for log in files(&["*rederive_log.jsonl"])? {
        let path = quote::path(&log.path);
        let what = format!(
            "{} is a log of the original scripts: `git sq import {path}`",
            log.path
        );
        steps.note("log", [what]);
    }
    for file in files(&["AGENTS.md", "CLAUDE.md", "*SKILL.md"])? {
        let text = repo.blob(file.blob)?;
        if text.windows(ORIGINAL.len()).any(|part| part == ORIGINAL) {
            let what = "asks for the original log: replace these lines with `git sq agent install`";
            steps.note("agent", [format!("{} {what}", file.path)]);
        }
    }
    Ok(())
}

fn configure(repo: &mut Repo, options: &InitOptions, steps: &mut Steps) -> Result<(), Error> {
    let mut add = Vec::new();
    let mut remove = Vec::new();
    if options.display && !is_displayed(repo) {
        add.push(ConfigEdit::new("notes", None, "displayRef", DISPLAY_GLOB));
    }
    if options.hooks {
        remove.push(no_hooks());
    } else {
        add.push(no_hooks());
    }
    let upstream = upstream(repo)?;
    for mut remote in repo.remotes() {
        if !remote.can_share_log() {
            steps.note("remote", [format!(
                "{} can't share the log: its name is not valid in a ref (rename it with `git remote rename`)",
                remote.name
            )]);
            continue;
        }
        let is_upstream = Some(&remote.name) == upstream.as_ref();
        if is_upstream && !remote.shares_log && !remote.declines_log {
            add.push(ConfigEdit::new("remote", Some(&remote.name), "sq", "true"));
            remote.shares_log = true;
        }
        if let Some(edits) = FetchEdits::of(&remote).filter(|_| remote.shares_log) {
            add.extend(edits.add);
            remove.extend(edits.remove);
        }
        if !remote.shares_log {
            let key = quote::word(&format!("remote.{}.sq", remote.name));
            steps.note("remote", [format!(
                "{} does not share the log (to change that: `git config {key} true`, then `git sq init`)",
                remote.name
            )]);
        }
    }
    let own = repo.own_config()?;
    add.retain(|edit| !own.contains(edit));
    remove.retain(|edit| own.contains(edit));
    if !steps.dry_run {
        remove = repo.remove_config(&remove)?;
        add = repo.add_config(&add)?;
    }
    for edit in &remove {
        let what = format!("{edit} = {}", edit.value);
        steps.change("config", ["removed", "remove"], &what);
    }
    for edit in &add {
        steps.change(
            "config",
            ["set", "set"],
            &format!("{edit} = {}", edit.value),
        );
    }
    Ok(())
}

fn is_displayed(repo: &Repo) -> bool {
    let shown = repo.config_strings("notes.displayRef");
    shown
        .iter()
        .any(|glob| glob == "refs/notes/*" || glob == DISPLAY_GLOB)
}

fn set_hooks(repo: &mut Repo, steps: &mut Steps) -> Result<(), Error> {
    for hook in GitHook::ALL {
        let what = format!("{}: it {}", hook.name(), hook.purpose());
        match hook_state(repo, hook)? {
            HookState::Runs => {}
            HookState::Configurable(edits) => {
                if !steps.dry_run {
                    repo.add_config(&edits)?;
                }
                steps.change("hook", ["set", "set"], &what);
            }
            HookState::Absent(path) => {
                if !steps.dry_run {
                    plant_hook(hook, &path)
                        .map_err(|error| unwritten(&path, &error, "git sq init"))?;
                }
                steps.change("hook", ["set", "set"], &what);
            }
            HookState::ByHand(help) => steps.note("hook", help),
        }
    }
    Ok(())
}

fn upstream(repo: &Repo) -> Result<Option<String>, Error> {
    let branch = repo.head()?.branch;
    Ok(repo.upstream_remote(branch.as_deref()))
}

/// Gives the clone its id, and fetches and folds the log of every remote that shares it.
pub fn share_log(repo: &Repo, steps: &mut Steps) -> Result<(), Error> {
    clone_id(repo)?;
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let talk = Talk {
            timeout: Some(FETCH_TIME),
            may_ask: false,
        };
        let what = match fetch(repo, remote, talk) {
            Ok(true) => "was reached, and its log was fetched".to_owned(),
            Ok(false) => "was reached, and has no log yet".to_owned(),
            Err(_) => format!(
                "could not be reached; `git sq sync {}` fetches its log later",
                quote::word(&remote.name)
            ),
        };
        steps.note("remote", [format!("{} {what}", remote.name)]);
    }
    if fold(repo)? {
        let folded = "the fetched log was merged into refs/notes/sq";
        steps.note("log", [folded.to_owned()]);
    }
    Ok(())
}
