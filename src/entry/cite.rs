//! Citations: the evidence for a statement, pinned to git objects so that anyone can look it up later.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sha256_hex;

/// A citation in an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Citation {
    Lines(CitedLines),
    /// Another entry of the log.
    Entry {
        /// Its id.
        entry: String,
    },
}

/// Lines of a file, as they were at HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CitedLines {
    /// From the root of the repository.
    pub path: String,
    /// The first and the last line, counted from 1.
    #[schemars(length(min = 2, max = 2))]
    pub lines: [u32; 2],
    /// The file's blob.
    pub blob: String,
    /// The first 16 digits of the SHA-256 of the lines, joined by line feeds: they are found by it where the blob is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// The words that stand there; white space at the ends of lines is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl CitedLines {
    pub fn sum_of_text(text: &[u8]) -> String {
        Self::sum_of(String::from_utf8_lossy(text).split('\n'))
    }

    pub fn sum_of<'l>(lines: impl Iterator<Item = &'l str>) -> String {
        let lines: Vec<&str> = lines.map(|line| line.trim_end_matches('\r')).collect();
        sha256_hex(lines.join("\n").as_bytes())[..16].to_owned()
    }
}

/// A citation in the form that people and agents write, not looked up yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cited {
    /// `path:12` or `path:12-20`.
    Lines {
        path: String,
        lines: [u32; 2],
    },
    Entry(String),
}

impl Cited {
    /// Reads `path:line`, `path:from-to` or an entry's id; `None` for any other text. The path may be in double quotes.
    pub fn parse(text: &str) -> Option<Self> {
        if is_entry_id(text) {
            return Some(Self::Entry(text.to_owned()));
        }
        let (path, lines) = text.rsplit_once(':')?;
        let quoted = path.strip_prefix('"').and_then(|path| path.strip_suffix('"'));
        Self::lines(quoted.unwrap_or(path), lines)
    }

    fn lines(path: &str, lines: &str) -> Option<Self> {
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |digits: &str| {
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|&n| is_plain && n > 0)
        };
        let lines = [number(from)?, number(to)?];
        let path = path.trim_start_matches("./");
        (!path.is_empty() && lines[0] <= lines[1])
            .then(|| Self::Lines { path: path.to_owned(), lines })
    }

    /// Words without the punctuation around them, each once; `"any path":12` may have blanks.
    pub fn find_in(sentence: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let mut rest = sentence;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || BEFORE.contains(c));
            if rest.is_empty() {
                return found;
            }
            let (cited, after) = match quoted(rest) {
                Some((cited, after)) => (Some(cited), after),
                None => word(rest),
            };
            found.extend(cited.filter(|cited| !found.contains(cited)));
            rest = after;
        }
    }
}

/// Punctuation before a citation; a path may begin with a dot.
const BEFORE: &str = "()[]{}<>,;!?'`";

/// Punctuation after a citation.
const AFTER: &str = "()[]{}<>,;.:!?'\"`";

/// `"any path":12` at the beginning of a text, and the rest.
fn quoted(text: &str) -> Option<(Cited, &str)> {
    let (path, after) = text.strip_prefix('"')?.split_once('"')?;
    let lines = after.strip_prefix(':')?;
    let end = lines.find(|c: char| !c.is_ascii_digit() && c != '-');
    let (lines, after) = lines.split_at(end.unwrap_or(lines.len()));
    Some((Cited::lines(path, lines)?, after))
}

/// The citation in the first word of a text, and the rest after the word.
fn word(text: &str) -> (Option<Cited>, &str) {
    let (word, after) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let word = word.trim_start_matches('"').trim_end_matches(|c| AFTER.contains(c));
    // The number after an address is its port.
    (Cited::parse(word).filter(|_| !word.contains("://")), after)
}

/// Returns true for ids in git sq's form: 26 characters of Crockford's base 32.
pub fn is_entry_id(text: &str) -> bool {
    text.len() == 26
        && text.bytes().all(|byte| {
            byte.is_ascii_digit() || (byte.is_ascii_uppercase() && !b"ILOU".contains(&byte))
        })
}

fn write_lines(f: &mut fmt::Formatter, path: &str, [from, to]: [u32; 2]) -> fmt::Result {
    if from == to { write!(f, "{path}:{from}") } else { write!(f, "{path}:{from}-{to}") }
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Lines(lines) => lines.fmt(f),
            Self::Entry { entry } => f.write_str(entry),
        }
    }
}

impl fmt::Display for CitedLines {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_lines(f, &self.path, self.lines)
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
