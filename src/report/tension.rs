//! Open questions, as lists and one at a time.

use std::fmt::Write as _;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CitedRow, Form, Style, age::ago, escape};
use crate::{
    entry::TensionType,
    session::{Advice, TensionState},
};

/// How many characters of a topic a line of a list shows.
const TOPIC_SHOWN: usize = 140;
/// How many closed ones are named at once.
const CLOSED_SHOWN: usize = 20;

/// Open questions.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Tensions {
    pub tensions: Vec<TensionRow>,
    pub warnings: Vec<String>,
    /// What can't be known; there may be more.
    pub unknown: Vec<String>,
}

/// What closed since somebody last asked here, and what to pull now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TensionTick {
    /// The latest first.
    pub closed: Vec<TensionRow>,
    /// The best first.
    pub next: Vec<TensionRow>,
    /// What can't be known; there may be more.
    pub unknown: Vec<String>,
}

/// An open question, and what became of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TensionRow {
    /// Opaque; two lines of the log may share one.
    pub id: String,
    pub topic: String,
    #[serde(rename = "type")]
    pub tension_type: TensionType,
    pub state: TensionState,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub curiosity: f64,
    #[schemars(range(min = 0.0, max = 1.0))]
    pub intrusiveness: f64,
    /// Curiosity times intrusiveness.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub score: f64,
    pub opened: String,
    /// When it expires or would have; null where its curiosity is not under the floor.
    pub expires: Option<String>,
    /// Whether to ask the person now; null where it is closed.
    pub advice: Option<Advice>,
    /// Where it came up.
    pub source: String,
    pub ttl: Option<String>,
    pub cite: Vec<CitedRow>,
    pub sid: String,
    pub agent: Option<String>,
    pub branch: Option<String>,
    /// HEAD when it was opened.
    pub head: String,
    /// When it closed; null where it is open.
    pub closed: Option<String>,
    /// What somebody wrote who closed it; null where the end was computed.
    pub closing: Option<ClosingRow>,
}

/// The recorded end of an open question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClosingRow {
    /// The id of the closing entry.
    pub id: String,
    pub note: String,
    pub cite: Vec<CitedRow>,
    pub sid: String,
    pub agent: Option<String>,
    pub head: String,
}

/// The width of what a line begins with, where nothing is closed.
const LABEL: usize = 4;

/// Whether to ask, or what became of it.
fn label(row: &TensionRow) -> &'static str {
    match row.advice {
        Some(Advice::Ask) => "ask",
        Some(Advice::Keep) => "keep",
        None => row.state.name(),
    }
}

/// One line about an open question: whether to ask, how much it pulls, the end of its id, its topic.
pub fn tension_line(row: &TensionRow) -> String {
    aligned_line(row, LABEL)
}

fn aligned_line(row: &TensionRow, width: usize) -> String {
    let label = label(row);
    let topic = Form::Short.clip_to(&row.topic, TOPIC_SHOWN);
    format!(
        "{label:<width$}  {:.2}  {}  {topic} ({})",
        row.score,
        short(&row.id),
        row.tension_type.name()
    )
}

/// The end of an id, which tells it from others better than its beginning: that is the time.
fn short(id: &str) -> String {
    let skipped = id.chars().count().saturating_sub(8);
    id.chars().skip(skipped).take(8).collect()
}

/// A list for people; `none` is said of an empty one.
pub fn tensions_text(tensions: &Tensions, none: &str, style: Style) -> String {
    let mut out = String::new();
    let widths = tensions.tensions.iter().map(|row| label(row).len());
    let width = widths.max().unwrap_or(0).max(LABEL);
    for row in &tensions.tensions {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", escape(&aligned_line(row, width)));
    }
    if tensions.tensions.is_empty() {
        let _ = writeln!(out, "{none}");
    }
    out + &asides(&tensions.warnings, &tensions.unknown, style)
}

