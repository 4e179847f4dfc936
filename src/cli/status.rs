use clap::Args;

use super::{CommandResult, Context, Format};

/// Show the status; the same as `git sq` without a command
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
        let session = context.named(&project.repo, None)?.name();
        let status = project.status(session, context.now)?;
        context.show(&project.repo, &status, self.format)
    }
}
