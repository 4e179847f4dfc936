use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Citation, Text, begins};

/// A session's answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rederive<'l> {
    /// One for each answered question; the absence of the others is counted. Only imported entries may have none at
    /// all.
    #[serde(borrow)]
    pub results: Vec<Answer<'l>>,
    /// True if the session insisted on what a rule doubted, with `--sure`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sure: bool,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer<'l> {
    #[serde(borrow)]
    #[schemars(length(min = 1))]
    pub q_id: Text<'l>,
    /// The words of the question, in the first answer to it that the clone knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Text<'l>>,
    /// A time of any precision, in imported entries; without it, the time of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_rederived_ts: Option<Text<'l>>,
    /// True if the fresh answer differs from the last recorded one.
    #[serde(default)]
    pub delta: bool,
    /// The change, or anything worth recording; required for a delta and a first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Text<'l>>,
    /// Left out for 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_version: Option<u32>,
    /// The session's own `delta`, if the tool found otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<bool>,
    /// The answer itself: a value, `{"sha256", "bytes", "begins"}` of a long one, `{"gone": true}` if there is nothing to
    /// read, or `{"unstable": true}` if two runs of a command differed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The answer that a bare `same` repeats, for readers with git alone. This program never reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Value>,
    /// The evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
    /// The id of the entry whose answer it disputes: that was wrong, though nothing changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrects: Option<Text<'l>>,
}

/// The run of a command that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandRun {
    /// Its exit code.
    pub exit: i32,
    /// In milliseconds.
    pub ms: u64,
    /// SHA-256 of what it printed to standard output, at most 1 MiB of it.
    pub sha256: String,
}

pub fn unstable() -> Value {
    json!({ "unstable": true })
}

impl Answer<'_> {
    /// 1 if the line has none.
    pub fn version(&self) -> u32 {
        self.q_version.unwrap_or(1)
    }

    /// Only valid citations.
    pub fn cites(&self) -> Vec<Citation> {
        cites_in(self.evidence.as_ref())
    }

    pub fn is_cited(&self) -> bool {
        let evidence = self.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.get("cites").is_some())
    }

    pub fn is_probed(&self) -> bool {
        let evidence = self.evidence.as_ref();
        evidence.is_some_and(|evidence| evidence.get("probe").is_some_and(Value::is_string))
    }
}

/// The valid citations of an answer's evidence.
pub fn cites_in(evidence: Option<&Value>) -> Vec<Citation> {
    let cites = evidence.and_then(|all| all.get("cites")).and_then(Value::as_array);
    cites.into_iter().flatten().filter_map(|cite| Citation::deserialize(cite).ok()).collect()
}

/// The word for a value in JSON.
pub fn word(value: &impl Serialize) -> String {
    value_text(&json!(value))
}

/// A recorded value in words: texts as they are, lists with commas, and the beginnings of long ones.
pub fn value_text(value: &Value) -> String {
    if let Some(begins) = begins(value) {
        return format!("{}… ({} bytes)", value_text(begins), value["bytes"]);
    }
    if *value == unstable() {
        return "two different answers".to_owned();
    }
    value
        .as_array()
        .map(|items| {
            let items: Vec<String> = items.iter().map(value_text).collect();
            if items.is_empty() { "none".to_owned() } else { items.join(", ") }
        })
        .or_else(|| {
            let text = value.as_str()?;
            Some(if text.trim().is_empty() { "(empty)" } else { text }.to_owned())
        })
        .unwrap_or_else(|| value.to_string())
}
