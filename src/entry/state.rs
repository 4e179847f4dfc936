use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Citation, Ts};

/// A session's whole row: each entry replaces the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// At most 280 characters; all lengths here count grapheme clusters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Notes for the next session; at most 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handover: String,
    /// At most 5 items of 140 characters, like the lists below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doing: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// The citations in the items of `done`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<StateCite>,
}

impl State {
    pub fn texts(&self) -> [(StateField, &String); 2] {
        [(StateField::Status, &self.status), (StateField::Handover, &self.handover)]
    }

    pub fn lists(&self) -> [(StateField, &Vec<String>); 4] {
        [
            (StateField::Done, &self.done),
            (StateField::Doing, &self.doing),
            (StateField::Blocked, &self.blocked),
            (StateField::Next, &self.next),
        ]
    }

    pub fn is_empty(&self) -> bool {
        self.texts().iter().all(|(_, text)| text.is_empty())
            && self.lists().iter().all(|(_, list)| list.is_empty())
    }
}

/// A citation in one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateCite {
    /// The item of `done`, counted from 1.
    pub item: usize,
    pub cite: Citation,
}

/// The six fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StateField {
    Status,
    Handover,
    Done,
    Doing,
    Blocked,
    Next,
}

/// A field of a state that was refused because it is too long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alert {
    pub field: StateField,
    /// The item of a list, counted from 1; absent if the list itself has too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// In characters, like `length`; for a list itself, in items.
    pub limit: usize,
    pub length: usize,
}

/// An event in the life of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionEvent {
    End,
}

/// The way in which a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionHow {
    /// By command.
    End,
    /// It fell silent, and was ended by another session.
    Sweep,
}

/// The figures of an ended session: only the tool's own, and no text of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEnd {
    pub event: SessionEvent,
    pub how: SessionHow,
    pub started: Ts,
    /// Its duration in seconds; for `sweep`, until its last sign of life. Absent if the clock went back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// The branch at the end; for `sweep`, at the start. Absent if HEAD was detached, or the
    /// branch was not public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Number of commits that HEAD contained at the end and not at the start, and that were committed in between; for
    /// `sweep`, without those made later than the grace time after the last sign of life. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<usize>,
    /// True if files that differ from HEAD at the end were written while it ran; not told for `sweep`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrote: bool,
    /// With commits: the subject of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_subject: Option<String>,
    /// The receipt of the harness's own record, whose text and place never leave the clone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// Number of calls of the harness's hooks while the session ran: prompts, ends of turns, compactions. Absent without
    /// hooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beats: Option<u32>,
    /// The most tokens that one call of the model read, by the transcript; absent if that does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_context: Option<u64>,
    /// Number of calls of `git sq record` that were refused; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<u32>,
}

impl SessionEnd {
    /// Its start, and its end or last sign of life, in milliseconds since 1970; `told` is the time of its line.
    pub fn worked(&self, told: &Ts) -> (i64, i64) {
        let (start, told) = (self.started.as_millis(), told.as_millis());
        let until = self.seconds.map(|seconds| start + i64::from(seconds) * 1000);
        (start, until.map_or(told, |until| until.min(told)))
    }
}

/// The content of a file at the end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transcript {
    pub sha256: String,
    pub bytes: u64,
}
