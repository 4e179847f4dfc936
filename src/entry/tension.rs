//! What the two entries of an open question say: that it was opened, and that it was closed.

use std::borrow::Cow;

use clap::ValueEnum;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::Citation;

/// The longest topic, in characters as people count them (grapheme clusters).
pub const TOPIC_MAX: usize = 280;
/// The longest source.
pub const SOURCE_MAX: usize = 140;
/// The longest note of a closing.
pub const CLOSING_NOTE_MAX: usize = 500;

/// A number from 0 to 1. Reading refuses any other, so that nothing downstream meets one that has no order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Eq for Share {}

impl Share {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            // What is 0 has no sign.
            Ok(Self(value.abs()))
        } else {
            Err(format!("must be between 0 and 1, not {value}"))
        }
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// What an open question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum TensionType {
    /// Something that is not understood.
    Unknown,
    /// Two things that can't both be so.
    Inconsistency,
    /// Something that was begun and left.
    DroppedThread,
    /// Something that should be there and is not.
    Gap,
    Other,
}

impl TensionType {
    /// As the log writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Inconsistency => "inconsistency",
            Self::DroppedThread => "dropped-thread",
            Self::Gap => "gap",
            Self::Other => "other",
        }
    }
}

/// How somebody closed an open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ClosedAs {
    /// There is an answer.
    Resolved,
    /// It is no longer a question.
    Withdrawn,
}

/// What was wondered about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TensionOpened {
    /// One line, at most 280 characters as people count them.
    #[schemars(length(min = 1))]
    pub topic: String,
    #[serde(rename = "type")]
    pub tension_type: TensionType,
    /// Where it came up, in free words; at most 140 characters.
    #[schemars(length(min = 1))]
    pub source: String,
    /// How much it pulls, 0 to 1.
    pub curiosity: Share,
    /// How much asking about it would be worth an interruption, 0 to 1.
    pub intrusiveness: Share,
    /// How long it stays open, whatever its curiosity; left out where the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cite: Vec<Citation>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TensionClosed {
    /// The id of the entry that opened it.
    pub tension: String,
    #[serde(rename = "as")]
    pub closed_as: ClosedAs,
    /// The answer, or why it is no question any more; one line, at most 500 characters.
    #[schemars(length(min = 1))]
    pub note: String,
    /// What that rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cite: Vec<Citation>,
}
