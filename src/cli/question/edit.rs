//! `git sq question reword`, `retire`, `trial` and `promote`: change the store in the worktree, and commit nothing.

use clap::Args;

use crate::{
    cli::{CommandResult, Context, Failure, Outcome, complete},
    git::Repo,
    project::{worktree_store, write_store},
    question::{self, QuestionRef, QuestionSet, StoreEdit, StoreSchema, name},
    store::WritersLock,
    view::escape,
};

/// Give a question a new wording
///
/// Adds a new version. The old one is deprecated, and stays in the store because the log refers to it. Refused if the
/// environment names an agent.
#[derive(Args)]
pub struct RewordArgs {
    #[command(flatten)]
    wording: WordingArgs,
}

/// Stop asking a question
///
/// It is marked as retired, and stays in the store because the log refers to it. Refused if the environment names an
/// agent.
#[derive(Args)]
pub struct RetireArgs {
    /// The question (q4), or a version of it (q4@2)
    #[arg(add = complete::questions())]
    id: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Try a new wording beside the old one
///
/// Adds a new version on trial: sessions answer both, only the old one is measured, and `git sq question history`
/// compares their answers. `git sq question promote` replaces the old one, `git sq question retire q4@2` gives the trial
/// up. Refused if the environment names an agent.
#[derive(Args)]
pub struct TrialArgs {
    #[command(flatten)]
    wording: WordingArgs,
}

/// Replace a question by its version on trial
///
/// The old version is deprecated, and stays in the store because the log refers to it. Refused if the environment names
/// an agent.
#[derive(Args)]
pub struct PromoteArgs {
    /// The question (q4), or its version on trial (q4@2)
    #[arg(add = complete::questions())]
    id: String,
}

#[derive(Args)]
struct WordingArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: String,
    /// The new wording
    question: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl WordingArgs {
    fn add(&self, store: &mut StoreEdit, is_trial: bool) -> Result<String, String> {
        let version =
            store.add_version(&self.id, &self.question, self.reason.as_deref(), is_trial)?;
        Ok(name(&self.id, version))
    }
}

impl RewordArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question reword", |store| {
            let new = self.wording.add(store, false)?;
            Ok(format!("added {new}, deprecated the old version"))
        })
    }
}

impl RetireArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question retire", |store| {
            let name: QuestionRef = self.id.parse()?;
            store.retire(&name, self.reason.as_deref())?;
            Ok(format!("retired {name}"))
        })
    }
}

impl TrialArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question trial", |store| {
            let new = self.wording.add(store, true)?;
            Ok(format!("added {new} on trial"))
        })
    }
}

impl PromoteArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question promote", |store| {
            let name: QuestionRef = self.id.parse()?;
            let promoted = store.promote(&name)?;
            Ok(format!("promoted {promoted}, deprecated the old version"))
        })
    }
}

/// Changes the store in the worktree, and reports it; refuses agents, naming `act`.
pub fn edit(
    context: &Context,
    act: &str,
    change: impl FnOnce(&mut StoreEdit) -> Result<String, String>,
) -> CommandResult {
    edit_if(context, act, change, |_, _| Ok(String::new()))
}

/// Does so unless `check`, which gets the changed store and may have something to print, refuses it.
pub fn edit_if(
    context: &Context,
    act: &str,
    change: impl FnOnce(&mut StoreEdit) -> Result<String, String>,
    check: impl FnOnce(&Repo, &QuestionSet) -> Result<String, Failure>,
) -> CommandResult {
    context.refuse_agents(act)?;
    let repo = context.open()?;
    // Two that are added at once both stay.
    let _turn = WritersLock::acquire(&repo)?;
    let (path, bytes, set) = worktree_store(&repo)?.ok_or_else(super::no_store)?;
    let text = String::from_utf8_lossy(&bytes);
    let refused = |reason| {
        Failure::refused(
            reason,
            "nothing was changed; `git sq question list --all` lists the questions",
        )
    };
    let mut store = StoreEdit::new(&text, &set)
        .ok_or_else(|| refused(format!("could not find the questions in {path}")))?;
    let done = change(&mut store).map_err(refused)?;
    let text = store.finish();
    let new = question::parse(&path, text.as_bytes())?;
    let checked = check(&repo, &new)?;
    write_store(&repo, &path, &text)?;
    let path = escape(&path);
    let format = match (set.schema, new.schema) {
        (StoreSchema::V1, StoreSchema::V2) => {
            "The store now has the format standing_questions/v2, which this change needs.\n"
        }
        _ => "",
    };
    context.print(&format!(
        "{path}: {done}\n{checked}{format}Commit it: only HEAD's questions count.\n"
    ));
    Ok(Outcome::Clean)
}
