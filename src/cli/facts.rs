use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, complete,
    gate::{GateFormat, show},
    question::edit::edit,
};
use crate::{
    facts::{At, Edit, Found, write},
    git::Repo,
    project::{asked_facts, facts, no_commit, store_of_head, worktree_store},
    question::NewQuestion,
    view::{FactsDocument, fixed_text},
};

/// Show the facts that are asked, and find others that are wrong
///
/// First come the questions with a built-in probe, by their ids, with their standing: no session has to answer them. Then
/// comes what the repository itself shows. This reads HEAD and its history, and needs no question store. It compares the minimum toolchain and the version in
/// manifests with documents, changelogs and CI, and the tools of pre-commit with the lock file, and looks for the paths
/// that README, CONTRIBUTING and documents for agents name. Two places count as differing only if they once agreed, and
/// a path as missing if it was there. Nothing is written without `--fix` or `--add`.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub struct FactsArgs {
    /// Show, fix or add only these facts; the id of a question names its fact
    #[arg(value_name = "ID", add = complete::questions())]
    ids: Vec<String>,
    /// Write the right value into the files of the worktree, and show the diff
    ///
    /// Of all wrong facts, or of those that are named. The value is that of the side that moved, as precise as the old
    /// one; a missing path becomes the one to which git is sure that it was renamed. Nothing is staged. A file with changes that
    /// are not committed is refused; where both sides moved, nothing is changed.
    #[arg(long, conflicts_with_all = ["add", "cached"])]
    fix: bool,
    /// Add questions for all wrong facts, or for those that are named, to the store in the worktree
    #[arg(long, conflicts_with = "cached")]
    add: bool,
    /// Judge the index instead of HEAD, as a pre-commit hook needs it
    #[arg(long)]
    cached: bool,
    /// Include less certain facts, and all that hold
    #[arg(short, long)]
    all: bool,
    /// Exit with 1 if a fact is wrong, and with 3 if something could not be told
    #[arg(long)]
    exit_code: bool,
    /// Output format; the last four are for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: GateFormat,
}

impl FactsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let head = repo.head()?.commit;
        let at =
            if self.cached { At::Index(head) } else { At::Commit(head.ok_or_else(no_commit)?) };
        // A store that can't be read asks nothing; `--add` says what is wrong with it.
        let store = match worktree_store(&repo) {
            Ok(Some((_, _, set))) => Some(set),
            _ => store_of_head(&repo).ok().flatten().map(|store| store.set),
        };
        let is_all = self.all || !self.ids.is_empty();
        let found = facts(&repo, at, store.as_ref(), context.now, is_all, context.cache)?;
        let mut document = FactsDocument::new(at, found);
        if let (At::Commit(commit), Ok(Some(store))) = (at, store_of_head(&repo)) {
            document.ask(asked_facts(&repo, &store.set, commit));
        }
        document.keep(&self.ids, self.all).map_err(|id| {
            let message = format!("there is no fact {id}");
            Failure::refused(message, "`git sq facts --all` lists them")
        })?;
        if self.add {
            return add(context, &document);
        }
        if self.fix {
            return fix(context, &repo, &document.facts);
        }
        show(context, &repo, &document, self.format);
        let is_wrong = document.number_wrong() > 0;
        Ok(if self.exit_code { Outcome::of(is_wrong, &document.unknown) } else { Outcome::Clean })
    }
}

fn fix(context: &Context, repo: &Repo, facts: &[Found]) -> CommandResult {
    let edits: Vec<&Edit> =
        facts.iter().filter_map(|found| found.fix.as_ref()).flat_map(|fix| &fix.edits).collect();
    let style = context.style(Some(repo));
    let diff = match edits.as_slice() {
        [] => String::new(),
        edits => repo.unstaged_diff(&write(repo, edits)?)?,
    };
    context.say(&fixed_text(facts, &diff, style))
}

/// Adds the questions of facts that are named, else of those that are wrong and not asked yet.
fn add(context: &Context, document: &FactsDocument) -> CommandResult {
    let is_wanted =
        |found: &&Found| document.is_named || found.state.is_wrong() && found.asked.is_none();
    let wanted: Vec<&Found> = document.facts.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return context.say("No question was added: no fact is wrong that is not asked already.\n");
    }
    edit(context, |store| {
        let mut added = Vec::new();
        for found in wanted {
            if let Some(id) = &found.asked {
                return Err(format!("fact {} is already question {id}", found.id));
            }
            let text = |key| found.question[key].as_str().unwrap_or_default();
            let keys = ["importance", "expect", "probe"];
            store.add(&NewQuestion {
                id: text("id"),
                text: text("q"),
                created: context.now.strftime("%Y-%m-%d").to_string(),
                keys: keys.map(|key| (key, found.question[key].clone())).into(),
            })?;
            added.push(text("id"));
        }
        Ok(format!("added {}", added.join(", ")))
    })
}
