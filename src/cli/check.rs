//! `git sq check`: the metrics as a gate.

use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs};
use crate::{finding::Severity, metrics::findings, project::Measure, report::Check};

/// Measure the ritual: staleness, and sessions that report no change while HEAD moves
///
/// Exits 0 when all is well, 1 when there is an error, 3 when something can't be known.
#[derive(Args)]
pub struct CheckArgs {
    /// How stale a question may become, in sessions, where it sets no limit of its own
    #[arg(long, value_name = "N")]
    staleness: Option<u32>,
    /// How many sessions in a row may report no change while HEAD moves
    #[arg(long, value_name = "N")]
    max_consecutive: Option<u32>,
    /// Measure as the original scripts do, whatever the questions watch
    #[arg(long)]
    original: bool,
    /// The commit to ask about, in place of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl CheckArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(self.tip.as_deref())?;
        let store = project.questions()?;
        let measure = Measure {
            staleness: self.staleness,
            max_run: self.max_consecutive,
            original: self.original,
        };
        let survey = project.snapshot(&measure)?.survey;
        let settings = measure.of(store.set.clone()).settings;
        let found = findings(&survey, &settings, store.news);
        let check = Check::new(project.place(), survey, found);
        context.show(&project.repo, &check, self.print.format);
        let mut findings = check.findings.iter();
        let has_errors = findings.any(|finding| finding.severity == Severity::Error);
        Ok(Outcome::of(has_errors, &check.unknown))
    }
}
