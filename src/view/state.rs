//! The reports of `state`: the places where sessions stopped.

use jiff::Timestamp;
use serde::Serialize;

use super::{Output, Style, cited_words, escape, joined, session::figures, words::ago};
use crate::{
    entry::{Alert, State, StateField, short_sid, word},
    evidence::ItemCite,
    project::{Refused, StateReport},
};

#[derive(Debug, Clone, Serialize)]
pub struct States {
    /// Those on commits that HEAD contains first, each group newest first.
    pub rows: Vec<StateReport>,
    #[serde(skip)]
    pub agent: Option<String>,
    #[serde(skip)]
    pub now: Timestamp,
}

pub const HOW: &str = "git sq state set --handover 'what the next session has to know'";

pub fn no_state(agent: Option<&str>) -> String {
    let whom = agent.map(|agent| format!(" by {agent}")).unwrap_or_default();
    format!("No state yet{whom}.")
}

/// A row in lines, not escaped: the session and its time, then the most important fields first.
pub fn state_lines(row: &StateReport, now: Timestamp) -> Vec<String> {
    let mut first = short_sid(&row.sid).to_owned();
    if let Some(agent) = &row.agent {
        first.push_str(&format!(" by {agent}"));
    }
    if let Some(branch) = &row.branch {
        first.push_str(&format!(" on {branch}"));
    }
    first.push_str(&format!(" ({})", ago(&row.ts, now)));
    match row.here {
        Some(true) => {}
        Some(false) => first.push_str(", written on a commit that HEAD does not contain"),
        None => first
            .push_str(", written before the history of this shallow clone, or on another branch"),
    }
    let mut lines = vec![first];
    let mut add = |name: &str, texts: &[String]| {
        let texts = texts.iter().filter(|text| !text.is_empty());
        lines.extend(texts.map(|text| format!("  {name:<9} {text}")));
    };
    add("handover:", std::slice::from_ref(&row.handover));
    add("status:", std::slice::from_ref(&row.status));
    add("next:", &row.next);
    add("blocked:", &row.blocked);
    add("doing:", &row.doing);
    for (number, item) in (1..).zip(&row.done) {
        add("done:", std::slice::from_ref(item));
        let cites = row
            .cites
            .iter()
            .filter(|cite| cite.item == number)
            .map(|cite| format!("- {}", cited_words(&cite.cited)));
        add("", &cites.collect::<Vec<_>>());
    }
    if let Some(end) = &row.session {
        lines.push(format!("  {:<9} {}", "session:", figures(end)));
    }
    lines
}

impl Output for States {
    const SCHEMA: &'static str = "sq.state/v1";

    fn text(&self, style: Style) -> String {
        if self.rows.is_empty() {
            let none = escape(&no_state(self.agent.as_deref()));
            return format!("{none} Before this session ends: {HOW}\n");
        }
        let rows = self.rows.iter().map(|row| {
            let lines = state_lines(row, self.now);
            let rest = lines[1..].iter().map(|line| escape(line) + "\n");
            format!("{}\n{}", style.name(&escape(&lines[0])), rest.collect::<String>())
        });
        joined(rows, "\n")
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct StateSet {
    pub sid: String,
    pub id: String,
    pub ts: String,
    pub agent: Option<String>,
    pub head: String,
    pub state: State,
    pub cites: Vec<ItemCite>,
}

pub fn alert_text(alert: &Alert) -> String {
    let Alert { field, item, limit, length } = alert;
    let field_name = word(field);
    let (name, unit) = match (field, item) {
        (StateField::Status | StateField::Handover, _) => (field_name, "characters"),
        (_, Some(item)) => (format!("{field_name} {item}"), "characters"),
        (_, None) => (field_name, "items"),
    };
    format!("{name} has {length} {unit} (limit {limit})")
}

/// Not escaped.
pub fn refused_text(Refused { agent, times, last }: &Refused) -> String {
    let by = agent.as_deref().unwrap_or("an unnamed agent");
    let times = if *times == 1 { String::new() } else { format!(", the last of {times}") };
    format!("{by}: {}{times}", alert_text(last))
}

impl Output for StateSet {
    const SCHEMA: &'static str = "sq.state.set/v1";

    fn text(&self, style: Style) -> String {
        let cites = self.cites.iter().map(|cited| {
            let (cite, item) = (escape(&cited.cite), cited.item);
            match &cited.why_not {
                None => format!("cited: {cite} (done {item})\n"),
                Some(why) => {
                    let warning = style.warning("not cited:");
                    format!("{warning} {cite} (done {item}): {}\n", escape(why))
                }
            }
        });
        let done = format!(
            "State of session {} on {}: {}.\n",
            style.name(&escape(short_sid(&self.sid))),
            style.commit(&self.head[..10]),
            fields(&self.state)
        );
        cites.chain([done]).collect()
    }
}

fn fields(state: &State) -> String {
    let texts = state
        .texts()
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(field, _)| word(&field));
    let lists = state
        .lists()
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(field, list)| format!("{} {}", list.len(), word(&field)));
    let fields: Vec<String> = texts.chain(lists).collect();
    if fields.is_empty() { "nothing".into() } else { fields.join(", ") }
}
