use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Number;

use super::Citation;

/// Characters of a topic at most, as people count them (grapheme clusters).
pub const TOPIC_MAX: usize = 280;
/// Characters of a source at most.
pub const SOURCE_MAX: usize = 140;
/// Characters of the note of a closing at most.
pub const CLOSING_NOTE_MAX: usize = 500;

/// Reads a number from 0 to 1.
///
/// # Errors
pub fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    is_share(share)
        .then_some(share)
        .ok_or_else(|| D::Error::custom("expected a number from 0 to 1"))
}

pub fn is_share(number: f64) -> bool {
    (0.0..=1.0).contains(&number)
}

/// The subject of a tension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum TensionType {
    /// Something that is not understood.
    Unknown,
    /// Two things that can't both be true.
    Inconsistency,
    /// Work that was started and not finished.
    DroppedThread,
    /// Something that should exist and does not.
    Gap,
    Other,
}

/// The way in which an entry closed a tension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ClosedAs {
    /// There is an answer.
    Resolved,
    /// It is no longer a question.
    Withdrawn,
}

/// The opening of a tension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TensionOpened {
    /// One line, at most 280 characters as people count them.
    #[schemars(length(min = 1))]
    pub topic: String,
    #[serde(rename = "type")]
    pub tension_type: TensionType,
    /// The place where it came up, in free words; at most 140 characters.
    #[schemars(length(min = 1))]
    pub source: String,
    /// The agent's wish for the answer, 0 to 1.
    #[serde(deserialize_with = "share")]
    #[schemars(with = "Number", range(min = 0, max = 1))]
    pub curiosity: f64,
    /// The worth of interrupting a person for it, 0 to 1.
    #[serde(deserialize_with = "share")]
    #[schemars(with = "Number", range(min = 0, max = 1))]
    pub intrusiveness: f64,
    /// The time for which it stays open; without it, the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The number of open tensions from which on this opening makes one overflow; without it, the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<u32>,
    /// The evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cite: Vec<Citation>,
}

/// The closing of a tension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TensionClosed {
    /// The id of the entry that opened it.
    pub tension: String,
    #[serde(rename = "as")]
    pub closed_as: ClosedAs,
    /// The answer, or the reason for the withdrawal; one line, at most 500 characters.
    #[schemars(length(min = 1))]
    pub note: String,
    /// The evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cite: Vec<Citation>,
}
