//! Citations: pinned to what HEAD has, and looked up later.

use crate::{
    entry::{Citation, Cited},
    git::{Fate, Oid, Pinned, Repo},
    report::{CitedFate, CitedRow, count},
    store::Events,
};

/// Where citations are looked up.
pub struct Cites<'a> {
    repo: &'a Repo,
    tip: Oid,
    events: &'a Events,
}

impl<'a> Cites<'a> {
    /// Looks at the files of `tip`, and for entries into the log.
    pub fn new(repo: &'a Repo, tip: Oid, events: &'a Events) -> Self {
        Self { repo, tip, events }
    }

    /// The citation, pinned to what is there now; or why there is nothing to cite.
    pub fn pin(&self, cited: Cited) -> Result<Citation, String> {
        match cited {
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
            Cited::Entry(entry) if self.events.has_id(&entry) => Ok(Citation::Entry { entry }),
            Cited::Entry(_) => Err("the log has no such entry".into()),
        }
    }

    /// What became of a citation.
    pub fn look_up(&self, citation: &Citation) -> CitedRow {
        let (fate, line) = match citation {
            Citation::Lines { path, lines, blob } => self.lines_fate(path, *lines, blob),
            Citation::Entry { entry } if self.events.has_id(entry) => (CitedFate::Holds, None),
            // The log only grows: what is not here may be where nobody looked yet.
            Citation::Entry { .. } => (CitedFate::Unknown, None),
        };
        CitedRow {
            cite: citation.to_string(),
            fate: Some(fate),
            line,
        }
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
}
