//! `git sq check`: the metrics as a gate.

use clap::Args;

use super::{CommandResult, Context, Format, Outcome, view::View};
use crate::{
    finding::Severity,
    metrics::{Finding, Quiet, Rule, Survey, findings},
    report::{Check, QuietRows, check_text, json},
};

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
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl CheckArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut view = View::open(context, self.tip.as_deref())?;
        let settings = &mut view.store.set.settings;
        if let Some(run) = self.max_consecutive {
            settings.quiet.max_run = run;
        }
        if let Some(max) = self.staleness {
            settings.staleness.max = max;
        }
        // The survey that is kept was made with the store's own limits, and leaves the single verdicts out.
        let limits = self.staleness.is_some() || self.max_consecutive.is_some();
        let usual = !limits && !self.original && self.format == Format::Text;
        let (survey, quiet) = if usual {
            (view.survey(context)?, Quiet::default())
        } else {
            view.measure(context, self.original)?
        };
        let found = findings(
            &survey,
            &view.store.set.settings,
            view.store.news,
            !view.unasked.is_empty(),
        );
        let check = check(survey, quiet, found);
        let text = match self.format {
            Format::Json => json("sq.check/v1", &check),
            Format::Text => check_text(&check, &view.place(), context.style(Some(&view.repo))),
        };
        context.print(&text);
        Ok(outcome(&check))
    }
}

/// Puts the figures and what they mean together.
pub fn check(survey: Survey, quiet: Quiet, found: Vec<Finding>) -> Check {
    let fails = |finding: &&Finding| finding.severity == Severity::Error;
    Check {
        tip: survey.tip,
        sessions: survey.sessions,
        latest_sid: survey.latest.into_iter().next().map(|last| last.sid),
        staleness: survey.staleness,
        quiet: QuietRows {
            verdicts: quiet.verdicts,
            suspicious: survey.suspicious,
            longest_run: survey.longest_run,
            alarm: found.iter().filter(fails).any(|f| f.rule == Rule::QuietRun),
        },
        imported: survey.imported,
        other_kinds: survey.other_kinds,
        elsewhere: survey.elsewhere,
        ok: found.iter().filter(fails).count() == 0 && survey.unknown.is_empty(),
        findings: found,
        unknown: survey.unknown,
    }
}

fn outcome(check: &Check) -> Outcome {
    if check.ok {
        Outcome::Clean
    } else if check.findings.iter().any(|f| f.severity == Severity::Error) {
        Outcome::Findings
    } else {
        Outcome::Unknown
    }
}
