use clap::Args;
use serde_json::json;

use super::edit::edit;
use crate::{
    cli::{CommandResult, Context, Failure, Format, Outcome, PrintArgs},
    project::{store_of_head, worktree_store},
    question::NewQuestion,
    report::Suggested,
    suggest::{Suggestion, Suggestions, suggest},
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
    /// The same as `--format json`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl SuggestArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let commit = repo.head()?.commit.ok_or_else(|| {
            Failure::refused(
                "HEAD has no commit yet",
                "suggestions are read from HEAD's files",
            )
        })?;
        // A store that can't be read asks nothing; `--add` says what is wrong with it.
        let store = match worktree_store(&repo) {
            Ok(Some((_, _, set))) => Some(set),
            _ => store_of_head(&repo).ok().flatten().map(|store| store.set),
        };
        let mut found = suggest(&repo, commit, store.as_ref(), context.now)?;
        let (named, all) = (
            [&self.numbers[..], &self.add].concat(),
            found.suggestions.len(),
        );
        if let Some(number) = named.iter().find(|number| !(1..=all).contains(*number)) {
            return Err(Failure::refused(
                format!("there is no suggestion {number}"),
                "`git sq question suggest --all` lists them",
            ));
        }
        let is_named = !named.is_empty();
        let is_wanted = |one: &Suggestion| {
            named.contains(&one.number) || !is_named && (self.all || one.is_likely)
        };
        found.suggestions.retain(is_wanted);
        if !self.add.is_empty() {
            return add(context, &found);
        }
        let format = match self.print.format {
            Format::Text if !self.json => Format::Text,
            _ => Format::Json,
        };
        let outcome = Outcome::of(false, &found.unknown);
        let suggested = Suggested {
            hidden: if is_named {
                0
            } else {
                all - found.suggestions.len()
            },
            found,
            is_named,
        };
        context.show(&repo, &suggested, format);
        Ok(outcome)
    }
}

fn add(context: &Context, found: &Suggestions) -> CommandResult {
    edit(context, "git sq question suggest --add", |store| {
        let mut added = Vec::new();
        for one in &found.suggestions {
            if let Some(id) = &one.asked {
                return Err(format!("{id} asks {} already", one.number));
            }
            let question = &one.question;
            let keys = vec![
                ("importance", json!(question.importance)),
                ("severity", json!(question.severity)),
                ("expect", json!(question.expect)),
                ("probe", json!(question.probe)),
            ];
            store.add(&NewQuestion {
                id: &question.id,
                text: &question.q,
                keys,
            })?;
            added.push(question.id.as_str());
        }
        Ok(format!("added {}", added.join(", ")))
    })
}
