//! The small closed vocabularies of a question: how much it matters, whether it is asked, what an answer looks like.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::duration;

/// The importance of a question: 3 is for every session, 2 for most sessions, 1 if relevant or stale.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Importance(#[schemars(range(min = 1, max = 3))] pub u8);

/// The status of a version of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Asked and measured.
    #[default]
    Active,
    /// Asked beside the active version to try the wording; not measured.
    Trial,
    /// Replaced by a newer version; kept for the log's sake.
    Deprecated,
    /// No longer asked; kept for the log's sake.
    Retired,
}

impl Status {
    /// Returns true if an answer to it may be recorded.
    pub fn is_asked(self) -> bool {
        matches!(self, Status::Active | Status::Trial)
    }
}

/// The type of an answer, by which the tool compares two answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ShapeForm")]
pub enum Shape {
    Boolean,
    Number(NumberShape),
    Text,
    List(ListOrder),
    /// One of these words.
    Enum(Vec<String>),
}

/// The unit of a number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberShape {
    /// May stand behind the number.
    pub unit: Option<String>,
    /// By how much two answers may differ and be the same.
    #[schemars(range(min = 0))]
    pub tolerance: Option<Number>,
}

/// The order of a list matters or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListOrder {
    Set,
    Order,
}

/// A shape as it is written: a word, or an object that says more.
#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected \"boolean\", \"number\", \"text\", \"list\", {\"enum\": [words]}, {\"number\": {\"unit\": \"ms\", \"tolerance\": 5}} or {\"list\": \"order\"}"
)]
enum ShapeForm {
    Word(ShapeWord),
    Object(ShapeObject),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ShapeWord {
    Boolean,
    Number,
    Text,
    /// Texts whose order does not matter.
    List,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ShapeObject {
    Number(NumberShape),
    List(ListOrder),
    Enum(#[schemars(length(min = 2))] Vec<String>),
}

impl From<ShapeForm> for Shape {
    fn from(form: ShapeForm) -> Self {
        match form {
            ShapeForm::Word(ShapeWord::Boolean) => Self::Boolean,
            ShapeForm::Word(ShapeWord::Number) => Self::Number(NumberShape::default()),
            ShapeForm::Word(ShapeWord::Text) => Self::Text,
            ShapeForm::Word(ShapeWord::List) => Self::List(ListOrder::Set),
            ShapeForm::Object(ShapeObject::Number(number)) => Self::Number(number),
            ShapeForm::Object(ShapeObject::List(order)) => Self::List(order),
            ShapeForm::Object(ShapeObject::Enum(words)) => Self::Enum(words),
        }
    }
}

/// The condition under which a question is due.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = add_aliases)]
pub enum Trigger {
    #[default]
    #[serde(alias = "every_session")]
    EverySession,
    /// When something that it watches changed.
    #[serde(alias = "on_change")]
    OnChange,
    /// When this much time has passed, as in `7d`.
    Every(String),
    /// When it was last answered this many sessions ago, or more: 1 is every session.
    Sessions(#[schemars(range(min = 1))] u32),
}

impl Trigger {
    /// Returns true if a question is due, this time after its last answer and with this number of sessions between.
    /// `is_changed` says if something that it watches changed since.
    pub fn is_due(
        &self,
        sessions: usize,
        elapsed: SignedDuration,
        is_changed: impl FnOnce() -> bool,
    ) -> bool {
        match self {
            Self::EverySession => true,
            Self::OnChange => is_changed(),
            Self::Every(length) => duration(length).is_none_or(|length| elapsed >= length),
            Self::Sessions(number) => sessions + 1 >= *number as usize,
        }
    }
}

/// `schemars` does not know serde's aliases.
fn add_aliases(schema: &mut schemars::Schema) {
    if let Some(choices) = schema.get_mut("oneOf").and_then(|choices| choices.as_array_mut()) {
        choices.push(serde_json::json!({"enum": ["every_session", "on_change"]}));
    }
}

/// Decides if the gate fails when an answer is not the expected one, or when it changes and nothing is expected.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    #[default]
    Informational,
    Blocking,
}
