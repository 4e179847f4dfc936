//! Appends lines: build on the tip that was read, swap only from that tip, retry while others write.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{Error, LOCAL_REF, LogTips, lock::WritersLock, merge::union};
use crate::{
    entry::Line,
    git::{self, ErrorKind, NotesCommit, Oid, Repo},
};

/// How long a writer tries.
const DEADLINE: Duration = Duration::from_secs(10);

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The notes commit that holds the lines; None where every line was there already.
    pub commit: Option<Oid>,
}

/// Adds `lines` to the log, each to the note of its commit, and folds in what was fetched.
///
/// When this returns, the lines are in the local ref: durably, where `core.fsync` asks for that.
///
/// # Errors
/// When git does not know the user, when the ref's lock stays, or when others write all the time. Nothing was
/// appended then.
pub fn append(repo: &Repo, lines: &[(Oid, Line)], message: &str) -> Result<Appended, Error> {
    land(repo, lines, message, &[])
}

/// Brings what was fetched into the local ref, so that plain git shows it.
///
/// # Errors
/// As [`append`].
pub fn fold(repo: &Repo) -> Result<Appended, Error> {
    fold_in(repo, &[])
}

/// As [`fold`], with notes commits beside those of the tracking refs.
///
/// # Errors
/// As [`append`].
pub fn fold_in(repo: &Repo, others: &[Oid]) -> Result<Appended, Error> {
    let tips = LogTips::read(repo)?;
    let mut fetched = tips
        .fetched
        .iter()
        .map(|tip| tip.target)
        .chain(others.iter().copied());
    if fetched.all(|tip| Some(tip) == tips.local) {
        return Ok(Appended { commit: None });
    }
    land(repo, &[], FOLDED, others)
}

const FOLDED: &str = "Notes folded in by 'git sq'";

fn land(
    repo: &Repo,
    lines: &[(Oid, Line)],
    message: &str,
    others: &[Oid],
) -> Result<Appended, Error> {
    repo.require_identity()?;
    let _turn = WritersLock::acquire(repo)?;
    // The trees that are compared are looked up in and written again.
    let repo = &repo.remembering();
    let start = Instant::now();
    let mut attempt = 0;
    loop {
        let tips = LogTips::read(repo)?;
        let fetched: Vec<Oid> = tips
            .fetched
            .iter()
            .map(|tip| tip.target)
            .chain(others.iter().copied())
            .collect();
        let outcome = try_land(repo, tips.local, &fetched, lines, message);
        let retry = match &outcome {
            Err(error) => matches!(error.kind, ErrorKind::Moved | ErrorKind::Locked),
            Ok(_) => false,
        };
        if !retry {
            let commit = outcome?;
            if commit.is_some() && repo.durability().refs {
                repo.sync_ref(LOCAL_REF)?;
            }
            return Ok(Appended { commit });
        }
        if start.elapsed() > DEADLINE {
            return Err(match outcome {
                Err(error) if error.kind == ErrorKind::Locked => error.into(),
                _ => Error::Busy,
            });
        }
        std::thread::sleep(pause(attempt));
        attempt += 1;
    }
}

/// One attempt on the state that was read; gives the ref's new target, or None where there was nothing to add.
///
/// What was fetched is no parent: the history of the local ref is this clone's own.
fn try_land(
    repo: &Repo,
    local: Option<Oid>,
    fetched: &[Oid],
    lines: &[(Oid, Line)],
    message: &str,
) -> git::Result<Option<Oid>> {
    let base = local.or(fetched.first().copied());
    let mut added: BTreeMap<Oid, Vec<Vec<u8>>> = BTreeMap::new();
    let others = fetched.iter().filter(|tip| Some(**tip) != base);
    for (base, other) in others.filter_map(|other| Some((base?, *other))) {
        let notes = repo.notes_added(base, other)?;
        let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
        // What can't be read stays where it is.
        for (note, text) in notes.iter().zip(repo.blobs(&blobs)) {
            if let Some(text) = text {
                added.entry(note.anchor).or_default().push(text);
            }
        }
    }
    for (anchor, line) in lines {
        let line = line.as_bytes().to_vec();
        added.entry(*anchor).or_default().push(line);
    }
    let mut reader = base.map(|base| repo.notes_reader(base)).transpose()?;
    let mut notes = Vec::with_capacity(added.len());
    for (anchor, texts) in added {
        let blobs = match &mut reader {
            Some(reader) => reader.get(anchor)?,
            None => Vec::new(),
        };
        let ours: git::Result<Vec<Vec<u8>>> =
            blobs.into_iter().map(|blob| repo.blob(blob)).collect();
        let ours = match ours {
            // The base was fetched, and what is not there can't be added to.
            Err(error) if error.kind == ErrorKind::Missing && local.is_none() => {
                return try_land(repo, None, &fetched[1..], lines, message);
            }
            ours => ours?,
        };
        let text = union(texts.iter().chain(&ours).map(Vec::as_slice));
        if ours.len() != 1 || text != ours[0] {
            notes.push((anchor, text));
        }
    }
    let target = match base {
        Some(base) if notes.is_empty() => base,
        None if notes.is_empty() => return Ok(None),
        _ => repo.write_notes(&NotesCommit {
            base,
            notes: &notes,
            message,
        })?,
    };
    if Some(target) == local {
        return Ok(None);
    }
    repo.move_ref(LOCAL_REF, local, target, &format!("notes: {message}"))?;
    Ok(Some(target))
}

/// How long to wait before the next attempt: longer each time, and never as long as the neighbour.
fn pause(attempt: u32) -> Duration {
    let ceiling = 2_u64 << attempt.min(6);
    Duration::from_micros(500 + noise(ceiling * 1000))
}

/// A number below `ceiling` that two processes hardly share.
pub(super) fn noise(ceiling: u64) -> u64 {
    let noise = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| {
            u64::from(now.subsec_nanos()) ^ u64::from(std::process::id())
        });
    noise % ceiling
}
