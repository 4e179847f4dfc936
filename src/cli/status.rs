//! `git sq`: the status at a glance.

use clap::Args;

use super::{CommandResult, Context, Format, Outcome, view::View};
use crate::{
    metrics::{Rule, findings},
    report::{Status, json, status_text},
};

/// Options of `git sq` itself.
#[derive(Args)]
pub struct StatusArgs {
    /// How to print the status
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl StatusArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let view = View::open(context, None)?;
        let survey = view.survey(context)?;
        let found = findings(
            &survey,
            &view.store.set.settings,
            view.store.news,
            !view.unasked.is_empty(),
        );
        let names = |wanted: fn(&crate::metrics::Staleness) -> bool| -> Vec<String> {
            let rows = survey.staleness.iter().filter(|row| wanted(row));
            rows.map(|row| row.q_id.clone()).collect()
        };
        let status = Status {
            tip: view.tip.to_string(),
            branch: view.head.branch.clone(),
            sessions: survey.sessions,
            questions: survey.active_questions,
            stale: names(|row| row.flagged),
            never: names(|row| row.last_sid.is_none()),
            longest_run: survey.longest_run,
            alarm: found
                .iter()
                .any(|f| f.rule == Rule::QuietRun && f.severity == crate::finding::Severity::Error),
            last: survey.latest.first().cloned(),
            since: view.since(&survey)?,
            warnings: view.store_warning().into_iter().collect(),
            unknown: survey.unknown.clone(),
        };
        let text = match self.format {
            Format::Json => json("sq.status/v1", &status),
            Format::Text => {
                let style = context.style(Some(&view.repo));
                status_text(&status, &view.place(), context.now, style)
            }
        };
        context.print(&text);
        Ok(Outcome::Clean)
    }
}
