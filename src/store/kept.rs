//! The state of the log that this clone last wrote, under a ref that only this program moves.
//!
//! The local ref can lose lines to a forced fetch, `git notes` or a reset. What the kept ref has beside it is read as part
//! of the log, and every write folds it back.

use super::{LOCAL_REF, events::new_lines};
use crate::{
    entry::is_entry,
    git::{self, Oid, RefFrom, Repo},
};

pub const KEPT_REF: &str = "refs/sq/kept";

/// The refs that move together at each write: the local one first, so that a crash between the two loses nothing.
pub fn moved(local: Option<Oid>, kept: Option<Oid>) -> [RefFrom<'static>; 2] {
    [(LOCAL_REF, local), (KEPT_REF, kept)]
}

/// Number of entries that are missing from the local ref. The cost is that of the difference.
pub fn lost_entries(repo: &Repo) -> git::Result<usize> {
    let kept = repo.ref_target(KEPT_REF)?;
    let local = repo.ref_target(LOCAL_REF)?;
    match (local, kept) {
        (_, None) => Ok(0),
        (Some(local), Some(kept)) if local == kept || !repo.is_notes_commit(local) => Ok(0),
        (local, Some(kept)) => Ok(lost(repo, local, kept)?.0),
    }
}

/// Number of entries that the local ref lacks, and true if all notes in question could be read.
pub(super) fn lost(repo: &Repo, local: Option<Oid>, kept: Oid) -> git::Result<(usize, bool)> {
    let notes = match local {
        Some(local) if local == kept => return Ok((0, true)),
        Some(local) => repo.notes_added(local, kept)?,
        None => repo.notes(kept)?,
    };
    let mut reader = local.map(|local| repo.notes_reader(local)).transpose()?;
    let (mut number, mut is_whole) = (0, true);
    let readable = |error: git::Error| if error.is_unread() { Ok(Vec::new()) } else { Err(error) };
    for (note, text) in notes.iter().zip(repo.texts(&notes)) {
        let Some(text) = text else {
            is_whole = false;
            continue;
        };
        let here = match &mut reader {
            Some(reader) => reader.texts(note.anchor).or_else(readable)?,
            None => Vec::new(),
        };
        let (new, _) = new_lines(&here, [&*text].into_iter());
        number += new.into_iter().filter(|line| is_entry(line)).count();
    }
    Ok((number, is_whole))
}
