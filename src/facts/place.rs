//! A place that states a version, and the pattern that finds it.

use std::{iter::once, ops::Range};

use regex::escape;
use serde::Serialize;

use super::{
    names::Spot,
    tree::{first, line_at, number_at},
};
use crate::evidence::{LABEL, lowest_of};

/// A statement of a version.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Place {
    pub file: String,
    /// The lines that state it in the same words; the first is read.
    pub lines: Vec<usize>,
    pub says: String,
    #[serde(skip)]
    pub version: Vec<u64>,
    #[serde(skip)]
    pub pattern: String,
    /// Where the path that it names stands on these lines.
    #[serde(skip)]
    pub spots: Vec<Spot>,
    /// The missing path that it names, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its words in the worktree if its file differs there; empty if it is not stated there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// True if it stands where all stood when they agreed, and the first place moved.
    #[serde(skip)]
    pub is_left_behind: bool,
}

impl Place {
    /// The version that another text states there, with so many numbers.
    pub fn version_in(&self, text: &str, precision: usize) -> Option<Vec<u64>> {
        let mut version = numbers(&text[first(&self.pattern, text)?]);
        version.resize(precision, 0);
        Some(version)
    }
}

/// Where a label may follow the numbers in a pattern; it matches nothing. See `labelled`.
pub const MAY_HAVE_LABEL: &str = "(?:)";

/// Characters of a statement that are shown.
const SAYS: usize = 80;

/// A place in a text that says a version, with a pattern that finds it, and finds it again when it has changed.
pub fn place_at(file: &str, text: &str, at: &Range<usize>) -> Option<Place> {
    let pattern = only(r"[^\s\S]()", text, at.start)?;
    Some(Place { says: shown_at(text, at.start), ..stated_at(file, text, at, &pattern) })
}

/// The place of a version that a pattern finds.
pub fn stated_at(file: &str, text: &str, at: &Range<usize>, pattern: &str) -> Place {
    Place {
        file: file.to_owned(),
        lines: vec![number_at(text, at.start)],
        says: shown(line_at(text, at.start)),
        version: numbers(&text[at.clone()]),
        pattern: pattern.to_owned(),
        ..Place::default()
    }
}

/// The line of a position as it is shown; a long one from the words before it.
pub fn shown_at(text: &str, at: usize) -> String {
    let line = line_at(text, at);
    let before = &text[..at][text[..at].rfind('\n').map_or(0, |end| end + 1)..];
    let far = before.char_indices().rev().nth(SAYS / 2).map_or(0, |(at, _)| at);
    let from = before[far..].find(' ').filter(|_| far > 0).map_or(far, |space| far + space);
    shown(&line[from..])
}

/// The first place that a pattern finds.
pub fn place_of(file: &str, text: &str, pattern: &str) -> Option<Place> {
    first(pattern, text).map(|at| stated_at(file, text, &at, pattern))
}

/// A line as it is shown.
pub fn shown(line: &str) -> String {
    line.trim().chars().take(SAYS).collect()
}
/// The pattern, or a narrower one, whose first match in the text is the version at this place. Other numbers beside it may
/// change along.
pub fn only(rule: &str, text: &str, at: usize) -> Option<String> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let (line, rest) = (&text[start..at], &text[at..]);
    let words = line.rmatch_indices(' ').map(|(at, _)| &line[at + 1..]);
    let words = words.filter(|words| words.contains(char::is_alphabetic)).map(version_after);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let after = rest[end..].lines().next().unwrap_or_default();
    let whole = version_after(line) + &masked(after);
    let before = text[..start].trim_end().rfind('\n').map_or(0, |end| end + 1);
    let lines = version_after(&text[before..at]) + &masked(after);
    let mut rules =
        once(rule.to_owned()).chain(words).chain([format!("^{whole}"), format!("^{lines}")]);
    rules.find(|rule| first(rule, text).is_some_and(|found| found.start == at))
}

fn version_after(words: &str) -> String {
    format!(r"{}(\d+(?:\.\d+){{0,3}}{MAY_HAVE_LABEL})", masked(words))
}

/// A pattern whose group takes a label along, if it is wanted there: two files may say `2.0.0-beta.1`.
pub fn labelled(pattern: &str, is_wanted: bool) -> String {
    let label = if is_wanted { format!("{LABEL}?") } else { String::new() };
    pattern.replace(MAY_HAVE_LABEL, &label)
}

/// A pattern of a text with any numbers.
fn masked(text: &str) -> String {
    let mut pattern = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let words = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if words.len() < part.len() {
            pattern += r"\d+";
        }
        pattern += &escape(words);
    }
    pattern
}

/// The first version in a text; of a range of several, the lowest one, as probes read it.
pub fn version_in(text: &str) -> String {
    text.contains('|').then(|| lowest_of(text)).flatten().unwrap_or_else(|| {
        let rest = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].trim_end_matches('.').to_owned()
    })
}

/// The numbers of that version.
pub fn numbers(text: &str) -> Vec<u64> {
    version_in(text).split('.').filter_map(|number| number.parse().ok()).collect()
}

pub fn version_text(version: &[u64]) -> String {
    version.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}