/// What closed and what to pull, for people.
pub fn tick_text(tick: &TensionTick, style: Style) -> String {
    let mut out = String::new();
    for row in tick.closed.iter().take(CLOSED_SHOWN) {
        let _ = writeln!(out, "closed: {}", escape(&tension_line(row)));
    }
    let rest = tick.closed.len().saturating_sub(CLOSED_SHOWN);
    if rest > 0 {
        let _ = writeln!(out, "and {rest} more: `git sq tension list --all`");
    }
    for row in &tick.next {
        let _ = writeln!(out, "next: {}", escape(&tension_line(row)));
    }
    if tick.closed.is_empty() && tick.next.is_empty() {
        out.push_str("Nothing closed, nothing is open.\n");
    }
    out + &asides(&[], &tick.unknown, style)
}

/// What an opening or a closing did, for people: `verb` is `Opened` or `Closed`.
pub fn tension_done_text(tensions: &Tensions, verb: &str, style: Style) -> String {
    let mut out = String::new();
    for row in &tensions.tensions {
        let end = match (row.state, &row.expires) {
            (TensionState::Open, Some(expires)) => format!("open, expires {expires}"),
            (state, _) => state.name().to_owned(),
        };
        let id = escape(&row.id);
        let _ = writeln!(out, "{verb} {} ({end}).", style.name(&id));
    }
    out + &asides(&tensions.warnings, &tensions.unknown, style)
}

/// All about one or several, for people.
pub fn tension_text(tensions: &Tensions, now: Timestamp, style: Style) -> String {
    let rows = tensions.tensions.iter().map(|row| one(row, now, style));
    let rows: Vec<String> = rows.collect();
    rows.join("\n") + &asides(&tensions.warnings, &tensions.unknown, style)
}

fn one(row: &TensionRow, now: Timestamp, style: Style) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "tension {}", style.name(&escape(&row.id)));
    let mut line = |label: &str, text: &str| {
        let label = format!("{label}:");
        let _ = writeln!(out, "{label:<10} {}", escape(text));
    };
    line("Topic", &row.topic);
    line("Type", row.tension_type.name());
    line("Source", &row.source);
    let advice = match row.advice {
        Some(Advice::Ask) => ", ask the person now",
        Some(Advice::Keep) => ", keep it and look for yourself",
        None => "",
    };
    line("State", &format!("{}{advice}", row.state.name()));
    line(
        "Score",
        &format!(
            "{} (curiosity {}, intrusiveness {})",
            row.score,
            rounded(row.curiosity),
            rounded(row.intrusiveness)
        ),
    );
    let by = author(&row.sid, row.agent.as_deref(), &row.head);
    line(
        "Opened",
        &format!("{}, {}, {by}", row.opened, ago(&row.opened, now)),
    );
    if row.state == TensionState::Open {
        let never = "never: its curiosity is at the floor or above it";
        line("Expires", row.expires.as_deref().unwrap_or(never));
    }
    row.cite
        .iter()
        .for_each(|cited| line("Cites", &cited.words()));
    if let Some(closed) = &row.closed {
        let by = match &row.closing {
            Some(end) => author(&end.sid, end.agent.as_deref(), &end.head),
            None => "as the settings say".into(),
        };
        line("Closed", &format!("{closed}, {}, {by}", ago(closed, now)));
    }
    if let Some(end) = &row.closing {
        line("Note", &end.note);
        end.cite
            .iter()
            .for_each(|cited| line("Cites", &cited.words()));
    }
    out
}

/// To the billionth, as a score is: what is next to nothing has hundreds of digits.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}

fn author(sid: &str, agent: Option<&str>, head: &str) -> String {
    let agent = agent.map_or(String::new(), |agent| format!(" by {agent}"));
    let head: String = head.chars().take(10).collect();
    format!("in session {sid}{agent} at {head}")
}

fn asides(warnings: &[String], unknown: &[String], style: Style) -> String {
    let mut out = String::new();
    for warning in warnings {
        let _ = writeln!(out, "{} {}", style.warning("warning:"), escape(warning));
    }
    for unknown in unknown {
        let _ = writeln!(out, "{} {}", style.warning("unknown:"), escape(unknown));
    }
    out
}
