//! Citations: pinned to what HEAD has, and looked up later.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    entry::{Citation, Cited},
    git::{self, Fate, Oid, Pinned, Repo},
};

/// A citation and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CitedRow {
    /// As in `src/lib.rs:3-5`, or an entry's id.
    pub cite: String,
    /// Null where nobody looked; `show` does.
    pub fate: Option<CitedFate>,
    /// The line at which the cited lines begin now, where they hold.
    pub line: Option<u32>,
}

/// What became of what was cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CitedFate {
    Holds,
    /// The lines were changed since.
    Changed,
    /// The file is no more.
    Gone,
    /// It could not be looked up, or this clone's log has no such entry.
    Unknown,
}

impl From<&Citation> for CitedRow {
    /// A citation that nobody looked up.
    fn from(citation: &Citation) -> Self {
        Self {
            cite: citation.to_string(),
            fate: None,
            line: None,
        }
    }
}

/// Why something can't be cited.
#[derive(Debug)]
pub enum NotPinned {
    NoFile,
    /// The file has only so many lines.
    TooFar(u32),
    NoEntry,
    Git(git::Error),
}

impl fmt::Display for NotPinned {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoFile => {
                f.write_str("HEAD has no such file, seen from the root of the repository")
            }
            Self::TooFar(1) => f.write_str("the file has 1 line at HEAD"),
            Self::TooFar(lines) => write!(f, "the file has {lines} lines at HEAD"),
            Self::NoEntry => f.write_str("the log has no such entry"),
            Self::Git(error) => error.fmt(f),
        }
    }
}

/// Where citations are looked up.
pub struct Cites<'a> {
    repo: &'a Repo,
    tip: Oid,
    has_entry: &'a dyn Fn(&str) -> bool,
}

impl<'a> Cites<'a> {
    /// Looks at the files of `tip`; `has_entry` says whether the log has an entry of an id.
    pub fn new(repo: &'a Repo, tip: Oid, has_entry: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            repo,
            tip,
            has_entry,
        }
    }

    /// The citation, pinned to what is there now; or why there is nothing to cite.
    pub fn pin(&self, cited: Cited) -> Result<Citation, NotPinned> {
        match cited {
            Cited::Lines { path, lines } => match self.repo.pin_lines(self.tip, &path, lines) {
                Ok(Pinned::At(blob)) => Ok(Citation::Lines {
                    path,
                    lines,
                    blob: blob.to_string(),
                }),
                Ok(Pinned::NoFile) => Err(NotPinned::NoFile),
                Ok(Pinned::TooFar(lines)) => Err(NotPinned::TooFar(lines)),
                Err(error) => Err(NotPinned::Git(error)),
            },
            Cited::Entry(entry) if (self.has_entry)(&entry) => Ok(Citation::Entry { entry }),
            Cited::Entry(_) => Err(NotPinned::NoEntry),
        }
    }

    /// What became of a citation.
    pub fn look_up(&self, citation: &Citation) -> CitedRow {
        let (fate, line) = match citation {
            Citation::Lines { path, lines, blob } => self.lines_fate(path, *lines, blob),
            Citation::Entry { entry } if (self.has_entry)(entry) => (CitedFate::Holds, None),
            // The log only grows: what is not here may not have been fetched yet.
            Citation::Entry { .. } => (CitedFate::Unknown, None),
        };
        CitedRow {
            fate: Some(fate),
            line,
            ..CitedRow::from(citation)
        }
    }

    fn lines_fate(&self, path: &str, lines: [u32; 2], blob: &str) -> (CitedFate, Option<u32>) {
        let Ok(blob) = blob.parse() else {
            return (CitedFate::Unknown, None);
        };
        // A line of the log may name anything, also what git refuses to look up.
        match self.repo.fate_of_lines(self.tip, path, lines, blob) {
            Ok(Fate::Holds(line)) => (CitedFate::Holds, Some(line)),
            Ok(Fate::Changed) => (CitedFate::Changed, None),
            Ok(Fate::Gone) => (CitedFate::Gone, None),
            Ok(Fate::Unknown) | Err(_) => (CitedFate::Unknown, None),
        }
    }
}
