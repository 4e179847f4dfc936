use clap::Args;

use crate::{
    cli::{CommandResult, Context, Failure, OrRefuse as _, PrintArgs, complete},
    project::FoundStore,
    question::QuestionRef,
    view::{DateMode, QuestionHistory, QuestionRow},
};

const LIST_ALL: &str = "`git sq question list --all` lists the questions";

/// Show how a question came to its wording
///
/// Its versions, then the commits among HEAD's first parents that changed them, newest first.
#[derive(Args)]
pub struct HistoryArgs {
    /// The question (q4)
    #[arg(add = complete::questions())]
    id: String,
    /// Date format, as in `git log`; defaults to `log.date`
    #[arg(long, value_name = "MODE")]
    date: Option<DateMode>,
    #[command(flatten)]
    print: PrintArgs,
}

impl HistoryArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let QuestionRef { id, .. } = &self.id.parse().or_refuse(LIST_ALL)?;
        let (changes, unknown) = project.question_history(id)?;
        let store = project.questions_if_any();
        let versions: Vec<QuestionRow> = store
            .iter()
            .flat_map(|store| &store.set.questions)
            .filter(|question| question.id == *id)
            .map(QuestionRow::of)
            .collect();
        if versions.is_empty() && changes.is_empty() {
            let guess = store.map_or_else(String::new, |store| store.set.guess(id));
            return Err(Failure::refused(
                format!("there is no question {id} in the store or its history{guess}"),
                LIST_ALL,
            ));
        }
        let history = QuestionHistory {
            versions,
            trials: project.trials(id)?,
            changes,
            warnings: store.and_then(FoundStore::warning).into_iter().collect(),
            dates: context.dates(&project.repo, self.date),
        };
        context.show(&project.repo, &history, self.print.format)?;
        Ok(context.note_unknown(&unknown))
    }
}
