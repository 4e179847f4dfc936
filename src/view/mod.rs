//! Turns finished values into bytes: text for people, JSON for programs, Markdown for agents; computes nothing.
//!
//! Here: documents and their renderings. Not here: anything that reads a repository. A new document is a struct with `Serialize`
//! and `Output`. A new output format of the gate is a file in `gate/`, a variant of `GateFormat` in `gate.rs`, a row in docs/ci.md, and a test in `tests/cli/gate_formats.rs`; `gate/gitlab.rs` is a short example.

mod agent;
mod approve;
mod attestation;
mod brief;
mod carry;
mod check;
mod ci;
mod date;
mod doctor;
mod error;
mod escape;
mod explain;
mod facts;
mod first_run;
mod fixed;
mod fleet;
mod gate;
mod log;
mod openmetrics;
pub mod page;
mod probe;
mod problems;
mod questions;
mod record;
mod redact;
mod rehearsal;
mod review;
mod second;
mod session;
mod setup;
mod show;
mod state;
mod stats;
mod status;
mod style;
mod sync;
mod table;
mod tension;
mod trace;
mod triage;
mod verify;
mod why;
mod words;

pub use agent::plan_text;
pub use approve::{approval_text, approved_text, command_text};
pub use attestation::Subject;
pub use brief::{answer_form, stop_text};
pub use check::Check;
pub use ci::Ci;
pub use date::{DateMode, Dates};
pub use error::ErrorDocument;
pub use escape::{escape, escape_lines, fence, without_commands};
pub use explain::Explanation;
pub use facts::{FactsBase, FactsDocument};
pub use first_run::first_run_text;
pub use fixed::fixed_text;
pub use gate::{Gate, GateFormat, Gated, summary};
pub use log::{LogDocument, LogEntry, LogResult, entry_line, entry_text, entry_texts};
pub use openmetrics::{Exported, openmetrics};
pub use probe::{ProbeAnswer, Probes, value_lines};
pub use problems::problems_text;
pub use questions::{QuestionHistory, QuestionRow, Questions};
pub use record::{Recorded, RecordedAnswer};
pub use redact::Redaction;
pub use rehearsal::QuestionTest;
pub use review::review_markdown;
pub use second::{SecondList, SecondRecorded};
pub use session::{
    changed_facts_text, not_running_text, session_ended_text, session_started_text, transcript_text,
};
pub use setup::{next_steps_text, steps_text};
pub use show::{ShowDocument, built_on_text, entries_markdown, question_header, standing_text};
pub use state::{StateSet, States, alert_text};
pub use style::Style;
pub use sync::{SyncReport, SyncedRemote};
pub use table::Table;
pub use tension::{TensionView, Tensions, opening_warnings, short as short_tension_id};
pub use trace::Traced;
pub use triage::{Triage, fate_words};
pub use verify::Verification;
pub use why::Why;
pub use words::cited_words;

use std::borrow::Borrow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::entry::hardened_json;

pub trait Output: Serialize {
    /// `sq.<command>/v<n>`.
    const SCHEMA: &'static str;

    fn text(&self, style: Style) -> String;
}

/// A JSON document: the name of its schema, then its content.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<T> {
    /// `sq.<command>/v<n>`.
    pub schema: &'static str,
    #[serde(flatten)]
    pub value: T,
}

/// A JSON document on one line, with characters that are invisible or could steer a terminal escaped.
pub fn json(schema: &'static str, value: impl Serialize) -> String {
    let bytes = hardened_json(&Document { schema, value });
    String::from_utf8_lossy(&bytes).into_owned() + "\n"
}

pub fn asides(warnings: &[String], unknown: &[String], style: Style) -> String {
    let aside = |label: &str, text: &String| {
        let column = label.len() + 1;
        let text = style.wrap(&escape(text), column, column);
        format!("{} {text}\n", style.warning(label))
    };
    let warnings = warnings.iter().map(|text| aside("warning:", text));
    let unknown = unknown.iter().map(|text| aside("unknown:", text));
    warnings.chain(unknown).collect()
}

/// `before` is the number of entries that were missing from the local ref, and `now` that of those that still are.
pub fn lost_text(before: usize, now: usize) -> String {
    let [lost, left] = [before, now].map(entries);
    match (before, now) {
        (1, 0) => "1 entry was missing from refs/notes/sq; restored".into(),
        (_, 0) => format!("{lost} were missing from refs/notes/sq; restored"),
        (_, 1) => {
            format!("{left} is missing from refs/notes/sq; `git sq doctor --fix` restores it")
        }
        _ => format!("{left} are missing from refs/notes/sq; `git sq doctor --fix` restores them"),
    }
}

/// The texts with a separator between them.
pub fn joined<T: Borrow<str>>(texts: impl IntoIterator<Item = T>, separator: &str) -> String {
    texts.into_iter().collect::<Vec<_>>().join(separator)
}

/// `a, b and 3 more`.
pub fn few<T: Borrow<str>>(names: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut names: Vec<T> = names.into_iter().collect();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join(", ") + &more
}

/// `1 session`, `2 sessions`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `1 entry`, `2 entries`.
pub fn entries(number: usize) -> String {
    match number {
        1 => "1 entry".into(),
        _ => format!("{number} entries"),
    }
}
