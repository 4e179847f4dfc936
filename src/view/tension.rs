use jiff::Timestamp;
use serde::Serialize;

use super::{Output, Style, Table, asides, cited_words, count, escape, joined, words::ago};
use crate::{
    entry::{clip, short_sid, word},
    project::TensionRow,
    question::TensionSettings,
    session::{Advice, OpeningEffect, TensionState},
};

const TOPIC_SHOWN: usize = 140;
const CLOSED_SHOWN: usize = 20;

#[derive(Debug, Clone, Serialize)]
pub struct Tensions {
    pub tensions: Vec<TensionRow>,
    pub warnings: Vec<String>,
    /// Why the list may be incomplete.
    pub unknown: Vec<String>,
    #[serde(skip)]
    pub view: TensionView,
}

#[derive(Debug, Clone)]
pub enum TensionView {
    /// One per line; the text replaces an empty list.
    List(&'static str),
    Whole(Timestamp),
    Done(&'static str),
    /// Closed ones, then the next ones.
    Tick,
}

pub fn opening_warnings(effect: &OpeningEffect, settings: &TensionSettings) -> Vec<String> {
    let cap = settings.cap;
    let mut warnings = Vec::new();
    if effect.new.iter().any(|tension| tension.state == TensionState::Overflow) {
        warnings.push(format!(
            "it has the lowest score of more than {cap} open tensions, and overflowed at once"
        ));
    }
    for tension in &effect.pushed_out {
        warnings.push(format!(
            "more than {cap} are open: {} overflowed, {:?}",
            clip(&tension.opening.id, 240),
            clip(&tension.opening.body.topic, 240)
        ));
    }
    let (opened, limit) = (effect.by_session, settings.per_session);
    if u32::try_from(opened).is_ok_and(|opened| opened > limit) {
        warnings.push(format!(
            "this session opened {} (limit {limit}): keep only what you would come back to",
            count(opened, "tension")
        ));
    }
    warnings
}

fn label(row: &TensionRow) -> String {
    row.advice.as_ref().map_or_else(|| word(&row.state), word)
}

/// The advice, the score, the end of the id and the topic of a tension on one line, not escaped.
pub fn tension_line(row: &TensionRow) -> String {
    format!("{:<4}  {:.2}  {}  {}", label(row), row.score, short(&row.id), topic(row))
}

fn topic(row: &TensionRow) -> String {
    format!("{} ({})", clip(&row.topic, TOPIC_SHOWN), word(&row.tension_type))
}

/// The end of an id; ids begin with the time, so their ends differ more.
pub fn short(id: &str) -> String {
    let skipped = id.chars().count().saturating_sub(8);
    id.chars().skip(skipped).take(8).collect()
}

impl Output for Tensions {
    const SCHEMA: &'static str = "sq.tension/v1";

    fn text(&self, style: Style) -> String {
        let rows = self.tensions.iter();
        let texts = match &self.view {
            TensionView::Tick if self.tensions.is_empty() => {
                "Nothing closed, and nothing is open.\n".into()
            }
            TensionView::Tick => tick_text(&self.tensions),
            TensionView::List(none) if self.tensions.is_empty() => format!("{none}\n"),
            TensionView::List(_) => {
                let mut table = Table::new();
                for row in rows {
                    let score = format!("{:.2}", row.score);
                    table.row([label(row), score, short(&row.id)], escape(&topic(row)));
                }
                table.text(style)
            }
            TensionView::Whole(now) => joined(rows.map(|row| whole(row, *now, style)), "\n"),
            TensionView::Done(verb) => rows.map(|row| done_line(row, verb, style)).collect(),
        };
        texts + &asides(&self.warnings, &self.unknown, style)
    }
}

fn done_line(row: &TensionRow, verb: &str, style: Style) -> String {
    let end = match row.state {
        TensionState::Open => format!("open, expires {}", row.expires),
        state => word(&state),
    };
    format!("{verb} {} ({end}).\n", style.name(&escape(&row.id)))
}

fn tick_text(rows: &[TensionRow]) -> String {
    let (closed, next): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| row.state != TensionState::Open);
    let line = |label: &str, row: &TensionRow| format!("{label}: {}\n", escape(&tension_line(row)));
    let mut text: String =
        closed.iter().take(CLOSED_SHOWN).map(|row| line("closed", row)).collect();
    if let more @ 1.. = closed.len().saturating_sub(CLOSED_SHOWN) {
        text += &format!("and {more} more: `git sq tension list --all`\n");
    }
    text.extend(next.iter().map(|row| line("next", row)));
    text
}

fn whole(row: &TensionRow, now: Timestamp, style: Style) -> String {
    let mut out = format!("tension {}\n", style.name(&escape(&row.id)));
    let mut line = |label: &str, text: &str| {
        let label = format!("{label}:");
        out.push_str(&format!("{label:<10} {}\n", escape(text)));
    };
    line("Topic", &row.topic);
    line("Type", &word(&row.tension_type));
    line("Source", &row.source);
    let advice = match row.advice {
        Some(Advice::Ask) => ", ask the person now",
        Some(Advice::Keep) => ", keep it and look for yourself",
        None => "",
    };
    line("State", &format!("{}{advice}", word(&row.state)));
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
    line("Opened", &format!("{}, {}, {by}", row.opened, ago(&row.opened, now)));
    if row.state == TensionState::Open {
        line("Expires", &row.expires);
    }
    for cited in &row.cite {
        line("Cites", &cited_words(cited));
    }
    if let Some(closed) = &row.closed {
        let by = match &row.closing {
            Some(end) => author(&end.sid, end.agent.as_deref(), &end.head),
            None => "computed from the settings".into(),
        };
        line("Closed", &format!("{closed}, {}, {by}", ago(closed, now)));
    }
    if let Some(end) = &row.closing {
        line("Note", &end.note);
        for cited in &end.cite {
            line("Cites", &cited_words(cited));
        }
    }
    out
}

/// Rounds to nine places, like a score: the smallest numbers have hundreds of digits.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}

fn author(sid: &str, agent: Option<&str>, head: &str) -> String {
    let agent = agent.map_or(String::new(), |agent| format!(" by {agent}"));
    let head: String = head.chars().take(10).collect();
    format!("in session {}{agent} at {head}", short_sid(sid))
}
