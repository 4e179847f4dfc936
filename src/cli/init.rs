use std::cmp::Reverse;

use clap::Args;

use super::{
    CommandResult, Context, Outcome,
    install::{note_unless_on_path, planted},
};
use crate::{
    facts::{Found, Search, State},
    git::{Error, Oid, Repo},
    project::{StoreNews, default_store, facts, store_of_head, worktree_store},
    question::{NewQuestion, QuestionSet},
    setup::{Beginning, Choices, QuestionSetName, Steps, init, share_log, undo},
    timeline::short,
    view::{next_steps_text, steps_text},
};

/// Facts that a new store asks at most.
const FACTS: usize = 5;

const NOTHING_DONE: &str = "Nothing was changed (--dry-run).\n";

/// Set up this clone: a question store, and the log's sharing
///
/// A new store begins with up to five facts that hold at HEAD, those that broke most often, and up to three questions
/// that fit the repository. Running it again does only what is missing.
#[derive(Args)]
pub struct InitArgs {
    /// Start with these general questions instead, if there is no store yet
    #[arg(long, value_enum, value_name = "SET")]
    set: Option<QuestionSetName>,
    /// Start without questions
    #[arg(long, conflicts_with = "set")]
    empty: bool,
    #[command(flatten)]
    choices: Choices,
    /// Show what would be done without doing it
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Undo what init did, for people only, on a terminal; the log and committed files stay
    #[arg(long)]
    undo: bool,
}

/// The facts at HEAD; what can't be read is none. A partial clone would have to fetch.
fn found_facts(repo: &Repo, context: &Context, keeps: bool) -> Vec<Found> {
    let head = repo.head().ok().and_then(|head| head.commit);
    let head = head.filter(|_| repo.promisors().is_empty());
    let found = head.and_then(|head| facts(repo, &Search::of(head, context.now), keeps).ok());
    found.unwrap_or_default().facts
}

/// The questions of the facts that hold, and broke most often.
fn holding<'f>(found: &'f [Found], context: &Context) -> Vec<NewQuestion<'f>> {
    let broke = |found: &&Found| match found.state {
        _ if found.is_doubtful || found.is_dismissed || found.follows_releases() => None,
        State::Holds { broke } => Some(broke),
        _ => None,
    };
    let mut holding: Vec<&Found> = found.iter().filter(|found| broke(found).is_some()).collect();
    holding.sort_by_key(|found| Reverse(broke(found)));
    holding.truncate(FACTS);
    holding.into_iter().map(|found| found.new_question(context.today())).collect()
}

fn agents_to_set_up(context: &Context) -> Vec<String> {
    planted(context)
        .agents
        .into_iter()
        .filter(|agent| agent.found && agent.planted.is_empty())
        .map(|agent| agent.name.name().to_owned())
        .collect()
}

/// Returns true if the worktree's store has a question for sessions or, where it has none, HEAD's: nothing may be checked out.
fn asks(repo: &Repo) -> Result<bool, Error> {
    let asks = |set: &QuestionSet| set.active().any(|one| !one.is_fact());
    Ok(match worktree_store(repo)? {
        Some((_, _, set)) => asks(&set),
        None => store_of_head(repo)?.is_some_and(|store| asks(&store.set)),
    })
}

impl InitArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.undo {
            return self.undo(context);
        }
        let mut repo = context.open()?;
        let mut steps = Steps { dry_run: self.dry_run, ..Steps::default() };
        let present = store_of_head(&repo)?.map(|it| (it.path, it.news != StoreNews::NotCommitted));
        let found = found_facts(&repo, context, context.cache && !self.dry_run);
        let head = repo.head()?.commit;
        let is_new = |tip: Oid| head.is_none_or(|head| !repo.is_ancestor(tip, head));
        let elsewhere = default_store(&repo).filter(|(_, tip, _)| is_new(*tip));
        let beginning = match (self.set, elsewhere) {
            _ if self.empty => Beginning::Empty,
            (Some(set), _) => Beginning::Set(set),
            (None, Some((branch, tip, _))) => Beginning::Elsewhere(format!(
                "none here; {branch} has one: `git merge {}` brings it",
                short(tip)
            )),
            (None, None) => Beginning::Facts(holding(&found, context)),
        };
        let has_store = !matches!(beginning, Beginning::Elsewhere(_));
        let done = init(&mut repo, present, &beginning, &self.choices, &mut steps);
        // Steps before an error were done all the same.
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        let to_commit = done?;
        if self.dry_run {
            return context.say(NOTHING_DONE);
        }
        let mut steps = Steps::default();
        share_log(&repo, &mut steps)?;
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        context.print(&next_steps_text(
            to_commit.as_deref(),
            repo.require_identity().is_ok(),
            found.iter().filter(|found| found.is_likely && found.state.is_wrong()).count(),
            &agents_to_set_up(context),
            has_store.then(|| asks(&repo).unwrap_or_default()),
        ));
        if !self.choices.no_hooks && repo.worktree().is_some() {
            note_unless_on_path(context);
        }
        Ok(Outcome::Clean)
    }

    fn undo(&self, context: &Context) -> CommandResult {
        if !self.dry_run {
            context.require_person("git sq init --undo")?;
        }
        let mut repo = context.open()?;
        let mut steps = Steps { dry_run: self.dry_run, ..Steps::default() };
        let undone = undo(&mut repo, &mut steps);
        context.print(&steps_text(&steps, context.style(Some(&repo))));
        undone?;
        context.print(
            "The log (refs/notes/sq), committed files and questions that were changed are kept.\n",
        );
        if planted(context).is_planted_here() {
            context.print(
                "Coding agents are still set up to call git sq; `git sq agent remove` undoes that.\n",
            );
        }
        if self.dry_run {
            context.print(NOTHING_DONE);
        }
        Ok(Outcome::Clean)
    }
}
