//! What `record` says: every delta out loud, and a warning where silence is suspicious.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, brief::Since, count, escape};
use crate::metrics::Delta;

/// What was recorded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recorded {
    pub id: String,
    pub sid: String,
    /// The commit that carries the entry.
    pub head: String,
    pub ts: String,
    /// How many questions were re-derived.
    pub answered: usize,
    pub deltas: Vec<Delta>,
    /// Tracked files differed from HEAD.
    pub dirty: bool,
    /// What moved since the entry before, where there was one.
    pub since: Option<Since>,
    /// Where nothing changed although HEAD moved: the questions most likely affected.
    pub suspects: Vec<String>,
    pub warnings: Vec<String>,
}

/// The report for people.
pub fn recorded_text(recorded: &Recorded, style: Style) -> String {
    let mut out = String::new();
    for delta in &recorded.deltas {
        let note = delta.note.as_deref().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{} {}: {}",
            style.error("DELTA"),
            style.name(&delta.q_id),
            escape(note)
        );
    }
    if let (true, Some(since)) = (recorded.deltas.is_empty(), &recorded.since)
        && since.commits > 0
    {
        let _ = writeln!(
            out,
            "{} despite {} and {} since session {}.",
            style.warning("NO DELTA"),
            count(since.commits, "commit"),
            count(since.files.len(), "changed file"),
            escape(&since.sid)
        );
        let suspects = recorded.suspects.join(", ");
        let advice = if suspects.is_empty() {
            "Nothing changed that these questions watch.".to_owned()
        } else {
            format!("Most likely affected: {suspects}. Look at them once more.")
        };
        let _ = writeln!(out, "  {advice}");
    }
    for warning in &recorded.warnings {
        let _ = writeln!(out, "{} {}", style.warning("warning:"), escape(warning));
    }
    let _ = writeln!(
        out,
        "Recorded {} on {} (session {}).",
        count(recorded.answered, "answer"),
        style.commit(&recorded.head[..10]),
        escape(&recorded.sid)
    );
    out
}
