//! `git sq complete`: the candidates for the last word of a command line. The scripts of `git sq completions` call it.

use std::ffi::{OsStr, OsString};

use clap::Args;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, complete};

use super::{CommandResult, Context, GlobalArgs, command};
use crate::{
    entry::clip,
    project::Project,
    session::{Tension, ranked},
    view::{escape, short_tension_id},
};

const LONGEST: usize = 80;

/// Print the candidates for the last word of a command line, for the shells' completion. The exit code is always 0
#[derive(Args)]
pub struct CompleteArgs {
    /// The words after `git sq`, up to the cursor
    #[arg(last = true)]
    words: Vec<OsString>,
}

impl CompleteArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let lines: String = candidates(&self.words, context).iter().filter_map(line).collect();
        context.say(&lines)
    }
}

fn candidates(words: &[OsString], context: &Context) -> Vec<CompletionCandidate> {
    let Some(last) = words.last() else {
        return Vec::new();
    };
    let line = std::iter::once(OsString::from("git-sq")).chain(words.iter().cloned());
    let mut found = complete(&mut command(), line.collect(), words.len(), Some(&context.dir))
        .unwrap_or_default();
    let is_option = |candidate: &CompletionCandidate| {
        candidate.get_value().as_encoded_bytes().starts_with(b"-")
    };
    // Like git: options once a dash is typed, or if nothing else fits.
    if last.is_empty() && !found.iter().all(is_option) {
        found.retain(|candidate| !is_option(candidate));
    }
    found
}

/// `None` for a word that could steer the terminal on which the shell shows it.
fn line(candidate: &CompletionCandidate) -> Option<String> {
    let word = candidate.get_value().to_str()?;
    if escape(word) != word {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string);
    let help = help.as_deref().and_then(|help| help.lines().next());
    let help = help.map_or_else(String::new, |help| format!("\t{}", escape(&clip(help, LONGEST))));
    Some(format!("{word}{help}\n"))
}

/// Empty outside a repository.
fn found<T>(find: impl Fn(&Project, &Context) -> Vec<T>) -> Vec<T> {
    let try_find = |context: Context| Some(find(&context.project(None).ok()?, &context));
    Context::read(&GlobalArgs::default(), "").ok().and_then(try_find).unwrap_or_default()
}

pub fn candidate(name: impl Into<OsString>, meaning: String) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(meaning.into()))
}

fn listed(list: fn(&Project, &Context) -> Vec<CompletionCandidate>) -> ArgValueCandidates {
    ArgValueCandidates::new(move || found(list))
}

pub fn questions() -> ArgValueCandidates {
    listed(|project, _| {
        project.question_names(false).into_iter().map(|(id, text)| candidate(id, text)).collect()
    })
}

/// Branches, those of remotes, and tags.
pub fn revisions() -> ArgValueCandidates {
    listed(|project, _| {
        ["refs/heads/", "refs/remotes/", "refs/tags/"]
            .into_iter()
            .flat_map(|folder| {
                let tips = project.repo.refs_under(folder).unwrap_or_default();
                tips.into_iter().map(|tip| CompletionCandidate::new(&tip.name[folder.len()..]))
            })
            .collect()
    })
}

pub fn same() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let begun = typed.rfind(',').map_or("", |comma| &typed[..=comma]);
        let is_new = |id: &str| !begun.split(',').any(|named| named == id);
        answers(&typed, |id| is_new(id).then(|| format!("{begun}{id}")))
    })
}

pub fn delta() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        answers(&typed.to_string_lossy(), |id| Some(format!("{id}=")))
    })
}

/// Questions that take answers, as `write` formats them. A note that is being typed is left alone.
fn answers(typed: &str, write: impl Fn(&str) -> Option<String>) -> Vec<CompletionCandidate> {
    if typed.contains('=') {
        return Vec::new();
    }
    found(|project, _| project.question_names(true))
        .into_iter()
        .filter_map(|(id, text)| Some((write(&id)?, text)))
        .filter(|(word, _)| word.starts_with(typed))
        .map(|(word, text)| candidate(word, text))
        .collect()
}

pub fn sessions() -> ArgValueCandidates {
    listed(|project, _| project.session_names().into_iter().map(CompletionCandidate::new).collect())
}

pub fn tensions() -> ArgValueCandidates {
    listed(|project, context| project.tensions(context.now).iter().map(tension).collect())
}

pub fn open_tensions() -> ArgValueCandidates {
    listed(|project, context| {
        let tensions = project.tensions(context.now);
        ranked(&tensions).into_iter().map(tension).collect()
    })
}

fn tension(tension: &Tension) -> CompletionCandidate {
    let opening = &tension.opening;
    candidate(short_tension_id(&opening.id), opening.body.topic.clone())
}
