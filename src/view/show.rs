//! Entries for an agent: text of others stands in fenced blocks, within the limit of the brief.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Dates, LogEntry, Style,
    brief::{DATA, LINE, STATE, STATE_LINE, Section, fenced, fitted},
    entry_text, escape, fence,
};
use crate::{
    entry::{clip, short_sid},
    metrics::Standing,
    project::{BuiltOn, ExposedBy, Stands},
};

/// Recorded entries as JSON.
#[derive(Serialize, JsonSchema)]
pub struct ShowDocument {
    /// The question that was asked for.
    pub question: Option<String>,
    /// Its wording, if the store has it.
    pub q: Option<String>,
    /// The standing of its last answer.
    pub standing: Option<Standing>,
    /// The entry of its counting answer, if a session gave it.
    pub counting: Option<String>,
    /// The commits that touched the dependencies of that answer, if it is outdated.
    pub exposed_by: Option<ExposedBy>,
    /// The work that was built on the requested entry until it was corrected.
    pub built_on: Option<BuiltOn>,
    /// Newest first; only the requested part of each.
    pub entries: Vec<LogEntry>,
    /// Why the list may be incomplete.
    pub unknown: Vec<String>,
}

impl ShowDocument {
    pub const SCHEMA: &'static str = "sq.show/v1";
}

/// `name` is a question with its wording, or a commit; there are `more` entries in `git sq show`.
pub fn entries_markdown(
    name: Option<&str>,
    (wording, standing): (Option<&str>, Option<&str>),
    entries: &[LogEntry],
    more: usize,
    dates: &Dates,
) -> String {
    let block = wording.map(|text| fence([clip(&escape(text), LINE)]));
    let wording = block.map_or(String::new(), |block| format!("\n{block}"));
    let title = name.map_or("Latest entry".into(), |name| format!("Recorded: {name}"));
    let standing = standing.map_or(String::new(), |text| format!("\nIt stands as: {text}\n"));
    let head = format!("# {title}\n\n{DATA}\n{wording}{standing}");
    if entries.is_empty() {
        return head + "\nNo entries found.\n";
    }
    let items = entries.iter().map(|entry| {
        let text = entry_text(entry, dates, Style::default());
        let lines = text.lines().map(|line| clip(line, STATE_LINE) + "\n");
        clip(&lines.collect::<String>(), STATE) + "\n\n"
    });
    let entries = Section {
        title: "Newest first".into(),
        items: items.collect(),
        more,
        command: format!("git sq show {} --format json", name.unwrap_or_default()),
        most: usize::MAX,
    };
    fitted(head, &[entries], "", fenced)
}

/// The work that was built on an entry that was corrected, in a line.
pub fn built_on_text(built: &BuiltOn) -> String {
    let BuiltOn { correction, first, commits, range, states } = built;
    let plural = if *commits == 1 { "" } else { "s" };
    let states: Vec<String> = states.iter().map(|sid| escape(short_sid(sid))).collect();
    let states = match states.as_slice() {
        [] => String::new(),
        [one] => format!("; session {one} set its state"),
        more => format!("; sessions {} set their states", more.join(", ")),
    };
    let first = first.as_ref().map(|first| format!("Entry {first} said it first. "));
    let first = first.unwrap_or_default();
    format!(
        "{first}Until entry {correction} corrected it: {commits} commit{plural} ({range}){states}\n"
    )
}

pub fn question_header(name: &str, wording: &str, standing: Option<&str>, style: Style) -> String {
    let wording = style.wrap(&escape(wording), name.len() + 1, 0);
    let standing = standing.map(|text| style.warning(text) + "\n").unwrap_or_default();
    format!("{} {wording}\n{standing}\n", style.name(name))
}

/// Shows a question's standing; if it is outdated, the commits that changed it, and if the newest entry's answer does not
/// count, the one that does.
pub fn standing_text(stands: &Stands, newest: Option<&str>) -> String {
    let exposed_by = stands.exposed_by.as_ref();
    let commits = exposed_by.filter(|by| !by.commits.is_empty()).map(|by| {
        let names: Vec<&str> = by.commits.iter().map(|name| &name[..10]).collect();
        let more = (by.more > 0).then(|| format!(" and {} more", by.more));
        format!(" by {}{}", names.join(", "), more.unwrap_or_default())
    });
    let counting = stands.counting.as_ref().filter(|entry| newest != Some(entry.as_str()));
    let counting = counting.map(|entry| format!("; the answer of entry {entry} counts"));
    let (word, commits) = (stands.standing.word(), commits.unwrap_or_default());
    format!("{word}{commits}{}", counting.unwrap_or_default())
}
