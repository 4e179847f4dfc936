//! The common part of all entries: time, place, author.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Text, Ts};

/// The common part of all entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Envelope<'l> {
    /// Set by the tool: UTC, milliseconds.
    pub ts: Ts,
    pub kind: Kind,
    /// A ULID; opaque to readers. Empty if another program wrote the line.
    pub id: Text<'l>,
    /// The session; unique within one writer.
    #[schemars(length(min = 1))]
    pub sid: Text<'l>,
    /// HEAD when the entry was made, a whole id; in an imported entry, the value from its file.
    pub repo_head_sha: Text<'l>,
    /// Version of the entry's format.
    pub v: u32,
    /// The program and version that wrote the line.
    pub tool: Text<'l>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// The git identity of its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Person>,
    /// The clone that wrote it; absent if imported.
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
    /// The shared log as the clone knew it; absent if it knew none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen<'l>>,
    /// Blob id of the answered question store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<Text<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Head<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin<'l>>,
}

/// The agent, according to the environment.
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
    /// Its first notes commit, which identifies a shared log.
    #[serde(borrow)]
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub root: Text<'l>,
    /// Its newest notes commit.
    #[schemars(regex(pattern = "^[0-9a-f]{40,64}$"))]
    pub tip: Text<'l>,
}

/// The place of HEAD, so that the entry's commit can be found again after history was rewritten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head<'l> {
    /// Short name; absent if HEAD was detached, or the branch was not public.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Text<'l>>,
    /// A digest of the writer and the linked worktree's name in the git folder; absent in the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Text<'l>>,
    #[serde(default)]
    pub tree: Text<'l>,
    /// True if tracked files differed from HEAD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// The merge base with the default branch; absent on that branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Text<'l>>,
    /// Stable patch-id of `git diff -U0 --full-index --no-ext-diff --no-textconv base..HEAD`; independent of the
    /// configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<Text<'l>>,
    /// 12 hex digits of each commit of base..HEAD, the newest 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<Text<'l>>>,
}

/// The source of an imported entry.
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
    /// The clone that wrote the line, if the line has a number; clones number all their lines.
    pub fn chained_writer(&self) -> Option<&str> {
        let is_numbered = self.n.is_some_and(|n| n > 0);
        self.writer.as_deref().filter(|_| is_numbered)
    }
}
