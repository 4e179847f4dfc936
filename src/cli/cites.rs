//! Citations: pinned to what HEAD has, and looked up later.

use super::Failure;
use crate::{
    entry::{Citation, Cited},
    git::{Fate, Oid, Pinned, Repo},
    report::{CitedFate, CitedRow, count},
    session::EventLog,
    store::{Log, LogTips},
};

/// Where citations are looked up.
pub struct Cites<'a> {
    repo: &'a Repo,
    tip: Oid,
    tips: &'a LogTips,
    /// Entries that are at hand.
    events: &'a EventLog,
    /// Read when an entry is cited that is not at hand, and not before.
    log: Option<Log>,
}

impl<'a> Cites<'a> {
    /// Looks at `tip`, and for entries first among `events`, which are cheap to have.
    pub fn new(repo: &'a Repo, tip: Oid, tips: &'a LogTips, events: &'a EventLog) -> Self {
        Self {
            repo,
            tip,
            tips,
            events,
            log: None,
        }
    }

    /// The citation, pinned to what is there now; or why there is nothing to cite.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn pin(&mut self, cited: Cited) -> Result<Result<Citation, String>, Failure> {
        Ok(match cited {
            Cited::Lines { path, lines } => match self.repo.pin_lines(self.tip, &path, lines) {
                Ok(Pinned::At(blob)) => Ok(Citation::Lines {
                    path,
                    lines,
                    blob: blob.to_string(),
                }),
                Ok(Pinned::NoFile) => {
                    Err("HEAD has no such file, seen from the root of the repository".into())
                }
                Ok(Pinned::TooFar(lines)) => {
                    let lines = count(usize::try_from(lines).unwrap_or(usize::MAX), "line");
                    Err(format!("the file has {lines} at HEAD"))
                }
                Err(error) => Err(error.to_string()),
            },
            Cited::Entry(entry) if self.has_entry(&entry)? => Ok(Citation::Entry { entry }),
            Cited::Entry(_) => Err("the log has no such entry".into()),
        })
    }

    /// What became of a citation.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn look_up(&mut self, citation: &Citation) -> Result<CitedRow, Failure> {
        let (fate, line) = match citation {
            Citation::Lines { path, lines, blob } => self.lines_fate(path, *lines, blob),
            Citation::Entry { entry } if self.has_entry(entry)? => (CitedFate::Holds, None),
            // The log only grows: what is not here may be where nobody looked yet.
            Citation::Entry { .. } => (CitedFate::Unknown, None),
        };
        Ok(CitedRow {
            cite: citation.to_string(),
            fate: Some(fate),
            line,
        })
    }

    fn lines_fate(&self, path: &str, lines: [u32; 2], blob: &str) -> (CitedFate, Option<u32>) {
        let Ok(blob) = blob.parse() else {
            return (CitedFate::Unknown, None);
        };
        // A line of the log says what it likes; what git can't follow is not known.
        match self.repo.fate_of_lines(self.tip, path, lines, blob) {
            Ok(Fate::Holds(line)) => (CitedFate::Holds, Some(line)),
            Ok(Fate::Changed) => (CitedFate::Changed, None),
            Ok(Fate::Gone) => (CitedFate::Gone, None),
            Ok(Fate::Unknown) | Err(_) => (CitedFate::Unknown, None),
        }
    }

    fn has_entry(&mut self, id: &str) -> Result<bool, Failure> {
        if self.events.has(id) {
            return Ok(true);
        }
        let log = match self.log.take() {
            Some(log) => log,
            None => Log::read(self.repo, self.tips)?,
        };
        Ok(self.log.insert(log).has_entry(id))
    }
}
