//! The lines that one state of the log has and others lack.

use std::collections::HashSet;

use super::Error;
use crate::{
    entry::lines_of,
    git::{self, Oid, Repo},
};

/// The lines of the notes commit `of` that no commit of `have` has on the same anchor, in order.
/// The cost is that of the difference between `of` and the first of `have`.
pub fn lacking(repo: &Repo, have: &[Oid], of: Oid) -> Result<Vec<(Oid, Vec<u8>)>, Error> {
    if have.contains(&of) {
        return Ok(Vec::new());
    }
    let notes = match have.first() {
        Some(first) => repo.notes_added(*first, of)?,
        None => repo.notes(of)?,
    };
    let readers = have.iter().map(|commit| repo.notes_reader(*commit));
    let mut readers = readers.collect::<git::Result<Vec<_>>>()?;
    let mut lines = Vec::new();
    // In one batch, because a partial clone asks its remote each time.
    let blobs: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
    for (note, text) in notes.iter().zip(repo.blobs(&blobs)) {
        let text = text.map_or_else(|| repo.blob(note.blob), Ok)?;
        let mut known = Vec::new();
        for reader in &mut readers {
            for blob in reader.get(note.anchor)? {
                known.push(repo.blob(blob)?);
            }
        }
        let known: HashSet<&[u8]> = known.iter().flat_map(|text| lines_of(text)).collect();
        let new = lines_of(&text).filter(|line| !known.contains(line));
        lines.extend(new.map(|line| (note.anchor, line.to_vec())));
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}
