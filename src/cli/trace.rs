use clap::Args;

use super::{
    CommandResult, Context, Outcome, PrintArgs, complete, probed::probed, progress::Progress,
};
use crate::{
    evidence::{Trace, trace},
    git,
    project::Project,
    question::Probe,
    report::Traced,
};

/// Show at which commits a probe's answer changed, and by whom
///
/// Uses the question of the tip for all commits. Only commits that touch the files that the probe reads are examined.
#[derive(Args)]
pub struct TraceArgs {
    /// A question (q4 or q4@2) with a built-in probe
    #[arg(value_name = "QUESTION", add = complete::questions())]
    question: String,
    /// Trace back from this commit instead of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Trace every commit, not only first parents: an answer that no parent has counts as changed
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl TraceArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(self.tip.as_deref())?;
        let names = std::slice::from_ref(&self.question);
        let questions = probed(&project.questions()?.set, names, false)?;
        let mut outcome = Outcome::Clean;
        for (question, probe) in questions {
            let traced = Traced::new(question, self.trace(&project, probe)?);
            context.show(&project.repo, &traced, self.print.format);
            outcome = Outcome::of(false, &traced.unknown);
        }
        Ok(outcome)
    }

    fn trace(&self, project: &Project, probe: &Probe) -> git::Result<Trace> {
        let progress = Progress::new("Tracing");
        let tell = |done, of| progress.tell(done, of);
        trace(&project.repo, project.tip, probe, self.all, &tell)
    }
}
