//! What a session answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Citation, Text};

/// A session's answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rederive<'l> {
    /// One for each question that was re-derived; the rest are absent, and their absence is counted. Only imported
    /// entries have none at all.
    #[serde(borrow)]
    pub results: Vec<Answer<'l>>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer<'l> {
    #[serde(borrow)]
    #[schemars(length(min = 1))]
    pub q_id: Text<'l>,
    /// A time; of any width where it was imported.
    #[serde(default)]
    pub last_rederived_ts: Option<Text<'l>>,
    /// True if the fresh answer differs from the last recorded one.
    #[serde(default)]
    pub delta: bool,
    /// What changed, or anything worth recording; a delta and a first derivation carry one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Text<'l>>,
    /// Left out for 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_version: Option<u32>,
    /// What the session said of `delta`, where the tool found otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<bool>,
    /// The answer itself: a value, `{"sha256": …}` of a long one, `{"gone": true}` where there is nothing to read, or
    /// `{"unstable": true}` where two runs of a command differed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
    /// The id of the entry whose answer it disputes: that was wrong, though nothing changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<Text<'l>>,
}

/// How a command ran that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandRun {
    /// Its exit code.
    pub exit: i32,
    /// Duration, in milliseconds.
    pub ms: u64,
    /// SHA-256 of what it printed to standard output, at most 1 MiB of it.
    pub sha256: String,
}

/// The answer of a command whose runs give several.
pub fn unstable() -> Value {
    json!({ "unstable": true })
}

impl Answer<'_> {
    /// The version of the question that was answered.
    pub fn version(&self) -> u32 {
        self.q_version.unwrap_or(1)
    }

    /// The lines that it cites.
    pub fn cites(&self) -> Vec<Citation> {
        let cites = self.evidence.as_ref().and_then(|all| all.get("cites"));
        let cites = cites.and_then(Value::as_array).into_iter().flatten();
        cites
            .filter_map(|cite| Citation::deserialize(cite).ok())
            .collect()
    }

    /// Returns true if it cites anything.
    pub fn is_cited(&self) -> bool {
        let evidence = self.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.get("cites").is_some())
    }

    /// Returns true if its command was run twice and gave two answers: that answers nothing.
    pub fn is_unstable(&self) -> bool {
        self.answer == Some(unstable())
    }

    /// Returns true if a probe derived it.
    pub fn is_probed(&self) -> bool {
        let evidence = self.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.get("probe").is_some_and(Value::is_string))
    }
}

/// A recorded value in words: texts as they are, lists with commas.
pub fn value_text(value: &Value) -> String {
    let items = value.as_array().map(|items| {
        let items: Vec<String> = items.iter().map(value_text).collect();
        items.join(", ")
    });
    let text = items.or_else(|| value.as_str().map(str::to_owned));
    text.unwrap_or_else(|| value.to_string())
}
