//! A citation, and what became of it.

use schemars::JsonSchema;
use serde::Serialize;

/// A citation, and where somebody looked, what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CitedRow {
    /// As in `src/lib.rs:3-5`, or an entry's id.
    pub cite: String,
    /// Null where nobody looked; `show` does.
    pub fate: Option<CitedFate>,
    /// The line at which the cited lines begin now, where they hold.
    pub line: Option<u32>,
}

/// What became of what was cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CitedFate {
    Holds,
    /// The lines were changed since.
    Changed,
    /// The file is no more.
    Gone,
    /// It could not be looked up, or this clone's log has no such entry.
    Unknown,
}

impl CitedRow {
    /// Both in words, raw.
    pub fn words(&self) -> String {
        let cite = &self.cite;
        match (self.fate, self.line) {
            (Some(CitedFate::Holds), Some(line)) if !self.stands_at(line) => {
                format!("{cite} holds, now at line {line}")
            }
            (Some(CitedFate::Holds), _) => format!("{cite} holds"),
            (Some(CitedFate::Changed), _) => format!("{cite} changed since"),
            (Some(CitedFate::Gone), _) => format!("{cite} gone"),
            (Some(CitedFate::Unknown), _) => format!("{cite} unknown"),
            (None, _) => cite.clone(),
        }
    }

    fn stands_at(&self, line: u32) -> bool {
        let lines = self.cite.rsplit(':').next().unwrap_or_default();
        lines.split('-').next() == Some(line.to_string().as_str())
    }
}
