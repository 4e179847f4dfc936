use clap::Args;

use super::edit::edit;
use crate::{
    cli::{CommandResult, Context, Failure, Outcome, PrintArgs},
    git::DEEPEN,
    project::{no_commit, store_of_head, worktree_store},
    question::NewQuestion,
    suggest::{Suggestion, suggest},
    view::Suggested,
};

/// Suggest questions about facts that stand in two places, those that are wrong today first
///
/// Reads HEAD and its history, and needs no question store. It compares the minimum toolchain and the version in
/// manifests with documents, changelogs and CI, and the tools of pre-commit with the lock file, and looks for the paths
/// that README, CONTRIBUTING and documents for agents name. Two places count as contradicted only if they agreed at some
/// commit. Nothing is written without `--add`.
#[derive(Args)]
pub struct SuggestArgs {
    /// Show these suggestions with their questions
    #[arg(value_name = "N", conflicts_with = "add")]
    numbers: Vec<usize>,
    /// Add the questions of these suggestions to the store in the worktree
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    add: Vec<usize>,
    /// Include less certain suggestions
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl SuggestArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let commit = repo.head()?.commit.ok_or_else(no_commit)?;
        // A store that can't be read asks nothing; `--add` says what is wrong with it.
        let store = match worktree_store(&repo) {
            Ok(Some((_, _, set))) => Some(set),
            _ => store_of_head(&repo).ok().flatten().map(|store| store.set),
        };
        let mut suggestions = suggest(&repo, commit, store.as_ref(), context.now)?;
        let named = [&self.numbers[..], &self.add].concat();
        let (is_named, all) = (!named.is_empty(), suggestions.len());
        if let Some(number) = named.iter().find(|number| !(1..=all).contains(*number)) {
            return Err(Failure::refused(
                format!("there is no suggestion {number}"),
                "`git sq question suggest --all` lists them",
            ));
        }
        let is_shown = |suggestion: &Suggestion| !is_named && (self.all || suggestion.is_likely);
        suggestions.retain(|suggestion| is_shown(suggestion) || named.contains(&suggestion.number));
        if !self.add.is_empty() {
            return add(context, &suggestions);
        }
        let cut =
            || format!("history is cut off: places that differ may never have agreed; {DEEPEN}");
        let unknown = Vec::from_iter(repo.is_shallow()?.then(cut));
        let outcome = Outcome::of(false, &unknown);
        let hidden = if is_named { 0 } else { all - suggestions.len() };
        let suggested = Suggested { suggestions, unknown, hidden, is_named };
        context.show(&repo, &suggested, self.print.format)?;
        Ok(outcome)
    }
}

fn add(context: &Context, suggestions: &[Suggestion]) -> CommandResult {
    edit(context, |store| {
        let mut added = Vec::new();
        for suggestion in suggestions {
            if let Some(id) = &suggestion.asked {
                return Err(format!("suggestion {} is already question {id}", suggestion.number));
            }
            let text = |key| suggestion.question[key].as_str().unwrap_or_default();
            let keys = ["importance", "expect", "probe"];
            store.add(&NewQuestion {
                id: text("id"),
                text: text("q"),
                created: context.now.strftime("%Y-%m-%d").to_string(),
                keys: keys.map(|key| (key, suggestion.question[key].clone())).into(),
            })?;
            added.push(text("id"));
        }
        Ok(format!("added {}", added.join(", ")))
    })
}
