//! Who brought a line.

use super::LogTips;
use crate::{
    entry::{Person, lines_of},
    git::{self, Oid, Repo},
};

/// How many notes commits are looked at.
const STEPS: usize = 200;

/// The author of the notes commit that brought a line; None where that would take long to find.
pub fn brought_by(repo: &Repo, tips: &LogTips, anchor: Oid, line: &[u8]) -> Option<Person> {
    let has = |commit: Oid| -> git::Result<bool> {
        for blob in repo.notes_reader(commit)?.get(anchor)? {
            if lines_of(&repo.blob(blob)?).any(|one| one == line) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    // The local ref tells last: it is this clone that folds in what others brought.
    let fetched = tips.fetched.iter().map(|tip| tip.target);
    let tip = fetched
        .chain(tips.local)
        .find(|tip| has(*tip).unwrap_or(false))?;
    let mut commit = tip;
    for _ in 0..STEPS {
        match repo.first_parent(commit).ok()? {
            Some(parent) if has(parent).ok()? => commit = parent,
            _ => return author(repo, commit),
        }
    }
    None
}

/// None of a commit that folds in what others brought.
fn author(repo: &Repo, commit: Oid) -> Option<Person> {
    let folds = repo.message(commit).ok()?.contains("by 'git sq");
    (!folds).then(|| repo.author(commit).ok())?
}
