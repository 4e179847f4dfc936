//! How long a text may be: in characters as people count them, and in bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation as _;

/// Bytes for each character that is allowed: a family of four in emoji takes 25, and a character with accents piled up
/// on it as many as somebody likes.
const BYTES: usize = 32;

/// What stands for the rest of a text that was cut; it is within the limit.
const ELLIPSIS: &str = "…";

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Extended grapheme clusters: what a reader takes for one character.
    Characters,
    Bytes,
    Items,
}

impl Unit {
    /// As entries write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::Bytes => "bytes",
            Self::Items => "items",
        }
    }
}

/// More than the limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excess {
    pub limit: usize,
    /// The length that was given.
    pub length: usize,
    /// What both count.
    pub unit: Unit,
}

/// Why a text can't be stored in an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    Empty,
    SeveralLines,
    TooLong(Excess),
}

/// By how much a text is over a limit of characters, and of 32 bytes for each.
fn excess(text: &str, limit: usize) -> Option<Excess> {
    // No character is shorter than a byte.
    if text.len() <= limit {
        return None;
    }
    let in_characters = Excess {
        limit,
        length: text.graphemes(true).count(),
        unit: Unit::Characters,
    };
    let in_bytes = Excess {
        limit: limit * BYTES,
        length: text.len(),
        unit: Unit::Bytes,
    };
    let mut both = [in_characters, in_bytes].into_iter();
    both.find(|one| one.length > one.limit)
}

/// Whether a text is one line within a limit, and not empty.
///
/// # Errors
/// Why it is not.
pub fn fits(text: &str, limit: usize) -> Result<(), Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::Empty);
    }
    if text.contains(['\n', '\r', '\0', '\u{85}', '\u{2028}', '\u{2029}']) {
        return Err(Misfit::SeveralLines);
    }
    excess(text, limit).map_or(Ok(()), |excess| Err(Misfit::TooLong(excess)))
}

/// A text as one line: runs of blanks and controls are one space, and none at the ends.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A text cut to a limit, and by how much it was over it.
pub fn cut(text: &str, limit: usize) -> (String, Option<Excess>) {
    let Some(excess) = excess(text, limit) else {
        return (text.to_owned(), None);
    };
    let mut end = 0;
    for cluster in text.graphemes(true).take(limit.saturating_sub(1)) {
        if end + cluster.len() + ELLIPSIS.len() > limit * BYTES {
            break;
        }
        end += cluster.len();
    }
    (text[..end].trim_end().to_owned() + ELLIPSIS, Some(excess))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_those_that_people_see() {
        let over = |limit, length, unit| {
            Err(Misfit::TooLong(Excess {
                limit,
                length,
                unit,
            }))
        };
        for character in ["a", "é", "e\u{301}", "漢", "நி", "👨‍👩‍👧‍👦", "🇳🇿", "ก็"]
        {
            let at = |count: usize| fits(&character.repeat(count), 280);
            assert_eq!(at(279), Ok(()), "{character}");
            assert_eq!(at(280), Ok(()), "{character}");
            assert_eq!(at(281), over(280, 281, Unit::Characters), "{character}");
        }
        let tower = "a".to_owned() + &"\u{301}".repeat(5000);
        assert_eq!(fits(&tower, 280), over(8960, 10_001, Unit::Bytes));
        assert_eq!(fits(" \u{3000}", 280), Err(Misfit::Empty));
        assert_eq!(fits("a\u{2028}b", 280), Err(Misfit::SeveralLines));
    }
}
