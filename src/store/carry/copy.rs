//! Moves of the lines of rewritten commits to the commits that replaced them.

use std::collections::BTreeSet;

use super::Move;
use crate::{
    entry::{CarryRule, Line, lines_of, trace},
    git::{self, Oid, Repo},
    store::LogTips,
};

/// Follows (old, new) pairs; the error is the reason why a note could not be read, if any.
pub fn rewritten(
    repo: &Repo,
    pairs: &BTreeSet<(Oid, Oid)>,
) -> git::Result<(Vec<Move>, git::Result<()>)> {
    let mut moves = Vec::new();
    let mut unreadable = Ok(());
    for commit in LogTips::read(repo)?.commits() {
        let mut read = || -> git::Result<()> {
            let mut reader = repo.notes_reader(commit)?;
            for (from, to) in pairs {
                match reader.texts(*from) {
                    Ok(texts) => {
                        let lines = texts.iter().flat_map(|text| lines_of(text));
                        let lines: Vec<(Line, String)> =
                            lines.map(|line| (Line::raw(line), trace(line).id)).collect();
                        if !lines.is_empty() {
                            let (from, to, rule) = (*from, *to, CarryRule::Rewrite);
                            moves.push(Move::new(from, to, rule, lines));
                        }
                    }
                    Err(error) => unreadable = Err(error),
                }
            }
            Ok(())
        };
        if let Err(error) = read() {
            unreadable = Err(error);
        }
    }
    Ok((moves, unreadable))
}
