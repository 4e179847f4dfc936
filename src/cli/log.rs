//! `git sq log`: entries, newest first.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CommandResult, Context, Format, Outcome, view::View};
use crate::{
    question::QuestionRef,
    report::{LogEntry, LogResult, Style, entry_text, escape, json},
    timeline::{PlacedEntry, Timeline},
};

/// Show entries, newest first
#[derive(Args)]
pub struct LogArgs {
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    max_count: Option<usize>,
    /// Only entries that answer this question, and only that answer
    #[arg(short, long, value_name = "Q")]
    question: Option<QuestionRef>,
    /// Only entries of this session
    #[arg(short, long, value_name = "SID")]
    session: Option<String>,
    /// Only entries with a delta, and only the deltas
    #[arg(short, long)]
    deltas: bool,
    /// Begin at this commit, in place of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Do not page
    #[arg(long)]
    no_pager: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The entries as json.
#[derive(Serialize, JsonSchema)]
pub struct LogDocument {
    /// Newest first.
    pub entries: Vec<LogEntry>,
    /// Why there may be more than is shown.
    pub unknown: Vec<String>,
}

impl LogArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let view = View::open(context, self.tip.as_deref())?;
        let (entries, unknown) = view.with_timeline(true, |timeline| {
            let entries: Vec<LogEntry> = newest_first(timeline)
                .filter_map(|placed| self.filter(placed))
                .take(self.max_count.unwrap_or(usize::MAX))
                .collect();
            (entries, unknown_texts(timeline))
        })?;
        let outcome = note_unknown(context, &unknown);
        if self.format == Format::Json {
            context.print(&json("sq.log/v1", LogDocument { entries, unknown }));
        } else {
            let text = entries_text(&entries, context.style(Some(&view.repo)));
            context.page(&view.repo, !self.no_pager, &text);
        }
        Ok(outcome)
    }

    fn filter(&self, placed: &PlacedEntry) -> Option<LogEntry> {
        let session = self.session.as_deref();
        if session.is_some_and(|session| session != placed.entry.sid) {
            return None;
        }
        let mut entry = log_entry(placed);
        let narrowed = self.question.is_some() || self.deltas;
        entry.results.retain(|result| {
            let wanted = self.question.as_ref().is_none_or(|q| names(q, result));
            wanted && (!self.deltas || result.delta)
        });
        (!narrowed || !entry.results.is_empty()).then_some(entry)
    }
}

/// What is unknown of a timeline, in words.
pub fn unknown_texts(timeline: &Timeline) -> Vec<String> {
    timeline.unknown.iter().map(ToString::to_string).collect()
}

/// Says beside the output what is unknown, and gives the outcome that follows.
pub fn note_unknown(context: &Context, unknown: &[String]) -> Outcome {
    for unknown in unknown {
        context.note(&format!("unknown: {}\n", escape(unknown)));
    }
    if unknown.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Unknown
    }
}

/// Whether `question` names the question that was answered.
pub fn names(question: &QuestionRef, result: &LogResult) -> bool {
    question.id == result.q_id && question.version.is_none_or(|v| v == result.q_version)
}

/// The entries of a timeline, newest first.
pub fn newest_first<'t, 'l>(
    timeline: &'t Timeline<'l>,
) -> impl Iterator<Item = &'t PlacedEntry<'l>> {
    timeline.entries.iter().rev()
}

/// An entry for showing.
pub fn log_entry(placed: &PlacedEntry) -> LogEntry {
    let entry = &placed.entry;
    let text = |text: &Option<std::borrow::Cow<str>>| text.as_deref().map(str::to_owned);
    LogEntry {
        commit: placed.anchor.to_string(),
        head: entry.head.to_string(),
        id: text(&entry.id),
        sid: entry.sid.to_string(),
        ts: entry.ts.to_string(),
        agent: text(&entry.agent),
        writer: text(&entry.writer),
        branch: text(&entry.branch),
        dirty: entry.dirty,
        imported: entry.imported,
        results: entry
            .results
            .iter()
            .map(|result| LogResult {
                q_id: result.q_id.to_string(),
                q_version: result.q_version,
                delta: result.delta,
                note: text(&result.note),
            })
            .collect(),
    }
}

/// Entries as `git log` shows commits.
pub fn entries_text(entries: &[LogEntry], style: Style) -> String {
    let texts: Vec<String> = entries
        .iter()
        .map(|entry| entry_text(entry, style))
        .collect();
    texts.join("\n")
}
