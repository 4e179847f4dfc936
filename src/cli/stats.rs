use clap::Args;

use super::{CommandResult, Context, Outcome, PrintArgs, writing::Speaker};

/// Show what the sessions found, what became of it, and what it cost
///
/// Built-in probes are run to measure their time. Drifts are counted by how they were settled, see `git sq triage`.
#[derive(Args)]
pub struct StatsArgs {
    /// Count sessions since this date, as in `git log`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl StatsArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let since = self.since.as_deref().map(|text| project.repo.date(text));
        let mut stats = project.stats(since.transpose()?)?;
        let reader = Speaker::of(context, &project.repo, None)
            .and_then(|speaker| speaker.reader(&project.repo));
        let brief = reader.ok().and_then(|reader| project.brief(reader).ok());
        stats.brief = brief.map(|brief| brief.markdown().chars().count());
        context.show(&project.repo, &stats, self.print.format);
        Ok(Outcome::of(false, &stats.unknown))
    }
}
