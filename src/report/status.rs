//! The status at a glance.

use std::fmt::Write as _;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, age::ago, brief::Since, count, escape};
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
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "On {place}: {}, {}",
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
            let _ = writeln!(
                out,
                "Last session: {} ({}), {}; {moved}",
                style.name(&escape(&last.sid)),
                ago(&last.ts, now),
                count(last.deltas.len(), "delta")
            );
        }
    }
    let list = |names: &[String]| names.join(", ");
    if !status.stale.is_empty() {
        let _ = writeln!(out, "{} {}", style.error("stale:"), list(&status.stale));
    }
    if !status.never.is_empty() && status.sessions > 0 {
        let _ = writeln!(
            out,
            "{} {}",
            style.warning("never re-derived:"),
            list(&status.never)
        );
    }
    if status.alarm {
        let _ = writeln!(
            out,
            "{} {} in a row report no change while HEAD moves",
            style.error("going through the motions:"),
            count(status.longest_run, "session")
        );
    }
    for warning in &status.warnings {
        let _ = writeln!(out, "{} {}", style.warning("warning:"), escape(warning));
    }
    for unknown in &status.unknown {
        let _ = writeln!(out, "{} {}", style.warning("unknown:"), escape(unknown));
    }
    let next = if status.last.is_some() && !status.alarm && status.stale.is_empty() {
        "  (\"git sq brief\" begins a session, \"git sq check\" measures the ritual)"
    } else if status.last.is_none() {
        "  (\"git sq brief\" shows what to re-derive, \"git sq record\" writes it down)"
    } else {
        "  (\"git sq check\" says more, \"git sq brief\" begins a session)"
    };
    let _ = writeln!(out, "{}", style.dim(next));
    out
}
