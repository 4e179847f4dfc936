//! Sets a clone up: first questions, configuration, hooks. Each step is idempotent, and only reported in a dry run.

use std::time::Duration;

use regex::bytes::Regex;

use super::{
    EMPTY_STORE, Error, QuestionSetName, Steps,
    git_hooks::{GitHook, HookState, hook_state, plant_hook},
    plant::{fitting, plant, with_questions},
    planted::Ground,
    remotes::{DISPLAY_GLOB, DangerousRefspec, FetchEdits, is_left_to_sync, no_hooks},
    seeds::{FIRST_QUESTIONS, questions},
    unwritten,
};
use crate::{
    git::{ConfigEdit, Gets, Oid, Pathspecs, Repo, Talk},
    question::{NewQuestion, Question, lines_pattern, parse, store_paths},
    quote,
    store::{LocalState, WritersLock, fetch, fold, share::leave},
};

const FETCH_TIME: Duration = Duration::from_secs(60);

/// Deviations from the usual setup.
#[derive(Debug, clap::Args)]
pub struct Choices {
    /// Show the log in plain `git log`, by setting `notes.displayRef`
    #[arg(long)]
    display: bool,
    /// Install no hooks: share the log with `git sq sync`, and follow rewritten commits with `git sq carry`
    #[arg(long)]
    pub no_hooks: bool,
}

/// A new store.
pub enum Beginning<'a> {
    Empty,
    /// None, for this reason.
    Elsewhere(String),
    Set(QuestionSetName),
    /// The questions of these facts, and a few that fit the repository.
    Facts(Vec<NewQuestion<'a>>),
}

/// Sets the clone up; returns the path of a question store that has to be committed. `store` is the path of the one that is
/// there, and true if it is committed; without one, a new one is planted.
pub fn init(
    repo: &mut Repo,
    store: Option<(String, bool)>,
    beginning: &Beginning,
    choices: &Choices,
    steps: &mut Steps,
) -> Result<Option<String>, Error> {
    let _turn = (!steps.dry_run).then(|| WritersLock::acquire(repo)).transpose()?;
    repo.reload()?;
    repo.require_log_refs()?;
    let to_commit = match store {
        Some((path, is_committed)) => {
            let not = if is_committed { "" } else { "not " };
            let yet = if is_committed { "" } else { " yet" };
            steps.note("store", [format!("{path} exists, {not}committed{yet}")]);
            Some(path).filter(|_| !is_committed)
        }
        None => match beginning {
            Beginning::Elsewhere(why) => {
                steps.note("store", [why.clone()]);
                None
            }
            _ => plant_store(repo, beginning, steps)?,
        },
    };
    configure(repo, choices, steps)?;
    if repo.worktree().is_none() {
        steps.note("hook", ["none, as this repository is bare".to_owned()]);
    } else if !choices.no_hooks {
        set_hooks(repo, steps)?;
    }
    Ok(to_commit)
}

fn plant_store(
    repo: &Repo,
    beginning: &Beginning,
    steps: &mut Steps,
) -> Result<Option<String>, Error> {
    let Some(ground) = Ground::of_store(repo) else {
        let none = "none; a bare repository has no worktree for one";
        steps.note("store", [none.to_owned()]);
        return Ok(None);
    };
    let path = store_paths(repo.config_string("sq.questions")).swap_remove(0);
    let (text, what) = first_store(repo, beginning)?;
    if plant(&ground, &path, &text, steps.dry_run)? {
        let what = format!("{path} {what}");
        steps.change("store", ["created", "create"], &what);
    }
    Ok(Some(path))
}

