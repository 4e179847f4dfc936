//! The status at a glance.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Since, Style, age::ago, asides, count, escape};
use crate::metrics::SessionInBrief;

/// What `git sq` shows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    pub tip: String,
    pub branch: Option<String>,
    pub sessions: usize,
    /// Active questions.
    pub questions: usize,
    /// Questions over their limit.
    pub stale: Vec<String>,
    /// Active questions that no session ever re-derived.
    pub never: Vec<String>,
    pub longest_run: usize,
    /// Whether the quiet sessions are an alarm.
    pub alarm: bool,
    pub last: Option<SessionInBrief>,
    pub since: Option<Since>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
}

/// The status for people.
pub fn status_text(status: &Status, place: &str, now: Timestamp, style: Style) -> String {
    let mut out = format!(
        "On {place}: {}, {}\n",
        count(status.questions, "question"),
        count(status.sessions, "session")
    );
    match &status.last {
        None => out.push_str("Nothing was recorded yet.\n"),
        Some(last) => {
            let moved = match &status.since {
                Some(since) if since.commits > 0 || !since.files.is_empty() => format!(
                    "{} and {} since",
                    count(since.commits, "commit"),
                    count(since.files.len(), "changed file")
                ),
                _ => "nothing committed since".to_owned(),
            };
            out.push_str(&format!(
                "Last session: {} ({}), {}; {moved}\n",
                style.name(&escape(&last.sid)),
                ago(&last.ts, now),
                count(last.deltas.len(), "delta")
            ));
        }
    }
    if !status.stale.is_empty() {
        let names = status.stale.join(", ");
        out.push_str(&format!("{} {names}\n", style.error("stale:")));
    }
    if !status.never.is_empty() && status.sessions > 0 {
        let names = status.never.join(", ");
        out.push_str(&format!("{} {names}\n", style.warning("never re-derived:")));
    }
    if status.alarm {
        out.push_str(&format!(
            "{} {} in a row report no change while HEAD moves\n",
            style.error("quiet run:"),
            count(status.longest_run, "session")
        ));
    }
    out.push_str(&asides(&status.warnings, &status.unknown, style));
    let next = match &status.last {
        None => "(\"git sq brief\" shows what to re-derive, \"git sq record\" records it)",
        Some(_) if status.alarm || !status.stale.is_empty() => {
            "(\"git sq check\" says more, \"git sq brief\" begins a session)"
        }
        Some(_) => "(\"git sq brief\" begins a session, \"git sq check\" measures the ritual)",
    };
    out + &style.dim(&format!("  {next}")) + "\n"
}
