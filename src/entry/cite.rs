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

/// A citation as people and agents write it, not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cited {
    /// `path:12` or `path:12-20`.
    Lines { path: String, lines: [u32; 2] },
    /// An entry's id.
    Entry(String),
}

impl Cited {
    /// Reads `path:line`, `path:from-to` or an entry's id; None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        if is_entry_id(text) {
            return Some(Self::Entry(text.to_owned()));
        }
        let (path, lines) = text.rsplit_once(':')?;
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

    /// The words of a sentence that read as citations, without the punctuation around them, each once.
    pub fn find_in(sentence: &str) -> Vec<Self> {
        let is_around = |c: char| "()[]{}<>,;.!?'\"`".contains(c);
        let mut found = Vec::new();
        for word in sentence.split_whitespace() {
            // A path may begin with a dot, and no citation ends with one.
            let word = word
                .trim_start_matches(|c| is_around(c) && c != '.')
                .trim_end_matches(|c| is_around(c) || c == ':');
            if let Some(cited) = Self::parse(word)
                && !found.contains(&cited)
            {
                found.push(cited);
            }
        }
        found
    }
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

    #[test]
    fn a_sentence_is_searched() {
        let found = Cited::find_in(
            "CRLF is handled (src/parse.rs:40-62), see `.github/ci.yml:3` and src/parse.rs:40-62. At 12:30!",
        );
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        // A time reads as a citation; that no file has that name shows when it is looked up.
        assert_eq!(found, ["src/parse.rs:40-62", ".github/ci.yml:3", "12:30"]);
    }
}
