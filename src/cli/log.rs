//! `git sq log`: entries, newest first.

use std::{cell::OnceCell, sync::Arc};

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CommandResult, Context, Failure, complete, envelope::named, kinds::KindArgs};
use crate::{
    evidence::CitedRow,
    git::{Mailmap, Oid},
    project::{self, Measure, Project, Snapshot, rows_anywhere},
    question::QuestionRef,
    report::{DateMode, Dates, LogEntry, Style, entry_line, entry_text, json},
    store::{Events, Row},
    timeline::Timeline,
};

/// Show entries, newest first
///
/// Without revisions, shows what HEAD contains.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub struct LogArgs {
    /// Show entries on these commits, as in `git log`: `main`, `main..topic`, `^v1`
    revisions: Vec<String>,
    /// Show the whole log, also what HEAD does not contain
    #[arg(long, conflicts_with = "revisions")]
    all: bool,
    /// Show entries since this date, as in `git log`
    #[arg(long, visible_alias = "after", value_name = "DATE")]
    since: Option<String>,
    /// Show entries up to this date
    #[arg(long, visible_alias = "before", value_name = "DATE")]
    until: Option<String>,
    /// Show at most N entries
    #[arg(short = 'n', long, value_name = "N")]
    max_count: Option<usize>,
    /// Show only answers to this question
    #[arg(short, long, value_name = "Q", add = complete::questions())]
    question: Option<QuestionRef>,
    #[command(flatten)]
    kinds: KindArgs,
    /// Show only entries of this session
    #[arg(short, long, visible_alias = "sid", value_name = "SID", add = complete::sessions())]
    session: Option<String>,
    /// Show only deltas
    #[arg(short, long)]
    deltas: bool,
    /// Show an entry on one line
    #[arg(long)]
    oneline: bool,
    /// Date format, as in `git log`; defaults to `log.date`
    #[arg(long, value_name = "MODE")]
    date: Option<DateMode>,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    /// Output format; jsonl has an entry on each line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LogFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
    Jsonl,
}

