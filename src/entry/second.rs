//! What somebody else found when deriving a recorded answer again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A second look at the answer of an entry, at that entry's commit; of one session, the first one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLook {
    /// The id of the entry that has the answer.
    pub entry: String,
    #[schemars(length(min = 1))]
    pub q_id: String,
    pub q_version: u32,
    /// True if the answer is the recorded one.
    pub agrees: bool,
    /// What was found.
    pub answer: Value,
    /// Why that is another answer, or the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
