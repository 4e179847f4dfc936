//! Answers in canonical form, so that two of them can be compared.

use serde_json::{Number, Value};
use unicode_normalization::UnicodeNormalization as _;

use super::{ListOrder, NumberShape, Shape};
use crate::entry::{is_same_recorded, recorded};

/// The slack of a tolerance: decimals have no exact binary form.
const ROUNDING: f64 = 1e-9;

/// Reads an answer: what people write as well as what is canonical already. Without a shape, it is a text.
///
/// # Errors
pub fn canonical(shape: Option<&Shape>, given: &Value) -> Result<Value, String> {
    let read = match shape {
        None | Some(Shape::Text) => text(given).filter(|text| !text.is_empty()).map(Value::from),
        Some(Shape::Boolean) => boolean(given).map(Value::from),
        Some(Shape::Number(shape)) => number(shape, given).map(Value::from),
        Some(Shape::List(order)) => list(*order, given).map(Value::from),
        Some(Shape::Enum(words)) => word(words, given).map(Value::from),
    };
    read.ok_or_else(|| format!("expected {}", expected(shape)))
}

/// Returns true if two recorded answers are the same: numbers may differ by the tolerance.
pub fn is_same_answer(shape: Option<&Shape>, one: &Value, two: &Value) -> bool {
    let [one, two] =
        [one, two].map(|value| recorded(&canonical(shape, value).unwrap_or(value.clone())));
    let tolerance = match shape {
        Some(Shape::Number(number)) => number.tolerance.as_ref().and_then(Number::as_f64),
        _ => None,
    };
    let is_within = match (one.as_f64(), two.as_f64(), tolerance) {
        (Some(one), Some(two), Some(tolerance)) => {
            (one - two).abs() <= tolerance * (1.0 + ROUNDING)
        }
        _ => false,
    };
    is_same_recorded(&one, &two) || is_within
}

/// The type of an answer, in words.
pub fn expected(shape: Option<&Shape>) -> String {
    match shape {
        None | Some(Shape::Text) => "a text".into(),
        Some(Shape::Boolean) => "true or false".into(),
        Some(Shape::Number(NumberShape { unit, .. })) => match unit {
            Some(unit) => format!("a number, in {unit}"),
            None => "a number".into(),
        },
        Some(Shape::List(_)) => "a list of texts, as in `a, b`".into(),
        Some(Shape::Enum(words)) => format!("one of: {}", words.join(", ")),
    }
}

/// A text, a number or a boolean as one line with single blanks.
fn text(given: &Value) -> Option<String> {
    let text = match given {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return None,
    };
    Some(plain(&text))
}

/// A text as one line with single blanks, each letter written in one way.
pub fn plain(text: &str) -> String {
    let text: String = text.nfc().collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn boolean(given: &Value) -> Option<bool> {
    match text(given)?.to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

fn number(shape: &NumberShape, given: &Value) -> Option<Number> {
    let text = text(given)?;
    let unit = shape.unit.as_deref().map(plain).unwrap_or_default();
    let digits = text.strip_suffix(&unit).unwrap_or(&text).trim_end();
    let number: Number = serde_json::from_str(digits).ok()?;
    // 3.0 and 3e0 are 3.
    let whole = number
        .as_f64()
        .filter(|_| number.is_f64())
        .and_then(|number| number.to_string().parse::<i64>().ok());
    Some(whole.map_or(number, Number::from))
}

fn list(order: ListOrder, given: &Value) -> Option<Vec<String>> {
    let mut items: Vec<String> = match given {
        Value::Array(items) => items.iter().map(text).collect::<Option<_>>()?,
        given => {
            let given = text(given)?;
            if given.starts_with('[') {
                let items: Vec<Value> = serde_json::from_str(&given).ok()?;
                return list(order, &items.into());
            }
            given.split(',').map(plain).collect()
        }
    };
    items.retain(|item| !item.is_empty());
    if order == ListOrder::Set {
        items.sort_unstable();
        items.dedup();
    }
    Some(items)
}

fn word(words: &[String], given: &Value) -> Option<String> {
    let text = text(given)?;
    let exact = words.iter().find(|word| plain(word) == text);
    let is_near = |word: &&String| plain(word).to_lowercase() == text.to_lowercase();
    exact.or_else(|| words.iter().find(is_near)).cloned()
}
