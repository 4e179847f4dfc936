//! The entries that this program writes: keys in the order of the format, the kind's own after the envelope's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ts;

/// What stands in `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Rederive,
    Carry,
    State,
    Alert,
    Session,
    #[serde(rename = "tension.open")]
    TensionOpen,
    #[serde(rename = "tension.close")]
    TensionClose,
}

/// What every entry says before its own part.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Envelope {
    /// Stamped by the tool: UTC, milliseconds.
    pub ts: Ts,
    pub kind: Kind,
    /// A ULID; opaque to readers.
    pub id: String,
    /// The session; unique within one writer.
    #[schemars(length(min = 1))]
    pub sid: String,
    /// HEAD when the entry was made; abbreviated only where it was imported so.
    #[schemars(regex(pattern = "^[0-9a-f]{7,64}$"))]
    pub repo_head_sha: String,
    /// Version of the entry's format.
    pub v: u32,
    /// The program and version that wrote the line.
    pub tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The clone that wrote it; absent where imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
    /// Blob id of the question store that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Who answered, as far as the environment says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
}

/// Where HEAD was, so that the entry's home can be found after history was rewritten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Head {
    /// Short name; absent when HEAD was detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The linked worktree's name in the git folder; absent in the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    pub tree: String,
    /// Whether tracked files differed from HEAD.
    pub dirty: bool,
    /// The merge base with the default branch; only away from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Stable patch-id of `git diff -U0 --full-index --no-ext-diff --no-textconv base..HEAD`, whatever is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
    /// 12 hex digits of each commit of base..HEAD, the newest 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<String>>,
}

/// Where an imported entry came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Origin {
    /// SHA-256 of the file.
    pub file: String,
    /// Counts from 1.
    pub line: u64,
    /// Time of the import.
    pub at: Ts,
}

/// A session's answers: one line of the log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RederiveEntry {
    #[serde(flatten)]
    pub envelope: Envelope,
    /// One for each question that was re-derived; the rest are absent, and their absence is counted.
    #[schemars(length(min = 1))]
    pub results: Vec<ResultOut>,
}

/// What became of one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResultOut {
    #[schemars(length(min = 1))]
    pub q_id: String,
    /// A time; of any width where it was imported.
    #[schemars(with = "String")]
    pub last_rederived_ts: Ts,
    /// Whether the fresh answer differs from the last recorded one.
    pub delta: bool,
    /// What changed, or anything worth recording; a delta and a first derivation carry one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Left out for 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q_version: Option<u32>,
}

/// What showed where the entries of a rewritten commit belong, the strongest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CarryRule {
    /// The new commit has the tree that was recorded.
    Tree,
    /// The new commit, or as many commits as there were, change what was recorded.
    PatchId,
    /// A later entry of the same branch was found.
    Branch,
    /// In old lines only: merging the old commit into the new one's parent gave the new one's tree.
    MergeTree,
    /// Somebody said so.
    Onto,
}

impl CarryRule {
    /// As the log writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::PatchId => "patch-id",
            Self::Branch => "branch",
            Self::MergeTree => "merge-tree",
            Self::Onto => "onto",
        }
    }
}

/// Says that entries of a rewritten commit were copied to another one: one line of the log, on the new commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CarryEntry {
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The commit that had the entries, and keeps them.
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub from: String,
    /// The commit that has them now.
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub to: String,
    pub rule: CarryRule,
    /// The id of each line that was copied; of a line without one, the first 16 digits of its SHA-256.
    #[schemars(length(min = 1))]
    pub entries: Vec<String>,
}
