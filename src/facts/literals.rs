//! The versions in a text.

use std::ops::Range;

use super::tree::pattern;
use crate::git;

/// A version in a text, and what stands around it.
pub struct Literal {
    pub at: Range<usize>,
    /// True if a label follows, as in `1.2.0-rc1`.
    pub is_labelled: bool,
    /// That of its line.
    pub number: usize,
    /// Without the numbers.
    pub around: String,
    /// The same from the beginning of its line.
    pub on_line: String,
}

/// The label beside a version that is not out yet.
const LABEL: &str =
    r"(?i-u)\A([.-]?(?:alpha|beta|rc|dev|pre|preview|snapshot)(?:[.-]?\d+)*)(?:[^\w.+-]|\.?$|\.\D)";

/// An address of lines as one version has them, which newer versions do not change.
const PERMALINK: &str = r#"(?-u)/(?:blob|tree|src/tag)/[^\s()<>"'`#]+#L\d"#;

/// Characters before and after a version that have to be the same.
const AROUND: [usize; 2] = [40, 3];

/// The permalinks in a text, which state no version of today.
pub fn permalinks(text: &str) -> git::Result<Vec<Range<usize>>> {
    Ok(pattern(PERMALINK)?.find_iter(text.as_bytes()).map(|found| found.range()).collect())
}

/// The versions of two to four numbers, each with its surroundings, in which other numbers and labels may change along.
pub fn literals(text: &str) -> Vec<Literal> {
    let (numbers, label) = (pattern(r"(?-u)\d+(?:\.\d+)*"), pattern(LABEL));
    let (Ok(numbers), Ok(label), Ok(permalinks)) = (numbers, label, permalinks(text)) else {
        return Vec::new();
    };
    let (mut masked, mut end, mut found) = (String::with_capacity(text.len()), 0, Vec::new());
    let mut line = 1;
    for number in numbers.find_iter(text.as_bytes()) {
        // A number of a label.
        if number.start() < end {
            continue;
        }
        masked += &text[end..number.start()];
        line += text[end..number.start()].matches('\n').count();
        end = number.end();
        let is_pinned = permalinks.iter().any(|link| link.contains(&number.start()));
        if !is_pinned && (1..=3).contains(&text[number.range()].matches('.').count()) {
            let label = label.captures(&text.as_bytes()[end..]).and_then(|found| found.get(1));
            end += label.map_or(0, |label| label.len());
            let is_labelled = end > number.end();
            found.push((number.range(), is_labelled, line, masked.len()));
        }
        masked.push('#');
    }
    masked += &text[end..];
    let [before, after] = AROUND;
    found
        .into_iter()
        .map(|(at, is_labelled, number, mark)| {
            let start = masked[..mark].char_indices().rev().nth(before - 1);
            let end = masked[mark..].char_indices().nth(after + 1);
            let end = end.map_or(masked.len(), |(at, _)| mark + at);
            let before = &masked[start.map_or(0, |(at, _)| at)..mark];
            let on_line = before.rsplit('\n').next().unwrap_or_default();
            let after = &masked[mark..end];
            Literal {
                at,
                is_labelled,
                number,
                around: [before, after].concat(),
                on_line: [on_line, after].concat(),
            }
        })
        .collect()
}
