//! What every entry says before its own part: when, where, by whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Text, Ts};

/// What every entry says before its own part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Envelope<'l> {
    /// Stamped by the tool: UTC, milliseconds.
    pub ts: Ts,
    pub kind: Kind,
    /// A ULID; opaque to readers. Empty where another program wrote the line.
    pub id: Text<'l>,
    /// The session; unique within one writer.
    #[schemars(length(min = 1))]
    pub sid: Text<'l>,
    /// HEAD when the entry was made, a whole id; of an imported entry, what its file has.
    pub repo_head_sha: Text<'l>,
    /// Version of the entry's format.
    pub v: u32,
    /// The program and version that wrote the line.
    pub tool: Text<'l>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Whose git identity it was written under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Person>,
    /// The clone that wrote it; absent where imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<Text<'l>>,
    /// The writer's number of the line, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub n: Option<u64>,
    /// SHA-256 of the writer's line before, without its line feed; absent in its first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub prev: Option<Text<'l>>,
    /// The shared log as the clone knew it; absent where it knew none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen<'l>>,
    /// Blob id of the question store that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Text<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Head<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin<'l>>,
}

/// Who answered, as far as the environment says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
}

/// A person, as commits name them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Person {
    pub name: String,
    pub email: String,
}

/// A state of the shared log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen<'l> {
    /// Its first notes commit, which tells one shared log from another.
    #[serde(borrow)]
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub root: Text<'l>,
    /// Its newest notes commit.
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub tip: Text<'l>,
}

/// Where HEAD was, so that the entry's commit can be found again after history was rewritten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head<'l> {
    /// Short name; absent when HEAD was detached.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Text<'l>>,
    /// The linked worktree's name in the git folder; absent in the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Text<'l>>,
    #[serde(default)]
    pub tree: Text<'l>,
    /// True if tracked files differed from HEAD.
    #[serde(default)]
    pub dirty: bool,
    /// The merge base with the default branch; only away from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Text<'l>>,
    /// Stable patch-id of `git diff -U0 --full-index --no-ext-diff --no-textconv base..HEAD`, whatever is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<Text<'l>>,
    /// 12 hex digits of each commit of base..HEAD, the newest 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<Text<'l>>>,
}

/// Where an imported entry came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin<'l> {
    /// SHA-256 of the file as it was first imported.
    #[serde(borrow, default)]
    pub file: Text<'l>,
    /// Counts from 1.
    #[serde(default)]
    pub line: u64,
    /// Time of the import.
    #[serde(default)]
    pub at: Text<'l>,
}

impl Envelope<'_> {
    /// The clone that wrote the line. Each of its lines has a number, from 1 on: one without is somebody else's.
    pub fn chained_writer(&self) -> Option<&str> {
        let is_numbered = self.n.is_some_and(|n| n > 0);
        self.writer.as_deref().filter(|_| is_numbered)
    }
}
