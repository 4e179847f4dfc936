//! Citations given on the command line, pinned to HEAD; and later, what became of them.

use super::ground::Ground;
use crate::{
    cli::Failure,
    entry::{Citation, Cited},
    git::{Fate, Oid, Pinned},
    report::{CitedFate, CitedRow, count},
    store::Log,
};

/// Pins what is cited to HEAD; why something can't be is added to `reasons`.
///
/// # Errors
/// When the repository can't be read.
pub fn pin(
    ground: &Ground,
    given: &[String],
    reasons: &mut Vec<String>,
) -> Result<Vec<Citation>, Failure> {
    let mut pinned: Vec<Citation> = Vec::new();
    let mut log: Option<Log> = None;
    for text in given {
        let Some(cited) = Cited::parse(text) else {
            reasons.push(format!(
                "{text:?} is no citation: it has to be path:line, path:from-to or an entry's id"
            ));
            continue;
        };
        let citation = match cited {
            Cited::Lines { path, lines } => {
                match ground.repo.pin_lines(ground.tip, &path, lines)? {
                    Pinned::At(blob) => Citation::Lines {
                        path,
                        lines,
                        blob: blob.to_string(),
                    },
                    Pinned::NoFile => {
                        reasons.push(format!(
                            "HEAD has no file {path:?}: a path counts from the root of the repository, and only what is committed can be cited"
                        ));
                        continue;
                    }
                    Pinned::TooFar(lines) => {
                        reasons.push(format!(
                            "{text:?} is beyond the end: the file has {}",
                            count(usize::try_from(lines).unwrap_or(usize::MAX), "line")
                        ));
                        continue;
                    }
                }
            }
            Cited::Entry(entry) => {
                if log.is_none() {
                    log = Some(Log::read(&ground.repo, &ground.tips)?);
                }
                if !log.as_ref().is_some_and(|log| log.has_entry(&entry)) {
                    reasons.push(format!("the log has no entry {entry}"));
                    continue;
                }
                Citation::Entry { entry }
            }
        };
        if !pinned.contains(&citation) {
            pinned.push(citation);
        }
    }
    Ok(pinned)
}

/// What became of each citation, seen from HEAD. What can't be looked up is unknown.
///
/// # Errors
/// When the log can't be read.
pub fn look_up(ground: &Ground, citations: &[Citation]) -> Result<Vec<CitedRow>, Failure> {
    let cites_entry = |one: &Citation| matches!(one, Citation::Entry { .. });
    let log = if citations.iter().any(cites_entry) {
        Log::read(&ground.repo, &ground.tips)?
    } else {
        Log::default()
    };
    let rows = citations.iter().map(|citation| {
        let (fate, line) = fate(ground, &log, citation);
        CitedRow {
            cite: citation.to_string(),
            fate: Some(fate),
            line,
        }
    });
    Ok(rows.collect())
}

fn fate(ground: &Ground, log: &Log, citation: &Citation) -> (CitedFate, Option<u32>) {
    match citation {
        Citation::Lines { path, lines, blob } => {
            let Ok(blob) = blob.parse::<Oid>() else {
                return (CitedFate::Unknown, None);
            };
            match ground.repo.fate_of_lines(ground.tip, path, *lines, blob) {
                Ok(Fate::Holds(line)) => (CitedFate::Holds, Some(line)),
                Ok(Fate::Changed) => (CitedFate::Changed, None),
                Ok(Fate::Gone) => (CitedFate::Gone, None),
                Ok(Fate::Unknown) | Err(_) => (CitedFate::Unknown, None),
            }
        }
        Citation::Entry { entry } if log.has_entry(entry) => (CitedFate::Holds, None),
        // The log only grows: what is not here may be where nobody looked yet.
        Citation::Entry { .. } => (CitedFate::Unknown, None),
    }
}
