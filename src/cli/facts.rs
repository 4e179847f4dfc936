use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, question::edit::edit};
use crate::{
    facts::{Found, find},
    git::DEEPEN,
    project::{no_commit, store_of_head, worktree_store},
    question::NewQuestion,
    view::FactsDocument,
};

/// Find facts that are stated in two places and differ, and paths that are named and missing
///
/// Reads HEAD and its history, and needs no question store. It compares the minimum toolchain and the version in
/// manifests with documents, changelogs and CI, and the tools of pre-commit with the lock file, and looks for the paths
/// that README, CONTRIBUTING and documents for agents name. Two places count as differing only if they once agreed.
/// Nothing is written without `--add`.
#[derive(Args)]
pub struct FactsArgs {
    /// The facts to show with their questions, or to add; all that are shown by default
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Add questions for these facts, or for all wrong ones, to the store in the worktree
    #[arg(long)]
    add: bool,
    /// Include less certain facts
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl FactsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let commit = repo.head()?.commit.ok_or_else(no_commit)?;
        // A store that can't be read asks nothing; `--add` says what is wrong with it.
        let store = match worktree_store(&repo) {
            Ok(Some((_, _, set))) => Some(set),
            _ => store_of_head(&repo).ok().flatten().map(|store| store.set),
        };
        let mut facts = find(&repo, commit, store.as_ref(), context.now)?;
        let (is_named, all) = (!self.ids.is_empty(), facts.len());
        if let Some(id) = self.ids.iter().find(|id| facts.iter().all(|found| found.id != **id)) {
            return Err(Failure::refused(
                format!("there is no fact {id}"),
                "`git sq facts --all` lists them",
            ));
        }
        facts.retain(|found| match is_named {
            true => self.ids.contains(&found.id),
            false => self.all || found.is_likely,
        });
        if self.add {
            return add(context, &facts, is_named);
        }
        let cut =
            || format!("history is cut off: places that differ may never have agreed; {DEEPEN}");
        let unknown = Vec::from_iter(repo.is_shallow()?.then(cut));
        let outcome = Outcome::of(false, &unknown);
        let hidden = if is_named { 0 } else { all - facts.len() };
        let document = FactsDocument { facts, unknown, hidden, is_named };
        context.show(&repo, &document, self.print.format)?;
        Ok(outcome)
    }
}

/// Adds the questions of facts that are named, else of those that are wrong and not asked yet.
fn add(context: &Context, facts: &[Found], is_named: bool) -> CommandResult {
    let is_wanted = |found: &&Found| is_named || found.state.is_wrong() && found.asked.is_none();
    let wanted: Vec<&Found> = facts.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return context.say("No fact is wrong that is not asked already.\n");
    }
    edit(context, |store| {
        let mut added = Vec::new();
        for found in wanted {
            if let Some(id) = &found.asked {
                return Err(format!("fact {} is already question {id}", found.id));
            }
            let text = |key| found.question[key].as_str().unwrap_or_default();
            let keys = ["importance", "severity", "expect", "probe"];
            store.add(&NewQuestion {
                id: text("id"),
                text: text("q"),
                keys: keys.map(|key| (key, found.question[key].clone())).into(),
            })?;
            added.push(text("id"));
        }
        Ok(format!("added {}", added.join(", ")))
    })
}
