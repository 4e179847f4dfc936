use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Text;

/// The rule that found the new commit, the strongest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CarryRule {
    /// The new commit has the recorded tree.
    Tree,
    /// The new commit, or as many new commits as old ones, make the recorded change.
    PatchId,
    /// A later entry of the same branch was found.
    Branch,
    /// Git rewrote the commit, and told its hook.
    Rewrite,
    /// A person named the commit.
    Onto,
}

/// Copies entries of a rewritten commit to another one; the entry is on the new commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carried<'l> {
    /// The commit that had the entries, and keeps them.
    #[serde(borrow)]
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub from: Text<'l>,
    /// The commit that has them now.
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub to: Text<'l>,
    pub rule: CarryRule,
    /// The id of each copied line; for a line without one, the first 16 digits of its SHA-256.
    #[schemars(length(min = 1))]
    pub entries: Vec<Text<'l>>,
    /// The answers among them that rules flag at `from`, each as `QUESTION ENTRY`: perhaps no other clone has that commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<Text<'l>>,
    /// In the same form, the other answers that depend on what differs between `from` and `to`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<Text<'l>>,
}
