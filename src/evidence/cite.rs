use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    entry::{Citation, Cited, CitedLines, StateCite},
    git::{self, CitedFate, Oid, Pinned, Repo},
};

/// A citation, and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CitedRow {
    /// A range as in `src/lib.rs:3-5`, or an entry's id.
    pub cite: String,
    /// The state of the cited lines or entry; null if it was not looked up, as only `show` does.
    pub fate: Option<CitedFate>,
    /// The line at which the cited lines begin now, if they stand.
    pub line: Option<u32>,
}

impl From<&Citation> for CitedRow {
    fn from(citation: &Citation) -> Self {
        Self { cite: citation.to_string(), fate: None, line: None }
    }
}

#[derive(Debug)]
pub enum NotPinned {
    NoFile,
    /// The file's number of lines, which is too small.
    TooFar(u32),
    NoEntry,
    NoQuote,
    Blank,
    Git(git::Error),
}

impl fmt::Display for NotPinned {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoFile => f.write_str(
                "no such file; cite what is committed, by its path from the root of the repository",
            ),
            Self::TooFar(0) => f.write_str("the file is empty"),
            Self::TooFar(1) => f.write_str("the file has only 1 line; cite what is committed"),
            Self::TooFar(lines) => {
                write!(f, "the file has only {lines} lines; cite what is committed")
            }
            Self::NoEntry => f.write_str("no such entry in the log"),
            Self::NoQuote => f.write_str("the quote is not in these lines"),
            Self::Blank => f.write_str("nothing stands there; cite the lines that show the answer"),
            Self::Git(error) => error.fmt(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemCite {
    /// The item, counted from 1.
    pub item: usize,
    /// A range as in `src/lib.rs:3-5`, or an entry's id.
    pub cite: String,
    /// The reason why the citation could not be pinned to HEAD; null if it was.
    pub why_not: Option<String>,
}

pub struct Cites<'a> {
    repo: &'a Repo,
    tip: Oid,
    has_entry: Box<dyn Fn(&str) -> bool + 'a>,
}

impl<'a> Cites<'a> {
    /// Looks up files at `tip`; `has_entry` returns true if the log has an entry with an id.
    pub fn new(repo: &'a Repo, tip: Oid, has_entry: impl Fn(&str) -> bool + 'a) -> Self {
        Self { repo, tip, has_entry: Box::new(has_entry) }
    }

    pub fn pin(&self, cited: Cited, quote: Option<String>) -> Result<Citation, NotPinned> {
        match cited {
            Cited::Lines { path, lines } => match self.repo.pin_lines(self.tip, &path, lines) {
                Ok(Pinned::At(_, text)) if !quote.iter().all(|quote| stands_in(quote, &text)) => {
                    Err(NotPinned::NoQuote)
                }
                Ok(Pinned::At(_, text)) if text.trim_ascii().is_empty() => Err(NotPinned::Blank),
                Ok(Pinned::At(blob, text)) => Ok(Citation::Lines(CitedLines {
                    path,
                    lines,
                    blob: blob.to_string(),
                    sum: Some(CitedLines::sum_of_text(&text)),
                    quote,
                })),
                Ok(Pinned::NoFile) => Err(NotPinned::NoFile),
                Ok(Pinned::TooFar(lines)) => Err(NotPinned::TooFar(lines)),
                Err(error) => Err(NotPinned::Git(error)),
            },
            Cited::Entry(_) if quote.is_some() => Err(NotPinned::NoQuote),
            Cited::Entry(entry) if (self.has_entry)(&entry) => Ok(Citation::Entry { entry }),
            Cited::Entry(_) => Err(NotPinned::NoEntry),
        }
    }

    /// The citations in items: the pinned ones, and all of them.
    pub fn pin_items(&self, items: &[String]) -> (Vec<StateCite>, Vec<ItemCite>) {
        let (mut pinned, mut all) = (Vec::new(), Vec::new());
        for (item, text) in (1..).zip(items) {
            for cited in Cited::find_in(text) {
                let cite = cited.to_string();
                let why_not = match self.pin(cited, None) {
                    Ok(cite) => {
                        pinned.push(StateCite { item, cite });
                        None
                    }
                    Err(why) => Some(why.to_string()),
                };
                all.push(ItemCite { item, cite, why_not });
            }
        }
        (pinned, all)
    }

    pub fn look_up(&self, citation: &Citation) -> CitedRow {
        let (fate, line) = match citation {
            Citation::Lines(CitedLines { path, lines, blob, .. }) => {
                // A line of the log may name anything, even paths that git rejects.
                let fate = |blob| self.repo.fate_of_lines(self.tip, path, *lines, blob).ok();
                blob.parse().ok().and_then(fate).unwrap_or((CitedFate::Unknown, None))
            }
            Citation::Entry { entry } if (self.has_entry)(entry) => (CitedFate::Stands, None),
            // The log only grows: the entry may not have been fetched yet.
            Citation::Entry { .. } => (CitedFate::Unknown, None),
        };
        CitedRow { fate: Some(fate), line, ..CitedRow::from(citation) }
    }
}

/// Returns true if a text contains a quote, regardless of white space at the ends of lines.
pub fn stands_in(quote: &str, text: &[u8]) -> bool {
    let trimmed = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let quote = trimmed(quote);
    let quote = quote.trim();
    !quote.is_empty() && trimmed(&String::from_utf8_lossy(text)).contains(quote)
}
