use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs, install::planted};
use crate::{finding::Severity, setup::diagnose};

/// Diagnose problems with this clone, its remotes and its hooks
///
/// Contacts no remote. Exits with 1 if there is an error, such as lost lines; warnings do not count.
#[derive(Args)]
pub struct DoctorArgs {
    /// Fix what needs no decision from you
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl DoctorArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        let diagnosis = diagnose(&mut repo, &planted(context), self.fix)?;
        context.show(&repo, &diagnosis, self.print.format);
        let mut findings = diagnosis.findings.iter();
        let has_errors = findings.any(|finding| finding.severity == Severity::Error);
        Ok(Outcome::of(has_errors, &diagnosis.unknown))
    }
}
