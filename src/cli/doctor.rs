use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs, gate::has_errors, install::planted};
use crate::{
    finding::Finding,
    project::store_of_head,
    setup::{Ailment, diagnose},
};

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
        let mut diagnosis = diagnose(&mut repo, &planted(context), self.fix)?;
        if let Err(error) = store_of_head(&repo) {
            let help = match error.questions() {
                Some(_) => {
                    "git sq question lint   (shows where; then commit what you fixed)".to_owned()
                }
                None => error.hints.0.join("\n"),
            };
            let finding = Finding::error(Ailment::Store, "store", error.to_string(), help);
            diagnosis.findings.insert(0, finding);
        }
        if !self.fix {
            // The diagnosis names them.
            context.lost.set(None);
        }
        context.show(&repo, &diagnosis, self.print.format)?;
        Ok(Outcome::of(has_errors(&diagnosis.findings), &diagnosis.unknown))
    }
}
