use std::cell::OnceCell;

use clap::{Args, ValueEnum};

use super::{CommandResult, Context, Failure, complete, kinds::KindArgs, writing::named};
use crate::{
    evidence::CitedRow,
    git::Oid,
    project::{Measure, Narrowed, Project, Snapshot},
    question::QuestionRef,
    store::{Held, Row},
    view::{DateMode, LogDocument, LogEntry, entry_line, entry_texts, json},
};

/// Show entries, newest first
///
/// Without revisions, shows what HEAD contains.
#[derive(Args)]
pub struct LogArgs {
    /// Show entries on these commits, as in `git log`: `main`, `main..topic`, `^v1`
    #[arg(add = complete::revisions())]
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
        let date =
            |text: &Option<String>| text.as_deref().map(|text| project.repo.date(text)).transpose();
        let kinds = |kind| self.kinds.has(kind);
        let commits = if self.revisions.is_empty() {
            None
        } else {
            Some(project.anchors_in(&*project.events()?, &self.revisions)?)
        };
        let narrowed = Narrowed {
            at_tip: !self.all && commits.is_none(),
            commits,
            kinds: &kinds,
            are_answers: self.kinds.are_answers(),
            question: self.question.as_ref(),
            deltas: self.deltas,
            session: named(self.session.as_deref(), &project)?,
            since: date(&self.since)?,
            until: date(&self.until)?,
        };
        let most = self.max_count.unwrap_or(usize::MAX);
        let found = project.entries(&narrowed, &snapshot, most)?;
        let entries = entries(&project, &snapshot, &narrowed, found).take(most);
        if self.format == LogFormat::Json {
            let entries = entries.collect();
            let unknown = snapshot.unknown.clone();
            context.print(&json(LogDocument::SCHEMA, LogDocument { entries, unknown }));
            return Ok(outcome);
        }
        let style = context.style(Some(&project.repo));
        let mut texts: Box<dyn Iterator<Item = String> + '_> = match self.format {
            LogFormat::Jsonl => Box::new(entries.map(|entry| json(LogDocument::LINES, entry))),
            _ if self.oneline => Box::new(entries.map(move |entry| entry_line(&entry, style))),
            _ => {
                let dates = context.dates(&project.repo, self.date);
                Box::new(entry_texts(entries, dates, style))
            }
        };
        let pages = !self.no_pager && self.format == LogFormat::Text;
        context.page(&project.repo, pages, &mut texts)?;
        Ok(outcome)
    }
}

fn entries<'p>(
    project: &'p Project,
    snapshot: &'p Snapshot,
    narrowed: &'p Narrowed,
    found: impl Iterator<Item = (Row, Oid, Vec<u8>)> + 'p,
) -> impl Iterator<Item = LogEntry> + 'p {
    let mailmap = project.mailmap();
    let set = project.questions_if_any().map(|store| &store.set);
    let judges = project.judges_drifts(&snapshot.events);
    let drifts = OnceCell::new();
    let held = Held::read(&project.repo).unwrap_or_default();
    found.filter_map(move |(row, commit, line)| {
        let mut entry =
            LogEntry::of(&row, &line, commit, &mailmap, set, |_, cite| CitedRow::from(cite))?;
        entry.place(&held);
        entry
            .results
            .retain(|result| narrowed.has_answer(&result.q_id, result.q_version, result.delta));
        if judges && !entry.results.is_empty() {
            let drifts = drifts.get_or_init(|| project.judged_drifts().ok()).as_ref();
            if let Some(drifts) = drifts {
                entry.tell(drifts);
            }
        }
        Some(entry)
    })
}
