//! `git sq question trial` and `promote`: try a new wording beside the old one.

use clap::Args;

use super::edit::edit;
use crate::{
    cli::{CommandResult, Context, complete},
    question::{QuestionRef, name},
};

/// Try a new wording beside the old one
///
/// Adds a new version on trial: sessions answer both, only the old one is measured, and `git sq question history`
/// compares their answers. `git sq question promote` replaces the old one, `git sq question retire q4@2` gives the trial
/// up. Refused if the environment names an agent.
#[derive(Args)]
pub struct TrialArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: String,
    /// The new wording
    question: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
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

impl TrialArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        edit(context, "git sq question trial", |store| {
            let version =
                store.add_version(&self.id, &self.question, self.reason.as_deref(), true)?;
            Ok(format!("added {} on trial", name(&self.id, version)))
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