/// The text of a new store, and what it has.
fn first_store(repo: &Repo, beginning: &Beginning) -> Result<(String, String), Error> {
    let head = repo.head()?.commit;
    let is_there = |_: &Question, spec: &str| {
        let absent = |head| repo.unmatched(head, &[spec.to_owned()]).map(|none| none.len());
        matches!(head.map(absent), Some(Ok(0)))
    };
    let ids = |text: &str| -> Vec<String> {
        let set = parse("seed", text.as_bytes()).unwrap_or_default();
        set.questions.into_iter().map(|question| question.id).collect()
    };
    let empty = || (EMPTY_STORE.to_owned(), "without questions".to_owned());
    Ok(match beginning {
        Beginning::Empty | Beginning::Elsewhere(_) => empty(),
        Beginning::Set(set) => {
            let text = fitting(questions(*set), is_there);
            match ids(&text).len() {
                // There are hardly any files yet.
                0 => {
                    let text = questions(*set).to_owned();
                    let number = ids(&text).len();
                    (text, format!("with {number} questions"))
                }
                1 => (text, "with 1 question that fits this repository".into()),
                number => (text, format!("with {number} questions that fit this repository")),
            }
        }
        Beginning::Facts(facts) => {
            // A manifest need not say what a question is about.
            let told = ids(&fitting(FIRST_QUESTIONS, |question, spec| {
                head.is_some_and(|head| has_line(repo, head, question, spec).unwrap_or(false))
            }));
            let text = fitting(FIRST_QUESTIONS, |question, spec| {
                told.contains(&question.id) && is_there(question, spec)
            });
            let text = if ids(&text).is_empty() { empty().0 } else { text };
            let asked = ids(&text);
            let text = with_questions(text, facts);
            let facts = ids(&text).split_off(asked.len());
            let named = |what: &str, ids: &[String]| {
                let plural = if ids.len() == 1 { "" } else { "s" };
                let said = format!("{} {what}{plural} ({})", ids.len(), ids.join(", "));
                (!ids.is_empty()).then_some(said)
            };
            let parts = [named("fact", &facts), named("question", &asked)];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            if parts.is_empty() { empty() } else { (text, format!("with {}", parts.join(" and "))) }
        }
    })
}

