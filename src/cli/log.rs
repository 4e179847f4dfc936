//! `git sq log`: entries, newest first.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CommandResult, Context, Format, PrintArgs};
use crate::{
    question::QuestionRef,
    report::{LogEntry, Style, entry_text, json},
    store::Row,
    timeline::Timeline,
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
    #[command(flatten)]
    print: PrintArgs,
}

/// The entries as json.
#[derive(Serialize, JsonSchema)]
pub struct LogDocument {
    /// Newest first.
    pub entries: Vec<LogEntry>,
    /// Why there may be more than is shown.
    pub unknown: Vec<String>,
}

impl LogDocument {
    pub const SCHEMA: &'static str = "sq.log/v1";
}

impl LogArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(self.tip.as_deref())?;
        let timeline = project.timeline(true)?;
        let unknown = unknown_texts(&timeline);
        let outcome = context.note_unknown(&unknown);
        let rows = newest_first(&timeline).filter(|row| self.is_wanted(&timeline, row));
        let entries = project
            .lines(&timeline.events, rows)
            .filter_map(|(row, line)| self.entry(&line, row, &timeline))
            .take(self.max_count.unwrap_or(usize::MAX));
        if self.print.format == Format::Json {
            let entries = entries.collect();
            context.print(&json(LogDocument::SCHEMA, LogDocument { entries, unknown }));
        } else {
            let style = context.style(Some(&project.repo));
            let mut texts = entry_texts(entries, style);
            context.page(&project.repo, !self.no_pager, &mut texts);
        }
        Ok(outcome)
    }

    /// Whether an entry may be shown, judged by the parsed log alone, without reading its note.
    fn is_wanted(&self, timeline: &Timeline, row: &Row) -> bool {
        let events = &timeline.events;
        let is_of_session = |sid: &str| events.sid(row) == sid;
        let mut answers = events.answers(row).iter();
        let is_narrowed = self.question.is_some() || self.deltas;
        self.session.as_deref().is_none_or(is_of_session)
            && (!is_narrowed
                || answers.any(|answer| {
                    let (id, version) = events.question(answer.question);
                    let names = |q: &QuestionRef| q.names(id, version);
                    self.question.as_ref().is_none_or(names) && (!self.deltas || answer.delta)
                }))
    }

    fn entry(&self, line: &[u8], row: &Row, timeline: &Timeline) -> Option<LogEntry> {
        let commit = timeline.events.anchor(row.anchor);
        let mut entry = LogEntry::of(line, commit, &timeline.mailmap)?;
        entry.results.retain(|result| {
            let names = |q: &QuestionRef| q.names(&result.q_id, result.q_version);
            self.question.as_ref().is_none_or(names) && (!self.deltas || result.delta)
        });
        Some(entry)
    }
}

/// What is unknown of a timeline, in words.
pub fn unknown_texts(timeline: &Timeline) -> Vec<String> {
    timeline.unknown.iter().map(ToString::to_string).collect()
}

/// The entries of a timeline, newest first.
pub fn newest_first(timeline: &Timeline) -> impl Iterator<Item = &Row> {
    let count = u32::try_from(timeline.entries.len()).unwrap_or(u32::MAX);
    (0..count).rev().map(|entry| timeline.row(entry))
}

/// Entries as `git log` shows commits, with a blank line between them.
pub fn entry_texts(
    entries: impl Iterator<Item = LogEntry>,
    style: Style,
) -> impl Iterator<Item = String> {
    entries.enumerate().map(move |(place, entry)| {
        let gap = if place == 0 { "" } else { "\n" };
        gap.to_owned() + &entry_text(&entry, style)
    })
}
