//! `git sq question reword`, `retire`, `trial` and `promote`: change the store in the worktree, and commit nothing.

use std::cell::Cell;

use clap::{Args, Subcommand};
use serde_json::json;

use super::depends::{DependsArgs, tried};
use crate::{
    cli::{CommandResult, Context, Failure, complete},
    git::Repo,
    project::{no_store, worktree_store, write_store},
    question::{self, NewVersion, QuestionRef, QuestionSet, StoreEdit, StoreSchema, name},
    quote,
    store::WritersLock,
    view::{asides, escape},
};

#[derive(Subcommand)]
pub enum EditCommand {
    /// Give a question a new wording, or other places to look at
    ///
    /// Adds a new version, and tries it as `git sq question add` does. The old one stays in the store, deprecated, because the log refers to it. Refused to
    /// agents.
    Reword(Box<RewordArgs>),
    /// Stop asking questions
    ///
    /// They stay in the store, retired, because the log refers to them. Refused to agents.
    Retire {
        /// The question (q4), or a version of it (q4@2)
        #[arg(required = true, value_name = "ID", add = complete::questions())]
        ids: Vec<String>,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Try a new wording beside the old one
    ///
    /// Adds a new version on trial: sessions answer both, only the old one is measured, and `git sq question history`
    /// compares their answers. `git sq question promote` replaces the old one, `git sq question retire q4@2` gives the
    /// trial up. Refused to agents.
    Trial(WordingArgs),
    /// Replace a question by its version on trial
    ///
    /// The old version stays in the store, deprecated, because the log refers to it. Refused to agents.
    Promote {
        /// The question (q4), or its version on trial (q4@2)
        #[arg(add = complete::questions())]
        id: String,
    },
}

#[derive(Args)]
pub struct RewordArgs {
    #[command(flatten)]
    wording: WordingArgs,
    #[command(flatten)]
    depends: DependsArgs,
}

#[derive(Args)]
pub struct WordingArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: QuestionRef,
    /// The new wording; `reword` defaults to the old one
    question: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl WordingArgs {
    fn run(&self, context: &Context, depends: Option<&DependsArgs>) -> CommandResult {
        let watch =
            depends.filter(|_| self.question.is_none()).and_then(|depends| depends.watch.get(1..));
        if let Some(words) = watch.and_then(|watch| watch.last()).filter(|last| last.contains(' '))
            && !context.open()?.has_in_worktree(words, true)?
        {
            let wording = quote::word(words);
            return Err(Failure::refused(
                format!("no file matches {wording}: `--watch` takes all that follows it"),
                format!(
                    "put the wording first: `git sq question reword {} {wording} --watch PATH`",
                    self.id
                ),
            ));
        }
        let read = depends.map(|depends| depends.read(context)).transpose()?;
        let (given, mut keys) = read.unwrap_or_default();
        keys.extend(given.as_ref().map(|given| ("probe", json!(given.probe))));
        let is_tried = !keys.is_empty();
        let new = NewVersion {
            text: self.question.as_deref(),
            created: context.today(),
            reason: self.reason.as_deref(),
            keys,
            is_trial: depends.is_none(),
        };
        let added = Cell::new(1);
        edit_if(
            context,
            |store| {
                added.set(store.add_version(&self.id, &new)?);
                let what = if new.is_trial { " on trial" } else { ", deprecated the old version" };
                Ok(format!("added {}{what}", name(&self.id.id, added.get())))
            },
            |repo, set| {
                if !is_tried {
                    return Ok(String::new());
                }
                let tried = tried(context, repo, set, &self.id.id, added.get())?;
                let warnings = given.map(|given| given.warnings).unwrap_or_default();
                Ok(tried + &asides(&warnings, &[], context.style(Some(repo))))
            },
        )
    }
}

impl EditCommand {
    pub fn run(&self, context: &Context) -> CommandResult {
        match self {
            Self::Reword(args) => args.wording.run(context, Some(&args.depends)),
            Self::Trial(wording) => wording.run(context, None),
            Self::Retire { ids, reason } => edit(context, |store| {
                let names = ids.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>()?;
                store.retire(&names, reason.as_deref())?;
                Ok(format!("retired {}", ids.join(", ")))
            }),
            Self::Promote { id } => edit(context, |store| {
                let promoted = store.promote(&id.parse()?)?;
                Ok(format!("promoted {promoted}, deprecated the old version"))
            }),
        }
    }
}

/// Changes the store in the worktree, and reports it; refuses agents.
pub fn edit(
    context: &Context,
    change: impl FnOnce(&mut StoreEdit) -> Result<String, String>,
) -> CommandResult {
    edit_if(context, change, |_, _| Ok(String::new()))
}

/// Does so unless `check`, which gets the changed store and may have something to print, refuses it.
pub fn edit_if(
    context: &Context,
    change: impl FnOnce(&mut StoreEdit) -> Result<String, String>,
    check: impl FnOnce(&Repo, &QuestionSet) -> Result<String, Failure>,
) -> CommandResult {
    context.refuse_agents(&context.command)?;
    let repo = context.open()?;
    // Two that are added at once both stay.
    let _turn = WritersLock::acquire(&repo)?;
    let (path, bytes, set) = worktree_store(&repo)?.ok_or_else(|| no_store(&repo))?;
    let text = String::from_utf8_lossy(&bytes);
    let refused = |reason| {
        let help = "nothing was changed; `git sq question list --all` lists the questions";
        Failure::refused(reason, help)
    };
    let mut store = StoreEdit::new(&text, &set)
        .ok_or_else(|| refused(format!("could not find the questions in {path}")))?;
    let done = change(&mut store).map_err(refused)?;
    let text = store.finish();
    let new = question::parse(&format!("{path} with this change"), text.as_bytes())?;
    let checked = check(&repo, &new)?;
    write_store(&repo, &path, &text)?;
    let format = match (set.schema, new.schema) {
        (StoreSchema::V1, StoreSchema::V2) => {
            "The store now has the format standing_questions/v2, which this change needs.\n"
        }
        _ => "",
    };
    context.say(&format!(
        "{}: {done}\n{checked}{format}Commit it: only HEAD's questions count.\n",
        escape(&path)
    ))
}
