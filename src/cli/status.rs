use clap::Args;

use super::{CommandResult, Context, Format};
use crate::{
    facts::{At, Search},
    git::ErrorKind,
    project::{Project, facts},
    view::FactsDocument,
};

/// Show the status; the same as `git sq` without a command
///
/// Where there is no question store, shows what `git sq facts` finds, and how to begin.
#[derive(Args)]
pub struct StatusArgs {
    /// Output format of the status
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl StatusArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut project = context.project(None)?;
        project.is_hurried = true;
        if self.format == Format::Text
            && project.questions().is_err_and(|error| error.kind == ErrorKind::NoQuestions)
        {
            return begin(context, &project);
        }
        let session = context.named(&project.repo, None)?.name();
        let status = project.status(session, context.now)?;
        context.show(&project.repo, &status, self.format)
    }
}

fn begin(context: &Context, project: &Project) -> CommandResult {
    let (repo, tip) = (&project.repo, project.tip);
    let found = facts(repo, &Search::of(tip, context.now), context.cache)?;
    let mut document = FactsDocument::new(At::Commit(tip), found);
    document.facts.retain(|found| found.is_likely);
    context.say(&document.glance(context.style(Some(repo))))
}
