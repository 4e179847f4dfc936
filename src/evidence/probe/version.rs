//! Versions that are written in several ways.

use std::{cmp::Ordering, sync::LazyLock};

use regex::Regex;
use serde_json::Value;

use super::{Found, Prober};
use crate::{
    git::{self, Oid},
    question::{Probe, TextKind, TextOf, ValueOf},
};

/// Numbers of a version without a `precision`: those of <https://semver.org>.
const NUMBERS: usize = 3;

/// One bound of a range, as in `>= 1.70.0-rc.1`, perhaps at the end of a sentence.
const BOUND: &str = r"(?<sign>[<>=!~^]{1,3})?\s*[vV]?(?<numbers>\d+(?:\.\d+)*)(?:\.[xX*])*\.?(?<label>-[A-Za-z][0-9A-Za-z.-]*)?(?:\+[0-9A-Za-z.-]+)?";

/// As the package managers of JavaScript, Rust, PHP, Ruby and Python write ranges.
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    let bound =
        BOUND.replace("?<sign>", "?:").replace("?<numbers>", "?:").replace("?<label>", "?:");
    Regex::new(&format!(r"^\s*{bound}(?:(?:\s*\|\|?\s*|\s*,\s*|\s+-\s+|\s+){bound})*\s*$"))
        .expect("a valid pattern")
});

static BOUNDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(BOUND).expect("a valid pattern"));

/// The label of a version that is not out yet.
pub const LABEL: &str = r"(?i-u:[.-]?(?:a|b|c|alpha|beta|rc|dev|pre|preview|snapshot|next|canary|nightly)(?:[.-]?\d+)*\b)";

static LABELLED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"\d{LABEL}")).expect("a valid pattern"));

/// Returns true if a text has a version that is not out yet.
pub fn is_unreleased(value: &Value) -> bool {
    value.as_str().is_some_and(|text| LABELLED.is_match(text))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    /// Without zeros in front.
    numbers: Vec<String>,
    label: Option<String>,
}

impl Version {
    fn new(numbers: &str, label: Option<&str>) -> Self {
        let numbers = numbers.split('.').filter(|number| !number.is_empty());
        Self {
            numbers: numbers
                .map(|number| match number.trim_start_matches('0') {
                    "" => "0".to_owned(),
                    number => number.to_owned(),
                })
                .collect(),
            label: label.filter(|label| !label.is_empty()).map(str::to_owned),
        }
    }

    /// Reads a value as a version, of a range its lowest bound; with a precision, without what comes after. The error is
    /// the reason why it can't be read.
    pub fn read(value: &Value, precision: Option<usize>) -> Result<Self, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) if !number.is_f64() => number.to_string(),
            // 3.10 as a number is 3.1.
            other => {
                return Err(format!("{other} is not a version: quote it, or read it as `text`"));
            }
        };
        let mut version = if RANGE.is_match(&text) {
            lowest(&text).ok_or_else(|| format!("{text:?} has no lowest version"))?
        } else {
            first(&text).ok_or_else(|| format!("there is no version in {text:?}"))?
        };
        if let Some(precision) = precision {
            version.numbers.truncate(precision);
            version.label = None;
        }
        Ok(version)
    }

    /// Returns true if they are the same as far as both go: 18 agrees with 18.15, and 1.2.0 not with 1.2.0-rc.1.
    pub fn agrees(&self, other: &Self) -> bool {
        let (short, long) =
            if self.numbers.len() < other.numbers.len() { (self, other) } else { (other, self) };
        let ends_before = short.label.is_none() && short.numbers.len() < long.numbers.len();
        long.numbers.starts_with(&short.numbers) && (ends_before || short.label == long.label)
    }

    /// Always with as many numbers, so that two spellings give one text.
    fn text(mut self, precision: Option<usize>) -> String {
        let numbers = precision.unwrap_or(NUMBERS.max(self.numbers.len()));
        self.numbers.resize(numbers, "0".into());
        let label = self.label.map_or_else(String::new, |label| format!("-{label}"));
        self.numbers.join(".") + &label
    }

    pub fn order(&self, other: &Self) -> Ordering {
        let sizes = |version: &Self| {
            version.numbers.iter().map(|number| (number.len(), number.clone())).collect::<Vec<_>>()
        };
        sizes(self).cmp(&sizes(other))
    }
}

/// The value, read as it is meant; the error is the reason why it can't be.
pub fn read(
    kind: Option<TextKind>,
    precision: Option<usize>,
    value: Value,
) -> Result<Value, String> {
    let text = |item: &Value| Ok(Version::read(item, precision)?.text(precision).into());
    match (kind, value) {
        (None, value) => Ok(value),
        (Some(_), Value::Array(items)) => items.iter().map(text).collect(),
        (Some(_), value) => text(&value),
    }
}

/// Places that should agree, compared as versions if all that are found at this commit are plain ones or ranges.
/// # Errors
/// Fails if an object is missing.
pub fn as_versions(prober: &Prober, commit: Oid, mut places: Vec<Probe>) -> git::Result<Probe> {
    let found = prober.run(commit, &Probe::Agree(places.clone()))?;
    let mut values = found.parts.iter().filter_map(Found::value).peekable();
    if values.peek().is_some() && values.all(is_plain) {
        for place in &mut places {
            if let Probe::Value(ValueOf { kind, .. }) | Probe::Text(TextOf { kind, .. }) = place {
                *kind = Some(TextKind::Version);
            }
        }
    }
    Ok(Probe::Agree(places))
}

/// Returns true if the value is nothing but a version or a range, or a list of them.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_plain),
        Value::String(text) => RANGE.is_match(text) && lowest(text).is_some(),
        Value::Number(number) => !number.is_f64(),
        _ => false,
    }
}

/// The lowest bound of a range.
fn lowest(range: &str) -> Option<Version> {
    BOUNDS
        .captures_iter(range)
        .filter(|bound| {
            !bound.name("sign").map_or("", |sign| sign.as_str()).starts_with(['<', '!'])
        })
        .map(|bound| {
            let label = bound.name("label").map(|label| &label.as_str()[1..]);
            Version::new(&bound["numbers"], label)
        })
        .min_by(Version::order)
}

/// The lowest bound of a range; `None` if a text is none.
pub fn lowest_of(range: &str) -> Option<String> {
    Some(lowest(range).filter(|_| RANGE.is_match(range))?.numbers.join("."))
}

/// The numbers from the first digit on, and what follows `-`.
fn first(text: &str) -> Option<Version> {
    let rest = &text[text.find(|c: char| c.is_ascii_digit())?..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (numbers, after) = rest.split_at(end.unwrap_or(rest.len()));
    let ends = |c: char| !c.is_ascii_alphanumeric() && !".-".contains(c);
    let label = after.strip_prefix('-').and_then(|label| label.split(ends).next());
    Some(Version::new(numbers, label))
}
