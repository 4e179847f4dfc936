//! The answer that a question expects, or the change of it.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{NumberShape, Shape, canonical, compiled::regex, is_same_answer};
use crate::entry::begins;

/// The change that is no surprise, or the answer that must hold.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// A number, or a version such as `1.10.2`, that grows.
    Increase,
    /// One that shrinks.
    Decrease,
    /// No change.
    Stable,
    /// A change since which one of these pathspecs changed, too.
    When(#[schemars(length(min = 1))] Vec<String>),
    /// An answer that this regular expression matches: a text, or the JSON of any other value.
    Pattern(#[schemars(length(min = 1))] String),
    /// A number that is not larger; as a text, a version that is not later.
    AtMost(#[schemars(extend("type" = ["number", "string"]))] Value),
    /// A number that is not smaller; as a text, a version that is not earlier.
    AtLeast(#[schemars(extend("type" = ["number", "string"]))] Value),
    /// This answer.
    #[serde(untagged)]
    Is(#[schemars(extend("type" = ["boolean", "number", "string", "array"]))] Value),
}

const FORMS: &str = r#"expected `increase`, `decrease`, `stable`, {"when": ["src/"]}, {"pattern": "^[0-9]+$"}, {"at_most": 5}, {"at_least": "3.10"}, or the answer: true, a number, a text, a list, or `none`"#;

impl Expect {
    pub fn words(&self) -> String {
        match self {
            Self::Increase => "to increase".into(),
            Self::Decrease => "to decrease".into(),
            Self::Stable => "to stay".into(),
            Self::When(paths) => format!("to change with {}", paths.join(" ")),
            Self::Pattern(pattern) => format!("to match {pattern}"),
            Self::AtMost(limit) => format!("to be at most {}", plain(limit)),
            Self::AtLeast(limit) => format!("to be at least {}", plain(limit)),
            Self::Is(value) => format!("to be {}", plain(value)),
        }
    }

    /// Returns true if it is about the answer rather than about its changes.
    pub fn must_hold(&self) -> bool {
        self.holds(None, &Value::Null).is_some()
    }

    /// Returns true if an answer is what it must be. None where only changes are expected.
    pub fn holds(&self, shape: Option<&Shape>, answer: &Value) -> Option<bool> {
        let begins = begins(answer);
        let against = |limit: &Value| match limit {
            Value::String(_) => compare(answer, limit),
            limit => number(shape, answer)?.partial_cmp(&limit.as_f64()?),
        };
        let holds = match self {
            Self::Pattern(pattern) => {
                let known = begins.unwrap_or(answer);
                let mut text = known.as_str().map_or_else(|| known.to_string(), str::to_owned);
                // No pattern matches an end that is not known.
                text.extend(begins.map(|_| '…'));
                regex(pattern).is_ok_and(|pattern| pattern.is_match(text.as_bytes()))
            }
            Self::AtMost(limit) => against(limit).is_some_and(Ordering::is_le),
            Self::AtLeast(limit) => against(limit).is_some_and(Ordering::is_ge),
            Self::Is(value) => {
                is_same_answer(shape, value, answer) || says_nothing(value) && is_nothing(answer)
            }
            Self::Increase | Self::Decrease | Self::Stable | Self::When(_) => return None,
        };
        // Other objects stand for what is gone, unstable, or known by its digest alone.
        Some(holds && (begins.is_some() || !answer.is_object()))
    }

    /// Returns true if an answer may become another one. None where that is no matter of the two.
    pub fn allows(&self, shape: Option<&Shape>, old: &Value, new: &Value) -> Option<bool> {
        match self {
            Self::Increase => Some(order(old, new) == Some(Ordering::Less)),
            Self::Decrease => Some(order(old, new) == Some(Ordering::Greater)),
            Self::Stable => Some(false),
            other => other.holds(shape, new),
        }
    }

    /// Returns true if no answer of a shape can change as it says: only numbers and versions go up and down.
    pub(super) fn never_allows(&self, shape: &Shape) -> bool {
        let has_order = match shape {
            Shape::Number(_) | Shape::Text => true,
            Shape::Enum(words) => words.iter().any(|word| version(word).is_some()),
            Shape::Boolean | Shape::List(_) => false,
        };
        matches!(self, Self::Increase | Self::Decrease) && !has_order
    }

    /// Problems of it, for answers of a shape, or of a probe.
    pub(super) fn mistake(&self, shape: Option<&Shape>, is_probed: bool) -> Option<String> {
        let shape = shape.or((!is_probed).then_some(&Shape::Text));
        match self {
            Self::Pattern(pattern) if pattern.is_empty() => Some("empty regular expression".into()),
            Self::Pattern(pattern) => regex(pattern).err(),
            Self::When(paths) if paths.is_empty() => Some("expected at least one pathspec".into()),
            Self::When(paths) => {
                paths.iter().any(String::is_empty).then(|| "empty pathspec".into())
            }
            Self::AtMost(Value::String(limit)) | Self::AtLeast(Value::String(limit)) => {
                let is_plain = limit.starts_with(|c: char| c.is_ascii_digit() || c == 'v');
                let fits = is_plain && version(limit).is_some();
                let fits = fits && matches!(shape, None | Some(Shape::Text));
                (!fits).then(|| format!("{limit:?} is no limit of such answers"))
            }
            Self::AtMost(Value::Number(_)) | Self::AtLeast(Value::Number(_)) => {
                let fits = matches!(shape, None | Some(Shape::Number(_)));
                (!fits).then(|| "a limit needs the shape `number`".into())
            }
            Self::Is(Value::Array(_)) if matches!(shape, None | Some(Shape::List(_))) => None,
            Self::AtMost(_)
            | Self::AtLeast(_)
            | Self::Is(Value::Null | Value::Array(_) | Value::Object(_)) => Some(FORMS.into()),
            Self::Is(value) if shape == Some(&Shape::Text) && !value.is_string() => {
                Some("the answer is a text: expected a text, or a `shape`".into())
            }
            Self::Is(value) if shape.is_some() || value.is_number() => {
                canonical(shape, value).err()
            }
            _ => None,
        }
    }
}

/// Returns true for the expectation that there is nothing.
fn says_nothing(value: &Value) -> bool {
    is_nothing(value) || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("none"))
}

fn is_nothing(answer: &Value) -> bool {
    answer == "" || answer.as_array().is_some_and(Vec::is_empty)
}

/// An answer as a number.
fn number(shape: Option<&Shape>, answer: &Value) -> Option<f64> {
    let plain = Shape::Number(NumberShape::default());
    let shape = shape.filter(|shape| matches!(shape, Shape::Number(_)));
    canonical(shape.or(Some(&plain)), answer).ok()?.as_f64()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Compares limits, and answers with them: of a whole number that is a version, too, nothing is lost.
pub(super) fn compare(one: &Value, two: &Value) -> Option<Ordering> {
    let as_text = |value: &Value| match value {
        Value::Number(number) if !number.is_f64() => Value::from(number.to_string()),
        value => value.clone(),
    };
    order(one, two).or_else(|| order(&as_text(one), &as_text(two)))
}

/// Compares two numbers, or two versions.
fn order(old: &Value, new: &Value) -> Option<Ordering> {
    match (old, new) {
        (Value::Number(old), Value::Number(new)) => old.as_f64()?.partial_cmp(&new.as_f64()?),
        (Value::String(old), Value::String(new)) => Some(version(old)?.cmp(&version(new)?)),
        _ => None,
    }
}

/// A part of a pre-release. Numbers come before words, as in <https://semver.org>.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Word(String),
}

/// The numbers of `^v1.10.2-rc.1`, whether it is released, and the parts of what comes after the numbers.
fn version(text: &str) -> Option<(Vec<u64>, bool, Vec<Part>)> {
    let text = text.trim_end().trim_start_matches([' ', 'v', 'V', '^', '~', '>', '=']);
    let text = text.split('+').next()?;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (numbers, label) = text.split_at(end);
    let is_label = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let numbers = numbers.trim_end_matches('.').split('.').map(|number| number.parse().ok());
    let mut numbers: Vec<u64> =
        numbers.collect::<Option<_>>().filter(|_| label.chars().all(is_label))?;
    while numbers.pop_if(|last| *last == 0).is_some() {}
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let parts = label
        .split(|c: char| !c.is_ascii_alphanumeric())
        .flat_map(|part| part.as_bytes().chunk_by(move |one, two| is_digit(one) == is_digit(two)));
    let parts = parts.map(|part| {
        let word = String::from_utf8_lossy(part).to_lowercase();
        word.parse().map_or(Part::Word(word), Part::Number)
    });
    Some((numbers, label.is_empty(), parts.collect()))
}
