use std::slice;

use clap::Args;
use serde_json::json;

use super::{depends::tried, edit::edit_if};
use crate::{
    cli::{CommandResult, Context, OrRefuse as _, complete},
    project::SHOW,
    question::{NewQuestion, QuestionRef, StoreEdit},
};

/// Make a test of a question whose answer has long been the same
///
/// Drafts a probe from the lines that its last answer cites, tries it over history, adds it as a question of its own
/// and retires the old one, in the worktree. Refused to agents.
#[derive(Args)]
pub struct GraduateArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: QuestionRef,
    /// The id of the new question; defaults to that of the old one with `-holds`
    #[arg(long = "as", value_name = "ID")]
    new: Option<String>,
}

impl GraduateArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let old = project.questions()?.set.asked(&self.id).or_refuse(SHOW)?;
        let (probe, expected, sessions) = project.graduate(old)?;
        let default = format!("{}-holds", old.id);
        let id = self.new.as_deref().unwrap_or(&default);
        let text = format!("{} (while the lines stand that {} cited)", old.text, old.name());
        let new = NewQuestion {
            id,
            text: &text,
            created: context.today(),
            keys: vec![
                ("importance", json!(old.importance)),
                ("expect", expected),
                ("probe", json!(probe)),
            ],
        };
        let graduate = |store: &mut StoreEdit| {
            store.add(&new)?;
            store.retire(slice::from_ref(&self.id), Some(&format!("{id} checks it")))?;
            Ok(format!(
                "added {id}, retired {}, which was the same for {sessions} sessions",
                self.id
            ))
        };
        edit_if(context, graduate, |repo, set| tried(context, repo, set, id, 1))
    }
}
