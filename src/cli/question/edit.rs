//! `git sq question add`, `reword` and `retire`: change the store in the worktree, and commit nothing.

use clap::{Args, builder::RangedU64ValueParser};

use crate::{
    cli::{CommandResult, Context, Failure, Outcome, complete},
    project::{worktree_store, write_store},
    question::{self, NewQuestion, QuestionRef, StoreEdit, StoreSchema, name},
    report::escape,
};

/// Add a question to the store in the worktree
///
/// Refused if the environment names an agent: people decide what is asked.
#[derive(Args)]
pub struct AddArgs {
    /// Its id, as in `q4`
    id: String,
    /// The question; it names or implies where the truth lives
    question: String,
    /// 3 every session, 2 most sessions, 1 when relevant or stale
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<u8>::new().range(1..=3))]
    importance: u8,
    /// Where to look first
    #[arg(long, value_name = "TEXT")]
    hint: Option<String>,
    /// A pathspec whose change can change the answer; may be given again
    #[arg(long, value_name = "PATHSPEC")]
    watch: Vec<String>,
}

/// Give a question a new wording
///
/// Adds a new version. The old one is deprecated, and stays in the store because the log refers to it. Refused if the
/// environment names an agent.
#[derive(Args)]
pub struct RewordArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: String,
    /// The new wording
    question: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
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

impl AddArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let new = NewQuestion {
            id: &self.id,
            text: &self.question,
            importance: self.importance,
            evidence_hint: self.hint.as_deref(),
            watch: &self.watch,
        };
        edit(context, "git sq question add", |store| {
            store.add(&new)?;
            Ok(format!("added {}", self.id))
        })
    }
}

impl RewordArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question reword", |store| {
            let version = store.reword(&self.id, &self.question, self.reason.as_deref())?;
            let new = name(&self.id, version);
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

/// Changes the store in the worktree, and reports it; refuses agents, naming `act`.
pub fn edit(
    context: &Context,
    act: &str,
    change: impl FnOnce(&mut StoreEdit) -> Result<String, String>,
) -> CommandResult {
    context.refuse_agents(act)?;
    let repo = context.open()?;
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
    write_store(&repo, &path, &text)?;
    let path = escape(&path);
    let format = match (set.schema, new.schema) {
        (StoreSchema::V1, StoreSchema::V2) => {
            "The store now has the format standing_questions/v2, which this change needs.\n"
        }
        _ => "",
    };
    context.print(&format!(
        "{path}: {done}\n{format}Commit it: only HEAD's questions count.\n"
    ));
    Ok(Outcome::Clean)
}
