//! Copies the lines of rewritten commits to the commits that replaced them.

use std::collections::BTreeSet;

use crate::{
    entry::{Line, lines_of},
    git::{self, Oid, Repo},
    store::{Error, LogTips, append},
};

/// Follows (old, new) pairs. If a note can't be read, the others are still copied before it fails.
pub fn copy_entries(repo: &Repo, rewritten: &BTreeSet<(Oid, Oid)>) -> Result<(), Error> {
    let mut copies = Vec::new();
    let mut unreadable = Ok(());
    for commit in LogTips::read(repo)?.commits() {
        let mut copy = || -> git::Result<()> {
            let mut reader = repo.notes_reader(commit)?;
            for (old, new) in rewritten {
                match reader.texts(*old) {
                    Ok(texts) => {
                        let lines = texts.iter().flat_map(|text| lines_of(text));
                        copies.extend(lines.map(|line| (*new, Line::raw(line))));
                    }
                    Err(error) => unreadable = Err(error),
                }
            }
            Ok(())
        };
        if let Err(error) = copy() {
            unreadable = Err(error);
        }
    }
    if !copies.is_empty() {
        append(repo, &copies, "Notes copied by 'git sq hook post-rewrite'")?;
    }
    unreadable
}
