use serde::Serialize;
use serde_json::Value;

use super::{Output, Style, asides, escape, joined};
use crate::{
    evidence::{Derived, Found},
    question::{self, Question},
};

const SHOWN: usize = 10;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Probes {
    pub commit: String,
    pub answers: Vec<ProbeAnswer>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ProbeAnswer {
    /// Null if the probe was given on the command line.
    pub q_id: Option<String>,
    pub q_version: Option<u32>,
    #[serde(flatten)]
    pub derived: Derived,
    /// SHA-256 of the value as compact JSON; of nothing, if it is gone.
    pub digest: String,
}

impl ProbeAnswer {
    pub fn new(question: Option<&Question>, derived: Derived) -> Self {
        Self {
            q_id: question.map(|question| question.id.clone()),
            q_version: question.map(|question| question.version),
            digest: derived.found.digest(),
            derived,
        }
    }

    fn name(&self) -> Option<String> {
        Some(question::name(self.q_id.as_ref()?, self.q_version?))
    }

    /// The names of all answers take `width` columns.
    pub fn text(&self, width: usize, style: Style) -> String {
        let name = self.name().map(|name| format!("{name:width$} ")).unwrap_or_default();
        let Derived { found, parts, .. } = &self.derived;
        let mut lines = match found {
            Found::Value(value) => value_lines(value),
            Found::Gone(why) => vec![format!("missing: {}", escape(why))],
        };
        if parts.iter().any(|part| part.value().is_some()) {
            let parts = parts.iter().map(|part| match part {
                Found::Value(value) => value_lines(value).join(", "),
                Found::Gone(_) => "missing".into(),
            });
            lines = vec![format!("{}: {}", lines.join(", "), joined(parts, " | "))];
        }
        if let Some(run) = &self.derived.run {
            let first = lines.first().cloned().unwrap_or_default();
            let took = self.derived.took.as_secs_f64();
            let run = format!("(exit {}, {took:.1} s)", run.exit);
            lines.splice(..1.min(lines.len()), [format!("{first} {run}")]);
        }
        let more = lines.len().saturating_sub(SHOWN);
        let lines = lines.into_iter().take(SHOWN);
        let mut text = String::new();
        for (place, line) in lines.enumerate() {
            let margin = if place == 0 { style.name(&name) } else { " ".repeat(name.len()) };
            text += &format!("{margin}{}\n", style.fit(&line, name.len()));
        }
        if more > 0 {
            text += &format!("{}and {more} more\n", " ".repeat(name.len()));
        }
        text
    }
}

/// A value in words, escaped; a list or a text may take several lines.
pub fn value_lines(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text.lines().map(escape).collect(),
        Value::Array(items) if items.is_empty() => vec!["none".into()],
        Value::Array(items) => items.iter().flat_map(value_lines).collect(),
        other => vec![escape(&other.to_string())],
    }
}

impl Output for Probes {
    const SCHEMA: &'static str = "sq.probe/v1";

    fn text(&self, style: Style) -> String {
        let width = self
            .answers
            .iter()
            .filter_map(ProbeAnswer::name)
            .map(|name| name.len())
            .max()
            .unwrap_or(0);
        let answers: String = self.answers.iter().map(|answer| answer.text(width, style)).collect();
        answers + &asides(&self.warnings, &self.unknown, style)
    }
}
