use std::io::IsTerminal as _;

use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, complete, output::OutputArgs, progress::Progress,
};
use crate::view::page::{CommitUrl, report_page};

/// Write an HTML page about the answers, for people
///
/// One HTML file without scripts and requests: the verdict and what to do, the last 40 sessions, each question with
/// its answer and the cited lines then and now, and what waits for a person. The same log and commit give the same
/// bytes.
#[derive(Args)]
pub struct ReportArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Open the file in a browser, as `git help --web` would
    #[arg(long, requires = "output")]
    open: bool,
    /// Link commits to this address, such as `https://example.com/project/commit/{commit}`
    #[arg(long, value_name = "URL")]
    commit_url: Option<String>,
    /// Report on this commit instead of HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
    tip: Option<String>,
}

impl ReportArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let commits = CommitUrl::new(self.commit_url.as_deref()).map_err(|why| {
            let help = "write it as https://example.com/project/commit/{commit}";
            Failure::refused(format!("--commit-url: {why}"), help)
        })?;
        if self.output.output.is_none() && std::io::stdout().is_terminal() {
            return Err(Failure::refused(
                "the report is a page for a browser",
                "write it to a file: git sq report -o report.html",
            ));
        }
        let project = context.project_noted(self.tip.as_deref())?;
        let report = Progress::over("Tracing", |tell| project.report(tell))?;
        self.output.write(context, &report_page(&report, &commits))?;
        if let Some(file) = self.output.output.as_ref().filter(|_| self.open) {
            context.refuse_agents("git sq report --open")?;
            project.repo.browse(&context.dir.join(file))?;
        }
        Ok(Outcome::Clean)
    }
}
