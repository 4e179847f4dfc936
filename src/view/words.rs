//! Short phrases that several reports have: how long ago, who, and what became of a citation.

use jiff::Timestamp;

use super::{count, joined};
use crate::{entry::Person, evidence::CitedRow, git::CitedFate};

/// `3 days ago`; a text that is not a time is returned as it is.
pub fn ago(ts: &str, now: Timestamp) -> String {
    let Ok(then) = ts.parse::<Timestamp>() else {
        return ts.to_owned();
    };
    let seconds = now.as_second() - then.as_second();
    let Ok(seconds) = usize::try_from(seconds) else {
        return "in the future".into();
    };
    match seconds {
        0..=59 => "just now".into(),
        _ => format!("{} ago", length(seconds)),
    }
}

/// A duration in its largest unit, rounded down.
pub fn length(seconds: usize) -> String {
    let (number, unit) = match seconds {
        0..=59 => (seconds, "second"),
        60..=3599 => (seconds / 60, "minute"),
        3600..=86_399 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(number, unit)
}

pub fn who(when: &str, agent: Option<&str>, by: Option<&Person>) -> String {
    let by = by.map(|person| person.name.as_str()).filter(|name| !name.is_empty());
    joined([Some(when), agent, by].into_iter().flatten(), ", ")
}

/// `src/lib.rs:3-5 stands, now at line 7`; not escaped.
pub fn cited_words(row: &CitedRow) -> String {
    let cite = &row.cite;
    match (row.fate, row.line) {
        (Some(CitedFate::Stands), Some(line)) if !begins_at(cite, line) => {
            format!("{cite} stands, now at line {line}")
        }
        (Some(CitedFate::Stands), _) => format!("{cite} stands"),
        (Some(CitedFate::Changed), _) => format!("{cite} changed since"),
        (Some(CitedFate::Gone), _) => format!("{cite} missing"),
        (Some(CitedFate::Unknown), _) => format!("{cite} unknown"),
        (None, _) => cite.clone(),
    }
}

fn begins_at(cite: &str, line: u32) -> bool {
    cite.rsplit(':').next().unwrap_or_default().split('-').next() == Some(line.to_string().as_str())
}
