//! `git sq show`: one question's past, one commit's entries, or the latest entry.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CommandResult, Context, Failure, Format,
    log::{entries_text, log_entry, names, newest_first, note_unknown, unknown_texts},
    view::View,
};
use crate::{
    question::QuestionRef,
    report::{LogEntry, escape, json},
};

/// Show what was recorded: one question's past, or the entries of a commit
///
/// `git sq show q4` is for after re-deriving, to compare. Without a name: the latest entry.
#[derive(Args)]
pub struct ShowArgs {
    /// A question (q4, q4@2), or a commit
    name: Option<String>,
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    max_count: Option<usize>,
    /// Do not page
    #[arg(long)]
    no_pager: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What was recorded, as json.
#[derive(Serialize, JsonSchema)]
pub struct ShowDocument {
    /// The question that was asked for.
    pub question: Option<String>,
    /// Its wording, where the store has it.
    pub q: Option<String>,
    /// Newest first; of each, only what was asked for.
    pub entries: Vec<LogEntry>,
    /// Why there may be more than is shown.
    pub unknown: Vec<String>,
}

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let view = View::open(context, None)?;
        let question: Option<QuestionRef> = self.name.as_deref().and_then(|n| n.parse().ok());
        let (entries, unknown) = view.with_timeline(true, |timeline| {
            let entries = newest_first(timeline).map(log_entry).collect();
            (entries, unknown_texts(timeline))
        })?;
        let outcome = note_unknown(context, &unknown);
        let mut document = ShowDocument {
            question: None,
            q: None,
            entries,
            unknown,
        };
        match (&self.name, question) {
            (None, _) => document.entries.truncate(1),
            (Some(_), Some(question)) if is_known(&view, &document.entries, &question) => {
                document.q = view.store.set.resolve(&question).map(|q| q.text.clone());
                for entry in &mut document.entries {
                    entry.results.retain(|result| names(&question, result));
                }
                document.entries.retain(|entry| !entry.results.is_empty());
                document.question = Some(question.to_string());
            }
            (Some(name), _) => {
                let commit = view.repo.commit(name).map_err(|_| unknown_name(name))?;
                let commit = commit.to_string();
                document.entries.retain(|entry| entry.commit == commit);
            }
        }
        document
            .entries
            .truncate(self.max_count.unwrap_or(usize::MAX));
        if self.format == Format::Json {
            context.print(&json("sq.show/v1", document));
            return Ok(outcome);
        }
        let style = context.style(Some(&view.repo));
        let header = match (&document.question, &document.q) {
            (Some(name), Some(text)) => format!("{} {}\n\n", style.name(name), escape(text)),
            _ => String::new(),
        };
        let entries = match document.entries.as_slice() {
            [] => "Nothing was recorded.\n".to_owned(),
            entries => entries_text(entries, style),
        };
        context.page(&view.repo, !self.no_pager, &(header + &entries));
        Ok(outcome)
    }
}

fn is_known(view: &View, entries: &[LogEntry], question: &QuestionRef) -> bool {
    let mut recorded = entries.iter().flat_map(|entry| &entry.results);
    view.store.set.resolve(question).is_some() || recorded.any(|result| names(question, result))
}

fn unknown_name(name: &str) -> Failure {
    let what = match name.parse::<QuestionRef>() {
        Ok(_) => format!("there is no question {name}, neither in the store nor in the log"),
        Err(_) => format!("{name:?} is neither a question nor a commit"),
    };
    Failure::refused(what, "`git sq question list` names the questions")
}
