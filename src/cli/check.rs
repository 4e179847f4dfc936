//! `git sq check`: the metrics as a gate.

use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs};
use crate::{
    finding::Severity,
    metrics::{Rule, findings, loosenings},
    project::{Accepted, Measure},
    report::{Check, Explanation},
};

/// Measure staleness, and runs of sessions that report no change while HEAD moves
///
/// Exits with 0 if there is no error, with 1 if there is one, and with 3 if something could not be determined.
#[derive(Args)]
pub struct CheckArgs {
    /// Maximum staleness, in sessions, of questions without a limit of their own
    #[arg(long, value_name = "N")]
    staleness: Option<u32>,
    /// Maximum number of sessions in a row that report no change while HEAD moves
    #[arg(long, value_name = "N")]
    max_consecutive: Option<u32>,
    /// Use the rule of the original scripts and ignore what questions watch
    #[arg(long)]
    original: bool,
    /// Check this commit instead of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Take questions and limits from this commit, and report what the checked one loosens
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Accept alarms up to this time whatever the question store says; `none` accepts none
    #[arg(long, value_name = "TIME")]
    accepted_through: Option<Accepted>,
    /// Say what a rule means, why it matters, how it is closed and what it can't see
    #[arg(long, value_name = "RULE", hide_possible_values = true)]
    explain: Option<Rule>,
    #[command(flatten)]
    print: PrintArgs,
}

impl CheckArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if let Some(rule) = self.explain {
            context.show(None, &Explanation::of(rule), self.print.format);
            return Ok(Outcome::Clean);
        }
        let mut project = context.project(self.tip.as_deref())?;
        if let Some(base) = &self.base {
            project = project.judged_by(base)?;
        }
        let store = project.questions()?;
        let measure = Measure {
            staleness: self.staleness,
            max_run: self.max_consecutive,
            original: self.original,
            accepted_through: self.accepted_through,
        };
        let survey = project.snapshot(&measure)?.survey;
        let settings = project.measured_by(&measure)?.settings;
        let mut found = findings(&survey, &settings, store.news);
        found.extend(loosenings(&project.loosened()?));
        found.sort_by_key(|finding| finding.severity);
        let check = Check::new(project.place(), survey, found);
        context.show(&project.repo, &check, self.print.format);
        let mut findings = check.findings.iter();
        let has_errors = findings.any(|finding| finding.severity == Severity::Error);
        Ok(Outcome::of(has_errors, &check.unknown))
    }
}
