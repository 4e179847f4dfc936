use clap::{Args, ValueEnum};

use super::{CommandResult, Context, Failure, Outcome, output::OutputArgs, writing::Speaker};
use crate::{
    metrics::Stats,
    view::{Exported, Output as _, json, openmetrics},
};

/// Show what the sessions found, what became of it, and what it cost
///
/// Runs built-in probes to measure their time. With `--format openmetrics`, prints the figures of `git sq check` as
/// gauges.
#[derive(Args)]
pub struct StatsArgs {
    /// Count sessions since this date, as in `git log`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Output format; openmetrics is meant for Prometheus
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: StatsFormat,
    #[command(flatten)]
    metrics: MetricsArgs,
    /// The `repository` label of metrics; defaults to the name of the folder
    #[arg(long, value_name = "NAME")]
    repository: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Options of metrics.
#[derive(Args)]
pub struct MetricsArgs {
    /// Give metrics about questions one sample a question, with a `question` label
    #[arg(long)]
    pub by_question: bool,
}

impl MetricsArgs {
    /// Refuses what the other formats would ignore.
    pub fn refuse(&self) -> Result<(), Failure> {
        let reasons = self.by_question.then(|| "--by-question is for metrics".to_owned());
        Failure::check(reasons.into_iter().collect(), "add `--format openmetrics`")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatsFormat {
    Text,
    Json,
    Openmetrics,
}

impl StatsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if self.format == StatsFormat::Openmetrics {
            return self.export(context);
        }
        self.metrics.refuse()?;
        let project = context.project_noted(None)?;
        let since = self.since.as_deref().map(|text| project.repo.date(text));
        let mut stats = project.stats(since.transpose()?)?;
        let reader = Speaker::of(context, &project.repo, None)
            .and_then(|speaker| speaker.reader(&project.repo));
        let brief = reader.ok().and_then(|reader| project.brief(reader).ok());
        stats.brief = brief.map(|brief| brief.markdown().chars().count());
        let text = match self.format {
            StatsFormat::Json => json(Stats::SCHEMA, &stats),
            _ => stats.text(self.output.style(context, Some(&project.repo))),
        };
        self.output.write(context, &text)?;
        Ok(Outcome::of(false, &stats.unknown))
    }

    fn export(&self, context: &Context) -> CommandResult {
        if self.since.is_some() {
            return Err(Failure::refused(
                "metrics count all sessions",
                "leave out --since, and compare times in Prometheus",
            ));
        }
        let project = context.project_noted(None)?;
        let figures = project.figures()?;
        let name = self.repository.clone();
        let exported = Exported {
            repository: &name.unwrap_or_else(|| project.repo.name()),
            is_readable: true,
            figures: Some(&figures),
        };
        let text = openmetrics(&[exported], self.metrics.by_question);
        self.output.write(context, &text)?;
        Ok(Outcome::of(false, &figures.unknown))
    }
}
