//! Versions that are written in several ways.

use serde_json::Value;

use super::{Found, Prober};
use crate::{
    git::{self, Oid},
    question::{Probe, TextKind, TextOf, ValueOf},
};

/// Numbers of a version without a `precision`: those of <https://semver.org>.
const NUMBERS: usize = 3;

/// The value, read as it is meant; the error is the reason why it can't be.
pub fn read(
    kind: Option<TextKind>,
    precision: Option<usize>,
    value: Value,
) -> Result<Value, String> {
    match (kind, value) {
        (None, value) => Ok(value),
        (Some(TextKind::Version), Value::Array(items)) => {
            items.iter().map(|item| version(item, precision)).collect()
        }
        (Some(TextKind::Version), value) => version(&value, precision),
    }
}

/// Two places, compared as versions to the shorter one's precision if both are versions at this commit.
/// # Errors
/// Fails if an object is missing.
pub fn as_versions(prober: &Prober, commit: Oid, mut places: Vec<Probe>) -> git::Result<Probe> {
    let found = prober.run(commit, &Probe::Agree(places.clone()))?;
    let numbers = found.parts.iter().map(|part| match part {
        Found::Value(Value::String(text)) => numbers(text),
        _ => None,
    });
    if let Some(numbers) = numbers.collect::<Option<Vec<_>>>() {
        for place in &mut places {
            if let Probe::Value(ValueOf { kind, precision, .. })
            | Probe::Text(TextOf { kind, precision, .. }) = place
            {
                (*kind, *precision) = (Some(TextKind::Version), numbers.iter().min().copied());
            }
        }
    }
    Ok(Probe::Agree(places))
}

/// How many numbers a plain version has, as in `v1.70` or `>=1.70.0`.
fn numbers(text: &str) -> Option<usize> {
    let numbers = text.trim_start_matches(['v', '^', '~', '=', '>', ' ']);
    let count = numbers.split('.').count();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (numbers.split('.').all(is_number) && (2..=4).contains(&count)).then_some(count)
}

/// The numbers from the first digit on, and without a precision what follows `-`.
fn version(value: &Value, precision: Option<usize>) -> Result<Value, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_f64() => number.to_string(),
        // 3.10 as a number is 3.1.
        other => {
            return Err(format!("{other} is not a version: quote it, or read it as `text`"));
        }
    };
    let from = text
        .find(|c: char| c.is_ascii_digit())
        .ok_or_else(|| format!("there is no version in {text:?}"))?;
    let rest = &text[from..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (numbers, after) = rest.split_at(end.unwrap_or(rest.len()));
    let mut numbers: Vec<&str> = numbers.split('.').filter(|number| !number.is_empty()).collect();
    numbers.resize(precision.unwrap_or(NUMBERS.max(numbers.len())), "0");
    let numbers: Vec<&str> = numbers
        .iter()
        .map(|number| match number.trim_start_matches('0') {
            "" => "0",
            number => number,
        })
        .collect();
    let label = after.strip_prefix('-').filter(|_| precision.is_none());
    let ends = |c: char| !c.is_ascii_alphanumeric() && !".-".contains(c);
    let label = label.and_then(|label| label.split(ends).next());
    let label = label.filter(|label| !label.is_empty());
    let label = label.map_or_else(String::new, |label| format!("-{label}"));
    Ok((numbers.join(".") + &label).into())
}
