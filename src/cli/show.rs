//! `git sq show`: one question's past, one commit's entries, or the latest entry.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    AgentFormat, AgentPrintArgs, CommandResult, Context, Failure, complete,
    log::{entry_texts, unknown_texts},
};
use crate::{
    question::QuestionRef,
    report::{DateMode, LogEntry, LogResult, entries_markdown, escape, json},
    store::{Events, Row},
};

/// Show what was recorded about a question or on a commit
///
/// Without a name, shows the latest entry. Look at a question's earlier answers only after deriving it anew.
#[derive(Args)]
pub struct ShowArgs {
    /// A question (q4 or q4@2) or a commit
    #[arg(add = complete::questions())]
    name: Option<String>,
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    max_count: Option<usize>,
    /// Date format, as in `git log`; defaults to `log.date`
    #[arg(long, value_name = "MODE")]
    date: Option<DateMode>,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    #[command(flatten)]
    print: AgentPrintArgs,
}

/// How many entries are read for an agent: more never fit.
const FOR_AGENTS: usize = 100;

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

impl ShowDocument {
    pub const SCHEMA: &'static str = "sq.show/v1";
}

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let timeline = project.timeline()?;
        let events = &timeline.events;
        let unknown = unknown_texts(&timeline);
        let outcome = context.note_unknown(&unknown);
        let question: Option<QuestionRef> = self.name.as_deref().and_then(|n| n.parse().ok());
        let question = question.filter(|question| {
            let set = &timeline.questions;
            set.resolve(question).is_some() || events.has_answers_to(|id, v| question.names(id, v))
        });
        let commit = match (&self.name, &question) {
            (Some(name), None) => Some(project.repo.commit(name).map_err(|_| unknown_name(name))?),
            _ => None,
        };
        let is_wanted = |row: &&Row| {
            commit.is_none_or(|commit| events.anchor(row.anchor) == commit)
                && question.as_ref().is_none_or(|q| answers(events, row, q))
        };
        let all = if self.name.is_none() { 1 } else { usize::MAX };
        let most = self.max_count.map_or(all, |most| most.min(all));
        let rows = timeline.newest_first().filter(is_wanted).take(most);
        let rows: Vec<Row> = rows.copied().collect();
        let found = rows.len();
        let lines = project.lines(events.clone(), rows.into_iter());
        let mailmap = project.repo.mailmap();
        let entries = lines.filter_map(|(row, line)| {
            let mut entry = LogEntry::of(&line, events.anchor(row.anchor), &mailmap)?;
            let is_asked = |result: &LogResult| {
                let named = question.as_ref();
                named.is_none_or(|q| q.names(&result.q_id, result.q_version))
            };
            entry.results.retain(is_asked);
            Some(entry)
        });
        let named = question.as_ref();
        let wording = named.and_then(|name| timeline.questions.resolve(name));
        let wording = wording.map(|question| question.text.clone());
        if self.print.format == AgentFormat::Json {
            let document = ShowDocument {
                question: named.map(ToString::to_string),
                q: wording,
                entries: entries.collect(),
                unknown,
            };
            context.print(&json(ShowDocument::SCHEMA, document));
            return Ok(outcome);
        }
        let dates = context.dates(&project.repo, self.date);
        if self.print.format == AgentFormat::Markdown {
            let entries: Vec<LogEntry> = entries.take(FOR_AGENTS).collect();
            let commit = commit.map(|id| id.to_string());
            let name = named.map(ToString::to_string).or(commit);
            let (name, more) = (name.as_deref(), found - entries.len());
            context.print(&entries_markdown(
                name,
                wording.as_deref(),
                &entries,
                more,
                &dates,
            ));
            return Ok(outcome);
        }
        let style = context.style(Some(&project.repo));
        let header = named
            .zip(wording)
            .map(|(name, text)| format!("{} {}\n\n", style.name(&name.to_string()), escape(&text)));
        let mut texts = entry_texts(entries, dates, style).peekable();
        let is_empty = texts.peek().is_none();
        let none = is_empty.then(|| "No entries found.\n".to_owned());
        let mut texts = header.into_iter().chain(none).chain(texts);
        context.page(&project.repo, !self.no_pager, &mut texts);
        Ok(outcome)
    }
}

/// Whether an entry answers a question.
fn answers(events: &Events, row: &Row, question: &QuestionRef) -> bool {
    let mut answers = events.answers(row).iter();
    answers.any(|answer| {
        let (id, version) = events.question(answer.question);
        question.names(id, version)
    })
}

fn unknown_name(name: &str) -> Failure {
    let what = match name.parse::<QuestionRef>() {
        Ok(_) => format!("there is no question {name} in the store or the log"),
        Err(_) => format!("{name:?} is neither a question nor a commit"),
    };
    Failure::refused(what, "`git sq question list` lists the questions")
}