/// Returns true if a file that matches has a line that matters to a question.
fn has_line(repo: &Repo, head: Oid, question: &Question, spec: &str) -> Result<bool, Error> {
    let lines = question.lines.as_deref().and_then(|lines| lines_pattern(lines).ok());
    let matches = |blob, lines: &Regex| repo.blob(blob).is_ok_and(|text| lines.is_match(&text));
    for file in repo.files_at(head, &mut Pathspecs::parse(&[spec.to_owned()])?)? {
        if lines.as_ref().is_none_or(|lines| matches(file.blob, lines)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn configure(repo: &mut Repo, choices: &Choices, steps: &mut Steps) -> Result<(), Error> {
    let mut add = Vec::new();
    let mut remove = Vec::new();
    let shown = repo.config_strings("notes.displayRef");
    if choices.display && !shown.iter().any(|glob| glob == "refs/notes/*" || glob == DISPLAY_GLOB) {
        add.push(ConfigEdit::new("notes", None, "displayRef", DISPLAY_GLOB));
    }
    if choices.no_hooks {
        add.push(no_hooks());
    } else {
        remove.push(no_hooks());
    }
    let upstream = repo.upstream_remote(repo.head()?.branch.as_deref());
    let home = repo.log_home();
    let remotes = repo.remotes();
    if remotes.is_empty() {
        steps.note("remote", ["none: entries stay in this clone".to_owned()]);
    }
    for mut remote in remotes {
        for DangerousRefspec { message, remedy, .. } in DangerousRefspec::of(repo, &remote) {
            let lines = message.lines().chain(remedy.lines()).map(str::to_owned);
            steps.note("config", lines.collect::<Vec<_>>());
        }
        if !remote.can_share_log() {
            steps.note("remote", [format!(
                "{} can't share the log: its name is not valid in a ref (rename it with `git remote rename`)",
                remote.name
            )]);
            continue;
        }
        let is_upstream = Some(&remote.name) == upstream.as_ref();
        if is_upstream && home.is_none() && !remote.shares_log && !remote.declines_log {
            add.push(ConfigEdit::new("remote", Some(&remote.name), "sq", "true"));
            remote.shares_log = true;
        }
        if let Some(edits) = FetchEdits::of(&remote).filter(|_| remote.shares_log) {
            add.extend(edits.add);
            remove.extend(edits.remove);
        }
        if !remote.shares_log {
            let key = quote::word(&format!("remote.{}.sq", remote.name));
            let why = match &home {
                _ if repo.is_itself(&remote.name) => ": it is this repository itself".to_owned(),
                Some(home) => format!(": sq.logRemote is {home}"),
                None => format!(" (to change that: `git config {key} true`, then `git sq init`)"),
            };
            let what = format!("{} does not share the log{why}", remote.name);
            steps.note("remote", [what]);
        }
    }
    let own = repo.own_config()?;
    add.retain(|edit| !own.contains(edit));
    remove.retain(|edit| own.contains(edit));
    if !steps.dry_run {
        LocalState::update(repo, |state| {
            state.is_set_up = true;
            state.displays |= add.iter().any(|edit| edit.value == DISPLAY_GLOB);
        })?;
        leave(repo)?;
        remove = repo.remove_config(&remove)?;
        add = repo.add_config(&add)?;
    }
    for edit in &remove {
        let what = format!("{edit} = {}", edit.value);
        steps.change("config", ["removed", "remove"], &what);
    }
    for edit in &add {
        let what = format!("{edit} = {}", edit.value);
        steps.change("config", ["set", "set"], &what);
    }
    Ok(())
}

fn set_hooks(repo: &mut Repo, steps: &mut Steps) -> Result<(), Error> {
    for hook in GitHook::ALL {
        let state = hook_state(repo, hook)?;
        let what = format!("{}: it {}", place(repo, hook, &state), hook.purpose());
        match state {
            HookState::Runs | HookState::RunsWithoutInput => continue,
            HookState::ByHand(help) => {
                steps.note("hook", help);
                continue;
            }
            _ if steps.dry_run => {}
            HookState::Configurable(edits) => _ = repo.add_config(&edits)?,
            HookState::Absent(path) => {
                plant_hook(repo, hook, &path)
                    .map_err(|error| unwritten(&path, &error, "git sq init"))?;
            }
        }
        steps.change("hook", ["set", "set"], &what);
    }
    Ok(())
}

/// The hook's name, or the path of its file in the worktree.
fn place(repo: &Repo, hook: GitHook, state: &HookState) -> String {
    match state {
        HookState::Absent(path) if !path.starts_with(repo.common_dir()) => path
            .strip_prefix(repo.worktree().unwrap_or_default())
            .map_or(hook.name().to_owned(), |path| path.display().to_string()),
        _ => hook.name().to_owned(),
    }
}

/// Fetches and folds the log of every remote that shares it. The clone has no id before its first entry: a disk image that is
/// made of it begins several.
pub fn share_log(repo: &Repo, steps: &mut Steps) -> Result<(), Error> {
    // Lost entries come back before anything is fetched.
    fold(repo, &[])?;
    for remote in repo.remotes().iter().filter(|remote| remote.shares_log) {
        let talk = Talk { timeout: Some(FETCH_TIME), may_ask: false };
        let what = match fetch(repo, remote, talk) {
            Ok(true) => "was reached, and its log was fetched".to_owned(),
            Ok(false) => "was reached, and has no log yet".to_owned(),
            Err(_) => format!(
                "could not be reached; `git sq sync {}` fetches its log later",
                quote::word(&remote.name)
            ),
        };
        let is_read = remote.gets == Gets::Nothing;
        let left = if is_left_to_sync(remote) {
            let to = quote::word(&remote.name);
            format!("; `git fetch` leaves it out, and `git sq sync {to}` fetches it")
        } else {
            String::new()
        };
        let other = if is_read { "; new entries do not go there" } else { "" };
        steps.note("remote", [format!("{} {what}{left}{other}", remote.name)]);
    }
    if fold(repo, &[])? {
        steps.note("log", ["the fetched log was merged into refs/notes/sq".to_owned()]);
    }
    Ok(())
}
