//! The report of `record`: every delta, and a warning where silence is suspicious.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, asides, count, escape};
use crate::{entry::short_sid, metrics::Delta, project::Since};

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
    /// Questions that this session had answered before: this answer counts in place of that one.
    pub replaces: Vec<String>,
    pub warnings: Vec<String>,
}

impl Output for Recorded {
    const SCHEMA: &'static str = "sq.record/v1";

    fn text(&self, style: Style) -> String {
        let deltas = self.deltas.iter().map(|delta| {
            let note = delta.note.as_deref().unwrap_or_default();
            let name = style.name(&delta.q_id);
            format!("{} {name}: {}\n", style.error("DELTA"), escape(note))
        });
        let since = self.since.as_ref();
        let silence = since
            .filter(|since| self.deltas.is_empty() && since.commits > 0)
            .map(|since| silence_text(since, &self.suspects, style));
        let done = format!(
            "Recorded {} on {} (session {}).\n",
            count(self.answered, "answer"),
            style.commit(&self.head[..10]),
            escape(short_sid(&self.sid))
        );
        let replaced = (!self.replaces.is_empty()).then(|| {
            let names = self.replaces.join(", ");
            format!("  It replaces what this session had recorded about {names}.\n")
        });
        deltas
            .chain(silence)
            .chain([asides(&self.warnings, &[], style), done])
            .chain(replaced)
            .collect()
    }
}

fn silence_text(since: &Since, suspects: &[String], style: Style) -> String {
    let advice = if suspects.is_empty() {
        "Nothing that these questions watch has changed.".to_owned()
    } else {
        format!(
            "Most likely affected: {}. Check them again.",
            suspects.join(", ")
        )
    };
    format!(
        "{} despite {} and {} since session {}.\n  {advice}\n",
        style.warning("NO DELTA"),
        count(since.commits, "commit"),
        count(since.files.len(), "changed file"),
        escape(short_sid(&since.sid))
    )
}
