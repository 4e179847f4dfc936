//! Citations: what a statement rests on, pinned to git objects so that anybody can look it up later.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A citation as an entry keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Citation {
    /// Lines of a file, as they were at HEAD.
    Lines {
        /// From the root of the repository.
        path: String,
        /// The first and the last line, counted from 1.
        #[schemars(length(min = 2, max = 2))]
        lines: [u32; 2],
        /// The file's blob.
        blob: String,
    },
    /// Another entry of the log.
    Entry {
        /// Its id.
        entry: String,
    },
}

/// A citation as people and agents write it, not looked up yet. It is written back without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cited {
    /// `path:12` or `path:12-20`.
    Lines { path: String, lines: [u32; 2] },
    /// An entry's id.
    Entry(String),
}

impl Cited {
    /// Reads `path:line`, `path:from-to` or an entry's id; None for any other text. The path may be in double quotes.
    pub fn parse(text: &str) -> Option<Self> {
        if is_entry_id(text) {
            return Some(Self::Entry(text.to_owned()));
        }
        let (path, lines) = text.rsplit_once(':')?;
        let quoted = path
            .strip_prefix('"')
            .and_then(|path| path.strip_suffix('"'));
        let path = quoted.unwrap_or(path);
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|&n| plain && n > 0)
        };
        let lines = [number(from)?, number(to)?];
        if path.is_empty() || lines[0] > lines[1] {
            return None;
        }
        Some(Self::Lines {
            path: path.to_owned(),
            lines,
        })
    }

    /// What reads as a citation in a sentence, each once: words, without the punctuation and the brackets around them,
    /// and `"any path":12`, which may have blanks and begin with a bracket.
    pub fn find_in(sentence: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let mut rest = sentence;
        while let Some((before, cited, after)) = next_quoted(rest) {
            found.extend(words_of(before));
            found.push(cited);
            rest = after;
        }
        found.extend(words_of(rest));
        let mut once = Vec::new();
        for cited in found {
            if !once.contains(&cited) {
                once.push(cited);
            }
        }
        once
    }
}

/// The first `"path":lines`, with what stands before and after it.
fn next_quoted(text: &str) -> Option<(&str, Cited, &str)> {
    text.match_indices("\":").find_map(|(end, mark)| {
        let start = text[..end].rfind('"')?;
        let lines = &text[end + mark.len()..];
        let is_of_lines = |c: char| c.is_ascii_digit() || c == '-';
        let length = lines.find(|c| !is_of_lines(c)).unwrap_or(lines.len());
        let length = lines[..length].trim_end_matches('-').len();
        let (quoted, after) = text[start..].split_at(end + mark.len() + length - start);
        Some((&text[..start], Cited::parse(quoted)?, after))
    })
}

/// The words that read as citations.
fn words_of(text: &str) -> impl Iterator<Item = Cited> {
    text.split_whitespace()
        .filter_map(|word| Cited::parse(bare(word)))
}

/// A word without the punctuation around it. What it opens and closes itself stays: `[id].ts:3` is a path.
fn bare(word: &str) -> &str {
    // A path may begin with a dot, and no citation ends with one.
    let mut word = word.trim_end_matches(|c| "()[]{}<>,;.:!?'\"`".contains(c));
    while let Some(first) = word.chars().next() {
        let count = |wanted: char| word.matches(wanted).count();
        let is_around = match first {
            '(' => count('(') > count(')'),
            '[' => count('[') > count(']'),
            '{' => count('{') > count('}'),
            '<' => count('<') > count('>'),
            '\'' | '"' | '`' => count(first) % 2 == 1,
            _ => ")]}>,;!?".contains(first),
        };
        if !is_around {
            break;
        }
        word = &word[first.len_utf8()..];
    }
    word
}

/// Whether a text has the form of our ids: 26 characters of Crockford's base 32.
pub fn is_entry_id(text: &str) -> bool {
    text.len() == 26
        && text.bytes().all(|byte| {
            byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !b"ILOU".contains(&byte))
        })
}

/// `path:12` or `path:12-20`.
fn write_lines(f: &mut fmt::Formatter, path: &str, [from, to]: [u32; 2]) -> fmt::Result {
    if from == to {
        write!(f, "{path}:{from}")
    } else {
        write!(f, "{path}:{from}-{to}")
    }
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Lines { path, lines, .. } => write_lines(f, path, *lines),
            Self::Entry { entry } => f.write_str(entry),
        }
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Lines { path, lines } => write_lines(f, path, *lines),
            Self::Entry(id) => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_are_read_and_nothing_else() {
        for (text, expected) in [
            ("src/a.rs:12", "src/a.rs:12"),
            ("src/a.rs:12-20", "src/a.rs:12-20"),
            ("a b:c.rs:7-7", "a b:c.rs:7"),
            ("\"a b:c.rs\":7-7", "a b:c.rs:7"),
            ("01M7ZXRVN3A0K7Q5W8YB6CDE2F", "01M7ZXRVN3A0K7Q5W8YB6CDE2F"),
        ] {
            let cited = Cited::parse(text).unwrap();
            assert_eq!(cited.to_string(), expected);
        }
        for text in [
            "",
            ":3",
            "a.rs",
            "a.rs:",
            "\"\":3",
            "a.rs:0",
            "a.rs:9-3",
            "a.rs:+3",
            "a.rs:3-",
            "a.rs:x",
            "a.rs:99999999999",
            "01M7ZXRVN3A0K7Q5W8YB6CDE2",
            "01M7ZXRVN3A0K7Q5W8YB6CDEIL",
        ] {
            assert_eq!(Cited::parse(text), None, "{text}");
        }
    }

    fn found(sentence: &str) -> Vec<String> {
        let found = Cited::find_in(sentence);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sentence_is_searched() {
        let found = found(
            "CRLF is handled (src/parse.rs:40-62), see `.github/ci.yml:3` and src/parse.rs:40-62. At 12:30!",
        );
        // A time reads as a citation; that no file has that name shows when it is looked up.
        assert_eq!(found, ["src/parse.rs:40-62", ".github/ci.yml:3", "12:30"]);
    }

    #[test]
    fn brackets_and_quotes_stand_around_a_citation_or_in_it() {
        for around in [
            "`?`",
            "'?'",
            "\"?\"",
            "(?),",
            "[?]:",
            "{?};",
            "<?>",
            "(see `?`).",
        ] {
            let text = around.replace('?', "src/a.rs:12");
            assert_eq!(found(&text), ["src/a.rs:12"], "{text}");
        }
        for (text, expected) in [
            ("[id]/a.ts:3", "[id]/a.ts:3"),
            ("([id]/a.ts:3).", "[id]/a.ts:3"),
            ("((app)/a.ts:3)", "(app)/a.ts:3"),
            ("it's 'a.rs:3'", "a.rs:3"),
            ("\"a b.rs\":3-4.", "a b.rs:3-4"),
            ("(\"a b.rs\":3)", "a b.rs:3"),
            ("\"(a\":3- and on", "(a:3"),
            ("he said \"no\" of \"a b\":3", "a b:3"),
            ("`\"a.rs\":3`", "a.rs:3"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        assert_eq!(
            found("\"a b\":1, c:2 \"a b\":1 \"d\":3"),
            ["a b:1", "c:2", "d:3"]
        );
        for text in [
            "\"a b\":",
            "a\":x",
            "\":3",
            "\"\":3",
            "\"a\": 3",
            "\"a b\":4-2",
        ] {
            assert_eq!(found(text), [] as [&str; 0], "{text}");
        }
    }
}
