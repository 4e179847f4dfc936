//! Lines that the log held before the time that they name.

use std::collections::{BTreeSet, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Error, Log, LogTips};
use crate::{
    entry::{Ts, lines_of, stamp, time_of},
    git::{Note, NotesStep, Oid, Repo},
};

/// How many notes are held in memory at once: where a commit has many entries, each version of its note has most of
/// them.
const AT_ONCE: usize = 16;

/// The lines whose time is later than that of a notes commit that brought them to a commit.
///
/// What a notes commit brought never changes and follows from it and its parents alone, so what was found can be kept,
/// and only what came since is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    /// Also what somebody took out of the log since: it may come back.
    lines: BTreeSet<String>,
    /// Whether the history of the log was there to its beginning: else there may be more.
    pub is_whole: bool,
    /// Commits of which a note, or an earlier version of it, can't be read.
    #[serde(skip)]
    pub unread: Vec<Oid>,
    /// The notes commits that were looked at, with all that they contain.
    seen: Vec<String>,
}

/// A note that may hold such lines, and the latest time that they may name.
struct Suspect<'s> {
    step: &'s NotesStep,
    limit: Ts,
    note: Note,
}

impl Ahead {
    /// Looks for lines that are later than the notes commit that brought them by more than `tolerance`, without those
    /// that were imported. `known` is what was found before with this tolerance.
    ///
    /// # Errors
    /// When the history of the log can't be read at all.
    pub fn find(
        repo: &Repo,
        tips: &LogTips,
        log: &Log,
        tolerance: SignedDuration,
        known: Self,
    ) -> Result<Self, Error> {
        let commits: Vec<Oid> = tips.commits().collect();
        let known = if known.is_of(repo, &commits) {
            known
        } else {
            Self::default()
        };
        let seen: Vec<Oid> = known.seen.iter().filter_map(|id| id.parse().ok()).collect();
        let history = repo.notes_history(&commits, &seen)?;
        let mut found = Self {
            lines: known.lines,
            is_whole: history.is_whole,
            unread: Vec::new(),
            seen: commits.iter().map(Oid::to_string).collect(),
        };
        let suspects = found.suspects(repo, log, &history.steps, tolerance);
        let blobs: Vec<Oid> = suspects.iter().map(|suspect| suspect.note.blob).collect();
        // All at once, because a partial clone asks its remote each time.
        repo.bring(&blobs);
        for (suspects, blobs) in suspects.chunks(AT_ONCE).zip(blobs.chunks(AT_ONCE)) {
            for (suspect, text) in suspects.iter().zip(repo.blobs(blobs)) {
                if text.is_none_or(|text| found.add(repo, suspect, &text).is_err()) {
                    found.unread.push(suspect.note.anchor);
                }
            }
        }
        Ok(found)
    }

    /// Those that the log still has.
    pub fn lines_of<'a>(&'a self, log: &Log) -> Vec<&'a str> {
        if self.lines.is_empty() {
            return Vec::new();
        }
        let texts = log.annotations.iter().map(|one| one.text.as_slice());
        let there: HashSet<&[u8]> = texts.flat_map(lines_of).collect();
        let lines = self.lines.iter().map(String::as_str);
        lines
            .filter(|line| there.contains(line.as_bytes()))
            .collect()
    }

    /// The notes that `steps` brought, the oldest first, without those of which the log says that they hold nothing
    /// late: most notes are in the log as they were brought.
    fn suspects<'s>(
        &mut self,
        repo: &Repo,
        log: &Log,
        steps: &'s [NotesStep],
        tolerance: SignedDuration,
    ) -> Vec<Suspect<'s>> {
        let mut suspects = Vec::new();
        for (step, brought) in steps.iter().zip(repo.notes_brought(steps)).rev() {
            let Ok(mut brought) = brought else {
                self.is_whole = false;
                continue;
            };
            let limit = limit(step.time, tolerance);
            brought.retain(|note| {
                let is_there = log.notes.binary_search(note).is_ok();
                !is_there || latest(log, note.anchor).is_some_and(|latest| latest > limit)
            });
            suspects.extend(brought.into_iter().map(|note| Suspect {
                step,
                limit: limit.clone(),
                note,
            }));
        }
        suspects
    }

    /// Adds the lines of a suspect's text that it brought and that are too late.
    fn add(&mut self, repo: &Repo, suspect: &Suspect, text: &[u8]) -> Result<(), Error> {
        let is_late = |line: &&[u8]| time_of(line).is_some_and(|time| time > suspect.limit);
        let is_ours = |line: &&[u8]| stamp(line).is_some_and(|stamp| !stamp.imported);
        let lines = lines_of(text).filter(is_late).filter(is_ours);
        let lines = lines.map(|line| String::from_utf8_lossy(line).into_owned());
        let mut lines: BTreeSet<String> = lines.collect();
        lines.retain(|line| !self.lines.contains(line));
        if lines.is_empty() {
            return Ok(());
        }
        // Git's clocks may run backwards from one commit to the next: what a parent holds was not brought.
        for parent in &suspect.step.parents {
            for blob in repo.notes_reader(*parent)?.get(suspect.note.anchor)? {
                let text = repo.blob(blob)?;
                for line in lines_of(&text).filter_map(|line| str::from_utf8(line).ok()) {
                    lines.remove(line);
                }
            }
        }
        self.lines.extend(lines);
        Ok(())
    }

    /// Whether it was found in what these notes commits contain: nobody put another log in its place.
    fn is_of(&self, repo: &Repo, commits: &[Oid]) -> bool {
        self.seen.iter().all(|seen| {
            let seen = seen.parse();
            seen.is_ok_and(|seen| commits.iter().any(|tip| repo.is_ancestor(seen, *tip)))
        })
    }
}

/// The latest time of any line that the log has on a commit.
fn latest(log: &Log, anchor: Oid) -> Option<Ts> {
    let place = log
        .annotations
        .binary_search_by_key(&anchor, |one| one.anchor);
    let annotation = &log.annotations[place.ok()?];
    lines_of(&annotation.text).filter_map(time_of).max()
}

/// The latest time that a line of a notes commit of this time may name.
fn limit(time: i64, tolerance: SignedDuration) -> Ts {
    // Git's times are whole seconds.
    let tolerance = tolerance.saturating_add(SignedDuration::from_millis(999));
    let time = Timestamp::from_second(time).unwrap_or(Timestamp::MAX);
    Ts::from(time.checked_add(tolerance).unwrap_or(Timestamp::MAX))
}
