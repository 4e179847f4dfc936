use std::iter;

use clap::{ArgGroup, Args};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs, complete,
    given::{GivenProbe, probed, require_built_in},
    progress::Progress,
};
use crate::{
    evidence::{Trace, trace},
    git,
    project::Project,
    question::Probe,
    quote,
    view::{Traced, joined},
};

/// Show at which commits a probe's answer changed, and by whom
///
/// Needs no question store: the probe may be given here. Uses one probe for all commits, and examines those that touch
/// the files that it reads.
#[derive(Args)]
#[command(group = ArgGroup::new("traced").required(true).args(["question", "probe", "agree"]))]
pub struct TraceArgs {
    /// A question (q4 or q4@2) with a built-in probe
    #[arg(value_name = "QUESTION", add = complete::questions())]
    question: Option<String>,
    /// What is given without `--agree`, so that it can be named
    #[arg(hide = true)]
    places: Vec<String>,
    #[command(flatten)]
    given: GivenProbe,
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
        self.require_one_question()?;
        let project = context.project(self.tip.as_deref())?;
        let given = self.given.read(context, &project.repo)?;
        let traced = if let Some(probe) = given {
            require_built_in(&probe)?;
            let trace = self.trace(&project, &probe)?;
            if let Some(why) = trace.never_found() {
                return Err(Failure::refused(
                    format!("the probe finds nothing at any commit: {why}"),
                    "check the file, and the pointer or the pattern",
                ));
            }
            let mut traced = Traced::new(None, &probe, trace);
            if !traced.is_gone() {
                traced.keep(&self.given.words(), project.questions().is_ok());
            }
            traced
        } else {
            let questions = &project.questions()?.set;
            let (question, probe) = probed(questions, self.question.as_slice(), false)?[0];
            Traced::new(Some(question), probe, self.trace(&project, probe)?)
        };
        context.show(&project.repo, &traced, self.print.format)?;
        Ok(Outcome::of(false, &traced.unknown))
    }

    fn require_one_question(&self) -> Result<(), Failure> {
        let Some(question) = &self.question else {
            return Ok(());
        };
        if self.places.is_empty() && !question.contains(':') {
            return Ok(());
        }
        let places = iter::once(question).chain(&self.places).map(|place| quote::word(place));
        let other = if self.places.is_empty() { " FILE:PATTERN" } else { "" };
        let compare = format!(
            "`git sq trace --agree {}{other}` compares places, each FILE:PATTERN or FILE:/POINTER",
            joined(places, " ")
        );
        Err(Failure::refused(
            "one question is traced at a time, and places are named by --agree",
            compare,
        ))
    }

    fn trace(&self, project: &Project, probe: &Probe) -> git::Result<Trace> {
        Progress::over("Tracing", |tell| trace(&project.repo, project.tip, probe, self.all, tell))
    }
}
