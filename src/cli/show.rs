mod path;

use clap::Args;

use super::{AgentFormat, AgentPrintArgs, CommandResult, Context, complete};
use crate::{
    entry::{Answer, Citation, Kind},
    evidence::Cites,
    project::Found,
    session::compare_transcript,
    store::Held,
    view::{
        DateMode, LogEntry, ShowDocument, built_on_text, entries_markdown, entry_texts, json,
        question_header, standing_text, transcript_text,
    },
};

/// Show the record of a question, commit, session, entry or file
///
/// Without a name, shows the latest answers. For a path, shows the questions that watch that file, folder or line, and
/// the answers, states and tensions that cite it. Includes entries of every kind, and those on commits that HEAD does
/// not contain. Derive an answer anew before you look at earlier ones.
#[derive(Args)]
pub struct ShowArgs {
    /// A question (q4 or q4@2), an entry's id, a session, a commit or a path, such as `src/lib.rs:12-20`
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

/// Entries that are read for an agent at most; its output never holds more.
const FOR_AGENTS: usize = 100;

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project_noted(None)?;
        let timeline = project.timeline()?;
        let events = &timeline.events;
        let unknown = timeline.unknown_texts();
        let outcome = context.note_unknown(&unknown);
        let mut found = None;
        if let Some(name) = self.name.as_deref() {
            found = project.find(name)?;
            if found.is_none() {
                return path::show(context, &project, &timeline, name, self.print.format);
            }
        }
        let question = match &found {
            Some(Found::Question(question)) => Some(question),
            _ => None,
        };
        let mut rows = project.entries_of(found.as_ref(), &timeline);
        rows.truncate(self.max_count.unwrap_or(usize::MAX));
        let count = rows.len();
        let newest = rows.iter().find(|row| row.is(Kind::Rederive));
        let newest = newest.map(|row| events.reference(row));
        let lines = project.lines(events.clone(), &rows);
        let mailmap = project.mailmap();
        let set = project.questions_if_any().map(|store| &store.set);
        let cites = Cites::new(&project.repo, project.tip, |id| events.has_id(id));
        let is_judged = project.judges_drifts(events) || timeline.has_doubts();
        let drifts = is_judged.then(|| project.judged_drifts()).transpose()?;
        let held = Held::read(&project.repo)?;
        let entries = lines.filter_map(|(row, line)| {
            let commit = events.anchor(row.anchor);
            let is_asked = |id: &str, version| question.is_none_or(|q| q.names(id, version));
            let look_up = |answer: &Answer, cite: &Citation| {
                if is_asked(&answer.q_id, answer.version()) {
                    cites.look_up(cite)
                } else {
                    cite.into()
                }
            };
            let mut entry = LogEntry::of(&row, &line, commit, &mailmap, set, look_up)?;
            entry.place(&held);
            entry.results.retain(|result| is_asked(&result.q_id, result.q_version));
            if matches!(found, Some(Found::Session(_))) && entry.kind == Kind::Session {
                let (writer, receipt) = (entry.writer.as_deref(), entry.transcript.as_ref());
                let compared = compare_transcript(&project.repo, writer, &entry.sid, receipt);
                entry.says.extend(transcript_text(receipt, compared));
            }
            if let Some(drifts) = &drifts {
                entry.tell(drifts);
            }
            Some(entry)
        });
        let resolved = question.and_then(|name| timeline.questions.resolve(name));
        let standing = resolved.map(|question| project.standing(question)).transpose()?;
        let standing = standing.flatten();
        let wording = resolved.map(|question| question.text.clone());
        let built_on = match &found {
            Some(Found::Entry(id)) => project.built_on(&timeline, id)?,
            _ => None,
        };
        if self.print.format == AgentFormat::Json {
            let document = ShowDocument {
                question: question.map(ToString::to_string),
                q: wording,
                standing: standing.as_ref().map(|stands| stands.standing),
                counting: standing.as_ref().and_then(|stands| stands.counting.clone()),
                exposed_by: standing.and_then(|stands| stands.exposed_by),
                built_on,
                entries: entries.collect(),
                unknown,
            };
            context.print(&json(ShowDocument::SCHEMA, document));
            return Ok(outcome);
        }
        let newest = newest.as_deref();
        let stands = standing.map(|stands| standing_text(&stands, newest));
        let standing = stands.as_deref();
        let dates = context.dates(&project.repo, self.date);
        if self.print.format == AgentFormat::Markdown {
            let entries: Vec<LogEntry> = entries.take(FOR_AGENTS).collect();
            let name = found.as_ref().map(|found| match found {
                Found::Question(question) => question.to_string(),
                Found::Entry(name) | Found::Session(name) => name.clone(),
                Found::Commit(commit) => commit.to_string(),
            });
            let (name, more) = (name.as_deref(), count - entries.len());
            let asked = (wording.as_deref(), standing);
            context.print(&entries_markdown(name, asked, &entries, more, &dates));
            return Ok(outcome);
        }
        let style = context.style(Some(&project.repo));
        let header = question
            .zip(wording)
            .map(|(name, text)| question_header(&name.to_string(), &text, standing, style));
        let mut entries = entry_texts(entries, dates, style).peekable();
        let none = entries.peek().is_none().then(|| "No entries found.\n".to_owned());
        let built_on = built_on.as_ref().map(built_on_text);
        let mut texts = header.into_iter().chain(none).chain(entries).chain(built_on);
        context.page(&project.repo, !self.no_pager, &mut texts)?;
        Ok(outcome)
    }
}
