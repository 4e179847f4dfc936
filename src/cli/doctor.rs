//! `git sq doctor`: what is wrong with this clone, its remotes and its hooks, and mending it.

use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs};
use crate::{finding::Severity, setup::diagnose};

/// Say what is wrong with this clone, its remotes and its hooks
///
/// Looks at what is here and asks no remote. Exit code 1 says that lines are lost or in danger, or that the log can't
/// travel.
#[derive(Args)]
pub struct DoctorArgs {
    /// Mend what needs no decision of yours
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl DoctorArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        let diagnosis = diagnose(&mut repo, self.fix)?;
        context.show(&repo, &diagnosis, self.print.format);
        let mut findings = diagnosis.findings.iter();
        let has_errors = findings.any(|finding| finding.severity == Severity::Error);
        Ok(Outcome::of(has_errors, &diagnosis.unknown))
    }
}
