use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A second look at the answer of an entry, at that entry's commit; each session's first one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLook {
    /// The id of the entry with the answer.
    pub entry: String,
    #[schemars(length(min = 1))]
    pub q_id: String,
    pub q_version: u32,
    /// True if both answers are the same.
    pub agrees: bool,
    /// The new answer.
    pub answer: Value,
    /// The difference, or the reason why both answers are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
