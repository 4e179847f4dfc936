use clap::{ArgGroup, Args};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs, complete,
    given::{Given, GivenProbe, probed, require_built_in},
    progress::Progress,
};
use crate::{
    evidence::{Trace, trace},
    git,
    project::Project,
    question::{Probe, QuestionRef},
    view::Traced,
};

/// Show at which commits a probe's answer changed, and by whom
///
/// Needs no question store: two places may be given, as in `git sq trace 'README.md:version (\S+)'
/// Cargo.toml:/package/version`. Uses one probe for all commits that touch the files that it reads.
#[derive(Args)]
#[command(group = ArgGroup::new("traced").required(true).args(["named", "probe", "agree"]))]
pub struct TraceArgs {
    /// A question (q4 or q4@2) with a built-in probe; or two places or more, as after `--agree`
    #[arg(value_name = "QUESTION|PLACE", add = complete::questions())]
    named: Vec<String>,
    #[command(flatten)]
    given: GivenProbe,
    /// Trace back from this commit instead of HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
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
        let (question, places) = match self.named.as_slice() {
            [name] if name.parse::<QuestionRef>().is_err() => {
                return Err(Failure::refused(
                    format!("{name:?} is no question, and one place has nothing to agree with"),
                    "name a question, as in q4, or two places, as in README.md:'version (\\S+)' Cargo.toml:/package/version",
                ));
            }
            [_] => (self.named.as_slice(), &[][..]),
            places => (&[][..], places),
        };
        let given = self.given.read(context, &project.repo, Some(project.tip), places)?;
        let traced = if let Some(Given { probe, words, warnings }) = given {
            require_built_in(&probe)?;
            let trace = self.trace(&project, &probe)?;
            if let Some(why) = trace.never_found() {
                return Err(Failure::refused(
                    format!("the probe finds nothing at any commit: {why}"),
                    "check the file, and the pointer or the pattern",
                ));
            }
            let mut traced = Traced::new(None, &probe, trace);
            traced.warnings = warnings;
            if !traced.is_gone() {
                traced.keep(&words, project.questions().is_ok());
            }
            traced
        } else {
            let questions = &project.questions()?.set;
            let (question, probe) = probed(questions, question, false)?[0];
            Traced::new(Some(question), probe, self.trace(&project, probe)?)
        };
        context.show(&project.repo, &traced, self.print.format)?;
        Ok(Outcome::of(false, &traced.unknown))
    }

    fn trace(&self, project: &Project, probe: &Probe) -> git::Result<Trace> {
        Progress::over("Tracing", |tell| trace(&project.repo, project.tip, probe, self.all, tell))
    }
}
