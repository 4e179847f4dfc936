//! `git sq probe`: runs the built-in probes.

use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, complete};
use crate::{
    evidence::Prober,
    question::{Probe, Question, QuestionRef, QuestionSet},
    report::{ProbeAnswer, Probes},
};

/// Run the built-in probes of questions, and show what they find
///
/// They read the objects of one commit: no checkout is needed, nothing of the repository is executed, and nothing is
/// recorded. The questions are those of HEAD, also where another commit is looked at.
#[derive(Args)]
pub struct ProbeArgs {
    /// Questions (q4 or q4@2); defaults to all that have a built-in probe
    #[arg(value_name = "QUESTION", add = complete::questions())]
    questions: Vec<String>,
    /// The commit to look at; defaults to HEAD
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl ProbeArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let store = project.questions()?;
        let questions = probed(&store.set, &self.questions)?;
        let at = self.at.as_deref().map(|at| project.repo.commit(at));
        let commit = at.transpose()?.unwrap_or(project.tip);
        let here = Prober::new(&project.repo, commit);
        let mut found = Probes {
            commit: commit.to_string(),
            answers: Vec::new(),
            warnings: store.warning().into_iter().collect(),
            unknown: Vec::new(),
        };
        for (question, probe) in questions {
            match here.run(commit, probe) {
                Ok(derived) => found.answers.push(ProbeAnswer::new(question, derived)),
                Err(error) => {
                    let name = question.name();
                    found.unknown.push(format!("{name}: {error}"));
                }
            }
        }
        context.show(&project.repo, &found, self.print.format);
        Ok(Outcome::of(false, &found.unknown))
    }
}

/// The questions that are named, else all that are asked and have a built-in probe, each with its probe.
pub fn probed<'s>(
    set: &'s QuestionSet,
    names: &[String],
) -> Result<Vec<(&'s Question, &'s Probe)>, Failure> {
    let with_probe = |question: &'s Question| {
        let probe = question.probe.as_ref();
        Some((question, probe.filter(|probe| probe.is_built_in())?))
    };
    let wanted = names.iter().map(|name| {
        let reference: QuestionRef = name
            .parse()
            .map_err(|reason: String| Failure::refused(reason, LIST))?;
        let question = set.resolve(&reference);
        let question = question.ok_or_else(|| {
            Failure::refused(
                format!("there is no question {reference} in the store"),
                LIST,
            )
        })?;
        with_probe(question).ok_or_else(|| {
            let what = format!("{reference} has no built-in probe");
            Failure::refused(what, "see docs/evidence.md for what a `probe` can be")
        })
    });
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    if !wanted.is_empty() {
        return Ok(wanted);
    }
    let all = set.questions.iter().filter(|one| one.status.is_asked());
    Ok(all.filter_map(with_probe).collect())
}

const LIST: &str = "`git sq question list` lists the questions";
