//! The common part of the commands that are gates: the check, its outcome, and its output.

use std::{env, fs::File, io::Write as _};

use super::{Context, Failure, Format, Outcome};
pub use crate::view::GateFormat;
use crate::{
    finding::{Finding, Severity},
    git::Repo,
    project::{Measure, Project},
    view::{Check, Gated, summary},
};

impl GateFormat {
    pub fn plain(self) -> Format {
        match self {
            Self::Json => Format::Json,
            _ => Format::Text,
        }
    }

    /// Returns true for formats that a CI reads from a file, rather than from the log of a job.
    pub fn is_document(self) -> bool {
        matches!(self, Self::Gitlab | Self::Sarif | Self::Junit)
    }
}

/// Prints a report; on GitHub, also adds the summary of the job.
pub fn show(context: &Context, repo: &Repo, report: &impl Gated, format: GateFormat) {
    if format == GateFormat::Markdown {
        context.print(&summary(report));
        return;
    }
    let Some(text) = report.gate().text(format) else {
        context.print(&context.render(repo, report, format.plain()));
        return;
    };
    if format != GateFormat::Github {
        context.print(&text);
        return;
    }
    context.print_as_is(&text);
    if let Err(error) = add_summary(report) {
        context.print_as_is(&format!(
            "::warning::could not write the job summary: {}\n",
            error.kind()
        ));
    }
}

fn add_summary(report: &impl Gated) -> std::io::Result<()> {
    let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    File::options().append(true).create(true).open(path)?.write_all(summary(report).as_bytes())
}

pub fn check(context: &Context, project: &Project, measure: &Measure) -> Result<Check, Failure> {
    let survey = project.snapshot(measure)?.survey;
    let facts = project.facts(survey, measure)?;
    let (place, places) = (project.place(), project.question_places());
    Ok(Check::new(place, places, facts, context.days()))
}

pub fn outcome(check: &Check) -> Outcome {
    Outcome::of(has_errors(&check.findings), &check.unknown)
}

pub fn has_errors<R>(findings: &[Finding<R>]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}
