//! The drift that is no surprise.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::probe::regex;

/// The drift that is no surprise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// A number, or a version such as `1.10.2`, that grows.
    Increase,
    /// One that shrinks.
    Decrease,
    /// None.
    Stable,
    /// A new answer that this regular expression matches: a text, or the JSON of any other value.
    Pattern(#[schemars(length(min = 1))] String),
    /// A change since which one of these pathspecs changed, too.
    When(#[schemars(length(min = 1))] Vec<String>),
}

impl Expect {
    /// What was expected, in words.
    pub fn words(&self) -> String {
        match self {
            Self::Increase => "to increase".into(),
            Self::Decrease => "to decrease".into(),
            Self::Stable => "to stay".into(),
            Self::Pattern(pattern) => format!("to match {pattern}"),
            Self::When(paths) => format!("to change with {}", paths.join(" ")),
        }
    }

    /// Whether an answer may become another one. None where that is no matter of the two.
    pub fn allows(&self, old: &Value, new: &Value) -> Option<bool> {
        match self {
            Self::Increase => Some(order(old, new) == Some(Ordering::Less)),
            Self::Decrease => Some(order(old, new) == Some(Ordering::Greater)),
            Self::Stable => Some(false),
            Self::Pattern(pattern) => {
                let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
                Some(regex(pattern).is_ok_and(|pattern| pattern.is_match(text.as_bytes())))
            }
            Self::When(_) => None,
        }
    }

    /// What is wrong with it.
    pub(super) fn mistake(&self) -> Option<String> {
        match self {
            Self::Pattern(pattern) if pattern.is_empty() => Some("empty regular expression".into()),
            Self::Pattern(pattern) => regex(pattern).err(),
            Self::When(paths) if paths.is_empty() => Some("expected at least one pathspec".into()),
            Self::When(paths) if paths.iter().any(String::is_empty) => {
                Some("empty pathspec".into())
            }
            _ => None,
        }
    }
}

/// How two numbers, or two versions, compare.
fn order(old: &Value, new: &Value) -> Option<Ordering> {
    match (old, new) {
        (Value::Number(old), Value::Number(new)) => old.as_f64()?.partial_cmp(&new.as_f64()?),
        (Value::String(old), Value::String(new)) => Some(version(old)?.cmp(&version(new)?)),
        _ => None,
    }
}

/// The numbers of `v1.10.2`.
fn version(text: &str) -> Option<Vec<u64>> {
    let numbers = text.trim_start_matches('v').split('.');
    numbers.map(|number| number.parse().ok()).collect()
}