/// What entries are narrowed to, besides questions.
struct Narrowed {
    session: Option<String>,
    /// Seconds since 1970.
    since: Option<i64>,
    until: Option<i64>,
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
        let project = context.project(None)?;
        if let Some(question) = &self.question
            && !project.knows(question)?
        {
            return Err(Failure::refused(
                format!("there is no question {question} in the store or the log"),
                "`git sq question list` lists the questions",
            ));
        }
        let snapshot = project.snapshot(&Measure::default())?;
        let outcome = context.note_unknown(&snapshot.unknown);
        let date = |text: &Option<String>| {
            text.as_deref()
                .map(|text| project.repo.date(text))
                .transpose()
        };
        let narrowed = Narrowed {
            session: named(self.session.as_deref(), &project)?,
            since: date(&self.since)?,
            until: date(&self.until)?,
        };
        let failure = OnceCell::new();
        let entries: Box<dyn Iterator<Item = LogEntry> + '_> =
            if self.all || !self.revisions.is_empty() {
                Box::new(self.anywhere(&project, &narrowed)?)
            } else if self.kinds.are_answers() {
                let newest = self.newest(&project, &snapshot, &narrowed);
                Box::new(newest.chain(self.older(&project, &snapshot, &narrowed, &failure)))
            } else {
                Box::new(self.of_kinds(&project, &narrowed)?)
            };
        let entries = entries.take(self.max_count.unwrap_or(usize::MAX));
        if self.format == LogFormat::Json {
            let entries = entries.collect();
            if let Some(error) = failure.into_inner() {
                return Err(error.into());
            }
            let unknown = snapshot.unknown.clone();
            context.print(&json(LogDocument::SCHEMA, LogDocument { entries, unknown }));
            return Ok(outcome);
        }
        let style = context.style(Some(&project.repo));
        let mut texts: Box<dyn Iterator<Item = String> + '_> = match self.format {
            LogFormat::Jsonl => Box::new(entries.map(|entry| json(LogDocument::SCHEMA, entry))),
            _ if self.oneline => Box::new(entries.map(move |entry| entry_line(&entry, style))),
            _ => {
                let dates = context.dates(&project.repo, self.date);
                Box::new(entry_texts(entries, dates, style))
            }
        };
        let pages = !self.no_pager && self.format == LogFormat::Text;
        context.page(&project.repo, pages, &mut texts);
        drop(texts);
        failure
            .into_inner()
            .map_or(Ok(outcome), |error| Err(error.into()))
    }

    /// The entries on commits that the tip need not contain.
    fn anywhere<'p>(
        &'p self,
        project: &'p Project,
        narrowed: &Narrowed,
    ) -> Result<impl Iterator<Item = LogEntry> + 'p, Failure> {
        let events = project.events()?;
        let anchors = if self.all {
            None
        } else {
            Some(project.anchors_in(&events, &self.revisions)?)
        };
        let is_there = |row: &Row| {
            let anchors = anchors.as_ref();
            anchors.is_none_or(|anchors| anchors.contains(&events.anchor(row.anchor)))
        };
        let rows = rows_anywhere(&events, |row| {
            self.kinds.has(row.kind) && is_there(row) && self.is_wanted(&events, narrowed, row)
        });
        let rows: Vec<Row> = rows.into_iter().copied().collect();
        Ok(self.entries(project, events.clone(), rows.into_iter()))
    }

    fn newest<'p>(
        &'p self,
        project: &'p Project,
        snapshot: &'p Snapshot,
        narrowed: &'p Narrowed,
    ) -> impl Iterator<Item = LogEntry> + 'p {
        let events = &snapshot.events;
        let rows = snapshot.newest_first();
        let rows = rows
            .filter(move |row| self.is_wanted(events, narrowed, row))
            .copied();
        self.entries(project, events.clone(), rows)
    }

    /// The entries that the snapshot does not have; the log is not looked at before the first one is asked for. Why they
    /// can't be read is left in `failure`.
    fn older<'p>(
        &'p self,
        project: &'p Project,
        snapshot: &'p Snapshot,
        narrowed: &'p Narrowed,
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
                .filter(|row| self.is_wanted(&events, narrowed, row))
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
        narrowed: &Narrowed,
    ) -> Result<impl Iterator<Item = LogEntry> + 'p, Failure> {
        let timeline = project.timeline()?;
        let events = timeline.events.clone();
        let rows = project.rows_of(&timeline, |kind| self.kinds.has(kind));
        let rows = rows.into_iter().rev();
        let wanted = rows.filter(|row| self.is_wanted(&events, narrowed, row));
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
        let judges = project.judges_drifts(&events);
        let drifts = OnceCell::new();
        lines.filter_map(move |(row, line)| {
            let mut entry = self.entry(&row, &line, events.anchor(row.anchor), &mailmap)?;
            if judges && !entry.results.is_empty() {
                let drifts = drifts.get_or_init(|| project.drifts().ok()).as_ref();
                if let Some(drifts) = drifts {
                    entry.tell(drifts);
                }
            }
            Some(entry)
        })
    }

    /// Whether an entry may be shown, judged by the parsed log alone, without reading its note.
    fn is_wanted(&self, events: &Events, narrowed: &Narrowed, row: &Row) -> bool {
        let session = narrowed.session.as_deref();
        let is_of_session = |sid: &str| events.sid(row) == sid;
        let is_in_time = || {
            let second = events.ts(row).as_millis().div_euclid(1000);
            narrowed.since.is_none_or(|since| since <= second)
                && narrowed.until.is_none_or(|until| second <= until)
        };
        let is_timed = narrowed.since.is_some() || narrowed.until.is_some();
        let mut answers = events.answers(row).iter();
        let is_narrowed = self.question.is_some() || self.deltas;
        session.is_none_or(is_of_session)
            && (!is_timed || is_in_time())
            && (!is_narrowed
                || answers.any(|answer| {
                    let (id, version) = events.question(answer.question);
                    let names = |q: &QuestionRef| q.names(id, version);
                    self.question.as_ref().is_none_or(names) && (!self.deltas || answer.delta)
                }))
    }

    fn entry(&self, row: &Row, line: &[u8], commit: Oid, mailmap: &Mailmap) -> Option<LogEntry> {
        let mut entry = LogEntry::of(row, line, commit, mailmap, |cite| CitedRow::from(cite))?;
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
