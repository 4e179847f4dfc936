use serde::Serialize;
use serde_json::Value;

use super::{Output, Style, asides, escape};
use crate::{
    evidence::Derived,
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
    /// A boolean, a number, a string or a list; null if there was nothing to read.
    pub value: Option<Value>,
    pub gone: Option<String>,
    /// SHA-256 of the value as compact JSON; of nothing, if it is gone.
    pub digest: String,
    /// For `agree` and `subset`, the values of its probes; null if one had nothing to read.
    pub parts: Vec<Option<Value>>,
    pub reads: Vec<ProbeRead>,
    pub exit: Option<i32>,
    /// In milliseconds.
    pub ms: f64,
}

#[derive(Debug, Clone, Serialize)]
pub struct ProbeRead {
    pub path: String,
    pub blob: String,
}

impl ProbeAnswer {
    pub fn new(question: Option<&Question>, derived: Derived) -> Self {
        let digest = derived.found.digest();
        let (value, gone) = derived.found.split();
        let parts = derived.parts.into_iter().map(|part| part.split().0);
        let reads = derived.reads.into_iter().map(|file| ProbeRead {
            path: file.path,
            blob: file.blob.to_string(),
        });
        Self {
            q_id: question.map(|question| question.id.clone()),
            q_version: question.map(|question| question.version),
            value,
            gone,
            digest,
            parts: parts.collect(),
            reads: reads.collect(),
            exit: derived.run.map(|run| run.exit),
            ms: (derived.took.as_secs_f64() * 10_000.0).round() / 10.0,
        }
    }

    fn name(&self) -> Option<String> {
        Some(question::name(self.q_id.as_ref()?, self.q_version?))
    }

    /// The names of all answers take `width` columns.
    pub fn text(&self, width: usize, style: Style) -> String {
        let name = self.name().map(|name| format!("{name:width$} "));
        let name = name.unwrap_or_default();
        let mut lines = match (&self.value, &self.gone) {
            (Some(value), _) => value_lines(value),
            (None, why) => vec![format!(
                "gone: {}",
                escape(why.as_deref().unwrap_or_default())
            )],
        };
        if !self.parts.is_empty() {
            let parts = self.parts.iter().map(|part| match part {
                Some(value) => value_lines(value).join(", "),
                None => "gone".into(),
            });
            let parts: Vec<String> = parts.collect();
            lines = vec![format!("{}: {}", lines.join(", "), parts.join(" | "))];
        }
        if let Some(exit) = self.exit {
            let first = lines.first().cloned().unwrap_or_default();
            let run = format!("(exit {exit}, {:.1} s)", self.ms / 1000.0);
            lines.splice(..1.min(lines.len()), [format!("{first} {run}")]);
        }
        let more = lines.len().saturating_sub(SHOWN);
        let lines = lines.into_iter().take(SHOWN);
        let mut text = String::new();
        for (place, line) in lines.enumerate() {
            let margin = if place == 0 {
                style.name(&name)
            } else {
                " ".repeat(name.len())
            };
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
        let widths = self.answers.iter().filter_map(ProbeAnswer::name);
        let width = widths.map(|name| name.len()).max().unwrap_or(0);
        let answers = self.answers.iter();
        let answers: String = answers.map(|one| one.text(width, style)).collect();
        let answers = if self.answers.is_empty() && self.unknown.is_empty() {
            "No question has a built-in probe.\n".into()
        } else {
            answers
        };
        answers + &asides(&self.warnings, &self.unknown, style)
    }
}
