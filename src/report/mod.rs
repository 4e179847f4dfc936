//! Turns finished values into bytes: text for people, json for programs, markdown for agents; computes nothing.

mod age;
mod brief;
mod carry;
mod check;
mod cited;
mod doctor;
mod escape;
mod fit;
mod log;
mod problems;
mod questions;
mod record;
mod session;
mod setup;
mod state;
mod status;
mod style;
mod sync;
mod tension;

pub use brief::{Brief, Question as BriefQuestion, Since, brief_markdown, brief_text};
pub use carry::{CarriedRow, Carry, HomelessRow, Why, carry_text};
pub use check::{Check, QuietRows, StalenessRow, check_text};
pub use cited::{CitedFate, CitedRow};
pub use doctor::doctor_text;
pub use escape::{escape, fence};
pub use fit::{Fitted, Form, Section, fit};
pub use log::{LogEntry, LogResult, entry_text};
pub use problems::problems_text;
pub use questions::{QuestionRow, Questions, questions_text};
pub use record::{Recorded, recorded_text};
pub use session::{
    CurrentSession, beat_after_end_text, session_ended_before_text, session_ended_text,
    session_started_text, unnamed_text,
};
pub use setup::{next_steps_text, steps_text};
pub use state::{
    AlertRow, StateAlerts, StateCited, StateReport, StateSet, States, alerts_text, cut_text,
    state_set_text, states_text,
};
pub use status::{Status, status_text};
pub use style::Style;
pub use sync::{SyncReport, SyncedRemote, sync_text};
pub use tension::{
    ClosingRow, TensionRow, TensionTick, Tensions, tension_done_text, tension_line, tension_text,
    tensions_text, tick_text,
};

use schemars::JsonSchema;
use serde::Serialize;

use crate::entry::hardened_json;

/// A json document: what it is called, then what it says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<T> {
    /// `sq.<command>/v<n>`.
    pub schema: &'static str,
    #[serde(flatten)]
    pub value: T,
}

/// One line of json, harmless to any terminal.
pub fn json(schema: &'static str, value: impl Serialize) -> String {
    let bytes = hardened_json(&Document { schema, value });
    String::from_utf8_lossy(&bytes).into_owned() + "\n"
}

/// `1 session`, `2 sessions`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// `1 entry`, `2 entries`.
pub fn entries(number: usize) -> String {
    if number == 1 {
        "1 entry".into()
    } else {
        format!("{number} entries")
    }
}
