//! `git sq doctor`: what is wrong with this clone, its remotes and its hooks, and mending it.

use clap::Args;

use super::{CommandResult, Context, Format, Outcome};
use crate::{
    finding::Severity,
    report::{doctor_text, json},
    setup::diagnose,
};

/// Say what is wrong with this clone, its remotes and its hooks
///
/// Looks at what is here and asks no remote. Exit code 1 says that lines are lost or in danger, or that the log can't
/// travel.
#[derive(Args)]
pub struct DoctorArgs {
    /// Mend what needs no decision of yours
    #[arg(long)]
    fix: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl DoctorArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut repo = context.open()?;
        let diagnosis = diagnose(&mut repo, self.fix)?;
        context.print(&match self.format {
            Format::Json => json("sq.doctor/v1", &diagnosis),
            Format::Text => doctor_text(&diagnosis, context.style(Some(&repo))),
        });
        let mut findings = diagnosis.findings.iter();
        Ok(if findings.any(|f| f.severity == Severity::Error) {
            Outcome::Findings
        } else if diagnosis.unknown.is_empty() {
            Outcome::Clean
        } else {
            Outcome::Unknown
        })
    }
}
