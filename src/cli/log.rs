//! `git sq log`: entries, newest first.

use std::{cell::OnceCell, sync::Arc};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    CommandResult, Context, Failure, Format, PrintArgs, complete, envelope::named, kinds::KindArgs,
};
use crate::{
    git::{Mailmap, Oid},
    project::{self, Measure, Project, Snapshot},
    question::QuestionRef,
    report::{DateMode, Dates, LogEntry, Style, entry_text, json},
    store::{Events, Row},
    timeline::Timeline,
};

/// Show entries, newest first
#[derive(Args)]
pub struct LogArgs {
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    max_count: Option<usize>,
    /// Show only answers to this question
    #[arg(short, long, value_name = "Q", add = complete::questions())]
    question: Option<QuestionRef>,
    #[command(flatten)]
    kinds: KindArgs,
    /// Show only entries of this session
    #[arg(short, long, value_name = "SID", add = complete::sessions())]
    session: Option<String>,
    /// Show only deltas
    #[arg(short, long)]
    deltas: bool,
    /// Start at this commit instead of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Date format, as in `git log`; defaults to `log.date`
    #[arg(long, value_name = "MODE")]
    date: Option<DateMode>,
    /// Do not use a pager
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
        let snapshot = project.snapshot(&Measure::default())?;
        let outcome = context.note_unknown(&snapshot.unknown);
        let session = named(self.session.as_deref(), &project)?;
        let session = session.as_deref();
        let failure = OnceCell::new();
        let entries: Box<dyn Iterator<Item = LogEntry> + '_> = if self.kinds.are_answers() {
            let newest = self.newest(&project, &snapshot, session);
            Box::new(newest.chain(self.older(&project, &snapshot, session, &failure)))
        } else {
            Box::new(self.of_kinds(&project, session)?)
        };
        let entries = entries.take(self.max_count.unwrap_or(usize::MAX));
        if self.print.format == Format::Json {
            let entries = entries.collect();
            if let Some(error) = failure.into_inner() {
                return Err(error.into());
            }
            let unknown = snapshot.unknown.clone();
            context.print(&json(LogDocument::SCHEMA, LogDocument { entries, unknown }));
        } else {
            let style = context.style(Some(&project.repo));
            let mut texts = entry_texts(entries, context.dates(&project.repo, self.date), style);
            context.page(&project.repo, !self.no_pager, &mut texts);
            drop(texts);
            if let Some(error) = failure.into_inner() {
                return Err(error.into());
            }
        }
        Ok(outcome)
    }

    fn newest<'p>(
        &'p self,
        project: &'p Project,
        snapshot: &'p Snapshot,
        session: Option<&'p str>,
    ) -> impl Iterator<Item = LogEntry> + 'p {
        let events = &snapshot.events;
        let rows = snapshot.newest_first();
        let rows = rows
            .filter(move |row| self.is_wanted(events, session, row))
            .copied();
        self.entries(project, events.clone(), rows)
    }

    /// The entries that the snapshot does not have; the log is not looked at before the first one is asked for. Why they
    /// can't be read is left in `failure`.
    fn older<'p>(
        &'p self,
        project: &'p Project,
        snapshot: &'p Snapshot,
        session: Option<&'p str>,
        failure: &'p OnceCell<project::Error>,
    ) -> impl Iterator<Item = LogEntry> + 'p {
        let known = snapshot.newest_first().count();
        let older = move || {
            if !snapshot.has_more {
                return None;
            }
            let timeline = match project.timeline() {
                Ok(timeline) => timeline,
                Err(error) => {
                    // It is asked for once.
                    let _ = failure.set(error);
                    return None;
                }
            };
            let events = timeline.events.clone();
            let rows = timeline.newest_first().skip(known);
            let wanted = rows
                .filter(|row| self.is_wanted(&events, session, row))
                .copied();
            let wanted: Vec<Row> = wanted.collect();
            Some(self.entries(project, events, wanted.into_iter()))
        };
        std::iter::once_with(older).flatten().flatten()
    }

    /// The entries of other kinds than answers, or of several.
    fn of_kinds<'p>(
        &'p self,
        project: &'p Project,
        session: Option<&str>,
    ) -> Result<impl Iterator<Item = LogEntry> + 'p, Failure> {
        let timeline = project.timeline()?;
        let events = timeline.events.clone();
        let rows = project.rows_of(&timeline, |kind| self.kinds.has(kind));
        let rows = rows.into_iter().rev();
        let wanted = rows.filter(|row| self.is_wanted(&events, session, row));
        let wanted: Vec<Row> = wanted.copied().collect();
        Ok(self.entries(project, events, wanted.into_iter()))
    }

    fn entries<'p>(
        &'p self,
        project: &'p Project,
        events: Arc<Events>,
        rows: impl Iterator<Item = Row> + 'p,
    ) -> impl Iterator<Item = LogEntry> + 'p {
        let lines = project.lines(events.clone(), rows);
        let mailmap = project.repo.mailmap();
        lines.filter_map(move |(row, line)| self.entry(&line, events.anchor(row.anchor), &mailmap))
    }

    /// Whether an entry may be shown, judged by the parsed log alone, without reading its note.
    fn is_wanted(&self, events: &Events, session: Option<&str>, row: &Row) -> bool {
        let is_of_session = |sid: &str| events.sid(row) == sid;
        let mut answers = events.answers(row).iter();
        let is_narrowed = self.question.is_some() || self.deltas;
        session.is_none_or(is_of_session)
            && (!is_narrowed
                || answers.any(|answer| {
                    let (id, version) = events.question(answer.question);
                    let names = |q: &QuestionRef| q.names(id, version);
                    self.question.as_ref().is_none_or(names) && (!self.deltas || answer.delta)
                }))
    }

    fn entry(&self, line: &[u8], commit: Oid, mailmap: &Mailmap) -> Option<LogEntry> {
        let mut entry = LogEntry::of(line, commit, mailmap)?;
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

/// Entries as `git log` shows commits, with a blank line between them.
pub fn entry_texts(
    entries: impl Iterator<Item = LogEntry>,
    dates: Dates,
    style: Style,
) -> impl Iterator<Item = String> {
    entries.enumerate().map(move |(place, entry)| {
        let gap = if place == 0 { "" } else { "\n" };
        gap.to_owned() + &entry_text(&entry, &dates, style)
    })
}
