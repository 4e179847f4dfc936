use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hides the text of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redacted {
    /// The id of the entry.
    #[schemars(length(min = 1))]
    pub entry: String,
    /// The first 32 digits of the SHA-256 of its line; of an imported one, without `origin`.
    #[schemars(regex(pattern = "^[0-9a-f]{32}$"))]
    pub line: String,
    /// The reason; one line, at most 500 characters.
    #[schemars(length(min = 1))]
    pub because: String,
}
