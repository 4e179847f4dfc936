//! Lines that the log held before the time that they name.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Error, Log, LogTips};
use crate::{
    entry::{Ts, lines_of, stamp, time_of},
    git::{Oid, Repo},
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
        let seen: Vec<Oid> = known.seen.iter().filter_map(|id| id.parse().ok()).collect();
        let commits: Vec<Oid> = tips.commits().collect();
        let history = repo.notes_history(&commits, &seen)?;
        let mut found = Self::up_to(tips, history.is_whole);
        // Nothing is younger than the others, wherever it stands.
        let mut steps = history.steps;
        steps.retain(|step| newest > limit(step.time, tolerance));
        let mut suspects = Vec::new();
        for (step, brought) in steps.iter().zip(repo.notes_brought(&steps)) {
            let Ok(brought) = brought else {
                found.is_whole = false;
                continue;
            };
            let limit = limit(step.time, tolerance);
            // A note that has no later line today had none then.
            let later = brought
                .into_iter()
                .filter(|note| times.get(&note.anchor) > Some(&limit));
            suspects.extend(later.map(|note| (step, limit.clone(), note)));
        }
        // All at once, because a partial clone asks its remote each time.
        let blobs: Vec<Oid> = suspects.iter().map(|(.., note)| note.blob).collect();
        for ((step, limit, note), text) in suspects.iter().zip(repo.blobs(&blobs)) {
            let Some(text) = text else {
                found.is_whole = false;
                continue;
            };
            let later = lines_of(&text).filter(|line| time_of(line).as_ref() > Some(limit));
            let ours = later.filter(|line| stamp(line).is_some_and(|stamp| !stamp.imported));
            let mut ours: Vec<&[u8]> = ours.collect();
            if !ours.is_empty() {
                // Git's clocks may run backwards from one commit to the next: the first one that held it counts.
                let before = texts_at(repo, &step.parents, note.anchor)?;
                let before: HashSet<&[u8]> =
                    before.iter().flat_map(|text| lines_of(text)).collect();
                ours.retain(|line| !before.contains(line));
            }
            let ours = ours.into_iter().map(String::from_utf8_lossy);
            found.lines.extend(ours.map(Cow::into_owned));
        }
        found.lines.extend(known.lines);
        found.keep_those_of(log);
        Ok(found)
    }

    fn up_to(tips: &LogTips, is_whole: bool) -> Self {
        Self {
            lines: BTreeSet::new(),
            is_whole,
            seen: tips.commits().map(|tip| tip.to_string()).collect(),
        }
    }

    /// Forgets what the log has no more: somebody put another log in its place.
    fn keep_those_of(&mut self, log: &Log) {
        if self.lines.is_empty() {
            return;
        }
        let texts = log.annotations.iter().map(|one| one.text.as_slice());
        let lines: HashSet<&[u8]> = texts.flat_map(lines_of).collect();
        self.lines.retain(|line| lines.contains(line.as_bytes()));
    }
}

/// What notes commits have on an anchor.
fn texts_at(repo: &Repo, commits: &[Oid], anchor: Oid) -> Result<Vec<Vec<u8>>, Error> {
    let mut blobs = Vec::new();
    for commit in commits {
        blobs.extend(repo.notes_reader(*commit)?.get(anchor)?);
    }
    Ok(repo.blobs(&blobs).into_iter().flatten().collect())
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
