//! What `git sq tension open` and `close` have in common: options, and what they say.

use clap::Args;

use super::log::TensionLog;
use crate::{
    cli::{CommandResult, Context, Format, Outcome, PrintArgs, envelope::unnamed},
    report::Tensions,
};

/// The options of a command that writes about a tension.
#[derive(Args)]
pub struct WriteArgs {
    /// What it rests on: `path:line`, `path:from-to` or an entry's id; may be given again
    #[arg(long, value_name = "CITATION")]
    pub cite: Vec<String>,
    /// The session; otherwise `SQ_SESSION`, then the current one, then one of its own
    #[arg(long, value_name = "SID")]
    pub sid: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl WriteArgs {
    /// Says what `command` did.
    pub fn show(
        &self,
        context: &Context,
        log: &TensionLog,
        command: &str,
        done: &Tensions,
    ) -> CommandResult {
        let repo = &log.project.repo;
        let hint = match self.print.format {
            Format::Json => String::new(),
            Format::Text => unnamed(context, repo, self.sid.as_deref(), command)?,
        };
        context.show(repo, done, self.print.format);
        context.print(&hint);
        Ok(Outcome::Clean)
    }
}
