//! The versions in a text.

use std::ops::Range;

use super::tree::pattern;

/// A version in a text, and what stands around it.
pub struct Literal {
    pub at: Range<usize>,
    /// That of its line.
    pub number: usize,
    /// Without the numbers.
    pub around: String,
    /// The same from the beginning of its line.
    pub on_line: String,
}

/// Characters before and after a version that have to be the same.
const AROUND: [usize; 2] = [40, 3];

/// The versions of two to four numbers, each with its surroundings, in which other numbers may change along.
pub fn literals(text: &str) -> Vec<Literal> {
    let Ok(numbers) = pattern(r"(?-u)\d+(?:\.\d+)*") else {
        return Vec::new();
    };
    let (mut masked, mut end, mut found) = (String::with_capacity(text.len()), 0, Vec::new());
    let mut line = 1;
    for number in numbers.find_iter(text.as_bytes()) {
        masked += &text[end..number.start()];
        line += text[end..number.start()].matches('\n').count();
        end = number.end();
        if (1..=3).contains(&text[number.range()].matches('.').count()) {
            found.push((number.range(), line, masked.len()));
        }
        masked.push('#');
    }
    masked += &text[end..];
    let [before, after] = AROUND;
    found
        .into_iter()
        .map(|(at, number, mark)| {
            let start = masked[..mark].char_indices().rev().nth(before - 1);
            let end = masked[mark..].char_indices().nth(after + 1);
            let end = end.map_or(masked.len(), |(at, _)| mark + at);
            let before = &masked[start.map_or(0, |(at, _)| at)..mark];
            let on_line = before.rsplit('\n').next().unwrap_or_default();
            let after = &masked[mark..end];
            Literal {
                at,
                number,
                around: [before, after].concat(),
                on_line: [on_line, after].concat(),
            }
        })
        .collect()
}
