use clap::Args;

use crate::{
    cli::{
        CommandResult, Context, Failure, OrRefuse as _, Outcome, PrintArgs, complete, given::LIST,
        progress::Progress,
    },
    evidence::rehearse,
    project::worktree_store,
    question::QuestionRef,
    view::QuestionTest,
};

/// Show how often `watch`, `lines` and the probe of a question would have fired in the past
///
/// The question is that of the worktree: try an edit before you commit it. Looks at the newest commits among HEAD's
/// first parents that change what the question depends on.
#[derive(Args)]
pub struct TestArgs {
    /// The question (q4 or q4@2)
    #[arg(value_name = "QUESTION", add = complete::questions())]
    question: QuestionRef,
    /// Look at N commits at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200)]
    max_count: usize,
    #[command(flatten)]
    print: PrintArgs,
}

impl TestArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let edited = worktree_store(&project.repo)?.map(|(_, _, set)| set);
        let set = match edited {
            Some(set) => set,
            None => project.questions()?.set.clone(),
        };
        let question = set.named(&self.question).or_refuse(LIST)?;
        if question.dependencies().is_empty() {
            return Err(Failure::refused(
                format!("{} has neither `watch` nor a built-in probe", question.name()),
                "without them, any commit counts as a change",
            ));
        }
        let rehearsal = Progress::over("Testing", |tell| {
            rehearse(&project.repo, project.tip, question, self.max_count, tell)
        })?;
        let test = QuestionTest::new(question, rehearsal);
        context.show(&project.repo, &test, self.print.format)?;
        Ok(Outcome::of(false, &test.unknown))
    }
}
