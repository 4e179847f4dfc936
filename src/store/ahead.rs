//! Lines that the log held before the time that they name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Error, Log, LogTips};
use crate::{
    entry::{Ts, lines_of, stamp, time_of},
    git::{NotesStep, Oid, Repo},
};

/// The lines whose time is later than that of the notes commit that brought them.
///
/// What a notes commit holds never changes, so what was found can be kept, and only what was added since is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    pub lines: BTreeSet<String>,
    /// Whether the history of the log was there to its beginning: else there may be more.
    pub is_whole: bool,
    /// The notes commits that were looked at, with all that they contain.
    seen: Vec<String>,
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
        let times = latest(log);
        let Some(newest) = times.values().max().cloned() else {
            return Ok(Self::up_to(tips, true));
        };
        let commits: Vec<Oid> = tips.commits().collect();
        let known = if known.is_of(repo, &commits) {
            known
        } else {
            Self::default()
        };
        let seen: Vec<Oid> = known.seen.iter().filter_map(|id| id.parse().ok()).collect();
        let history = repo.notes_history(&commits, &seen)?;
        let mut found = Self::up_to(tips, history.is_whole);
        // Nothing is younger than the others, wherever it stands.
        let mut steps = history.steps;
        steps.retain(|step| newest > limit(step.time, tolerance));
        found.add(repo, log, &steps, |time| limit(time, tolerance), &times);
        found.lines.extend(known.lines);
        found.keep_those_of(log);
        Ok(found)
    }

    /// Adds the lines that `steps` brought though they are later than `limit` says for the time of the step.
    fn add(
        &mut self,
        repo: &Repo,
        log: &Log,
        steps: &[NotesStep],
        limit: impl Fn(i64) -> Ts,
        latest: &BTreeMap<Oid, Ts>,
    ) {
        let mut suspects = Vec::new();
        for (step, brought) in steps.iter().zip(repo.notes_brought(steps)) {
            let Ok(mut brought) = brought else {
                self.is_whole = false;
                continue;
            };
            let limit = limit(step.time);
            // A note that has no later line today had none then.
            brought.retain(|note| latest.get(&note.anchor) > Some(&limit));
            let brought = brought.into_iter();
            suspects.extend(brought.map(|note| (step, limit.clone(), note.blob)));
        }
        // All at once, because a partial clone asks its remote each time.
        let blobs: Vec<Oid> = suspects.iter().map(|(.., blob)| *blob).collect();
        let texts = repo.blobs(&blobs);
        let mut late: Vec<(&NotesStep, Vec<&[u8]>)> = Vec::new();
        for ((step, limit, _), text) in suspects.iter().zip(&texts) {
            let Some(text) = text else {
                self.is_whole = false;
                continue;
            };
            let lines = lines_of(text).filter(|line| time_of(line).as_ref() > Some(limit));
            let lines = lines.filter(|line| stamp(line).is_some_and(|stamp| !stamp.imported));
            late.push((step, lines.collect()));
        }
        late.retain(|(_, lines)| !lines.is_empty());
        let lines = late.iter().flat_map(|(_, lines)| lines.iter().copied());
        let anchors = anchors(log, lines);
        for (step, lines) in late {
            // Git's clocks may run backwards from one commit to the next: the first one that held a line counts.
            let Ok(held) = held(repo, &step.parents, &lines, &anchors) else {
                self.is_whole = false;
                continue;
            };
            let brought = lines.into_iter().filter(|line| !held.contains(*line));
            let brought = brought.map(|line| String::from_utf8_lossy(line).into_owned());
            self.lines.extend(brought);
        }
    }

    /// Whether it was found in what these notes commits contain: nobody put another log in its place.
    fn is_of(&self, repo: &Repo, commits: &[Oid]) -> bool {
        self.seen.iter().all(|seen| {
            let seen = seen.parse();
            seen.is_ok_and(|seen| commits.iter().any(|tip| repo.is_ancestor(seen, *tip)))
        })
    }

    fn up_to(tips: &LogTips, is_whole: bool) -> Self {
        Self {
            lines: BTreeSet::new(),
            is_whole,
            seen: tips.commits().map(|tip| tip.to_string()).collect(),
        }
    }

    /// Forgets what somebody took out of the log.
    fn keep_those_of(&mut self, log: &Log) {
        if self.lines.is_empty() {
            return;
        }
        let texts = log.annotations.iter().map(|one| one.text.as_slice());
        let lines: HashSet<&[u8]> = texts.flat_map(lines_of).collect();
        self.lines.retain(|line| lines.contains(line.as_bytes()));
    }
}

/// The commits on which the log has each of these lines.
fn anchors<'l>(log: &Log, lines: impl Iterator<Item = &'l [u8]>) -> HashMap<&'l [u8], Vec<Oid>> {
    let mut anchors: HashMap<&[u8], Vec<Oid>> = lines.map(|line| (line, Vec::new())).collect();
    if anchors.is_empty() {
        return anchors;
    }
    for annotation in &log.annotations {
        for line in lines_of(&annotation.text) {
            if let Some(on) = anchors.get_mut(line) {
                on.push(annotation.anchor);
            }
        }
    }
    anchors
}

/// Those of `lines` that one of these notes commits holds, on any commit on which the log has them.
fn held(
    repo: &Repo,
    commits: &[Oid],
    lines: &[&[u8]],
    anchors: &HashMap<&[u8], Vec<Oid>>,
) -> Result<HashSet<Vec<u8>>, Error> {
    let anchors = lines.iter().filter_map(|line| anchors.get(line)).flatten();
    let anchors: BTreeSet<Oid> = anchors.copied().collect();
    let mut held = HashSet::new();
    for commit in commits {
        let mut notes = repo.notes_reader(*commit)?;
        let mut blobs = Vec::new();
        for anchor in &anchors {
            blobs.extend(notes.get(*anchor)?);
        }
        for text in repo.blobs(&blobs).iter().flatten() {
            held.extend(lines_of(text).map(<[u8]>::to_vec));
        }
    }
    Ok(held)
}

/// The latest time of any line on each anchor.
fn latest(log: &Log) -> BTreeMap<Oid, Ts> {
    let times = log.annotations.iter().filter_map(|annotation| {
        let latest = lines_of(&annotation.text).filter_map(time_of).max()?;
        Some((annotation.anchor, latest))
    });
    times.collect()
}

/// The latest time that a line of a notes commit of this time may name.
fn limit(time: i64, tolerance: SignedDuration) -> Ts {
    // Git's times are whole seconds.
    let tolerance = tolerance.saturating_add(SignedDuration::from_millis(999));
    let time = Timestamp::from_second(time).unwrap_or(Timestamp::MAX);
    Ts::from(time.checked_add(tolerance).unwrap_or(Timestamp::MAX))
}
